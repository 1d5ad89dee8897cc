package pace

import (
	"math/rand/v2"
	"testing"
)

const (
	ms     = 1e6
	second = 1e9
	jiffy  = 4 * ms // when the kernel looks at timers
)

// run calls tick at each tick until the end, with the time and what the tick stands for. The
// result of tick is the cost of its burst. All times are in ns.
func run(p Pace, end uint64, tick func(now, stands uint64) (cost uint64)) {
	cost := uint64(0)
	for {
		now := (p.Last + p.Interval + jiffy - 1) / jiffy * jiffy
		if now > end {
			return
		}
		stands := p.Next(now, cost)
		cost = tick(now, stands)
	}
}

// Ticks stand for all time, and without a budget, or with enough, they keep to their time.
func TestEqualTicks(t *testing.T) {
	for _, budget := range []uint64{0, 30_000} {
		n, sum := 0, uint64(0)
		run(New(10*ms, budget, 0), 100*second, func(now, stands uint64) uint64 {
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
	p := New(10*ms, 0, 0)
	var got []uint64
	for now := uint64(32 * ms); len(got) < 5; now += 32 * ms {
		got = append(got, p.Next(now, 0)/ms)
	}
	if want := []uint64{30, 30, 30, 30, 40}; [5]uint64(got) != [5]uint64(want) {
		t.Errorf("ticks stand for %d ms, want %d", got, want)
	}
}

// Sampling stays below the budget over any ten seconds, whatever bursts cost within 20 % of a
// second's budget, and spends most of it.
func TestBudgetOverTenSeconds(t *testing.T) {
	type burst struct{ at, cost uint64 }
	for _, budget := range []uint64{500, 5_000, 10_000} { // parts per million
		bound := 10 * second * budget / million
		r := rand.New(rand.NewPCG(1, budget))
		for _, dear := range []uint64{bound / 250, bound / 50} {
			var bursts []burst
			scale, until, all := uint64(0), uint64(0), uint64(0)
			run(New(10*ms, budget, 0), 2000*second, func(now, _ uint64) uint64 {
				if now > until { // the program does something else, for 0 to 4 s
					scale, until = r.Uint64N(dear)+1, now+r.Uint64N(4*second)
				}
				b := burst{now, min(scale/2+r.Uint64N(scale), dear)}
				bursts = append(bursts, b)
				all += b.cost
				return b.cost
			})
			over, sum, first := uint64(0), uint64(0), 0
			for _, b := range bursts {
				sum += b.cost
				for bursts[first].at+10*second <= b.at {
					sum -= bursts[first].cost
					first++
				}
				over = max(over, sum)
			}
			if limit := bound*96/100 + 2*dear; over > limit {
				t.Errorf("budget %d, bursts up to %d ns: %d ns in ten seconds, want %d at most", budget, dear, over, limit)
			}
			// Bursts may be so cheap for a time that the budget does not bind.
			if used := float64(all) / 200 / float64(bound); used < .8 {
				t.Errorf("budget %d, bursts up to %d ns: %.2f of it used", budget, dear, used)
			}
		}
	}
}

// The first burst is dear, and does not make the intervals behind it much longer than others.
func TestFirstBurst(t *testing.T) {
	var list []uint64
	n := uint64(0)
	run(New(10*ms, 6_000, 0), 2*second, func(now, stands uint64) uint64 {
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
		run(New(10*ms, 5_000, 0), end, func(now, stands uint64) uint64 {
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
		t.Logf("phases of %3.f ms: A has %.3f of the time, %.3f by what ticks stand for, %.3f by their number", phase/ms, truth, got, equal)
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
