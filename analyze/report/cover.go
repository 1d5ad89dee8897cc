package report

// This file lists what tests or other runs never decided.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pepgo/pep/analyze/cover"
	"github.com/pepgo/pep/internal/listing"
)

// A CoverTable is a listing of coverage: totals of packages, and what is missing in each function.
type CoverTable struct {
	MCDC     string         `json:"mcdc"` // `masking` or `unique`
	Total    CoverPackage   `json:"total"`
	Packages []CoverPackage `json:"packages"`
	// in which something is missing, those with most first
	Functions  []CoverFunction `json:"functions"`
	Incomplete int64           `json:"incomplete" unit:"times"` // executions of decisions that did not end
	// what is not counted: functions, conditions, and what a constant keeps every run from showing
	Uncounted []Uncounted `json:"not_counted"`
	Missing   []string    `json:"source_not_found"` // so their decisions are not known
}

// A CoverTotals is the listing of the totals alone.
type CoverTotals struct {
	Total    CoverPackage   `json:"total"`
	Packages []CoverPackage `json:"packages"`
}

// An Uncounted is a function or a decision that is not counted.
type Uncounted struct {
	File   string `json:"file"`
	Line   int64  `json:"line" unit:"line"`
	Col    int64  `json:"column" unit:"column"` // 0 of a function
	Reason string `json:"reason"`
	// the function, the decision, the condition, or the branch with its only outcome
	Text string `json:"text"`
}

// A CoverPackage has the numbers of a package.
type CoverPackage struct {
	Package    string `json:"package"`
	Dir        string `json:"directory"` // of package main, which several programs may have
	Functions  int    `json:"functions" unit:"functions"`
	Called     int    `json:"called" unit:"functions"`
	Statements int    `json:"statements" unit:"statements"`
	Executed   int    `json:"executed" unit:"statements"`
	Outcomes   int    `json:"outcomes" unit:"outcomes"`
	Taken      int    `json:"taken" unit:"outcomes"`
	Conditions int    `json:"conditions" unit:"conditions"` // of decisions with two or more
	Shown      int    `json:"shown" unit:"conditions"`      // that were shown to decide on their own
}

// A CoverFunction is what is missing in a function.
type CoverFunction struct {
	Func      string     `json:"function"`
	File      string     `json:"file"`
	StartLine int64      `json:"start_line" unit:"line"`
	Called    bool       `json:"called"` // if not, it has no gaps of its own
	Gaps      []CoverGap `json:"gaps"`   // by position
}

// A CoverGap is something that is missing: a statement that was not executed, an outcome that a branch never had, or
// a condition that was not shown to decide.
type CoverGap struct {
	File string `json:"file"`
	Line int64  `json:"line" unit:"line"`
	Col  int64  `json:"column" unit:"column"`
	// `statement`: not executed; `outcome`: the branch never had it; `condition`: not shown to decide
	Kind  string `json:"kind"`
	Text  string `json:"text"`               // the branch with the outcome, or the condition
	Count int64  `json:"count" unit:"times"` // how often the branch was decided
	// the values of conditions that would show it: `a` is true, `not a` is false
	Want   string `json:"want"`
	Source string `json:"source"` // the line, or the decision
}

// Cover lists coverage. A function that was never called has no gaps of its own.
func Cover(c *cover.Coverage, unique bool, line func(file string, n int64) (string, bool)) *CoverTable {
	t := &CoverTable{MCDC: "masking", Incomplete: c.Incomplete, Missing: c.NoSource}
	gap := func(file string, line, col int) CoverGap {
		at := c.Shown(cover.Place{File: file, Line: line, Col: col})
		return CoverGap{File: at.File, Line: int64(at.Line), Col: int64(at.Col)}
	}
	shown := (*cover.Decision).Masking
	if unique {
		t.MCDC, shown = "unique", (*cover.Decision).Unique
	}
	for _, p := range c.Packages {
		t.Packages = append(t.Packages, coverPackage(p.Path, p.Dir, p.Totals(shown)))
		for _, f := range p.Functions {
			x := coverFunction(f, shown, gap, line)
			if !x.Called || len(x.Gaps) > 0 {
				t.Functions = append(t.Functions, x)
			}
		}
	}
	slices.SortStableFunc(t.Functions, func(f, g CoverFunction) int { return cmp.Compare(len(g.Gaps), len(f.Gaps)) })
	t.Total = coverPackage("total", "", c.Totals(shown))
	for _, u := range c.Uncounted {
		at := c.Shown(u.Place)
		t.Uncounted = append(t.Uncounted, Uncounted{at.File, int64(at.Line), int64(at.Col), u.Reason,
			strings.Join(strings.Fields(u.Text), " ")})
	}
	return t
}

func coverPackage(name, dir string, t cover.Totals) CoverPackage {
	return CoverPackage{
		Package: name, Dir: dir, Functions: t.Functions.All, Called: t.Functions.Covered, Statements: t.Statements.All,
		Executed: t.Statements.Covered,
		Outcomes: t.Branches.All, Taken: t.Branches.Covered, Conditions: t.MCDC.All, Shown: t.MCDC.Covered,
	}
}

