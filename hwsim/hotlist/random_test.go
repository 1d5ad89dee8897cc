package hotlist_test

// This file has the statistical tests. Their seeds are constants, so each passes or fails
// always; how likely a correct list fails is the probability that a new seed, or a change in the order
// of random numbers, gives a false alarm.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pepgo/pep/hwsim/hotlist"
)

// VSAMP-04: over many runs, the mean of estimate minus truth is 0. Two planted mistakes show
// that the test would find them: lowering the rate without thinning, and thinning whole
// entries (VSAMP-06).
func TestEstimatesAreUnbiased(t *testing.T) {
	const runs, n, values = 1000, 5000, 400
	// What a sampler says about how often value 0 occurred.
	type sampler func(seed uint64, stream []uint64) float64
	for _, s := range []struct {
		name     string
		biased   bool
		estimate sampler
	}{
		{"list", false, func(seed uint64, stream []uint64) float64 {
			l := listOf(seed, stream)
			return estimateOf(l, 0)
		}},
		{"merged from three", false, func(seed uint64, stream []uint64) float64 {
			l := listOf(seed, stream[:n/2])
			m := listOf(seed+1<<40, stream[n/2:n/2+200])
			m.Merge(listOf(seed+1<<41, stream[n/2+200:]))
			l.Merge(m)
			return estimateOf(l, 0)
		}},
		{"no thinning of what is there", true, func(seed uint64, stream []uint64) float64 {
			return planted(seed, stream, func(random *rand.Rand, count int) int {
				if count > 1 || random.IntN(16) > 0 {
					return count
				}
				return 0
			})
		}},
		{"heads with probability 14/16", true, func(seed uint64, stream []uint64) float64 {
			return planted(seed, stream, func(random *rand.Rand, count int) (heads int) {
				for range count {
					if random.IntN(16) > 1 {
						heads++
					}
				}
				return heads
			})
		}},
	} {
		var sum, squares float64
		for run := range uint64(runs) {
			stream := zipf(rand.New(rand.NewPCG(run, 7)), n, values, 1)
			d := s.estimate(run, stream) - float64(occurrences(stream)[0])
			sum += d
			squares += d * d
		}
		mean := sum / runs
		se := math.Sqrt((squares/runs - mean*mean) / runs)
		t.Logf("%s: mean error %.1f, standard error %.1f", s.name, mean, se)
		// A normal number is beyond 4.5 standard deviations with a probability of 7e-6.
		if got := math.Abs(mean) > 4.5*se; got != s.biased {
			t.Errorf("%s: mean error %.1f, standard error %.1f: biased %v, want %v", s.name, mean, se, got, s.biased)
		}
	}
}

func estimateOf(l *hotlist.List[uint64], v uint64) float64 {
	for _, e := range l.Top() {
		if e.Value == v {
			return l.Estimate(e.Count)
		}
	}
	return 0
}

// planted is a concise sample with another way to thin. It returns its estimate for value 0.
func planted(seed uint64, stream []uint64, thin func(random *rand.Rand, count int) int) float64 {
	random := rand.New(rand.NewPCG(seed, 8))
	p, counts := 1.0, map[uint64]int{}
	for _, v := range stream {
		if random.Float64() >= p {
			continue
		}
		counts[v]++
		for len(counts) > 16 {
			p *= 15.0 / 16
			for v, c := range counts {
				if counts[v] = thin(random, c); counts[v] == 0 {
					delete(counts, v)
				}
			}
		}
	}
	return float64(counts[0]) / p
}

// drawn is the oracle for distributions: every occurrence draws a number once, and the
// sample at a rate has those that drew less. The level is the first one whose sample has at most
// 16 distinct values. It returns the level, and the count of value 0 there.
func drawn(random *rand.Rand, stream []uint64) (level, count int) {
	draws := make([]float64, len(stream))
	for i := range draws {
		draws[i] = random.Float64()
	}
	for p := 1.0; ; p *= 15.0 / 16 {
		distinct := map[uint64]int{}
		for i, v := range stream {
			if draws[i] < p {
				distinct[v]++
			}
		}
		if len(distinct) <= 16 {
			return level, distinct[0]
		}
		level++
	}
}

