//go:build linux && amd64

package main

// This file holds the commands that show what the value sampler has found.

import (
	"context"
	"os"
	"os/signal"
	"regexp"
	"syscall"

	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/internal/command"
	"github.com/pepgo/pep/tracer"
)

// sampledVerbs are the commands about sampled values.
var sampledVerbs = []command.Verb{
	{Name: "list", Usage: listUsage, Run: list, Lists: true},
	{Name: "find", Usage: findUsage, Run: find, Lists: true},
	{Name: "watch", Usage: watchUsage, Run: watch},
	{Name: "pprof", Usage: pprofUsage, Run: pprof},
	{Name: "merge", Usage: mergeUsage, Run: merge},
}

// inputFlags defines the flags that all of these commands have.
func inputFlags(c *command.Call, in *tracer.Input) {
	c.Flags.StringVar(&in.Modules, "modules", "operands", "")
	c.Flags.StringVar(&in.Binary, "binary", "", "")
}

// open reads the databases and recordings that are the arguments.
func open(c *command.Call, in tracer.Input) (*tracer.Values, error) {
	if err := in.Check(); err != nil {
		return nil, command.Usagef("%s: %w", c.Flags.Name(), err)
	}
	return tracer.Open(in, c.Args...)
}

// matchFlag defines a flag that is a regular expression. Without it *re stays nil.
func matchFlag(c *command.Call, name string, re **regexp.Regexp) {
	c.Flags.Func(name, "", func(text string) (err error) {
		*re, err = regexp.Compile(text)
		return err
	})
}

// listingFlags are the flags of commands that print values.
type listingFlags struct {
	tracer.Input
	tracer.Selection
	source string
}

func newListingFlags(c *command.Call, n int) *listingFlags {
	f := &listingFlags{}
	inputFlags(c, &f.Input)
	matchFlag(c, "f", &f.Func)
	matchFlag(c, "label", &f.Label)
	c.Flags.IntVar(&f.N, "n", n, "")
	c.Flags.BoolVar(&f.Secrets, "secrets", false, "")
	c.Flags.StringVar(&f.source, "source_path", "", "")
	return f
}

// parse parses the command line, with so many arguments. N counts things.
func (f *listingFlags) parse(c *command.Call, least, most int, things string) error {
	if err := c.Parse(least, most); err != nil {
		return err
	}
	if f.N < 0 {
		return command.Usagef("%s: -n %d: want a number of %s, or 0 for all", c.Flags.Name(), f.N, things)
	}
	f.Source = source.NewTree(f.source)
	return nil
}

func list(c *command.Call) error {
	f := newListingFlags(c, 3)
	matchFlag(c, "kind", &f.Kind)
	if err := f.parse(c, 1, -1, "values"); err != nil {
		return err
	}
	values, err := open(c, f.Input)
	if err != nil {
		return err
	}
	defer values.Close()
	return c.Print(values.List(f.Selection), nil)
}

func find(c *command.Call) error {
	f := newListingFlags(c, 10)
	c.Flags.BoolVar(&f.Static, "addresses", false, "")
	if err := f.parse(c, 1, -1, "rows"); err != nil {
		return err
	}
	values, err := open(c, f.Input)
	if err != nil {
		return err
	}
	defer values.Close()
	return c.Print(values.Find(f.Selection), nil)
}

func watch(c *command.Call) error {
	f := newListingFlags(c, 10)
	c.Flags.BoolVar(&f.Static, "addresses", false, "")
	speed := c.Flags.Float64("speed", 1, "")
	if err := f.parse(c, 1, 1, "rows"); err != nil {
		return err
	}
	q := tracer.ReplayRequest{Input: f.Input, File: c.Args[0], Speed: *speed, Screen: tracer.Terminal(c.Stdout),
		Select: f.Selection}
	if err := q.Check(); err != nil {
		return command.Usagef("watch: %w", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	values, err := tracer.Replay(ctx, q)
	if err != nil {
		return err
	}
	defer values.Close()
	return c.Print(values.Find(f.Selection), nil)
}

func pprof(c *command.Call) error {
	out := c.Flags.String("o", "", "")
	var s tracer.Selection
	c.Flags.BoolVar(&s.Secrets, "secrets", false, "")
	matchFlag(c, "label", &s.Label)
	var in tracer.Input
	inputFlags(c, &in)
	if err := c.Parse(1, -1); err != nil {
		return err
	}
	if *out == "" {
		return command.Usagef("pprof: no -o: usage: %s", c.Synopsis())
	}
	values, err := open(c, in)
	if err != nil {
		return err
	}
	defer values.Close()
	data, err := values.Profile(s)
	if err != nil {
		return err
	}
	return os.WriteFile(*out, data, 0o600)
}

func merge(c *command.Call) error {
	out := c.Flags.String("o", "", "")
	var in tracer.Input
	inputFlags(c, &in)
	if err := c.Parse(1, -1); err != nil {
		return err
	}
	if *out == "" {
		return command.Usagef("merge: no -o: usage: %s", c.Synopsis())
	}
	values, err := open(c, in)
	if err != nil {
		return err
	}
	defer values.Close()
	return values.Save(*out)
}
