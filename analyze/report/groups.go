package report

// This file adds up paths by function, package and line.

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/analyze/spent"
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/internal/listing"
)

// What has a row in a TopTable.
const (
	ByPath = "path"
	ByFunc = "func"
	ByPkg  = "pkg"
	ByLine = "line"
)

// Bys has all of them.
var Bys = []string{ByPath, ByFunc, ByPkg, ByLine}

// A TopGroup is paths that have the same function, package or line.
type TopGroup struct {
	Rank    int    `json:"rank" unit:"rank"`
	Own     bool   `json:"own"`
	Func    string `json:"function"`
	Package string `json:"package"`
	File    string `json:"file"`
	Line    int64  `json:"line" unit:"line"` // the line, or the function's first
	Source  string `json:"source"`
	Paths   int    `json:"paths" unit:"paths"`   // of a line those that run through it
	Flow    int64  `json:"flow" unit:"branches"` // of a line only of the branches on it
	Count   int64  `json:"count" unit:"times"`
	// of the profile's flow or count; those of lines may add up to more than 1
	Share float64 `json:"share" unit:"ratio"`
	// with `share_high` a bound of at least 95 %, however paths depend on each other
	ShareLow  float64 `json:"share_low" unit:"ratio"`
	ShareHigh float64 `json:"share_high" unit:"ratio"`
	Samples   int64   `json:"samples" unit:"samples"`
	Ticks     int64   `json:"ticks" unit:"ticks"`          // in the code of the function or package itself
	Time      float64 `json:"cum_time_share" unit:"ratio"` // of the ticks, with what it called
	// `ticks` may be too low: the profile names 300 functions at most
	AtLeast bool `json:"ticks_at_least"`
}

// sumsOfBounds says how bounds of sums are computed.
var sumsOfBounds = map[string]string{
	ByFunc: sumOfBounds, ByPkg: sumOfBounds, ByLine: sumOfBounds,
}

const sumOfBounds = " The bounds of sums are wider than needed, because they hold however much paths depend on each other."

// A place that paths run through, with the branches of a path that are there.
type spot struct {
	key      TopGroup // Func, Package, File and Line
	branches int64
}

// topGroups returns the first n groups of paths, and the files whose source they want.
//
// The bounds of a sum are those of a count whose standard deviation is the sum of those of its paths.
// Samples of a burst depend on each other, so variances must not be added up; and no dependence
// makes the standard deviation of a sum larger than that sum.
func topGroups(w weight, paths []profile.Path, by, order string, n int, src *source.Tree) (groups []TopGroup,
	wanted []string) {
	type tally struct {
		TopGroup
		deviation float64
		own       float64 // share of the ticks
	}
	known := make(map[TopGroup]*tally)
	var all []*tally
	for _, p := range paths {
		for _, s := range spots(p, by) {
			g := known[s.key]
			if g == nil {
				g = &tally{TopGroup: s.key}
				known[s.key] = g
				all = append(all, g)
			}
			g.Paths++
			g.Count += p.Count
			g.Flow += p.Count * s.branches
			g.Samples += p.Samples
			g.deviation += math.Sqrt(float64(p.Variance))
		}
	}
	for _, fn := range w.without(paths) {
		p := profile.Path{ID: profile.PathID{Func: fn}}
		for _, s := range spots(p, by) {
			if known[s.key] == nil {
				known[s.key] = &tally{TopGroup: s.key}
				all = append(all, known[s.key])
			}
		}
	}
	of := func(g *tally) int64 { return w.of(profile.Path{Count: g.Count, Flow: g.Flow}) }
	for _, g := range all {
		if w.times != nil {
			g.own, g.Time = timeOf(w.times, by, g.TopGroup)
		}
	}
	slices.SortStableFunc(all, func(g, h *tally) int {
		time := 0
		if order == "time" {
			time = cmp.Compare(h.Time, g.Time)
		}
		return cmp.Or(time, cmp.Compare(of(h), of(g)), cmp.Compare(h.Count, g.Count), cmp.Compare(g.Package, h.Package),
			cmp.Compare(g.Func, h.Func), cmp.Compare(g.File, h.File), cmp.Compare(g.Line, h.Line))
	})
	ticks, atLeast := ticksIn(w.f.Facts)
	for i, g := range limited(all, n, func(g *tally) bool { return w.f.Own(g.Package) }) {
		x := g.TopGroup
		x.Rank, x.Own = i+1, w.f.Own(x.Package)
		e := profile.Estimate{Samples: g.Samples, Variance: int64(min(g.deviation*g.deviation, math.MaxInt64/2))}
		x.Share, x.ShareLow, x.ShareHigh = w.share(of(g), g.Count, e)
		switch by {
		case ByFunc:
			x.Ticks, x.AtLeast = ticks[x.Func], atLeast && ticks[x.Func] == 0
		case ByPkg:
			for f, n := range ticks {
				if profile.PackageOf(f) == x.Package {
					x.Ticks += n
				}
			}
			x.AtLeast = atLeast
		case ByLine:
			x.Source = src.Trimmed(x.File, x.Line)
			wanted = append(wanted, x.File)
		}
		if w.times != nil { // with functions whose paths are not told
			x.Ticks = int64(math.Round(g.own * float64(w.f.Fact(facts.TicksPlaced))))
		}
		groups = append(groups, x)
	}
	return groups, wanted
}

