package optimised

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/pepgo/pep/lab/bench/cost"
	"github.com/pepgo/pep/lab/bench/programs"
	"github.com/pepgo/pep/lab/driver"
)

// timesOf makes the result of a program: by variant, the seconds of its runs, in two layouts by turns.
func timesOf(name string, seconds ...[]float64) Result {
	o := Result{Cost: cost.Cost{Program: name, Variants: variants()}, Layouts: 2, Rebuild: 20 * time.Second}
	for _, xs := range seconds {
		var runs []driver.Run
		for _, x := range xs {
			runs = append(runs, driver.Run{CPU: time.Duration(x * float64(time.Second))})
		}
		o.Runs = append(o.Runs, runs)
	}
	return o
}

// Each layout of a variant is compared with the same one of the plain program, by their least runs.
func TestGains(t *testing.T) {
	o := timesOf("a",
		[]float64{2, 4, 3, 5},         // plain: 2 and 4
		[]float64{9, 2, 1, 9},         // CPU profile: 1 and 2
		[]float64{2, 4, 2, 4},         // branches
		[]float64{1.6, 3.2, 1.6, 3.2}, // sampled
		nil,                           // other input
		[]float64{0.5, 2, 7, 9},       // CPU profile and branches: 0.25 and 0.5
		[]float64{1, 2, 1, 2},
		[]float64{3, 6, 3, 6}) // the profiled run
	for _, test := range []struct {
		what      string
		got, want float64
	}{
		{"CPU profile", o.gain(o.variant(cpuBuild)), 0.5},
		{"branches", o.gain(o.variant(branchesBuild)), 1},
		{"both", o.gain(o.variant(bothBuild)), math.Sqrt(0.125)},
	} {
		if math.Abs(test.got-test.want) > 1e-9 {
			t.Errorf("%s: got %v, want %v", test.what, test.got, test.want)
		}
	}
	if got, want := layoutText([]Result{o}),
		"Means of the layouts differ by at most 0.250 (CPU profile, branches)."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if x := o.gain(o.variant(otherBuild)); !math.IsNaN(x) {
		t.Errorf("a variant without runs: got %v, want no number", x)
	}
	if got, want := strings.Join(cells(&o), " "), "2.00 s 0.500 1.000 0.800 - 0.354 0.500 1.500"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The tables leave out what was not measured, and name it.
func TestPGOTables(t *testing.T) {
	one := []float64{1, 1}
	a := timesOf("a", one, []float64{0.9, 0.9}, one, []float64{0.8, 0.8}, []float64{1.2, 1.2}, []float64{0.81, 0.81}, one,
		[]float64{1.1, 1.1})
	b := timesOf("b", one, one, one, []float64{1.25, 1.25}, nil, one, one, one)
	b.Instructions = map[string]int64{programs.Plain: 1e9, cpuBuild: 9e8, branchesBuild: 1e9, bothBuild: 2e9}
	b.Misses = map[string]int64{programs.Plain: 1e6, cpuBuild: 5e5, branchesBuild: -3, bothBuild: 1e6}
	a.Builds = map[string]driver.Run{"go": {CPU: 10 * time.Second}, "pepbuild": {CPU: 11 * time.Second}}
	a.Err = errors.New("no builds")
	c := Result{Cost: cost.Cost{Program: "c"}, Err: errors.New("no compiler\nat all")}
	page := Tables([]Result{a, c, b})
	text := page + strings.Join(strings.Fields(page), " ") // lines break
	for _, want := range []string{
		"| a              | 1.00 s |       0.900 |    1.000 |             0.800 |                 1.200 |                 0.810 |   1.000 |        1.100 |",
		"| b              | 1.00 s |       1.000 |    1.000 |             1.250 |                     - |                 1.000 |   1.000 |        1.000 |",
		"| geometric mean |        |       0.949 |    1.000 |             1.000 |                 1.200 |                 0.900 |   1.000 |        1.049 |",
		"* Means of the layouts differ by at most 0.000 (",
		"took 20.0 s of CPU time in the mean, as long as 20 plain runs",
		"In 1 of 2 programs the optimised run is not faster.",
		"Instructions of 1 programs,",
		"with a CPU profile 0.900 and 0.500, with branches 1.000 and -, with both 2.000 and 1.000.",
		"Builds of 1 programs with an empty cache with -pepopt take 1.100 ",
		"## Errors\n\n* a: no builds\n* c: no compiler; at all\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if text := Tables([]Result{b}); strings.Contains(text, "## Errors") {
		t.Errorf("without an error: %s", text)
	}
	if text := Tables([]Result{c}); !strings.HasPrefix(text, "## Errors") {
		t.Errorf("of no program that was measured: %s", text)
	}
}

// With the means of programs, the text says how many runs make up for the profiled one.
func TestRunsUntilProfilingPays(t *testing.T) {
	one := []float64{1, 1}
	a := timesOf("a", one, one, one, []float64{0.75, 0.75}, nil, one, one, []float64{1.5, 1.5})
	if text := paysText([]Result{a}); !strings.Contains(text,
		"an optimised run saves 25.0% of a plain one, so 2 of them make up for the profiled run, and 80 for the build") {
		t.Errorf("got %s", text)
	}
	a.Runs[3] = a.Runs[0]
	if text := paysText([]Result{a}); !strings.Contains(text,
		"an optimised run takes 100.0% of the time of a plain one, and the profiled one 150.0%") {
		t.Errorf("got %s", text)
	}
}
