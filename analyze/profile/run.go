package profile

// This file opens all files of a run.

import (
	"errors"
	"io/fs"
	"os"

	"github.com/pepgo/pep/format/schema"
)

// A Run is the profiles that a run of a program wrote, or several runs, added up.
type Run struct {
	Paths, Edges *File
	More         []*File // of other kinds, those that were asked for and are there
}

// OpenRun opens the files of runs of paths, of edges and of some other kinds. Whichever file of a run
// is named, those beside it are found by their names. Those of paths and of edges must be there. For several programs
// see OpenMerged.
func (r *Reader) OpenRun(names []string, more ...schema.Kind) (*Run, error) {
	kinds := append([]schema.Kind{schema.Paths, schema.Edges}, more...)
	files := make(map[schema.Kind][]*File)
	var programs joiner
	had := make(map[string]bool)
	open := func(name string) (*File, error) {
		f, err := r.Open(name)
		if err != nil {
			return nil, err
		}
		if err := mergeable(files[f.Kind], f); err != nil {
			return nil, err
		}
		files[f.Kind] = append(files[f.Kind], f)
		return f, programs.add(f)
	}
	for _, name := range names {
		if had[name] || programs.isTables(name) {
			continue
		}
		had[name] = true
		f, err := open(name)
		if err != nil {
			return nil, err
		}
		for _, kind := range kinds {
			if kind == f.Kind {
				continue
			}
			beside, err := f.Beside(kind)
			if err != nil {
				return nil, err
			}
			if had[beside] {
				continue
			}
			had[beside] = true
			if _, err := os.Stat(beside); errors.Is(err, fs.ErrNotExist) {
				if kind == schema.Paths || kind == schema.Edges {
					return nil, f.want(kind)
				}
				continue
			}
			if _, err := open(beside); err != nil {
				return nil, err
			}
		}
	}
	if len(files[schema.Paths]) == 0 {
		return nil, errors.New("no profile beside the site tables")
	}
	run := &Run{}
	for _, kind := range kinds {
		if len(files[kind]) == 0 {
			continue
		}
		f := files[kind][0]
		if len(files[kind]) > 1 {
			var err error
			if f, err = merge(files[kind]); err != nil {
				return nil, err
			}
		}
		if err := programs.finish(f); err != nil {
			return nil, err
		}
		switch kind {
		case schema.Paths:
			run.Paths = f
		case schema.Edges:
			run.Edges = f
		default:
			run.More = append(run.More, f)
		}
	}
	return run, SameProgram(run.Paths, run.Edges)
}
