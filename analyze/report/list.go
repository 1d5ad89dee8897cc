package report

// This file lists source with edge counts beside it.

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/internal/listing"
)

// A Listing is the source of functions with edge counts.
type Listing struct {
	Profile   Profile    `json:"profile"`
	Functions []Function `json:"functions"`
	Estimated bool       `json:"estimated"` // counts are estimated from samples
	Missing   []string   `json:"source_not_found"`
}

// A Function is a function of a Listing.
type Function struct {
	Func      string    `json:"function"`
	File      string    `json:"file"`
	StartLine int64     `json:"start_line" unit:"line"`
	Branches  int       `json:"branches" unit:"branches"` // that were recorded
	Decided   int64     `json:"decided" unit:"times"`     // outcomes of these
	Unended   []Unended `json:"unended"`                  // paths that began and have not ended, by where they began
	Differs   bool      `json:"source_differs"`           // there is source, but no function starts at StartLine
	Lines     []Line    `json:"lines"`
}

// A Line is a line of a Function: those that the profile knows of, and all of the
// function if there is source.
type Line struct {
	File     string       `json:"file"`
	Line     int64        `json:"line" unit:"line"`
	Source   string       `json:"source"`
	Arrived  *int64       `json:"arrived" unit:"times"` // edges from branches on other lines; nil if none leads here
	Branches []LineBranch `json:"branches"`
}

// A LineBranch is a branch on a Line.
type LineBranch struct {
	File     string        `json:"file"`
	Line     int64         `json:"line" unit:"line"`
	Col      int64         `json:"column" unit:"column"`
	Kind     string        `json:"kind"`
	Count    int64         `json:"count" unit:"times"`
	Outcomes []LineOutcome `json:"outcomes"`
}

// A LineOutcome is one way that a LineBranch goes.
type LineOutcome struct {
	Outcome string  `json:"outcome"`
	Count   int64   `json:"count" unit:"times"`
	Share   float64 `json:"share" unit:"ratio"` // of the branch

	// 95 % bounds. If all were counted, these are the count and the share.
	CountLow  float64 `json:"count_low" unit:"times"`
	CountHigh float64 `json:"count_high" unit:"times"`
	ShareLow  float64 `json:"share_low" unit:"ratio"`
	ShareHigh float64 `json:"share_high" unit:"ratio"`
}

// List lists the source of the functions of an edges file whose names match. As
// text:
//
//	count    share  line
//	                  10  func sign(n int) int {
//	                  11  	if n < 0 {
//	    7  100.00%        	^ if true
//	    0    0.00%        	^ if false
//	    7             12  		return -1
//	                  13  	}
//	                  14  	return 1
//	                  15  }
//
// The count beside a line says how often a branch on another line led there.
// Beneath a line stand its branches, a caret under each (the operands of &&
// and || are branches, too), with the count and share of every outcome.
// Without source the lines known to the profile are shown by number.
func List(f *profile.File, src *source.Tree, funcs *regexp.Regexp) (*Listing, error) {
	edges, err := f.Edges()
	if err != nil {
		return nil, err
	}
	edges = slices.DeleteFunc(edges, func(e profile.Edge) bool { return !funcs.MatchString(e.Branch.Func.Name) })
	unended, err := unendedOf(f, funcs)
	if err != nil {
		return nil, err
	}
	if len(edges) == 0 && len(unended) == 0 {
		return nil, fmt.Errorf("%s: no function with a recorded branch matches %q: pep list . shows all", f.Name, funcs)
	}
	known := make(map[profile.Func]*counts)
	of := func(fn profile.Func) *counts {
		c := known[fn]
		if c == nil {
			c = &counts{arrived: make(map[lineOf]int64), branches: make(map[lineOf][]profile.Branch)}
			known[fn] = c
		}
		return c
	}
	for _, u := range unended {
		c := of(profile.Func{Name: u.Func, File: u.File, StartLine: u.StartLine})
		c.unended = append(c.unended, u)
	}
	for _, e := range edges {
		c := of(e.Branch.Func)
		if at := (lineOf{e.File, e.Line}); at != branchLine(e.Branch) {
			c.arrived[at] += e.Count
		}
	}
	for _, branch := range profile.SumEdges(edges) {
		c := known[branch.ID.Func]
		at := branchLine(branch.ID)
		c.branches[at] = append(c.branches[at], branch)
	}
	l := &Listing{Profile: profileOf(f), Estimated: f.Estimated()}
	var files []string
	for _, fn := range slices.SortedFunc(maps.Keys(known), profile.Func.Compare) {
		l.Functions = append(l.Functions, known[fn].function(fn, src, f))
		files = append(files, fn.File)
		for _, line := range l.Functions[len(l.Functions)-1].Lines {
			files = append(files, line.File)
		}
	}
	l.Missing = missingSource(src, files)
	return l, nil
}

