package main

// This file compares values of windows with those of taps.

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/pepgo/pep/lab/bench/values"
	"github.com/pepgo/pep/lab/machine"
)

func (m *measurement) values(args []string) error {
	flags := m.flags("values")
	var opts values.Options
	kinds := flags.String("kinds", "loads,args,results,calls,types", "what is compared, words of -peptaps")
	flags.IntVar(&opts.Runs, "runs", 3,
		"`runs` by windows with notes of all kinds, and with those of calls and types alone")
	flags.IntVar(&opts.Truth, "truth", 100, "`percent` of the workload in runs with full taps")
	flags.StringVar(&opts.Engine, "engine", "R1021", "`engine` that thins the loads, arguments and results of full taps")
	threads := flags.String("threads", "", "`programs` that also run with 1 and with 8 threads, with commas between")
	flags.StringVar(&opts.Dir, "dir", "../build/values",
		"`directory` of executables and profiles; what is there is not made again")
	if err := flags.Parse(args); err != nil {
		return err
	}
	opts.Kinds, opts.Threads = words(*kinds), words(*threads)
	for _, k := range opts.Kinds {
		if !values.IsTapKind(k) {
			return fmt.Errorf("-kinds %s: windows note loads, args, results, calls and types, and no %s", *kinds, k)
		}
	}
	if opts.Runs < 1 || opts.Truth < 1 || len(opts.Kinds) == 0 {
		return fmt.Errorf("-runs %d -truth %d -kinds %q: want 1 or more of each", opts.Runs, opts.Truth, *kinds)
	}
	var err error
	if opts.Dir, err = filepath.Abs(opts.Dir); err != nil {
		return err
	}
	done, err := m.prepare(flags.Args())
	if err != nil {
		return err
	}
	defer done()
	all, err := values.Measure(&m.cfg, opts)
	if err != nil {
		return err
	}
	how := fmt.Sprintf("Runs: %d by windows with notes of %s, as many with those of calls and types alone, by "+
		"turns; workload: %d%%. Full taps: %d%% of the workload; loads, arguments and results by engine %s. Load of the "+
		"machine at the end: %s.\n\n",
		opts.Runs, strings.Join(opts.Kinds, ", "), m.cfg.Scale, opts.Truth, opts.Engine, machine.Load())
	return m.write("Values from windows", how, values.Page(all))
}
