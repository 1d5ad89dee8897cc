package main

// This file finds the profiles that a command is to read.

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/internal/command"
	"github.com/pepgo/pep/internal/terminal"
)

// tapKinds are the kinds of profiles that pep values reads.
var tapKinds = []schema.Kind{schema.Values, schema.Types, schema.CallTargets, schema.Deps, schema.Contexts}

const suffix = ".pb.gz"

// kindOfName returns the kind of a profile by its name, and the name without it: app.71.T.paths.pb.gz is of
// kind paths. The kind is "" if no program names profiles so.
func kindOfName(name string) (stem string, kind schema.Kind) {
	rest, ok := strings.CutSuffix(name, suffix)
	for _, k := range schema.Kinds {
		if stem, of := strings.CutSuffix(rest, "."+string(k)); ok && of {
			return stem, k
		}
	}
	return "", ""
}

// openKind loads the given profiles, added up, or without any the newest one that has one of the
// kinds. A file of another kind stands for that of the same run of the program, if that exists: all files of
// a run are as good.
func openKind(c *command.Call, names []string, kinds ...schema.Kind) (*profile.File, error) {
	if len(names) == 0 {
		name, err := newest(c, kinds)
		if err != nil {
			return nil, err
		}
		return openMerged(c, name)
	}
	var found []string
	for _, name := range names {
		of := ofRun(name, kinds)
		if of == name || !slices.Contains(names, of) && !slices.Contains(found, of) {
			found = append(found, of)
		}
	}
	return openMerged(c, found...)
}

// ofRun returns the file of one of the kinds that the same run wrote as a file of another kind.
func ofRun(name string, kinds []schema.Kind) string {
	stem, kind := kindOfName(name)
	if kind == "" || slices.Contains(kinds, kind) {
		return name
	}
	for _, k := range kinds {
		other := stem + "." + string(k) + suffix
		if _, err := os.Stat(other); err == nil {
			return other
		}
	}
	return name
}

// newest returns the newest profile in $PEPDIR, or else the current directory, that has one of the kinds, and says on
// standard error which it is.
func newest(c *command.Call, kinds []schema.Kind) (string, error) {
	dir := cmp.Or(os.Getenv("PEPDIR"), ".")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", fmt.Errorf("looking for profiles: %w", err)
	}
	name, last, files, programs := "", int64(0), 0, map[string]bool{}
	for _, e := range entries {
		stem, kind := kindOfName(e.Name())
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || !slices.Contains(kinds, kind) {
			continue
		}
		at := info.ModTime().UnixNano()
		if parts := strings.Split(stem, "."); len(parts) >= 3 { // the program is named so that the time when it started is last
			if start, err := strconv.ParseInt(parts[len(parts)-1], 10, 64); err == nil {
				at, stem = start, strings.Join(parts[:len(parts)-2], ".")
			}
		}
		files++
		programs[stem] = true
		if name == "" || at > last {
			name, last = e.Name(), at
		}
	}
	if name == "" {
		where := "in this directory"
		if dir != "." {
			where = "in " + dir + " ($PEPDIR)"
		}
		how := "pepbuild build -o prog . && ./prog"
		if !slices.Contains(kinds, schema.Paths) && !slices.Contains(kinds, schema.Edges) {
			how = "pepbuild build -peptaps=loads,types,calls -peptapmode=burst -o prog . && ./prog"
		}
		return "", command.Usagef("%s: no FILE given, and no .%s%s %s; to make one: %s", c.Flags.Name(), kinds[0], suffix, where, how)
	}
	if dir != "." {
		name = filepath.Join(dir, name)
	}
	note := ""
	switch {
	case len(programs) > 1:
		note = fmt.Sprintf(", the newest of %d files of %d programs", files, len(programs))
	case files > 1:
		note = fmt.Sprintf(", the newest of %d", files)
	}
	fmt.Fprintf(c.Stderr, "pep: %s%s\n", terminal.Escape(name), note)
	return name, nil
}
