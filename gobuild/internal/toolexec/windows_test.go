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

	"github.com/pepgo/pep/analyze/executable"
	"github.com/pepgo/pep/format/actiontable"
	"github.com/pepgo/pep/format/register"
)

// envSmall names the environment variable that has the room for tables too small.
const envSmall = "TOOLEXEC_SMALL_ROOM"

// A program that is built in another directory, with empty caches, is the same byte by byte. One that the linker first gave too
// little room for its tables has the same tables at last, and so has one without symbols.
func TestRoomForTables(t *testing.T) {
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
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", cmd, err, out)
		}
		exe := filepath.Join(dir, "exe")
		run := exec.Command(exe)
		run.Env = append(os.Environ(), "PEPDIR="+cache)
		if out, err := run.CombinedOutput(); err != nil || string(out) != "02" {
			t.Fatalf("%q %q: the program prints %q, %v", flags, env, out, err)
		}
		return exe
	}
	usual := build("-v=false")
	text := read(t, usual)
	if other := read(t, build("-v=false", "GOCACHE="+filepath.Join(cache, "go"))); !bytes.Equal(text, other) {
		t.Errorf("two builds are different: %d bytes and %d", len(text), len(other))
	}
	want := tables(t, usual)
	if len(want) < 1000 {
		t.Errorf("%d rows, want more", len(want))
	}
	small, stripped := build("-v=false", envSmall+"=1", "GOCACHE="+filepath.Join(cache, "go")), build("-ldflags=-s")
	for _, exe := range []string{small, stripped} {
		if got := tables(t, exe); !slices.Equal(got, want) {
			t.Errorf("%s: %d rows, want %d", exe, len(got), len(want))
		}
	}
	if bytes.Equal(text, read(t, small)) {
		t.Error("the room was not too small")
	}
	for _, exe := range []string{usual, small, stripped} {
		if bytes.Contains(read(t, exe), []byte(strings.Repeat("room ", 20))) {
			t.Errorf("%s: something is left of what was in the room", exe)
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

// tables returns the rows of the table of actions of a program, and the hash of its site tables.
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
	return list
}
