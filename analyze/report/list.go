package report

// This file writes source with edge counts beside it.

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/source"
)

// List writes the source of the functions of an edges file whose names match.
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
func List(w io.Writer, f *profile.File, src *source.Tree, funcs *regexp.Regexp) error {
	edges, err := f.Edges()
	if err != nil {
		return err
	}
	edges = slices.DeleteFunc(edges, func(e profile.Edge) bool { return !funcs.MatchString(e.Branch.Func.Name) })
	if len(edges) == 0 {
		return fmt.Errorf("%s: no function with a recorded branch matches %q: pep list . shows all", f.Name, funcs)
	}
	listings := make(map[profile.Func]*listing)
	for _, e := range edges {
		fn := e.Branch.Func
		l := listings[fn]
		if l == nil {
			l = &listing{fn: fn, arrived: make(map[int64]int64), branches: make(map[int64][]profile.Branch)}
			listings[fn] = l
		}
		if e.Line != e.Branch.Pos.Line {
			l.arrived[e.Line] += e.Count
		}
	}
	for _, branch := range profile.SumEdges(edges) {
		l := listings[branch.ID.Func]
		l.branches[branch.ID.Pos.Line] = append(l.branches[branch.ID.Pos.Line], branch)
	}

	page := newPage(w)
	page.comments(f)
	var missing []string
	for _, fn := range slices.SortedFunc(maps.Keys(listings), profile.Func.Compare) {
		page.line("")
		listings[fn].write(page, src)
		if !src.Has(fn.File) && !slices.Contains(missing, fn.File) {
			missing = append(missing, fn.File)
		}
	}
	page.missing(missing)
	return page.flush()
}

// A listing is what is known of the lines of one function.
type listing struct {
	fn       profile.Func
	arrived  map[int64]int64            // by line: edges that lead there from other lines
	branches map[int64][]profile.Branch // by line
}

func (l *listing) write(p page, src *source.Tree) {
	var branches int
	var outcomes int64
	for _, bs := range l.branches {
		branches += len(bs)
		for _, b := range bs {
			outcomes += b.Count()
		}
	}
	p.line("%s  %s:%d, %s, decided %d times", l.fn.Name, src.Short(l.fn.File), l.fn.StartLine, count(branches, "branch"), outcomes)
	end, ok := src.FuncEnd(l.fn.File, l.fn.StartLine)
	if !ok && src.Has(l.fn.File) {
		p.line("no function starts there: the source is not what was profiled")
	}

	t := table{numbers: 3}
	t.row("count", "share", "line", "")
	for _, n := range l.lines(src, end) {
		text, _ := src.Line(l.fn.File, n)
		arrived := ""
		if c, ok := l.arrived[n]; ok {
			arrived = fmt.Sprint(c)
		}
		t.row(arrived, "", fmt.Sprint(n), text)
		for _, b := range l.branches[n] {
			for _, o := range withComplement(b) {
				t.row(fmt.Sprint(o.Count), share(o.Count, b.Count()), "", l.mark(b.ID.Pos, text)+b.Kind+" "+o.Name)
			}
		}
	}
	p.table(t)
}

// lines are the lines to show: the function's, as far as there is source,
// and all that the profile knows of.
func (l *listing) lines(src *source.Tree, end int64) []int64 {
	known := slices.Concat(slices.Collect(maps.Keys(l.arrived)), slices.Collect(maps.Keys(l.branches)))
	for n := l.fn.StartLine; n <= cmp.Or(end, slices.Max(known)); n++ {
		if _, ok := src.Line(l.fn.File, n); !ok {
			break
		}
		known = append(known, n)
	}
	slices.Sort(known)
	return slices.Compact(known)
}

// mark is a caret under the column of a branch, or line:col when the line is
// not the one shown above.
func (l *listing) mark(pos profile.Pos, text string) string {
	elsewhere := path.Base(pos.File) != path.Base(l.fn.File) // by a //line directive
	if elsewhere {
		return pos.String() + " "
	}
	if pos.Col < 1 || pos.Col > int64(len(text)) {
		return fmt.Sprintf("%d:%d ", pos.Line, pos.Col)
	}
	blank := func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}
	return strings.Map(blank, text[:pos.Col-1]) + "^ "
}

// withComplement adds the outcome of a two-way branch that never happened:
// only what did is in the file.
func withComplement(b profile.Branch) []profile.Outcome {
	if len(b.Outcomes) != 1 {
		return b.Outcomes
	}
	only := b.Outcomes[0]
	switch only.Name {
	case "true":
		return []profile.Outcome{only, {Name: "false"}}
	case "false":
		return []profile.Outcome{{Name: "true"}, only}
	case "body":
		return []profile.Outcome{only, {Name: "done"}}
	case "done":
		return []profile.Outcome{{Name: "body"}, only}
	}
	return b.Outcomes
}
