package report

// This file lists the hot paths.

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/analyze/spent"
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/internal/listing"
)

// TopOptions select and order paths. The zero value is all paths but those of the Go runtime, by their time with what
// was called on them if the profile is of all packages, and else by flow.
type TopOptions struct {
	N       int            // how many, of the main module and of other packages if the profile tells them apart; 0 is all
	ByCount bool           // order and share by count instead of branch flow
	By      string         // what has a row: "path" (or ""), or "func", "pkg" or "line", with the sum of its paths
	Func    *regexp.Regexp // only paths of functions whose names match; nil is all
	Runtime bool           // those of the Go runtime, too, if the profile tells it apart and Func is nil
	Verbose bool           // print all that the profile says of itself
}

// A TopTable lists the hot paths of a paths file, hottest first, or functions, packages or lines
// with the sums of their paths. Totals and shares are of the whole program, whatever is selected.
type TopTable struct {
	Findings  []Finding `json:"findings"`
	Profile   Profile   `json:"profile"`
	Paths     int       `json:"paths" unit:"paths"`         // of the whole profile
	Functions int       `json:"functions" unit:"functions"` // that these are of
	Count     int64     `json:"count" unit:"times"`
	Flow      int64     `json:"flow" unit:"branches"`
	Ticks     int64     `json:"ticks" unit:"ticks"` // whose place is known
	// of paths: `time`, `flow` or `count`; shares are of the count if it is `count`, else of the flow
	Order string `json:"order"`
	// what has a row: `path` in `rows`; `func`, `pkg` or `line` in `groups`
	By string `json:"by"`
	// a path without a sample has at most this share of all counts
	Unseen float64 `json:"unseen_share_high" unit:"ratio"`
	// where the time was, if the profile is of all packages
	Where []spent.Place `json:"where"`
	// paths, those of the main module first, `-n` of these and of others
	Rows []TopPath `json:"rows"`
	// functions, packages or lines with the sums of their paths
	Groups  []TopGroup `json:"groups"`
	Unended []Unended  `json:"unended"`
	Missing []string   `json:"source_not_found"`

	verbose bool // as in TopOptions
	runtime bool // functions of the Go runtime may be listed
}

// A TopPath is a path of a TopTable.
type TopPath struct {
	Rank      int     `json:"rank" unit:"rank"`
	Own       bool    `json:"own"`
	Func      string  `json:"function"`
	File      string  `json:"file"`
	StartLine int64   `json:"start_line" unit:"line"`
	Path      string  `json:"path"`
	From      string  `json:"from"`
	Lines     string  `json:"lines"`
	Flow      int64   `json:"flow" unit:"branches"`
	Count     int64   `json:"count" unit:"times"`
	Share     float64 `json:"share" unit:"ratio"` // of the profile's flow or count
	ShareLow  float64 `json:"share_low" unit:"ratio"`
	ShareHigh float64 `json:"share_high" unit:"ratio"`
	Samples   int64   `json:"samples" unit:"samples"`
	// of the ticks, on the path and in what was called on it
	Time       float64     `json:"cum_time_share" unit:"ratio"`
	Cumulative float64     `json:"cumulative_share" unit:"ratio"` // of this path and those above
	Branches   []TopBranch `json:"branches"`
}

// A TopBranch is a branch on a path, with its source line if that was found.
type TopBranch struct {
	File    string `json:"file"`
	Line    int64  `json:"line" unit:"line"`
	Col     int64  `json:"column" unit:"column"`
	Kind    string `json:"kind"`
	Outcome string `json:"outcome"`
	Source  string `json:"source"`
}

