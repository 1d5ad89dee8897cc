package taps_test

// This file tests the labels that runtime/pprof gives goroutines, on samples of taps.

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
)

// labelsOf returns the labels of a sample that testdata/labels sets: "handler=a,step=inner".
func labelsOf(s *profile.Sample) string {
	var list []string
	for _, key := range []string{"handler", "step"} {
		for _, value := range s.Label[key] {
			list = append(list, key+"="+value)
		}
	}
	return strings.Join(list, ",")
}

// labelledLoads returns how often goroutines with some labels loaded a number: "handler=a 2".
func labelledLoads(p *profile.Profile) map[string]int64 {
	counts := map[string]int64{}
	for _, s := range p.Sample {
		if s.Label["expr"][0] == "p.n" {
			counts[labelsOf(s)+" "+strings.TrimPrefix(s.Label["value"][0], "p.n=")] += s.Value[0]
		}
	}
	return counts
}

// printedLoads reads what testdata/labels prints.
func printedLoads(t *testing.T, stdout string) map[string]int64 {
	counts := map[string]int64{}
	for line := range strings.Lines(stdout) {
		i := strings.LastIndex(line, " ")
		n, err := strconv.ParseInt(strings.TrimSpace(line[i+1:]), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		counts[line[:i]] = n
	}
	return counts
}

// labelsProgram builds testdata/labels.
func labelsProgram(t *testing.T, flags ...string) (prog string) {
	dir := t.TempDir()
	text, err := os.ReadFile("testdata/labels/main.go")
	if err != nil {
		t.Fatal(err)
	}
	pepbuildtest.Write(t, filepath.Join(dir, "main.go"), string(text))
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module labels\n\ngo 1.26\n")
	return pepbuildtest.Program(t, dir, flags...)
}

// Every load counts once, with the labels that its goroutine had: labels of nested calls of pprof.Do,
// inherited ones, ones that change in the middle of a goroutine, and none, also where a goroutine
// continues the chunk of one that has ended, and if the program is killed. The truth is what the program prints.
func TestLabelsOfTapsAreExact(t *testing.T) {
	pepbuildtest.SkipUnlessLinux(t)
	for name, x := range map[string]struct{ flags, opts, end string }{
		"interrupt":  {flags: "-pepmode=taps"},
		"service":    {flags: "-pepmode=taps", opts: "deliver=service"},
		"polls":      {flags: "-pepmode=polls", opts: "tick=1ms"}, // paths have labels, too
		"exact":      {flags: "-pepmode=exact"},
		"trace":      {flags: "-pepmode=taps", opts: "trace=t.trace"},
		"pairs":      {flags: "-pepmode=taps -peptaps=pairs"},
		"goroutines": {flags: "-pepmode=taps -peptaps=loads,goroutines"},
		"killed":     {flags: "-pepmode=taps", end: "kill"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prog, out := labelsProgram(t, append([]string{"-peptaps=loads"}, strings.Fields(x.flags)...)...), t.TempDir()
			cmd := exec.Command(prog, append([]string{"50"}, strings.Fields(x.end)...)...)
			cmd.Env = append(os.Environ(), "PEPDIR="+out, "PEPOPTS="+x.opts)
			stdout, err := cmd.Output()
			if err != nil && x.end == "" {
				t.Fatal(err)
			}
			if x.end != "" {
				files, err := filepath.Glob(filepath.Join(out, "*.pep"))
				if err != nil || len(files) != 1 {
					t.Fatalf("want a .pep file, got %q", files)
				}
				write := exec.Command(prog)
				write.Env = append(os.Environ(), "PEP_WRITE="+files[0])
				if text, err := write.CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, text)
				}
			}
			p := pepbuildtest.Pprof(t, out, "values")
			got, want := labelledLoads(p), printedLoads(t, string(stdout))
			if !maps.Equal(got, want) {
				t.Errorf("%v\nwant\n%v", got, want)
			}
			if f := pepbuildtest.Facts(t, p); f.Number(facts.Unlabelled) == 0 {
				t.Error(f.Encode())
			}
		})
	}
}

// Engines do not tell labels apart: all events are there, without labels, and the comment says so.
func TestEnginesDoNotTellLabels(t *testing.T) {
	pepbuildtest.SkipUnlessLinux(t)
	prog, out := labelsProgram(t, "-pepmode=taps", "-peptaps=loads"), t.TempDir()
	cmd := exec.Command(prog, "50")
	cmd.Env = append(os.Environ(), "PEPDIR="+out, "PEPOPTS=engine=rap(eps=1%)")
	stdout, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var got, want int64
	p := pepbuildtest.Pprof(t, out, "values")
	for key, n := range labelledLoads(p) {
		if !strings.HasPrefix(key, " ") {
			t.Errorf("a sample with labels: %s", key)
		}
		got += n
	}
	for _, n := range printedLoads(t, string(stdout)) {
		want += n
	}
	if got != want {
		t.Errorf("%d events, want %d", got, want)
	}
	if f := pepbuildtest.Facts(t, p); f.Number(facts.Untold) != 1 {
		t.Error(f.Encode())
	}
}
