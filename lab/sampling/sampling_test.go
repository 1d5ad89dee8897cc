//go:build linux && amd64

package sampling

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cilium/ebpf"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/tracer"
)

func experiment(t *testing.T) *Experiment {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return &Experiment{Root: root, Work: t.TempDir(), Rounds: 1, Scale: 1, Log: t.Output()}
}

func skipWithoutRights(t *testing.T, err error) {
	t.Helper()
	if errors.Is(err, os.ErrPermission) || errors.Is(err, ebpf.ErrNotSupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestFinderRanksHiddenInvariants samples live programs that are built in the usual way, and
// asks the finder what it has found.
func TestFinderRanksHiddenInvariants(t *testing.T) {
	for _, h := range HiddenPrograms {
		t.Run(h.Program, func(t *testing.T) {
			f, err := experiment(t).Find(h, time.Second)
			skipWithoutRights(t, err)
			t.Logf("rank %d of %s %s in %s", f.Rank, f.Row.Kind, f.Row.Value, f.Row.Func)
			if f.Rank == 0 || f.Rank > Top {
				t.Errorf("the finder has the invariant at rank %d, want 1 to %d:\n%s", f.Rank, Top, strings.Join(f.First, "\n"))
			}
		})
	}
}

// The programs have the invariants that are stated: they count the values themselves, at each evaluation.
func TestHiddenInvariantsAreThere(t *testing.T) {
	for _, h := range HiddenPrograms {
		exe, err := experiment(t).hidden(h.Program, "-tags=count")
		if err != nil {
			t.Fatal(err)
		}
		text, err := exec.Command(exe).Output()
		if err != nil {
			t.Fatal(err)
		}
		most, sum, top := 0, 0, uint64(0)
		for line := range strings.Lines(string(text)) {
			var value uint64
			var n int
			if _, err := fmt.Sscan(line, &value, &n); err != nil {
				t.Fatalf("%s prints %q: %v", h.Program, line, err)
			}
			if sum += n; n > most {
				most, top = n, value
			}
		}
		t.Logf("%s: %v have the value %d at %d of %d evaluations", h.Program, h.Expressions, top, most, sum)
		if top != h.Value || most < sum*9/10 || sum < 1000 {
			t.Errorf("%s: want the value %d at nine of ten evaluations, of a thousand at least", h.Program, h.Value)
		}
	}
}

// Both versions of a program print the same: the specialised one is right.
func TestSpecialisedProgramsAreRight(t *testing.T) {
	for _, h := range HiddenPrograms {
		e, name := experiment(t), h.Program
		var out []string
		for _, flags := range [][]string{nil, {"-tags=special"}} {
			exe, err := e.hidden(name, flags...)
			if err != nil {
				t.Fatal(err)
			}
			r, err := sampled(exe, nil, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, r.stdout)
		}
		if out[0] != out[1] || !strings.HasPrefix(out[0], "ready\n"+name+" ") {
			t.Errorf("%s prints %q, specialised %q", name, out[0], out[1])
		}
	}
}

// A program is sampled from its first instruction to its last, and prints what it prints
// without the sampler.
func TestCostOfARound(t *testing.T) {
	e := experiment(t)
	e.Scale = 5 // on a busy machine 1 % of flate's workload can end before the first interrupt
	costs, err := e.Cost([]string{"flate"}, 2, 0)
	skipWithoutRights(t, err)
	if len(costs) != 18 {
		t.Errorf("%d settings, want 18", len(costs))
	}
	for _, c := range costs {
		for _, x := range c.Programs[0] {
			st, every := x.Stats, uint64(max(c.Every, 1))
			if c.Threads && (x.Kernel <= 0 || st.Called > st.Interrupts+128) || x.CPU <= 0 || x.Own <= 0 {
				t.Errorf("%s: %v in the kernel, %v in the program, %v in this process; %d interrupts, %d calls", c.Key, x.Kernel,
					x.CPU, x.Own, st.Interrupts, st.Called)
			}
			// A CPU can be some interrupts ahead of the next to be interpreted.
			if chosen := st.Interrupts - st.Passed; !c.CountOnly &&
				(chosen > st.Interrupts/every+128 || chosen+128 < st.Interrupts/every) {
				t.Errorf("%s: %d of %d interrupts were chosen, want one of %d", c.Key, chosen, st.Interrupts, every)
			}
			if most := st.Runs * uint64(c.Length+c.Skip); st.Steps > most || c.CountOnly && st.Runs > 0 {
				t.Errorf("%s: %d instructions in %d runs", c.Key, st.Steps, st.Runs)
			}
		}
	}
	if n := len(costs[0].Programs[0]); n != 1 {
		t.Errorf("%d rounds after the limit, want 1", n)
	}
}

// The gaps of a program are long enough to be interrupts of the sampler, which are as many as it was
// asked for, and what is not a gap is an error.
func TestTaken(t *testing.T) {
	all, err := experiment(t).Taken(1, 0)
	skipWithoutRights(t, err)
	for _, x := range all {
		if len(x.Gap) != 1 || x.Gap[0] < 300 || x.Part[0] <= 0 || x.Part[0] >= 100 {
			t.Errorf("%s: gaps %v, %v%% of the time", x.Name, x.Gap, x.Part)
		}
		if x.way == nil {
			continue
		}
		if want := 1e9 / float64(x.every); x.Hz[0] < want/2 || x.Hz[0] > want*2 || len(x.Kernel) != 1 ||
			math.IsNaN(x.Kernel[0]) {
			// the time is a difference of measured ones, below 0 on a busy machine
			t.Errorf("%s: %v interrupts a second, want %.0f; %v ns", x.Name, x.Hz, want, x.Kernel)
		}
	}
	x := &Taken{}
	if err := x.add(&run{stdout: "1000000000 5000 7000 500000000 6000"}, 0); err != nil || x.Gap[0] != 6000 ||
		math.Abs(x.Part[0]-100*18e3/5e8) > 1e-9 {
		t.Errorf("got %+v, %v: want the median 6000 of three gaps in half a second", x, err)
	}
	for _, bad := range []string{"", "1000", "1000 x", "1000 -5"} {
		if err := (&Taken{}).add(&run{stdout: bad}, 0); err == nil {
			t.Errorf("the output %q is no error", bad)
		}
	}
}

// TestEvicted is VSAMP-21 as far as it goes: the walk behind an interrupt is measured. One that takes as long as
// after all lines were evicted is 100%.
func TestEvicted(t *testing.T) {
	all, err := experiment(t).Evicted(1, 0)
	skipWithoutRights(t, err)
	if len(all) != 5 {
		t.Errorf("%d settings, want 5", len(all))
	}
	for _, v := range all {
		t.Logf("%s: %.0f%%, %.0f ns", v.Name, v.Percent, v.NS)
		if len(v.Percent) != 1 {
			t.Errorf("%s: %d rounds, want 1", v.Name, len(v.Percent))
		}
	}
	v := &Evicted{Name: "half", Hz: 1000}
	if err := v.add("700 1700 400 500 9000"); err != nil || v.Percent[0] != 50 || v.NS[0] != 500 {
		t.Errorf("got %+v, %v: want 50%%, and 500 ns", v, err)
	}
	for _, bad := range []string{"", "700 1700", "700 700 1", "700 x 1"} {
		if err := (&Evicted{}).add(bad); err == nil {
			t.Errorf("the output %q is no error", bad)
		}
	}
}

// TestLatencies is VSAMP-17 as far as the page needs it: each load is found, and what is known of it adds up. How many
// loads are in which bin is for the test of windows, TestLatencyOfLoads of runtime/windows.
func TestLatencies(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles std")
	}
	all, err := experiment(t).Latencies(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	m := &figure.Measured{}
	for _, l := range all[0] {
		t.Logf("%s: %v, %d timed, waits %.2f s", l.Load, l.Bins, l.Timed, l.Wait)
		sum := 0.
		for _, x := range l.Bins {
			sum += x
		}
		// The loops use 2 s, and a little more behind the last look at the clock.
		if math.Abs(sum-100) > 1e-9 || l.Timed == 0 || l.Wait < 0 || l.Wait > 3 {
			t.Errorf("%s: %v add up to %v, want 100; %d timed, waits %v s", l.Load, l.Bins, sum, l.Timed, l.Wait)
		}
		addLatencies(m, []*Latency{l})
	}
	if got := m.Below("latency"); !slices.Equal(got, []string{"far", "middle", "near"}) {
		t.Errorf("loads %q", got)
	}
}

// Loads are found by the comment of their line, and shares are of all that is estimated.
func TestLatenciesByLine(t *testing.T) {
	lines := []string{"x = a[0] // far", "y = b[0] // near", "z = p.next // middle", "w = c[0]"}
	word := func(line int64, bin string, count, timed, wait int64) profile.Word {
		return profile.Word{Line: line, Value: bin, Count: count, Messages: timed, Wait: wait}
	}
	words := []profile.Word{word(1, "memory", 300, 3, 2e9), word(1, "near cache", 100, 1, 0),
		word(2, "near cache", 50, 5, 0),
		word(3, "far cache", 10, 2, 5e8), word(4, "memory", 1000, 10, 9e9), word(9, "memory", 1, 1, 1)}
	list, err := latencies(words, lines)
	if err != nil {
		t.Fatal(err)
	}
	far := list[0]
	if len(list) != 3 || far.Load != "far" || far.Bins["memory"] != 75 || far.Bins["near cache"] != 25 || far.Timed != 4 ||
		far.Wait != 2 {
		t.Errorf("got %d loads, and %+v", len(list), far)
	}
	if list[1].Load != "middle" || list[1].Wait != 0.5 || list[2].Load != "near" || list[2].Bins["near cache"] != 100 {
		t.Errorf("got %+v and %+v", list[1], list[2])
	}
	if _, err := latencies(words[2:], lines); err == nil || err.Error() != "no window has timed the load far" {
		t.Errorf("without the first load: %v", err)
	}
}

func TestFit(t *testing.T) {
	// The paper's Table 2b: about one percent for each instruction.
	slope, r2 := Fit([]float64{4, 8, 16, 32}, []float64{10.7, 14.8, 22.7, 40.4})
	if math.Abs(slope-1.061) > 0.001 || math.Abs(r2-0.9989) > 0.0005 {
		t.Errorf("slope %v, R² %v, want 1.061 and 0.9989", slope, r2)
	}
	if slope, r2 := Fit([]float64{1, 2, 3}, []float64{3, 1, 3}); slope != 0 || r2 != 0 {
		t.Errorf("slope %v, R² %v of points without a trend, want 0 and 0", slope, r2)
	}
}

// What is measured of programs: the least of the rounds, and 1000 interrupts of 10 µs outside of our program in the
// kernel are 1 % of a second.
func TestCosts(t *testing.T) {
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	stats := Stats{tracer.Sampling{Interrupts: 1000, Passed: 500, Missed: 50}, tracer.Cost{Steps: 2000}}
	c := &Costs{Setting{}, [][]Cost{
		{{Plain: ms(980), CPU: ms(1000), Kernel: ms(20), Stats: stats},
			{Plain: ms(1078), CPU: ms(2000), Kernel: ms(60), Stats: stats}},
		{{Plain: ms(1000), CPU: ms(1000), Kernel: ms(30), Stats: stats}},
	}}
	for _, x := range []struct {
		what string
		got  []float64
		want []float64
	}{
		{"in interrupts", c.least(c.inInterruptsOf(10_000)), []float64{3, 4}},
		{"in the kernel", c.least(inKernel), []float64{2, 3}},
		{"instructions", c.least(steps), []float64{2, 2}},
		{"not decoded", c.least(missed), []float64{10, 10}},
		{"slowdowns", c.slowdowns(), []float64{100 * (1000./980 - 1), 0}},
	} {
		for i := range x.want {
			if math.Abs(x.got[i]-x.want[i]) > 1e-9 {
				t.Errorf("%s: %v, want %v", x.what, x.got, x.want)
			}
		}
	}
	c.With = "ticks" // they would be there without a sampler
	if got := c.least(c.inInterruptsOf(10_000)); math.Abs(got[0]-2) > 1e-9 {
		t.Errorf("with ticks %v %% in interrupts, want 2", got[0])
	}
	if got := (Bias{Far: 160, Near: 100}).Ratio(); got != 1.6 {
		t.Errorf("ratio %v, want 1.6", got)
	}
}
