package bench

// This file writes measurements in the format of Go benchmarks, for benchstat:
//
//	benchstat -row /program -col /variant -unit cpu-sec/op rounds.txt

import (
	"bytes"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// Benchmarks returns the runs of all variants in the format of Go benchmarks, a line for each. The
// order is that of the rounds.
func Benchmarks(costs []Cost, layouts int) (string, error) {
	var b bytes.Buffer
	w := benchfmt.NewWriter(&b)
	var config []benchfmt.Config
	for _, c := range [][2]string{{"goos", runtime.GOOS}, {"goarch", runtime.GOARCH}, {"cpu", processor()}, {"pkg", "github.com/pepgo/pep/testprogs"}} {
		config = append(config, benchfmt.Config{Key: c[0], Value: []byte(c[1]), File: true})
	}
	for _, c := range costs {
		for round := range c.Runs[0] {
			for v, variant := range c.Variants {
				r := &benchfmt.Result{
					Config: config,
					Name: benchfmt.Name("Run/program=" + c.Program + "/variant=" + word(variant.Name) +
						"/layout=" + strconv.Itoa(round%max(layouts, 1))),
					Iters: 1,
					Values: []benchfmt.Value{
						{Value: wall(c.Runs[v][round]), Unit: "sec/op"},
						{Value: cpu(c.Runs[v][round]), Unit: "cpu-sec/op"},
					},
				}
				if variant.writesPaths() {
					r.Values = append(r.Values, benchfmt.Value{Value: c.Written[v][round].Exit.Seconds(), Unit: "exit-sec/op"})
				}
				if err := w.Write(r); err != nil {
					return "", err
				}
			}
		}
	}
	return b.String(), nil
}

// word makes the name of a variant one word without a slash, as names of benchmarks need it.
func word(name string) string {
	return strings.NewReplacer(", ", "+", " ", "_", "/", "-").Replace(name)
}
