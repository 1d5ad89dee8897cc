package report

// This file lists the calls of a profile for go build -pgo.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pepgo/pep/analyze/pgo"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/internal/listing"
)

// PGOOptions select calls.
type PGOOptions struct {
	N   int     // how many the listing has; 0 is all
	Cut float64 // share of the weight that the calls to be inlined have: see pgo.Hot
}

// A PGOTable lists the calls in a profile for go build -pgo, the heaviest first.
type PGOTable struct {
	Findings []Finding `json:"findings"`
	Profile  Profile   `json:"profile"`
	Calls    int       `json:"calls" unit:"calls"` // a caller's line and a callee each
	Kept     int       `json:"kept" unit:"calls"`  // of these, to be inlined
	// of these, so that methods of interfaces are called directly
	Cold   int   `json:"cold" unit:"calls"`
	Weight int64 `json:"weight" unit:"lines"` // that callees executed
	// share of the weight that the calls to be inlined have
	Cut float64 `json:"cut" unit:"ratio"`
	// of functions that nothing or the runtime calls, such as `main.main`
	Top int64 `json:"weight_without_caller" unit:"lines"`
	// of callers and callees without a known first line, such as assembly
	Caller  int64 `json:"weight_of_unknown_lines" unit:"lines"`
	Generic int64 `json:"weight_of_unknown_shapes" unit:"lines"` // of generic functions
	// of functions that execute more than 50 lines for each call, on average
	Long int64 `json:"weight_of_long_calls" unit:"lines"`
	// of deferred functions, which the compiler does not inline
	Late int64     `json:"weight_of_deferred_calls" unit:"lines"`
	Rows []PGOCall `json:"rows"` // calls to be inlined, the heaviest first
	// calls that are left out, because the source does not have them
	Stale   []PGOCall `json:"stale"`
	Missing []string  `json:"source_not_found"`

	kept, cold []pgo.Call
}

// A PGOCall is an edge of the call graph.
type PGOCall struct {
	Caller string  `json:"caller"`
	File   string  `json:"file"`
	Line   int64   `json:"line" unit:"line"`
	Callee string  `json:"callee"`
	Count  int64   `json:"count" unit:"times"`
	Weight int64   `json:"weight" unit:"lines"`
	Share  float64 `json:"share" unit:"ratio"` // of the weight of all calls
}

// PGO makes a profile for go build -pgo of a profile of paths, with that of call targets of the same run if it is
// not nil, or of call targets alone. It is an error if no call is left.
func PGO(f, targets *profile.File, src *source.Tree, o PGOOptions) (*PGOTable, error) {
	calls, skipped, err := pgo.Calls(f, targets)
	if err != nil {
		return nil, err
	}
	if len(calls) == 0 && skipped == (pgo.Skipped{}) {
		why := "the program ended before the first tick, or nothing in it is instrumented"
		if f.Kind == schema.CallTargets {
			why = "no tap was reached, or the engine sent no message before the end"
		}
		return nil, &pgo.NoCalls{Why: f.Name + ": no call was recorded: " + why}
	}
	calls, deferred := pgo.Undeferred(calls, src)
	t := &PGOTable{Profile: profileOf(f), Calls: len(calls), Weight: pgo.Weight(calls), Cut: o.Cut,
		Top: skipped.Top, Caller: skipped.Caller, Generic: skipped.Generic, Long: skipped.Long, Late: deferred}
	row := func(c pgo.Call) PGOCall {
		return PGOCall{c.Caller.Symbol, c.Caller.Func.File, c.Caller.Line, c.Callee.Symbol, c.Count, c.Weight,
			listing.Ratio(c.Weight, t.Weight)}
	}
	t.kept, t.cold = pgo.Hot(calls, o.Cut)
	stale := pgo.Stale(calls, src)
	gone := func(c pgo.Call) bool { return slices.Contains(stale, c) }
	t.kept, t.cold = slices.DeleteFunc(t.kept, gone), slices.DeleteFunc(t.cold, gone)
	t.Kept, t.Cold = len(t.kept), len(t.cold)
	if t.Kept == 0 {
		return nil, &pgo.NoCalls{Why: f.Name + ": no call is left for the compiler: " + t.leftOut(len(stale))}
	}
	var files []string
	for i, c := range t.kept {
		if o.N == 0 || i < o.N {
			t.Rows = append(t.Rows, row(c))
		}
		files = append(files, c.Caller.Func.File)
	}
	for _, c := range stale {
		t.Stale = append(t.Stale, row(c))
	}
	t.Missing = missingSource(src, files)
	t.Findings = t.find()
	return t, nil
}

// leftOut says why calls are left out, so many because they are stale.
func (t *PGOTable) leftOut(stale int) string {
	var why []string
	if stale > 0 {
		why = append(why, fmt.Sprintf("of %d the source does not have %d (was it changed since the program was built?)",
			t.Calls, stale))
	}
	for _, x := range []struct {
		weight int64
		where  string
	}{
		{t.Top, "functions that nothing calls, or the runtime"},
		{t.Caller + t.Generic, "functions without a known line or shape"},
		{t.Long, "calls too long for inlining"},
		{t.Late, "deferred calls"},
	} {
		if x.weight > 0 {
			why = append(why, fmt.Sprintf("%d lines were executed in %s", x.weight, x.where))
		}
	}
	if len(why) == 0 {
		return "the counts of all are 0"
	}
	return strings.Join(why, "; ")
}

// Stacks returns all calls but the stale ones as samples of the types pgo.Types.
func (t *PGOTable) Stacks() []profile.Stack { return pgo.Stacks(t.kept, t.cold) }

// Name implements listing.Listing.
func (t *PGOTable) Name() string { return "pgo" }

// Print implements listing.Listing.
func (t *PGOTable) Print(p *listing.Page) {
	t.Profile.printWarning(p)
	p.Line("%s: %s of %d to be inlined, with %s of the weight", p.Short(t.Profile.name()), listing.Count(t.Kept, "call"),
		t.Calls, listing.Percent(t.share()))
	if t.Cold > 0 {
		p.Line("%s more in the profile, so that methods of interfaces are called directly", listing.Count(t.Cold, "call"))
	}
	if t.Long > 0 {
		p.Line("left out: calls too long for inlining, which executed %d lines", t.Long)
	}
	if t.Late > 0 {
		p.Line("left out: deferred calls, which the compiler does not inline, and which executed %d lines", t.Late)
	}
	table := listing.Table{Numbers: 3, Names: []int{3}}
	table.Heading("weight%", "weight", "count", "call")
	for _, c := range t.Rows {
		table.Row(listing.Percent(c.Share), fmt.Sprint(c.Weight), fmt.Sprint(c.Count), c.text(p))
	}
	p.Line("")
	p.Table("", &table)
	if len(t.Stale) > 0 {
		p.Line("")
		p.Line("left out, because the source has no such call: was it changed since the program was built?")
		for _, c := range t.Stale {
			p.Line("%s", c.text(p))
		}
	}
	t.Profile.printNotes(p)
	printMissing(p, t.Missing)
}

// share returns the share of the weight that the kept calls have.
func (t *PGOTable) share() float64 { return listing.Ratio(pgo.Weight(t.kept), t.Weight) }

func (c PGOCall) text(p *listing.Page) string {
	return fmt.Sprintf("%s %s:%d calls %s", c.Caller, p.Short(c.File), c.Line, c.Callee)
}
