package report

// This file writes the hot paths.

import (
	"bufio"
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

	b := bufio.NewWriter(w)
	fmt.Fprint(b, comments(f))
	fmt.Fprintln(b, summary(f, all))
	if len(all) > 0 {
		writePaths(b, src, selected, weight, all, o.ByCount)
	}
	return b.Flush()
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

func writePaths(w io.Writer, src *source.Tree, paths []profile.Path, weight func(profile.Path) int64, all []profile.Path, byCount bool) {
	var total, sum int64
	for _, p := range all {
		total += weight(p)
	}
	unit := "flow%"
	if byCount {
		unit = "count%"
	}
	t := table{numbers: 5}
	t.row("#", unit, "cum%", "flow", "count", "path")
	for i, p := range paths {
		sum += weight(p)
		t.row(fmt.Sprint(i+1), share(weight(p), total), share(sum, total),
			fmt.Sprint(p.Flow), fmt.Sprint(p.Count), p.ID.Func.Name+"·"+p.ID.Label)
	}
	lines := t.lines()
	indent := strings.Repeat(" ", len(fmt.Sprint(len(paths)))+2)

	var missing []string
	fmt.Fprintf(w, "\n%s\n", lines[0])
	for i, p := range paths {
		fmt.Fprintln(w, lines[i+1])
		place := src.Short(p.ID.Func.File)
		if p.Lines != "" {
			place += ":" + p.Lines
		}
		if p.From != "" {
			place += " from " + p.From
		}
		fmt.Fprintln(w, indent+place)
		for _, line := range decisionLines(src, p) {
			fmt.Fprintln(w, indent+line)
		}
		if name := p.ID.Func.File; len(p.Branches) > 0 && !src.Has(name) && !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
	}
	writeMissing(w, missing)
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

// writeMissing says which sources were not there to be shown.
func writeMissing(w io.Writer, names []string) {
	if len(names) > 0 {
		fmt.Fprintf(w, "\nsource not found: %s (-source_path=DIR says where to look)\n", strings.Join(names, ", "))
	}
}
