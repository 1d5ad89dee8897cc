//go:build linux && amd64

package main

// This file holds the command probe.

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/pepgo/pep/internal/command"
	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/internal/tracer/image"
	"github.com/pepgo/pep/internal/tracer/probe"
	"github.com/pepgo/pep/internal/tracer/probe/table"
	"github.com/pepgo/pep/internal/tracer/process"
)

// probeFlags are the flags of probe.
type probeFlags struct {
	pid, n  int
	limits  probe.Limits
	wish    probe.Wish
	time    time.Duration
	profile string
}

func parseProbe(c *command.Call) (f probeFlags, err error) {
	c.Flags.IntVar(&f.pid, "p", 0, "")
	c.Flags.Func("f", "", func(text string) (err error) {
		f.wish.Func, err = regexp.Compile(text)
		return err
	})
	c.Flags.BoolVar(&f.wish.Args, "args", false, "")
	c.Flags.BoolVar(&f.wish.Results, "results", false, "")
	c.Flags.BoolVar(&f.wish.Times, "times", false, "")
	c.Flags.BoolVar(&f.wish.Edges, "edges", false, "")
	c.Flags.BoolVar(&f.wish.Calls, "calls", false, "")
	c.Flags.Func("at", "", func(text string) error {
		file, line, _ := strings.Cut(text, ":")
		n, err := strconv.Atoi(line)
		if err != nil || n < 1 || file == "" {
			return fmt.Errorf("want file.go:12")
		}
		f.wish.Lines = append(f.wish.Lines, probe.Position{File: file, Line: n})
		return nil
	})
	c.Flags.DurationVar(&f.time, "d", 0, "")
	c.Flags.Uint64Var(&f.limits.Hits, "limit", 100_000, "")
	values := c.Flags.Uint("values", probe.DefaultValues, "")
	c.Flags.IntVar(&f.n, "n", 5, "")
	c.Flags.BoolVar(&f.limits.Secrets, "secrets", false, "")
	c.Flags.StringVar(&f.profile, "pprof", "", "")
	if err := c.Parse(0, 0); err != nil {
		return f, err
	}
	w := f.wish
	switch {
	case f.pid <= 0:
		return f, command.Usagef("probe: which process? give its ID: -p PID")
	case w.Func == nil && len(w.Lines) == 0:
		return f, command.Usagef("probe: what should be probed? give functions, -f regexp, or lines, -at file.go:12")
	case w.Func == nil && (w.Args || w.Results || w.Times || w.Edges || w.Calls):
		return f, command.Usagef("probe: -args, -results, -times, -edges and -calls are about functions: give them too, -f regexp")
	case *values < 1 || *values > 1<<16:
		return f, command.Usagef("probe: -values %d: want 1 to 65536", *values)
	case f.n < 0 || f.time < 0:
		return f, command.Usagef("probe: -n and -d cannot be negative")
	}
	f.limits.Values = uint32(*values)
	return f, nil
}

func runProbe(c *command.Call) error {
	f, err := parseProbe(c)
	if err != nil {
		return err
	}
	// From here on a signal ends the wait and not the command, so it prints what it has.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	p, err := process.Open(f.pid)
	if err != nil {
		return err
	}
	defer p.Close()
	im, err := image.OpenProcess(f.pid)
	if err != nil {
		return err
	}
	defer im.Close()
	plan, err := probe.Choose(im, f.wish)
	if err != nil {
		return fmt.Errorf("process %d, %s: %w", f.pid, p.Path, err)
	}
	s, err := probe.Attach(p, plan, f.limits)
	if err != nil {
		return err
	}
	defer s.Close()
	fmt.Fprintf(c.Stderr, "peptrace: %s in process %d; ^C ends\n", listing.Count(len(plan.Sites), "probe"), f.pid)
	if f.time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.time)
		defer cancel()
	}
	run := table.Run{Process: f.pid, Program: p.Path, BuildID: fmt.Sprintf("%x", im.GNUID), Began: time.Now().UnixNano(), Secrets: f.limits.Secrets}
	if run.Ended, err = s.Watch(ctx); err != nil {
		return err
	}
	run.Duration = time.Now().UnixNano() - run.Began
	counts, err := s.Read()
	if err != nil {
		return err
	}
	plan.Skipped = append(plan.Skipped, s.Refused()...)
	if f.profile != "" {
		all := table.New(plan, counts, run, table.Of(im), 0)
		if err := os.WriteFile(f.profile, all.Profile(), 0o600); err != nil {
			return err
		}
	}
	return c.Print(table.New(plan, counts, run, table.Of(im), f.n), nil)
}
