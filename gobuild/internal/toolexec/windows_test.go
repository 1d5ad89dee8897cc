package toolexec_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/format/actiontable"
	"github.com/pepgo/pep/format/register"
	"github.com/pepgo/pep/format/valuetable"
	"github.com/pepgo/pep/machine/executable"
)

// envForget names the environment variable that has the space for tables forgotten.
const envForget = "TOOLEXEC_FORGET_SPACE"

// A program that is built in another directory, with empty caches, is the same byte by byte, whether the space for its
// tables was known or it was linked a second time. One without symbols has the same tables.
func TestSpaceForTables(t *testing.T) {
	if runtime.GOOS+"/"+runtime.GOARCH != "linux/amd64" {
		t.Skip("there are windows for linux/amd64 only")
	}
	if testing.Short() {
		t.Skip("compiles package runtime")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	links := 0 // of the last build
	build := func(flags string, env ...string) string {
		t.Helper()
		dir := t.TempDir()
		for name, text := range map[string]string{"go.mod": "module example.com/p\n\ngo 1.26\n",
			"main.go": "package main\n\nfunc main() {\n\tfor i := range 3 {\n\t\tif i%2 == 0 {\n\t\t\tprint(i)\n\t\t}\n\t}\n}\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command(self, "pepbuild", "build", "-pepmode=windows", "-trimpath", flags, "-o", "exe", ".")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", cmd, err, out)
		}
		links = bytes.Count(out, []byte("HEADER = "))
		exe := filepath.Join(dir, "exe")
		run := exec.Command(exe)
		run.Env = append(os.Environ(), "PEPDIR="+cache)
		if out, err := run.CombinedOutput(); err != nil || string(out) != "02" {
			t.Fatalf("%q %q: the program prints %q, %v", flags, env, out, err)
		}
		return exe
	}
	usual := build("-ldflags=-v")
	again := build("-ldflags=-v", "GOCACHE="+filepath.Join(cache, "go"))
	if links != 1 {
		t.Errorf("linked %d times, want once: the space is known", links)
	}
	forgotten := build("-ldflags=-v", envForget+"=1")
	if links != 2 {
		t.Errorf("linked %d times, want twice: the space is not known", links)
	}
	text, want := read(t, usual), tables(t, usual)
	for _, exe := range []string{again, forgotten} {
		if other := read(t, exe); !bytes.Equal(text, other) {
			t.Errorf("two builds are different: %d bytes and %d", len(text), len(other))
		}
	}
	if len(want) < 1000 {
		t.Errorf("%d rows, want more", len(want))
	}
	stripped := build("-ldflags=-s")
	if got := tables(t, stripped); !slices.Equal(got, want) {
		t.Errorf("without symbols there are %d rows, want %d", len(got), len(want))
	}
	for _, exe := range []string{usual, forgotten, stripped} {
		if bytes.Contains(read(t, exe), []byte(strings.Repeat("space ", 20))) {
			t.Errorf("%s: something is left of what was in the space", exe)
		}
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// tables returns the rows of the table of actions of a program, those of its table of values, and the hash of its site
// tables.
func tables(t *testing.T, exe string) (list []string) {
	t.Helper()
	sites, err := executable.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	table, err := executable.Actions(exe)
	if err != nil || table == nil {
		t.Fatalf("%s: %v, %v", exe, table, err)
	}
	list = append(list, sites.ID())
	rows, ops := make([]actiontable.Row, table.Most.Rows), make([]register.Op, table.Most.Ops)
	for fn := range table.Len() {
		n, ok := table.Decode(fn, rows, ops)
		if !ok {
			t.Fatalf("%s: function %d is damaged", exe, fn)
		}
		for _, r := range rows[:n.Rows] {
			list = append(list, fmt.Sprint(table.Addr(fn), r, ops[r.Action]))
		}
	}
	values := valuesOf(t, exe)
	if values.Sites() < 100 {
		t.Errorf("%s: %d values, want more", exe, values.Sites())
	}
	for i := range values.Sites() {
		s, ok := values.Site(uint32(i))
		if !ok {
			t.Fatalf("%s: value %d is damaged", exe, i)
		}
		list = append(list, fmt.Sprint(s))
	}
	return list
}

// valuesOf returns the table of values of a program.
func valuesOf(t *testing.T, exe string) *valuetable.Table {
	t.Helper()
	data := read(t, exe)
	for {
		at := bytes.Index(data, []byte(valuetable.Magic)) // of the constant, too
		if at < 0 {
			t.Fatalf("%s has no table of values", exe)
		}
		data = data[at:]
		if table, err := valuetable.Check(data); err == nil {
			return table
		}
		data = data[1:]
	}
}
