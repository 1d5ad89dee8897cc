package bench

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestSummarize(t *testing.T) {
	for _, tt := range []struct {
		name string
		xs   []float64
		want summary
	}{
		{"one value is all of its quantiles", []float64{3}, summary{3, 3, 3, 3, 3}},
		{"between two values quantiles are interpolated", []float64{4, 2}, summary{2, 2.5, 3, 3.5, 4}},
		{"an odd number of values has one in the middle", []float64{5, 1, 4, 2, 3}, summary{1, 2, 3, 4, 5}},
		// R: quantile(c(1, 2, 4, 8, 16, 32)) is 1.0 2.5 6.0 14.0 32.0.
		{"quartiles are those of R", []float64{32, 16, 8, 4, 2, 1}, summary{1, 2.5, 6, 14, 32}},
	} {
		in := slices.Clone(tt.xs)
		if got := summarize(tt.xs); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
		if !slices.Equal(in, tt.xs) {
			t.Errorf("%s: the values were reordered", tt.name)
		}
	}
}

func TestMeans(t *testing.T) {
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}
	near("mean", mean([]float64{1, 2, 6}), 3)
	near("geometric mean", geoMean([]float64{1, 2, 4}), 2)
	near("geometric mean of ratios that cancel out", geoMean([]float64{0.8, 1.25}), 1)
	if got := argMax([]float64{1, 3, 2, 3}); got != 1 {
		t.Errorf("argMax: got %d, want 1, the first of the greatest", got)
	}
}

func TestParseSettings(t *testing.T) {
	got, err := ParseSettings(" 64,17  1,1 windows 4,3,regular")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Setting{PEP, {Samples: 1, Stride: 1}, {Windows: true}, {Samples: 4, Stride: 3, Regular: true}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, bad := range []string{"", "64", "64,17,3", "64;17", "x,1", "64,17x", "windows,1", "windows,regular", "64,17,regular,regular"} {
		if got, err := ParseSettings(bad); err == nil {
			t.Errorf("%q: got %v, want an error", bad, got)
		}
	}
}

func TestSettingsAreWhatTheProgramReads(t *testing.T) {
	for _, tt := range []struct {
		setting   Setting
		name, env string
	}{
		{PEP, "PEP(64,17)", "PEPOPTS=samples=64,stride=17"},
		{Setting{Samples: 1, Stride: 1, Tick: 20 * time.Millisecond}, "PEP(1,1) 20ms", "PEPOPTS=samples=1,stride=1,tick=20000us"},
		{Setting{Samples: 64, Stride: 17, Regular: true}, "PEP(64,17) regular", "PEPOPTS=samples=64,stride=17,ag=regular"},
		{Setting{Windows: true}, "windows", "PEPOPTS="},
		{Setting{Windows: true, Tick: 4 * time.Millisecond}, "windows 4ms", "PEPOPTS=tick=4000us"},
	} {
		if got := tt.setting.String(); got != tt.name {
			t.Errorf("got %q, want %q", got, tt.name)
		}
		if got := tt.setting.env(); got != tt.env {
			t.Errorf("got %q, want %q", got, tt.env)
		}
	}
}

func TestRunsMustDoTheSame(t *testing.T) {
	plain := Run{Stdout: "sum 7\n"}
	for _, tt := range []struct {
		name, want string
		run        Run
	}{
		{"times do not matter", "", Run{CPU: 1, Wall: 2, Stdout: "sum 7\n"}},
		{"output does", `prints "sum 8\n", plain program "sum 7\n"`, Run{Stdout: "sum 8\n"}},
		{"the exit code does", "exit code 2, plain program 0", Run{Stdout: "sum 7\n", Code: 2}},
	} {
		got := ""
		if err := tt.run.same(plain); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// golden compares text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	if strings.Contains(got, "%!") {
		t.Errorf("%s: a verb of fmt has failed:\n%s", name, got)
	}
	name = filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; go test -update rewrites it):\n%s", name, diff)
	}
}

// cost makes up the cost of a program. It has the given CPU seconds, by variant and round, and
// twice as much wall-clock time.
func cost(name string, rounds ...[]float64) Cost {
	c := Cost{
		Program:  name,
		Variants: variants(OverheadOptions{Settings: []Setting{PEP}}),
		Packages: 40,
		Size:     map[string]int64{plainBuild: 2_000_000, pollsBuild: 2_400_000, exactBuild: 2_600_000, countBuild: 3_000_000, setBuild: 2_900_000, atomicBuild: 3_100_000, guidedBuild: 2_350_000, selfBuild: 2_050_000},
		BuildTime: map[string]Run{
			"go":       {CPU: 10 * time.Second, Wall: 6 * time.Second},
			"pepbuild": {CPU: 15 * time.Second, Wall: 9 * time.Second},
		},
	}
	for range c.Variants {
		c.Runs, c.Written = append(c.Runs, nil), append(c.Written, nil)
	}
	for _, round := range rounds {
		for v, s := range round {
			cpu := time.Duration(s * float64(time.Second))
			c.Runs[v] = append(c.Runs[v], Run{CPU: cpu, Wall: 2 * cpu})
			c.Written[v] = append(c.Written[v], Written{time.Duration(v) * 10 * time.Millisecond, 0.001 * float64(v) * s})
		}
	}
	return c
}

