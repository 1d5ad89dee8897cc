// Package overhead measures what profiling costs the test programs, and shows the results beside those of the PEP paper
// (Bond & McKinley, MICRO 2005, §6).
//
//	cfg := &programs.Config{Root: root, Pepbuild: pepbuild, Packages: "all", Scale: 100, Log: os.Stderr}
//	costs, err := overhead.Measure(cfg, overhead.Options{Rounds: 10})
//	fmt.Print(overhead.Tables(costs))
//
// builds every program in several variants, runs the variants by turns, and
// prints Markdown tables such as
//
//	| variant  | ours, mean | paper, mean |   ours, max | paper, max |           by rounds |
//	|----------|-----------:|------------:|------------:|-----------:|--------------------:|
//	| no ticks |      +2.1% |       +1.1% | +5.0% (lua) |      +5.4% | 1.019 (1.010–1.025) |
//
// Measuring overhead is also a test: it ends with an error if a variant does not print
// what the plain program prints, or exits with another code.
//
// It needs the go command, and for counts of instructions valgrind.
package overhead
