package checkouts

// This file compares the benchmarks of packages of several checkouts.

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pepgo/pep/lab/bench/programs"
	"github.com/pepgo/pep/lab/driver"
)

// benchWork is the CPU time that a benchmark should take in a round.
const benchWork = 0.1 // s

// compareBenchmarks runs the benchmarks of opts.Benchmarks, by turns. What go test
// prints is wall-clock time, which on a machine that others use says little. So each
// run is a process of its own with a fixed number of operations, and its CPU time
// counts. A benchmark that one of the checkouts does not have is left out, with a line
// in the log.
func compareBenchmarks(cfg *programs.Config, checkouts []Checkout, opts Options) (rows []Compared, err error) {
	err = cfg.InWork("benchmarks", func(work string) error {
		for _, pkg := range opts.Benchmarks {
			cfg.Logf("%s: building its tests", pkg)
			tests := make([]benchBinary, len(checkouts))
			var all [][]benchmark
			for i, c := range checkouts {
				tests[i] = benchBinary{exe: filepath.Join(work, c.Name+".test"), dir: filepath.Join(c.Root, pkg)}
				if _, err := driver.Tool(c.Root, nil, "go", "test", "-c", "-o", tests[i].exe, pkg); err != nil {
					return fmt.Errorf("checkout %s: %w", c.Name, err)
				}
				r, err := tests[i].run(".", 1, "-test.count=5")
				if err != nil {
					return fmt.Errorf("checkout %s: %w", c.Name, err)
				}
				all = append(all, leastOf(benchmarks(r.Stdout)))
			}
			for _, b := range inAll(cfg, pkg, all, checkouts) {
				cfg.Logf("%s: %s", pkg, b.name)
				row := Compared{What: strings.TrimPrefix(pkg, "./"), Program: b.name, Seconds: make([][]float64, len(checkouts))}
				n := max(int(benchWork/b.seconds), 2)
				for round := range opts.Rounds {
					for i := range checkouts {
						i = (i + round) % len(checkouts)
						r, err := tests[i].run(pattern(b.name), n)
						if err != nil {
							return fmt.Errorf("checkout %s: %w", checkouts[i].Name, err)
						}
						row.Seconds[i] = append(row.Seconds[i], r.CPU.Seconds()/float64(n))
					}
				}
				cfg.Logf("%s", strings.Join(row.cells(), " | "))
				rows = append(rows, row)
			}
		}
		return nil
	})
	return rows, err
}

// A benchBinary is a compiled test of a package.
type benchBinary struct{ exe, dir string }

// run runs the benchmarks that match, each with n operations.
func (b benchBinary) run(pattern string, n int, flags ...string) (driver.Run, error) {
	flags = append(flags, "-test.run=^$", "-test.bench="+pattern, "-test.benchtime="+strconv.Itoa(n)+"x")
	return driver.Tool(b.dir, nil, b.exe, flags...)
}

// leastOf makes one of all runs of the same benchmark.
func leastOf(runs []benchmark) (list []benchmark) {
	for _, r := range runs {
		i := slices.IndexFunc(list, func(b benchmark) bool { return b.name == r.name })
		if i < 0 {
			list = append(list, r)
		} else {
			list[i].seconds = min(list[i].seconds, r.seconds)
		}
	}
	return list
}

// pattern returns the -bench that only the benchmark with a name matches.
func pattern(name string) string {
	words := strings.Split(name, "/")
	for i, word := range words {
		if i == 0 {
			word = "Benchmark" + word
		}
		words[i] = "^" + regexp.QuoteMeta(word) + "$"
	}
	return strings.Join(words, "/")
}

// inAll returns those benchmarks of the last checkout that all checkouts have.
func inAll(cfg *programs.Config, pkg string, all [][]benchmark, checkouts []Checkout) (common []benchmark) {
	var names []string
	has := make(map[string][]bool) // by checkout
	for i, list := range all {
		for _, b := range list {
			if has[b.name] == nil {
				names, has[b.name] = append(names, b.name), make([]bool, len(all))
			}
			has[b.name][i] = true
		}
	}
	for _, name := range names {
		for i, ok := range has[name] {
			if !ok {
				cfg.Logf("%s: checkout %s has no benchmark %s", pkg, checkouts[i].Name, name)
			}
		}
	}
	for _, b := range all[len(all)-1] {
		if !slices.Contains(has[b.name], false) {
			common = append(common, b)
		}
	}
	return common
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
