package main

// This file holds the command paths.

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/pepgo/pep/lab/bench"
)

func (m *measurement) paths(args []string) error {
	flags := m.flags("paths")
	opts := bench.FigureOptions{Sampled: bench.PEP}
	flags.IntVar(&opts.Runs, "runs", 5, "sampled `runs` of each program, for figures that count")
	flags.IntVar(&opts.Rounds, "rounds", 10, "`runs` of each variant, for figures that measure time")
	flags.StringVar(&opts.Plots, "plots", "", "`directory` for the plots (default: results/figures)")
	flags.DurationVar(&opts.Sampled.Tick, "tick", 0, "CPU `time` between ticks of sampled runs, for figures that count (default: the program's, 10ms)")
	programs := flags.String("programs", "", "`names` of test programs, separated by spaces (default: all)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case opts.Runs < 1 || opts.Rounds < 1:
		return fmt.Errorf("-runs %d -rounds %d: want 1 or more", opts.Runs, opts.Rounds)
	case opts.Sampled.Tick != 0 && opts.Sampled.Tick < 100*time.Microsecond:
		return fmt.Errorf("-tick %v: want 100us or more", opts.Sampled.Tick)
	case flags.NArg() == 0:
		return errors.New("want figures, such as pep-32, or counts, or times")
	}
	figures, err := bench.FindFigures(flags.Args())
	if err != nil {
		return err
	}
	done, err := m.prepare(strings.Fields(*programs))
	if err != nil {
		return err
	}
	defer done()
	if opts.Plots == "" {
		opts.Plots = filepath.Join(m.cfg.Root, "lab", "results", "figures")
	}
	tables, err := bench.RunFigures(&m.cfg, figures, opts)
	if err != nil {
		return err
	}
	return m.write("Figures of path profiling", fmt.Sprintf("Sampled runs, of figures that count: %d. Rounds, of those that measure time: %d. Load of the machine at the end: %s.", opts.Runs, opts.Rounds, bench.Load())+m.workload(), tables)
}
