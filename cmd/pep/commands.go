package main

// This file holds the commands: flags in, a function of package report out.

import (
	"fmt"
	"os"
	"regexp"
	"runtime/debug"

	"github.com/pepgo/pep/analyze/executable"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/report"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/internal/command"
	"github.com/pepgo/pep/runtime/schema"
)

// reader returns what loads files, "-" being the standard input. The program as a
// whole keeps to the memory that it has, as far as the garbage collector can see
// to it.
func reader(c *command.Call) (*profile.Reader, error) {
	memory, err := profile.MemoryFrom(os.Getenv)
	if err != nil {
		return nil, command.Usagef("%w", err)
	}
	debug.SetMemoryLimit(memory)
	return &profile.Reader{Memory: memory, Stdin: c.Stdin}, nil
}

// openMerged loads one file or adds up several.
func openMerged(c *command.Call, names ...string) (*profile.File, error) {
	r, err := reader(c)
	if err != nil {
		return nil, err
	}
	return r.OpenMerged(names...)
}

func top(c *command.Call) error {
	n := c.Flags.Int("n", 10, "")
	byFlow := c.Flags.Bool("flow", false, "")
	byCount := c.Flags.Bool("count", false, "")
	pattern := c.Flags.String("func", "", "")
	sourcePath := c.Flags.String("source_path", "", "")
	if err := c.Parse(1, -1); err != nil {
		return err
	}
	if *byFlow && *byCount {
		return command.Usagef("top: -flow and -count are two orders: choose one")
	}
	if *n < 0 {
		return command.Usagef("top: -n %d: want a number of paths, or 0 for all", *n)
	}
	options := report.TopOptions{N: *n, ByCount: *byCount}
	if *pattern != "" {
		re, err := regexp.Compile(*pattern)
		if err != nil {
			return command.Usagef("top: -func: %w", err)
		}
		options.Func = re
	}
	f, err := openMerged(c, c.Args...)
	if err != nil {
		return err
	}
	return report.Top(c.Stdout, f, source.NewTree(*sourcePath), options)
}

func list(c *command.Call) error {
	sourcePath := c.Flags.String("source_path", "", "")
	if err := c.Parse(2, 2); err != nil {
		return err
	}
	re, err := regexp.Compile(c.Args[0])
	if err != nil {
		return command.Usagef("list: %w", err)
	}
	f, err := openMerged(c, c.Args[1])
	if err != nil {
		return err
	}
	return report.List(c.Stdout, f, source.NewTree(*sourcePath), re)
}

func values(c *command.Call) error {
	n := c.Flags.Int("n", 5, "")
	pattern := c.Flags.String("func", "", "")
	events := c.Flags.Int64("events", 1000, "")
	percent := c.Flags.Float64("share", 80, "")
	sourcePath := c.Flags.String("source_path", "", "")
	if err := c.Parse(1, -1); err != nil {
		return err
	}
	if *n < 0 {
		return command.Usagef("values: -n %d: want a number of values, or 0 for all", *n)
	}
	if *percent < 0 || *percent > 100 {
		return command.Usagef("values: -share %g: want a percentage", *percent)
	}
	options := report.ValuesOptions{N: *n, Events: *events, Share: *percent / 100}
	if *pattern != "" {
		re, err := regexp.Compile(*pattern)
		if err != nil {
			return command.Usagef("values: -func: %w", err)
		}
		options.Func = re
	}
	f, err := openMerged(c, c.Args...)
	if err != nil {
		return err
	}
	return report.Values(c.Stdout, f, source.NewTree(*sourcePath), options)
}

func sites(c *command.Call) error {
	all := c.Flags.Bool("all", false, "")
	pattern := c.Flags.String("func", "", "")
	if err := c.Parse(1, 1); err != nil {
		return err
	}
	options := report.SitesOptions{All: *all}
	if *pattern != "" {
		re, err := regexp.Compile(*pattern)
		if err != nil {
			return command.Usagef("sites: -func: %w", err)
		}
		options.Func = re
	}
	f, err := executable.Open(c.Args[0])
	if err != nil {
		return err
	}
	return report.Sites(c.Stdout, c.Args[0], f, options)
}

// compare is the command accuracy.
func compare(c *command.Call) error {
	if err := c.Parse(2, 2); err != nil {
		return err
	}
	r, err := reader(c)
	if err != nil {
		return err
	}
	exact, err := openRun(r, c.Args[0])
	if err != nil {
		return err
	}
	sampled, err := openRun(r, c.Args[1])
	if err != nil {
		return err
	}
	if !exact.Paths.Exact() {
		return fmt.Errorf("%s is sampled, but the first profile must be exact: swap the two, or take one of a program built with pepbuild -pepmode=exact", c.Args[0])
	}
	if err := profile.SameProgram(exact.Paths, sampled.Paths); err != nil {
		return err
	}
	return report.Accuracy(c.Stdout, exact, sampled)
}

// openRun loads the two files of a run, given one of them.
func openRun(r *profile.Reader, name string) (report.Run, error) {
	f, err := r.Open(name)
	if err != nil {
		return report.Run{}, err
	}
	siblingName, err := f.Sibling()
	if err != nil {
		return report.Run{}, err
	}
	sibling, err := r.Open(siblingName)
	if err != nil {
		return report.Run{}, err
	}
	run := report.Run{Paths: f, Edges: sibling}
	if f.Kind == schema.Edges {
		run = report.Run{Paths: sibling, Edges: f}
	}
	return run, profile.SameProgram(run.Paths, run.Edges)
}

func merge(c *command.Call) error {
	out := c.Flags.String("o", "", "")
	if err := c.Parse(1, -1); err != nil {
		return err
	}
	if *out == "" {
		return command.Usagef("merge: no -o: usage: %s", c.Synopsis())
	}
	f, err := openMerged(c, c.Args...)
	if err != nil {
		return err
	}
	return f.Save(*out)
}

func dump(c *command.Call) error {
	if err := c.Parse(1, 1); err != nil {
		return err
	}
	f, err := openMerged(c, c.Args[0])
	if err != nil {
		return err
	}
	return report.Dump(c.Stdout, f)
}
