package values_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/pepgo/pep/hwsim/cop/values"
)

func slotWord(value uint32, hits, misses, total uint64) uint64 {
	return uint64(value) | hits<<32 | misses<<40 | total<<48
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

func rat(n uint64) *big.Rat { return new(big.Rat).SetInt(new(big.Int).SetUint64(n)) }

// smaller returns the smaller one of two numbers.
func smaller(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

// exactShares is the estimator in rational numbers, slot by slot as the paper describes it. Each
// sample of a slot counts as often as its weight says. With bound, a value gets at most as large a share
// of the samples of other slots as it had of the hits and misses of its own slots.
func exactShares(slots []values.RecordedSlot, pc uint64, twiceRF int64, bound bool) map[uint32]*big.Rat {
	hits, shares, active := map[uint32]*big.Rat{}, map[uint32]*big.Rat{}, map[uint32]*big.Rat{}
	weight := func(s values.RecordedSlot) uint64 { return max(s.Weight, 1) }
	total, unaccounted := new(big.Rat), new(big.Rat)
	for _, s := range slots {
		if s.PC != pc {
			continue
		}
		value, h, m, n := uint32(s.Word), s.Word>>32&255*weight(s), s.Word>>40&255*weight(s), s.Word>>48*weight(s)
		if hits[value] == nil {
			hits[value], shares[value], active[value] = new(big.Rat), new(big.Rat), new(big.Rat)
		}
		hits[value].Add(hits[value], rat(h))
		active[value].Add(active[value], rat(h+m))
		total.Add(total, rat(n))
		unaccounted.Add(unaccounted, rat(n-h-m))
	}
	// share is a value's share of samples that are divided, of all samples there are.
	share := func(value uint32, divided, all *big.Rat) *big.Rat {
		if !bound {
			return divided
		}
		most := new(big.Rat).Quo(hits[value], active[value])
		return smaller(divided, most.Mul(most, all))
	}
	for value, h := range hits {
		shares[value].Add(shares[value], h)
	}
	for w := range hits {
		misses, others := new(big.Rat).Sub(active[w], hits[w]), new(big.Rat)
		for value, h := range hits {
			if value != w {
				others.Add(others, h)
			}
		}
		for value, h := range hits {
			if value != w {
				x := new(big.Rat).Quo(h, others)
				shares[value].Add(shares[value], share(value, x.Mul(x, misses), active[w]))
			}
		}
	}
	equal := new(big.Rat).Quo(unaccounted, rat(uint64(len(hits))))
	equal = smaller(equal, new(big.Rat).Mul(unaccounted, big.NewRat(2, 2+twiceRF)))
	for value, x := range shares {
		x.Add(x, share(value, equal, unaccounted))
		x.Quo(x, total)
	}
	return shares
}

// The example of the comment of the estimator, by hand.
func TestCOP25_EstimateByHand(t *testing.T) {
	loads := values.Estimated([]values.RecordedSlot{
		{PC: 7, Word: slotWord(1, 40, 15, 70)}, {PC: 7, Word: slotWord(2, 20, 40, 95)}, {PC: 7, Word: slotWord(1, 20, 5, 35)},
	}, 6, 0)
	if len(loads) != 1 || loads[0].Samples != 200 || len(loads[0].Values) != 2 {
		t.Fatalf("%+v", loads)
	}
	for i, want := range []values.Estimate{{Value: 1, Hits: 60, Misses: 20, Total: 105, Count: 115 << values.CountBits},
		{Value: 2, Hits: 20, Misses: 40, Total: 95, Count: 55 << values.CountBits}} {
		if got := loads[0].Values[i]; got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	if got := loads[0].Invariance(0); got != 115.0/200 {
		t.Errorf("invariance %v", got)
	}
	// One value: no other value can have its misses.
	loads = values.Estimated([]values.RecordedSlot{{PC: 7, Word: slotWord(9, 30, 10, 40)}}, 6, 0)
	if got := loads[0].Invariance(0); got != 0.75 {
		t.Errorf("one value: %v", got)
	}
	// Ten values, 10 % each, of which slots found two. Without the bound they have the misses of each other. With the
	// bound each has its 10 hits and a tenth of the other's 100 samples.
	for bound, want := range map[uint64]float64{0: 0.5, 1: 0.1} {
		loads = values.Estimated([]values.RecordedSlot{{PC: 7, Word: slotWord(1, 10, 90, 100)},
			{PC: 7, Word: slotWord(2, 10, 90, 100)}}, 14, bound)
		if got := loads[0].Invariance(0); got != want {
			t.Errorf("ten values, bound %v: %v, want %v", bound, got, want)
		}
	}
	// A visit with the value 1 stands for three times as many samples as a visit with the value 2.
	loads = values.Estimated([]values.RecordedSlot{{PC: 7, Word: slotWord(1, 50, 0, 50), Weight: 30},
		{PC: 7, Word: slotWord(2, 50, 0, 50), Weight: 10}}, 6, 1)
	if a, b := loads[0].Invariance(0), loads[0].Invariance(1); a != 0.75 || b != 0.25 || loads[0].Samples != 100 {
		t.Errorf("weights of 30 and 10: %v and %v of %d samples", a, b, loads[0].Samples)
	}
	// Without the limit both values would get half of the 900 samples; each gets a quarter.
	loads = values.Estimated([]values.RecordedSlot{{PC: 7, Word: slotWord(1, 50, 0, 500)},
		{PC: 7, Word: slotWord(2, 50, 0, 500)}}, 6, 0)
	if got := loads[0].Invariance(0); got != 0.05+0.225 {
		t.Errorf("limited: %v", got)
	}
}

// Random slots: the estimates are those of the calculation in rational numbers, up to rounding, and those
// of a load together are never more than its samples; with and without weights and bounds.
func TestCOP25_EstimateIsTheExactOne(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for round := range 2000 {
		weights, bound := round%2 == 1, uint64(round%4/2)
		var slots []values.RecordedSlot
		for range 1 + r.IntN(30) {
			hits, misses := 1+r.Uint64N(255), r.Uint64N(256)
			s := values.RecordedSlot{PC: r.Uint64N(3),
				Word: slotWord(r.Uint32N(6), hits, misses, hits+misses+pick(r, 0, r.Uint64N(100), r.Uint64N(65535-510)))}
			if weights {
				s.Weight = pick(r, 64, 64+r.Uint64N(64), 1<<24)
			}
			slots = append(slots, s)
		}
		twiceRF := 1 + r.IntN(15)
		for _, l := range values.Estimated(slots, uint64(twiceRF), bound) {
			want := exactShares(slots, l.PC, int64(twiceRF), bound > 0)
			sum := 0.0
			for i, x := range l.Values {
				exact, _ := want[uint32(x.Value)].Float64()
				// Each division rounds down by less than 1/65536 of a sample, and the last one again.
				rounding := float64(3+len(l.Values)) / (1 << values.CountBits) / float64(l.Samples)
				if got := l.Invariance(i); got > exact+1e-12 || got < exact-rounding-1e-12 {
					t.Fatalf("round %d: value %d has %v, want %v", round, x.Value, got, exact)
				}
				sum += l.Invariance(i)
			}
			if sum > 1+1e-9 || len(want) != len(l.Values) {
				t.Fatalf("round %d: the shares of %d values together are %v", round, len(l.Values), sum)
			}
		}
	}
}

// Values are phased if two of them had slots without misses.
func TestCOP26_PhasedByHand(t *testing.T) {
	for _, x := range []struct {
		name  string
		slots []uint64
		want  bool
	}{
		{"two clean values", []uint64{slotWord(1, 255, 0, 255), slotWord(2, 200, 3, 203)}, true},
		{"one value twice", []uint64{slotWord(1, 255, 0, 255), slotWord(1, 255, 0, 255)}, false},
		{"the other is mixed", []uint64{slotWord(1, 255, 0, 255), slotWord(2, 100, 90, 200)}, false},
		{"the other is small", []uint64{slotWord(1, 255, 0, 255), slotWord(2, 31, 0, 31)}, false},
		{"the other has just enough hits", []uint64{slotWord(1, 255, 0, 255), slotWord(2, 32, 0, 32)}, true},
		{"and a miss for 64 of them", []uint64{slotWord(1, 255, 0, 255), slotWord(2, 128, 2, 130)}, true},
		{"and one for 63.5", []uint64{slotWord(1, 255, 0, 255), slotWord(2, 127, 2, 129)}, false},
		{"a slot between two phases", []uint64{slotWord(1, 255, 0, 255), slotWord(2, 200, 255, 455),
			slotWord(2, 255, 0, 255)}, true},
	} {
		var slots []values.RecordedSlot
		for _, w := range x.slots {
			slots = append(slots, values.RecordedSlot{PC: 7, Word: w})
		}
		if got := values.Estimated(slots, 6, 0)[0].Phased; got != x.want {
			t.Errorf("%s: %v", x.name, got)
		}
	}
}
