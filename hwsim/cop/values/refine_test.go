package values_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pepgo/pep/hwsim/cop/values"
)

// leastShares returns the least shares that explain themselves: it begins with the hits, and gives
// the misses and forgotten samples away by the shares of the pass before, until nothing changes. It also
// returns how much the last pass changed.
func leastShares(slots []values.RecordedSlot, pc uint64, limit float64) (p map[uint32]float64, change float64) {
	hits, misses, total, forgotten := map[uint32]float64{}, map[uint32]float64{}, 0.0, 0.0
	for _, s := range slots {
		if s.PC == pc {
			weight := float64(max(s.Weight, 1))
			h, m, n := float64(s.Word>>32&255)*weight, float64(s.Word>>40&255)*weight, float64(s.Word>>48)*weight
			hits[uint32(s.Word)] += h
			misses[uint32(s.Word)] += m
			total += n
			forgotten += n - h - m
		}
	}
	p = map[uint32]float64{}
	for range 20_000 {
		next := map[uint32]float64{}
		change = 0
		for v, h := range hits {
			for w, m := range misses {
				if w != v && m > 0 {
					h += m * p[v] / (1 - p[w])
				}
			}
			next[v] = (h + min(p[v], limit)*forgotten) / total
			change = max(change, next[v]-p[v])
		}
		p = next
		if change < 1e-14 {
			break
		}
	}
	return p, change
}

// Random slots: the estimate is the mean of that with the bound and of the least solution of the equation
// in the comment of refine. With the passes that software makes it is not larger, and never smaller than
// half of the bound's estimate and of the hits.
func TestCOP25_RefinedEstimateIsTheMeanWithTheLeastSolution(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	compared, moved := 0, 0
	for range 60 {
		var slots []values.RecordedSlot
		for range 6 + r.IntN(6) { // so each value has more than one hit in 256 samples
			hits, misses := 100+r.Uint64N(156), r.Uint64N(256)
			slots = append(slots, values.RecordedSlot{
				PC: 7, Word: slotWord(r.Uint32N(6), hits, misses, hits+misses+pick(r, 0, r.Uint64N(100))),
				Weight: pick(r, 64, 64+r.Uint64N(64), 128),
			})
		}
		twiceRF := 1 + r.Uint64N(15)
		least, change := leastShares(slots, 7, 2/float64(2+twiceRF))
		if change > 1e-12 {
			continue // the iteration is slow where two solutions are nearly one
		}
		bounded := values.Estimated(slots, twiceRF, 1)[0]
		whole, few := values.EstimatedIn(slots, twiceRF, 2, 1<<20, 63)[0], values.Estimated(slots, twiceRF, 2)[0]
		if whole.Steps == uint64(len(whole.Values)) {
			continue
		}
		compared++
		for i, x := range whole.Values {
			want := (bounded.Invariance(i) + least[uint32(x.Value)]) / 2
			if got := whole.Invariance(i); math.Abs(got-want) > 1e-4 {
				t.Fatalf("value %d has %v, want %v: the mean of %v and %v", x.Value, got, want, bounded.Invariance(i),
					least[uint32(x.Value)])
			}
			if got := few.Invariance(i); got > want+1e-4 || few.Steps > 5*uint64(len(few.Values)) {
				t.Fatalf("value %d has %v after %d steps, and %v after all", x.Value, got, few.Steps, want)
			}
			if math.Abs(bounded.Invariance(i)-least[uint32(x.Value)]) > 0.02 {
				moved++
			}
		}
	}
	if compared < 30 || moved < 15 {
		t.Fatalf("%d of 60 loads compared, %d shares differ between the two estimates", compared, moved)
	}
}

// Loads that are rarely executed, and loads without misses, have the estimate with the bound, in one pass.
func TestCOP25_RefinedLoadsAreFrequent(t *testing.T) {
	for _, x := range []struct {
		name   string
		slots  []uint64
		weight uint64 // of a slot of another load with 1000 samples
		want   bool   // more steps than values
	}{
		{"one in 1024", []uint64{slotWord(1, 100, 100, 200), slotWord(2, 100, 200, 300)}, 511, true},
		{"less", []uint64{slotWord(1, 100, 100, 200), slotWord(2, 100, 200, 300)}, 513, false},
		{"no misses", []uint64{slotWord(1, 255, 0, 255), slotWord(2, 255, 0, 255), slotWord(2, 255, 0, 255)}, 1, false},
	} {
		slots := []values.RecordedSlot{{PC: 8, Word: slotWord(1, 255, 0, 1000), Weight: x.weight}}
		for _, w := range x.slots {
			slots = append(slots, values.RecordedSlot{PC: 7, Word: w})
		}
		bounded, got := values.Estimated(slots, 14, 1)[1], values.Estimated(slots, 14, 2)[1]
		if more := got.Steps > uint64(len(got.Values)); more != x.want ||
			more == (got.Invariance(0) == bounded.Invariance(0)) {
			t.Errorf("%s: %d steps, shares of %v, and %v with the bound", x.name, got.Steps, got.Invariance(0),
				bounded.Invariance(0))
		}
	}
}

// The passes leave out a value with few hits.
func TestCOP25_RefinedValuesHaveHits(t *testing.T) {
	for hits, want := range map[uint64]int{2: 2, 20: 3} {
		var slots []values.RecordedSlot
		for _, w := range []uint64{slotWord(1, 100, 200, 300), slotWord(2, 100, 200, 300), slotWord(3, hits, 100, 300)} {
			slots = append(slots, values.RecordedSlot{PC: 7, Word: w, Weight: 1 << 20})
		}
		got := values.EstimatedIn(slots, 14, 2, 4, 63)[0]
		if int(got.Steps) != 3+4*want {
			t.Errorf("%d hits of 900: %d steps, want one pass over 3 values and four over %d", hits, got.Steps, want)
		}
	}
}