// The level of a list and the count of a value, together, have the distribution that the
// oracle has; those of a list that was merged from lists of parts, too.
func TestDistributionIsThatOfOneSample(t *testing.T) {
	const runs = 20000
	stream := zipf(rand.New(rand.NewPCG(3, 9)), 150, 40, 1)
	histogram := func(draw func(run uint64) (level, count int)) map[[2]int]int {
		h := map[[2]int]int{}
		for run := range uint64(runs) {
			level, count := draw(run)
			h[[2]int{level, count / 2}]++
		}
		return h
	}
	of := func(l *hotlist.List[uint64]) (level, count int) {
		for _, e := range l.Top() {
			if e.Value == 0 {
				count = int(e.Count)
			}
		}
		return l.Level(), count
	}
	want := histogram(func(run uint64) (int, int) { return drawn(rand.New(rand.NewPCG(run, 10)), stream) })
	for _, c := range []struct {
		name string
		draw func(run uint64) (level, count int)
		same bool
	}{
		{"one list", func(run uint64) (int, int) { return of(listOf(run, stream)) }, true},
		{"one list, stream backwards", func(run uint64) (int, int) {
			l := hotlist.New[uint64](run)
			for i := range stream {
				l.Add(stream[len(stream)-1-i])
			}
			return of(l)
		}, true},
		{"three lists merged", func(run uint64) (int, int) {
			l := listOf(run, stream[:10])
			l.Merge(listOf(run+1<<40, stream[10:90]))
			l.Merge(listOf(run+1<<41, stream[90:]))
			return of(l)
		}, true},
		{"another stream", func(run uint64) (int, int) { return of(listOf(run, stream[:140])) }, false},
	} {
		got := histogram(c.draw)
		x, degrees := chiSquare(got, want)
		limit := chiSquareLimit(degrees)
		t.Logf("%s: chi square %.1f, limit %.1f, %d degrees of freedom", c.name, x, limit, degrees)
		if (x < limit) != c.same {
			t.Errorf("%s: chi square of level and count is %.1f with %d degrees of freedom; below %.1f is %v, want %v", c.name,
				x, degrees, limit, x < limit, c.same)
		}
	}
}

// chiSquare compares two histograms of equally many draws. It adds up bins with less than 20
// draws.
func chiSquare[K comparable](a, b map[K]int) (x float64, degrees int) {
	keys := map[K]bool{}
	for k := range a {
		keys[k] = true
	}
	for k := range b {
		keys[k] = true
	}
	term := func(n, m int) float64 { return float64((n-m)*(n-m)) / float64(n+m) }
	restA, restB := 0, 0
	for k := range keys {
		if a[k]+b[k] < 20 {
			restA += a[k]
			restB += b[k]
			continue
		}
		x += term(a[k], b[k])
		degrees++
	}
	if restA+restB > 0 {
		x += term(restA, restB)
		degrees++
	}
	return x, degrees - 1
}

// chiSquareLimit is what a chi square passes with a probability of 3.4e-6, by the
// approximation of Wilson and Hilferty.
func chiSquareLimit(degrees int) float64 {
	k := 2 / (9 * float64(degrees))
	return float64(degrees) * math.Pow(1-k+4.5*math.Sqrt(k), 3)
}

