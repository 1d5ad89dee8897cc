//go:build linux && amd64

package main

// This file holds the command that samples values of running processes.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/pepgo/pep/internal/command"
	"github.com/pepgo/pep/internal/tracer/database"
	"github.com/pepgo/pep/internal/tracer/micro"
	"github.com/pepgo/pep/internal/tracer/modules"
	"github.com/pepgo/pep/internal/tracer/programs"
	"github.com/pepgo/pep/internal/tracer/report"
	"github.com/pepgo/pep/internal/tracer/sampler"
)

func values(c *command.Call) error {
	var o sampler.Options
	c.Flags.Func("p", "", func(text string) error {
		pid, err := strconv.Atoi(text)
		o.PIDs = append(o.PIDs, pid)
		return err
	})
	c.Flags.BoolVar(&o.All, "a", false, "")
	c.Flags.BoolVar(&o.Threads, "threads", false, "")
	hz := c.Flags.Float64("hz", 997, "")
	c.Flags.IntVar(&o.Every, "every", 1, "")
	c.Flags.IntVar(&o.Length, "length", 4, "")
	c.Flags.IntVar(&o.Skip, "skip", 15, "")
	duration := c.Flags.Duration("d", 10*time.Second, "")
	out := c.Flags.String("o", "", "")
	list := report.ListOptions{}
	matchFlag(c, "f", &list.Func)
	c.Flags.IntVar(&list.N, "n", 3, "")
	c.Flags.BoolVar(&list.Secrets, "secrets", false, "")
	f := newSampledFlags(c)
	if err := c.Parse(0, 0); err != nil {
		return err
	}
	if len(o.PIDs) == 0 && !o.All {
		return command.Usagef("values: no process: give -p PID, or -a for all")
	}
	if !(*hz > 0) || *hz > 100000 {
		return command.Usagef("values: -hz %g: want interrupts per second, at most 100000", *hz)
	}
	o.Interval = time.Duration(float64(time.Second) / *hz)
	names := programs.New(f.binary)
	defer names.Close()
	var err error
	if o.Modules, err = modules.Parse(f.modules, names); err != nil {
		return command.Usagef("values: -modules: %w", err)
	}
	// Signals are caught before the kernel interrupts anything. The kernel detaches if
	// this process is killed.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s, err := sampler.Attach(o)
	if err != nil {
		return err
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(ctx, *duration)
	defer cancel()
	db := database.New()
	collector := db.Collector(o.Modules, database.Settings{Interval: uint64(o.Interval)})
	if err := report.Follow(ctx, s, collector, nil, nil); err != nil {
		return err
	}
	st, err := s.Stats()
	if err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return err
	}
	fmt.Fprintf(c.Stderr, "%d interrupts: %d in the kernel, %d at code not decoded yet, %d runs, of which %d were lost and %d ended early\n",
		st.Interrupts, st.Kernel, st.Missed+st.Stale, st.Runs, st.Dropped, st.Runs-st.Stops[micro.Done])
	// The values cannot be had again, so they are printed even if they cannot be saved.
	if *out != "" {
		_, err = db.Save(*out)
	}
	return errors.Join(c.Print(report.List(db, names, list), nil), err)
}

const valuesUsage = `peptrace values [-p PID]... [-a] [-d 10s] [-hz 997] [-length 4] [-every 1] [-skip 15] [-threads] [-o DIR] [-f regexp] [-n 3] [-secrets] [-modules operands] [-binary FILE]

Samples the values that running programs compute, and prints them like "peptrace list".
The programs need not be built in any special way, and are not changed. It needs CAP_BPF and
CAP_PERFMON, or root; for processes of other users CAP_SYS_PTRACE, too. It ends after
some time, on SIGINT, or when the processes end.

	-p PID              sample this process; may be repeated
	-a                  sample all processes
	-d 10s              for how long
	-hz 997             interrupts per second of each CPU
	-length 4           instructions that are interpreted at an interrupt
	-every 1            interpret at every n-th interrupt
	-skip 15            interpret a random number of instructions up to this one first, or
	                      values of slow instructions would be sampled more often than
	                      others of the same loop
	-threads            interrupt threads of the processes, not CPUs
	-o DIR              add the values to databases in a directory, for list, find, pprof
	-f regexp           print only functions whose names match
	-n 3                print this many values of a hotlist; 0 is all
	-secrets            print words that look like addresses of memory, or like text
	-modules operands   what to sample, as in "peptrace list"
	-binary FILE        the program, for names, if it is not where it ran
`
