package report

// This file writes the hot paths.

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/source"
)

// TopOptions select and order paths. The zero value is all paths by flow.
type TopOptions struct {
	N       int            // how many; 0 is all
	ByCount bool           // order and share by count instead of branch flow
	Func    *regexp.Regexp // only paths of functions whose names match; nil is all
}

// Top writes the hot paths of a paths file, hottest first, each with its
// branches in order and their lines as far as src has them. Shares are of
// the whole program's flow, whatever is selected.
func Top(w io.Writer, f *profile.File, src *source.Tree, o TopOptions) error {
	samples, err := f.Paths()
	if err != nil {
		return err
	}
	all := profile.SumPaths(samples)
	selected := slices.DeleteFunc(slices.Clone(all), func(p profile.Path) bool {
		return o.Func != nil && !o.Func.MatchString(p.ID.Func.Name)
	})
	if len(selected) == 0 && len(all) > 0 {
		return fmt.Errorf("%s: no function of a path matches %q: pep top -n 0 shows all that were recorded", f.Name, o.Func)
	}
	weight := func(p profile.Path) int64 {
		if o.ByCount {
			return p.Count
		}
		return p.Flow
	}
	slices.SortStableFunc(selected, func(p, q profile.Path) int { return cmp.Compare(weight(q), weight(p)) })
	if o.N > 0 {
		selected = selected[:min(o.N, len(selected))]
	}

	page := newPage(w)
	page.comments(f)
	page.line("%s", summary(f, all))
	if len(all) > 0 {
		page.paths(src, selected, weight, all, o.ByCount)
	}
	return page.flush()
}

func summary(f *profile.File, all []profile.Path) string {
	if len(all) == 0 {
		return "no path was recorded: the program ended before the first tick, or nothing in it is instrumented"
	}
	funcs := make(map[profile.Func]bool)
	var total profile.Path
	for _, p := range all {
		funcs[p.ID.Func] = true
		total.Count += p.Count
		total.Flow += p.Flow
	}
	return fmt.Sprintf("%s: %s in %s, count %d, flow %d",
		cmp.Or(f.Binary, f.Name), count(len(all), "path"), count(len(funcs), "function"), total.Count, total.Flow)
}

func (p page) paths(src *source.Tree, paths []profile.Path, weight func(profile.Path) int64, all []profile.Path, byCount bool) {
	var total, sum int64
	for _, x := range all {
		total += weight(x)
	}
	unit := "flow%"
	if byCount {
		unit = "count%"
	}
	t := table{numbers: 5}
	t.row("#", unit, "cum%", "flow", "count", "path")
	for i, x := range paths {
		sum += weight(x)
		t.row(fmt.Sprint(i+1), share(weight(x), total), share(sum, total),
			fmt.Sprint(x.Flow), fmt.Sprint(x.Count), x.ID.Func.Name+"·"+x.ID.Label)
	}
	lines := t.lines()
	indent := strings.Repeat(" ", len(fmt.Sprint(len(paths)))+2)

	var missing []string
	p.line("")
	p.line("%s", lines[0])
	for i, x := range paths {
		p.line("%s", lines[i+1])
		place := src.Short(x.ID.Func.File)
		if x.Lines != "" {
			place += ":" + x.Lines
		}
		if x.From != "" {
			place += " from " + x.From
		}
		p.line("%s%s", indent, place)
		for _, line := range decisionLines(src, x) {
			p.line("%s%s", indent, line)
		}
		if name := x.ID.Func.File; len(x.Branches) > 0 && !src.Has(name) && !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
	}
	p.missing(missing)
}

// decisionLines has a line for every branch on the path: place, kind and
// outcome, and the source. Source that the line above shows is not repeated.
func decisionLines(src *source.Tree, p profile.Path) []string {
	t := table{}
	var last int64
	for _, d := range p.Branches {
		text, _ := src.Line(p.ID.Func.File, d.Line)
		if d.Line == last {
			text = ""
		}
		last = d.Line
		t.row(fmt.Sprintf("%d:%d", d.Line, d.Col), d.Kind+" "+d.Outcome, strings.TrimSpace(text))
	}
	return t.lines()
}

// missing says which sources were not there to be shown.
func (p page) missing(names []string) {
	if len(names) > 0 {
		p.line("")
		p.line("source not found: %s (-source_path=DIR says where to look)", strings.Join(names, ", "))
	}
}
