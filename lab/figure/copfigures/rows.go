package copfigures

// This file adds rows about single runs to results.

import (
	"fmt"
	"strings"

	"github.com/pepgo/pep/lab/figure"
)

// oneIf is 1 if a condition holds, else 0.
func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// state adds a row about a statement of the paper. agrees says whether ours agrees with it.
func state(r *figure.Result, key, what string, o ours, paper string, agrees bool) {
	row := figure.Row{Key: key, What: what, Ours: o.text, Values: o.values, Paper: paper, Differs: !agrees}
	if row.Differs {
		row.Note = "the reason is not known"
	}
	r.Rows = append(r.Rows, row)
}

// because replaces the note of the last row, if that differs, by numbers of the run that belong to it.
func because(r *figure.Result, format string, args ...any) {
	if last := &r.Rows[len(r.Rows)-1]; last.Differs {
		last.Note = fmt.Sprintf(format, args...)
	}
}

// ours is the text of a row about our run, and the values in the text.
type ours struct {
	text   string
	values []figure.Value
}

// two is the text of two values, with words behind them.
func two(a, b figure.Value, behind string) ours {
	return ours{a.Text + ", " + b.Text + behind, []figure.Value{a, b}}
}

// part is how many of all things have a property.
func part(some, all int, unit string) ours {
	a, b := figure.Count(some, unit), figure.Count(all, unit)
	return ours{fmt.Sprintf("%s of %s %s", a.Text, b.Text, unit), []figure.Value{a, b}}
}

func orNone(list []string) string {
	if list == nil {
		return "none"
	}
	return strings.Join(list, ", ")
}
