package accuracy

// This file writes accuracy in the format of Go benchmarks.

import (
	"golang.org/x/perf/benchfmt"

	"github.com/pepgo/pep/lab/bench/benchlines"
)

// Lines returns a line for each sampled run, in the same format. Units such as sample-wall are of the same run,
// if each sample counts once. Lines of exact runs follow, with paths that end at headers and, if that was measured, at
// back edges.
func Lines(header, backedge []Fit, scale int) (string, error) {
	var list []*benchfmt.Result
	add := func(kind string, f Fit, variant string, values ...benchfmt.Value) {
		name := kind + "/program=" + f.Program + "/variant=" + benchlines.Word(variant)
		list = append(list, &benchfmt.Result{Name: benchfmt.Name(name), Values: values})
	}
	for _, f := range header {
		for i, setting := range f.Settings {
			for run, m := range f.Samples[i] {
				once := f.Unweighed[i][run]
				add("Accuracy", f, setting.String(), []benchfmt.Value{
					{Value: m.Wall, Unit: "wall"}, {Value: m.Relative, Unit: "relative"}, {Value: m.Absolute, Unit: "absolute"},
					{Value: once.Wall, Unit: "sample-wall"}, {Value: once.Relative, Unit: "sample-relative"},
					{Value: once.Absolute, Unit: "sample-absolute"},
					{Value: float64(m.Samples), Unit: "samples"}, {Value: float64(m.Ticks), Unit: "ticks"},
				}...)
			}
		}
	}
	exact := func(fits []Fit, truncate string) {
		for _, f := range fits {
			e := f.Exact
			add("Exact", f, truncate, []benchfmt.Value{{Value: float64(e.Paths), Unit: "paths"},
				{Value: float64(e.Hot), Unit: "hot"},
				{Value: float64(e.Ends), Unit: "ends"}, {Value: float64(e.Flow), Unit: "decisions"}}...)
		}
	}
	exact(header, "header")
	exact(backedge, "backedge")
	return benchlines.Lines(list, scale)
}
