// Package choice finds out which profiles and which functions the user of pep means, and opens them.
//
//	f, err := choice.Open(c, c.Args, schema.Paths)                // files of paths, added up
//	run, p, err := choice.Run(c, c.Args, "", "")                  // all files of runs, beside the source
//	re, err := choice.Functions("main.(*T).f·p12", f.FuncNames()) // ^main\.\(\*T\)\.f$
package choice

// This file opens what the user means.

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"regexp"
	"runtime/debug"
	"slices"

	"github.com/pepgo/pep/analyze/annotate"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/cmd/pep/runfiles"
	"github.com/pepgo/pep/cmd/pep/snapshot"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/internal/command"
	"github.com/pepgo/pep/machine/executable"
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
	found, note, err := runfiles.Find(names, cmp.Or(os.Getenv("PEPDIR"), "."), kinds...)
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

// Each loads the profiles that the user means, those of each kind added up. Of a directory, that is all of the newest
// run.
func Each(c *command.Call, names []string, kinds ...schema.Kind) (files []*profile.File, err error) {
	if len(names) > 0 && !runfiles.IsDir(names) {
		kinds = runfiles.Present(names, kinds)
	}
	if len(names) == 0 || runfiles.IsDir(names) || len(kinds) == 0 {
		if names, err = choose(c, names, kinds...); err != nil {
			return nil, err
		}
	} else if note := runfiles.Unused(names, kinds); note != "" {
		c.Note("%s", note)
	}
	for _, kind := range kinds {
		if of := runfiles.OfKind(names, kind); len(of) > 0 {
			f, err := Merged(c, of...)
			if err != nil {
				return nil, err
			}
			files = append(files, f)
		}
	}
	if len(files) == 0 { // the names do not say what they are, or opening them says what is wrong
		f, err := Merged(c, names...)
		return []*profile.File{f}, err
	}
	return files, nil
}

// Calls loads profiles that say what calls what: of paths, and those of the targets of calls beside them if both
// are by windows, as the counts of others have other units; or of targets alone if paths were counted exactly,
// without callers.
func Calls(c *command.Call, names []string) (f, targets *profile.File, err error) {
	f, err = Open(c, names, schema.Paths, schema.CallTargets)
	if err != nil || f.Kind != schema.Paths || !f.Exact() && !f.Windows() {
		return f, nil, err
	}
	if names = runOf(names, f); len(runfiles.Present(names, []schema.Kind{schema.CallTargets})) == 0 {
		return f, nil, nil
	}
	targets, err = Open(c, names, schema.CallTargets)
	switch {
	case err != nil:
		return nil, nil, err
	case f.Exact():
		return targets, nil, nil
	case !targets.Windows():
		return f, nil, nil
	}
	return f, targets, nil
}

// Called returns how often functions were called in the run of the files, which Each has opened for names: as often as
// one of their paths began at the entry. It is nil if none of the files has values by windows, or there are no paths
// beside it.
func Called(c *command.Call, names []string, files []*profile.File) (calls map[profile.Func]int64, err error) {
	i := slices.IndexFunc(files, func(f *profile.File) bool { return f.Kind == schema.Values && f.Windows() })
	if i < 0 {
		return nil, nil
	}
	if names = runOf(names, files[i]); len(runfiles.Present(names, []schema.Kind{schema.Paths})) == 0 {
		return nil, nil
	}
	of, err := Open(c, names, schema.Paths)
	if err != nil {
		return nil, err
	}
	paths, err := of.Paths()
	if err != nil || !of.Windows() {
		return nil, err
	}
	calls = make(map[profile.Func]int64)
	for _, p := range paths {
		if p.From.How == schema.Entry {
			calls[p.ID.Func] += p.Count
		}
	}
	return calls, nil
}

// Beside opens the files of another kind of the run that f, which Open has opened for names, is of.
func Beside(c *command.Call, names []string, f *profile.File, kind schema.Kind) (*profile.File, error) {
	return Open(c, runOf(names, f), kind)
}

// runOf returns names of files of the run of f, which Open has opened for names.
func runOf(names []string, f *profile.File) []string {
	if len(names) == 0 || runfiles.IsDir(names) {
		return []string{f.Name}
	}
	return names
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

// ProgramOf returns the name of the program's file that the user means: that of the runs whose profiles are named, or
// else what is named.
func ProgramOf(c *command.Call) (name string, err error) {
	if len(c.Args) == 1 && runfiles.Kind(c.Args[0]) == "" {
		return c.Args[0], nil
	}
	f, err := Open(c, c.Args, schema.Kinds[:]...)
	if err != nil {
		return "", err
	}
	return f.ProgramFile()
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
