package overhead

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/lab/bench/benchtest"
	"github.com/pepgo/pep/lab/bench/cost"
	"github.com/pepgo/pep/lab/bench/programs"
	"github.com/pepgo/pep/lab/driver"
	"github.com/pepgo/pep/lab/valgrind"
)

// costOf makes up the cost of a program. It has the given CPU seconds, by variant and round, and
// twice as much wall-clock time.
func costOf(name string, rounds ...[]float64) cost.Cost {
	c := cost.Cost{
		Program:  name,
		Variants: variants(Options{Settings: []programs.Setting{programs.PEP}}),
		Packages: 40,
		Size: map[string]int64{programs.Plain: 2_000_000, programs.Polls: 2_400_000, programs.Exact: 2_600_000,
			programs.Count: 3_000_000, programs.Set: 2_900_000, programs.Atomic: 3_100_000, programs.Guided: 2_350_000,
			programs.Profiled: 2_050_000},
		BuildTime: map[string]driver.Run{
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
			c.Runs[v] = append(c.Runs[v], driver.Run{CPU: cpu, Wall: 2 * cpu})
			c.Written[v] = append(c.Written[v],
				cost.Written{Exit: time.Duration(v) * 10 * time.Millisecond, Share: 0.001 * float64(v) * s})
		}
	}
	return c
}

func TestOverheadTables(t *testing.T) {
	slow := costOf("slow", []float64{2, 2.1, 2.2, 2.15, 2.14, 4, 3, 2.9, 3.5, 2.02},
		[]float64{2.5, 2.5, 2.5, 2.5, 2.4, 5, 3, 2.9, 3.6, 2.5})
	slow.Instructions = map[string]int64{programs.Plain: 2e9, programs.Polls: 2.2e9, programs.Exact: 6e9,
		programs.Count: 3e9, programs.Set: 2.5e9, programs.Atomic: 4e9, programs.Guided: 2.15e9}
	fast := costOf("fast", []float64{1, 0.99, 1, 1, 1, 1.5, 1.2, 1.1, 1.3, 1.01},
		[]float64{1, 1, 1.02, 1.01, 1, 1.5, 1.3, 1.2, 1.4, 1})
	fast.Skipped = valgrind.ErrCannotCount
	benchtest.Golden(t, "overhead.md", Tables([]cost.Cost{slow, fast}))
}

// Ratios 1, 2 and 8 have the mean 2.52, and that without the worst is 1.41.
func TestMeans(t *testing.T) {
	var costs []cost.Cost
	for name, seconds := range map[string]float64{"a": 1, "b": 2, "c": 8} {
		costs = append(costs, cost.Cost{Program: name, Variants: []cost.Variant{{Name: "plain"}, {Name: "slow"}},
			Runs: [][]driver.Run{{{CPU: time.Second}}, {{CPU: time.Duration(seconds * 1e9)}}}})
	}
	got := leastRatios(costs).Rows
	want := [][]string{{"geometric mean", "", "2.520"}, {"maximum", "", "8.000"}, {"mean without the worst", "", "1.414"}}
	if diff := cmp.Diff(want, got[len(got)-3:]); diff != "" || len(got) != 7 {
		t.Errorf("%d rows (-want +got):\n%s", len(got), diff)
	}
}

func TestBenchmarkLines(t *testing.T) {
	text, err := cost.Lines([]cost.Cost{costOf("slow", []float64{2, 2.5, 2, 2, 2, 2, 2, 2, 2, 2},
		[]float64{3, 3, 3, 3, 3, 3, 3, 3, 3, 3.5})}, 2, 50)
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

func TestBuildsAreNotTimedInLanes(t *testing.T) {
	cfg := benchtest.Names(t, "a")
	cfg.Lanes = 1
	if _, err := Measure(cfg, Options{Rounds: 1, BuildTime: true}); err == nil ||
		!strings.Contains(err.Error(), "without lanes") {
		t.Errorf("builds timed in a lane: error %v", err)
	}
}

func TestOverheadOfOneProgram(t *testing.T) {
	cfg := benchtest.Config(t)
	opts := Options{Rounds: 2, Layouts: 2}
	if _, err := exec.LookPath("valgrind"); err == nil {
		opts.Instructions = 1
	} else {
		t.Log("instructions are not counted: valgrind is not in PATH")
	}
	costs, err := Measure(cfg, opts)
	if err != nil {
		t.Fatal(err)
	}
	if len(costs) != 1 || costs[0].Packages != 2 {
		t.Fatalf("got %+v, want the costs of one program with 2 packages instrumented", costs)
	}
	c := costs[0]
	for v, variant := range c.Variants {
		if n := len(c.Runs[v]); n != 2 || c.Runs[v][1].CPU <= 0 {
			t.Errorf("%s: got %d runs, %+v, want 2 that take time", variant.Name, n, c.Runs[v])
		}
		if w := c.Written[v][0]; variant.WritesPaths() != (w.Exit > 0) || w.Share < 0 || w.Share >= 1 {
			t.Errorf("%s: got %+v, want the time of the exit exactly if profiles are written, and a share", variant.Name, w)
		}
	}
	if c.Size[programs.Polls] <= c.Size[programs.Plain] {
		t.Errorf("instrumented executable has %d bytes, plain one %d, want more", c.Size[programs.Polls], c.Size[programs.Plain])
	}
	// At 1 % of the workload the collector decides which build executes more instructions.
	for _, b := range cost.Builds(c.Variants) {
		if opts.Instructions > 0 && b != programs.Profiled && (c.Skipped != nil || c.Instructions[b] <= 0) {
			t.Errorf("%s: got instructions %v, %v, want a count", b, c.Instructions, c.Skipped)
		}
	}
	if text := Tables(costs); !strings.Contains(text, "| sortbench") {
		t.Errorf("no row of the program in:\n%s", text)
	}
}
