package report

// This file lists the functions and taps of a program.

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/machine/executable"
)

// SitesOptions select what is listed. The zero value is all packages in short.
type SitesOptions struct {
	Func *regexp.Regexp // only functions whose names match, and their taps; nil is all
	All  bool           // every function that is profiled, and every tap
}

// A SiteTable lists the contents of a program's site tables.
type SiteTable struct {
	Program string `json:"program"`
	Build   string `json:"build"`
	// with `-all`: functions and taps are listed, not only counted
	All      bool          `json:"all"`
	Total    SiteCounts    `json:"total"`
	Actions  *ActionCounts `json:"actions"` // its table of actions
	Packages []SitePackage `json:"packages"`
}

// SiteCounts are the numbers of functions, paths and taps.
type SiteCounts struct {
	Functions int    `json:"functions" unit:"functions"`
	Paths     uint64 `json:"paths" unit:"paths"`
	Skipped   int    `json:"skipped" unit:"functions"`
	Taps      int    `json:"taps" unit:"taps"`
}

// A SitePackage is a package of a SiteTable.
type SitePackage struct {
	Package   string     `json:"package"`
	Count     SiteCounts `json:"count"`
	Functions []SiteFunc `json:"functions"` // with `-all`
	// not profiled, or the code of a program with windows does not tell their paths
	Skipped []SkippedFunc `json:"skipped"`
	Kinds   []TapKind     `json:"tap_kinds"`
	Taps    []SiteTap     `json:"taps"` // with `-all`
}

// A SiteFunc is a function that is profiled.
type SiteFunc struct {
	Func  string `json:"function"`
	File  string `json:"file"`
	Line  int    `json:"line" unit:"line"`
	Paths uint64 `json:"paths" unit:"paths"`
}

// A SkippedFunc is a function that is not profiled.
type SkippedFunc struct {
	Func   string `json:"function"`
	File   string `json:"file"`
	Line   int    `json:"line" unit:"line"`
	Reason string `json:"reason"`
}

// A TapKind says how many taps of a kind there are.
type TapKind struct {
	Kind string `json:"kind"`
	Taps int    `json:"taps" unit:"taps"`
}

// A SiteTap is a tap.
type SiteTap struct {
	Kind string `json:"kind"`
	Expr string `json:"expression"`
	Type string `json:"type"`
	Func string `json:"function"`
	File string `json:"file"`
	Line int    `json:"line" unit:"line"`
	Col  int    `json:"column" unit:"column"`
}

// Sites lists the contents of a program's site tables: for each package the number of
// functions that are profiled, the taps, and the functions that were skipped, with the reason.
func Sites(name string, f *executable.File, o SitesOptions) (*SiteTable, error) {
	t := &SiteTable{Program: name, Build: f.ID(), All: o.All}
	for _, p := range f.Packages {
		x := sitePackage(p, o)
		if o.Func != nil && x.Count == (SiteCounts{}) {
			continue
		}
		t.Packages = append(t.Packages, x)
		t.Total.Functions += x.Count.Functions
		t.Total.Paths += x.Count.Paths
		t.Total.Skipped += x.Count.Skipped
		t.Total.Taps += x.Count.Taps
	}
	if len(t.Packages) == 0 && len(f.Packages) > 0 {
		return nil, fmt.Errorf("%s: no function matches %q: pep sites -all lists all functions", name, o.Func)
	}
	slices.SortFunc(t.Packages, func(p, q SitePackage) int { return cmp.Compare(p.Package, q.Package) })
	return t, nil
}

// FuncNames returns the names of all functions in the site tables of a program, instrumented or skipped.
func FuncNames(f *executable.File) (names []string) {
	for _, p := range f.Packages {
		for _, fn := range p.Funcs {
			names = append(names, fn.Name)
		}
		for _, s := range p.Skipped {
			names = append(names, s.Name)
		}
	}
	return names
}

// sitePackage describes the part of a package that is about the selected functions.
func sitePackage(p *wire.Package, o SitesOptions) SitePackage {
	selected := func(name string) bool { return o.Func == nil || o.Func.MatchString(name) }
	x := SitePackage{Package: p.Path}
	for _, f := range p.Funcs {
		if !selected(f.Name) {
			continue
		}
		site := SiteFunc{f.Name, p.Files[f.File], f.Line, f.Graph.N}
		x.Count.Functions++
		x.Count.Paths += site.Paths
		if o.All {
			x.Functions = append(x.Functions, site)
		}
	}
	for _, l := range p.Skipped {
		if selected(l.Name) {
			x.Skipped = append(x.Skipped, SkippedFunc{l.Name, p.Files[l.File], l.Line, l.Reason})
		}
	}
	kinds := map[tuple.Tag]int{}
	for _, tap := range p.Taps {
		if !selected(tap.Func) {
			continue
		}
		x.Count.Taps++
		kinds[tuple.Tag(tap.Tag)]++
		if o.All {
			x.Taps = append(x.Taps, SiteTap{tuple.Tag(tap.Tag).String(), tap.Expr, tap.Type, tap.Func, p.Files[tap.File],
				tap.Line, tap.Col})
		}
	}
	for _, k := range slices.Sorted(maps.Keys(kinds)) {
		x.Kinds = append(x.Kinds, TapKind{k.String(), kinds[k]})
	}
	x.Count.Skipped = len(x.Skipped)
	return x
}

// Name implements listing.Listing.
func (t *SiteTable) Name() string { return "sites" }

// Print implements listing.Listing.
func (t *SiteTable) Print(p *listing.Page) {
	p.Line("%s: build %s, %s, %s", t.Program, t.Build, listing.Count(len(t.Packages), "package"), t.Total)
	t.Actions.print(p, t.All)
	for i := range t.Packages {
		t.Packages[i].print(p)
	}
}

// String returns the numbers in words.
func (c SiteCounts) String() string {
	s := fmt.Sprintf("%s with %s, %d skipped", listing.Count(c.Functions, "function"), listing.Count(c.Paths, "path"),
		c.Skipped)
	if c.Taps > 0 {
		s += ", " + listing.Count(c.Taps, "tap")
	}
	return s
}

func (x *SitePackage) print(p *listing.Page) {
	p.Line("")
	p.Line("%s: %s", x.Package, x.Count)
	section := func(title string, t *listing.Table) {
		if len(t.Rows) > 0 {
			p.Line("  %s", title)
			p.Table("    ", t)
		}
	}
	position := func(file string, line int) string { return fmt.Sprintf("%s:%d", file, line) }
	functions, skipped := &listing.Table{Numbers: 1}, &listing.Table{}
	for _, f := range x.Functions {
		functions.Row(listing.Count(f.Paths, "path"), f.Func, position(f.File, f.Line))
	}
	for _, f := range x.Skipped {
		skipped.Row(f.Reason, f.Func, position(f.File, f.Line))
	}
	section("profiled", functions)
	section("skipped", skipped)
	section("taps", x.tapTable())
}

// tapTable lists the taps, or, if they are not in the listing, how many there are
// of each kind.
func (x *SitePackage) tapTable() *listing.Table {
	if len(x.Taps) == 0 {
		t := &listing.Table{Numbers: 1}
		for _, k := range x.Kinds {
			t.Row(fmt.Sprint(k.Taps), k.Kind)
		}
		return t
	}
	t := &listing.Table{}
	for _, tap := range x.Taps {
		t.Row(tap.Kind, tap.Expr, tap.Type, tap.Func, fmt.Sprintf("%s:%d:%d", tap.File, tap.Line, tap.Col))
	}
	return t
}
