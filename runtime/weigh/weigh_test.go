package weigh_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pepgo/pep/runtime/weigh"
)

// A program is loops that take turns. A loop ends its paths one after the other, each after
// its time in ns.
type program []struct {
	paths  []int // indices
	times  []float64
	rounds float64 // on average, each time
}

// run executes the program for a number of ticks. It returns the bursts that follow them, as
// a processor would show them that takes poll ns for a poll that reports and up to cold ns
// more where another path was before; and the true share of each path.
func (p program) run(rng *rand.Rand, ticks, paths int, poll, cold float64) (bursts []weigh.Burst, truth []float64) {
	const tick, samples = 1e7, 64
	time := make([]float64, len(p))
	ends := make([]float64, paths)
	var all, total float64
	for i, loop := range p {
		for j, k := range loop.paths {
			time[i] += loop.times[j]
			ends[k] += loop.rounds
			total += loop.rounds
		}
		time[i] *= loop.rounds
		all += time[i]
	}
	truth = ends
	for k := range truth {
		truth[k] /= total
	}
	for range ticks {
		// The tick falls into a loop in proportion to its time, and into a path likewise.
		at, i := rng.Float64()*all, 0
		for at >= time[i] && i < len(p)-1 {
			at -= time[i]
			i++
		}
		round := time[i] / p[i].rounds
		at = math.Mod(at, round)
		j := 0
		for at >= p[i].times[j] && j < len(p[i].times)-1 {
			at -= p[i].times[j]
			j++
		}
		left := rng.ExpFloat64() * p[i].rounds
		b := weigh.Burst{Ticks: 1}
		last := -1
		for len(b.Polls) < samples {
			k := p[i].paths[j]
			gap := 0.
			if last >= 0 {
				gap = poll + p[i].times[j] + 20*rng.Float64()
				if last != k {
					gap += cold * rng.Float64()
				}
			}
			b.Polls = append(b.Polls, weigh.Poll{Path: int32(k), Thread: 1, Gap: uint32(gap)})
			last = k
			if j++; j == len(p[i].paths) {
				j = 0
				if left--; left < 0 { // the next loop
					i = (i + 1) % len(p)
					left = rng.ExpFloat64() * p[i].rounds
				}
			}
		}
		bursts = append(bursts, b)
	}
	return bursts, truth
}

// shares returns the estimated share of each path, and its standard deviation.
func shares(bursts []weigh.Burst, weights []float64, paths int) (share, deviation []float64) {
	var all weigh.Total
	parts := make([]weigh.Part, paths)
	for i, b := range bursts {
		size := weights[i] * float64(len(b.Polls))
		all.Add(size)
		here := make([]float64, paths)
		for _, p := range b.Polls {
			here[p.Path] += weights[i]
		}
		for k, y := range here {
			parts[k].Add(y, size)
		}
	}
	for k := range parts {
		p, v := parts[k].Share(&all)
		share, deviation = append(share, p), append(deviation, math.Sqrt(v))
	}
	return share, deviation
}

func equal(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 1
	}
	return w
}

// mixed is loops whose paths take 5 ns to 1 ms. They are left after some rounds, so that bursts
// show how they follow each other.
var mixed = program{
	{[]int{0, 1}, []float64{5, 20}, 2000},
	{[]int{2}, []float64{3_000}, 25},
	{[]int{3, 4, 5}, []float64{100, 400, 30_000}, 15},
	{[]int{6}, []float64{1_000_000}, 5},
}

// Weights of bursts bring shares close to the truth where paths take 5 ns to 1 ms: all
// differences added up they are half as far off as without weights, at most. The run has a
// fixed seed, so there are no false alarms.
func TestSharesOfPathsOf5nsTo1ms(t *testing.T) {
	const paths = 7
	bursts, truth := mixed.run(rand.New(rand.NewPCG(3, 4)), 2000, paths, 1230, 300)
	off := func(weights []float64) (sum float64) {
		share, deviation := shares(bursts, weights, paths)
		for k := range share {
			sum += math.Abs(share[k] - truth[k])
			t.Logf("path %d: share %.4f ± %.4f, truth %.4f", k, share[k], deviation[k], truth[k])
		}
		return sum
	}
	weighed := off(weigh.Weights(bursts, paths))
	t.Log("all weights equal:")
	if plain := off(equal(len(bursts))); weighed > plain/2 || plain < .2 {
		t.Errorf("off by %.3f, without weights by %.3f", weighed, plain)
	}
}

// Loops that no burst sees together are told apart by the clock: one of 600 ns and one of
// 500 µs. A third one is so short that the cost of a poll shows.
func TestLoopsApart(t *testing.T) {
	apart := program{
		{[]int{0}, []float64{600}, 1e7},
		{[]int{1}, []float64{500_000}, 1.2e4},
		{[]int{2}, []float64{3}, 4e8},
	}
	bursts, truth := apart.run(rand.New(rand.NewPCG(5, 6)), 1000, 3, 1230, 0)
	share, _ := shares(bursts, weigh.Weights(bursts, 3), 3)
	plain, _ := shares(bursts, equal(len(bursts)), 3)
	ratio := func(list []float64) float64 { return list[0] / list[1] }
	if got, want := ratio(share), ratio(truth); got < want/2 || got > want*2 || ratio(plain) > want/50 {
		t.Errorf("%.0f times as many rounds, without weights %.1f, in truth %.0f", got, ratio(plain), want)
	}
}

