package copfigures

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim/cop/values"
	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/figure/figuretest"
)

func TestForm(t *testing.T) {
	for _, f := range Paper().Figures {
		t.Run(f.ID, func(t *testing.T) {
			env := &figure.Env{Source: figuretest.Synthetic, Loads: 400_000}
			figuretest.Form(t, f, env)
		})
	}
}

func TestNoTraces(t *testing.T) { figuretest.NoTraces(t, Paper()) }

func TestProgramsAreTheTestPrograms(t *testing.T) {
	const dir = "../../../testprogs"
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, e := range entries {
		if _, err := os.Stat(filepath.Join(dir, e.Name(), "go.mod")); err == nil {
			want = append(want, e.Name())
		}
	}
	got = append(got, "flips") // for profiles of paths only
	for _, p := range programs {
		got = append(got, p.Name)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("programs %q, want %q", got, want)
	}
}

// loadsOf returns n loads as those of a program. next returns the site and value of the load
// number i.
func loadsOf(t *testing.T, n int, next func(i int, rng *rand.Rand) (site, value uint64)) *stream {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 8))
	list := make([]tuple.Tuple, n)
	for i := range list {
		site, value := next(i, rng)
		list[i] = tuple.New(tuple.Load, tuple.SiteBase("main")+site, value)
	}
	x, err := newStream(figure.Program{Name: "made"}, figuretest.Tuples(list), uint64(n))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// site is the PC of a load of loadsOf.
func site(n, value uint64) tuple.Tuple {
	return tuple.New(tuple.Load, tuple.SiteBase("main")+n, value)
}

func runOf(t *testing.T, x *stream, spec string) *run {
	t.Helper()
	runs, err := x.run(spec)
	if err != nil {
		t.Fatal(err)
	}
	return runs[0]
}

// A sampler that takes every load has the complete profile, but for the samples that are still
// in its memory, 128 at most. Its overhead is what its interrupts take: 200 cycles each, and
// for each of 128 samples two accesses of 2 cycles and a record of 20.
func TestSamplerOfAllLoads(t *testing.T) {
	x := loadsOf(t, 100_000, func(i int, rng *rand.Rand) (uint64, uint64) { return uint64(i % 5), rng.Uint64N(3) })
	r := runOf(t, x, "cop(k0=1,near=100,far=100)")
	p := r.end()
	if x.places != 5 || len(x.selected) != 15 || p.rms > 0.1 || p.rms == 0 {
		t.Errorf("%d places, %d pairs, error %v %%; want 5, 15 and less than 0.1 %% but more than 0", x.places,
			len(x.selected), p.rms)
	}
	interrupts := uint64(100_000 / 128)
	if want := interrupts * (200 + 128*(2*2+20)); p.overhead != want || p.records != interrupts*128 {
		t.Errorf("overhead %d cycles, %d records, want %d, %d", p.overhead, p.records, want, interrupts*128)
	}
	if want := 100 * float64(p.overhead) / (100 * 100_000); math.Abs(p.percent()-want) > 0.01 {
		t.Errorf("overhead %v %%, want %v %% of 100 cycles a load", p.percent(), want)
	}
	if runOf(t, x, "cop(k0=1,near=100,far=100)") != r {
		t.Error("the same run ran twice")
	}
}

// Loads of a fixed distribution: each rate of the sampler has the same error for the same
// overhead, and faster ones need less time. The stream is the same in each run of the test.
func TestOneCurveForAllRates(t *testing.T) {
	x := loadsOf(t, 600_000, func(i int, rng *rand.Rand) (uint64, uint64) {
		return rng.Uint64N(200),
			rng.Uint64N(1 + rng.Uint64N(6))
	})
	fast, slow := runOf(t, x, sampler(16)), runOf(t, x, sampler(64))
	if f := apart(fast, slow, overhead); f < 0.8 || f > 1.25 {
		t.Errorf("errors at equal overhead differ by a factor of %v", f)
	}
	if f := apart(fast, slow, cycles); f > 0.7 {
		t.Errorf("at equal time the faster one has %v of the error of the slower one, want about a half", f)
	}
	if a, b := fast.below(20), slow.below(20); !(a < b) {
		t.Errorf("below 20 %% after %v and %v cycles, want the faster rate first", a, b)
	}
}

