//go:build linux && amd64

package main

// This file holds the command probe.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/pepgo/pep/internal/command"
	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/tracer"
)

// probeFlags defines the flags of a request.
func probeFlags(c *command.Call) *tracer.ProbeRequest {
	q := &tracer.ProbeRequest{}
	f := c.Flags
	f.IntVar(&q.PID, "p", 0, "")
	matchFlag(c, "f", &q.Func)
	f.BoolVar(&q.Args, "args", false, "")
	f.BoolVar(&q.Results, "results", false, "")
	f.BoolVar(&q.Times, "times", false, "")
	f.BoolVar(&q.Edges, "edges", false, "")
	f.BoolVar(&q.Calls, "calls", false, "")
	f.Func("at", "", func(text string) error {
		l, err := parseLine(text)
		q.Lines = append(q.Lines, l)
		return err
	})
	f.DurationVar(&q.Time, "d", 0, "")
	f.Uint64Var(&q.Limit, "limit", 100_000, "")
	f.UintVar(&q.Values, "values", tracer.DefaultValues, "")
	f.BoolVar(&q.Secrets, "secrets", false, "")
	return q
}

// parseLine parses a line that is written as file.go:12, or with variables as file.go:12=x,y.
// Without an equals sign all variables are recorded, and with nothing behind it none.
func parseLine(text string) (l tracer.Line, err error) {
	at, vars, some := strings.Cut(text, "=")
	file, line, _ := strings.Cut(at, ":")
	n, err := strconv.Atoi(line)
	if err != nil || n < 1 || file == "" {
		return l, errors.New("want file.go:12, or file.go:12=x,y with variables")
	}
	l = tracer.Line{File: file, Line: n, All: !some}
	if vars != "" {
		l.Vars = strings.Split(vars, ",")
	}
	if slices.Contains(l.Vars, "") {
		return l, errors.New("a name is missing: want file.go:12=x,y")
	}
	return l, nil
}

func runProbe(c *command.Call) error {
	q := probeFlags(c)
	n := c.Flags.Int("n", 5, "")
	profile := c.Flags.String("pprof", "", "")
	if err := c.Parse(0, 0); err != nil {
		return err
	}
	if err := q.Check(); err != nil {
		return command.Usagef("probe: %w", err)
	}
	switch {
	case q.Values == 0:
		return command.Usagef("probe: -values 0: want 1 to %d", tracer.MaxValues)
	case *n < 0:
		return command.Usagef("probe: -n %d: want a number of values, or 0 for all", *n)
	}
	// From here on a signal ends the wait and not the command, so it prints what it has.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	result, err := tracer.Probe(ctx, *q, func(probes int) {
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
