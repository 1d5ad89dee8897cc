package cover

// This file opens what runs have left.

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/machine/executable"
)

const (
	tables = "." + schema.Sites // ends the names of files with site tables
	paths  = "." + string(schema.Paths) + ".pb.gz"
)

// Open opens profiles of paths, added up, and the site tables of their programs. A file of site tables adds packages
// that no program of a profile has. A directory stands for all such files in it.
func Open(r *profile.Reader, names ...string) (sum *profile.File, all *executable.File, err error) {
	var list []string
	for _, name := range names {
		if info, err := os.Stat(name); err != nil || !info.IsDir() {
			list = append(list, name)
			continue
		}
		in, err := inDir(name)
		if err != nil {
			return nil, nil, err
		}
		list = append(list, in...)
	}
	if len(list) == 0 {
		return nil, nil, fmt.Errorf("%s: no profiles: pepbuild test -pepmode=cover ./... makes some",
			strings.Join(names, ", "))
	}
	if sum, err = r.OpenMerged(list...); err != nil {
		return nil, nil, err
	}
	if slices.ContainsFunc(sum.Facts, func(l facts.List) bool { return l.Text(facts.Mode) != facts.ModeCover }) {
		return nil, nil, fmt.Errorf("%s: its program was not built for coverage: build it with pepbuild -pepmode=cover, and run it again", sum.Name)
	}
	if all, err = sum.Program(); err != nil {
		return nil, nil, fmt.Errorf("%s: the site tables of its program cannot be read: %w", sum.Name, err)
	}
	return sum, all, nil
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
	return list, nil
}
