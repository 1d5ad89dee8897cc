package copfigures

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim/cop/values"
	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/hwsim/trace"
	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/figure/figuretest"
)

func TestForm(t *testing.T) {
	for _, f := range Paper().Figures {
		t.Run(f.ID, func(t *testing.T) {
			env := &figure.Env{Source: figuretest.Synthetic, Loads: 400_000}
			if f.ID == "cop-long" { // takes 16 times as many
				env.Loads /= 4
			}
			figuretest.Form(t, f, env)
		})
	}
}

func TestNoTraces(t *testing.T) { figuretest.NoTraces(t, Paper(), "cop-table1") }

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
		t.Errorf("%d places, %d pairs, error %v %%; want 5, 15 and less than 0.1 %% but more than 0", x.places, len(x.selected), p.rms)
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
	x := loadsOf(t, 600_000, func(i int, rng *rand.Rand) (uint64, uint64) { return rng.Uint64N(200), rng.Uint64N(1 + rng.Uint64N(6)) })
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

func TestSamplerAtEqualOverhead(t *testing.T) {
	x := loadsOf(t, 600_000, func(i int, rng *rand.Rand) (uint64, uint64) { return rng.Uint64N(100), rng.Uint64N(4) })
	for _, want := range []float64{1, 4} {
		period, r, err := x.samplerAt(want)
		if err != nil || math.Abs(r.end().percent()/want-1) > 0.1 || r.spec != sampler(period) {
			t.Errorf("period %d has an overhead of %v %%, want %v %%: %v", period, r.end().percent(), want, err)
		}
	}
}

