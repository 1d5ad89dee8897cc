// Package compiler holds the command pgo of pep, which makes profiles for the compiler, and measures what they bring.
//
//	{Name: "pgo", Usage: pgoUsage, Run: compiler.PGO, Lists: true}
package compiler

// This file makes profiles.

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"

	"github.com/pepgo/pep/analyze/pgo"
	"github.com/pepgo/pep/analyze/report"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/cmd/pep/choice"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/internal/command"
)

// PGO is the command pgo.
func PGO(c *command.Call) error {
	out := c.Flags.String("o", "", "")
	n := c.Number("n", 10, "calls")
	cut := c.Percent("cut", 100*pgo.Share)
	sourcePath := c.Flags.String("source_path", "", "")
	check := c.Flags.Bool("check", false, "")
	rounds := c.Flags.Int("rounds", 0, "")
	if slices.ContainsFunc(c.Args, func(arg string) bool { return arg == "-check" || arg == "--check" }) {
		return measureProfiles(c, check, rounds)
	}
	if err := c.Parse(0, -1); err != nil {
		return err
	}
	if set(c, "rounds") != "" {
		return command.Usagef("pgo: -rounds is for -check: usage: %s", c.Synopsis())
	}
	if *out == "" {
		return command.Usagef("pgo: no -o: usage: %s", c.Synopsis())
	}
	f, targets, err := choice.Calls(c, c.Args)
	if err != nil {
		return err
	}
	t, err := report.PGO(f, targets, source.NewTree(*sourcePath), report.PGOOptions{N: *n, Cut: *cut})
	var none *pgo.NoCalls
	dir, there := os.Stat(*out)
	switch both := there == nil && dir.IsDir(); {
	case err != nil && !(both && errors.As(err, &none)):
		return err
	case !both:
		return c.Print(t, f.SaveStacks(*out, pgo.Types, t.Stacks()))
	}
	edges, err := choice.Beside(c, c.Args, f, schema.Edges)
	if err == nil {
		err = edges.Save(filepath.Join(*out, schema.DefaultEdges))
	}
	if err == nil && none == nil {
		err = f.SaveStacks(filepath.Join(*out, "default.pgo"), pgo.Types, t.Stacks())
	}
	switch {
	case err != nil:
		return err
	case none != nil:
		c.Note("%s is in %s: pepbuild build -pepopt=auto takes it for package main there; no default.pgo was written: %v",
			schema.DefaultEdges, *out, none)
		return nil
	}
	c.Note("default.pgo and %s are in %s: pepbuild build -pepopt=auto takes them for package main there, and pep pgo -check measures what they bring", schema.DefaultEdges, *out)
	return c.Print(t, nil)
}

// set returns one of some flags that the command line has set, or "".
func set(c *command.Call, names ...string) (name string) {
	c.Flags.Visit(func(f *flag.Flag) {
		if slices.Contains(names, f.Name) {
			name = f.Name
		}
	})
	return name
}
