package profile

// This file joins profiles of several programs.

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/machine/executable"
)

// Program reads the site tables of the profile's program: those that the program has written beside the profile, or
// those in the program's file if that is still what it was.
func (f *File) Program() (*executable.File, error) {
	if f.joined != nil {
		return f.joined, nil
	}
	x, _, err := f.program()
	return x, err
}

// ProgramFile returns the name of the file in which Program finds the site tables.
func (f *File) ProgramFile() (string, error) {
	if f.joined != nil {
		return "", fmt.Errorf("%s: it is of several programs, %s: name files of one", f.Name, f.Binary)
	}
	_, name, err := f.program()
	return name, err
}

func (f *File) program() (x *executable.File, name string, err error) {
	if beside, err := f.Beside(schema.Sites); err == nil {
		beside = strings.TrimSuffix(beside, ".pb.gz")
		switch x, err := executable.Open(beside); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, "", err
		case x.ID() != f.BuildID:
			return nil, "", fmt.Errorf("%s: it is of build %s, and %s of %s", beside, x.ID(), f.Name, f.BuildID)
		default:
			return x, beside, nil
		}
	}
	if x, err = executable.Open(f.Binary); err != nil {
		return nil, "", err
	}
	if x.ID() != f.BuildID {
		return nil, "", fmt.Errorf("%s: it is another build now (%s) than that of %s (%s)", f.Binary, x.ID(), f.Name,
			f.BuildID)
	}
	return x, f.Binary, nil
}

// A joiner joins profiles of several programs, such as the tests of several packages: their paths can be added up if
// the site tables of all programs are there and give the paths of a function the same numbers.
type joiner struct {
	first    *File // without samples
	builds   map[string]bool
	programs []string
	union    *executable.Union // nil if all files are of one program
	tables   []string          // files of site tables of packages that are in no program
}

// isTables reports whether a name is that of a file of site tables, which finish adds.
func (j *joiner) isTables(name string) bool {
	is := strings.HasSuffix(name, "."+schema.Sites)
	if is {
		j.tables = append(j.tables, name)
	}
	return is
}

// add checks whether a file can be added to those before.
func (j *joiner) add(f *File) error {
	switch {
	case j.first == nil:
		header := *f
		header.pprof = nil
		j.first, j.builds, j.programs = &header, map[string]bool{f.BuildID: true}, []string{filepath.Base(f.Binary)}
		return nil
	case f.BuildID == "" || j.builds[f.BuildID] || j.builds[""]:
		return nil
	}
	missing := func(err error) error {
		return fmt.Errorf("%w; the site tables of their programs, with which they could be joined, are not all there: %w",
			SameProgram(j.first, f), err)
	}
	if j.union == nil {
		if err := j.begin(); err != nil {
			return missing(err)
		}
	}
	j.builds[f.BuildID] = true
	j.programs = append(j.programs, filepath.Base(f.Binary))
	x, err := f.Program()
	if err != nil {
		return missing(err)
	}
	return j.union.Add(f.Name, x)
}

// begin makes the union, of the program of the first file.
func (j *joiner) begin() error {
	x, err := j.first.Program()
	if err != nil {
		return err
	}
	j.union = executable.NewUnion()
	return j.union.Add(j.first.Name, x)
}

// finish makes a merged file one of all programs.
func (j *joiner) finish(f *File) (err error) {
	if j.union == nil && len(j.tables) == 0 {
		return nil
	}
	if j.union == nil {
		if err := j.begin(); err != nil {
			return err
		}
	}
	for _, name := range j.tables {
		x, err := executable.Open(name)
		if err != nil {
			return err
		}
		if err := j.union.Add(name, x); err != nil {
			return err
		}
	}
	if f.joined, err = j.union.File(); err != nil {
		return err
	}
	f.Binary, f.BuildID = j.programs[0], f.joined.ID()
	if n := len(j.programs) - 1; n > 0 {
		f.Binary += fmt.Sprintf(" and %d more", n)
	}
	f.setProgram(f.Binary, f.BuildID)
	return nil
}

// setProgram makes a file one of a program.
func (f *File) setProgram(binary, build string) {
	for _, m := range f.pprof.Mapping {
		m.File, m.BuildID = binary, build
	}
}