func TestConvergenceByHand(t *testing.T) {
	r := &run{points: []point{
		{cycles: 100, overhead: 10, rms: 50}, {cycles: 400, overhead: 20, rms: 10}, {cycles: 800, overhead: 20, rms: 30},
		{cycles: 1000, overhead: 30, rms: 8},
	}}
	if got := r.below(30); got != 400 {
		t.Errorf("stays below 30 %% from %v, want 400", got)
	}
	if got := r.below(10); got != 1000 {
		t.Errorf("stays below 10 %% from %v, want 1000", got)
	}
	if got := r.below(5); !math.IsNaN(got) {
		t.Errorf("stays below 5 %% from %v, want never", got)
	}
	// 200 is in the middle between 100 and 400, by its logarithm.
	if got := r.at(cycles, 200); math.Abs(got-30) > 1e-9 || !math.IsNaN(r.at(cycles, 99)) ||
		!math.IsNaN(r.at(cycles, 1001)) {
		t.Errorf("error %v after 200 cycles, %v after 99, %v after 1001", got, r.at(cycles, 99), r.at(cycles, 1001))
	}
	if got, want := r.window(0.4, 1), 100*10.0/(600-10); math.Abs(got-want) > 1e-9 {
		t.Errorf("overhead %v %% from 400 to 1000 cycles, want %v %%", got, want)
	}
	half := &run{points: []point{{cycles: 100, rms: 25}, {cycles: 400, rms: 5}, {cycles: 800, rms: 15}}}
	if got := apart(half, r, cycles); math.Abs(got-0.5) > 1e-9 {
		t.Errorf("errors of a half are apart by %v", got)
	}
}

func TestExponentOfTheRate(t *testing.T) {
	for _, want := range []float64{1, 0.5, -2} {
		x, y := []float64{128, 256, 512}, make([]float64, 3)
		for i := range x {
			y[i] = 3 * math.Pow(x[i], want)
		}
		if got := exponent(x, y); math.Abs(got-want) > 1e-9 {
			t.Errorf("3 x^%v has the exponent %v", want, got)
		}
	}
}

// One load has two flags in the upper half of its values and nothing in the lower half. Another
// one is invariant, the third one has two values.
func TestSecondPassForUpperHalves(t *testing.T) {
	x := loadsOf(t, 4_000_000, func(i int, rng *rand.Rand) (uint64, uint64) {
		switch n := uint64(i % 3); n {
		case 0:
			return 0, 1 << (40 + rng.Uint64N(2))
		case 1:
			return 1, 7<<32 | 5
		default:
			return 2, rng.Uint64N(2)
		}
	})
	one := runOf(t, x, valueEngine())
	if called, wrong := x.misjudged(one.estimate); called != 2 || wrong != 1 {
		t.Errorf("one pass calls %d loads invariant, %d of them wrongly; want 2, 1", called, wrong)
	}
	both, err := x.twoPasses()
	if err != nil {
		t.Fatal(err)
	}
	if called, wrong := x.misjudged(both.estimate); called != 1 || wrong != 0 {
		t.Errorf("two passes call %d loads invariant, %d of them wrongly; want 1, 0", called, wrong)
	}
	for want, pairs := range map[float64][]tuple.Tuple{
		0.5: {site(0, 1<<40), site(0, 1<<41), site(2, 0), site(2, 1)}, 1: {site(1, 7<<32|5)},
		0: {site(0, 0), site(1, 5), site(2, 7)},
	} {
		for _, p := range pairs {
			if got := both.estimate.Invariance(p); math.Abs(got-want) > 0.1 {
				t.Errorf("value %#x of load %d has a share of %v, want %v", p.W, p.Site()-tuple.SiteBase("main"), got, want)
			}
		}
	}
}

