//go:build linux && amd64

package main

// This file holds the command that samples values of running processes.

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/pepgo/pep/internal/command"
	"github.com/pepgo/pep/tracer"
)

// valuesVerbs are the commands that sample values.
var valuesVerbs = []command.Verb{{Name: "values", Usage: valuesUsage, Run: values, Lists: true}}

// valuesFlags defines the flags of a request.
func valuesFlags(c *command.Call) *tracer.SampleRequest {
	q := &tracer.SampleRequest{}
	f := c.Flags
	f.Func("p", "", func(text string) error {
		pid, err := strconv.Atoi(text)
		q.PIDs = append(q.PIDs, pid)
		return err
	})
	f.BoolVar(&q.All, "a", false, "")
	f.BoolVar(&q.Threads, "threads", false, "")
	f.Func("hz", "", func(text string) error {
		hz, err := strconv.ParseFloat(text, 64)
		if err == nil && (!(hz > 0) || hz > 100000) {
			err = errors.New("want interrupts per second, at most 100000")
		}
		q.Interval = time.Duration(float64(time.Second) / hz)
		return err
	})
	f.IntVar(&q.Every, "every", 0, "")
	f.IntVar(&q.Length, "length", 0, "")
	f.StringVar(&q.With, "with", "ebpf", "")
	f.IntVar(&q.Skip, "skip", tracer.DefaultSkip, "")
	f.Func("d", "", func(text string) (err error) {
		q.Time, err = time.ParseDuration(text)
		if err == nil && q.Time <= 0 {
			err = errors.New("want a time above 0")
		}
		return err
	})
	f.StringVar(&q.Out, "o", "", "")
	f.StringVar(&q.Record, "record", "", "")
	matchFlag(c, "f", &q.Select.Func)
	matchFlag(c, "label", &q.Select.Label)
	f.IntVar(&q.Select.N, "n", 3, "")
	f.BoolVar(&q.Select.Secrets, "secrets", false, "")
	inputFlags(c, &q.Input)
	return q
}

func values(c *command.Call) error {
	q := valuesFlags(c)
	live := c.Flags.Bool("live", false, "")
	if err := c.Parse(0, 0); err != nil {
		return err
	}
	if err := q.Check(); err != nil {
		return command.Usagef("values: %w", err)
	}
	switch {
	case !*live && q.Time == 0:
		q.Time = 10 * time.Second
	case *live && c.JSON():
		return command.Usagef("values: -live and -json: choose one")
	case *live:
		if q.Screen, q.Keys = tracer.Terminal(c.Stdout), c.Stdin; q.Screen == nil {
			return errors.New("values: -live: the output is not a terminal; without -live, values are printed when the time is over")
		}
	}
	// Signals are caught before the kernel interrupts anything. The kernel detaches if
	// this process is killed.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	result, err := tracer.Sample(ctx, *q, nil)
	if err != nil {
		return err
	}
	defer result.Close()
	// The values cannot be had again, so they are printed even if they cannot be saved.
	return errors.Join(c.Print(result.Listing(), nil), result.NotSaved)
}

const valuesUsage = `peptrace values [-p PID]... [-a] [-d 10s] [-live] [-hz 997] [-length 4] [-every 1] [-skip 63] [-threads] [-with ebpf] [-o DIR] [-record FILE] [-f regexp] [-label regexp] [-n 3] [-secrets] [-modules operands] [-binary FILE] [-json]

Samples the values that running programs compute, and prints them like "peptrace list".
The programs need not be built in any special way, and are not changed. It needs CAP_BPF and
CAP_PERFMON, or root; for processes of other users CAP_SYS_PTRACE, too. Without these rights,
-with interpret samples processes of the same user. It ends after some time, on
SIGINT, or when the processes end.

	-p PID              sample this process; may be repeated
	-a                  sample all processes
	-d 10s              for how long; with -live, only if it is given
	-live               show on the terminal, twice a second, what find finds so far, and the
	                      instructions that take most CPU time with their values; q or ^C
	                      ends, and prints this a last time
	-hz 997             interrupts per second of each CPU; in a virtual machine one takes some
	                      12 µs, 1.3% of the time. -with ticks has as many values without
	-length 4           instructions that are interpreted at an interrupt; for the module
	                      vreplay 128 if it is not given
	-every 1            interpret at every n-th interrupt; likewise 128 with -with ebpf
	-skip 63            interpret a random number of instructions up to this one first, or
	                      values of slow instructions would be sampled more often than
	                      others of the same loop. It removes this bias from loops of up
	                      to half as many instructions; 255 costs twice as much
	-threads            interrupt threads of the processes, not CPUs
	-with ebpf          who finds out what the instructions compute:
	                      ebpf       the kernel, while the program goes on
	                      ticks      the same at the ticks of the kernel's clock, which
	                                 interrupt the program anyway: mostly 250 a second, and
	                                 not at random; -length is 16 if it is not given
	                      interpret  peptrace, while it has stopped a thread by ptrace
	                    interpret needs no rights but to trace the process, and slows
	                    it down: a tick stops each thread that runs
	-o DIR              add the values to databases in a directory, for list, find, pprof
	-record FILE        also write all runs to a file, for list, find and pprof with any of the
	                      -modules given here, and for watch
	-f regexp           print only functions whose names match
	-label regexp       print only values of goroutines with a label of runtime/pprof that
	                      matches, as key=value. Labels are read from programs built
	                      with Go 1.24 or later: four of a goroutine, and 32 bytes of a
	                      key or value; … is what was cut. -label . is any label
	-n 3                print this many values of a hotlist; 0 is all
	-secrets            print words that look like addresses of memory, or like text, and
	                      the values of labels
	-modules operands   what to sample, as in "peptrace list"
	-binary FILE        the program, for names, if it is not where it ran
	-json               print the listing as JSON; docs/reference/json.md explains its fields

Examples, as root:

	peptrace values -p 4711 -d 5s -o values
	peptrace values -a -record app.recording
	peptrace values -live -p 4711
`
