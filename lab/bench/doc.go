// Package bench measures what profiling costs and how well sampled profiles agree with
// exact ones, on the programs in testprogs. It shows the results beside those of the PEP
// paper (Bond & McKinley, MICRO 2005, §6).
//
//	cfg := &bench.Config{Root: root, Pepbuild: pepbuild, Packages: "all", Scale: 100, Log: os.Stderr}
//	results, err := bench.Overhead(cfg, bench.OverheadOptions{Rounds: 10})
//	fmt.Print(bench.OverheadTables(results))
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
// PaperLines repeats other experiments of the paper, such as one on the beginning of runs, as lines of Go benchmarks:
//
//	text, err := bench.PaperLines(cfg, "one-time", bench.PartOptions{Rounds: 1, Layouts: 1})
//
// It needs the go command, and for counts of instructions valgrind. The package does not judge the results: package
// lab/figure/pepfigures has verdicts.
package bench
