package annotate

// This file adds what runs of programs built for coverage decided.

import (
	"slices"

	"github.com/pepgo/pep/analyze/cover"
	"github.com/pepgo/pep/format/facts"
)

// A Coverage is how much was covered, and of how much. Functions of tests and of generated files do not count.
type Coverage struct {
	Statements [2]int `json:"statements"`
	Outcomes   [2]int `json:"outcomes"`   // of branches
	Conditions [2]int `json:"conditions"` // that were shown to decide on their own (MC/DC, masking)
}

// A Decided is what is known of a decision with two conditions or more.
type Decided struct {
	File       string      `json:"file,omitempty"` // as in a Line
	Line       int64       `json:"line"`
	Text       string      `json:"text"`
	Conditions []Condition `json:"conditions"`
	Vectors    []Vector    `json:"vectors"` // executions
	Wanted     []Vector    `json:"wanted"`  // examples of those that would show the other conditions; without a count
}

// A Condition is a condition of a decision.
type Condition struct {
	Text     string `json:"text"`
	Shown    bool   `json:"shown"`              // to decide on its own
	Excluded string `json:"excluded,omitempty"` // why it cannot be shown
}

// A Vector is the values of the conditions in executions of a decision.
type Vector struct {
	Values  string `json:"values"` // a letter for each condition: T true, F false, - not evaluated
	Outcome bool   `json:"outcome"`
	Count   int64  `json:"count"`
}

// coverage computes what was covered if the run was for that.
func (b *builder) coverage() error {
	for _, l := range b.Run.Paths.Facts {
		if b.Program == nil || l.Text(facts.Mode) != facts.ModeCover {
			return nil
		}
	}
	c, err := cover.New(b.Run.Paths, b.Program, b.Source, cover.Options{})
	if err != nil {
		return err
	}
	all := c.Totals((*cover.Decision).Masking)
	of := func(p cover.Part) [2]int { return [2]int{p.Covered, p.All} }
	b.p.Coverage = &Coverage{of(all.Statements), of(all.Branches), of(all.MCDC)}
	for _, p := range c.Packages {
		for _, f := range p.Functions {
			x := b.known[f.ID]
			t := f.Totals((*cover.Decision).Masking)
			for _, part := range []cover.Part{t.Statements, t.Branches, t.MCDC} {
				x.index.Missing += part.All - part.Covered
			}
			for _, d := range f.Decisions {
				at := c.Shown(cover.Place{File: f.File, Line: d.Line, Col: d.Col})
				if own, _ := b.Source.Path(f.ID.File); at.File == f.ID.File || at.File == own {
					at.File = ""
				}
				x.decisions = append(x.decisions, decided(d, at))
			}
		}
	}
	return nil
}

func decided(d *cover.Decision, at cover.Place) Decided {
	x := Decided{File: at.File, Line: int64(at.Line), Text: d.Text, Vectors: []Vector{}, Wanted: []Vector{}}
	for _, v := range d.Vectors {
		x.Vectors = append(x.Vectors, vector(v))
	}
	for i, s := range d.Masking() {
		x.Conditions = append(x.Conditions, Condition{d.Conditions[i].Text, s.Done(), d.Conditions[i].Excluded})
		for _, v := range s.Missing {
			if w := vector(v); !slices.Contains(x.Wanted, w) {
				x.Wanted = append(x.Wanted, w)
			}
		}
	}
	return x
}

func vector(v cover.Vector) Vector {
	x := Vector{Outcome: v.Outcome, Count: v.Count}
	for _, t := range v.Conditions {
		x.Values += string("-FT"[t])
	}
	return x
}
