package choice

// This file opens what the user means.

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"regexp"
	"runtime/debug"

	"github.com/pepgo/pep/analyze/annotate"
	"github.com/pepgo/pep/analyze/executable"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/cmd/pep/snapshot"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/internal/command"
)

// Reader returns a reader of profiles; "-" names the standard input. It also asks the
// garbage collector to keep the program within the reader's memory.
func Reader(c *command.Call) (*profile.Reader, error) {
	memory, err := profile.MemoryFrom(os.Getenv)
	if err != nil {
		return nil, command.Usagef("%w", err)
	}
	debug.SetMemoryLimit(memory)
	return &profile.Reader{Memory: memory, Stdin: c.Stdin}, nil
}

// Merged loads one file or adds up several.
func Merged(c *command.Call, names ...string) (*profile.File, error) {
	r, err := Reader(c)
	if err != nil {
		return nil, err
	}
	return r.OpenMerged(names...)
}

// choose returns the names of the profiles that the user means, and says which, if the user did not.
func choose(c *command.Call, names []string, kinds ...schema.Kind) ([]string, error) {
	found, note, err := Files(names, cmp.Or(os.Getenv("PEPDIR"), "."), kinds...)
	if err != nil {
		return nil, command.Usagef("%s: %w", c.Flags.Name(), err)
	}
	if note != "" {
		c.Note("%s", note)
	}
	return found, nil
}

// Open loads the profiles that the user means, added up.
func Open(c *command.Call, names []string, kinds ...schema.Kind) (*profile.File, error) {
	found, err := choose(c, names, kinds...)
	if err != nil {
		return nil, err
	}
	return Merged(c, found...)
}

// Beside opens the files of another kind of the run that f, which Open has opened for names, is of.
func Beside(c *command.Call, names []string, f *profile.File, kind schema.Kind) (*profile.File, error) {
	if len(names) == 0 {
		names = []string{f.Name}
	}
	return Open(c, names, kind)
}

// Match is Functions with an error of the command line.
func Match(c *command.Call, pattern string, names []string) (*regexp.Regexp, error) {
	re, err := Functions(pattern, names)
	if err != nil {
		return nil, command.Usagef("%s: %w", c.Flags.Name(), err)
	}
	return re, nil
}

// Process loads the paths that a running program has counted so far.
func Process(c *command.Call, pid int) (*profile.File, error) {
	r, err := Reader(c)
	if err != nil {
		return nil, err
	}
	data, err := snapshot.Take(pid, string(schema.Paths))
	if err != nil {
		return nil, err
	}
	return r.Parse(fmt.Sprintf("process %d", pid), bytes.NewReader(data))
}

// Program reads the site tables of the program of a profile: of a file that the user names, or those that
// f.Program finds.
func Program(f *profile.File, named string) (*executable.File, error) {
	if named != "" {
		return executable.Open(named)
	}
	return f.Program()
}

// Run opens all files of the runs that the user means, and puts them beside the source of the program.
// The file of the program may be named; otherwise it is used if it is still where it was, and is still
// what it was.
func Run(c *command.Call, names []string, program, sourcePath string) (*profile.Run, *annotate.Program, error) {
	names, err := choose(c, names, schema.Paths)
	if err != nil {
		return nil, nil, err
	}
	r, err := Reader(c)
	if err != nil {
		return nil, nil, err
	}
	run, err := r.OpenRun(names, schema.Values, schema.Types, schema.CallTargets)
	if err != nil {
		return nil, nil, err
	}
	file, err := Program(run.Paths, program)
	if program != "" && err != nil {
		return nil, nil, err
	}
	p, err := annotate.New(annotate.Input{Run: run, Program: file, Source: source.NewTree(sourcePath)})
	return run, p, err
}
