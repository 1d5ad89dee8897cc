// Package choice finds out which profiles and which functions the user of pep means, and opens them.
//
//	f, err := choice.Open(c, c.Args, schema.Paths)                // files of paths, added up
//	run, p, err := choice.Run(c, c.Args, "", "")                  // all files of runs, beside the source
//	names, note, err := choice.Files(nil, ".", schema.Paths)      // the newest .paths.pb.gz file of a directory
//	re, err := choice.Functions("main.(*T).f·p12", f.FuncNames()) // ^main\.\(\*T\)\.f$
package choice

// This file finds profiles.

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pepgo/pep/format/schema"
)

// TapKinds are the kinds of profiles that pep values reads.
var TapKinds = []schema.Kind{schema.Values, schema.Types, schema.CallTargets, schema.Deps, schema.Contexts, schema.Loads}

const suffix = ".pb.gz"

// kindOf returns the kind of a profile by its name, and the name without it: app.71.T.paths.pb.gz is of
// kind paths. The kind is "" if no program names profiles so.
func kindOf(name string) (stem string, kind schema.Kind) {
	rest, ok := strings.CutSuffix(name, suffix)
	for _, k := range schema.Kinds {
		if stem, of := strings.CutSuffix(rest, "."+string(k)); ok && of {
			return stem, k
		}
	}
	return "", ""
}

// Files returns the names of the profiles to read, of one of the kinds if possible. A file of another kind stands for
// that of the same run of the program, if that exists: all files of a run are as good. A directory
// stands for the newest profile in it, and so does dir without any names; then there is a note for the user.
func Files(names []string, dir string, kinds ...schema.Kind) (found []string, note string, err error) {
	if len(names) == 1 {
		if info, err := os.Stat(names[0]); err == nil && info.IsDir() {
			dir, names = names[0], nil
		}
	}
	if len(names) == 0 {
		name, note, err := newest(dir, kinds)
		return []string{name}, note, err
	}
	for _, name := range names {
		of := ofRun(name, kinds)
		if of == name || !slices.Contains(names, of) && !slices.Contains(found, of) {
			found = append(found, of)
		}
	}
	return found, "", nil
}

// ofRun returns the file of one of the kinds that the same run wrote as a file of another kind.
func ofRun(name string, kinds []schema.Kind) string {
	stem, kind := kindOf(name)
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

// newest returns the newest profile in a directory that has one of the kinds, and says how many there are.
func newest(dir string, kinds []schema.Kind) (name, note string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", "", fmt.Errorf("looking for profiles: %w", err)
	}
	last, files, programs := int64(0), 0, map[string]bool{}
	for _, e := range entries {
		stem, kind := kindOf(e.Name())
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || !slices.Contains(kinds, kind) {
			continue
		}
		at := info.ModTime().UnixNano()
		if parts := strings.Split(stem, "."); len(parts) >= 3 { // the time when the program started is last
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
		how := "pepbuild build -o prog . && ./prog"
		if slices.Contains(kinds, schema.Values) {
			how = "pepbuild build -peptaps=loads,types,calls -peptapmode=burst -o prog . && ./prog"
		}
		return "", "", fmt.Errorf("there is no .%s%s file in the directory %s; to make one: %s", kinds[0], suffix, dir, how)
	}
	name = filepath.Join(dir, name)
	switch {
	case len(programs) > 1:
		return name, fmt.Sprintf("%s, the newest of %d files of %d programs", name, files, len(programs)), nil
	case files > 1:
		return name, fmt.Sprintf("%s, the newest of %d", name, files), nil
	}
	return name, name, nil
}
