package cost

// This file writes runs in the format of Go benchmarks.

import (
	"strconv"

	"golang.org/x/perf/benchfmt"

	"github.com/pepgo/pep/lab/bench/benchlines"
)

// Lines returns the runs of all variants in the format of Go benchmarks, a line for each. The
// order is that of the rounds. The programs had a percentage of their workload.
func Lines(costs []Cost, layouts, scale int) (string, error) {
	return benchlines.Lines(RunLines(costs, layouts), scale)
}

// RunLines returns the lines of runs, by the rounds of each program.
func RunLines(costs []Cost, layouts int) (list []*benchfmt.Result) {
	for _, c := range costs {
		for round := range c.Runs[0] {
			for v, variant := range c.Variants {
				r := &benchfmt.Result{
					Name: benchfmt.Name("Run/program=" + c.Program + "/variant=" + benchlines.Word(variant.Name) +
						"/layout=" + strconv.Itoa(round%max(layouts, 1))),
					Values: []benchfmt.Value{
						{Value: Wall(c.Runs[v][round]), Unit: "sec/op"},
						{Value: CPU(c.Runs[v][round]), Unit: "cpu-sec/op"},
					},
				}
				if variant.WritesPaths() {
					r.Values = append(r.Values, benchfmt.Value{Value: c.Written[v][round].Exit.Seconds(), Unit: "exit-sec/op"})
				}
				list = append(list, r)
			}
		}
	}
	return list
}
