//go:build linux && amd64

// Command sampling repeats the experiments of the paper on value sampling.
//
//	go run ./internal/project/cmd/sampling [-rounds 10] [-scale 10] [-bias 20s] [-limit 15m] [-o FILE] [program ...]
//
// A program is the name of a directory in testprogs that needs only one processor. It needs
// the rights of peptrace values. The tables go to standard output, and with -o also to a file, with the machine
// and the command line.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pepgo/pep/internal/project/bench"
	"github.com/pepgo/pep/internal/project/sampling"
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
	flags.IntVar(&e.Rounds, "rounds", 10, "`rounds`")
	flags.IntVar(&e.Scale, "scale", 10, "`percent` of the programs' workload")
	last := flags.Duration("bias", 20*time.Second, "CPU time for which each bias is measured")
	limit := flags.Duration("limit", 15*time.Minute, "begin no round of costs after this time")
	out := flags.String("o", "", "write the tables to a `file`, too")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if e.Rounds < 1 || e.Scale < 1 {
		return errors.New("-rounds and -scale: want 1 or more")
	}
	programs := flags.Args()
	if len(programs) == 0 {
		programs = []string{"flate", "lua", "raytrace"}
	}
	if e.Root, err = os.Getwd(); err != nil {
		return err
	}
	for _, name := range programs {
		if _, err := os.Stat(filepath.Join(e.Root, "testprogs", name)); err != nil {
			return fmt.Errorf("no test program: %w: run it in the directory of the module, with names of directories in testprogs", err)
		}
	}
	if e.Work, err = os.MkdirTemp("", "sampling"); err != nil {
		return err
	}
	defer os.RemoveAll(e.Work)
	found, err := e.Hidden()
	if err != nil {
		return err
	}
	biases, err := e.Bias(*last)
	if err != nil {
		return err
	}
	costs, err := e.Cost(programs, *limit)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("## Hidden invariants (section 3.1)\n\n%s\n## Bias to slow instructions (section 5)\n\n%s\n## Cost (section 3.4)\n\n%s\n%s", sampling.HiddenTable(found), sampling.BiasTable(biases),
		fmt.Sprintf(about, len(costs[0].Programs[0]), strings.Join(programs, ", "), e.Scale, sampling.Interval), sampling.CostTables(costs))
	if _, err := io.WriteString(stdout, text); err != nil || *out == "" {
		return err
	}
	head := bench.Header("Value sampling", "go run ./internal/project/cmd/sampling "+strings.Join(args, " "), time.Now())
	return os.WriteFile(*out, []byte(head+text), 0o644)
}

const about = `%d rounds of %s, each with %d%% of its workload on one processor. An interrupt is every %v: the
paper's 62,000 instructions at 500 MHz and one instruction per cycle. Numbers are means over the programs of the least of the rounds, because other load only adds. The clocks
are those of the program's threads, except in the table for users.

* "CPU time of the program": how much more user and system time it takes than without a sampler; in brackets the quartiles of all programs and rounds. On
  a machine that others use it varies by several percent.
* "In the kernel": the time that our program in the kernel took for the interrupts of the program, as the kernel counts it, as a part of the program's
  CPU time. It is steadier, but has neither the entry into the interrupt nor what the caches lose.
* "And our process": with the CPU time of the sampling process, which counts values and waits. Once for each
  program it looks for where goroutines are, and decodes what is executed; these programs are short for that. The paper's slowdowns contain such work, too.
* "Instructions": interpreted for each interrupt. "Not decoded yet": the part of the interrupts to be interpreted that could not be.
`
