package bench

// This file writes measurements in the format of Go benchmarks, for benchstat:
//
//	benchstat -row /program -col /variant -unit cpu-sec/op rounds.txt

import (
	"bytes"
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// Benchmarks returns the runs of all variants in the format of Go benchmarks, a line for each. The
// order is that of the rounds. The programs had a percentage of their workload.
func Benchmarks(costs []Cost, layouts, scale int) (string, error) {
	return lines(runLines(costs, layouts), scale)
}

func runLines(costs []Cost, layouts int) (list []*benchfmt.Result) {
	for _, c := range costs {
		for round := range c.Runs[0] {
			for v, variant := range c.Variants {
				r := &benchfmt.Result{
					Name: benchfmt.Name("Run/program=" + c.Program + "/variant=" + word(variant.Name) +
						"/layout=" + strconv.Itoa(round%max(layouts, 1))),
					Values: []benchfmt.Value{
						{Value: wall(c.Runs[v][round]), Unit: "sec/op"},
						{Value: cpu(c.Runs[v][round]), Unit: "cpu-sec/op"},
					},
				}
				if variant.writesPaths() {
					r.Values = append(r.Values, benchfmt.Value{Value: c.Written[v][round].Exit.Seconds(), Unit: "exit-sec/op"})
				}
				list = append(list, r)
			}
		}
	}
	return list
}

// AccuracyLines returns a line for each sampled run, in the same format. Units such as sample-wall are of the same run, if
// each sample counts once. Lines of exact runs follow, with paths that end at headers and, if that was measured, at back
// edges.
func AccuracyLines(header, backedge []Fit, scale int) (string, error) {
	var list []*benchfmt.Result
	add := func(kind string, f Fit, variant string, values ...benchfmt.Value) {
		name := kind + "/program=" + f.Program + "/variant=" + word(variant)
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
			add("Exact", f, truncate, []benchfmt.Value{{Value: float64(e.Paths), Unit: "paths"}, {Value: float64(e.Hot), Unit: "hot"},
				{Value: float64(e.Ends), Unit: "ends"}, {Value: float64(e.Flow), Unit: "decisions"}}...)
		}
	}
	exact(header, "header")
	exact(backedge, "backedge")
	return lines(list, scale)
}

// lines writes results, each of one iteration, below lines that say where and of what they are.
func lines(list []*benchfmt.Result, scale int) (string, error) {
	var config []benchfmt.Config
	for _, c := range [][2]string{
		{"goos", runtime.GOOS}, {"goarch", runtime.GOARCH}, {"cpu", processor()}, {"pkg", "github.com/pepgo/pep/testprogs"},
		{"commit", strings.TrimPrefix(commit(), "commit ")}, {"workload", fmt.Sprintf("%d%%", scale)},
	} {
		config = append(config, benchfmt.Config{Key: c[0], Value: []byte(c[1]), File: true})
	}
	var b bytes.Buffer
	w := benchfmt.NewWriter(&b)
	for _, r := range list {
		r.Config, r.Iters = config, 1
		if err := w.Write(r); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

// word makes the name of a variant one word without a slash, as names of benchmarks need it.
func word(name string) string {
	return strings.NewReplacer(", ", "+", " ", "_", "/", "-").Replace(name)
}
