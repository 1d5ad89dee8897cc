//go:build linux && amd64

package main

// This file holds the command probe.

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/pepgo/pep/internal/command"
	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/internal/tracer/probe"
	"github.com/pepgo/pep/internal/tracer/probe/run"
)

func runProbe(c *command.Call) error {
	var q run.Request
	c.Flags.IntVar(&q.PID, "p", 0, "")
	matchFlag(c, "f", &q.Wish.Func)
	c.Flags.BoolVar(&q.Wish.Args, "args", false, "")
	c.Flags.BoolVar(&q.Wish.Results, "results", false, "")
	c.Flags.BoolVar(&q.Wish.Times, "times", false, "")
	c.Flags.BoolVar(&q.Wish.Edges, "edges", false, "")
	c.Flags.BoolVar(&q.Wish.Calls, "calls", false, "")
	c.Flags.Func("at", "", q.Wish.AddLine)
	c.Flags.DurationVar(&q.Time, "d", 0, "")
	c.Flags.Uint64Var(&q.Limits.Hits, "limit", 100_000, "")
	c.Flags.UintVar(&q.Limits.Values, "values", probe.DefaultValues, "")
	c.Flags.BoolVar(&q.Limits.Secrets, "secrets", false, "")
	n := c.Flags.Int("n", 5, "")
	profile := c.Flags.String("pprof", "", "")
	if err := c.Parse(0, 0); err != nil {
		return err
	}
	if q.PID <= 0 {
		return command.Usagef("probe: which process? give its ID: -p PID")
	}
	if *n < 0 || q.Time < 0 || q.Limits.Values < 1 || q.Limits.Values > probe.MaxValues {
		return command.Usagef("probe: -n and -d cannot be negative, and -values is at least 1 and at most %d", probe.MaxValues)
	}
	if err := q.Wish.Check(); err != nil {
		return command.Usagef("probe: %w", err)
	}
	// From here on a signal ends the wait and not the command, so it prints what it has.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	result, err := run.Probe(ctx, q, func(probes int) {
		fmt.Fprintf(c.Stderr, "peptrace: %s in process %d; ^C ends\n", listing.Count(probes, "probe"), q.PID)
	})
	if err != nil {
		return err
	}
	defer result.Close()
	if *profile != "" {
		if err := os.WriteFile(*profile, result.Table(0).Profile(), 0o600); err != nil {
			return err
		}
	}
	return c.Print(result.Table(*n), nil)
}
