package optimised

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	pprof "github.com/google/pprof/profile"

	"github.com/pepgo/pep/lab/bench/benchtest"
	"github.com/pepgo/pep/lab/bench/programs"
	"github.com/pepgo/pep/lab/driver"
)

// The flat program prints the same with and without a CPU profile of it, and the profile has
// samples of its functions.
func TestProfileCPU(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program twice: not in short mode")
	}
	work := t.TempDir()
	p := &programs.Program{Config: &programs.Config{Scale: 20}, Name: flatProgram, Dir: filepath.Join(work, "module"),
		Work: work}
	if err := writeFlat(p.Dir); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(work, "cpu.pgo")
	if err := p.ProfileCPU(out); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	profile, err := pprof.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	seen := false
	for _, f := range profile.Function {
		// With the name and the lines that it has without the profiling main function.
		seen = seen || strings.HasPrefix(f.Name, "main.f") && f.Filename == filepath.Join(p.Dir, "main.go")
	}
	if !seen {
		t.Errorf("no function of the program in\n%s", profile)
	}
	if err := p.BuildPlain(programs.Plain, "-pgo=off"); err != nil {
		t.Fatal(err)
	}
	plain, err := driver.Start(work, nil, p.Exe(programs.Plain), p.Workload())
	if err != nil {
		t.Fatal(err)
	}
	profiled, err := driver.Start(work, []string{"PEPBENCH_PROFILE=" + out}, p.Exe("profiled"), p.Workload())
	if err != nil {
		t.Fatal(err)
	}
	if err := profiled.Same(plain); err != nil || !strings.HasPrefix(plain.Stdout, "flat ") {
		t.Errorf("%v; the plain program prints %q", err, plain.Stdout)
	}
}

// A log is a writer that calls a function with what is written.
type log func(text string)

func (l log) Write(data []byte) (int, error) {
	l(string(data))
	return len(data), nil
}

// Programs are built before any is measured, and a program that cannot be built is left out. What has no second input
// has no branches of one.
func TestPGOOfTwoPrograms(t *testing.T) {
	cfg := benchtest.Config(t)
	dir := t.TempDir()
	broken, fixed := filepath.Join(dir, "broken"), filepath.Join(dir, "fixed")
	const mod, program = "module example.com/program\n\ngo 1.26\n", `package main

import "fmt"

func main() {
	n := 0
	for i := range 30_000_000 {
		n = next(i, n)
	}
	fmt.Println(n)
}

func next(i, n int) int {
	if i%3 == n&1 {
		return n + 1
	}
	return n
}
`
	for name, text := range map[string]string{
		filepath.Join(broken, "go.mod"): mod, filepath.Join(broken, "main.go"): "package main\n\nfunc main() { nothing() }\n",
		filepath.Join(fixed, "go.mod"): mod, filepath.Join(fixed, "main.go"): program,
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cfg.Programs, cfg.Scale = []string{"bitboard", broken, fixed}, 4
	after := filepath.Join(dir, "go")
	var text bytes.Buffer
	cfg.Log = log(func(line string) {
		text.WriteString(line)
		if strings.HasPrefix(line, "built all; waiting") {
			if strings.Contains(text.String(), "round 1") {
				t.Error("programs were measured before all were built")
			}
			go func() {
				time.Sleep(100 * time.Millisecond)
				if err := os.WriteFile(after, nil, 0o666); err != nil {
					t.Error(err)
				}
			}()
		}
		if _, err := os.Stat(after); err != nil && strings.Contains(line, "measuring") {
			t.Error("programs were measured before there was a file")
		}
	})
	all, err := Measure(cfg, Options{Cut: 0.95, Profiled: 100, Rounds: 2, Layouts: 2, After: after})
	if err != nil {
		t.Fatal(err)
	}
	if all[0].Err != nil || all[1].Err == nil || all[2].Err != nil {
		t.Fatalf("got errors %v, want one of the second program alone", []error{all[0].Err, all[1].Err, all[2].Err})
	}
	for i, other := range map[int]int{0: 2, 2: 0} { // runs with branches of the other input
		o := &all[i]
		for v, variant := range variants() {
			want := 2
			if variant.Build == otherBuild {
				want = other
			}
			if n := len(o.Runs[v]); n != want {
				t.Errorf("%s, %s: %d runs, want %d", o.Program, variant.Name, n, want)
			}
		}
		if o.Rebuild <= 0 {
			t.Errorf("%s: the build with sampled branches took no time", o.Program)
		}
	}
	if table := Tables(all); !strings.Contains(table, "| bitboard") || !strings.Contains(table, "* broken: ") {
		t.Errorf("got\n%s", table)
	}
}

// The directories of programs have their names, so two of one name are an error.
func TestTwoProgramsOfOneName(t *testing.T) {
	cfg := benchtest.Names(t, "a", "other/a")
	cfg.Programs = []string{"a", filepath.Join(cfg.Root, "testprogs", "other", "a")}
	if _, err := Measure(cfg, Options{Rounds: 1, Layouts: 1}); err == nil ||
		!strings.Contains(err.Error(), "two programs of one name") {
		t.Errorf("got %v, want an error", err)
	}
}

// All test programs have a second input.
func TestSecondInputs(t *testing.T) {
	cfg := benchtest.Config(t)
	cfg.Scale, cfg.More, cfg.Programs = 1, true, nil
	list, err := cfg.AllIn(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Programs, err = filepath.Glob(filepath.Join(cfg.Root, "testprogs", "others", "*")); err != nil {
		t.Fatal(err)
	}
	others, err := cfg.AllIn(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range append(list, others...) {
		if err := p.BuildPlain(programs.Plain, "-ldflags=-s"); err != nil {
			t.Fatal(err)
		}
		if has, err := hasSecondInput(p); err != nil || !has {
			t.Errorf("%s: second input: %v, %v, want true", p.Name, has, err)
		}
	}
}
