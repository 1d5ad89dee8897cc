// Package coverage holds the command cover of pep.
//
//	{Name: "cover", Usage: coverUsage, Run: coverage.Cover, Lists: true}
package coverage

import (
	"cmp"
	"errors"
	"io"
	"os"

	"github.com/pepgo/pep/analyze/cover"
	"github.com/pepgo/pep/analyze/report"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/cmd/pep/choice"
	"github.com/pepgo/pep/cmd/pep/runfiles"
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
	r, err := choice.Reader(c)
	if err != nil {
		return err
	}
	names, err := profilesOf(c)
	if err != nil {
		return err
	}
	paths, tables, err := cover.Open(r, names...)
	if err != nil {
		return err
	}
	src := source.NewTree(*sourcePath)
	coverage, err := cover.New(paths, tables, src, options)
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
	if missed := coverage.Missed(goals, shown); missed != "" {
		return errors.New(missed)
	}
	return nil
}

// profilesOf returns the directories, the profiles of paths and the site tables that the user means.
func profilesOf(c *command.Call) (names []string, err error) {
	var files []string
	for _, name := range c.Args {
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			names = append(names, name)
		} else {
			files = append(files, name)
		}
	}
	if len(c.Args) == 0 {
		names = []string{cmp.Or(os.Getenv("PEPDIR"), ".")}
	}
	if len(files) > 0 {
		found, note, err := runfiles.Find(files, "", schema.Paths)
		if err != nil {
			return nil, err
		}
		if note != "" {
			c.Note("%s", note)
		}
		names = append(names, found...)
	}
	return names, nil
}
