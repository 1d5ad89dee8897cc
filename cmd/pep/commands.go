package main

// This file holds the commands: each parses flags and calls package report.

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pepgo/pep/analyze/cold"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/report"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/cmd/pep/choice"
	"github.com/pepgo/pep/cmd/pep/coverage"
	"github.com/pepgo/pep/cmd/pep/runfiles"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/internal/command"
	"github.com/pepgo/pep/machine/executable"
)

func top(c *command.Call) error {
	n := c.Number("n", 10, "paths")
	byCount := c.Flags.Bool("count", false, "")
	by := c.OneOf("by", report.Bys...)
	pid := c.Flags.Int("p", 0, "")
	lines := c.Flags.String("pprof", "", "")
	runtime, verbose := c.Flags.Bool("runtime", false, ""), c.Flags.Bool("v", false, "")
	funcs, sourcePath := c.Flags.String("func", "", ""), c.Flags.String("source_path", "", "")
	if err := c.Parse(0, -1); err != nil {
		return err
	}
	if *pid > 0 && len(c.Args) > 0 {
		return command.Usagef("top: want files, or a process, -p PID: usage: %s", c.Synopsis())
	}
	var f *profile.File
	var err error
	if *pid > 0 {
		f, err = choice.Process(c, *pid)
	} else {
		f, err = choice.Open(c, c.Args, schema.Paths)
	}
	if err != nil {
		return err
	}
	re, err := choice.Match(c, *funcs, f.FuncNames())
	if err != nil {
		return err
	}
	if *lines != "" {
		if err := report.SaveLines(f, *lines); err != nil {
			return err
		}
	}
	return c.Print(report.Top(f, source.NewTree(*sourcePath),
		report.TopOptions{N: *n, ByCount: *byCount, By: *by, Func: re, Runtime: *runtime, Verbose: *verbose}))
}

func list(c *command.Call) error {
	program := c.Flags.String("program", "", "")
	sourcePath := c.Flags.String("source_path", "", "")
	if err := c.Parse(1, -1); err != nil {
		return err
	}
	run, p, err := choice.Run(c, c.Args[1:], *program, *sourcePath)
	if err != nil {
		return err
	}
	var names []string
	for _, f := range p.Functions {
		names = append(names, f.Name)
	}
	re, err := choice.Match(c, cmp.Or(c.Args[0], "."), names)
	if err != nil {
		return err
	}
	return c.Print(report.List(run, p, source.NewTree(*sourcePath), re))
}

func values(c *command.Call) error {
	options := report.ValuesOptions{}
	funcs := c.Flags.String("func", "", "")
	n := c.Number("n", 5, "values")
	events := c.Flags.Int64("events", 1000, "")
	share := c.Percent("share", 80)
	c.Flags.BoolVar(&options.OnlySpecialise, "specialise", false, "")
	sourcePath := c.Flags.String("source_path", "", "")
	if err := c.Parse(0, -1); err != nil {
		return err
	}
	files, err := choice.Each(c, c.Args, runfiles.TapKinds...)
	if err != nil {
		return err
	}
	var names []string
	for _, f := range files {
		names = append(names, f.FuncNames()...)
	}
	if options.Func, err = choice.Match(c, *funcs, names); err != nil {
		return err
	}
	if options.Calls, err = choice.Called(c, c.Args, files); err != nil {
		return err
	}
	options.N, options.Events, options.Share = *n, *events, *share
	tables, err := report.AllValues(files, source.NewTree(*sourcePath), options)
	if err != nil {
		return err
	}
	return command.PrintAll(c, tables)
}

func sites(c *command.Call) error {
	options := report.SitesOptions{}
	funcs := c.Flags.String("func", "", "")
	c.Flags.BoolVar(&options.All, "all", false, "")
	layout := c.Flags.Bool("layout", false, "")
	if err := c.Parse(1, -1); err != nil {
		return err
	}
	name, err := choice.ProgramOf(c)
	if err != nil {
		return err
	}
	pkgs, isTable, err := choice.Branches(name)
	if err != nil {
		return err
	}
	if isTable {
		if *layout {
			return command.Usagef("sites: -layout writes the addresses of taps, and %s is a table of branches, which a program without taps has", name)
		}
		if options.Func, err = choice.Match(c, *funcs, report.BranchFunctions(pkgs)); err != nil {
			return err
		}
		return c.Print(report.Branches(name, pkgs, options))
	}
	if *layout {
		if options.All || *funcs != "" || c.JSON() {
			return command.Usagef("sites: -layout writes a file for package hwsim/code, of all taps: it goes with no other flag")
		}
		l, err := executable.OpenLayout(name)
		if err != nil {
			return err
		}
		_, err = l.WriteTo(c.Stdout)
		return err
	}
	f, err := executable.Open(name)
	if err != nil {
		return err
	}
	if options.Func, err = choice.Match(c, *funcs, report.FuncNames(f)); err != nil {
		return err
	}
	t, err := report.Sites(name, f, options)
	if err != nil {
		return err
	}
	t.Actions, err = report.ActionsOf(name)
	return c.Print(t, err)
}

// compare is the command accuracy.
func compare(c *command.Call) error {
	if err := c.Parse(2, -1); err != nil {
		return err
	}
	runs := runfiles.Split(c.Args)
	if len(runs) != 2 {
		return command.Usagef("accuracy: want files of two runs, of an exact one and then of a sampled one, not of %d: usage: %s", len(runs), c.Synopsis())
	}
	r, err := choice.Reader(c)
	if err != nil {
		return err
	}
	open := func(names []string) (*profile.Run, error) {
		names, _, err := runfiles.Find(names, "", schema.Paths)
		if err != nil {
			return nil, err
		}
		return r.OpenRun(names)
	}
	exact, err := open(runs[0])
	if err != nil {
		return err
	}
	sampled, err := open(runs[1])
	if err != nil {
		return err
	}
	if !exact.Paths.Exact() {
		return fmt.Errorf("%s is sampled, but the first profile must be exact: swap the two, or take one of a program built with pepbuild -pepmode=exact", runs[0][0])
	}
	// these have tables of more packages
	if err := profile.SameProgram(exact.Paths, sampled.Paths); err != nil && !sampled.Paths.Windows() {
		return err
	}
	return c.Print(report.Accuracy(exact, sampled))
}

func merge(c *command.Call) error {
	out := c.Flags.String("o", "", "")
	if err := c.Parse(1, -1); err != nil {
		return err
	}
	if *out == "" {
		return command.Usagef("merge: no -o: usage: %s", c.Synopsis())
	}
	if slices.ContainsFunc(c.Args, cold.Is) {
		return coverage.MergeCold(c, *out)
	}
	names, err := runfiles.ToMerge(c.Args, *out)
	if err != nil {
		return err
	}
	f, err := choice.Merged(c, names...)
	if err != nil {
		return err
	}
	if kind := runfiles.Kind(*out); kind != "" && kind != f.Kind {
		return fmt.Errorf("%s counts %s, and not %s as the name of %s says: give files with these, or name it .%s.pb.gz",
			f.Name, f.Kind, kind, *out, f.Kind)
	}
	return f.Save(*out)
}

func dump(c *command.Call) error {
	if err := c.Parse(1, -1); err != nil {
		return err
	}
	var tables []*report.DumpTable
	for _, name := range c.Args {
		f, err := choice.Merged(c, name)
		if err != nil {
			return err
		}
		t, err := report.Dump(f)
		if err != nil {
			return err
		}
		tables = append(tables, t)
	}
	return command.PrintAll(c, tables)
}
