package core_test

// This file tests that programs and their children see of signals what those of the plain program see.

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pepgo/pep/gobuild/pepbuildtest"
)

// signalRuns are how testdata/signals runs: its arguments, by which program it is started ("ignoring" and "blocking"
// are the plain program), and its environment. UNHANDLED33 is for C code.
var signalRuns = []struct {
	by, what, env string
	of            []string // these modes only, if there are any
}{
	{what: "stages"},
	{by: "ignoring", what: "stages", of: ticking},
	{by: "blocking", what: "stages", of: ticking},
	{what: "delivery", of: ticking},
	{by: "ignoring", what: "delivery", of: ticking},
	{by: "blocking", what: "delivery of blocked", of: ticking},
	{by: "blocking", what: "signal 33", of: ticking},
	{what: "signal 33", env: "UNHANDLED33=default", of: ticking},
	{what: "signal 33", env: "UNHANDLED33=ignored", of: ticking},
	{what: "panic"},
	{what: "panic", env: "GOTRACEBACK=none"},
	{what: "panic", env: "GOTRACEBACK=crash"},
	{what: "panic after Notify"},
	{what: "fatal error"},
	{what: "fatal error", env: "GOTRACEBACK=none"},
	{what: "fatal error", env: "GOTRACEBACK=crash"},
}

// ticking are the modes with ticks, of which taps change nothing.
var ticking = []string{"-pepmode=polls", "-pepmode=windows"}

func TestSignals(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("signals of ticks are for linux/amd64")
	}
	if testing.Short() {
		t.Skip("takes about 20 s")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "signals"))); err != nil {
		t.Fatal(err)
	}
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module example.com/signals\n\ngo 1.26\n")
	for cgo, modes := range map[string][]string{"0": append([]string{"-pepmode=exact", "-pepmode=cover", "-peptaps=all"},
		ticking...), "1": ticking} {
		t.Run("cgo"+cgo, func(t *testing.T) {
			t.Setenv("CGO_ENABLED", cgo)
			if out, err := exec.Command("go", "env", "CC").Output(); cgo == "1" {
				if err != nil {
					t.Fatal(err)
				}
				if _, err := exec.LookPath(strings.TrimSpace(string(out))); err != nil {
					t.Skip(err)
				}
			}
			plain := filepath.Join(t.TempDir(), "plain")
			cmd := exec.Command("go", "build", "-o", plain, ".")
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			var want []string
			for _, run := range signalRuns {
				out, _ := seenSignals(t, plain, plain, run.by, run.what, run.env)
				want = append(want, out)
			}
			for _, mode := range modes {
				prog := pepbuildtest.Program(t, dir, mode)
				for i, run := range signalRuns {
					if run.of != nil && !slices.Contains(run.of, mode) {
						continue
					}
					t.Run(strings.Join([]string{mode, run.by, run.what, run.env}, " "), func(t *testing.T) {
						got, files := seenSignals(t, plain, prog, run.by, run.what, run.env)
						if got != want[i] {
							t.Errorf("got %s\nwant %s", got, want[i])
						}
						if len(files) == 0 && mode != "-pepmode=windows" { // which has nothing to write before its first tick
							t.Error("the counts are lost")
						}
					})
				}
			}
		})
	}
}

// traces matches what the runtime prints of goroutines.
var traces = regexp.MustCompile(`(?s)\n(goroutine \d+|runtime stack:).*`)

// seenSignals runs a program, and returns what it prints and how it ends, and the files that it leaves.
func seenSignals(t *testing.T, plain, prog, by, what, env string) (outcome string, files []string) {
	t.Helper()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	args := []string{prog, what}
	if by != "" {
		args = append([]string{plain, by}, args...)
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PEPDIR="+dir, "PEPOPTS=tick=1ms", env)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.pep"))
	if err != nil {
		t.Fatal(err)
	}
	profiles, err := filepath.Glob(filepath.Join(dir, "*.pb.gz"))
	if err != nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.String() + "\n" + stdout.String() + traces.ReplaceAllString(stderr.String(), ""),
		append(files, profiles...)
}
