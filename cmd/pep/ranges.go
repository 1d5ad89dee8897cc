package main

// This file holds the command ranges.

import (
	"cmp"

	"github.com/pepgo/pep/analyze/report"
	"github.com/pepgo/pep/cmd/pep/choice"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/internal/command"
	"github.com/pepgo/pep/machine/executable"
)

func ranges(c *command.Call) error {
	options := report.RangesOptions{}
	funcs := c.Flags.String("func", "", "")
	c.Regexp("site", &options.Site)
	phi := c.Percent("phi", 10)
	cover := c.Percents("cover", 50, 80, 95)
	svg := c.Flags.String("svg", "", "")
	stacks := c.Flags.String("pprof", "", "")
	program := c.Flags.String("program", "", "")
	if err := c.Parse(0, -1); err != nil {
		return err
	}
	options.Hot, options.Cover = *phi, *cover
	f, err := choice.Open(c, c.Args, schema.Edges, schema.Values)
	if err != nil {
		return err
	}
	if options.Func, err = choice.Match(c, *funcs, f.FuncNames()); err != nil {
		return err
	}
	options.Memory, err = executable.OpenMemory(cmp.Or(*program, f.Binary), f.BuildID)
	if err != nil && *program != "" {
		return err
	}
	options.NoMemory = err
	t, err := report.Ranges(f, options)
	if err != nil {
		return err
	}
	if *svg != "" {
		if err := command.WriteFile(*svg, t.WriteSVG); err != nil {
			return err
		}
	}
	if *stacks != "" {
		if err := f.SaveStacks(*stacks, []string{"events"}, t.Stacks()); err != nil {
			return err
		}
	}
	return c.Print(t, nil)
}
