package main

// This file holds the commands: flags in, a function of package report out.

import (
	"cmp"
	"fmt"
	"regexp"
	"runtime/debug"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/report"
	"github.com/pepgo/pep/analyze/source"
)

// open loads a file; "-" is the standard input.
func (c *call) open(name string) (*profile.File, error) {
	if name == "-" {
		return profile.Parse("standard input", c.stdin)
	}
	return profile.Open(name)
}

// openMerged loads one file or adds up several.
func (c *call) openMerged(names []string) (*profile.File, error) {
	var files []*profile.File
	for _, name := range names {
		f, err := c.open(name)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	if len(files) == 1 {
		return files[0], nil
	}
	return profile.Merge(files)
}

func top(c *call) error {
	n := c.flags.Int("n", 10, "")
	byFlow := c.flags.Bool("flow", false, "")
	byCount := c.flags.Bool("count", false, "")
	pattern := c.flags.String("func", "", "")
	sourcePath := c.flags.String("source_path", "", "")
	if err := c.parse(1, -1); err != nil {
		return err
	}
	if *byFlow && *byCount {
		return usagef("top: -flow and -count are two orders: choose one")
	}
	if *n < 0 {
		return usagef("top: -n %d: want a number of paths, or 0 for all", *n)
	}
	options := report.TopOptions{N: *n, ByCount: *byCount}
	if *pattern != "" {
		re, err := regexp.Compile(*pattern)
		if err != nil {
			return usagef("top: -func: %w", err)
		}
		options.Func = re
	}
	f, err := c.openMerged(c.args)
	if err != nil {
		return err
	}
	return report.Top(c.stdout, f, source.NewTree(*sourcePath), options)
}

func list(c *call) error {
	sourcePath := c.flags.String("source_path", "", "")
	if err := c.parse(2, 2); err != nil {
		return err
	}
	re, err := regexp.Compile(c.args[0])
	if err != nil {
		return usagef("list: %w", err)
	}
	f, err := c.open(c.args[1])
	if err != nil {
		return err
	}
	return report.List(c.stdout, f, source.NewTree(*sourcePath), re)
}

func values(c *call) error {
	n := c.flags.Int("n", 5, "")
	pattern := c.flags.String("func", "", "")
	events := c.flags.Int64("events", 1000, "")
	percent := c.flags.Float64("share", 80, "")
	sourcePath := c.flags.String("source_path", "", "")
	if err := c.parse(1, -1); err != nil {
		return err
	}
	if *n < 0 {
		return usagef("values: -n %d: want a number of values, or 0 for all", *n)
	}
	if *percent < 0 || *percent > 100 {
		return usagef("values: -share %g: want a percentage", *percent)
	}
	options := report.ValuesOptions{N: *n, Events: *events, Share: *percent / 100}
	if *pattern != "" {
		re, err := regexp.Compile(*pattern)
		if err != nil {
			return usagef("values: -func: %w", err)
		}
		options.Func = re
	}
	f, err := c.openMerged(c.args)
	if err != nil {
		return err
	}
	return report.Values(c.stdout, f, source.NewTree(*sourcePath), options)
}

// compare is the command accuracy.
func compare(c *call) error {
	if err := c.parse(2, 2); err != nil {
		return err
	}
	exact, err := openRun(c.args[0])
	if err != nil {
		return err
	}
	sampled, err := openRun(c.args[1])
	if err != nil {
		return err
	}
	if !exact.Paths.Exact() {
		return fmt.Errorf("%s is sampled, but the first profile must be exact: swap the two, or take one of a program built with pepbuild -pepmode=exact", c.args[0])
	}
	if err := profile.SameProgram(exact.Paths, sampled.Paths); err != nil {
		return err
	}
	return report.Accuracy(c.stdout, exact, sampled)
}

// openRun loads the two files of a run, given one of them.
func openRun(name string) (report.Run, error) {
	f, err := profile.Open(name)
	if err != nil {
		return report.Run{}, err
	}
	siblingName, err := f.Sibling()
	if err != nil {
		return report.Run{}, err
	}
	sibling, err := profile.Open(siblingName)
	if err != nil {
		return report.Run{}, err
	}
	run := report.Run{Paths: f, Edges: sibling}
	if f.Kind == profile.KindEdges {
		run = report.Run{Paths: sibling, Edges: f}
	}
	return run, profile.SameProgram(run.Paths, run.Edges)
}

func merge(c *call) error {
	out := c.flags.String("o", "", "")
	if err := c.parse(1, -1); err != nil {
		return err
	}
	if *out == "" {
		return usagef("merge: no -o: usage: %s", synopsis("merge"))
	}
	f, err := c.openMerged(c.args)
	if err != nil {
		return err
	}
	return f.Save(*out)
}

func dump(c *call) error {
	if err := c.parse(1, 1); err != nil {
		return err
	}
	f, err := c.open(c.args[0])
	if err != nil {
		return err
	}
	return report.Dump(c.stdout, f)
}

func version(c *call) error {
	if err := c.parse(0, 0); err != nil {
		return err
	}
	v, goVersion := "(devel)", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		v, goVersion = cmp.Or(info.Main.Version, v), info.GoVersion
	}
	_, err := fmt.Fprintln(c.stdout, "pep", v, goVersion)
	return err
}
