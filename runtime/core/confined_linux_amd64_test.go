package core_test

// This file tests programs that forbid themselves system calls, and programs to which somebody has forbidden them
// before. testdata/confined has the program.

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
)

// A confinedRun is how a program ended, what it printed and the directory with its profiles.
type confinedRun struct{ outcome, dir string }

// confine runs a program. If its third argument is "wait" it gets a signal when it says that it is ready.
func confine(t *testing.T, signal syscall.Signal, args ...string) confinedRun {
	t.Helper()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "PEPDIR="+dir, "PEPOPTS=tick=1ms", "GOTRACEBACK=none", "GOMAXPROCS=2")
	var out, said bytes.Buffer
	cmd.Stderr = &said
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		fmt.Fprintln(&out, lines.Text())
		if lines.Text() == "ready" {
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
		}
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return confinedRun{fmt.Sprintf("%s\n%s%s", cmd.ProcessState, addresses.ReplaceAll(said.Bytes(), []byte("…")), &out),
		dir}
}

var addresses = regexp.MustCompile(`pc=0x[0-9a-f]+`)

// kinds returns the kinds of the files of a run.
func (r confinedRun) kinds(t *testing.T) (kinds []string) {
	t.Helper()
	files, err := os.ReadDir(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		kinds = append(kinds, strings.SplitN(f.Name(), ".", 4)[3])
	}
	return kinds
}

// A program that forbids itself system calls ends as the plain one, and its profile is written. The filter permits what
// the plain program calls from then on, and the return from handlers of signals.
func TestForbiddenCalls(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some minutes")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "confined"))); err != nil {
		t.Fatal(err)
	}
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module example.com/confined\n\ngo 1.26\n")
	plain := filepath.Join(t.TempDir(), "plain")
	cmd := exec.Command("go", "build", "-o", plain, ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if r := confine(t, 0, plain, "kill", "main", "return"); strings.Contains(r.outcome, "seccomp:") {
		t.Skip("needs filters of system calls: ", r.outcome)
	}
	type test struct {
		action, when, end string
		signal            syscall.Signal
	}
	var tests []test
	for _, end := range []string{"return", "exit", "panic", "nil", "fatal"} {
		tests = append(tests, test{"kill", "main", end, 0})
	}
	tests = append(tests, test{"kill", "main", "wait", syscall.SIGTERM}, test{"kill", "main", "wait", syscall.SIGKILL},
		test{"kill", "middle", "return", 0}, test{"errno", "middle", "return", 0}, test{"kill", "thread", "return", 0},
		test{"kill", "thread", "panic", 0}, test{"kill", "none", "return", 0})
	// Where userfaultfd is forbidden from the start, as in many containers, the companion looks at words.
	under := []string{plain, "userfaultfd", "", ""}
	want := map[test]confinedRun{}
	for _, x := range tests {
		want[x] = confine(t, x.signal, plain, x.action, x.when, x.end)
		t.Logf("%v: %q", x, want[x].outcome)
	}
	for name, flags := range map[string][]string{
		"polls": {"-pepmode=polls"}, "polls in words": {"-pepmode=polls"}, "windows": {"-pepmode=windows"},
		"exact": {"-pepmode=exact"}, "cover": {"-pepmode=cover"},
		"taps": {"-peptaps=edges"},
	} {
		prog := pepbuildtest.Program(t, dir, flags...)
		for _, x := range tests {
			t.Run(fmt.Sprint(name, " ", x), func(t *testing.T) {
				t.Parallel()
				args := []string{prog, x.action, x.when, x.end}
				if name == "polls in words" {
					args = append(slices.Clone(under), args...)
				}
				got := confine(t, x.signal, args...)
				if got.outcome != want[x].outcome {
					t.Errorf("got %s\nwant %s", got.outcome, want[x].outcome)
				}
				if x.signal == syscall.SIGKILL {
					files, _ := filepath.Glob(filepath.Join(got.dir, "*.pep"))
					if len(files) != 1 {
						t.Fatalf("files %q", got.kinds(t))
					}
					cmd := exec.Command(prog)
					cmd.Env = []string{"PEP_WRITE=" + files[0]}
					if out, err := cmd.CombinedOutput(); len(out) > 0 || err != nil {
						t.Errorf("%s%v", out, err)
					}
				}
				kinds := got.kinds(t)
				if len(kinds) == 0 || strings.Contains(strings.Join(kinds, " "), "pep") {
					t.Errorf("files %q", kinds)
				}
				if name == "taps" {
					pepbuildtest.Pprof(t, got.dir, "values")
				} else if p := pepbuildtest.Pprof(t, got.dir, "paths"); !counts(p, "main.work") {
					t.Errorf("no work: %q", p.Comments)
				}
			})
		}
		t.Run(name+" before the start", func(t *testing.T) {
			t.Parallel()
			want := confine(t, 0, plain, "kill", "", "", plain, "kill", "none", "return")
			got := confine(t, 0, plain, "kill", "", "", prog, "kill", "none", "return")
			const says = "pep: the program has inherited a filter of system calls (seccomp) that kills for calls of a profiled program: " +
				"start it without the filter; running without a profile\n"
			if want := strings.Replace(want.outcome, "\n", "\n"+says, 1); got.outcome != want {
				t.Errorf("got %s\nwant %s", got.outcome, want)
			}
			if kinds := got.kinds(t); len(kinds) != 0 {
				t.Errorf("files %q", kinds)
			}
		})
	}
}

// Where programs may not read the base of segment FS with an instruction, the handler of ticks finds it in memory.
func TestSegmentWithoutInstruction(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles std")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "segments"))); err != nil {
		t.Fatal(err)
	}
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module example.com/segments\n\ngo 1.26\n")
	for name, flags := range map[string][]string{"without C": nil, "with C": {"-tags=withc"}} {
		t.Run(name, func(t *testing.T) {
			got := confine(t, 0, pepbuildtest.Program(t, dir, append(flags, "-pepmode=windows")...))
			if want := "exit status 0\ndone\n"; got.outcome != want {
				t.Errorf("got %s\nwant %s", got.outcome, want)
			}
			if p := pepbuildtest.Pprof(t, got.dir, "paths"); pepbuildtest.Facts(t, p).Number(facts.Windows) == 0 {
				t.Errorf("no windows: %q", p.Comments)
			}
		})
	}
}
