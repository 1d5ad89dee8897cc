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
	"github.com/pepgo/pep/internal/listing"
)

// TopOptions select and order paths. The zero value is all paths by flow.
type TopOptions struct {
	N       int            // how many; 0 is all
	ByCount bool           // order and share by count instead of branch flow
	Func    *regexp.Regexp // only paths of functions whose names match; nil is all
}

// A TopTable lists the hot paths of a paths file, hottest first. Totals and shares
// are of the whole program, whatever is selected.
type TopTable struct {
	Profile   Profile   `json:"profile"`
	Paths     int       `json:"paths" unit:"paths"`
	Functions int       `json:"functions" unit:"functions"`
	Count     int64     `json:"count" unit:"times"`
	Flow      int64     `json:"flow" unit:"branches"`
	Order     string    `json:"order"`                          // "flow" or "count": what paths are ordered by, and shares are of
	Unseen    float64   `json:"unseen_share_high" unit:"ratio"` // a path without a sample has at most this share of all counts; 0 if all were counted
	Rows      []TopPath `json:"rows"`
	Unended   []Unended `json:"unended"` // paths that began and have not ended, by count; limited as Rows are
	Missing   []string  `json:"source_not_found"`
}

// A TopPath is a path of a TopTable.
type TopPath struct {
	Rank       int         `json:"rank" unit:"rank"` // from 1
	Func       string      `json:"function"`
	File       string      `json:"file"`
	StartLine  int64       `json:"start_line" unit:"line"` // of the function
	Path       string      `json:"path"`                   // "p12"
	From       string      `json:"from"`                   // "entry", "loop x.go:15", "cut x.go:20"
	Lines      string      `json:"lines"`                  // "12-14,17"
	Flow       int64       `json:"flow" unit:"branches"`
	Count      int64       `json:"count" unit:"times"`
	Share      float64     `json:"share" unit:"ratio"`            // of the program's flow, or count
	ShareLow   float64     `json:"share_low" unit:"ratio"`        // 95 % bounds of the share, which are the share itself if all were counted
	ShareHigh  float64     `json:"share_high" unit:"ratio"`       //
	Samples    int64       `json:"samples" unit:"samples"`        // of the path; 0 if all were counted
	Cumulative float64     `json:"cumulative_share" unit:"ratio"` // of this path and those above
	Branches   []TopBranch `json:"branches"`                      // in order
}

// A TopBranch is a branch on a path, with its source line if that was found.
type TopBranch struct {
	File    string `json:"file"` // empty if it is that of the function
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
	selected := slices.DeleteFunc(slices.Clone(all), func(p profile.Path) bool {
		return o.Func != nil && !o.Func.MatchString(p.ID.Func.Name)
	})
	unended, err := unendedOf(f, o.Func)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(unended, func(u, v Unended) int { return cmp.Compare(v.Count, u.Count) })
	if len(selected) == 0 && len(unended) == 0 && len(all) > 0 {
		return nil, fmt.Errorf("%s: no function of a path matches %q: pep top -n 0 shows all that were recorded", f.Name, o.Func)
	}
	t := &TopTable{Profile: profileOf(f), Paths: len(all), Order: "flow", Unseen: f.UnseenBound(), Unended: unended}
	funcs := make(map[profile.Func]bool)
	for _, p := range all {
		funcs[p.ID.Func] = true
		t.Count += p.Count
		t.Flow += p.Flow
	}
	t.Functions = len(funcs)
	weight, total := func(p profile.Path) int64 { return p.Flow }, t.Flow
	if o.ByCount {
		weight, total, t.Order = func(p profile.Path) int64 { return p.Count }, t.Count, "count"
	}
	slices.SortStableFunc(selected, func(p, q profile.Path) int { return cmp.Compare(weight(q), weight(p)) })
	if o.N > 0 {
		selected = selected[:min(o.N, len(selected))]
		t.Unended = unended[:min(o.N, len(unended))]
	}
	var sum int64
	var wanted []string
	for i, x := range selected {
		sum += weight(x)
		share, low, high := listing.Ratio(weight(x), total), 1., 1.
		if b := f.CountBounds(x.Count, x.Estimate); x.Count > 0 {
			low, high = b.Low/float64(x.Count), b.High/float64(x.Count)
		}
		t.Rows = append(t.Rows, TopPath{
			Rank: i + 1, Func: x.ID.Func.Name, File: x.ID.Func.File, StartLine: x.ID.Func.StartLine,
			Path: x.ID.Label, From: x.From, Lines: x.Lines, Flow: x.Flow, Count: x.Count,
			Share: share, ShareLow: min(share*low, 1), ShareHigh: min(share*high, 1), Samples: x.Samples,
			Cumulative: listing.Ratio(sum, total), Branches: topBranches(src, x),
		})
		for _, d := range x.Branches {
			wanted = append(wanted, fileOf(x.ID.Func, d))
		}
	}
	t.Missing = missingSource(src, wanted)
	return t, nil
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
		text, _ := src.Line(fileOf(x.ID.Func, d), d.Line)
		list = append(list, TopBranch{d.File, d.Line, d.Col, d.Kind, d.Outcome, strings.TrimSpace(text)})
	}
	return list
}