// Top lists the hot paths of a paths file, each with its branches in order and
// their lines as far as src has them.
func Top(f *profile.File, src *source.Tree, o TopOptions) (*TopTable, error) {
	samples, err := f.Paths()
	if err != nil {
		return nil, err
	}
	all := profile.SumPaths(samples)
	w := weight{f: f, of: func(p profile.Path) int64 { return p.Flow }, times: spent.Of(f, samples)}
	w.selects = func(fn profile.Func) bool {
		if o.Func == nil {
			return w.times == nil || o.Runtime || spent.OwnerOf(f, profile.PackageOf(fn.Name)) != spent.Runtime
		}
		return o.Func.MatchString(fn.Name)
	}
	selected := slices.DeleteFunc(slices.Clone(all), func(p profile.Path) bool { return !w.selects(p.ID.Func) })
	unended, err := unendedOf(f, o.Func)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(unended, func(u, v Unended) int { return cmp.Compare(v.Count, u.Count) })
	if o.Func != nil && len(selected) == 0 && len(unended) == 0 && len(all) > 0 &&
		(cmp.Or(o.By, ByPath) == ByPath || len(w.without(nil)) == 0) {
		return nil, fmt.Errorf("%s: no function of a path matches %q: pep top -n 0 shows all that were recorded", f.Name,
			o.Func)
	}
	t := &TopTable{verbose: o.Verbose, runtime: o.Runtime || o.Func != nil, Profile: profileOf(f), Paths: len(all),
		Order: "flow", By: cmp.Or(o.By, ByPath), Unseen: f.UnseenBound(), Unended: unended,
		Ticks: int64(f.Fact(facts.TicksPlaced))}
	funcs := make(map[profile.Func]bool)
	for _, p := range all {
		funcs[p.ID.Func] = true
		t.Count += p.Count
		t.Flow += p.Flow
	}
	t.Functions = len(funcs)
	w.total = t.Flow
	if o.ByCount {
		w.of, w.total, t.Order = func(p profile.Path) int64 { return p.Count }, t.Count, "count"
	}
	if w.times != nil {
		t.Where = w.times.Places
		if !o.ByCount && t.By != ByLine {
			t.Order = "time"
		}
	}
	slices.SortStableFunc(selected, func(p, q profile.Path) int {
		if t.Order == "time" {
			return cmp.Or(cmp.Compare(w.times.Path(q.ID), w.times.Path(p.ID)), cmp.Compare(w.of(q), w.of(p)))
		}
		return cmp.Compare(w.of(q), w.of(p))
	})
	selected = limited(selected, 0, func(p profile.Path) bool { return f.Own(packageOf(p)) })
	if o.N > 0 {
		t.Unended = unended[:min(o.N, len(unended))]
	}
	var wanted []string
	if t.By == ByPath {
		t.Rows, wanted = topPaths(w, limited(selected, o.N, func(p profile.Path) bool { return f.Own(packageOf(p)) }), src)
	} else {
		t.Groups, wanted = topGroups(w, selected, t.By, t.Order, o.N, src)
	}
	t.Missing = missingSource(src, wanted)
	t.Findings = t.find(w, selected)
	return t, nil
}

func packageOf(p profile.Path) string { return profile.PackageOf(p.ID.Func.Name) }

// limited returns the first n elements of a list that are the main module's, and behind them the first n of the others;
// all if n is 0.
func limited[T any](list []T, n int, own func(T) bool) []T {
	var first, others []T
	for _, x := range list {
		if own(x) {
			first = append(first, x)
		} else {
			others = append(others, x)
		}
	}
	if n > 0 {
		first, others = first[:min(n, len(first))], others[:min(n, len(others))]
	}
	return append(first, others...)
}

// printRow prints a row of a table, which may be the first one of the main module, or of other packages.
func (t *TopTable) printRow(p *listing.Page, table *listing.Table, i int, own, first bool) {
	if first && t.Where != nil {
		if i > 0 {
			p.Line("")
		}
		what := map[string]string{ByPath: "paths", ByFunc: "functions", ByPkg: "packages", ByLine: "lines"}[t.By]
		whose := "dependencies and std"
		switch {
		case own:
			whose = "the main module"
		case t.runtime:
			whose = "dependencies, std and the Go runtime"
		}
		p.Line("%s of %s:", what, whose)
	}
	if first {
		p.TableRow("", table, 0)
	}
	p.TableRow("", table, i+1)
}

// A weight is what paths are ordered by, flow or count, with its total.
type weight struct {
	f     *profile.File
	of    func(profile.Path) int64
	total int64
	times *spent.Times // nil if the profile is not of all packages

	selects func(profile.Func) bool // reports whether a function is listed
}

// share returns the share of a weight, with the bounds that a count with an estimate gives it.
func (w weight) share(of, count int64, e profile.Estimate) (share, low, high float64) {
	share, low, high = listing.Ratio(of, w.total), 1, 1
	if b := w.f.CountBounds(count, e); count > 0 {
		low, high = b.Low/float64(count), b.High/float64(count)
	}
	return share, min(share*low, 1), min(share*high, 1)
}