// without returns functions that have time, or called what has, and none of the paths.
func (w weight) without(paths []profile.Path) (list []profile.Func) {
	with := make(map[string]bool)
	for _, p := range paths {
		with[p.ID.Func.Name] = true
	}
	if w.times != nil {
		for _, fn := range w.times.Funcs {
			if !with[fn.Name] && w.selects(fn) {
				list = append(list, fn)
			}
		}
	}
	return list
}

// timeOf returns the shares of a function or package in the time, zeros of a line.
func timeOf(times *spent.Times, by string, g TopGroup) (own, cum float64) {
	var t spent.Time
	switch by {
	case ByFunc:
		t = times.Func(g.Func)
	case ByPkg:
		t = times.Package(g.Package)
	}
	return t.Own, t.Cum
}

// ticksIn returns the ticks in functions, and whether there were others in functions that are not named.
func ticksIn(lists []facts.List) (ticks map[string]int64, more bool) {
	ticks = make(map[string]int64)
	left := sum(lists, facts.TicksInside)
	for _, p := range parts(lists, facts.TicksInsideIn) {
		ticks[p.name] += int64(p.n)
		left -= min(left, p.n)
	}
	return ticks, left > 0
}

// spots returns the function, the package or the lines of a path.
func spots(p profile.Path, by string) (list []spot) {
	fn := p.ID.Func
	of := TopGroup{Package: profile.PackageOf(fn.Name)}
	switch by {
	case ByPkg:
		return []spot{{of, int64(len(p.Branches))}}
	case ByFunc:
		of.Func, of.File, of.Line = fn.Name, fn.File, fn.StartLine
		return []spot{{of, int64(len(p.Branches))}}
	}
	of.Func = fn.Name
	at := func(file string, line int64) *spot {
		of.File, of.Line = file, line
		i := slices.IndexFunc(list, func(s spot) bool { return s.key == of })
		if i < 0 {
			i, list = len(list), append(list, spot{key: of})
		}
		return &list[i]
	}
	for _, x := range p.Spans() {
		for l := x.First; l <= x.Last; l++ {
			at(x.File, l)
		}
	}
	for _, d := range p.Branches {
		at(fileOf(fn, d), d.Line).branches++
	}
	return list
}

// SaveLines writes a profile with a sample for each line that a path of a file has executed, with the callers of the
// path. So the source view of go tool pprof shows how often each line was executed; a profile of paths has only the
// line where a path ends.
func SaveLines(f *profile.File, name string) error {
	paths, err := f.Paths()
	if err != nil {
		return err
	}
	var stacks []profile.Stack
	for _, p := range paths {
		for _, s := range spots(p, ByLine) {
			at := p.ID.Func
			at.File = s.key.File
			frames := append([]profile.Frame{{Func: at, Line: s.key.Line, Symbol: p.Symbol}}, p.Callers...)
			slices.Reverse(frames)
			stacks = append(stacks, profile.Stack{Frames: frames, Counts: []int64{p.Count}})
		}
	}
	return f.SaveStacks(name, []string{"lines"}, stacks)
}

func (t *TopTable) printGroups(p *listing.Page) {
	var times, more []string
	if t.By != ByLine {
		times = []string{"cum", "own"}
		if t.Where == nil && sum(t.Profile.facts, facts.TicksInside) > 0 {
			more = []string{"time"}
		}
	}
	table := t.newTable(times, more, map[string]string{ByFunc: "function", ByPkg: "package", ByLine: "line"}[t.By])
	for _, g := range t.Groups {
		own, name := listing.Ratio(g.Ticks, t.Ticks), g.Package
		var shares []float64
		if times != nil && t.Where != nil {
			shares = []float64{g.Time, own}
		}
		if more != nil {
			switch more = []string{listing.Percent(own)}; {
			case g.AtLeast && g.Ticks == 0:
				more[0] = "-"
			case g.AtLeast:
				more[0] = "≥" + more[0]
			}
		}
		switch t.By {
		case ByFunc:
			name = g.Func
		case ByLine:
			name = fmt.Sprintf("%s:%d", p.Short(g.File), g.Line)
		}
		share, within := listing.Percent(g.Share), bounds(g.ShareLow, g.ShareHigh)
		if g.Paths == 0 {
			share, within = "-", "-"
		}
		t.addRow(table, g.Rank, shares, share, within, g.Count, more, name)
		if append(shares, g.Share)[0] >= hot {
			table.Style(1, listing.Hot)
		}
		if t.By == ByLine {
			row := len(table.Rows) - 1
			table.Rows[row] = append(table.Rows[row], g.Source)
		}
	}
	for i, g := range t.Groups {
		t.printRow(p, table, i, g.Own, i == 0 || t.Groups[i-1].Own != g.Own)
	}
}
