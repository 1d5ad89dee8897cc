package main

// This file opens a run with its program.

import (
	"cmp"

	"github.com/pepgo/pep/analyze/annotate"
	"github.com/pepgo/pep/analyze/executable"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/internal/command"
)

// openProgram opens all files of the runs that some files are of, and puts them beside the source of the
// program. The file of the program may be named; otherwise it is used if it is still where it was, and
// is still what it was.
func openProgram(c *command.Call, names []string, program, sourcePath string) (*annotate.Program, error) {
	r, err := reader(c)
	if err != nil {
		return nil, err
	}
	run, err := r.OpenRun(names, schema.Values, schema.Types, schema.CallTargets)
	if err != nil {
		return nil, err
	}
	file, err := executable.Open(cmp.Or(program, run.Paths.Binary))
	if program != "" && err != nil {
		return nil, err
	}
	if program == "" && (err != nil || file.ID() != run.Paths.BuildID) {
		file = nil
	}
	return annotate.New(annotate.Input{Run: run, Program: file, Source: source.NewTree(sourcePath)})
}
