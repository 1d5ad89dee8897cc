package windows_test

// This file tests windows in programs that change their code.

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"syscall"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
)

// TestChangedPrograms runs programs of testdata/changed. While a function is replaced by a jump to another one, that
// one is counted, and the paths of a function that has other instructions in its middle are not.
func TestChangedPrograms(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("windows are for linux/amd64")
	}
	if testing.Short() {
		t.Skip("compiles std")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "changed"))); err != nil {
		t.Fatal(err)
	}
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module example.com/changed\n\ngo 1.26\n")
	prog, pie := pepbuildtest.Program(t, dir, "-pepmode=windows"),
		pepbuildtest.Program(t, dir, "-pepmode=windows", "-buildmode=pie")
	for _, test := range []struct {
		what, prog string
		root       bool // in a root without /proc
	}{
		{"own", prog, false},
		{"own", pie, false},
		{"own", prog, true},
		{"other", prog, false},
		{"branch", prog, false},
	} {
		t.Run(fmt.Sprint(test.what, " ", test.prog == pie, " ", test.root), func(t *testing.T) {
			p, out := changed(t, test.prog, test.what, test.root)
			f := pepbuildtest.Facts(t, p)
			windows, met := f.Number(facts.Windows), f.Number(facts.WindowsChanged)
			t.Logf("%s, %d of %d windows met changed code", bytes.TrimSpace(out), met, windows)
			if windows == 0 || met == 0 || met > windows {
				t.Errorf("%d of %d windows met changed code: %s", met, windows, f.Encode())
			}
			if test.what == "branch" {
				if n := countOf(p, "main.one"); n != 0 || string(out) != "3\n" {
					t.Errorf("main.one has %g paths, want none; the program prints %q", n, out)
				}
				return
			}
			var prices, fakes float64
			if _, err := fmt.Sscan(string(out), &prices, &fakes); err != nil {
				t.Fatalf("the program prints %q", out)
			}
			// A window of 6,000 instructions hardly has both. So their number is binomial, and more than five standard
			// deviations from its mean come once in a million times.
			want := prices / (prices + fakes)
			got := countOf(p, "main.price") / (countOf(p, "main.price") + countOf(p, "main.fake"))
			if off := 5 * math.Sqrt(want*(1-want)/float64(windows)); !(math.Abs(got-want) < off) {
				t.Errorf("main.price has %.3f of both, want %.3f, ± %.3f", got, want, off)
			}
		})
	}
}

// changed runs a program, and returns its profile and what it prints.
func changed(t *testing.T, prog, what string, root bool) (*profile.Profile, []byte) {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command(prog, what)
	cmd.Env = append(os.Environ(), "PEPDIR="+dir, "PEPOPTS=tick=4ms,budget=20%")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if root {
		data, err := os.ReadFile(prog)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "prog"), data, 0o777); err != nil {
			t.Fatal(err)
		}
		cmd.Path, cmd.Dir, cmd.SysProcAttr = "/prog", "/", &syscall.SysProcAttr{Chroot: dir}
		cmd.Env = []string{"PEPDIR=/", "PEPOPTS=tick=4ms,budget=20%"}
	}
	if err := cmd.Start(); err != nil && root {
		t.Skip("another root directory is not possible: ", err)
	} else if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, &out)
	}
	printed := regexp.MustCompile(`(?m)^pep: .*\n`).ReplaceAll(out.Bytes(), nil)
	// nobody there can tell whether a filter forbids to write
	if files, _ := filepath.Glob(filepath.Join(dir, "*.pep")); root && len(files) == 1 {
		write := exec.Command(prog)
		write.Env = append(os.Environ(), "PEP_WRITE="+files[0])
		if text, err := write.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	}
	return pepbuildtest.Pprof(t, dir, "paths"), printed
}

// countOf returns the count of the paths of a function.
func countOf(p *profile.Profile, function string) (n float64) {
	for _, s := range p.Sample {
		if s.Location[0].Line[0].Function.SystemName == function { // the name has the number of the path
			n += float64(s.Value[0])
		}
	}
	return n
}
