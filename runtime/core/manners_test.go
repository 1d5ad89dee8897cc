package core_test

// This file tests that programs whose ticks do something behave as the plain ones in surroundings that could disturb
// the handler of ticks, or that it could disturb. testdata/manners has the programs.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
)

// A profile by windows says why there was none, or that it was dropped.
var disturbances = []struct {
	what, env string
	says      facts.Key
}{
	{what: "sent SIGSEGV"},
	{what: "sent SIGBUS"},
	{what: "sent SIGURG"},
	{what: "faults"},
	{what: "profile"},
	{what: "timer"},
	{what: "mapped"},
	{what: "userfaultfd"},
	{what: "children"},
	{what: "vfork"},
	{what: "goroutines"},
	{what: "goroutines", env: "GODEBUG=asyncpreemptoff=1"},
	{what: "collections"},
	{what: "collections", env: "GODEBUG=gcstoptheworld=1"},
	{what: "collections", env: "GODEBUG=clobberfree=1"},
	{what: "collections", env: "GODEBUG=gccheckmark=1"},
	{what: "processors"},
	{what: "recursion"},
	{what: "recursion", env: "GODEBUG=gcshrinkstackoff=1"},
	{what: "seccomp"},
	{what: "blocked", says: facts.TicksUncaught},
	{what: "replaced"},
	{what: "never", says: facts.WindowsThrown},
}

func TestManners(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("signals of ticks are for linux/amd64")
	}
	if testing.Short() {
		t.Skip("takes about a minute")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "manners"))); err != nil {
		t.Fatal(err)
	}
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module example.com/manners\n\ngo 1.26\n")
	plain := filepath.Join(t.TempDir(), "plain")
	cmd := exec.Command("go", "build", "-o", plain, ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, mode := range []string{"polls", "windows"} {
		prog := pepbuildtest.Program(t, dir, "-pepmode="+mode)
		for _, d := range disturbances {
			t.Run(strings.TrimSpace(mode+" "+d.what+" "+d.env), func(t *testing.T) {
				want := disturbed(t, plain, d.what, d.env, false)
				if _, refused, ok := strings.Cut(want.outcome, "userfaultfd: "); ok {
					t.Skip("this user may not handle faults of pages: ", refused)
				}
				got := disturbed(t, prog, d.what, d.env, true)
				if got.outcome != want.outcome {
					t.Errorf("got %s\nwant %s", got.outcome, want.outcome)
				}
				p := pepbuildtest.Pprof(t, got.dir, "paths")
				f := pepbuildtest.Facts(t, p)
				t.Logf("%s", f.Encode())
				if mode == "windows" && d.says != 0 && f.Number(d.says) == 0 {
					t.Errorf("want fact %d: %s", d.says, f.Encode())
				}
				if mode == "windows" && f.Number(facts.Windows) == 0 {
					t.Errorf("want windows: %s", f.Encode())
				}
				// Children that have the program's memory for a time have no ticks.
				if mode == "windows" && counts(p, "main.childWork") {
					t.Error("the profile counts what children have executed")
				}
				if d.what == "profile" {
					got.checkCPUProfile(t)
				}
			})
		}
	}
}

// counts reports whether a sample of a profile has a function.
func counts(p *profile.Profile, function string) bool {
	return slices.ContainsFunc(p.Sample, func(s *profile.Sample) bool {
		return slices.ContainsFunc(s.Location, func(l *profile.Location) bool {
			return slices.ContainsFunc(l.Line, func(line profile.Line) bool { return line.Function.Name == function })
		})
	})
}

// A disturbance is how a program ended, and the directory with its profiles.
type disturbance struct{ outcome, dir string }

func disturbed(t *testing.T, prog, what, env string, ticks bool) disturbance {
	t.Helper()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, prog, what)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PEPDIR="+dir, "PEPOPTS=tick=1ms", "CPUPROFILE="+filepath.Join(dir, "cpu"), env)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if ticks {
		stop, err := pepbuildtest.SendTicks(prog, cmd.Process.Pid)
		if err != nil {
			t.Fatal(err)
		}
		defer stop()
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return disturbance{fmt.Sprintf("%s\n%s", cmd.ProcessState, &out), dir}
}

// checkCPUProfile checks that the CPU profile of package runtime/pprof has the time of the program, and twice as much
// of it for main.twice as for main.once.
func (d disturbance) checkCPUProfile(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(d.dir, "cpu"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(d.dir, "cpu.used"))
	if err != nil {
		t.Fatal(err)
	}
	used, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		t.Fatal(err)
	}
	ns := map[string]float64{}
	for _, s := range p.Sample {
		seen := map[string]bool{}
		for _, l := range s.Location {
			for _, line := range l.Line {
				if name := line.Function.Name; !seen[name] {
					seen[name] = true
					ns[name] += float64(s.Value[1])
				}
			}
		}
		ns[""] += float64(s.Value[1])
	}
	t.Logf("of %.0f ns %.0f in the profile, main.twice %.0f, main.once %.0f", used, ns[""], ns["main.twice"],
		ns["main.once"])
	if x := ns[""] / used; x < 0.6 || x > 1.2 {
		t.Errorf("the profile has %.2f of the time", x)
	}
	// Of n samples each is in main.twice with the chance 2/3. More than five standard deviations from that come once in
	// 1.7 million profiles; of 120 samples, 46 to 88 % are allowed.
	both := ns["main.twice"] + ns["main.once"]
	n := both / float64(p.Period)
	if x := ns["main.twice"] / both; math.Abs(x-2./3) > 5*math.Sqrt(2./9/n) {
		t.Errorf("main.twice has %.2f of %.0f samples, want 2/3", x, n)
	}
	if x := both / ns[""]; x < 0.9 {
		t.Errorf("%.2f of the profile is where the program computes", x)
	}
}
