package linked_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pepgo/pep/gobuild/pepbuildtest"
)

// The linked runtime gives the collector next to nothing to scan: its tables are in memory
// that the collector does not know.
func TestTheCollectorScansNoTables(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about 8 s")
	}
	dir := t.TempDir()
	text, err := os.ReadFile(filepath.Join("testdata", "roots", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	pepbuildtest.Write(t, filepath.Join(dir, "main.go"), string(text))
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module example.com/roots\n\ngo 1.26\n")
	plain := globals(t, dir, "go")
	for flags, most := range map[string]int{ // bytes more than in the plain program
		"-pepmode=polls":                5300,
		"-pepmode=exact":                5300,
		"-pepmode=polls -peptaps=loads": 12 << 10, // with engines
		"-pepmode=polls -peptaps=loads,goroutines -peppkg=all": 12 << 10,
	} {
		more := globals(t, dir, pepbuildtest.Pepbuild(t), strings.Fields(flags)...) - plain
		t.Logf("%s: %d bytes more than the %d of the plain program", flags, more, plain)
		if more > most {
			t.Errorf("%s: the collector scans %d bytes of variables more than in the plain program, want at most %d", flags,
				more, most)
		}
	}
}

// globals builds the program in dir, runs it, and returns what it prints.
func globals(t *testing.T, dir, command string, flags ...string) int {
	t.Helper()
	build := exec.Command(command, append([]string{"build", "-o", "prog"}, append(flags, ".")...)...)
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", build, err, out)
	}
	run := exec.Command(filepath.Join(dir, "prog"))
	run.Env = append(os.Environ(), "PEPDIR="+t.TempDir())
	out, err := run.Output()
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil || n < 100_000 {
		t.Fatalf("the program prints %q, %v: want bytes", out, err)
	}
	return n
}