// time returns the share of a path in the time, with what was called on it.
func (w weight) time(id profile.PathID) float64 {
	if w.times == nil {
		return 0
	}
	return w.times.Path(id)
}

// topPaths returns the rows of paths, and the files whose source they want.
func topPaths(w weight, paths []profile.Path, src *source.Tree) (rows []TopPath, wanted []string) {
	var sum int64
	for i, x := range paths {
		sum += w.of(x)
		share, low, high := w.share(w.of(x), x.Count, x.Estimate)
		rows = append(rows, TopPath{
			Rank: i + 1, Own: w.f.Own(packageOf(x)), Func: x.ID.Func.Name, File: x.ID.Func.File, StartLine: x.ID.Func.StartLine,
			Path: x.ID.Name(), From: x.From.In(x.ID.Func), Lines: x.Lines, Flow: x.Flow, Count: x.Count,
			Share: share, ShareLow: low, ShareHigh: high, Samples: x.Samples,
			Time: w.time(x.ID), Cumulative: listing.Ratio(sum, w.total), Branches: topBranches(src, x),
		})
		for _, d := range x.Branches {
			wanted = append(wanted, fileOf(x.ID.Func, d))
		}
	}
	return rows, wanted
}

// fileOf returns the whole name of the file of a branch on a path of a function.
func fileOf(f profile.Func, d profile.Decision) string {
	if d.File == "" {
		return f.File
	}
	return f.Of(d.File)
}

// place is "12:5", or "b.tmpl:12:5" with a file.
func place(file string, line, col int64) string {
	if file != "" {
		file += ":"
	}
	return fmt.Sprintf("%s%d:%d", file, line, col)
}

func topBranches(src *source.Tree, x profile.Path) (list []TopBranch) {
	for _, d := range x.Branches {
		list = append(list, TopBranch{d.File, d.Line, d.Col, d.Kind, d.Outcome, src.Trimmed(fileOf(x.ID.Func, d), d.Line)})
	}
	return list
}

// Name implements listing.Listing.
func (t *TopTable) Name() string { return "top" }

// Print implements listing.Listing.
func (t *TopTable) Print(p *listing.Page) {
	if t.Paths == 0 && len(t.Unended) == 0 {
		p.Say(listing.Plain, "no path was recorded: the program ended before the first tick, or nothing in it is instrumented")
		p.Line("")
		t.printWhere(p)
		t.Profile.printNotes(p)
		return
	}
	t.Profile.printWarning(p)
	of := fmt.Sprintf("count %d, flow %d", t.Count, t.Flow)
	if all := sum(t.Profile.facts, facts.CPUTime); t.Where != nil && all > 0 {
		of = fmt.Sprintf("%.2fs of CPU time", float64(all)/1e9)
	}
	p.Line("%s: %s in %s, %s", p.Short(t.Profile.name()), listing.Count(t.Paths, "path"),
		listing.Count(t.Functions, "function"), of)
	p.Line("")
	t.printWhere(p)
	if t.By == ByPath {
		t.printPaths(p)
	} else {
		t.printGroups(p)
	}
	t.printUnended(p)
	var notes []string
	if t.Where != nil {
		notes = append(notes, timeNote)
	}
	if t.Unseen > 0 {
		notes = append(notes,
			"95%: the true share is within these bounds with a probability of 95%, as far as samples are random."+
				sumsOfBounds[t.By],
			fmt.Sprintf("Never seen is not never: a path without a sample has up to %s of all counts.",
				listing.Percent(t.Unseen)))
	}
	if t.By == ByPath && slices.ContainsFunc(t.Rows, func(r TopPath) bool {
		return slices.ContainsFunc(r.Branches, func(b TopBranch) bool { return b.Outcome == wire.OutUntold })
	}) {
		notes = append(notes, untoldNote)
	}
	t.Profile.verbose = t.verbose
	t.Profile.printNotes(p, notes...)
	printMissing(p, t.Missing)
}

