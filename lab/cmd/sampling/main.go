//go:build linux && amd64

// Command sampling repeats the experiments of the paper on value sampling.
//
//	go run -C lab ./cmd/sampling [-rounds 8] [-scale 40] [-bias 8s] [-limit 11m] [-o FILE] [program ...]
//
// A program is the name of a directory in testprogs, or a command line with a space in it. Without
// programs, all of testprogs and gofmt are sampled. It needs the rights of peptrace values. The tables go to standard output, and with -o also to a file, with the machine
// and the command line.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/pepgo/pep/lab/bench"
	"github.com/pepgo/pep/lab/sampling"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "sampling:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout, stderr io.Writer) (err error) {
	flags := flag.NewFlagSet("sampling", flag.ContinueOnError)
	flags.SetOutput(stderr)
	e := sampling.Experiment{Log: stderr}
	flags.IntVar(&e.Rounds, "rounds", 8, "`rounds` of experiments other than Table 2, which has as many as there is time for")
	flags.IntVar(&e.Scale, "scale", 40, "`percent` of the programs' workload")
	last := flags.Duration("bias", 8*time.Second, "CPU time for which each bias is measured")
	limit := flags.Duration("limit", 11*time.Minute, "begin with no program of Table 2 after this `time`, but in the first round")
	out := flags.String("o", "", "write the tables to a `file`, too")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if e.Rounds < 1 || e.Scale < 1 {
		return errors.New("-rounds and -scale: want 1 or more")
	}
	began := time.Now()
	programs := flags.Args()
	if len(programs) == 0 {
		programs = []string{"bitboard", "filters", "flate", "httpecho", "jsonbench", "lua", "markdown", "printer", "raytrace", "regex", "sortbench", "typecheck", "gofmt -l $GOROOT/src/runtime"}
	}
	if e.Root, err = bench.Root(); err != nil {
		return err
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env GOROOT: %w", err)
	}
	e.Goroot = strings.TrimSpace(string(goroot))
	for _, name := range programs {
		if strings.Contains(name, " ") {
			continue
		}
		if _, err := os.Stat(filepath.Join(e.Root, "testprogs", name)); err != nil {
			return fmt.Errorf("no test program: %w: want names of directories in testprogs", err)
		}
	}
	if e.Work, err = os.MkdirTemp("", "sampling"); err != nil {
		return err
	}
	defer os.RemoveAll(e.Work)
	// Sections are written as they are done: what was measured is there even if the rest fails.
	text := bench.Header("Value sampling", "sampling", args, time.Now())
	section := func(title string, parts ...string) error {
		part := "## " + title + "\n\n" + strings.Join(parts, "\n")
		text += part + "\n"
		_, err := io.WriteString(stdout, part+"\n")
		if err == nil && *out != "" {
			err = os.WriteFile(*out, []byte(strings.TrimSuffix(text, "\n")), 0o644)
		}
		return err
	}
	found, err := e.Hidden()
	if err != nil {
		return err
	}
	if err := section("Hidden invariants (section 3.1)", sampling.HiddenTable(found)); err != nil {
		return err
	}
	biases, err := e.Bias(*last)
	if err != nil {
		return err
	}
	if err := section("Bias to slow instructions (section 5)", sampling.BiasTable(biases)); err != nil {
		return err
	}
	taken, err := e.Taken(e.Rounds, *limit-time.Since(began))
	if err != nil {
		return err
	}
	own := map[string]sampling.Own{}
	for _, x := range taken {
		if x.Measured() {
			fmt.Fprintf(stderr, "our process: %s\n", x.Name)
			if own[x.Name], err = e.Steady(x); err != nil {
				return err
			}
		}
	}
	if err := section("What an interrupt takes", aboutInterrupts, sampling.TakenTable(taken, own)); err != nil {
		return err
	}
	evicted, err := e.Evicted(e.Rounds, *limit-time.Since(began))
	if err != nil {
		return err
	}
	if err := section("What interrupts evict, in place of Table 1 (section 3.3)", aboutEvicted, sampling.EvictedTable(evicted)); err != nil {
		return err
	}
	costs, err := e.Cost(programs, 100, *limit-time.Since(began))
	if err != nil {
		return err
	}
	about := fmt.Sprintf(aboutPrograms, len(programs), e.Scale, sampling.Interval)
	return errors.Join(section("Cost for programs (section 3.4)", about, sampling.CostTables(costs, sampling.Outside(taken))), section("Notes", notes+"* Load of the machine at the end, in running threads: "+bench.Load()+".\n"))
}

const aboutInterrupts = `A program computes and reads the clock every half microsecond. A gap between two readings that is 0.3 µs to
100 µs longer than usual is an interrupt, or another thing that the kernel did for a short time; longer ones are the turns of other programs, and are left out, with their time.
Medians of the rounds, so that other load disturbs little. What caches lose is not in gaps: the
slowdowns of programs, below, have it.

* "Gap": the median of the gaps of a round. The kernel's own clock interrupts are among them, 250 a second on this machine.
* "Of it in our program": what our program in the kernel takes for an interrupt, by the kernel's clock (kernel.bpf_stats_enabled).
* "Our process": CPU time to attach, and then for each second of sampling another program, after the first second, as a part of a processor; with -live it
  also makes a view of all values twice a second.
`

const aboutEvicted = `A program walks over 512 lines of 64 bytes, which is a first cache of 32 KB, by loads that depend on each other. The walk behind an
interrupt takes longer than usual, because lines have to be loaded again. After a walk over other memory, all lines have to be loaded from the second cache: this is 100%.
`

const aboutPrograms = `%d programs on one processor, those of testprogs with %d%% of their workload. An interrupt is every %v: the
paper's 62,000 instructions at 500 MHz and one instruction per cycle. Numbers are means over the programs of the least of the rounds, because other load only adds. The clocks
are those of the program's threads, except in the table for users.

* "In interrupts": the part of the program's CPU time that interrupts took: our program in the kernel as it was measured here, and
  for each interrupt what the gaps above have beyond that. This is the robust number; caches are not in it.
* "CPU time of the program": how much more user and system time it takes than without a sampler, with the standard error over the
  programs; in brackets, here and before, the quartiles of all programs and rounds. On a machine that others use it varies by several percent.
* "And our process": our program in the kernel, and the CPU time of the sampling process, which counts values and waits. Once for each
  program it looks for where goroutines are, and decodes what is executed; these programs are short for that. The paper's slowdowns contain such work, too.
* "Instructions": interpreted for each interrupt. "Not decoded yet": the part of the interrupts to be interpreted that could not be.
`

const notes = `* Each invariant is stated in the source of the experiment, and a build of the program counts it at each evaluation. "matrix" also has the value 16 in a line of its own,
  the length of a matrix, which can come first. Two earlier versions of "format" had a string as the invariant, which is more than one word; it is the third, with one number.
* An earlier loop for the bias had about 24 instructions, and an earlier skip was one random number: the ratio was 75 with a skip of up to 15, and 1.05 with 255.
* CPU times of whole programs vary by more than what differs between most rows. So the verdicts are by the time in interrupts.
`