func TestOverheadTables(t *testing.T) {
	slow := cost("slow", []float64{2, 2.1, 2.2, 2.15, 2.14, 4, 3, 2.9, 3.5, 2.02}, []float64{2.5, 2.5, 2.5, 2.5, 2.4, 5, 3, 2.9, 3.6, 2.5})
	slow.Instructions = map[string]int64{plainBuild: 2e9, pollsBuild: 2.2e9, exactBuild: 6e9, countBuild: 3e9, setBuild: 2.5e9, atomicBuild: 4e9, guidedBuild: 2.15e9}
	fast := cost("fast", []float64{1, 0.99, 1, 1, 1, 1.5, 1.2, 1.1, 1.3, 1.01}, []float64{1, 1, 1.02, 1.01, 1, 1.5, 1.3, 1.2, 1.4, 1})
	fast.Skipped = ErrNoValgrind
	golden(t, "overhead.md", OverheadTables([]Cost{slow, fast}, Group{"one", []string{"fast"}}, Group{"others", []string{"fast", "absent"}}))
}

// Ratios 1, 2 and 8 have the mean 2.52, that without the worst is 1.41, and that of the
// first and the last is 2.83.
func TestMeansOfGroups(t *testing.T) {
	var costs []Cost
	for name, seconds := range map[string]float64{"a": 1, "b": 2, "c": 8} {
		costs = append(costs, Cost{Program: name, Variants: []Variant{{Name: "plain"}, {Name: "slow"}}, Runs: [][]Run{{{CPU: time.Second}}, {{CPU: time.Duration(seconds * 1e9)}}}})
	}
	g, err := ParseGroup("ends=a,c")
	if err != nil {
		t.Fatal(err)
	}
	got := leastRatios(costs, g, Group{"none", []string{"a", "d"}}).rows
	want := [][]string{{"geometric mean", "", "2.520"}, {"maximum", "", "8.000"}, {"mean without the worst", "", "1.414"}, {"mean of ends", "", "2.828"}}
	if diff := cmp.Diff(want, got[len(got)-4:]); diff != "" || len(got) != 8 {
		t.Errorf("%d rows (-want +got):\n%s", len(got), diff)
	}
	for _, text := range []string{"", "a", "=a", "a="} {
		if _, err := ParseGroup(text); err == nil {
			t.Errorf("%q is a group", text)
		}
	}
}

// fit makes up the accuracy of a program.
func fit(name string, off float64) Fit {
	run := func(x float64) Match {
		return Match{Wall: x - off, Relative: x + 0.02, Absolute: x - 0.1, Paths: 100, Ticks: 300, Samples: 19200}
	}
	few := Match{Wall: 0.5, Relative: 0.7, Absolute: 0.4, Ticks: 300, Samples: 300, Dropped: 2}
	return Fit{
		Program:  name,
		Settings: []Setting{PEP, {Samples: 1, Stride: 1}, {Samples: 64, Stride: 17, Tick: 20 * time.Millisecond}},
		Samples:  [][]Match{{run(0.93), run(0.94), run(0.96)}, {few}, {run(0.9)}},
		Together: run(0.97),

		Unweighed: [][]Match{{run(0.91), run(0.92), run(0.93)}, {few}, {run(0.88)}},
		Exact:     Exact{Paths: 800, Hot: 90, Ends: 5_000_000, Flow: 12_500_000},
		Worst:     Difference{"main.work", 0.25, 0.2},
	}
}

func TestAccuracyTables(t *testing.T) {
	header := []Fit{fit("one", 0), fit("two", 0.1)}
	golden(t, "accuracy.md", AccuracyTables(header)+TruncationTables(header, header))
}

func TestHeaderNamesMachineAndCommand(t *testing.T) {
	got := Header("Title", "x", []string{"-n", "1", "a|b"}, time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC))
	if !strings.HasPrefix(got, "# Title\n\n2026-03-04, ") || !strings.HasSuffix(got, ".\n\n    go run -C lab ./cmd/x -n 1 'a|b'\n\n") || !strings.Contains(got, " cores, ") || !strings.Contains(got, "go1.") || !strings.Contains(got, "commit") {
		t.Errorf("got %q", got)
	}
}

