package branches

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/format/actions"
	"github.com/pepgo/pep/format/actiontable"
	"github.com/pepgo/pep/format/register"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
	"github.com/pepgo/pep/machine/executable"
)

// A program that is built with -pepmode=windows has the table of actions that is made of the tables of its packages,
// row by row, and runs as usual.
func TestTableInProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles much of std")
	}
	pepbuild := pepbuildtest.Pepbuild(t)
	source, err := filepath.Abs("../../testprogs/flate")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = source, append(os.Environ(), "PEPDIR="+dir)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil || name != pepbuild && stderr.Len() > 0 {
			t.Fatalf("%s: %v\n%s", cmd, err, &stderr)
		}
		return string(out)
	}
	plain, exe, stripped, file := filepath.Join(dir, "plain"), filepath.Join(dir, "exe"), filepath.Join(dir, "stripped"),
		filepath.Join(dir, "table")
	run(pepbuild, "build", "-peptable="+file, "-o", plain, ".")
	run(pepbuild, "build", "-pepmode=windows", "-o", exe, ".")
	run(pepbuild, "build", "-pepmode=windows", "-ldflags=-s -w", "-o", stripped, ".")
	if got, want := run(exe, "20"), run(plain, "20"); got != want {
		t.Errorf("the program prints %q, want %q", got, want)
	}
	run(stripped, "20")
	for _, kind := range []string{"paths", "edges"} {
		if names, err := filepath.Glob(filepath.Join(dir, "*."+kind+".pb.gz")); err != nil || len(names) != 2 {
			t.Errorf("profiles %q, %v, want those of %s of two runs", names, err, kind)
		}
	}

	table, err := Actions(exe, readTable(t, file), false)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, f := range table.Funcs {
		for _, r := range f.Rows {
			want = append(want, fmt.Sprint(f.Addr, r.PC, r.Way, r.Index, table.Operations(r.Action)))
		}
	}
	slices.Sort(want)
	for _, exe := range []string{exe, stripped} {
		found, err := executable.Actions(exe)
		if err != nil || found == nil {
			t.Fatalf("%s: %v, %v", exe, found, err)
		}
		if got := decode(t, found, 0x401000); !slices.Equal(got, want) {
			t.Errorf("%s: %d rows, and %d of the tables of packages are others", exe, len(got), len(want))
		}
		if told := table.Told(); found.Told != told || told.Functions < 2000 || told.Partly == 0 || told.Untold == 0 {
			t.Errorf("%s: %+v, want %+v", exe, found.Told, told)
		}
		checkFunctions(t, exe, table)
		program, err := executable.Open(exe)
		if err != nil {
			t.Fatal(err)
		}
		var packages []string // in the order in which paths have numbers
		for _, s := range table.Sources {
			if !slices.Contains(packages, s.Package.Path) {
				packages = append(packages, s.Package.Path)
			}
		}
		i := 0
		for _, p := range program.Packages {
			if i < len(packages) && p.Path == packages[i] {
				i++
			}
		}
		if i < len(packages) {
			t.Errorf("%s: site tables lack %s, or have it in another place", exe, packages[i])
		}
	}
	t.Logf("%d rows of %d functions", len(want), len(table.Funcs))
	if len(want) < 10000 {
		t.Error("want more")
	}
}

// checkFunctions compares the functions of a program in assembly with those that have actions.
func checkFunctions(t *testing.T, exe string, table *actions.Table) {
	t.Helper()
	funcs, err := executable.Functions(exe)
	if err != nil {
		t.Fatal(err)
	}
	compiled, assembly := map[string]bool{}, map[string]bool{}
	for _, f := range funcs {
		if f.Assembly {
			assembly[f.Name] = true
		} else {
			compiled[f.Name] = true
		}
	}
	for _, f := range table.Funcs {
		if !compiled[f.Name] {
			t.Errorf("%s: %s has actions, and is in assembly or is no function", exe, f.Name)
		}
	}
	if !assembly["internal/cpu.cpuid"] || !assembly["runtime.memmove"] || len(assembly) < 100 {
		t.Errorf("%s: %d functions are in assembly, want more", exe, len(assembly))
	}
}

// decode returns all rows of a table that is in a program.
func decode(t *testing.T, table *actiontable.Table, text uint64) (list []string) {
	t.Helper()
	rows, ops := make([]actiontable.Row, table.Most.Rows), make([]register.Op, table.Most.Ops)
	all := &actions.Table{Ops: ops}
	for fn := range table.Len() {
		n, ok := table.Decode(fn, rows, ops)
		if !ok {
			t.Fatalf("function %d is damaged", fn)
		}
		for _, r := range rows[:n.Rows] {
			list = append(list, fmt.Sprint(text+uint64(table.Addr(fn)), r.PC, r.Way, r.Index, all.Operations(r.Action)))
		}
	}
	slices.Sort(list)
	return list
}
