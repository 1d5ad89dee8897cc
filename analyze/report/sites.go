package report

// This file writes what is instrumented in a program.

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"

	"github.com/pepgo/pep/analyze/executable"
	"github.com/pepgo/pep/runtime/tuple"
	"github.com/pepgo/pep/runtime/wire"
)

// SitesOptions select what is listed. The zero value is all packages in short.
type SitesOptions struct {
	Func *regexp.Regexp // only functions whose names match, and their taps; nil is all
	All  bool           // every function that is profiled, and every tap
}

// Sites writes what the site tables of a program say: for each package how many
// functions are profiled and what is tapped, the functions that were left alone,
// with the reason, and those that the compiler no longer inlines.
func Sites(w io.Writer, name string, f *executable.File, o SitesOptions) error {
	var packages []*wire.Package
	for _, p := range f.Packages {
		if p = selected(p, o.Func); p != nil {
			packages = append(packages, p)
		}
	}
	if len(packages) == 0 && len(f.Packages) > 0 {
		return fmt.Errorf("%s: no function matches %q: pep sites -all shows all that there are", name, o.Func)
	}
	slices.SortFunc(packages, func(p, q *wire.Package) int { return cmp.Compare(p.Path, q.Path) })
	b := newPage(w)
	all := &wire.Package{}
	paths := uint64(0)
	for _, p := range packages {
		all.Funcs = append(all.Funcs, p.Funcs...)
		all.Left = append(all.Left, p.Left...)
		all.Taps = append(all.Taps, p.Taps...)
		paths += pathsOf(p)
	}
	b.line("%s: build %x, %s, %s", name, f.Build, count(len(packages), "package"), contents(all, paths))
	for _, p := range packages {
		writeSites(b, p, o.All)
	}
	return b.flush()
}

// selected returns the part of a package that is about functions whose names
// match; nil if none do.
func selected(p *wire.Package, re *regexp.Regexp) *wire.Package {
	if re == nil {
		return p
	}
	part := &wire.Package{Path: p.Path, Files: p.Files}
	for _, f := range p.Funcs {
		if re.MatchString(f.Name) {
			part.Funcs = append(part.Funcs, f)
		}
	}
	for _, l := range p.Left {
		if re.MatchString(l.Name) {
			part.Left = append(part.Left, l)
		}
	}
	for _, t := range p.Taps {
		if re.MatchString(t.Func) {
			part.Taps = append(part.Taps, t)
		}
	}
	if len(part.Funcs)+len(part.Left)+len(part.Taps) == 0 {
		return nil
	}
	return part
}

func pathsOf(p *wire.Package) (n uint64) {
	for _, f := range p.Funcs {
		n += f.Graph.N
	}
	return n
}

// contents counts what is in a package.
func contents(p *wire.Package, paths uint64) string {
	s := fmt.Sprintf("%s with %s, %d left alone", count(len(p.Funcs), "function"), count(int(paths), "path"), len(p.Left))
	if n := len(outlined(p)); n > 0 {
		s += fmt.Sprintf(", %d no longer inlined", n)
	}
	if len(p.Taps) > 0 {
		s += ", " + count(len(p.Taps), "tap")
	}
	return s
}

func outlined(p *wire.Package) (list []wire.Func) {
	for _, f := range p.Funcs {
		if f.Outlined {
			list = append(list, f)
		}
	}
	return list
}

func writeSites(b page, p *wire.Package, all bool) {
	b.line("")
	b.line("%s: %s", p.Path, contents(p, pathsOf(p)))
	place := func(file, line int) string { return fmt.Sprintf("%s:%d", p.Files[file], line) }
	section := func(title string, t *table) {
		if len(t.rows) > 0 {
			b.line("  %s", title)
			for _, line := range t.lines() {
				b.line("    %s", line)
			}
		}
	}
	if all {
		funcs := &table{numbers: 1}
		for _, f := range p.Funcs {
			funcs.row(count(int(f.Graph.N), "path"), f.Name, place(f.File, f.Line))
		}
		section("profiled", funcs)
	}
	left := &table{}
	for _, l := range p.Left {
		left.row(l.Reason, l.Name, place(l.File, l.Line))
	}
	section("left alone", left)
	inlined := &table{}
	for _, f := range outlined(p) {
		inlined.row(f.Name, place(f.File, f.Line))
	}
	section("no longer inlined, by an estimate: calls of them cost more, and callers may allocate more", inlined)
	section("taps", tapTable(p, all))
}

// tapTable lists the taps of a package, or counts those of each kind.
func tapTable(p *wire.Package, all bool) *table {
	if all {
		t := &table{}
		for _, tap := range p.Taps {
			t.row(tuple.Tag(tap.Tag).String(), tap.Expr, tap.Type, tap.Func, fmt.Sprintf("%s:%d:%d", p.Files[tap.File], tap.Line, tap.Col))
		}
		return t
	}
	kinds := map[tuple.Tag]int{}
	for _, tap := range p.Taps {
		kinds[tuple.Tag(tap.Tag)]++
	}
	t := &table{numbers: 1}
	for _, k := range slices.Sorted(maps.Keys(kinds)) {
		t.row(fmt.Sprint(kinds[k]), k.String())
	}
	return t
}