// Two loops of two paths each, of 600 and 2400 ns. No path follows itself, but each returns after the
// other one, so the clock tells the loops apart as if they had one path.
func TestLoopsOfTwoPaths(t *testing.T) {
	two := program{
		{[]int{0, 1}, []float64{600, 600}, 4e6},
		{[]int{2, 3}, []float64{2400, 2400}, 1e6},
		{[]int{4}, []float64{3}, 1e9},
	}
	bursts, truth := two.run(rand.New(rand.NewPCG(13, 14)), 1000, 5, 1230, 0)
	share, _ := shares(bursts, weigh.Weights(bursts, 5), 5)
	if got, want := share[0]/share[2], truth[0]/truth[2]; got < want/1.5 || got > want*1.5 {
		t.Errorf("%.1f times as many rounds, in truth %.1f", got, want)
	}
}

// The gaps of short paths show little but caches: a loop of six paths has colder ones
// than a loop of one path, whose rounds take as long. That is not taken for time.
func TestColdGaps(t *testing.T) {
	loops := program{
		{[]int{0}, []float64{10}, 1e9},
		{[]int{1, 2, 3, 4, 5, 6}, []float64{10, 10, 10, 10, 10, 10}, 1e8},
	}
	bursts, truth := loops.run(rand.New(rand.NewPCG(20, 21)), 1000, 7, 40, 300)
	share, _ := shares(bursts, weigh.Weights(bursts, 7), 7)
	if got, want := share[0]/share[1], truth[0]/truth[1]; got < want/2 || got > want*2 {
		t.Errorf("%.1f times as many rounds, in truth %.1f", got, want)
	}
}

// The variance of shares is that of clusters: over many runs of known clusters the true
// share is within 1.96 standard deviations as often as it should be, and rarely if samples
// counted as independent. 300 runs of 0.95 have a standard deviation of 1.3 %; the limits are 5 of them away.
func TestVarianceOfClusters(t *testing.T) {
	const runs, clusters = 300, 200
	rng := rand.New(rand.NewPCG(7, 8))
	clustered, independent, biased := 0, 0, 0
	for range runs {
		var all weigh.Total
		var part weigh.Part
		var samples, mine float64
		for range clusters {
			size := 20 + float64(rng.IntN(60))
			y := 0.
			if rng.Float64() < .3 { // then it is most of the burst
				y = math.Floor(size * (.6 + .4*rng.Float64()))
			}
			all.Add(size)
			part.Add(y, size)
			samples, mine = samples+size, mine+y
		}
		const truth = .3 * .8
		p, v := part.Share(&all)
		in := func(half float64) int {
			if math.Abs(p-truth) <= half+.005 { // .005: y is rounded down
				return 1
			}
			return 0
		}
		clustered += in(1.96 * math.Sqrt(v))
		independent += in(1.96 * math.Sqrt(p*(1-p)/samples))
		if math.Abs(p*1.5-truth) <= 1.96*math.Sqrt(v) {
			biased++
		}
	}
	if clustered < runs*88/100 || clustered == runs {
		t.Errorf("%d of %d within bounds, want 95 %%", clustered, runs)
	}
	if independent > runs*3/4 || biased > runs/4 {
		t.Errorf("within bounds as independent samples %d of %d, with a bias of half %d", independent, runs, biased)
	}
}

// The worked examples of the documentation.
func TestShareOfFourClusters(t *testing.T) {
	var all weigh.Total
	var part weigh.Part
	for _, y := range []float64{10, 0, 10, 0} {
		all.Add(10)
		if y > 0 {
			part.Add(y, 10)
		}
	}
	if p, v := part.Share(&all); p != .5 || math.Abs(v-4./3*100/1600) > 1e-12 {
		t.Errorf("share %v, variance %v", p, v)
	}
	if v := part.Variance(&all); math.Abs(v-4./3*100) > 1e-9 {
		t.Errorf("variance of the sum %v", v)
	}
	if v := part.Variance(&weigh.Total{}); v != 0 {
		t.Errorf("variance of a sum of no clusters %v, want 0", v)
	}
}

// Whatever polls say, weights are positive numbers where there are polls.
func TestWeightsOfOddBursts(t *testing.T) {
	odd := []weigh.Burst{
		{Ticks: 1},
		{Ticks: 1, Polls: []weigh.Poll{{Path: 0}}},
		{Ticks: 3, Polls: []weigh.Poll{{Path: 1, Gap: 1<<32 - 1}, {Path: 1, Gap: 1}}},
	}
	w := weigh.Weights(odd, 2)
	if w[0] != 0 || !(w[1] > 0) || !(w[2] > 0) || math.IsInf(w[1]+w[2], 0) {
		t.Errorf("weights %v", w)
	}
	if w := weigh.Weights(nil, 0); len(w) != 0 {
		t.Errorf("no bursts: %v", w)
	}
}

