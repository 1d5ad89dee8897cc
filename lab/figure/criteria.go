package figure

// This file decides whether a quantity that varies from run to run agrees with the paper.
// There is one rule, and each row follows it. Results of the figures of stratified sampling
// and of range adaptive profiling go through here; those of the co-processor are single runs.

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// A tally has one number for each run. A run is one seed on one recording, or one seed on
// recordings of several programs. +Inf is a number of events that is never reached. NaN is
// a number that a run does not have; such a run does not agree with the paper, and the
// median leaves it out.
type tally []float64

// sorted returns the numbers that runs have, in order.
func (t tally) sorted() []float64 {
	s := slices.DeleteFunc(slices.Clone(t), math.IsNaN)
	slices.Sort(s)
	return s
}

// median returns the median, of an even number the mean of the two in the middle.
func (t tally) median() float64 {
	s := t.sorted()
	n := len(s)
	switch {
	case n == 0:
		return math.NaN()
	case n%2 == 1 || s[n/2-1] == s[n/2]: // the second also keeps +Inf
		return s[n/2]
	}
	return (s[n/2-1] + s[n/2]) / 2
}

// mean returns the mean of all numbers; it is NaN if a run has none.
func (t tally) mean() (m float64) {
	for _, x := range t {
		m += x / float64(len(t))
	}
	return m
}

func (t tally) least() float64 { return t.end(0) }
func (t tally) most() float64  { return t.end(-1) }

func (t tally) end(i int) float64 {
	s := t.sorted()
	if len(s) == 0 {
		return math.NaN()
	}
	return s[(len(s)+i)%len(s)]
}

// A unit makes the value that has a number, with its text.
type unit func(float64) Value

// spread returns the median and the range of a tally, for three columns of a table.
func (t tally) spread(u unit) []Value { return []Value{u(t.median()), u(t.least()), u(t.most())} }

// times is a factor. It is infinite if only the number in the numerator is never reached.
func times(x float64) Value {
	if math.IsInf(x, 1) {
		return Value{"never", math.NaN(), "factor"}
	}
	return factor(x)
}

// after is a number of events.
func after(x float64) Value {
	if math.IsNaN(x) {
		return Value{"-", x, "events"}
	}
	return events(uint64(min(x, 1<<62)), !math.IsInf(x, 1))
}

// numberOf returns a unit for whole numbers of things. A median may lie between two of them.
func numberOf(things string) unit {
	return func(x float64) Value {
		if math.IsNaN(x) {
			return Value{"-", x, things}
		}
		return Value{fmt.Sprintf("%.0f", math.Round(x)), x, things}
	}
}

// fraction returns a unit for numbers of things that need not be whole: limits, and medians of whole numbers.
func fraction(things string) unit {
	return func(x float64) Value { return Value{strconv.FormatFloat(x, 'g', 4, 64), x, things} }
}

// A relation is what the paper says of a quantity.
type relation struct {
	text  string
	holds func(float64) bool
}

func below(most Value) relation {
	return relation{"below " + most.Text, func(x float64) bool { return x < most.Number }}
}

func above(least Value) relation {
	return relation{"above " + least.Text, func(x float64) bool { return x > least.Number }}
}

func atLeast(least Value) relation {
	return relation{"at least " + least.Text, func(x float64) bool { return x >= least.Number }}
}

func atMost(most Value) relation {
	return relation{"at most " + most.Text, func(x float64) bool { return x <= most.Number }}
}

func between(least, most Value) relation {
	return relation{least.Text + " to " + most.Text, func(x float64) bool { return x >= least.Number && x <= most.Number }}
}

// The factors by which a number may be off that the paper states, or that lies in a range that
// it states. A number of load events depends on the program most of all, and ours are other
// programs.
const (
	slack       = 1.25
	slackEvents = 2
)

// about is the relation of a quantity to a number, or to a range of numbers, of the paper.
func about(least, most float64, u unit) relation {
	by := slack
	if u(least).Unit == "events" {
		by = slackEvents
	}
	return between(u(least/by), u(most*by))
}

// noMore is the relation of a cost or an error to the paper's number: it may be less.
func noMore(most float64, u unit) relation { return atMost(u(most * slack)) }

// agreeing is how many of 10 runs have to agree with the paper.
const agreeing = 8

// agreement says when a row agrees with the paper.
var agreement = fmt.Sprintf("ours are medians of all runs, with the least and the greatest; ours agree if the median and %d of 10 runs do", agreeing)

// rule is what the setup of a figure of stratified sampling says about its rows; treeRule is that of trees.
var rule = agreement + fmt.Sprintf("; a number of load events may be off by a factor of %d, any other number by %v, and bounds hold as they stand", slackEvents, slack)

// compare adds a row for a quantity.
func (r *Result) compare(what string, t tally, u unit, paper string, want relation) {
	row := Row{What: what, Paper: paper, Asked: want.text, Runs: len(t)}
	for _, x := range t {
		if want.holds(x) {
			row.Agree++
		}
	}
	median := want.holds(t.median())
	row.Differs = !median || 10*row.Agree < agreeing*row.Runs
	if row.Differs {
		row.Note = fmt.Sprintf("%d of %d runs agree, and the median does not", row.Agree, row.Runs)
		if median {
			row.Note = fmt.Sprintf("the median agrees, but only %d of %d runs do", row.Agree, row.Runs)
		}
	}
	row.Values = t.spread(u)
	row.Ours = row.Values[0].Text
	if least, most := row.Values[1].Text, row.Values[2].Text; least != most {
		row.Ours += fmt.Sprintf(" (%s to %s)", least, most)
	} else {
		row.Values = row.Values[:1]
	}
	r.Rows = append(r.Rows, row)
}