// gap returns a gap that is at a position of a Go file.
func coverFunction(f *cover.Function, shown func(*cover.Decision) []cover.Shown,
	gap func(file string, line, col int) CoverGap,
	line func(string, int64) (string, bool)) CoverFunction {
	at := gap(f.File, f.Line, 1)
	x := CoverFunction{Func: f.Name, File: at.File, StartLine: at.Line, Called: f.Calls > 0}
	if !x.Called {
		return x
	}
	add := func(g CoverGap, kind, text string, count int64) {
		of, _ := line(g.File, g.Line)
		g.Kind, g.Text, g.Count, g.Source = kind, text, count, strings.TrimSpace(of)
		x.Gaps = append(x.Gaps, g)
	}
	for _, s := range f.Statements {
		if s.Count == 0 {
			add(gap(s.File, s.Line, s.Col), gapStatement, "", 0)
		}
	}
	for _, b := range f.Branches {
		decided := int64(0)
		for _, o := range b.Outcomes {
			decided += o.Count
		}
		for _, o := range b.Outcomes {
			if o.Count == 0 && decided > 0 {
				add(gap(b.File, b.Line, b.Col), gapOutcome, b.Kind+" "+o.Name, decided)
			}
		}
	}
	for _, d := range f.Decisions {
		if len(d.Vectors) == 0 {
			continue // its statement is missing
		}
		for i, s := range shown(d) {
			for _, v := range s.Missing {
				c := d.Conditions[i]
				g := gap(f.File, c.Line, c.Col)
				g.Kind, g.Text, g.Want, g.Source = gapCondition, c.Text, wanted(d, v), d.Text
				x.Gaps = append(x.Gaps, g)
			}
		}
	}
	other := func(g CoverGap) int { // its own file comes first
		if g.File == x.File {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(x.Gaps, func(a, b CoverGap) int {
		return cmp.Or(other(a)-other(b), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	return x
}

// wanted is a vector in words: "a, not b".
func wanted(d *cover.Decision, v cover.Vector) string {
	var list []string
	for i, t := range v.Conditions {
		switch t {
		case cover.True:
			list = append(list, d.Conditions[i].Text)
		case cover.False:
			list = append(list, "not "+d.Conditions[i].Text)
		}
	}
	return strings.Join(list, ", ")
}

// Name implements listing.Listing.
func (t *CoverTable) Name() string { return "cover" }

// Print implements listing.Listing.
func (t *CoverTable) Print(p *listing.Page) {
	(&CoverTotals{t.Total, t.Packages}).Print(p)
	for _, f := range t.Functions {
		p.Line("")
		if !f.Called {
			p.Line("%s  %s:%d  never called", f.Func, p.Short(f.File), f.StartLine)
			continue
		}
		p.Line("%s  %s:%d", f.Func, p.Short(f.File), f.StartLine)
		at := func(g CoverGap) string {
			if g.File == f.File {
				return fmt.Sprintf("%d:%d", g.Line, g.Col)
			}
			return fmt.Sprintf("%s:%d:%d", p.Short(g.File), g.Line, g.Col)
		}
		gaps := &listing.Table{}
		for _, g := range f.Gaps {
			if g.Kind != gapCondition {
				gaps.Row(at(g), g.words(), g.Source)
			}
		}
		p.Table("  ", gaps)
		decision := ""
		for _, g := range f.Gaps {
			if g.Kind == gapCondition {
				if g.Source != decision {
					decision = g.Source
					p.Line("  %s  %s", at(g), strings.Join(strings.Fields(g.Source), " "))
				}
				p.Line("    %s", g.words())
			}
		}
	}
	if t.Incomplete > 0 {
		p.Line("")
		p.Line("%d executions of decisions did not end.", t.Incomplete)
	}
	if len(t.Uncounted) > 0 {
		p.Line("")
		p.Line("Not counted:")
		table := &listing.Table{}
		for _, u := range t.Uncounted {
			at := fmt.Sprintf("%s:%d", p.Short(u.File), u.Line)
			if u.Col > 0 {
				at += fmt.Sprintf(":%d", u.Col)
			}
			table.Row(at, u.Reason, u.Text)
		}
		p.Table("  ", table)
	}
	printMissing(p, t.Missing)
}

// CoveredTotals lists totals, those of MC/DC by masking.
func CoveredTotals(c *cover.Coverage) *CoverTotals {
	t := &CoverTotals{}
	for _, p := range c.Packages {
		t.Packages = append(t.Packages, coverPackage(p.Path, p.Dir, p.Totals((*cover.Decision).Masking)))
	}
	t.Total = coverPackage("total", "", c.Totals((*cover.Decision).Masking))
	return t
}

// Name implements listing.Listing.
func (t *CoverTotals) Name() string { return "cover" }

// Print implements listing.Listing.
func (t *CoverTotals) Print(p *listing.Page) {
	table := &listing.Table{Names: []int{0}}
	table.Heading("package", "statements", "branches", "mc/dc")
	mains := 0
	for _, x := range t.Packages {
		if x.Dir != "" {
			mains++
		}
	}
	for _, x := range append(t.Packages, t.Total) {
		name := x.Package
		if x.Dir != "" && mains > 1 {
			name += " in " + p.Short(x.Dir)
		}
		table.Row(name, covered(x.Executed, x.Statements), covered(x.Taken, x.Outcomes), covered(x.Shown, x.Conditions))
	}
	p.Table("", table)
}

// Kinds of gaps.
const (
	gapStatement = "statement"
	gapOutcome   = "outcome"
	gapCondition = "condition"
)

func (g CoverGap) words() string {
	switch g.Kind {
	case gapStatement:
		return "not executed"
	case gapOutcome:
		return fmt.Sprintf("%s never, of %d", g.Text, g.Count)
	}
	return fmt.Sprintf("%s: want %s", g.Text, g.Want)
}

func covered(n, all int) string {
	if all == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f%% %d/%d", 100*float64(n)/float64(all), n, all)
}
