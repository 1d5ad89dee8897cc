// Package runfiles finds profiles by their names: all files of a run begin alike, and end in what they count.
//
//	names, note, err := runfiles.Find(nil, ".", schema.Paths)       // the newest .paths.pb.gz file of a directory
//	names, note, err := runfiles.Find(os.Args, ".", schema.Paths)   // those of paths, of the runs of which files are named
//	runs := runfiles.Split([]string{"a.paths.pb.gz", "a.edges.pb.gz", "b.paths.pb.gz"}) // two
package runfiles

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
var TapKinds = []schema.Kind{schema.Values, schema.Types, schema.CallTargets, schema.Deps, schema.Contexts,
	schema.Loads}

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

// Kind returns the kind of a profile by its name; "" if the name does not say it.
func Kind(name string) schema.Kind {
	_, kind := kindOf(name)
	return kind
}

// Find returns the names of the profiles to read, all of one kind: the first one of the kinds that is named, or else
// that there is. A file of another kind stands for that of the same run of the program: all files of a run are as
// good. What is of a run without such a file is left out, unless nothing else is named; then there is a note for the
// user. A directory stands for the newest profile in it, and so does dir without any names; then there is a note, too.
func Find(names []string, dir string, kinds ...schema.Kind) (found []string, note string, err error) {
	if len(names) == 0 || IsDir(names) {
		name, note, err := newest(append(names, dir)[0], kinds)
		return []string{name}, note, err
	}
	if kinds = Present(names, kinds); len(kinds) > 0 {
		return OfKind(names, kinds[0]), Unused(names, kinds[:1]), nil
	}
	known := false // of those of which the names say the kind, the first one says what is wrong
	for _, name := range names {
		if _, kind := kindOf(name); kind == "" || !known {
			found = append(found, name)
			known = known || kind != ""
		}
	}
	return found, "", nil
}

// IsDir reports whether the names are that of one directory.
func IsDir(names []string) bool {
	if len(names) != 1 {
		return false
	}
	info, err := os.Stat(names[0])
	return err == nil && info.IsDir()
}

// Present returns those of the kinds that are named; if none is, those of which the runs have files.
func Present(names []string, kinds []schema.Kind) (list []schema.Kind) {
	for _, kind := range kinds {
		if slices.ContainsFunc(names, func(name string) bool { _, of := kindOf(name); return of == kind }) {
			list = append(list, kind)
		}
	}
	if len(list) > 0 {
		return list
	}
	for _, kind := range kinds {
		if slices.ContainsFunc(names, func(name string) bool { return beside(name, kind) != "" }) {
			list = append(list, kind)
		}
	}
	return list
}

// beside returns the file of a kind that the same run wrote as a file of another kind; "" if there is none.
func beside(name string, kind schema.Kind) string {
	stem, of := kindOf(name)
	other := stem + "." + string(kind) + suffix
	if _, err := os.Stat(other); of == "" || err != nil {
		return ""
	}
	return other
}

// OfKind returns the names of files of a kind: of those that the runs wrote whose files are named, and names that do
// not say what they are.
func OfKind(names []string, kind schema.Kind) (found []string) {
	for _, name := range names {
		_, of := kindOf(name)
		if of == "" || of == kind { // what is named twice is read twice
			found = append(found, name)
		} else if other := beside(name, kind); other != "" && !slices.Contains(names, other) &&
			!slices.Contains(found, other) {
			found = append(found, other)
		}
	}
	return found
}

// Unused says which of the files are of runs that have none of the kinds; "" if there are none.
func Unused(names []string, kinds []schema.Kind) string {
	var list []string
	for _, name := range names {
		_, of := kindOf(name)
		if of != "" && !slices.Contains(kinds, of) &&
			!slices.ContainsFunc(kinds, func(kind schema.Kind) bool { return beside(name, kind) != "" }) {
			list = append(list, name)
		}
	}
	var missing []string
	for _, kind := range kinds {
		missing = append(missing, string(kind))
	}
	switch none := strings.Join(missing, " or "); len(list) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("%s is not used: its run has no %s", list[0], none)
	default:
		return fmt.Sprintf("%d files are not used, such as %s: their runs have no %s", len(list), list[0], none)
	}
}

// ToMerge returns the names of the profiles to add up for a file: those of the kind that its name says. If it says
// none, they must be of one.
func ToMerge(names []string, out string) ([]string, error) {
	if _, kind := kindOf(out); kind != "" {
		names, _, err := Find(names, "", kind)
		return names, err
	}
	if kinds := Present(names, schema.Kinds[:]); len(kinds) > 1 {
		return nil, fmt.Errorf("%s: its name does not say which kind of profile is wanted, and those to merge are of %d kinds: end it in .%s.pb.gz, for example", out, len(kinds), kinds[0])
	}
	return names, nil
}

// Split divides names by runs of programs. A name that is there again begins another run.
func Split(names []string) (runs [][]string) {
	last := ""
	for _, name := range names {
		stem, kind := kindOf(name)
		if n := len(runs); n > 0 && kind != "" && stem == last && !slices.Contains(runs[n-1], name) {
			runs[n-1] = append(runs[n-1], name)
			continue
		}
		runs, last = append(runs, []string{name}), stem
	}
	return runs
}

// newest returns the newest profile in a directory that has one of the kinds, of a run that of the first kind, and
// says how many there are.
func newest(dir string, kinds []schema.Kind) (name, note string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", "", fmt.Errorf("looking for profiles: %w", err)
	}
	last, rank, files, programs := int64(0), 0, 0, map[string]bool{}
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
		if k := slices.Index(kinds, kind); name == "" || at > last || at == last && k < rank { // files of a run have one time
			name, last, rank = e.Name(), at, k
		}
	}
	if name == "" {
		how := "pepbuild build -o prog . && ./prog (it writes none if it ends before the first tick of CPU time)"
		if kinds[0] == schema.Values {
			how = "pepbuild build -pepvalues=all -o prog . && PEPOPTS=values=loads,args,results ./prog"
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
