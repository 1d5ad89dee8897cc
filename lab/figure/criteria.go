package figure

// This file decides whether a quantity that varies from run to run agrees with the paper.
// There is one rule for all of these rows.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// A Tally has one number for each run. A run is one seed on one recording, or one seed on
// recordings of several programs. +Inf is a number of events that is never reached. NaN is
// a number that a run does not have; such a run does not agree with the paper, and the
// median leaves it out.
type Tally []float64

// sorted returns the numbers that runs have, in order.
func (t Tally) sorted() []float64 {
	s := slices.DeleteFunc(slices.Clone(t), math.IsNaN)
	slices.Sort(s)
	return s
}

// Median returns the median, of an even number the mean of the two in the middle.
func (t Tally) Median() float64 {
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

// Mean returns the mean of all numbers; it is NaN if a run has none.
func (t Tally) Mean() (m float64) {
	for _, x := range t {
		m += x / float64(len(t))
	}
	return m
}

func (t Tally) Least() float64 { return t.end(0) }
func (t Tally) Most() float64  { return t.end(-1) }

func (t Tally) end(i int) float64 {
	s := t.sorted()
	if len(s) == 0 {
		return math.NaN()
	}
	return s[(len(s)+i)%len(s)]
}

// A Unit makes a value of a number.
type Unit func(float64) Value

// Spread returns the median and the range of a tally, for three columns of a table.
func (t Tally) Spread(u Unit) []Value { return []Value{u(t.Median()), u(t.Least()), u(t.Most())} }

// Text returns the median, and the range if there is one.
func (t Tally) Text(u Unit) string {
	text := u(t.Median()).Text
	if least, most := u(t.Least()).Text, u(t.Most()).Text; least != most {
		text += fmt.Sprintf(" (%s to %s)", least, most)
	}
	return text
}

// Times is a factor. It is infinite if only the number in the numerator is never reached.
func Times(x float64) Value {
	if math.IsInf(x, 1) {
		return Value{"never", math.NaN(), "factor"}
	}
	return Factor(x)
}

// After is the number of events after which something is reached. It is infinite if it is never reached.
func After(x float64) Value {
	switch {
	case math.IsNaN(x):
		return Value{"-", x, "events"}
	case math.IsInf(x, 1):
		return Value{"never", math.NaN(), "events"}
	}
	return Value{Abbreviate(uint64(x)), float64(uint64(x)), "events"}
}

// NumberOf returns a unit for whole numbers of things. A median may lie between two of them.
func NumberOf(things string) Unit {
	return func(x float64) Value {
		if math.IsNaN(x) {
			return Value{"-", x, things}
		}
		return Value{fmt.Sprintf("%.0f", math.Round(x)), x, things}
	}
}

// Fraction returns a unit for numbers of things that need not be whole: limits, and medians of whole numbers.
func Fraction(things string) Unit {
	return func(x float64) Value { return Value{strconv.FormatFloat(x, 'g', 4, 64), x, things} }
}

// A Relation is what a paper says of a quantity.
type Relation struct {
	Text  string
	Holds func(float64) bool
}

// Below, and the functions that follow, are relations of a quantity to one or two numbers.
func Below(most Value) Relation {
	return Relation{"below " + most.Text, func(x float64) bool { return x < most.Number }}
}

func Above(least Value) Relation {
	return Relation{"above " + least.Text, func(x float64) bool { return x > least.Number }}
}

func AtLeast(least Value) Relation {
	return Relation{"at least " + least.Text, func(x float64) bool { return x >= least.Number }}
}

func AtMost(most Value) Relation {
	return Relation{"at most " + most.Text, func(x float64) bool { return x <= most.Number }}
}

func Between(least, most Value) Relation {
	return Relation{least.Text + " to " + most.Text, func(x float64) bool { return x >= least.Number && x <= most.Number }}
}

// A number that a paper states may be off by a factor. So may the ends of a range that it states. The factor
// is larger for numbers of events, because these depend on the program most of all, and ours are other programs.
const (
	Slack       = 1.25
	SlackEvents = 2
)

// About is the relation of a quantity to a range of numbers of the paper, or to one number.
func About(least, most float64, u Unit) Relation {
	by := Slack
	if u(least).Unit == "events" {
		by = SlackEvents
	}
	return Between(u(least/by), u(most*by))
}

// NoMore is the relation of a cost or an error to the paper's number: it may be less.
func NoMore(most float64, u Unit) Relation { return AtMost(u(most * Slack)) }

// agreeing is how many of 10 runs have to agree with the paper.
const agreeing = 8

// Enough reports whether so many of the runs are as many as have to agree.
func Enough(agree, runs float64) bool { return 10*agree >= agreeing*runs }

// Agreement says in the setup when a row agrees with the paper.
var Agreement = fmt.Sprintf("ours are medians of all runs, with the least and the greatest; ours agree if the median and %d of 10 runs do", agreeing)

// Compare adds a row for a quantity.
func (r *Result) Compare(key, what string, t Tally, u Unit, paper string, want Relation) {
	row := Row{Key: key, What: what, Paper: paper, Asked: want.Text, Runs: len(t)}
	for _, x := range t {
		if want.Holds(x) {
			row.Agree++
		}
	}
	median := want.Holds(t.Median())
	row.Differs = !median || !Enough(float64(row.Agree), float64(row.Runs))
	if row.Differs {
		row.Note = fmt.Sprintf("%d of %d runs agree, and the median does not", row.Agree, row.Runs)
		if median {
			row.Note = fmt.Sprintf("the median agrees, but only %d of %d runs do", row.Agree, row.Runs)
		}
	}
	row.Values, row.Ours = t.Spread(u), t.Text(u)
	if row.Values[1].Text == row.Values[2].Text {
		row.Values = row.Values[:1]
	}
	r.Rows = append(r.Rows, row)
}

// HowMany counts the numbers with a property.
func (t Tally) HowMany(is func(float64) bool) (n float64) {
	for _, x := range t {
		if is(x) {
			n++
		}
	}
	return n
}

// RankCorrelation returns the rank correlation of two numbers of the same programs (Spearman), and the chance that
// programs in random order have one as strong, in percent. Numbers that are equal have the mean of their ranks. For 1,
// 2, 3 and 9, 5, 4 it is -1, and one in three orders is as strong.
func RankCorrelation(a, b Tally) (rho, chance float64) {
	x, y := a.ranks(), b.ranks()
	rho = correlation(x, y)
	const orders = 100_000
	rng := rand.New(rand.NewPCG(1, 2))
	n := 0
	for range orders {
		rng.Shuffle(len(y), func(i, k int) { y[i], y[k] = y[k], y[i] })
		if math.Abs(correlation(x, y)) >= math.Abs(rho)-1e-9 {
			n++
		}
	}
	return rho, 100 * float64(n) / orders
}

// ranks returns the rank of each number.
func (t Tally) ranks() (ranks Tally) {
	for _, x := range t {
		less := t.HowMany(func(y float64) bool { return y < x })
		same := t.HowMany(func(y float64) bool { return y == x })
		ranks = append(ranks, less+(same+1)/2)
	}
	return ranks
}

// correlation returns Pearson's correlation of two numbers.
func correlation(a, b Tally) float64 {
	var ab, aa, bb float64
	ma, mb := a.Mean(), b.Mean()
	for i := range a {
		ab += (a[i] - ma) * (b[i] - mb)
		aa += (a[i] - ma) * (a[i] - ma)
		bb += (b[i] - mb) * (b[i] - mb)
	}
	return ab / math.Sqrt(aa*bb)
}
