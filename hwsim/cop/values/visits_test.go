package values_test

// This file tests the weights and lengths of visits.

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/cop"
	"github.com/pepgo/pep/hwsim/cop/coptest"
	"github.com/pepgo/pep/hwsim/cop/host"
	"github.com/pepgo/pep/hwsim/cop/values"
	"github.com/pepgo/pep/hwsim/enginetest"
)

// The weight of a sample is the length of the era, divided by the samples that the visit would
// have had without drops if it had lasted for the whole era. By hand, with 6 bits behind the point.
func TestValuesWeightByHand(t *testing.T) {
	for _, x := range []struct {
		name                         string
		begin, end, dropped, n, from uint64
		want                         float64
	}{
		{"the visit is the era", 500, 1500, 0, 200, 500, 1},
		{"the era is three times as long", 2500, 3500, 0, 200, 500, 3},
		{"half of the events were dropped", 500, 1500, 200, 200, 500, 2},
		{"both", 5000, 6000, 300, 100, 4000, 8},         // 2 * 4
		{"rounded down", 300, 1300, 0, 7, 0, 83.0 / 64}, // 1.3
		{"samples were in the buffer when the visit began", 500, 502, 0, 4, 500, 1},
		{"no samples", 500, 1500, 10, 0, 0, 1},
	} {
		if got := float64(values.Weight(x.begin, x.end, x.dropped, x.n, x.from)) / 64; got != x.want {
			t.Errorf("%s: %v, want %v", x.name, got, x.want)
		}
	}
}

// Load 0 has the value 1 in phases in which it is rare, and the value 2 in phases in which it is
// 50 times as frequent: 2 has 98 % of the executions. In the first kind of phase the loads fit into the slots, so a
// visit lasts nearly until the masks are cleared, for 5000 loads. In the other kind the slots are soon full, and
// load 0 is masked. So visits of either kind have less than 100 samples of load 0, and if all samples counted the same,
// the rare value would have a third of them. The engine without weights shows this.
func TestValuesWeighPhases(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	in := loads(1_200_000, func(i int) (uint64, uint64) {
		frequent := i / 30_000 % 2
		if r.IntN(100) <= frequent*49 {
			return 0, uint64(1 + frequent)
		}
		return 1 + r.Uint64N(uint64(10+50*frequent)), 7
	})
	truth, all := 0.0, 0.0
	for _, x := range in {
		if x.PC == loadPC(0) {
			all++
			truth += float64(x.W - 1)
		}
	}
	truth /= all
	weighted, even := profile(t, "slots=16,r=0,times=1,clear=500000"),
		profile(t, "slots=16,r=0,times=1,clear=500000,weigh=0")
	enginetest.Push(weighted, in)
	enginetest.Push(even, in)
	if got := invariance(weighted, 0, 2); math.Abs(got-truth) > 0.02 {
		t.Errorf("with weights: share %v, want %v", got, truth)
	}
	if got := invariance(even, 0, 2); got > truth-0.2 {
		t.Errorf("without weights: share %v, want much less than %v: the test shows nothing", got, truth)
	}
}

// A load that is masked counts from its mask on when it has samples again. Load 0 has the value 1 in 100,000 loads, and
// is masked after m of them. Then it has the value 2 in 150,000 loads; after 100,000 of these, masks are cleared. So
// the value 2 stands for all but m of 250,000 loads.
func TestValuesEraBeginsWithTheMask(t *testing.T) {
	e := profile(t, "slots=16,clear=0,least=5000,times=1048576,lo=0")
	m, masked := 0.0, 0.0
	phase := func(n int, value uint64) {
		for ; n > 0; n -= 100 {
			enginetest.Push(e, loads(100, func(i int) (uint64, uint64) {
				if i%4 == 0 {
					return 0, value
				}
				return 1 + uint64(i*7+n)%40, 3
			}))
			if m += 100; !loadOf(t, e, 0).Masked {
				masked = m
			}
		}
	}
	phase(100_000, 1)
	if !loadOf(t, e, 0).Masked || masked < 50_000 {
		t.Fatalf("the load is masked after %v loads", masked)
	}
	at := masked
	phase(100_000, 2)
	e.(hwsim.Controlled).Store(host.FirstRegister+values.ClearMasks, 0)
	phase(50_000, 2)
	if share, want := invariance(e, 0, 2), 1-at/250_000; math.Abs(share-want) > 0.02 {
		t.Errorf("the second value has a share of %v, want %v: %+v", share, want, loadOf(t, e, 0))
	}
}

// When masks are cleared the eras of other loads go on. Nothing is masked, and masks are cleared 20 times. The load has
// one value in the first half of the stream, and another one in the second half.
func TestValuesErasGoOnWhenMasksAreCleared(t *testing.T) {
	e := profile(t, "slots=16,clear=0,times=1048576,hi=100,lo=0,least=1048576,timer=100000")
	for i := range uint64(20) {
		enginetest.Push(e, loads(10_000, func(n int) (uint64, uint64) { return uint64(n*7) % 60, i / 10 }))
		e.(hwsim.Controlled).Store(host.FirstRegister+values.ClearMasks, 0)
	}
	for site := range uint64(60) {
		if share := invariance(e, site, 1); math.Abs(share-0.5) > 0.15 {
			t.Errorf("load %d: the second value has a share of %v, want a half", site, share)
		}
	}
}

// Visits are short at first, and later as long as the timer says. A program has ten times as many loads as the machine
// has slots, all equally frequent. With visits of the same length most of them have no turn in 4 million cycles.
func TestValuesFirstVisitsAreShort(t *testing.T) {
	in := loads(400_000, func(i int) (uint64, uint64) { return uint64(i*7) % 2560, 1 })
	profiled := func(args string) (loads int, timer uint64) {
		e := coptest.New(t, "program=values,near=10,far=10"+args)
		enginetest.Push(e, in)
		return len(e.(cop.Profiler).Loads()), meter(t, e, "interrupts of the timer")
	}
	short, many := profiled("")
	long, few := profiled(",early=0")
	if short < 2000 || long > 1000 || many < 2*few {
		t.Errorf("%d loads in visits that begin short, %d otherwise; %d and %d timer interrupts", short, long, many, few)
	}
	// Visits grow until they last for a million cycles, within a quarter, unless the machine interrupts before.
	e := coptest.New(t, "program=values,near=100,far=100,clear=0,times=1048576,hi=100,lo=0,least=1048576")
	last, timer, others := uint64(0), uint64(0), uint64(0)
	lengths := map[uint64]bool{}
	for i := range uint64(40_000) {
		now := i * 1000
		enginetest.Push(e, loads(10, func(i int) (uint64, uint64) { return uint64(i % 5), 1 }))
		n := meter(t, e, "interrupts of the timer")
		m := meter(t, e, "interrupts FULL") + meter(t, e, "interrupts THRASH")
		if n == timer && m == others {
			continue
		}
		want := float64(min(1_000_000, max(62_500, last/8)))
		if got := float64(now - last); got > 1.25*want+2000 || n != timer && got < 0.75*want-2000 {
			t.Errorf("a visit of %v cycles begins after %d, want %v", got, last, want)
		} else if n != timer && want == 1_000_000 {
			lengths[now-last] = true
		}
		last, timer, others = now, n, m
	}
	if timer < 20 || len(lengths) < 4 {
		t.Errorf("%d timer interrupts, lengths of the last visits: %v, want random ones", timer, lengths)
	}
}
