package annotate

// This file counts how often lines ran.

import (
	"cmp"
	"math"
	"path/filepath"
	"slices"

	"github.com/pepgo/pep/format/schema"
)

// from returns how a path begins, and where. Profiles say "loop" also of paths that begin behind a decision, in
// programs built for coverage.
func (v *view) from(i int) (how string, at placeOf) {
	s := v.f.paths[i].From
	if s.Line == 0 {
		return schema.Entry, placeOf{line: v.f.id.StartLine}
	}
	if v.shape != nil && !v.shape.loop(v.f.site.Graph.Starts[v.start[i]].Node) {
		s.How = schema.Cut
	}
	return s.How, v.place(s.File, s.Line, 0)
}

// A tally is the count of a line.
type tally struct{ count, raw float64 }

func (t *tally) add(u tally) { t.count, t.raw = t.count+u.count, t.raw+u.raw }

// tallies are the counts of all lines that paths go over.
type tallies struct {
	files map[string][]change // by line
	heads map[placeOf]tally   // lines where loops begin
}

// A change is what more, or less, paths go over a line than over the one before.
type change struct {
	line int64
	by   tally
}

// tallies counts how often the paths go over each line.
func (v *view) tallies() *tallies {
	t := &tallies{make(map[string][]change), make(map[placeOf]tally)}
	for i := range v.f.paths {
		p := &v.f.paths[i]
		c := tally{v.count[i], float64(p.Count)}
		for _, s := range p.Spans() {
			file := v.place(s.File, 0, 0).file
			t.files[file] = append(t.files[file], change{s.First, c}, change{s.Last + 1, tally{-c.count, -c.raw}})
		}
		if how, at := v.from(i); how == schema.Loop {
			head := t.heads[at]
			head.add(c)
			t.heads[at] = head
		}
	}
	for file, list := range t.files {
		slices.SortFunc(list, func(x, y change) int { return cmp.Compare(x.line, y.line) })
		sums := list[:0]
		var sum tally
		for i, c := range list {
			sum.add(c.by)
			if i+1 == len(list) || list[i+1].line != c.line {
				sums = append(sums, change{c.line, sum})
			}
		}
		t.files[file] = sums // from each line on
	}
	return t
}

// at returns the count of a line.
func (t *tallies) at(at placeOf) tally {
	list := t.files[at.file]
	i, ok := slices.BinarySearchFunc(list, at.line, func(c change, line int64) int { return cmp.Compare(c.line, line) })
	if !ok {
		i--
	}
	if i < 0 || list[i].by.raw < .5 {
		return tally{}
	}
	if head, ok := t.heads[at]; ok {
		return head
	}
	return list[i].by
}

// known adds the lines that have counts to a set, until that is as large as may be shown.
func (t *tallies) known(set map[placeOf]bool) {
	for file, list := range t.files {
		for i := range list {
			if list[i].by.raw < .5 || i+1 == len(list) {
				continue
			}
			for l := list[i].line; l < list[i+1].line && len(set) < maxLines; l++ {
				set[placeOf{file, l, 0}] = true
			}
		}
	}
}

// maxLines is how many lines of a function are shown at most.
const maxLines = 50000

// lines lists the lines of the function.
func (v *view) lines() {
	tallies := v.tallies()
	code := v.codeLines()
	file := v.f.id.File
	end, ok := v.b.Source.FuncEnd(file, v.f.id.StartLine)
	switch {
	case !v.b.Source.Has(file):
		v.d.Note = "The source was not found: " + file + ". -source_path says where to look."
	case !ok && filepath.Ext(file) == ".go":
		v.d.Note = "No function begins on this line of the source: it is not what was profiled."
	}
	want := make(map[placeOf]bool) // lines to list
	tallies.known(want)
	for _, b := range v.list {
		want[placeOf{b.at.file, b.at.line, 0}] = true
	}
	if !ok {
		for at := range want {
			if at.file == "" {
				end = max(end, at.line)
			}
		}
	}
	for l := v.f.id.StartLine; l < min(end+1, v.f.id.StartLine+maxLines); l++ {
		want[placeOf{"", l, 0}] = true
	}
	list := make([]placeOf, 0, len(want))
	for at := range want {
		list = append(list, at)
	}
	slices.SortFunc(list, placeOf.compare)
	inner := v.inner(end)
	for _, at := range list {
		v.d.Lines = append(v.d.Lines, v.line(at, tallies.at(at), code[at], at.file == "" &&
			slices.ContainsFunc(inner, func(r [2]int64) bool { return r[0] < at.line && at.line < r[1] })))
		if at.file == "" {
			v.d.End = at.line
		}
	}
}

func (v *view) line(at placeOf, t tally, code State, inner bool) Line {
	x := Line{File: at.file, Line: at.line, State: None, Text: [][2]string{}}
	file := at.file
	if file == "" {
		file = v.f.id.File
	}
	source := false
	if text := v.b.text(file); at.line >= 1 && at.line <= int64(len(text)) {
		source = true
		x.Text = append(x.Text, text[at.line-1]...)
	}
	switch {
	case code == Untold:
		x.State = Untold
	case inner || source && filepath.Ext(file) == ".go" && bare(x.Text):
	case t.raw > 0:
		x.Count, x.Raw, x.State = round(t.count), int64(math.Round(t.raw)), Seen
	case code != "":
		x.State = code
	}
	return x
}

// codeLines returns the lines on which the graph has code, with what is known of lines that no sample
// shows.
func (v *view) codeLines() map[placeOf]State {
	lines := make(map[placeOf]State)
	if v.shape == nil {
		return lines
	}
	untold := v.shape.behind(v.untold)
	add := func(n int, file string, first, last int) {
		for l := first; l <= last; l++ {
			at := v.place(file, int64(l), 0)
			switch was := lines[at]; {
			case untold[n] && was == "":
				lines[at] = Untold
			case untold[n]:
			case v.ran[n]:
				lines[at] = Ran
			case was == "" || was == Untold:
				lines[at] = v.unseen(v.rare())
			}
		}
	}
	site, files := v.f.site, v.f.pkg.Files
	for n := range site.Blocks {
		b := &site.Blocks[n]
		for _, s := range b.Spans {
			add(n, files[s.File], s.Line, s.EndLine)
		}
		if len(b.Outs) > 1 && b.Branch.Line > 0 {
			add(n, files[b.Branch.File], b.Branch.Line, b.Branch.Line)
		}
	}
	return lines
}

// rare bounds the share of the function's paths that go where no sample is: about 3/n with n samples.
func (v *view) rare() float64 { return 3 / math.Max(float64(v.f.index.Samples), 3) }

// inner returns the first and last lines of functions that are written inside of this one. Their lines
// are theirs.
func (v *view) inner(end int64) (list [][2]int64) {
	for _, f := range v.b.inFile[v.f.id.File] {
		if f != v.f && v.f.id.StartLine < f.id.StartLine && f.id.StartLine <= end {
			if last, ok := v.b.Source.FuncEnd(f.id.File, f.id.StartLine); ok && last <= end {
				list = append(list, [2]int64{f.id.StartLine, last})
			}
		}
	}
	return list
}
