package report

// This file lists a table of branches.

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/pepgo/pep/format/actions"
	"github.com/pepgo/pep/format/actiontable"
	"github.com/pepgo/pep/format/branches"
	"github.com/pepgo/pep/format/register"
	"github.com/pepgo/pep/internal/listing"
)

// A BranchTable lists a table of branches.
type BranchTable struct {
	File      string        `json:"file"`
	Packages  int           `json:"packages" unit:"packages"`
	Functions int           `json:"functions" unit:"functions"` // with those that the linker leaves out
	Outcomes  int           `json:"outcomes" unit:"outcomes"`   // of the source
	Uncounted int           `json:"uncounted" unit:"outcomes"`  // that cannot be counted, or in part only
	Causes    []BranchCause `json:"causes"`                     // why they cannot be counted
	// instructions, and ways to execute them, that outcomes stand at
	Rows     int              `json:"rows" unit:"rows"`
	Numbered int              `json:"numbered" unit:"functions"` // of the source, by themselves or inlined
	Told     int              `json:"told" unit:"functions"`     // of these, all of whose paths the outcomes tell
	Untold   []UntoldCause    `json:"untold"`                    // why the others cannot be told
	Listed   []BranchFunction `json:"listed"`                    // with `-all` or `-func`
}

// A BranchCause says how many outcomes cannot be counted for one reason.
type BranchCause struct {
	Cause    string `json:"cause"`
	Outcomes int    `json:"outcomes" unit:"outcomes"`
}

// An UntoldCause says of how many functions some paths cannot be told for one reason.
type UntoldCause struct {
	Cause     string `json:"cause"`
	Functions int    `json:"functions" unit:"functions"`
	All       bool   `json:"all"` // no path of these can be told anywhere
}

// A BranchFunction is a function of a table.
type BranchFunction struct {
	Func      string      `json:"function"`
	Size      uint64      `json:"size" unit:"bytes"`
	Rows      []BranchRow `json:"rows"`      // what happens when an instruction is executed
	Uncounted []BranchRow `json:"uncounted"` // outcomes that cannot be counted; `way` says why
}

// A BranchRow is an outcome where an instruction stands for it, or why none does.
type BranchRow struct {
	PC uint64 `json:"pc" unit:"bytes"` // from the beginning of the function
	// `at`: executed; `taken`, `not taken`: it jumps, or not; `jump 3`: to entry 3 of its table
	Way string `json:"way"`
	// `true`, `false`, `clause`, `no clause`, `round`, `label`, `entry`, `return`, `inlined`, `left`; `maybe
	// true` if it may be another one
	Outcome string `json:"outcome"`
	Inlined string `json:"inlined"` // function whose body is inlined here
	// what it does to the number of the path: `=4`, `+1`, `end`
	Action string `json:"action"`
	File   string `json:"file"`
	Line   int    `json:"line" unit:"line"`
	Col    int    `json:"column" unit:"column"`
}

// Branches lists a table of branches.
func Branches(file string, pkgs []branches.Package, o SitesOptions) (*BranchTable, error) {
	t := &BranchTable{File: file, Packages: len(pkgs)}
	causes := map[branches.Loss]int{}
	paths, err := paths(pkgs)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for _, p := range pkgs {
		t.Functions += len(p.Funcs)
		for i := range p.Funcs {
			f := &p.Funcs[i]
			t.Rows += len(f.Rows)
			ops, _ := paths.Outcomes(f)
			for _, x := range f.Outcomes {
				if x.Lost == branches.Either {
					continue // the outcome itself is another one
				}
				if t.Outcomes++; x.Lost != 0 {
					t.Uncounted++
					causes[x.Lost]++
				}
			}
			if o.Func != nil && o.Func.MatchString(f.Name) || o.Func == nil && o.All {
				t.Listed = append(t.Listed, branchFunction(f, ops))
			}
		}
	}
	if o.Func != nil && t.Listed == nil {
		return nil, fmt.Errorf("%s: no function matches %q: pep sites -all lists all functions", file, o.Func)
	}
	t.told(paths)
	for cause, n := range causes {
		t.Causes = append(t.Causes, BranchCause{cause.String(), n})
	}
	slices.SortFunc(t.Causes, func(a, b BranchCause) int {
		return cmp.Or(cmp.Compare(b.Outcomes, a.Outcomes), cmp.Compare(a.Cause, b.Cause))
	})
	return t, nil
}

// paths returns a table of actions without actions.
func paths(pkgs []branches.Package) (*actions.Table, error) {
	var acts []*actions.Package
	for _, p := range pkgs {
		a, err := actions.Read(p.Actions)
		if err != nil {
			return nil, err
		}
		acts = append(acts, a)
	}
	t, err := actions.New(acts)
	if err == nil {
		t.Calls = true
	}
	return t, err
}