func (t *TopTable) printPaths(p *listing.Page) {
	table := t.table()
	indent := strings.Repeat(" ", len(fmt.Sprint(len(t.Rows)))+2)
	for i, x := range t.Rows {
		t.printRow(p, table, i, x.Own, i == 0 || t.Rows[i-1].Own != x.Own)
		where := p.Short(x.File)
		if x.Lines != "" {
			if first, _, _ := strings.Cut(x.Lines, ";"); strings.Trim(first, "0123456789-,") == "" {
				where += ":" + x.Lines
			} else { // by //line directives none is in that file
				where += ", " + x.Lines
			}
		}
		place := &listing.Table{}
		place.Heading(where, x.from())
		p.Table(indent, place)
		p.Table(indent, x.branchTable())
	}
}

// printUnended prints a line for each function and each place in it where paths began that have not ended.
func (t *TopTable) printUnended(p *listing.Page) {
	if len(t.Unended) == 0 {
		return
	}
	p.Line("")
	p.Line("paths that have not ended (left by a panic, runtime.Goexit or the end of the program, or still running):")
	table := &listing.Table{Numbers: 1, Names: []int{1, 2}}
	table.Heading("count", "function", "line", "from")
	for _, x := range t.Unended {
		table.Row(fmt.Sprint(x.Count), x.Func, p.Short(x.File)+":"+fmt.Sprint(x.StartLine), x.From)
	}
	p.Table("", table)
}

// table has a line for every path.
func (t *TopTable) table() *listing.Table {
	table := t.newTable([]string{"cum"}, nil, "path")
	for _, x := range t.Rows {
		t.addRow(table, x.Rank, []float64{x.Time}, listing.Percent(x.Share), bounds(x.ShareLow, x.ShareHigh), x.Count, nil,
			x.Func+"·"+x.Path)
		if t.Where != nil && x.Time >= hot || t.Where == nil && x.Share >= hot {
			table.Style(1, listing.Hot)
		}
	}
	return table
}

// newTable returns a table with a heading: a rank, times if the listing has them, a share, its bounds if counts are
// estimated, a count, something more, and a name.
func (t *TopTable) newTable(times, more []string, name string) *listing.Table {
	table := &listing.Table{}
	share := "flow%"
	if t.Order == "count" {
		share = "count%"
	}
	table.Heading(t.cells("#", times, share, "95%", "count", more, name)...)
	table.Numbers = len(table.Rows[0]) - 1
	table.Names = []int{table.Numbers}
	return table
}

func (t *TopTable) cells(rank string, times []string, share, bounds, count string, more []string,
	name string) []string {
	cells := []string{rank}
	if t.Where != nil {
		cells = append(cells, times...)
	}
	cells = append(cells, share)
	if t.Unseen > 0 {
		cells = append(cells, bounds)
	}
	return append(append(append(cells, count), more...), name)
}

// hot is a time, or a share if there is no time, that is highlighted.
const hot = .1

// addRow adds a row.
func (t *TopTable) addRow(table *listing.Table, rank int, times []float64, share, bounds string, count int64,
	more []string, name string) {
	var texts []string
	for _, x := range times {
		texts = append(texts, percent(x))
	}
	table.Row(t.cells(fmt.Sprint(rank), texts, share, bounds, fmt.Sprint(count), more, name)...)
}

// bounds is "1.2-3.4%".
func bounds(low, high float64) string {
	return fmt.Sprintf("%.1f-%.1f%%", 100*low, 100*high)
}

// from says where the path begins.
func (x *TopPath) from() string {
	if x.From == "" {
		return ""
	}
	return "from " + x.From
}

// branchTable has a line for every branch on the path. A source line that stands
// in the line above is not repeated.
func (x *TopPath) branchTable() *listing.Table {
	t := &listing.Table{}
	var above TopBranch
	for _, b := range x.Branches {
		text := b.Source
		if b.Line == above.Line && b.File == above.File {
			text = ""
		}
		above = b
		t.Row(place(b.File, b.Line, b.Col), b.Kind+" "+b.Outcome, text)
		t.Style(1, outcomeStyle(b.Outcome))
	}
	return t
}

// outcomeStyle is the style of an outcome: one for true and a round of a loop, another for their opposites.
func outcomeStyle(outcome string) listing.Style {
	switch outcome {
	case wire.OutTrue, wire.OutBody:
		return listing.True
	case wire.OutFalse, wire.OutDone:
		return listing.False
	}
	return listing.Plain
}
