package coverage

// This file holds what pep does with files of peptrace cold.

import (
	"errors"
	"io"

	"github.com/pepgo/pep/analyze/cold"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/internal/command"
)

// Cold is the command cold.
func Cold(c *command.Call) error {
	n := c.Number("n", 10, "functions")
	profile := c.Flags.String("coverprofile", "", "")
	lcov := c.Flags.String("lcov", "", "")
	sourcePath := c.Flags.String("source_path", "", "")
	branches := c.Flags.String("table", "", "")
	if err := c.Parse(1, -1); err != nil {
		return err
	}
	d, err := cold.ReadAll(c.Args)
	if err != nil {
		return err
	}
	if *branches != "" {
		table, err := cold.ReadTable(*branches)
		if err == nil {
			err = d.Decide(table)
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(c.Print(cold.NewTable(d, *n), nil), WriteCold(d, *profile, *lcov, *sourcePath))
}

// WriteCold writes the files that are named.
func WriteCold(d *cold.Data, profile, lcov, sourcePath string) (err error) {
	coverage := d.Coverage(source.NewTree(cold.SourcePath(sourcePath)))
	for name, write := range map[string]func(io.Writer) error{profile: coverage.WriteProfile, lcov: coverage.WriteLCOV} {
		if name != "" {
			err = errors.Join(err, command.WriteFile(name, write))
		}
	}
	return err
}

// MergeCold unites files.
func MergeCold(c *command.Call, out string) error {
	d, err := cold.ReadAll(c.Args)
	if err != nil {
		return err
	}
	for _, note := range d.Notes {
		c.Note("%s", note)
	}
	return command.WriteFile(out, func(w io.Writer) error {
		_, err := d.WriteTo(w)
		return err
	})
}
