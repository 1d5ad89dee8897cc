// Package pace says how far apart ticks are, so that sampling stays within a budget.
//
//	p := pace.New(10e6, pace.Budget{First: 5000, Least: 5000}, now) // 10 ms of CPU time between ticks, 0.5 % for sampling
//	if now >= p.Due {
//		stands := p.Next(now, cost) // what the tick stands for
//	}
//
// With a budget of 0.5 % and bursts that cost 200 µs, ticks are 200 µs / 0.47 % = 43 ms
// apart. All times are in ns of the clock that ticks go by.
//
// # A budget that falls
//
// The budget is the first one for a second, and then falls with the square root of the time, to the least one:
//
//	b(t) = max(first / √max(t, 1 s), least)
//
// With 2 % at first it is 1 % at four seconds and 0.5 % at sixteen. A short run needs many bursts, and a long one has
// many. Ticks then stand for times that grow with √t, and n such ticks are worth (Σw)²/Σw² = 3/4·n equal ones.
//
// # The bound
//
// The pace spends 0.94·b, and it keeps an account: time adds 0.94·b of its length, a burst takes away its cost, and the
// account never has more than most: what b is in a tenth of a second, or two bursts of mean cost if these are more. The
// next interval is the one in which time adds what a burst costs in the mean, less a quarter of the account. If the
// account is below zero, the interval is longer by that; and what it lacks beyond most, it gets back at once. The cost
// of a burst is known at the next tick, which begins a burst itself. So in any ten seconds, with b as it is when they
// begin, sampling takes at most 9.4 s·b, twice most, and two bursts:
//
//	9.4 s·b + max(0.2 s·b, 4 means) + 2 bursts
//
// If a burst costs at most 0.05 s·b, which is 1 ms for a budget of 2 % and 0.25 ms for 0.5 %, that is 9.7 s·b: sampling
// stays below the budget over any ten seconds. With 0.1 % and bursts of 0.1 to 0.5 ms, of 0.3 ms in the mean, it is
// 0.116 % at most. An account with less space than that would be full before the next burst is due, and a part of the
// budget would not be spent.
//
// The account is paid back in parts because ticks that stand for unequal times are less precise.
//
// # Weights
//
// A tick comes at a random moment of its interval, and stands for the interval. So each moment of the program is met
// with the probability that makes it count once, however long the interval is, and whatever happens periodically. That
// is right because both are drawn before the tick: the interval follows from the bursts up to the one before. If a long
// interval followed each dear burst, and the tick of that burst stood for a part of it, dear code would be
// overestimated.
//
// Let a program alternate at random between code A, whose bursts cost 300 µs, and code B, whose bursts cost 100 µs,
// each for half of the time. If it is in A for many intervals of d, then in B for many of e, the first interval behind
// the change is d long, too, and its tick stands for d in B. By their number, ticks would find A in e/(d+e) of the
// time.
//
// The caller's timer expires at the end of each shortest interval, and a tick comes at the next expiration. So the
// caller sets the beginning of the first interval back by a random part of it: then the n-th expiration is at a random
// moment of the n-th shortest interval of the program. Intervals that are not longer have one expiration, and their
// moment is their end.
//
// Intervals follow a mean of the costs of some thirty bursts, and change in steps of an eighth,
// so that most changes of the mean change nothing, because unequal weights are less precise. The
// mean begins with half of what the first burst costs, which meets nothing in the caches, and
// in windows decodes code that others find decoded.
package pace

import "math/bits"

// NsPerCycle is the length of a cycle of golink.Cycles in ns << CycleShift. It is set when sampling begins.
var NsPerCycle uint64

const CycleShift = 20

// Ns returns how long some cycles are.
func Ns(cycles uint64) uint64 { return cycles * NsPerCycle >> CycleShift }

const (
	million = 1_000_000 // budgets are in parts per million

	percent     = 94          // of the budget, what time adds to the account
	accountTime = 100_000_000 // ns whose budget is the most that the account has,
	accountMany = 2           // unless so many bursts cost more
	part        = 4           // of the account that an interval pays back
	smooth      = 5           // logarithm of the number of bursts that make up the mean cost
	longest     = 1e12        // ns between ticks

	rootOfSecond = 31623 // square root of a second in ns
)

// A Budget is what sampling may take, in parts per million. If First is 0, that is everything. If it is Least, the
// budget does not fall.
type Budget struct {
	First uint64 // for a second
	Least uint64 // as it is after a long time
}

// At returns the budget at a time after the beginning, in ns.
func (b Budget) At(time uint64) uint64 {
	if r := root(time); r > rootOfSecond {
		return max(min(b.First, million)*rootOfSecond/r, b.Least)
	}
	return b.First
}

// root returns the square root of x, rounded down.
func root(x uint64) (r uint64) {
	for bit := uint64(1) << 31; bit != 0; bit >>= 1 {
		if n := r + bit; n*n <= x {
			r = n
		}
	}
	return r
}

// A Pace is how far apart the ticks of a program are. It consists of integers, because
// signal handlers use it.
type Pace struct {
	Due    uint64 // when the next tick is
	Budget uint64 // at the last tick

	interval uint64 // that the next tick stands for
	end      uint64 // of it
	began    uint64
	tick     uint64 // the least interval
	budget   Budget
	bursts   uint64
	mean     uint64 // cost of a tick with its burst
	account  int64
	random   uint64
}

// New returns the pace of ticks that are tick ns apart, or further if sampling would take
// more than the budget otherwise.
func New(tick uint64, budget Budget, now uint64) Pace {
	return Pace{Due: now + tick, Budget: budget.First, interval: tick, end: now + tick, began: now, tick: tick,
		budget: budget, random: now}
}

// Next is called at a tick. The time is now, and cost is what sampling has taken since the
// last tick. Next returns the time that the tick stands for. If a tick was late, so that
// others were due in the meantime, it stands for their intervals, too.
func (p *Pace) Next(now, cost uint64) (stands uint64) {
	stands = p.interval
	if now > p.end && p.interval != 0 {
		late := (now - p.end) / p.interval * p.interval
		stands += late
		p.end += late
	}
	if p.Budget = p.budget.At(p.end - p.began); p.Budget != 0 {
		p.settle(stands, min(cost, longest))
		p.interval = max(p.tick, round(p.wanted()))
	}
	p.end += p.interval
	p.Due = p.end
	if p.interval > p.tick {
		p.random = p.random*6364136223846793005 + 1442695040888963407 // as Knuth's MMIX does
		part, _ := bits.Mul64(p.random, p.interval)
		p.Due -= part
	}
	return stands
}

// earned returns what time adds to the account.
func (p *Pace) earned(time uint64) uint64 {
	return min(time, longest) / 100 * percent * p.Budget / million
}

// most returns the most that the account has, and that it lacks before an interval gets it back.
func (p *Pace) most() int64 {
	return int64(max(accountTime*p.Budget/million, accountMany*min(p.mean, longest)))
}

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
	rate := p.Budget * percent
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
