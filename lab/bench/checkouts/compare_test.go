package checkouts

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/lab/bench/benchtest"
	"github.com/pepgo/pep/lab/bench/programs"
)

func TestCompareTables(t *testing.T) {
	benchtest.Golden(t, "compare.md", Tables([]string{"before", "now"}, []Compared{
		{"polls", "slow", [][]float64{{2, 2.2, 2.4}, {2.2, 1.1, 2.4}}, []int64{1000, 900}},
		{"polls", "fast", [][]float64{{0.5, 0.25}, {0.5, 0.5}}, []int64{1000, 1600}},
		{"taps", "slow", [][]float64{{4e-3}, {5e-3}}, nil},
		{"hwsim/strat", "Push/P256", [][]float64{{3e-8, 2e-8}, {4e-8, 3e-8}}, nil},
	}))
}

func TestOutputOfBenchmarks(t *testing.T) {
	got := benchmarks(`goos: linux
BenchmarkPush/H[P256]2048@mul-2   	     100	    123456 ns/op	       530.7 Mtuples/s
BenchmarkPush/P256 	 5000000	         0.25 ns/op
BenchmarkTap/a-b-16          	       1	  1000000000 ns/op	         2.0 ns/tap
--- BENCH: BenchmarkTap-2
PASS
`)
	want := []benchmark{{"Push/H[P256]2048@mul", 123456e-9}, {"Push/P256", 0.25e-9}, {"Tap/a-b", 1}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A benchmark that only one checkout has is not compared, and the log says so.
func TestBenchmarksOfAllCheckouts(t *testing.T) {
	var log strings.Builder
	common := inAll(&programs.Config{Log: &log}, "./p", [][]benchmark{{{"Both", 1}, {"Old", 2}}, {{"New", 3}, {"Both", 4}}},
		[]Checkout{{Name: "before"}, {Name: "now"}})
	if want := []benchmark{{"Both", 4}}; !slices.Equal(common, want) {
		t.Errorf("got %v, want %v", common, want)
	}
	if want := "./p: checkout now has no benchmark Old\n./p: checkout before has no benchmark New\n"; log.String() != want {
		t.Errorf("log is %q, want %q", &log, want)
	}
}

func TestLeastOfTheRunsOfABenchmark(t *testing.T) {
	got := leastOf([]benchmark{{"A", 3}, {"B", 1}, {"A", 2}, {"A", 4}})
	if want := []benchmark{{"A", 2}, {"B", 1}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestPatternOfBenchmark(t *testing.T) {
	if got, want := pattern("Push/H[P256]2048+A16"), `^BenchmarkPush$/^H\[P256\]2048\+A16$`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// fakeCheckout makes a checkout whose pepbuild is the go command, and whose programs
// go round a loop so many times; and a package with a benchmark.
func fakeCheckout(t *testing.T, rounds int, prints string) Checkout {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":          "module fake\n\ngo 1.26\n",
		"cmd/pepsim/m.go": "package main\n\nfunc main() {}\n",
		"cmd/pepbuild/m.go": fmt.Sprintf(`package main

import (
	"os"
	"os/exec"
)

func main() { // build -peppkg=… -o EXE flags .
	exe := os.Args[4]
	if out, err := exec.Command("go", "build", "-ldflags=-X main.rounds=%s -X main.prints=%s", "-o", exe, ".").CombinedOutput(); err != nil {
		panic(string(out))
	}
}
`, strings.Repeat("x", rounds), prints),
		"work/w_test.go": `package work

import "testing"

func BenchmarkWork(b *testing.B) {
	sum := 0
	for b.Loop() {
		for i := range 1_000_000 {
			sum += i % 7
		}
	}
	if sum < 0 {
		b.Fatal(sum)
	}
}
`,
		"testprogs/loop/go.mod": "module loop\n\ngo 1.26\n",
		"testprogs/loop/m.go": `package main

import "os"

var rounds, prints string

//go:noinline
func work(n int) (sum int) {
	for i := range n {
		sum += i % 7
	}
	return sum
}

func main() {
	for range len(rounds) {
		work(10_000_000)
	}
	os.Stdout.WriteString(prints)
}
`,
	} {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c, err := New(fmt.Sprint(prints, rounds), root, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// One checkout makes programs that execute three times the instructions of the other.
func TestCompareFindsTheSlowerCheckout(t *testing.T) {
	if testing.Short() {
		t.Skip("builds commands and programs")
	}
	if _, err := exec.LookPath("valgrind"); err != nil {
		t.Skipf("instructions tell which is slower, and the count needs valgrind: %v", err)
	}
	before, now := fakeCheckout(t, 1, "same"), fakeCheckout(t, 3, "same")
	cfg := &programs.Config{Root: now.Root, Packages: "all", Scale: 1}
	rows, err := Compare(cfg, []Checkout{before, now},
		Options{Rounds: 2, Modes: []string{"polls"}, Instructions: true, Benchmarks: []string{"./work"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 2 || rows[0].What != "polls" || rows[0].Program != "loop" || rows[1].What != "work" ||
		rows[1].Program != "Work" {
		t.Fatalf("got rows %v, want the program loop and the benchmark Work", rows)
	}
	for _, r := range rows {
		for i, s := range r.Seconds {
			if len(s) != 2 || slices.Min(s) <= 0 {
				t.Errorf("%s of checkout %d: got times %v, want two", r.Program, i, s)
			}
		}
	}
	if rows[0].Instructions == nil {
		t.Fatal("instructions were not counted")
	}
	if got := rows[0].instructionRatio(0); got < 2.5 || got > 3 {
		t.Errorf("got %v times the instructions, want a little less than 3", got)
	}
}

func TestComparedProgramsMustPrintTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("builds commands and programs")
	}
	before, now := fakeCheckout(t, 1, "this"), fakeCheckout(t, 1, "that")
	cfg := &programs.Config{Root: now.Root, Packages: "all", Scale: 1}
	_, err := Compare(cfg, []Checkout{before, now}, Options{Rounds: 1, Modes: []string{"polls"}})
	if want := `loop: polls: checkout that1: prints "that", an earlier run "this"`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestUnknownMode(t *testing.T) {
	_, err := Compare(&programs.Config{}, nil, Options{Rounds: 1, Modes: []string{"samples"}})
	if want := `no mode "samples"; there are polls, exact, taps, engine, replay`; err == nil ||
		err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
