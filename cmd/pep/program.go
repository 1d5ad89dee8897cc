package main

// This file opens a run with its program.

import (
	"cmp"

	"github.com/pepgo/pep/analyze/annotate"
	"github.com/pepgo/pep/analyze/executable"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/internal/command"
)

// openProgram opens the runs that the user means, and puts them beside the source of the program.
func openProgram(c *command.Call, names []string, program, sourcePath string) (*annotate.Program, error) {
	_, p, err := openRun(c, names, program, sourcePath)
	return p, err
}

// openRun opens all files of runs, and puts them beside the source of the program. The file of the
// program may be named; otherwise it is used if it is still where it was, and is still what it was.
func openRun(c *command.Call, names []string, program, sourcePath string) (*profile.Run, *annotate.Program, error) {
	names, err := choose(c, names, schema.Paths)
	if err != nil {
		return nil, nil, err
	}
	r, err := reader(c)
	if err != nil {
		return nil, nil, err
	}
	run, err := r.OpenRun(names, schema.Values, schema.Types, schema.CallTargets)
	if err != nil {
		return nil, nil, err
	}
	file, err := executable.Open(cmp.Or(program, run.Paths.Binary))
	if program != "" && err != nil {
		return nil, nil, err
	}
	if program == "" && (err != nil || file.ID() != run.Paths.BuildID) {
		file = nil
	}
	p, err := annotate.New(annotate.Input{Run: run, Program: file, Source: source.NewTree(sourcePath)})
	return run, p, err
}
