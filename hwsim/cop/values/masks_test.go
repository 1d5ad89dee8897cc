package values_test

// This file tests which loads are masked, when masks are cleared, and the diagnosis of phased values.

import (
	"math/rand/v2"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/cop"
	"github.com/pepgo/pep/hwsim/cop/host"
	"github.com/pepgo/pep/hwsim/cop/values"
	"github.com/pepgo/pep/hwsim/enginetest"
)

// On a stationary program each load is masked at some time, interrupts cease, and the profile is complete.
func TestCOP23_ProfilesComplete(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	e := profile(t, "slots=16,clear=0,timer=300000")
	share := map[uint64]int{0: 10, 1: 10, 2: 7, 3: 5, 4: 0} // of ten samples that have the first value
	stream := func(n int) []tuple.Tuple {
		return loads(n, func(i int) (uint64, uint64) {
			site := r.Uint64N(40)
			if r.IntN(10) < share[site%5] {
				return site, 1
			}
			return site, 2 + r.Uint64N(1+site%5*100)
		})
	}
	enginetest.Push(e, stream(400_000))
	before := meter(t, e, "interrupts FULL") + meter(t, e, "interrupts THRASH")
	enginetest.Push(e, stream(100_000))
	after := meter(t, e, "interrupts FULL") + meter(t, e, "interrupts THRASH")
	if before == 0 || after != before || !e.(cop.Profiler).Complete() ||
		register(e, host.FirstRegister+values.ProfileComplete) != 1 {
		t.Errorf("%d interrupts and then %d, complete %v", before, after, e.(cop.Profiler).Complete())
	}
	masked := 0
	for _, l := range e.(cop.Profiler).Loads() {
		if l.Masked {
			masked++
		}
	}
	if masked < 24 { // at most 16 loads that are left have space in the slots
		t.Errorf("%d loads of 40 are masked", masked)
	}
	// New loads make it incomplete.
	enginetest.Push(e, loads(30_000, func(i int) (uint64, uint64) { return 1000 + r.Uint64N(40), 1 }))
	if n := meter(t, e, "interrupts FULL") + meter(t, e, "interrupts THRASH"); n == after {
		t.Error("new loads lead to no interrupt")
	}
}

// Each rule that masks a load, and the samples that it needs.
func TestCOP23_WhichLoadsAreMasked(t *testing.T) {
	for _, x := range []struct {
		name   string
		args   string
		value  func(n int) uint64 // of sample n of the load
		masked bool
	}{
		{"one value", "", func(int) uint64 { return 1 }, true},
		{"one value, few samples", ",least=400", func(int) uint64 { return 1 }, false},
		{"variant", ",least=1", func(n int) uint64 { return uint64(n) }, true},
		{"variant, few samples", "", func(n int) uint64 { return uint64(n) }, false}, // 120 of 320
		{"between", "", func(n int) uint64 { return uint64(n % 2) }, false},
		{"between, often profiled", ",times=1", func(n int) uint64 { return uint64(n % 2) }, true},
		{"between, but hi is low", ",hi=40", func(n int) uint64 { return uint64(n % 2) }, true},
	} {
		e := profile(t, "slots=16"+x.args)
		n := 0
		enginetest.Push(e, loads(16*120, func(i int) (uint64, uint64) { return uint64(i % 16), x.value(i / 16) }))
		enginetest.Push(e, loads(200, func(i int) (uint64, uint64) { n++; return 100 + uint64(n%16), 1 }))
		if l := loadOf(t, e, 3); l.Masked != x.masked {
			t.Errorf("%s: %+v", x.name, l)
		}
	}
}

// A load that changes its value after it was masked: only with periodic clearing, or when a phase detector
// clears the masks, is the new value recorded.
func TestCOP24_MasksAreCleared(t *testing.T) {
	phase := func(value uint64, n int) []tuple.Tuple {
		return loads(n, func(i int) (uint64, uint64) { return uint64(i*5) % 40, value })
	}
	for _, x := range []struct {
		args   string
		detect bool
		want   bool
	}{{"clear=0", false, false}, {"clear=3000000", false, true}, {"clear=0", true, true}} {
		e := profile(t, "slots=8,timer=50000,"+x.args)
		enginetest.Push(e, phase(1, 20_000))
		if !loadOf(t, e, 5).Masked {
			t.Errorf("%s: the first phase leaves the load unmasked", x.args)
		}
		if x.detect {
			e.(hwsim.Controlled).Store(host.FirstRegister+values.ClearMasks, 1)
		}
		enginetest.Push(e, phase(2, 60_000))
		if got := invariance(e, 5, 2); (got > 0) != x.want {
			t.Errorf("%s: the share of the second value is %v", x.args, got)
		}
		if n := meter(t, e, "masks cleared"); (n > 0) != x.want {
			t.Errorf("%s: masks were cleared %d times", x.args, n)
		}
	}
}

// Masks are due after a time in which only some partitions have their turn. If they were cleared
// then, the first partitions would have all turns, and the loads of the others no samples. All
// loads are equally frequent.
func TestCOP24_EachPartitionHasItsTurn(t *testing.T) {
	e := profile(t, "slots=8,timer=50000,clear=100000")
	enginetest.Push(e, loads(400_000, func(i int) (uint64, uint64) { return uint64(i*37) % 128, 1 }))
	cleared, partitions := meter(t, e, "masks cleared"), register(e, host.FirstRegister+values.PartitionCount)
	if n := len(e.(cop.Profiler).Loads()); n != 128 || cleared == 0 {
		t.Errorf("%d loads of 128 were profiled, masks were cleared %d times, now %d partitions", n, cleared, partitions)
	}
}

// Loads that alternate between two values after each 2000 samples are diagnosed, if masks are cleared now and then: in
// a phase such a load looks invariant. Loads with the same shares at random are not. The chance that 32 samples of
// these all have one value is 2^-31 for each slot. Fewer than 10,000 slots are copied of each of 10 loads, and a false
// alarm needs a slot of either value, so its chance is below 10 * (1e4 * 2^-31)^2 < 1e-9.
func TestCOP26_PhasedValues(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	e := profile(t, "slots=16,clear=1000000,timer=50000")
	turn := map[uint64]int{}
	enginetest.Push(e, loads(400_000, func(i int) (uint64, uint64) {
		site := r.Uint64N(20)
		turn[site]++
		if site%2 == 0 {
			return site, uint64(turn[site] / 2000 % 2)
		}
		return site, r.Uint64N(2)
	}))
	phased := uint64(0)
	for site := range uint64(20) {
		l := loadOf(t, e, site)
		if l.Phased {
			phased++
		}
		if want := site%2 == 0; l.Phased != want {
			t.Errorf("site %d: phased is %v, %+v", site, l.Phased, l.Values)
		}
	}
	if n := meter(t, e, "loads with phased values"); n != phased {
		t.Errorf("the meter has %d phased loads, want %d", n, phased)
	}
}
