package bench

// This file compares the benchmarks of packages of several checkouts.

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// benchTime is how long a benchmark runs in a round. With short and many rounds some
// are not interrupted by other programs.
const benchTime = "20ms"

// compareBenchmarks runs the benchmarks of opts.Benchmarks, by turns. They measure
// wall-clock time. A benchmark that one of the checkouts does not have is left out,
// with a line in the log.
func compareBenchmarks(cfg *Config, checkouts []Checkout, opts CompareOptions) (rows []Compared, err error) {
	err = cfg.inWork("benchmarks", func(work string) error {
		for _, pkg := range opts.Benchmarks {
			cfg.logf("%s: building its tests", pkg)
			exes := make([]string, len(checkouts))
			for i, c := range checkouts {
				exes[i] = filepath.Join(work, c.Name+".test")
				if _, err := tool(c.Root, nil, "go", "test", "-c", "-o", exes[i], pkg); err != nil {
					return fmt.Errorf("checkout %s: %w", c.Name, err)
				}
			}
			all := make([]map[string][]float64, len(checkouts)) // by checkout and benchmark
			var names []string
			for round := range opts.Rounds {
				cfg.logf("%s: round %d of %d", pkg, round+1, opts.Rounds)
				for i, c := range checkouts {
					i = (i + round) % len(checkouts)
					c = checkouts[i]
					r, err := tool(filepath.Join(c.Root, pkg), nil, exes[i], "-test.run=^$", "-test.bench=.", "-test.benchtime="+benchTime)
					if err != nil {
						return fmt.Errorf("checkout %s: %w", c.Name, err)
					}
					if all[i] == nil {
						all[i] = make(map[string][]float64)
					}
					for _, b := range benchmarks(r.Stdout) {
						if all[i][b.name] == nil {
							names = append(names, b.name)
						}
						all[i][b.name] = append(all[i][b.name], b.seconds)
					}
				}
			}
			rows = append(rows, inAll(cfg, pkg, names, all, checkouts)...)
		}
		return nil
	})
	return rows, err
}

// inAll makes rows of the benchmarks that all checkouts have. Names may have a name
// several times.
func inAll(cfg *Config, pkg string, names []string, all []map[string][]float64, checkouts []Checkout) (rows []Compared) {
	done := make(map[string]bool)
	for _, name := range names {
		if done[name] {
			continue
		}
		done[name] = true
		row := Compared{What: strings.TrimPrefix(pkg, "./"), Program: name}
		for i := range checkouts {
			if all[i][name] == nil {
				cfg.logf("%s: checkout %s has no benchmark %s", pkg, checkouts[i].Name, name)
				row.Seconds = nil
				break
			}
			row.Seconds = append(row.Seconds, all[i][name])
		}
		if row.Seconds != nil {
			rows = append(rows, row)
		}
	}
	return rows
}

// A benchmark is a line of the output of go test -bench.
type benchmark struct {
	name    string
	seconds float64 // for one operation
}

var benchmarkLine = regexp.MustCompile(`(?m)^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+(\S+) ns/op`)

// benchmarks reads the output of go test -bench. The number of processors is not part
// of the names.
func benchmarks(output string) (list []benchmark) {
	for _, m := range benchmarkLine.FindAllStringSubmatch(output, -1) {
		if ns, err := strconv.ParseFloat(m[2], 64); err == nil {
			list = append(list, benchmark{m[1], ns / 1e9})
		}
	}
	return list
}
