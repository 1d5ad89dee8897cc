package main

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

	pepprofile "github.com/pepgo/pep/analyze/profile"
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
	write(t, filepath.Join(dir, "main.go"), string(text))
	write(t, filepath.Join(dir, "go.mod"), "module labels\n\ngo 1.26\n")
	return build(t, dir, flags...)
}

// Every load counts once, with the labels that its goroutine had: labels of nested calls of pprof.Do,
// inherited ones, ones that change in the middle of a goroutine, and none, also where a goroutine
// continues the chunk of one that has ended, and if the program is killed. The truth is what the program prints.
func TestLabelsOfTapsAreExact(t *testing.T) {
	skipUnlessLinux(t)
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
			p := readProfile(t, out, "values")
			got, want := labelledLoads(p), printedLoads(t, string(stdout))
			if !maps.Equal(got, want) {
				t.Errorf("%v\nwant\n%v", got, want)
			}
			if !strings.Contains(p.Comments[0], " without labels, which are too long or too many") {
				t.Errorf("comment %q", p.Comments[0])
			}
		})
	}
}

// Engines do not tell labels apart: all events are there, without labels, and the comment says so.
func TestEnginesDoNotTellLabels(t *testing.T) {
	skipUnlessLinux(t)
	prog, out := labelsProgram(t, "-pepmode=taps", "-peptaps=loads"), t.TempDir()
	cmd := exec.Command(prog, "50")
	cmd.Env = append(os.Environ(), "PEPDIR="+out, "PEPOPTS=engine=rap(eps=1%)")
	stdout, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var got, want int64
	p := readProfile(t, out, "values")
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
	if !strings.Contains(p.Comments[0], ", without labels of goroutines, which engines and 32-bit programs do not tell apart") {
		t.Errorf("comment %q", p.Comments[0])
	}
}

// In bursts the estimates of each set of labels are within their bounds, and so are sums over all
// labels and what go tool pprof leaves of a profile. There are some 70 of these estimates, half of them of the same
// samples as others. An estimate is outside in 4 of 10^9 runs if errors are normal (manyBounds), so a false alarm
// comes in one of a million runs. Programs of -peptapmode=full with PEPOPTS=taps=burst are not tested: where two threads
// really run at the same time, some of their estimates are outside.
func TestLabelsOfTapsInBursts(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about 15 s")
	}
	skipUnlessLinux(t)
	for _, mode := range []string{"burst"} {
		t.Run(mode, func(t *testing.T) {
			prog, out := labelsProgram(t, "-pepmode=taps", "-peptaps=loads", "-peptapmode="+mode), t.TempDir()
			cmd := exec.Command(prog, "10000000")
			cmd.Env = append(os.Environ(), "PEPDIR="+out, "PEPOPTS=taps=burst")
			stdout, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			truth := printedLoads(t, string(stdout))
			files, err := filepath.Glob(filepath.Join(out, "*.values.pb.gz"))
			if err != nil || len(files) != 1 {
				t.Fatalf("want a profile of values, got %q", files)
			}
			pprofOf := func(args ...string) string {
				text, err := exec.Command("go", append(append([]string{"tool", "pprof"}, args...), files[0])...).CombinedOutput()
				if err != nil {
					t.Fatalf("go tool pprof %q: %v: %s", args, err, text)
				}
				return string(text)
			}
			if tags := pprofOf("-tags"); !strings.Contains(tags, " handler: ") || !strings.Contains(tags, " step: ") {
				t.Errorf("go tool pprof -tags:\n%s", tags)
			}
			for name, x := range map[string]struct {
				focus  []string
				labels func(string) bool
			}{
				"all":            {nil, func(string) bool { return true }},
				"without labels": {[]string{"-tagignore=handler="}, func(l string) bool { return l == "" }},
				"a":              {[]string{"-tagfocus=handler=a", "-tagignore=step="}, func(l string) bool { return l == "handler=a" }},
				"b":              {[]string{"-tagfocus=handler=b", "-tagignore=step="}, func(l string) bool { return l == "handler=b" }},
				"inner":          {[]string{"-tagfocus=step=inner"}, func(l string) bool { return strings.HasSuffix(l, "step=inner") }},
				"a, and none":    {[]string{"-tagignore=handler=b"}, func(l string) bool { return !strings.HasPrefix(l, "handler=b") }},
			} {
				left := filepath.Join(out, "left.pb.gz")
				pprofOf(append([]string{"-proto", "-output=" + left}, x.focus...)...)
				checkBursts(t, mode+", "+name, left, truth, x.labels)
			}
		})
	}
}

// checkBursts compares the loads of goroutines with some labels, and the share that each number has in them.
func checkBursts(t *testing.T, name, file string, truth map[string]int64, labels func(string) bool) {
	t.Helper()
	f, err := pepprofile.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	words, err := f.Words()
	if err != nil {
		t.Fatal(err)
	}
	counts, all, total := map[string]float64{}, 0.0, 0.0
	for key, n := range truth {
		total += float64(n)
		if l, number, _ := strings.Cut(key, " "); labels(l) {
			counts[number] += float64(n)
			all += float64(n)
		}
	}
	want, got := map[string]float64{}, map[string]estimate{}
	for number, n := range counts {
		if n > total/50 { // what is less often loaded is in a few windows only
			want["count of "+number], want["share of "+number] = n, n/all
		}
	}
	for _, s := range pepprofile.SumSites(words) {
		if s.Site.Expr != "p.n" {
			continue
		}
		for _, w := range s.Words {
			got["count of "+w.Value] = estimate{float64(w.Count), w.CountError(f.Period.Value), w.Messages}
			got["share of "+w.Value] = estimate{float64(w.Count) / float64(s.Count), s.ShareError(w, f.Period.Value), w.Messages}
		}
	}
	for key := range want {
		e := got[key]
		t.Logf("%s, %s: %.4g ± %.3g of %d samples, truth %.4g", name, key, e.value, e.bound, e.samples, want[key])
	}
	for _, problem := range outside(got, want, manyBounds) {
		t.Errorf("%s, %s", name, problem)
	}
}