// Bursts that begin with the same path are a kin, in the order of the first of them.
func TestKins(t *testing.T) {
	var bursts []weigh.Burst
	for _, first := range []int32{2, 0, -1, 2, 1, 0} {
		b := weigh.Burst{Ticks: 1}
		if first >= 0 {
			b.Polls = []weigh.Poll{{Path: first}, {Path: 1}}
		}
		bursts = append(bursts, b)
	}
	if got, want := fmt.Sprint(weigh.Kins(bursts, 3)), "[[0 3] [1 5] [4]]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A kin is in the loop of the function that most of its polls are of: the second kin begins in function 0, and is in the
// loop of function 1 all the same. Nothing is known of the paths of the last two.
func TestLoops(t *testing.T) {
	var bursts []weigh.Burst
	for _, paths := range [][]int32{{0, 0}, {1, 2, 2}, {2, 1}, {3}, {4}, {2, 2}} {
		b := weigh.Burst{Ticks: 1}
		for _, k := range paths {
			b.Polls = append(b.Polls, weigh.Poll{Path: k})
		}
		bursts = append(bursts, b)
	}
	loops := weigh.Loops(bursts, weigh.Kins(bursts, 5), []int32{0, 0, 1, -1, -1})
	if got, want := fmt.Sprint(loops), "[[[0]] [[1] [2 5]] [[3]] [[4]]]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The worked examples of WeightVariance: two loops of one kin, of five, and of very many.
func TestWeightVarianceOfTwoLoops(t *testing.T) {
	for kins, want := range map[int]float64{1: .09, 5: .034, 1_000_000: .02} {
		var parts weigh.Parts
		var totals weigh.Totals
		for _, y := range []float64{10, 0} {
			for range kins {
				totals[weigh.OfKin].Add(10 / float64(kins))
				parts[weigh.OfKin].Add(y/float64(kins), 10/float64(kins))
			}
			totals[weigh.OfLoop].Add(10)
			parts[weigh.OfLoop].Add(y, 10)
		}
		if v := parts.WeightVariance(&totals); math.Abs(v-want) > 1e-5 {
			t.Errorf("%d kins: variance %v, want %v", kins, v, want)
		}
	}
}

// The worked example of Jackknife.Variance, and clusters of equal size, of which it says what
// Part.Share does.
func TestVarianceByLeavingOut(t *testing.T) {
	deviation := func(clusters [][2]float64) (jackknife, ratio float64) {
		var all weigh.Total
		var part weigh.Part
		for _, c := range clusters {
			all.Add(c[1])
			part.Add(c[0], c[1])
		}
		var item, whole weigh.Jackknife
		for _, c := range clusters {
			item.Leave(&all, c[0], c[1])
			whole.Leave(&all, c[1], c[1])
		}
		p, v := part.Share(&all)
		return math.Sqrt(item.Variance(&all, p, &whole)), math.Sqrt(v)
	}
	large := [][2]float64{{50, 100}}
	for range 100 {
		large = append(large, [2]float64{.2, 1})
	}
	if j, r := deviation(large); math.Abs(j-.15) > .001 || math.Abs(r-.076) > .001 {
		t.Errorf("deviations %.4f and %.4f, want 0.15 and 0.076", j, r)
	}
	if j, r := deviation([][2]float64{{10, 10}, {0, 10}, {3, 10}}); math.Abs(j-r) > 1e-12 {
		t.Errorf("clusters of equal size: deviations %.4f and %.4f", j, r)
	}
}

// A loop of 1 ms, whose ticks are followed by four polls each, and one of 100 µs, whose bursts have all of
// their 64 polls. (A third loop shows the cost of a poll.) A tick of the first loop weighs a tenth of
// one of the second, as the clock shows, even if ticks have found one of a loop's two paths much more
// often than the other.
func TestShortBurstsOfLongLoops(t *testing.T) {
	var bursts []weigh.Burst
	rng := rand.New(rand.NewPCG(9, 10))
	times := []float64{100_000, 1_000_000, 5}
	for i := range 200 {
		for loop, polls := range []int{64, 4, 64} {
			b := weigh.Burst{Ticks: 1}
			for j := range polls {
				path := 2*loop + rng.IntN(2)
				if j == 0 {
					path = 2*loop + (i%16+14)/16*(loop%2)
				}
				b.Polls = append(b.Polls, weigh.Poll{Path: int32(path), Thread: 1, Gap: uint32(1200 + times[loop] + 50*rng.Float64())})
			}
			bursts = append(bursts, b)
		}
	}
	weights := weigh.Weights(bursts, 2*len(times))
	if got := weights[4] / weights[3]; got < .1/1.1 || got > .1*1.1 {
		t.Errorf("a tick in the loop of 1 ms weighs %.4f of one in that of 100 µs, want 0.1", got)
	}
}