// Name implements listing.Listing.
func (t *TopTable) Name() string { return "top" }

// Print implements listing.Listing.
func (t *TopTable) Print(p *listing.Page) {
	t.Profile.printComments(p)
	if t.Paths == 0 && len(t.Unended) == 0 {
		p.Line("no path was recorded: the program ended before the first tick, or nothing in it is instrumented")
		return
	}
	p.Line("%s: %s in %s, count %d, flow %d", t.Profile.name(), listing.Count(t.Paths, "path"), listing.Count(t.Functions, "function"), t.Count, t.Flow)
	table := t.table()
	lines := table.Lines()
	indent := strings.Repeat(" ", len(fmt.Sprint(len(t.Rows)))+2)
	p.Line("")
	p.Line("%s", lines[0])
	for i, x := range t.Rows {
		p.Line("%s", lines[i+1])
		where := p.Short(x.File)
		if x.Lines != "" {
			if first, _, _ := strings.Cut(x.Lines, ";"); strings.Trim(first, "0123456789-,") == "" {
				where += ":" + x.Lines
			} else { // by //line directives none is in that file
				where += ", " + x.Lines
			}
		}
		if x.From != "" {
			where += " from " + x.From
		}
		p.Line("%s%s", indent, where)
		p.Table(indent, x.branchTable())
	}
	t.printUnended(p)
	if t.Unseen > 0 {
		p.Line("")
		p.Line("95%%: the true share is within these bounds with a probability of 95%%, as far as samples are random.")
		p.Line("Never seen is not never: a path without a sample has up to %s of all counts.", listing.Percent(t.Unseen))
	}
	printMissing(p, t.Missing)
}

// printUnended prints a line for each function and each place in it where paths began that have not ended.
func (t *TopTable) printUnended(p *listing.Page) {
	if len(t.Unended) == 0 {
		return
	}
	p.Line("")
	p.Line("paths that have not ended (left by a panic, runtime.Goexit or the end of the program, or still running):")
	table := &listing.Table{Numbers: 1}
	table.Row("count", "function", "from")
	for _, x := range t.Unended {
		table.Row(fmt.Sprint(x.Count), x.Func+" "+p.Short(x.File)+":"+fmt.Sprint(x.StartLine), x.From)
	}
	p.Table("", table)
}

// table has a line for every path. If counts are estimated, it has bounds and samples.
func (t *TopTable) table() *listing.Table {
	if t.Unseen == 0 {
		table := &listing.Table{Numbers: 5}
		table.Row("#", t.Order+"%", "cum%", "flow", "count", "path")
		for _, x := range t.Rows {
			table.Row(fmt.Sprint(x.Rank), listing.Percent(x.Share), listing.Percent(x.Cumulative),
				fmt.Sprint(x.Flow), fmt.Sprint(x.Count), x.Func+"·"+x.Path)
		}
		return table
	}
	table := &listing.Table{Numbers: 7}
	table.Row("#", t.Order+"%", "95%", "cum%", "flow", "count", "samples", "path")
	for _, x := range t.Rows {
		table.Row(fmt.Sprint(x.Rank), listing.Percent(x.Share), bounds(x.ShareLow, x.ShareHigh), listing.Percent(x.Cumulative),
			fmt.Sprint(x.Flow), fmt.Sprint(x.Count), fmt.Sprint(x.Samples), x.Func+"·"+x.Path)
	}
	return table
}

// bounds is "1.2-3.4%".
func bounds(low, high float64) string {
	return fmt.Sprintf("%.1f-%.1f%%", 100*low, 100*high)
}

// branchTable has a line for every branch on the path. A source line that stands
// in the line above is not repeated.
func (x *TopPath) branchTable() *listing.Table {
	t := &listing.Table{}
	last := TopBranch{Line: -1}
	for _, b := range x.Branches {
		text := b.Source
		if b.Line == last.Line && b.File == last.File {
			text = ""
		}
		last = b
		t.Row(place(b.File, b.Line, b.Col), b.Kind+" "+b.Outcome, text)
	}
	return t
}
