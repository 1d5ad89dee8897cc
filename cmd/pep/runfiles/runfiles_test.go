package runfiles_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pepgo/pep/cmd/pep/runfiles"
	"github.com/pepgo/pep/format/schema"
)

// The time in the name says which file is the newest; of a file without one, the time when it was written.
func TestNewest(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, at int64) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, time.Unix(0, at), time.Unix(0, at)); err != nil {
			t.Fatal(err)
		}
	}
	check := func(want, wantNote string, kinds ...schema.Kind) {
		t.Helper()
		got, note, err := runfiles.Find(nil, dir, kinds...)
		if err != nil || len(got) != 1 || got[0] != filepath.Join(dir, want) || note != filepath.Join(dir, want)+wantNote {
			t.Errorf("of %q: got %q, %q, %v, want %q, %q", kinds, got, note, err, want, wantNote)
		}
		named, namedNote, err := runfiles.Find([]string{dir}, "elsewhere", kinds...)
		if err != nil || !slices.Equal(named, got) || namedNote != note {
			t.Errorf("of %q, with the directory named: got %q, %q, %v, want %q, %q", kinds, named, namedNote, err, got, note)
		}
	}
	if _, _, err := runfiles.Find(nil, dir, schema.Paths); err == nil ||
		!strings.Contains(err.Error(), "pepbuild build -o prog") {
		t.Errorf("an empty directory: %v", err)
	}
	write("app.9.1000.paths.pb.gz", 5000)
	check("app.9.1000.paths.pb.gz", "", schema.Paths)
	write("app.8.2000.paths.pb.gz", 3000)
	write("app.8.2000.edges.pb.gz", 3000)
	check("app.8.2000.paths.pb.gz", ", the newest of 2", schema.Paths)
	check("app.8.2000.edges.pb.gz", "", schema.Edges)
	check("app.8.2000.edges.pb.gz", ", the newest of 3", schema.Edges, schema.Paths)
	check("app.8.2000.paths.pb.gz", ", the newest of 3", schema.Paths, schema.Edges)
	write("other.app.7.3000.paths.pb.gz", 0)
	check("other.app.7.3000.paths.pb.gz", ", the newest of 3 files of 2 programs", schema.Paths)
	write("mine.paths.pb.gz", 4000)
	check("mine.paths.pb.gz", ", the newest of 4 files of 3 programs", schema.Paths)
	if _, _, err := runfiles.Find(nil, dir, runfiles.TapKinds...); err == nil ||
		!strings.Contains(err.Error(), "-pepvalues=all") {
		t.Errorf("no values: %v", err)
	}
}

// All files of a run stand for each other, once. What is given twice is read twice.
func TestFilesOfARun(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.paths.pb.gz", "a.edges.pb.gz", "a.types.pb.gz", "a.calltargets.pb.gz",
		"b.edges.pb.gz", "c.values.pb.gz"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	for _, c := range []struct {
		names, want string
		kinds       []schema.Kind
	}{
		{"a.edges.pb.gz", "a.paths.pb.gz", []schema.Kind{schema.Paths}},
		{"a.edges.pb.gz a.types.pb.gz a.paths.pb.gz", "a.paths.pb.gz", []schema.Kind{schema.Paths}},
		{"a.edges.pb.gz a.types.pb.gz", "a.paths.pb.gz", []schema.Kind{schema.Paths}},
		{"a.paths.pb.gz a.paths.pb.gz", "a.paths.pb.gz a.paths.pb.gz", []schema.Kind{schema.Paths}},
		{"b.edges.pb.gz x.pb.gz -", "b.edges.pb.gz x.pb.gz -", []schema.Kind{schema.Paths}},
		{"a.paths.pb.gz", "a.types.pb.gz", runfiles.TapKinds},
		{"a.calltargets.pb.gz", "a.calltargets.pb.gz", runfiles.TapKinds},
		{"a.types.pb.gz c.values.pb.gz", "c.values.pb.gz", []schema.Kind{schema.Values}},
		{"c.values.pb.gz a.types.pb.gz a.paths.pb.gz", "c.values.pb.gz", runfiles.TapKinds},
		// the first says what is wrong
		{"b.edges.pb.gz c.values.pb.gz x.pb.gz", "b.edges.pb.gz x.pb.gz", []schema.Kind{schema.Types}},
	} {
		got, note, err := runfiles.Find(strings.Fields(c.names), ".", c.kinds...)
		if err != nil || !slices.Equal(got, strings.Fields(c.want)) || (note != "") != strings.HasPrefix(c.want, "c.") {
			t.Errorf("%s: got %q, %q, %v, want %s", c.names, got, note, err, c.want)
		}
	}
	for names, want := range map[string]int{
		"a.paths.pb.gz b.edges.pb.gz":                             2,
		"a.edges.pb.gz a.paths.pb.gz":                             1,
		"a.edges.pb.gz a.paths.pb.gz b.edges.pb.gz":               2,
		"a.paths.pb.gz a.paths.pb.gz":                             2, // named twice
		"x.pb.gz x.pb.gz y.pb.gz":                                 3, // not known
		"a.edges.pb.gz b.edges.pb.gz a.paths.pb.gz c.types.pb.gz": 4,
	} {
		if got := runfiles.Split(strings.Fields(names)); len(got) != want ||
			strings.Join(slices.Concat(got...), " ") != names {
			t.Errorf("%s: runs %q, want %d", names, got, want)
		}
	}
}
