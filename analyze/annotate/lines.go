package annotate

// This file counts how often lines ran.

import (
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/schema"
)

// A run is lines of a file that a path goes over. The file is "" if it is the function's.
type run struct {
	file        string
	first, last int64
}

// runs returns the lines of a path, see schema.Lines.
func (v *view) runs(p *profile.Path) (list []run) {
	file := ""
	for part := range strings.SplitSeq(p.Lines, "; ") {
		if i := strings.LastIndexByte(part, ':'); i >= 0 {
			file, part = v.place(part[:i], 0, 0).file, part[i+1:]
		}
		for item := range strings.SplitSeq(part, ",") {
			from, to, several := strings.Cut(item, "-")
			first, err := strconv.ParseInt(from, 10, 32)
			last := first
			if several && err == nil {
				last, err = strconv.ParseInt(to, 10, 32)
			}
			if err == nil && first > 0 && last >= first {
				list = append(list, run{file, first, last})
			}
		}
	}
	return list
}

// from returns how a path begins, and where: "entry", "loop" or "cut".
func (v *view) from(text string) (how string, at placeOf) {
	for _, begins := range []string{schema.LoopAt, schema.CutAt} {
		if rest, ok := strings.CutPrefix(text, begins); ok {
			i := strings.LastIndexByte(rest, ':')
			if line, err := strconv.ParseInt(rest[i+1:], 10, 32); err == nil && i >= 0 {
				return strings.TrimSpace(begins), v.place(rest[:i], line, 0)
			}
		}
	}
	return schema.Entry, placeOf{line: v.f.id.StartLine}
}

// A tally is the count of a line.
type tally struct{ count, raw float64 }

// tallies counts how often the paths go over each line.
func (v *view) tallies() map[placeOf]tally {
	all := make(map[placeOf]tally)   // by all paths
	begin := make(map[placeOf]tally) // by paths that begin there, in a loop
	for i := range v.f.paths {
		p := &v.f.paths[i]
		add := func(to map[placeOf]tally, at placeOf) {
			t := to[at]
			to[at] = tally{t.count + v.count[i], t.raw + float64(p.Count)}
		}
		for _, r := range v.runs(p) {
			for l := r.first; l <= r.last; l++ {
				add(all, placeOf{r.file, l, 0})
			}
		}
		if how, at := v.from(p.From); how != schema.Entry {
			add(begin, at)
		}
	}
	for at, t := range begin {
		if _, ok := all[at]; ok {
			all[at] = t
		}
	}
	return all
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
	for at := range tallies {
		want[at] = true
	}
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
	for l := v.f.id.StartLine; l <= min(end, v.f.id.StartLine+maxLines); l++ {
		want[placeOf{"", l, 0}] = true
	}
	list := make([]placeOf, 0, len(want))
	for at := range want {
		list = append(list, at)
	}
	slices.SortFunc(list, placeOf.compare)
	inner := v.inner(end)
	for _, at := range list {
		v.d.Lines = append(v.d.Lines, v.line(at, tallies[at], code[at], at.file == "" && slices.ContainsFunc(inner, func(r [2]int64) bool { return r[0] < at.line && at.line < r[1] })))
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
	if text := v.b.text(file); at.line >= 1 && at.line <= int64(len(text)) && len(text[at.line-1]) > 0 {
		x.Text = text[at.line-1]
	}
	switch {
	case inner || filepath.Ext(file) == ".go" && len(x.Text) > 0 && bare(x.Text):
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
	add := func(n int, file string, first, last int) {
		for l := first; l <= last; l++ {
			at := v.place(file, int64(l), 0)
			if v.ran[n] {
				lines[at] = Ran
			} else if lines[at] == "" {
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
