package choice_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pepgo/pep/cmd/pep/choice"
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
		got, note, err := choice.Files(nil, dir, kinds...)
		if err != nil || len(got) != 1 || got[0] != filepath.Join(dir, want) || note != filepath.Join(dir, want)+wantNote {
			t.Errorf("of %q: got %q, %q, %v, want %q, %q", kinds, got, note, err, want, wantNote)
		}
		named, namedNote, err := choice.Files([]string{dir}, "elsewhere", kinds...)
		if err != nil || !slices.Equal(named, got) || namedNote != note {
			t.Errorf("of %q, with the directory named: got %q, %q, %v, want %q, %q", kinds, named, namedNote, err, got, note)
		}
	}
	if _, _, err := choice.Files(nil, dir, schema.Paths); err == nil || !strings.Contains(err.Error(), "pepbuild build -o prog") {
		t.Errorf("an empty directory: %v", err)
	}
	write("app.9.1000.paths.pb.gz", 5000)
	check("app.9.1000.paths.pb.gz", "", schema.Paths)
	write("app.8.2000.paths.pb.gz", 3000)
	write("app.8.2000.edges.pb.gz", 3000)
	check("app.8.2000.paths.pb.gz", ", the newest of 2", schema.Paths)
	check("app.8.2000.edges.pb.gz", "", schema.Edges)
	write("other.app.7.3000.paths.pb.gz", 0)
	check("other.app.7.3000.paths.pb.gz", ", the newest of 3 files of 2 programs", schema.Paths)
	write("mine.paths.pb.gz", 4000)
	check("mine.paths.pb.gz", ", the newest of 4 files of 3 programs", schema.Paths)
	if _, _, err := choice.Files(nil, dir, choice.TapKinds...); err == nil || !strings.Contains(err.Error(), "-peptaps=") {
		t.Errorf("no values: %v", err)
	}
}

// All files of a run stand for each other, once. What is given twice is read twice.
func TestFilesOfARun(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.paths.pb.gz", "a.edges.pb.gz", "a.types.pb.gz", "b.edges.pb.gz"} {
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
		{"a.paths.pb.gz", "a.types.pb.gz", choice.TapKinds},
	} {
		got, note, err := choice.Files(strings.Fields(c.names), ".", c.kinds...)
		if err != nil || note != "" || !slices.Equal(got, strings.Fields(c.want)) {
			t.Errorf("%s: got %q, %q, %v, want %s", c.names, got, note, err, c.want)
		}
	}
}

func TestFunctions(t *testing.T) {
	names := []string{"main.count", "main.count.func1", "main.(*T).f", "lib.Map[...]", "example.com/a/b.(*T).g"}
	for pattern, want := range map[string]string{
		"main.count":        "main.count",
		"main.count·p3":     "main.count",
		"main.count.·p3":    "main.count",
		"main.(*T).f":       "main.(*T).f",
		"lib.Map[...]·p0":   "lib.Map[...]",
		"…/b.(*T).g·p1":     "example.com/a/b.(*T).g",
		"b.(*T).g":          "example.com/a/b.(*T).g",
		"count":             "main.count main.count.func1",
		`^main\.`:           "main.count main.count.func1 main.(*T).f",
		"main.count.":       "main.count.func1",
		"main.none·unended": "",
	} {
		re, err := choice.Functions(pattern, names)
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
			continue
		}
		got := slices.DeleteFunc(slices.Clone(names), func(s string) bool { return !re.MatchString(s) })
		if strings.Join(got, " ") != want {
			t.Errorf("%s matches %q, want %s", pattern, got, want)
		}
	}
	if re, err := choice.Functions("", names); re != nil || err != nil {
		t.Errorf("the empty pattern is %v, %v", re, err)
	}
	if _, err := choice.Functions("main.(*U).f", names); err == nil || !strings.Contains(err.Error(), "no function is called main.(*U).f, ") {
		t.Errorf("got %v", err)
	}
}
