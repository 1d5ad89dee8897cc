// Package coverage holds the command cover of pep.
//
//	{Name: "cover", Usage: coverUsage, Run: coverage.Cover, Lists: true}
package coverage

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/pepgo/pep/analyze/cover"
	"github.com/pepgo/pep/analyze/report"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/cmd/pep/choice"
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/internal/command"
)

// Cover is the command cover.
func Cover(c *command.Call) error {
	mcdc := c.OneOf("mcdc", "masking", "unique")
	lcov := c.Flags.String("lcov", "", "")
	blocks := c.Flags.String("coverprofile", "", "")
	below := c.Flags.String("fail-under", "", "")
	options := cover.Options{}
	c.Flags.BoolVar(&options.Tests, "tests", false, "")
	c.Flags.BoolVar(&options.Generated, "generated", false, "")
	sourcePath := c.Flags.String("source_path", "", "")
	if err := c.Parse(0, -1); err != nil {
		return err
	}
	var goals []cover.Goal
	if *below != "" {
		var err error
		if goals, err = cover.ParseGoals(*below); err != nil {
			return command.Usagef("cover: -fail-under: %w", err)
		}
	}
	runs, err := open(c, c.Args)
	if err != nil {
		return err
	}
	src := source.NewTree(*sourcePath)
	coverage, err := cover.New(runs, src, options)
	if err != nil {
		return err
	}
	for name, write := range map[string]func(io.Writer) error{*lcov: coverage.WriteLCOV, *blocks: coverage.WriteProfile} {
		if name != "" {
			if err := command.WriteFile(name, write); err != nil {
				return err
			}
		}
	}
	if err := c.Print(report.Cover(coverage, *mcdc == "unique", src.Line), nil); err != nil {
		return err
	}
	shown := (*cover.Decision).Masking
	if *mcdc == "unique" {
		shown = (*cover.Decision).Unique
	}
	if missed := coverage.Totals(shown).Missed(goals); missed != "" {
		return errors.New(missed)
	}
	return nil
}

// open opens profiles of paths with their programs. A directory stands for all profiles in it; without names it
// is $PEPDIR or the current one.
func open(c *command.Call, names []string) (runs []cover.Run, err error) {
	r, err := choice.Reader(c)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		names = []string{cmp.Or(os.Getenv("PEPDIR"), ".")}
	}
	for _, name := range names {
		list := []string{name}
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			if list, err = filepath.Glob(filepath.Join(name, "*."+string(schema.Paths)+".pb.gz")); err != nil {
				return nil, err
			}
			if len(list) == 0 {
				return nil, fmt.Errorf("%s: no profiles: pepbuild test -pepmode=cover ./... makes some", name)
			}
		}
		for _, name := range list {
			f, err := r.Open(name)
			if err != nil {
				return nil, err
			}
			if !slices.ContainsFunc(f.Facts, func(l facts.List) bool { return l.Text(facts.Mode) == facts.ModeCover }) {
				return nil, fmt.Errorf("%s: its program was not built for coverage: build it with pepbuild -pepmode=cover, and run it again", name)
			}
			program, err := choice.Program(f, "")
			if err != nil {
				return nil, fmt.Errorf("%s: no site tables beside it, and its program cannot be read: %w", name, err)
			}
			runs = append(runs, cover.Run{Paths: f, Program: program})
		}
	}
	return runs, nil
}