// Of ten values, 97.9 % of all samples have the median between the second and the ninth, and
// 89 % between the third and the eighth: the binomial distribution of 10 throws of a coin.
func TestInterval(t *testing.T) {
	xs := []float64{1.09, 1.01, 1.02, 1.08, 1.03, 1.07, 1.04, 1.10, 1.05, 1.06}
	if got := interval(xs); got != "1.055 (1.020–1.090)" {
		t.Errorf("ten values: %s", got)
	}
	if got := interval(xs[:5]); got != "1.030 (-)" {
		t.Errorf("five values, which tell nothing about 95 %%: %s", got)
	}
	if xs[0] != 1.09 {
		t.Error("interval sorts its argument")
	}
}

func TestBenchmarkLines(t *testing.T) {
	text, err := Benchmarks([]Cost{cost("slow", []float64{2, 2.5, 2, 2, 2, 2, 2, 2, 2, 2}, []float64{3, 3, 3, 3, 3, 3, 3, 3, 3, 3.5})}, 2, 50)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\nworkload: 50%\n",
		"\nBenchmarkRun/program=slow/variant=plain/layout=0 1 4 sec/op 2 cpu-sec/op\n",
		"\nBenchmarkRun/program=slow/variant=no_ticks/layout=0 1 5 sec/op 2.5 cpu-sec/op 0.01 exit-sec/op\n",
		"\nBenchmarkRun/program=slow/variant=runtime-pprof_CPU_profile/layout=1 1 7 sec/op 3.5 cpu-sec/op\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no line %q in\n%s", want, text)
		}
	}
	if n := strings.Count(text, "\nBenchmark"); n != 20 {
		t.Errorf("%d lines, want 20", n)
	}
}

func TestAccuracyLines(t *testing.T) {
	text, err := AccuracyLines([]Fit{fit("one", 0.25)}, []Fit{fit("one", 0)}, 100)
	if err != nil {
		t.Fatal(err)
	}
	const second = "\nBenchmarkAccuracy/program=one/variant=PEP(64,17) 1 0.69 wall 0.96 relative 0.84 absolute 0.67 sample-wall 0.9400000000000001 sample-relative " +
		"0.8200000000000001 sample-absolute 19200 samples 300 ticks\n"
	const exact = "\nBenchmarkExact/program=one/variant=backedge 1 800 paths 90 hot 5e+06 ends 1.25e+07 decisions\n"
	if n := strings.Count(text, "\nBenchmark"); n != 7 || !strings.Contains(text, exact) || !strings.Contains(text, second) || !strings.Contains(text, "\nBenchmarkAccuracy/program=one/variant=PEP(64,17)_20ms 1 ") {
		t.Errorf("%d lines, want 7, and the second to be %q:\n%s", n, second, text)
	}
}

func TestProgramsByName(t *testing.T) {
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	c := Config{Root: root}
	few, err := c.programs()
	if err != nil {
		t.Fatal(err)
	}
	c.More = true
	all, err := c.programs()
	if err != nil || len(all) < 16 || len(all) <= len(few) {
		t.Errorf("%d and %d programs, %v, want 16 or more with those of testprogs/bench", len(few), len(all), err)
	}
	c.Programs = []string{"chess", "lua"}
	if got, err := c.programs(); err != nil || !slices.Equal(got, []string{filepath.Join("bench", "chess"), "lua"}) {
		t.Errorf("got %q, %v", got, err)
	}
	other, err := filepath.Abs(filepath.Join(c.Root, "testprogs", "others", "shell"))
	if err != nil {
		t.Fatal(err)
	}
	c.Programs = []string{filepath.Join(c.Root, "testprogs", "others", "shell"), "lua"}
	if got, err := c.programs(); err != nil || !slices.Equal(got, []string{other, "lua"}) {
		t.Errorf("got %q, %v, want the absolute name of a directory", got, err)
	}
	c.Programs = []string{t.TempDir()}
	if _, err := c.programs(); err == nil || !strings.Contains(err.Error(), "go.mod") {
		t.Errorf("got error %v, want one that asks for go.mod", err)
	}
	c.Programs = []string{"draughts"}
	if _, err := c.programs(); err == nil || !strings.Contains(err.Error(), "chess") {
		t.Errorf("got error %v, want one that names the programs", err)
	}
}

// The moment when a file is removed is between those before and after the call, and it is not that of
// a file that gets another name.
func TestRemovalIsNoticed(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	r, err := watchRemoval(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "c")); err != nil {
		t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond)
	before := time.Now()
	if err := os.Remove(filepath.Join(dir, "b")); err != nil {
		t.Fatal(err)
	}
	at, ok := r.stop()
	if !ok || at.Before(before) || at.After(time.Now()) {
		t.Errorf("removed at %v, %v: want a moment between %v and now", at, ok, before)
	}
}
