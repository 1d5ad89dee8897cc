// Package benchlines writes measurements in the format of Go benchmarks, for benchstat:
//
//	benchstat -row /program -col /variant -unit cpu-sec/op rounds.txt
//
// A line is of a program in a variant:
//
//	benchlines.Line("Build", "lua", "PEP(64,17)", benchfmt.Value{Value: 2.5, Unit: "cpu-sec/op"})
//
// is
//
//	BenchmarkBuild/program=lua/variant=PEP(64,17) 1 2.5 cpu-sec/op
package benchlines

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/pepgo/pep/lab/machine"
)

// Lines writes results, each of one iteration, below lines that say where and of what they are.
func Lines(list []*benchfmt.Result, scale int) (string, error) {
	var config []benchfmt.Config
	for _, c := range [][2]string{
		{"goos", runtime.GOOS}, {"goarch", runtime.GOARCH}, {"cpu", machine.Processor()}, {"pkg", "github.com/pepgo/pep/testprogs"},
		{"commit", strings.TrimPrefix(machine.Commit(), "commit ")}, {"workload", fmt.Sprintf("%d%%", scale)},
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

// Word makes the name of a variant one word without a slash, as names of benchmarks need it.
func Word(name string) string {
	return strings.NewReplacer(", ", "+", " ", "_", "/", "-").Replace(name)
}

// Line is a result of a program.
func Line(kind, program, variant string, values ...benchfmt.Value) *benchfmt.Result {
	name := kind + "/program=" + program
	if variant != "" {
		name += "/variant=" + Word(variant)
	}
	return &benchfmt.Result{Name: benchfmt.Name(name), Values: values}
}