// told counts the functions whose paths can be told.
func (t *BranchTable) told(paths *actions.Table) {
	untold := map[UntoldCause]int{}
	for _, s := range paths.Sources {
		if s.Places == 0 {
			continue
		}
		t.Numbered++
		switch {
		case s.Why != "":
			untold[UntoldCause{Cause: s.Why, All: true}]++
		case len(s.UntoldNodes) > 0:
			causes := slices.Sorted(maps.Values(s.UntoldNodes))
			untold[UntoldCause{Cause: causes[0]}]++
		default:
			t.Told++
		}
	}
	for c, n := range untold {
		c.Functions = n
		t.Untold = append(t.Untold, c)
	}
	slices.SortFunc(t.Untold, func(a, b UntoldCause) int {
		return cmp.Or(cmp.Compare(b.Functions, a.Functions), cmp.Compare(a.Cause, b.Cause))
	})
}

// action writes operations: "end =4 +1" ends a path and begins one with the number 4, and adds 1 to that. It leaves out
// that a place does not tell all branches.
func action(ops []register.Op) string {
	var words []string
	for _, op := range ops {
		switch op.Do {
		case register.Set:
			words = append(words, fmt.Sprintf("=%d", op.Arg&^actiontable.Untold))
		case register.Add:
			words = append(words, fmt.Sprintf("%+d", int32(op.Arg)))
		case register.End:
			words = append(words, "end")
		}
	}
	return strings.Join(words, " ")
}

// BranchFunctions returns the names of the functions of a table.
func BranchFunctions(pkgs []branches.Package) (names []string) {
	for _, p := range pkgs {
		for _, f := range p.Funcs {
			names = append(names, f.Name)
		}
	}
	return names
}

func branchFunction(f *branches.Func, ops [][]register.Op) BranchFunction {
	row := func(pc uint64, way string, o branches.Outcome) BranchRow {
		r := BranchRow{PC: pc, Way: way, Outcome: o.Kind.String(), File: o.Pos.File, Line: o.Pos.Line, Col: o.Pos.Col}
		if o.Call > 0 {
			r.Inlined = f.Calls[o.Call-1].Func
		}
		if o.Lost == branches.Either {
			r.Outcome = "maybe " + r.Outcome
		}
		return r
	}
	b := BranchFunction{Func: f.Name, Size: f.Size}
	for _, r := range f.Rows {
		way := r.Way.String()
		if r.Way == branches.Jump {
			way = fmt.Sprintf("%s %d", way, r.Index)
		}
		for _, o := range r.Outcomes {
			x := row(r.PC, way, f.Outcomes[o])
			x.Action = action(ops[o])
			b.Rows = append(b.Rows, x)
		}
	}
	for _, o := range f.Outcomes {
		if o.Lost != 0 && o.Lost != branches.Either {
			b.Uncounted = append(b.Uncounted, row(0, o.Lost.String(), o))
		}
	}
	return b
}

// Name implements listing.Listing.
func (t *BranchTable) Name() string { return "sites" }

// Print implements listing.Listing.
func (t *BranchTable) Print(p *listing.Page) {
	p.Line("%s: %s, %s, %s in %s", t.File, listing.Count(t.Packages, "package"), listing.Count(t.Functions, "function"),
		listing.Count(t.Outcomes, "outcome"), listing.Count(t.Rows, "row"))
	if t.Uncounted > 0 && t.Listed == nil {
		p.Line("")
		p.Line("%s (%s) cannot be counted", listing.Count(t.Uncounted, "outcome"),
			listing.Percent(listing.Ratio(int64(t.Uncounted), int64(t.Outcomes))))
		causes := &listing.Table{Numbers: 1}
		for _, c := range t.Causes {
			causes.Row(fmt.Sprint(c.Outcomes), c.Cause)
		}
		p.Table("  ", causes)
	}
	if t.Listed == nil {
		p.Line("")
		share := func(n int) string { return listing.Percent(listing.Ratio(int64(n), int64(t.Numbered))) }
		some, none := 0, 0
		for _, u := range t.Untold {
			if u.All {
				none += u.Functions
			} else {
				some += u.Functions
			}
		}
		p.Line("all paths of %s (%s of %d) can be told, some of %d (%s), and none of %d (%s)",
			listing.Count(t.Told, "function"),
			share(t.Told), t.Numbered, some, share(some), none, share(none))
		untold := &listing.Table{Numbers: 2}
		for _, u := range t.Untold {
			which := "some paths"
			if u.All {
				which = "no path"
			}
			untold.Row(fmt.Sprint(u.Functions), share(u.Functions), which, u.Cause)
		}
		p.Table("  ", untold)
	}
	for _, f := range t.Listed {
		p.Line("")
		p.Line("%s: %s", f.Func, listing.Count(f.Size, "byte"))
		rows := &listing.Table{Numbers: 1}
		add := func(pc string, r BranchRow) {
			rows.Row(pc, r.Way, r.Outcome, fmt.Sprintf("%s:%d:%d", path.Base(r.File), r.Line, r.Col), r.Inlined, r.Action)
		}
		for _, r := range f.Rows {
			add(fmt.Sprintf("%#x", r.PC), r)
		}
		for _, r := range f.Uncounted {
			add("uncounted", r)
		}
		p.Table("  ", rows)
	}
}