// VSAMP-06: after the rate was lowered once, a count is binomial. Merge lowers the rate of
// a list exactly once if the other has the level 1.
func TestThinningIsBinomial(t *testing.T) {
	const runs, n = 20000, 100
	got := map[int]int{}
	for run := range uint64(runs) {
		l, err := hotlist.Restore[uint64](run, 1, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		other, err := hotlist.Restore(0, 0, n+3, []hotlist.Entry[uint64]{{Value: 1, Count: 3}, {Value: 0, Count: n}})
		if err != nil {
			t.Fatal(err)
		}
		l.Merge(other)
		count := 0
		for _, e := range l.Top() {
			if e.Value == 0 {
				count = int(e.Count)
			}
		}
		got[count]++
	}
	x, bins, rest, restGot := 0.0, 0, float64(runs), runs
	for k := n; k >= 0; k-- {
		want := runs * choose(n, k) * math.Pow(15.0/16, float64(k)) * math.Pow(1.0/16, float64(n-k))
		if want < 10 {
			continue
		}
		x += (float64(got[k]) - want) * (float64(got[k]) - want) / want
		bins++
		rest -= want
		restGot -= got[k]
	}
	x += (float64(restGot) - rest) * (float64(restGot) - rest) / rest
	if limit := chiSquareLimit(bins); x > limit {
		t.Errorf("chi square against the binomial distribution is %.1f with %d degrees of freedom, want at most %.1f: %v", x,
			bins, limit, got)
	}
}

func choose(n, k int) float64 {
	c := 1.0
	for i := range k {
		c *= float64(n-i) / float64(i+1)
	}
	return c
}

// VSAMP-07: the baselines beside the list, as in the paper's section 4. Errors are those of the
// most frequent value, in percent of its occurrences; "hit" is how often the first
// value of the list is the most frequent one.
func Example() {
	const runs, n, values = 60, 20000, 1000
	fmt.Println("stream     method    hit  mean error  root mean square")
	for _, s := range []struct {
		name string
		s    float64
	}{{"zipf 1.0", 1}, {"zipf 1.5", 1.5}, {"zipf 0.5", 0.5}, {"one in 20", 0}} {
		type result struct{ hit, sum, squares float64 }
		var results [3]result
		for run := range uint64(runs) {
			random := rand.New(rand.NewPCG(run, 11))
			stream := zipf(random, n, values, s.s)
			if s.s == 0 { // all others occur once
				for i := range stream {
					stream[i] = uint64(i+1) * min(random.Uint64N(20), 1)
				}
			}
			l, c, t := hotlist.New[uint64](run), hotlist.NewCounting[uint64](run), hotlist.NewTable[uint64](hotlist.Slots)
			for _, v := range stream {
				l.Add(v)
				c.Add(v)
				t.Add(v)
			}
			truth := float64(occurrences(stream)[0])
			note := func(r *result, first uint64, estimate float64) {
				if first == 0 {
					r.hit++
				}
				d := (estimate - truth) / truth
				r.sum += d
				r.squares += d * d
			}
			estimate := func(entries []hotlist.Entry[uint64]) float64 {
				for _, e := range entries {
					if e.Value == 0 {
						return float64(e.Count)
					}
				}
				return 0
			}
			note(&results[0], l.Top()[0].Value, estimateOf(l, 0))
			note(&results[1], c.Top()[0].Value, estimate(c.Top()))
			note(&results[2], t.Top()[0].Value, estimate(t.Top()))
		}
		for i, name := range []string{"list", "counting", "table"} {
			r := results[i]
			fmt.Printf("%-9s  %-8s %3.0f%% %10.0f%% %16.0f%%\n", s.name, name, 100*r.hit/runs, math.Round(100*r.sum/runs)+0,
				100*math.Sqrt(r.squares/runs))
		}
	}
	// Output:
	// stream     method    hit  mean error  root mean square
	// zipf 1.0   list      55%          3%               70%
	// zipf 1.0   counting  87%        -17%               37%
	// zipf 1.0   table    100%          0%                0%
	// zipf 1.5   list      98%         -3%               25%
	// zipf 1.5   counting 100%         -4%                7%
	// zipf 1.5   table    100%          0%                0%
	// zipf 0.5   list       5%         10%              212%
	// zipf 0.5   counting  12%        -69%               99%
	// zipf 0.5   table     92%        -14%               23%
	// one in 20  list      32%         14%              111%
	// one in 20  counting  60%        -38%               68%
	// one in 20  table    100%         -1%                3%
}
