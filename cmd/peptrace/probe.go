//go:build linux && amd64

package main

// This file holds the command probe.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/pepgo/pep/internal/command"
	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/tracer"
)

func runProbe(c *command.Call) error {
	var q tracer.ProbeRequest
	q.Flags(c.Flags)
	n := c.Flags.Int("n", 5, "")
	profile := c.Flags.String("pprof", "", "")
	if err := c.Parse(0, 0); err != nil {
		return err
	}
	if err := q.Check(); err != nil {
		return command.Usagef("probe: %w", err)
	}
	if *n < 0 {
		return command.Usagef("probe: -n %d: want a number of values, or 0 for all", *n)
	}
	// From here on a signal ends the wait and not the command, so it prints what it has.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	result, err := tracer.Probe(ctx, q, func(probes int) {
		fmt.Fprintf(c.Stderr, "peptrace: %s in process %d; ^C ends\n", listing.Count(probes, "probe"), q.PID)
	})
	if err != nil {
		return err
	}
	defer result.Close()
	// The counts cannot be had again, so they are printed even if the profile is lost.
	if *profile != "" {
		err = os.WriteFile(*profile, result.Table(0).Profile(), 0o600)
	}
	return errors.Join(c.Print(result.Table(*n), nil), err)
}
