package hotlist_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pepgo/pep/hwsim/hotlist"
)

// All bounds of a list hold together with the stated confidence. One kind of stream has
// only distinct values, where the usual interval of a binomial would be wrong for each
// value in the list: the test computes it, too.
func TestBoundsHold(t *testing.T) {
	const runs = 1000
	for _, s := range []struct {
		name   string
		stream func(random *rand.Rand) []uint64
	}{
		{"zipf 1", func(random *rand.Rand) []uint64 { return zipf(random, 3000, 300, 1) }},
		{"zipf 1.5", func(random *rand.Rand) []uint64 { return zipf(random, 3000, 300, 1.5) }},
		{"uniform", func(random *rand.Rand) []uint64 { return zipf(random, 3000, 100, 0) }},
		{"distinct", func(random *rand.Rand) []uint64 {
			stream := make([]uint64, 2000)
			for i := range stream {
				stream[i] = uint64(i)
			}
			return stream
		}},
		{"half are 0", func(random *rand.Rand) []uint64 {
			stream := make([]uint64, 2000)
			for i := range stream {
				if random.IntN(2) == 0 {
					stream[i] = uint64(i)
				}
			}
			return stream
		}},
	} {
		for _, confidence := range []float64{0.95, 0.5} {
			failed, usual, lists := 0, 0, 0
			for run := range uint64(runs) {
				stream := s.stream(rand.New(rand.NewPCG(run, 12)))
				truth := occurrences(stream)
				l := listOf(run, stream)
				lists++
				wrong, usualWrong := false, false
				for _, e := range l.Top() {
					least, most := l.Bounds(e.Count, confidence)
					n := truth[e.Value]
					wrong = wrong || n < least || n > most
					// Without the condition, one occurrence in the sample needs n with
					// 1-(1-p)^n >= (1-confidence)/32.
					low := math.Log1p(-(1-confidence)/32) / math.Log1p(-l.Rate())
					usualWrong = usualWrong || e.Count == 1 && float64(n) < low
				}
				if wrong {
					failed++
				}
				if usualWrong {
					usual++
				}
			}
			// The limit is 4.5 standard deviations above the mean of a binomial number, which
			// such a number passes with a probability below 1e-5.
			miss := 1 - confidence
			limit := runs*miss + 4.5*math.Sqrt(runs*miss*(1-miss))
			t.Logf("%s, confidence %v: bounds of %d of %d lists fail, at most %.0f allowed; of the usual interval for single occurrences %d", s.name, confidence, failed, lists, limit, usual)
			if float64(failed) > limit {
				t.Errorf("%s, confidence %v: the bounds of %d of %d lists fail, want at most %.0f", s.name, confidence, failed,
					lists, limit)
			}
			if s.name == "distinct" && confidence == 0.5 && float64(usual) <= limit {
				t.Errorf("the usual interval fails in %d lists: the stream does not show what the condition is for", usual)
			}
		}
	}
}

// Bounds are those that sums of the binomial distribution, term by term, give.
func TestBoundsAreThoseOfTheDistribution(t *testing.T) {
	for _, level := range []int{1, 5, 20, 40} {
		p := math.Pow(15.0/16, float64(level))
		for _, total := range []uint64{1, 2, 10, 60, 300} {
			for _, count := range []uint64{1, 2, 3, 9, 40, 200} {
				if count > total {
					continue
				}
				l, err := hotlist.Restore(0, level, total, []hotlist.Entry[uint64]{{Value: 1, Count: count}})
				if err != nil {
					t.Fatal(err)
				}
				half := 0.05 / 16 / 2
				if count > 9 { // in a larger list
					large := hotlist.NewOf[uint64](40, 0)
					large.Merge(l)
					l, half = large, 0.05/40/2
				}
				wantLeast, wantMost := uint64(0), uint64(0)
				for n := count; n <= total; n++ {
					some, more, less := 0.0, 0.0, 0.0
					for c := uint64(1); c <= n; c++ {
						term := choose(int(n), int(c)) * math.Pow(p, float64(c)) * math.Pow(1-p, float64(n-c))
						some += term
						if c >= count {
							more += term
						}
						if c <= count {
							less += term
						}
					}
					if more/some >= half && wantLeast == 0 {
						wantLeast = n
					}
					if less/some >= half {
						wantMost = n
					}
				}
				if wantLeast == 0 { // improbable with all n
					wantLeast, wantMost = total, total
				}
				least, most := l.Bounds(count, 0.95)
				if least != wantLeast || most != wantMost {
					t.Errorf("rate %.3f, %d of %d sampled: bounds %d-%d, want %d-%d", p, count, total, least, most, wantLeast,
						wantMost)
				}
			}
		}
	}
}