// Every constant of the sweep is a parameter of the engine, its first value is the one that the
// other experiments have, and no value is there twice.
func TestConstantsAreParameters(t *testing.T) {
	x := loadsOf(t, 30_000, func(i int, rng *rand.Rand) (uint64, uint64) { return uint64(i % 5), rng.Uint64N(3) })
	for _, c := range constants {
		base := runOf(t, x, valueEngine()).end()
		if got := runOf(t, x, valueEngine(c.param+"="+c.values[0])).end(); got != base {
			t.Errorf("%s=%s: %+v, without it %+v", c.param, c.values[0], got, base)
		}
		seen := map[string]bool{}
		for _, v := range c.values {
			if _, err := x.run(valueEngine(c.param + "=" + v)); err != nil || seen[v] {
				t.Errorf("%s=%s: %v, or twice", c.param, v, err)
			}
			seen[v] = true
		}
	}
}

// A program goes through two phases, and a load that both share has another value in each. The
// phases are 3/4 and 1/4 of the stream.
func TestPhasesThatClearMasks(t *testing.T) {
	x := loadsOf(t, 4_000_000, func(i int, rng *rand.Rand) (uint64, uint64) {
		second := uint64(i / 500_000 % 4 / 3)
		if i%4 == 0 {
			return 0, 10 + second
		}
		return 1 + 50*second + rng.Uint64N(40), 3
	})
	by, err := x.detected()
	if err != nil {
		t.Fatal(err)
	}
	if by.phases != 2 || by.changes != 4 || by.cleared != 1 {
		t.Errorf("%d phases, %d changes, masks cleared %d times; want 2, 4, 1", by.phases, by.changes, by.cleared)
	}
	for value, want := range map[uint64]float64{10: 0.75, 11: 0.25} {
		if got := by.estimate.Invariance(site(0, value)); math.Abs(got-want) > 0.05 {
			t.Errorf("share of %d is %v, want %v", value, got, want)
		}
	}
	never := runOf(t, x, valueEngine("clear=0"))
	if got := never.estimate.Invariance(site(0, 10)); got < 0.95 {
		t.Errorf("masks that are never cleared: share %v, want nearly 1: the load is masked before its value changes", got)
	}
	if by.end().rms >= never.end().rms {
		t.Errorf("error %v by phases, %v without", by.end().rms, never.end().rms)
	}
}

// By hand: load 1 has 10 samples of the value 5 in phase 0, which is 3 intervals long, and 5
// samples of 5 and 5 of 6 in phase 1, which is one interval long.
func TestPhasedProfileByHand(t *testing.T) {
	load := func(samples, five, six uint64) []values.Load {
		return []values.Load{{PC: 1, Samples: samples, Values: []values.Estimate{
			{Value: 5, Count: five << values.CountBits}, {Value: 6, Count: six << values.CountBits},
		}}}
	}
	p := &phasedProfile{before: map[uint64]*phasedLoad{}}
	for _, x := range []struct {
		phase   int
		loads   []values.Load
		changed uint64
	}{{0, load(10, 10, 0), 1}, {1, load(20, 15, 5), 1}, {0, load(20, 15, 5), 0}} {
		if got := p.add(x.phase, x.loads); got != x.changed {
			t.Errorf("%d loads have new samples, want %d", got, x.changed)
		}
	}
	s := p.shares([]uint64{3, 1})
	for value, want := range map[uint64]float64{5: (3*1 + 0.5) / 4, 6: 0.5 / 4} {
		if got := s.Invariance(tuple.Tuple{PC: 1, W: value}); math.Abs(got-want) > 1e-9 {
			t.Errorf("share of %d is %v, want %v", value, got, want)
		}
	}
	var _ metric.Estimate = s
}

// If one program has too few loads and the others have no trace, the error is about the loads.
func TestTooFewLoadsOfOneProgram(t *testing.T) {
	env := &figure.Env{Loads: 100, Source: func(program, taps string) (replay.Source, error) {
		if program != "lua" {
			return nil, figure.ErrNoTrace
		}
		return figuretest.Tuples(make([]tuple.Tuple, 100)), nil
	}}
	if err := eachProgram(env, &figure.Result{}, func(x *stream) error { return nil }); !errors.Is(err, errNoPairs) {
		t.Errorf("the error is %v, want %v", err, errNoPairs)
	}
}
