// Package pace says how far apart ticks are, so that sampling stays within a budget.
//
//	p := pace.New(10e6, 5000, now) // 10 ms of CPU time between ticks, 0.5 % for sampling
//	stands := p.Next(now, cost)    // at each tick
//	next := p.Last + p.Interval    // when the next tick is due
//
// With a budget of 0.5 % and bursts that cost 200 µs, ticks are 200 µs / 0.47 % = 43 ms
// apart. All times are in ns of the clock that ticks go by.
//
// # The bound
//
// Let b be the budget. The pace spends 0.94·b, and it keeps an account: time adds 0.94·b of
// its length, a burst takes away its cost, and the account never has more than most, 0.1·b of
// a second. The next interval is the one in which time adds what a burst costs in the mean, less
// a quarter of the account. If the account is below zero, the interval is longer by that; and
// what it lacks beyond most, it gets back at once. The cost of a burst is known at the next
// tick, which begins a burst itself. So in any ten seconds sampling takes at most 9.4·b + 0.2·b
// of a second, and two bursts. If a burst costs at most 0.2·b of a second, which is 1 ms for a
// budget of 0.5 %, sampling stays below the budget over any ten seconds.
//
// The account is paid back in parts because ticks that stand for unequal times are less precise.
//
// # Weights
//
// Ticks that are not equally far apart stand for different times. A tick stands for half of the
// interval before it and half of the interval after it, which Next returns.
//
// That is right because both intervals are known when the tick comes, and do not depend on
// what the program does then: Next sets the interval after the tick from the bursts before
// it. If a long interval followed each dear burst, and the tick of that burst stood for a part
// of it, dear code would be overestimated. Let a program alternate at random between
// code A, whose bursts cost 300 µs, and code B, whose bursts cost 100 µs, each for half of the time.
// Each tick finds A with probability 1/2, whatever the intervals around it are, so that A
// has half of the sum.
//
// If the program is in A for many intervals of d, then in B for many of e, the first tick in A
// is e/2 after the change on average, and the next interval still is e. The two ticks stand for
// e and (e+d)/2, and the others for d. The time in A is e/2, e, intervals of d, and d/2 before the
// next change: as much. (If ticks stood for the interval before them alone, A would get (e-d)/2
// too much each time.)
//
// Intervals follow a mean of the costs of some thirty bursts, and change in steps of an eighth,
// so that most changes of the mean change nothing, because unequal weights are less precise. The
// mean begins with half of what the first burst costs, which meets nothing in the caches, and
// in windows decodes code that others find decoded.
package pace

import "math/bits"

const (
	million = 1_000_000 // budgets are in parts per million

	percent     = 94          // of the budget, what time adds to the account
	accountTime = 100_000_000 // ns whose budget is the most that the account has
	part        = 4           // of the account that an interval pays back
	smooth      = 5           // logarithm of the number of bursts that make up the mean cost
	longest     = 1e12        // ns between ticks
)

// A Pace is how far apart the ticks of a program are. It consists of integers, because
// signal handlers use it.
type Pace struct {
	Last     uint64 // when the last tick was due
	Interval uint64 // between the last tick and the next

	tick    uint64 // the least interval
	budget  uint64 // what sampling may take, in parts per million; 0 is everything
	bursts  uint64
	mean    uint64 // cost of a tick with its burst
	account int64
}

// New returns the pace of ticks that are tick ns apart, or further if sampling would take
// more than budget parts per million of the time otherwise. A budget of 0 is none.
func New(tick, budget, now uint64) Pace {
	return Pace{Last: now, Interval: tick, tick: tick, budget: budget}
}

// Next is called at a tick. The time is now, and cost is what sampling has taken since the
// last tick. Next returns the time that the tick stands for. If a tick was late, so that
// others were due in the meantime, it stands for their intervals, too.
func (p *Pace) Next(now, cost uint64) (stands uint64) {
	old := p.Interval
	stands = old
	if due := p.Last + p.Interval; now > due && p.Interval != 0 {
		stands += (now - due) / p.Interval * p.Interval
	}
	p.Last += stands
	if p.budget != 0 {
		p.settle(stands, min(cost, longest))
		p.Interval = max(p.tick, round(p.wanted()))
	}
	return stands - old/2 + p.Interval/2
}

// earned returns what time adds to the account.
func (p *Pace) earned(time uint64) uint64 {
	return min(time, longest) / 100 * percent * p.budget / million
}

// most returns the most that the account has, and that it lacks before an interval gets it back.
func (p *Pace) most() int64 { return int64(accountTime * p.budget / million) }

// settle brings the account and the mean up to date.
func (p *Pace) settle(stands, cost uint64) {
	p.account = min(p.account+int64(p.earned(stands))-int64(cost), p.most())
	switch p.bursts { // what came before the first tick was no burst
	case 0:
	case 1:
		p.mean = cost / 2
	default:
		weight := min(bits.Len64(p.bursts)-1, smooth)
		p.mean += cost>>weight - p.mean>>weight
	}
	p.bursts++
}

// wanted returns the interval in which time adds the cost of a burst to the account, and what
// brings the account nearer to zero. It is at least half of what the burst alone takes.
func (p *Pace) wanted() uint64 {
	lacks := -p.account / part
	if beyond := -p.account - p.most(); beyond > 0 {
		lacks = beyond + p.most()/part
	}
	cost := max(int64(min(p.mean, longest))+lacks, int64(p.mean/2))
	rate := p.budget * percent
	if rate == 0 { // it is not, but the compiler does not know that and would add a panic
		return longest
	}
	return min(min(uint64(cost), longest/10)*(100*million)/rate, longest)
}

// round returns x, rounded up to four significant bits.
func round(x uint64) uint64 {
	step := uint64(1) << max(bits.Len64(x), 4) >> 4
	return (x + step - 1) &^ (step - 1)
}