// The verdicts of figure 7 about results by hand.
func TestVerdicts(t *testing.T) {
	result := func(name string, places int, mine, fixed, equal float64) reached {
		at := func(rms float64) point { return point{cycles: 100, rms: rms} }
		return reached{&stream{Program: figure.Program{Name: name}, places: places}, at(mine), at(fixed), at(equal)}
	}
	all := []reached{
		result("typecheck", 900, 5, 9, 6), result("lua", 100, 9, 8, 8), result("printer", 500, 5, 9, 4),
		result("filters", 9, 20, 9, 9), result("bitboard", 9, 50, 50, 9),
	}
	res := &figure.Result{ID: "cop-7"}
	addVerdicts(res, "8M", all, true)
	var got []string
	for _, r := range res.Rows {
		got = append(got, fmt.Sprint(r.Key, ": ", r.Ours, ", ", r.Differs))
	}
	want := []string{
		"8M-error: 2 of 5 programs, true",
		"8M-overhead: 0 of 5 programs, true",
		"8M-equal: 1 of 5 programs, true",
		"8M-largest: typecheck (gcc), 900 sites: 5.00 %, 6.00 %, false",
		"8M-second: printer, 500 sites: 5.00 %, 4.00 %, true",
		"8M-filters: 20.00 %, 9.00 %, false",
		"8M-bitboard: 50.00 %, 9.00 %, true",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestConvergenceByHand(t *testing.T) {
	r := &run{points: []point{
		{cycles: 100, overhead: 10, rms: 50}, {cycles: 400, overhead: 20, rms: 10}, {cycles: 800, overhead: 20, rms: 30}, {cycles: 1000, overhead: 30, rms: 8},
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
	if got := r.at(cycles, 200); math.Abs(got-30) > 1e-9 || !math.IsNaN(r.at(cycles, 99)) || !math.IsNaN(r.at(cycles, 1001)) {
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

// Larger arrays collect a profile faster: the stream has more loads than any of them has slots,
// all with the same frequency.
func TestLargerArraysAreFaster(t *testing.T) {
	x := loadsOf(t, 800_000, func(i int, rng *rand.Rand) (uint64, uint64) { return rng.Uint64N(700), rng.Uint64N(2) })
	var copied []float64
	for _, v := range arrayVariants {
		copied = append(copied, float64(runOf(t, x, v.spec).end().records))
	}
	if !rising(copied...) {
		t.Errorf("%v slots copied, want more with larger arrays", copied)
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
		0.5: {site(0, 1<<40), site(0, 1<<41), site(2, 0), site(2, 1)}, 1: {site(1, 7<<32|5)}, 0: {site(0, 0), site(1, 5), site(2, 7)},
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

// Overheads and errors of samplers that are powers of their rates: an overhead between two of
// them, and one below all of them, by hand.
func TestEqualOverheadByHand(t *testing.T) {
	at := func(cycles, rms float64) point {
		return point{cycles: 1000 + uint64(cycles), overhead: uint64(cycles), rms: rms}
	}
	p := &longPart{samplers: []point{at(160, 2), at(40, 4), at(10, 8)}, mine: []point{at(20, 2.8284)}}
	for percent, want := range map[float64]float64{16: 2, 8: 2 * math.Sqrt2, 4: 4, 2: 4 * math.Sqrt2, 1: 8, 0.25: 16} {
		if got := p.equal(percent); math.Abs(got-want) > 1e-9 {
			t.Errorf("the sampler with an overhead of %v %% has an error of %v %%, want %v %%", percent, got, want)
		}
	}
	if got := p.gain(0); math.Abs(got-0.5) > 1e-4 {
		t.Errorf("a half of the error has the factor %v", got)
	}
}

// Windows follow one another, each with a complete profile of its own. What is behind the last length
// of the last window is left out, but a recording that is shorter than the whole ends there.
func TestWindowsOfARecording(t *testing.T) {
	list := make([]tuple.Tuple, 90_000)
	for i := range list {
		list[i] = site(uint64(i/30_000), 7) // another load in each third
	}
	for _, x := range []struct {
		span longSpan
		want string
	}{
		{longSpan{from: 15_000, lengths: []uint64{10_000, 40_000, 100_000}, windows: 1, whole: true}, "10000:1 40000:2 75000:3 "},
		{longSpan{from: 15_000, lengths: []uint64{10_000, 40_000, 100_000}, windows: 1}, "10000:1 40000:2 "},
		{longSpan{lengths: []uint64{5_000, 40_000}, windows: 9}, "5000:1 40000:2 5000:1 40000:2 5000:1 "},
		{longSpan{lengths: []uint64{5_000, 40_000}, windows: 9, whole: true}, "5000:1 40000:2 5000:1 40000:2 5000:1 "},
		{longSpan{lengths: []uint64{30_000}, windows: 2}, "30000:1 30000:1 "},
	} {
		got := ""
		err := profileWindows(figure.Program{Name: "made"}, figuretest.Tuples(list), x.span, [][]string{nil}, func(p *longPart) error {
			got += fmt.Sprintf("%d:%d ", p.loads.events, p.loads.places)
			if len(p.mine) != 1 || len(p.samplers) != len(longPeriods) {
				t.Errorf("%d points of variants, %d of samplers", len(p.mine), len(p.samplers))
			}
			return nil
		})
		if err != nil || got != x.want {
			t.Errorf("%+v: windows %q, want %q: %v", x.span, got, x.want, err)
		}
	}
	// A window without pairs has no points: 900 loads are below the least number of executions.
	err := profileWindows(figure.Program{Name: "made"}, figuretest.Tuples(list), longSpan{lengths: []uint64{900}, windows: 1}, [][]string{nil}, func(p *longPart) error {
		if p.mine != nil || p.loads.events != 900 {
			t.Errorf("%d loads have points", p.loads.events)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Windows of each length are as many as the recording has, and no length is there twice.
func TestSpansOfARecording(t *testing.T) {
	for most, want := range map[uint64]string{
		128_000_000: "16*[500000 2000000 4000000 8000000] 4*[16000000 32000000] 1*[64000000 128000000] ",
		16_000_000:  "2*[500000 2000000 4000000 8000000] 1*[16000000] ",
		8_000_000:   "2*[500000 2000000 4000000] 1*[8000000] ",
		1000:        "1*[1000] ",
	} {
		got := ""
		for _, s := range longSpans(most) {
			got += fmt.Sprintf("%d*%v ", s.windows, s.lengths)
		}
		if got != want {
			t.Errorf("%d loads: %q, want %q", most, got, want)
		}
	}
}

// The verdicts about windows by hand: the median decides, not the number of windows nor the mean.
func TestLongVerdicts(t *testing.T) {
	set := func(program, taps string, sites float64, gains ...figure.Tally) *longSet {
		s := &longSet{longRecording: longRecording{program: figure.Program{Name: program}, taps: taps}}
		for i, g := range gains {
			s.lengths = append(s.lengths, &longLength{loads: uint64(4_000_000 << i), sites: figure.Tally{sites}, gains: g})
		}
		return s
	}
	res := &figure.Result{ID: "cop-long"}
	addWindowVerdicts(res, []*longSet{
		set("small", ofLong, 9, figure.Tally{0.1}, figure.Tally{0.1}),
		set("small", ofLong2, 9, figure.Tally{3}, figure.Tally{3}),
		set("b", ofLong, 500, figure.Tally{0.9, 0.5, 7}, figure.Tally{1.5, 0.8}, figure.Tally{0.5}),
		set("b", ofLong2, 900, figure.Tally{1}, figure.Tally{0.5}),
		set("a", ofLong, 600, figure.Tally{0.5}, figure.Tally{1, 0.5, 0.9}, figure.Tally{2}),
	})
	var got []string
	for _, r := range res.Rows {
		got = append(got, fmt.Sprint(r.Key, " = ", r.Ours, ", ", r.Differs, " ", r.Note))
	}
	want := []string{
		"largest-4M = a 0.50x b 0.90x, false ",
		"largest-8M = a 0.90x b 1.15x, true medians and ranges: a: 8M 0.90 (0.50 to 1.00, 2 of 3 windows); b: 8M 1.15 (0.80 to 1.50, 1 of 2 windows)",
		"largest-16M = a 2.00x b 0.50x, true medians and ranges: a: 16M 2.00 (2.00 to 2.00, 0 of 1 windows); b: 16M 0.50 (0.50 to 0.50, 1 of 1 windows)",
		"later-4M = b 1.00x, true medians and ranges: b: 4M 1.00 (1.00 to 1.00, 0 of 1 windows)",
		"later-8M = b 0.50x, false ",
		"gains-small = 2 of 2 lengths: 4M 8M, false ",
		"gains-small-2 = 0 of 2 lengths, false ",
		"gains-b = 2 of 3 lengths: 4M 16M, false ",
		"gains-b-2 = 1 of 2 lengths: 8M, false ",
		"gains-a = 2 of 3 lengths: 4M 8M, false ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
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

// Long recordings have 16 times as many loads; without one the usual loads are taken, and the setup says so.
func TestLongRecordings(t *testing.T) {
	env := &figure.Env{Loads: 1000}
	for _, has := range []bool{true, false} {
		env.Source = func(program, taps string) (replay.Source, error) {
			if taps == ofLong2 || taps == ofLong && !has {
				return nil, figure.ErrNoTrace
			}
			return func(func(trace.Block) error) error { return nil }, nil
		}
		res := &figure.Result{}
		source, most, err := longSource(env, res, longRecording{program: figure.Program{Name: "made"}, taps: ofLong})
		want := map[bool]uint64{true: 16_000, false: 1000}[has]
		if err != nil || source == nil || most != want || (res.Setup == nil) != has {
			t.Errorf("long recording %v: %d loads, want %d; setup %q, %v", has, most, want, res.Setup, err)
		}
		if _, _, err := longSource(env, res, longRecording{program: figure.Program{Name: "made"}, taps: ofLong2}); err != figure.ErrNoTrace {
			t.Errorf("later loads that were not recorded: %v", err)
		}
	}
}

// Sentences have the numbers and verdicts of the results, whichever they are.
func TestSentences(t *testing.T) {
	for _, x := range []struct {
		printer float64 // the factor of the second largest working set
		agrees  bool
		want    []string
	}{
		{0.5, true, []string{
			"With 8M loads at equal overhead 2 of the two largest working sets gain. The factors: better printer 0.50, typecheck 0.80; equal bitboard 1.00; worse lua 1.50. With 125K loads no sampler at that overhead has interrupted before the end, so there is nothing to compare. In random order 1 of the two largest gain.",
			"The two largest working sets gain both at 8M (printer 0.50x), 16M (printer 0.50x); not both at none. Their later loads gain both at none; not both at none. printer, the defaults were chosen on it: gains at 8M 0.50 (0.40 to 0.50, 3 of 3), 16M 0.50 (0.40 to 1.50, 2 of 3); not at none.",
			"in random order the curves of error over overhead are one for all rates",
		}},
		{1.25, false, []string{
			"With 8M loads at equal overhead 1 of the two largest working sets gain. The factors: better typecheck 0.80; equal bitboard 1.00; worse printer 1.25, lua 1.50. With 125K loads no sampler at that overhead has interrupted before the end, so there is nothing to compare. In random order 1 of the two largest gain.",
			"The two largest working sets gain both at none; not both at 8M (printer 1.25x), 16M (printer 1.25x). Their later loads gain both at none; not both at none. printer, the defaults were chosen on it: gains at none; not at 8M 1.25 (1.15 to 1.25, 0 of 3), 16M 1.25 (1.15 to 2.25, 0 of 3).",
			"in random order the curves of error over overhead are not one for all rates",
		}},
	} {
		seven := &figure.Result{ID: "cop-7", Tables: []figure.Table{{Key: "profiles-8M", Columns: []string{"program", "sites", "overhead", "co-processor to it"}}, {
			Key: "profiles-125K", Columns: []string{"program", "sites", "overhead", "co-processor to it"},
			Rows: [][]figure.Value{{figure.Text("lua"), figure.Count(9, "sites"), figure.Percent(0), figure.Factor(0.1)}},
		}}}
		for name, v := range map[string][2]float64{"typecheck": {900, 0.8}, "printer": {500, x.printer}, "lua": {100, 1.5}, "bitboard": {9, 1.004}} {
			seven.Tables[0].Rows = append(seven.Tables[0].Rows, []figure.Value{figure.Text(name), figure.Count(int(v[0]), "sites"), figure.Percent(1), figure.Factor(v[1])})
		}
		state(seven, "random-largest", "", two(figure.Percent(1), figure.Percent(2), ""), "-", true)
		state(seven, "random-second", "", two(figure.Percent(2), figure.Percent(1), ""), "-", true)
		long := &figure.Result{ID: "cop-long"}
		set := &longSet{longRecording: longRecording{program: figure.Program{Name: "printer"}, taps: ofLong, choice: chosenOn}}
		for i, n := range []uint64{8_000_000, 16_000_000} {
			one := figure.Tally{1}
			set.lengths = append(set.lengths, &longLength{loads: n, sites: one, pairs: one, mine: one, overhead: one, simple: one, gains: figure.Tally{x.printer - 0.1, x.printer, x.printer + float64(i)}})
		}
		long.Tables = []figure.Table{set.table(), {Title: "printer, where the error is", Rows: [][]figure.Value{{figure.Text("10-20")}}}}
		addWindowVerdicts(long, []*longSet{set})
		curves := &figure.Result{ID: "cop-1"}
		state(curves, "random-curves", "", span(figure.Factor(0.9), figure.Factor(1.1)), "one curve for all rates", x.agrees)
		for i, got := range []string{aboutPrograms(seven), aboutLong(long), aboutRates(curves)} {
			if !strings.Contains(got, x.want[i]) {
				t.Errorf("the sentence is\n%s\nwant\n%s", got, x.want[i])
			}
		}
	}
}
