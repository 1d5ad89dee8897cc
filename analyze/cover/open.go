package cover

// This file opens what runs have left.

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pepgo/pep/analyze/executable"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/schema"
)

const (
	tables = ".sites" // ends the names of files with site tables
	paths  = "." + string(schema.Paths) + ".pb.gz"
)

// Open opens profiles of paths with their programs. A file of site tables stands for packages that no program of a
// profile has. A directory stands for all such files in it.
func Open(r *profile.Reader, names ...string) (runs []Run, err error) {
	for _, name := range names {
		list := []string{name}
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			if list, err = inDir(name); err != nil {
				return nil, err
			}
		}
		for _, name := range list {
			run, err := openRun(r, name)
			if err != nil {
				return nil, err
			}
			runs = append(runs, run)
		}
	}
	return runs, nil
}

// inDir returns the names of all profiles of paths in a directory, and of the site tables without one.
func inDir(dir string) (list []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	profiles := make(map[string]bool)
	for _, e := range entries {
		if stem, ok := strings.CutSuffix(e.Name(), paths); ok {
			profiles[stem] = true
			list = append(list, filepath.Join(dir, e.Name()))
		}
	}
	for _, e := range entries {
		if stem, ok := strings.CutSuffix(e.Name(), tables); ok && !profiles[stem] {
			list = append(list, filepath.Join(dir, e.Name()))
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: no profiles: pepbuild test -pepmode=cover ./... makes some", dir)
	}
	return list, nil
}

func openRun(r *profile.Reader, name string) (Run, error) {
	if strings.HasSuffix(name, tables) {
		x, err := executable.Open(name)
		return Run{Program: x}, err
	}
	f, err := r.Open(name)
	if err != nil {
		return Run{}, err
	}
	if !slices.ContainsFunc(f.Facts, func(l facts.List) bool { return l.Text(facts.Mode) == facts.ModeCover }) {
		return Run{}, fmt.Errorf("%s: its program was not built for coverage: build it with pepbuild -pepmode=cover, and run it again", name)
	}
	x, err := executable.Of(f)
	if err != nil {
		return Run{}, fmt.Errorf("%s: no site tables beside it, and its program cannot be read: %w", name, err)
	}
	return Run{Paths: f, Program: x}, nil
}
