package pace

import (
	"math"
	"math/rand/v2"
	"testing"
)

const (
	ms     = 1e6
	second = 1e9
)

// run calls tick at each tick until the end, with the time and what the tick stands for, where the timer expires each
// 10 ms. The result of tick is the cost of its burst. All times are in ns.
func run(p Pace, end uint64, tick func(now, stands uint64) (cost uint64)) {
	cost := uint64(0)
	for now := p.began + 10*ms; int64(now) <= int64(end); now += 10 * ms { // a process may have begun before its time 0
		if now-p.began >= p.Due-p.began {
			cost = tick(now, p.Next(now, cost))
		}
	}
}

// constant is a budget that does not fall.
func constant(ppm uint64) Budget { return Budget{ppm, ppm} }

// falling is the budget of windows.
var falling = Budget{20_000, 1_000}

// The budget is what the formula says, which floats compute.
func TestBudget(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	for range 100_000 {
		at := r.Uint64() >> (r.Uint64N(40) + 16)
		want := max(20_000/math.Sqrt(max(float64(at)/second, 1)), 1_000)
		if got := float64(falling.At(at)); got > want+1 || got < want-2 {
			t.Fatalf("%g ppm at %d ns, want %g", got, at, want)
		}
		if got := constant(777).At(at); got != 777 {
			t.Fatalf("%d ppm at %d ns of a budget that is 777", got, at)
		}
	}
	for at := uint64(0); at != 1<<63; at = max(2*at, 1) { // no overflow
		if got := (Budget{million, 1}).At(at); got == 0 || got > million {
			t.Errorf("%d ppm at %d ns", got, at)
		}
	}
}

// Ticks stand for all time, and without a budget, or with enough, they keep to their time.
func TestEqualTicks(t *testing.T) {
	for _, budget := range []uint64{0, 30_000} {
		n, sum := 0, uint64(0)
		run(New(10*ms, constant(budget), 0), 100*second, func(now, stands uint64) uint64 {
			n++
			sum += stands
			return 200_000
		})
		if n != 10_000 || sum != 100*second {
			t.Errorf("budget %d: %d ticks in 100 s that stand for %d ns", budget, n, sum)
		}
	}
}

// In 8 threads 32 ms of CPU time pass between two looks of the kernel: ticks of 10 ms come three
// or four at once.
func TestLateTicks(t *testing.T) {
	p := New(10*ms, Budget{}, 0)
	var got []uint64
	for now := uint64(32 * ms); len(got) < 5; now += 32 * ms {
		got = append(got, p.Next(now, 0)/ms)
	}
	if want := []uint64{30, 30, 30, 30, 40}; [5]uint64(got) != [5]uint64(want) {
		t.Errorf("ticks stand for %d ms, want %d", got, want)
	}
}

// Sampling stays below the bound over any ten seconds, and spends most of the budget: with bursts of up to 20 % of a
// second's budget, whose cost changes at random every few seconds, and with windows of 100 to 500 µs, which take more
// than that at 0.1 %, constant or as what is left of the budget of windows.
func TestBudgetOverTenSeconds(t *testing.T) {
	type burst struct{ at, cost uint64 }
	for _, test := range []struct {
		Budget
		least, most uint64  // cost of a burst
		mean        float64 // of some thirty bursts, at most
		used        float64 // of the budget, at least: bursts may be so cheap for a time that it does not bind
	}{
		{constant(500), 1, 20_000, 20_000, .8}, {constant(500), 1, 100_000, 100_000, .8},
		{constant(5_000), 1, 200_000, 200_000, .8}, {constant(5_000), 1, 1_000_000, 1_000_000, .8},
		{constant(10_000), 1, 400_000, 400_000, .8}, {constant(10_000), 1, 2_000_000, 2_000_000, .8},
		{constant(1_000), 100_000, 500_000, 340_000, .9},
		{falling, 100_000, 500_000, 340_000, .9},
	} {
		r := rand.New(rand.NewPCG(1, test.most))
		var bursts []burst
		scale, until, all := uint64(0), uint64(0), uint64(0)
		run(New(10*ms, test.Budget, 0), 2000*second, func(now, _ uint64) uint64 {
			if now > until { // the program does something else, for 0 to 4 s
				scale, until = r.Uint64N(test.most)+1, now+r.Uint64N(4*second)
			}
			b := burst{now, min(scale/2+r.Uint64N(scale), test.most)}
			if test.least > 1 {
				b.cost = test.least + r.Uint64N(test.most-test.least)
			}
			bursts = append(bursts, b)
			all += b.cost
			return b.cost
		})
		sum, first := uint64(0), 0
		for _, b := range bursts {
			sum += b.cost
			for bursts[first].at+10*second <= b.at {
				sum -= bursts[first].cost
				first++
			}
			rate := float64(test.At(bursts[first].at))
			limit := 9.4*second*rate/million + max(.2*second*rate/million, 4*test.mean) + 2*float64(test.most)
			if float64(sum) > limit {
				t.Errorf("%v, bursts up to %d ns: %d ns in ten seconds, want %.0f at most", test.Budget, test.most, sum, limit)
				break
			}
		}
		budget := 0.
		for at := range uint64(2000) {
			budget += second * float64(test.At(at*second+second/2)) / million
		}
		t.Logf("%v, bursts of %d to %d ns: %.2f of the budget used", test.Budget, test.least, test.most, float64(all)/budget)
		if used := float64(all) / budget; used < test.used || used > 1 {
			t.Errorf("%v, bursts up to %d ns: %.2f of it used, want %.2f to 1", test.Budget, test.most, used, test.used)
		}
	}
}