// Other values in the list leave less space for a value.
func TestOtherValuesLowerTheUpperBound(t *testing.T) {
	l, err := hotlist.Restore(0, 20, 100, []hotlist.Entry[uint64]{{Value: 1, Count: 30}, {Value: 2, Count: 20}})
	if err != nil {
		t.Fatal(err)
	}
	if least, most := l.Bounds(30, 0.95); least < 30 || most != 80 {
		t.Errorf("got bounds %d-%d, want 30 or more, and 80 of 100, because 20 are of the other value", least, most)
	}
}

// Bounds of large lists are between those of the normal approximation with a tenth to spare.
func TestBoundsOfLargeTotals(t *testing.T) {
	const total = 1 << 32
	for _, count := range []uint64{1, 10, 1000, 1_000_000} {
		l, err := hotlist.Restore(0, 120, total, []hotlist.Entry[uint64]{{Value: 1, Count: count}})
		if err != nil {
			t.Fatal(err)
		}
		least, most := l.Bounds(count, 0.95)
		c, p := float64(count), l.Rate()
		const z = 2.955 // of a two-sided probability of 0.05/16
		if count < 1000 {
			if least < 1 || float64(least) > c/p || float64(most) < c/p || float64(most) > (c+z*z+2*z*math.Sqrt(c))/p*1.1 {
				t.Errorf("count %d at rate %v: bounds %d-%d", count, p, least, most)
			}
			continue
		}
		d := z * math.Sqrt(c*(1-p)) / p
		if math.Abs(float64(least)-(c/p-d)) > 0.1*d || math.Abs(float64(most)-(c/p+d)) > 0.1*d {
			t.Errorf("count %d at rate %v: bounds %d-%d, want about %.0f-%.0f", count, p, least, most, c/p-d, c/p+d)
		}
	}
}

func TestShare(t *testing.T) {
	for _, c := range []struct{ least, most, total uint64 }{{0, 0, 10}, {10, 10, 10}, {3, 5, 10}, {990, 1000, 1000},
		{1, 1, 1}} {
		low, high := hotlist.Share(c.least, c.most, c.total, 0.95)
		// By sums: P(least or more) at low is 5%, and so is P(most or less) at high.
		more, less := 0.0, 0.0
		for k := 0; k <= int(c.total); k++ {
			term := func(p float64) float64 {
				return math.Exp(math.Log(choose(int(c.total), k)) + float64(k)*math.Log(p) + float64(int(c.total)-k)*math.Log1p(-p))
			}
			if k >= int(c.least) {
				more += term(low)
			}
			if k <= int(c.most) {
				less += term(high)
			}
		}
		if c.least == 0 && low != 0 || c.least > 0 && math.Abs(more-0.05) > 1e-6 {
			t.Errorf("%+v: low %v, where P(least or more) is %v, want 0.05", c, low, more)
		}
		if c.most == c.total && high != 1 || c.most < c.total && math.Abs(less-0.05) > 1e-6 {
			t.Errorf("%+v: high %v, where P(most or less) is %v, want 0.05", c, high, less)
		}
	}
	if low, high := hotlist.Share(0, 0, 0, 0.95); low != 0 || high != 1 {
		t.Errorf("of no trials: %v to %v, want 0 to 1", low, high)
	}
}

func ExampleList_Bounds() {
	l := hotlist.New[string](1)
	for i := range 100000 {
		if i%10 < 4 {
			l.Add("often")
		} else {
			l.Add(fmt.Sprint(i)) // once
		}
	}
	fmt.Printf("of %d values sampled with probability %.4f\n", l.Total(), l.Rate())
	for _, e := range l.Top()[:3] {
		least, most := l.Bounds(e.Count, 0.95)
		fmt.Printf("%d times: estimate %.0f, at least %d, at most %d\n", e.Count, l.Estimate(e.Count), least, most)
	}
	// Output:
	// of 100000 values sampled with probability 0.0002
	// 6 times: estimate 28178, at least 5254, at most 81759
	// 1 times: estimate 4696, at least 1, at most 40456
	// 1 times: estimate 4696, at least 1, at most 40456
}
