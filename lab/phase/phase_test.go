package phase_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pepgo/pep/lab/phase"
)

// The distance is that of the sets of hashes. The test makes the sets anew, with a map and a
// division instead of a shift.
func TestDistanceIsThatOfSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	hash := func(pc uint64) uint64 { return pc * 0x9e3779b97f4a7c15 / (1 << 54) }
	for range 200 {
		var a, b phase.Signature
		in := map[uint64]int{}
		for range rng.IntN(300) {
			pc := rng.Uint64N(200)
			if rng.IntN(3) > 0 {
				a.Add(pc)
				in[hash(pc)] |= 1
			}
			if rng.IntN(3) > 0 {
				b.Add(pc)
				in[hash(pc)] |= 2
			}
		}
		differ, either := 0.0, 0.0
		for _, x := range in {
			if x != 0 {
				either++
			}
			if x == 1 || x == 2 {
				differ++
			}
		}
		want := 0.0
		if either > 0 {
			want = differ / either
		}
		if got := a.Distance(&b); math.Abs(got-want) > 1e-12 || b.Distance(&a) != got || a.Distance(&a) != 0 {
			t.Fatalf("distance %v and %v, want %v", got, b.Distance(&a), want)
		}
	}
}

// run returns the phases that a detector reports for a program that goes through parts, each
// of some events over some addresses.
func run(d *phase.Detector, parts [][3]int) (phases []int) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, p := range parts {
		for range p[2] {
			if d.Event(uint64(p[0] + rng.IntN(p[1]))) {
				phases = append(phases, d.Phase())
			}
		}
	}
	return phases
}

func TestPhasesBeginAndComeBack(t *testing.T) {
	const n = 10_000
	d := phase.New(phase.Config{Interval: 1000})
	// Addresses 0-39, 100-139, 0-39 again, and 20-59, which shares half with the first.
	got := run(d, [][3]int{{0, 40, n}, {100, 40, n + 500}, {0, 40, n}, {20, 40, n}})
	if want := []int{0, 1, 0, 2}; !slices.Equal(got, want) {
		t.Errorf("phases %v, want %v", got, want)
	}
	if got, want := d.Intervals(), uint64(40); got != want {
		t.Errorf("%d intervals, want %d", got, want)
	}
	// An interval between two phases, and the first of a new one, count for the old one.
	sum := uint64(0)
	for _, x := range d.Lengths() {
		sum += x
	}
	if sum != 39 || len(d.Lengths()) != 3 {
		t.Errorf("lengths %v, want 39 intervals in 3 phases", d.Lengths())
	}
}

func TestOtherValuesAndFewOtherAddressesAreNoPhase(t *testing.T) {
	d := phase.New(phase.Config{Interval: 1000})
	if got := run(d, [][3]int{{0, 40, 10_000}, {0, 44, 10_000}, {2, 40, 10_000}}); !slices.Equal(got, []int{0}) {
		t.Errorf("phases %v, want the first alone", got)
	}
}

// A program that has a new working set in each interval has no phases: no interval is like
// the one before.
func TestNoPhaseWithoutTwoIntervalsThatAreAlike(t *testing.T) {
	d := phase.New(phase.Config{Interval: 100})
	var parts [][3]int
	for i := range 200 {
		parts = append(parts, [3]int{1000 * i, 40, 100})
	}
	if got := run(d, parts); got != nil {
		t.Errorf("phases %v, want none", got)
	}
}

// A detector remembers 64 phases. A further one is the nearest that it knows.
func TestTooManyPhases(t *testing.T) {
	d := phase.New(phase.Config{Interval: 1000})
	var parts [][3]int
	for i := range 80 {
		parts = append(parts, [3]int{1000 * i, 40, 3000})
	}
	got := run(d, parts)
	if len(got) == 0 || slices.Max(got) != 63 || len(d.Lengths()) != 64 {
		t.Errorf("phases %v, want at most number 63", got)
	}
}