// In 20,000 runs of a program of 50 or 200 ms, all together, each fifth of its time has a fifth of what ticks stand
// for: chance is off by 0.01 in fewer than 1 in 100,000 cases. If all runs began at the same part of an interval, they
// would see the same moments.
func TestShortRunsSeeAllMoments(t *testing.T) {
	shares := func(length uint64, begin func(r *rand.Rand) uint64) (share [5]float64, farthest float64) {
		r, all := rand.New(rand.NewPCG(4, length)), 0.
		for range 20_000 {
			n := uint64(0)
			run(New(10*ms, falling, -begin(r)), length-1, func(now, stands uint64) uint64 {
				share[5*now/length] += float64(stands)
				all += float64(stands)
				n++
				return 300_000 + 700_000/n + r.Uint64N(100_000)
			})
		}
		for i := range share {
			share[i] /= all
			farthest = max(farthest, math.Abs(share[i]-.2))
		}
		return share, farthest
	}
	for _, length := range []uint64{50 * ms, 200 * ms} {
		share, far := shares(length, func(r *rand.Rand) uint64 { return r.Uint64N(10 * ms) })
		t.Logf("%d ms: %.3f", length/ms, share)
		if far > .01 {
			t.Errorf("%d ms: fifths have %.3f", length/ms, share)
		}
		if share, far := shares(length, func(*rand.Rand) uint64 { return 7 * ms }); far < .02 {
			t.Errorf("%d ms, all beginning alike: %.3f: the test would not notice", length/ms, share)
		}
	}
}

// The first burst is dear, and does not make the intervals behind it much longer than others.
func TestFirstBurst(t *testing.T) {
	var list []uint64
	n := uint64(0)
	run(New(10*ms, constant(6_000), 0), 2*second, func(now, stands uint64) uint64 {
		list = append(list, stands)
		n++
		return 100_000 + 400_000/n
	})
	sum, squares := 0., 0.
	for _, x := range list {
		sum += float64(x)
		squares += float64(x) * float64(x)
	}
	if equal := sum * sum / squares / float64(len(list)); len(list) < 60 || equal < .84 {
		t.Errorf("%d ticks are worth %.0f %% of as many equal ones, in ms %d", len(list), 100*equal, list)
	}
}

// A program is in A for half of its time, where a burst costs eight times as much as in B. The
// shares are of fixed random numbers: the test has no chance. Equal weights, which are wrong,
// show that it would notice.
func TestTicksStandForTime(t *testing.T) {
	for _, phase := range []float64{3 * ms, 50 * ms, 500 * ms, 5 * second} { // mean length
		r := rand.New(rand.NewPCG(2, uint64(phase)))
		inA, until := false, uint64(0)
		var inTime, weight, ticks [2]float64
		last := uint64(0)
		end := uint64(2000 * phase)
		if phase < 100*ms {
			end = 10_000 * second
		}
		run(New(10*ms, constant(5_000), 0), end, func(now, stands uint64) uint64 {
			for until <= now {
				if last < until {
					inTime[side(inA)] += float64(until - last)
					last = until
				}
				inA = !inA
				until += 1 + uint64(r.ExpFloat64()*phase)
			}
			weight[side(inA)] += float64(stands)
			ticks[side(inA)]++
			if inA {
				return 400_000
			}
			return 50_000
		})
		truth := inTime[0] / (inTime[0] + inTime[1])
		got := weight[0] / (weight[0] + weight[1])
		equal := ticks[0] / (ticks[0] + ticks[1])
		t.Logf("phases of %3.f ms: A has %.3f of the time, %.3f by what ticks stand for, %.3f by their number", phase/ms,
			truth, got, equal)
		if d := got - truth; d > .01 || d < -.01 {
			t.Errorf("phases of %.f ms: A has %.3f of the time, and ticks say %.3f", phase/ms, truth, got)
		}
		if phase == 5*second && equal > .3 {
			t.Errorf("equal weights say %.3f of %.3f: the test would not notice them", equal, truth)
		}
	}
}

func side(inA bool) int {
	if inA {
		return 0
	}
	return 1
}

// Intervals are rounded up to the next number with four significant bits, so they are at most an eighth too long.
func TestRound(t *testing.T) {
	last := uint64(0)
	for x := uint64(1); x < 1<<16; x++ {
		n := round(x)
		tail := n
		for tail%2 == 0 {
			tail /= 2
		}
		if n < x || 8*(n-x) >= x && n > x || tail > 15 || n < last || round(n) != n {
			t.Fatalf("%d is rounded to %d, behind %d", x, n, last)
		}
		last = n
	}
}
