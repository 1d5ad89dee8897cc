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
	f, err := choice.Open(c, c.Args, schema.Paths, schema.CallTargets)
	if err != nil {
		return err
	}
	t, noPGO := report.PGO(f, source.NewTree(*sourcePath), report.PGOOptions{N: *n, Cut: *cut})
	dir, err := os.Stat(*out)
	var none *pgo.NoCalls
	if both := err == nil && dir.IsDir(); noPGO != nil && !(both && errors.As(noPGO, &none)) {
		return noPGO
	} else if !both {
		return c.Print(t, f.SaveStacks(*out, pgo.Types, t.Stacks()))
	}
	names := c.Args
	if len(names) == 0 {
		names = []string{f.Name}
	}
	edges, err := choice.Open(c, names, schema.Edges)
	if err != nil {
		return err
	}
	if err := edges.Save(filepath.Join(*out, schema.DefaultEdges)); err != nil {
		return err
	}
	calls := filepath.Join(*out, "default.pgo")
	if none != nil {
		old := ""
		if _, err := os.Stat(calls); err == nil {
			old = ", and the one that is there stays as it was"
		}
		c.Note("%s is in %s: pepbuild build -pepopt=auto takes it for package main there. No default.pgo was written%s: %v", schema.DefaultEdges, *out, old, none)
		return nil
	}
	err = f.SaveStacks(calls, pgo.Types, t.Stacks())
	if err == nil {
		c.Note("default.pgo and %s are in %s: pepbuild build -pepopt=auto takes them for package main there, and pep pgo -check measures what they bring", schema.DefaultEdges, *out)
	}
	return c.Print(t, err)
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
