package randprog

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pepgo/pep/gobuild/pepbuildtest"
)

// Programs do the same if the compiler lays them out by random counts of branches. PEP_WRONG says how many programs.
func TestWrongCountsMakeNoWrongCode(t *testing.T) {
	if testing.Short() {
		t.Skip("builds many programs twice")
	}
	n := 20
	if s := os.Getenv("PEP_WRONG"); s != "" {
		if _, err := fmt.Sscan(s, &n); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	pepbuild := pepbuildtest.Pepbuild(t)
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, "module", name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/random\n\ngo 1.26\n")
	for seed := range n {
		for name, text := range program(uint64(seed)).Plain {
			write(filepath.Join(fmt.Sprint("p", seed), name), text)
		}
	}
	for _, command := range [][]string{{"go", "build"}, {pepbuild, "build", "-pepopt=random:5"}} {
		out := filepath.Join(dir, filepath.Base(command[0]))
		if command[0] == pepbuild {
			out = filepath.Join(dir, "wrong")
		}
		cmd := exec.Command(command[0], append(command[1:], "-o", out+string(filepath.Separator), "./...")...)
		cmd.Dir = filepath.Join(dir, "module")
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", cmd, err, text)
		}
	}
	outcome := func(exe string) string {
		cmd := exec.Command(exe)
		cmd.Dir = t.TempDir()
		out, err := cmd.Output()
		return fmt.Sprintf("%v\n%s", err, out)
	}
	printed := 0
	for seed := range n {
		name := fmt.Sprint("p", seed)
		want := outcome(filepath.Join(dir, "go", name))
		printed += len(want)
		if got := outcome(filepath.Join(dir, "wrong", name)); got != want {
			t.Errorf("seed %d: %s\nwith right counts, or none: %s", seed, got, want)
		}
	}
	if printed < 20*n {
		t.Errorf("the programs print %d bytes", printed)
	}
}