// counts are the counts of a function's branches in a profile, by line.
type counts struct {
	arrived  map[lineOf]int64 // edges that lead there from other lines
	branches map[lineOf][]profile.Branch
	unended  []Unended
}

// A lineOf is a line of a file.
type lineOf struct {
	file string
	line int64
}

func (l lineOf) compare(m lineOf) int {
	return cmp.Or(cmp.Compare(l.file, m.file), cmp.Compare(l.line, m.line))
}

func branchLine(b profile.BranchID) lineOf { return lineOf{b.Func.Of(b.Pos.File), b.Pos.Line} }

func (c *counts) function(fn profile.Func, src *source.Tree, f *profile.File) Function {
	end, ok := src.FuncEnd(fn.File, fn.StartLine)
	x := Function{Func: fn.Name, File: fn.File, StartLine: fn.StartLine, Unended: c.unended, Differs: !ok && path.Ext(fn.File) == ".go" && src.Has(fn.File)}
	for _, n := range c.lines(fn, src, end) {
		line := Line{File: n.file, Line: n.line}
		line.Source, _ = src.Line(n.file, n.line)
		if times, ok := c.arrived[n]; ok {
			line.Arrived = &times
		}
		for _, b := range c.branches[n] {
			x.Branches++
			x.Decided += b.Count()
			line.Branches = append(line.Branches, lineBranch(b, f))
		}
		x.Lines = append(x.Lines, line)
	}
	return x
}

// lines are the lines to show: the function's, as far as there is source, and all
// that the profile knows of.
func (c *counts) lines(fn profile.Func, src *source.Tree, end int64) []lineOf {
	own := func(l lineOf) int {
		if l.file == fn.File {
			return 1
		}
		return 0
	}
	known := slices.Concat(slices.Collect(maps.Keys(c.arrived)), slices.Collect(maps.Keys(c.branches)))
	if end == 0 { // no source of Go: up to the last line that the profile knows of
		for _, l := range known {
			if l.file == fn.File {
				end = max(end, l.line)
			}
		}
	}
	for n := fn.StartLine; n <= end; n++ {
		if _, ok := src.Line(fn.File, n); !ok {
			break
		}
		known = append(known, lineOf{fn.File, n})
	}
	slices.SortFunc(known, func(l, m lineOf) int { // the function's own file first
		return cmp.Or(-cmp.Compare(own(l), own(m)), l.compare(m))
	})
	return slices.Compact(known)
}

func lineBranch(b profile.Branch, f *profile.File) LineBranch {
	x := LineBranch{File: b.ID.Pos.File, Line: b.ID.Pos.Line, Col: b.ID.Pos.Col, Kind: b.Kind, Count: b.Count()}
	for _, o := range withComplement(b) {
		y := LineOutcome{Outcome: o.Name, Count: o.Count, Share: listing.Ratio(o.Count, x.Count)}
		y.ShareLow, y.ShareHigh = y.Share, y.Share
		count := f.CountBounds(o.Count, o.Estimate)
		if f.Estimated() {
			share := b.ShareBounds(o)
			y.ShareLow, y.ShareHigh = share.Low, share.High
			if o.Count == 0 {
				count.High = share.High * float64(x.Count)
			}
		}
		y.CountLow, y.CountHigh = count.Low, count.High
		x.Outcomes = append(x.Outcomes, y)
	}
	return x
}

