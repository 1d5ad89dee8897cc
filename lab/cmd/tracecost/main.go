//go:build linux && amd64

// Command tracecost measures what probes cost, beside bpftrace and Delve if they are there.
//
//	go run -C lab ./cmd/tracecost [-rounds 10] [-calls 300000] [-bpftrace bpftrace] [-dlv dlv] [-o FILE]
//
// It needs the rights of peptrace. The table goes to standard output, and with -o also to a
// file, with the machine and the command line.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/pepgo/pep/lab/machine"
	"github.com/pepgo/pep/lab/tracecost"
	"github.com/pepgo/pep/lab/wrap"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "tracecost:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("tracecost", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var cfg tracecost.Config
	flags.IntVar(&cfg.Rounds, "rounds", 10, "`rounds`")
	flags.IntVar(&cfg.Calls, "calls", 300_000, "`calls` in a round")
	flags.StringVar(&cfg.Bpftrace, "bpftrace", "bpftrace", "the `command` bpftrace")
	flags.StringVar(&cfg.Delve, "dlv", "dlv", "the `command` dlv")
	out := flags.String("o", "", "write the table to a `file`, too")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if cfg.Rounds < 1 || cfg.Calls < 1 {
		return errors.New("-rounds and -calls: want 1 or more")
	}
	for _, tool := range []*string{&cfg.Bpftrace, &cfg.Delve} {
		if _, err := exec.LookPath(*tool); err != nil {
			fmt.Fprintf(stderr, "left out: %v\n", err)
			*tool = ""
		}
	}
	rows, err := tracecost.Measure(cfg, stderr)
	if err != nil {
		return err
	}
	table := tracecost.Table(rows) + tracecost.Verdicts(rows)
	if _, err := io.WriteString(stdout, table); err != nil || *out == "" {
		return err
	}
	how := fmt.Sprintf("Rounds: %d, with %d calls each. The first line is the CPU time of a call; the others are what a tracer adds to it. Delve stops the program, so its time is that on the clock. Load of the machine at the end, in running threads: %s.\n\n", cfg.Rounds, cfg.Calls, machine.Load())
	text := machine.Header("Cost of probes", "tracecost", args, time.Now())
	return os.WriteFile(*out, []byte(wrap.Page(text+how+table)), 0o644)
}