// withComplement adds the outcome of a two-way branch that never happened, because the file
// has only outcomes that happened.
func withComplement(b profile.Branch) []profile.Outcome {
	if len(b.Outcomes) != 1 {
		return b.Outcomes
	}
	only := b.Outcomes[0]
	if b.Kind == wire.RangeFunc { // it may have several others
		return b.Outcomes
	}
	switch only.Name {
	case wire.OutTrue:
		return []profile.Outcome{only, {Name: wire.OutFalse}}
	case wire.OutFalse:
		return []profile.Outcome{{Name: wire.OutTrue}, only}
	case wire.OutBody:
		return []profile.Outcome{only, {Name: wire.OutDone}}
	case wire.OutDone:
		return []profile.Outcome{{Name: wire.OutBody}, only}
	}
	return b.Outcomes
}

// Name implements listing.Listing.
func (l *Listing) Name() string { return "list" }

// Print implements listing.Listing.
func (l *Listing) Print(p *listing.Page) {
	l.Profile.printWarning(p)
	for i := range l.Functions {
		p.Line("")
		l.Functions[i].print(p, l.Estimated)
	}
	var notes []string
	if l.Estimated {
		notes = append(notes,
			"95%: the true share of an outcome in its branch is within these bounds with a probability of 95%, as far as samples are random.",
			"Never seen is not never: what no sample shows may happen as often as the bound says, and branches without samples are not shown at all.")
	}
	l.Profile.printNotes(p, notes...)
	printMissing(p, l.Missing)
}

func (x *Function) print(p *listing.Page, estimated bool) {
	unended := ""
	for i, u := range x.Unended {
		unended += [...]string{"; paths that have not ended: ", ", "}[min(i, 1)] + fmt.Sprintf("%d from %s", u.Count, u.From)
	}
	p.Line("%s  %s:%d, %s, decided %d times%s", x.Func, p.Short(x.File), x.StartLine, listing.Count(x.Branches, "branch"), x.Decided, unended)
	if x.Differs {
		p.Line("no function starts there: the source is not what was profiled")
	}
	t := &listing.Table{Numbers: 3}
	row := func(count, share, _, line, text string) { t.Row(count, share, line, text) }
	if estimated {
		t.Numbers = 4
		row = func(count, share, bounds, line, text string) { t.Row(count, share, bounds, line, text) }
	}
	row("count", "share", "95%", "line", "")
	file := x.File
	for _, line := range x.Lines {
		if line.File != file { // by a //line directive
			file = line.File
			row("", "", "", "", p.Short(file)+":")
		}
		arrived := ""
		if line.Arrived != nil {
			arrived = fmt.Sprint(*line.Arrived)
		}
		row(arrived, "", "", fmt.Sprint(line.Line), line.Source)
		for _, b := range line.Branches {
			for _, o := range b.Outcomes {
				row(fmt.Sprint(o.Count), listing.Percent(o.Share), bounds(o.ShareLow, o.ShareHigh), "", caret(b, line.Source)+b.Kind+" "+o.Outcome)
			}
		}
	}
	p.Table("", t)
}

// caret is a caret under the column of a branch, or line:col when the line is not
// the one shown above.
func caret(b LineBranch, text string) string {
	if b.Col < 1 || b.Col > int64(len(text)) {
		return fmt.Sprintf("%d:%d ", b.Line, b.Col)
	}
	blank := func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}
	return strings.Map(blank, text[:b.Col-1]) + "^ "
}
