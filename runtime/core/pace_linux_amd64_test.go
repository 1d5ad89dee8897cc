package core

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pace"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/poll"
	"github.com/pepgo/pep/runtime/sampler"
)

// A burst of 64 samples takes far more than 30 µs. With a budget of
// 0.05 % ticks are then more than 60 ms apart. The program runs for 720 ms of CPU time and
// would have 180 ticks if the kernel looks at timers every 4 ms.
func TestBudgetSetsTheTimer(t *testing.T) {
	t.Parallel()
	exe := newLinker(t, "", target{}).program("loop.go", loopTables())
	ticks := map[string]uint64{}
	for budget, ppm := range map[string]uint64{"off": 0, "0.05%": 500} {
		r := execute(t, exe, []string{"PEPOPTS=tick=2ms,budget=" + budget}, "burn")
		f := pepbuildtest.Facts(t, r.profile(t, "paths"))
		if f.Number(facts.SampledTime) == 0 || f.Number(facts.Budget) != ppm {
			t.Fatalf("budget %s: %s", budget, f.Encode())
		}
		if n, all := f.Number(facts.TickTime), f.Number(facts.CPUTime); n == 0 || n >= all/20 {
			t.Errorf("budget %s: ticks took %d of %d ns: %s", budget, n, all, f.Encode())
		}
		ticks[budget] = f.Number(facts.Ticks)
	}
	if ticks["off"] < 60 || ticks["0.05%"] < 2 || ticks["0.05%"] > 30 {
		t.Errorf("ticks by budget %v, want 60 or more and 2 to 30", ticks)
	}
}

// As many ticks were due as fit into the time that ticks stand for.
func TestTicksThatWereDue(t *testing.T) {
	words := make([]uint64, pepfile.TableSize(pepfile.SlotsOf(poll.Mode))/8)
	defer func(c pepfile.Table, p pace.Pace, o, n, l uint64) {
		counts, tickPace, owed, pace.NsPerCycle, tickLength = c, p, o, n, l
	}(counts, tickPace, owed, pace.NsPerCycle, tickLength)
	counts = pepfile.TableAt(unsafe.Pointer(&words[0])).WithIndex(new(pepfile.Index))
	tickLength, owed, pace.NsPerCycle = 10, 0, 0
	tickPace = pace.New(25, pace.Budget{}, 0) // a budget may have made 25 ns of 10
	var got []uint64
	for now := uint64(25); now <= 100; now += 25 {
		stands, due := keepPace(now)
		got = append(got, stands, due)
	}
	if want := []uint64{25, 2, 25, 3, 25, 2, 25, 3}; !slices.Equal(got, want) {
		t.Errorf("times and ticks %d, want %d", got, want)
	}
}

// A thread may wait for a page between the readings of the two clocks. The length of a cycle is then
// measured again, and is not many times too long.
func TestMeasureOfCyclesWhileThreadsWait(t *testing.T) {
	const perNs = 3 // cycles
	for _, stall := range []struct{ reading, before, after int64 }{{-1, 0, 0}, {0, 30_000, 0}, {0, 0, 30_000},
		{7, 15_000, 0}, {7, 0, 15_000}} {
		var now, readings int64 // ns
		got := measure(func() (before, ns, after int64) {
			before = now * perNs
			now += 50
			if readings == stall.reading {
				now += stall.before
			}
			ns = now
			now += 50
			if readings == stall.reading {
				now += stall.after
			}
			readings++
			return before, ns, now * perNs
		})
		length := float64(got) / (1 << pace.CycleShift)
		if length < 0.95/perNs || length > 1.05/perNs {
			t.Errorf("stall %+v: a cycle is %.3f ns long, want %.3f", stall, length, 1./perNs)
		}
	}
}

// A poll that took long had lost its processor: it must not keep ticks away for seconds.
func TestPollsThatLoseTheProcessor(t *testing.T) {
	words := make([]uint64, pepfile.TableSize(pepfile.SlotsOf(poll.Mode))/8)
	saved := counts
	defer func() { counts = saved }()
	counts = pepfile.TableAt(unsafe.Pointer(&words[0])).WithIndex(new(pepfile.Index))
	counts.Fill(options.Default)
	before := spent
	endPoll(sampler.ActNone, golink.Cycles()-1<<32)
	if got := spent - before; got != longSpend {
		t.Errorf("%d cycles, want %d", got, longSpend)
	}
}

// The first interval begins before the program by a part of it that is a random one, but at most a second: of 1,000
// parts, each tenth has 100, with a deviation of 9.5. The chance that one of ten is off by 60 is below 1 in 1,000,000.
func TestFirstIntervalHasBegun(t *testing.T) {
	words := make([]uint64, pepfile.TableSize(pepfile.SlotsOf(poll.Mode))/8)
	saved := counts
	defer func() { counts = saved }()
	counts = pepfile.TableAt(unsafe.Pointer(&words[0]))
	for tick, most := range map[uint64]uint64{1e7: 1e7, 3600e9: 1e9} {
		var tenths [10]int
		for range 1000 {
			counts.Start += 1_000_003
			part := beginning(tick)
			if part >= most {
				t.Fatalf("%d ns of %d are over", part, tick)
			}
			tenths[10*part/most]++
		}
		for _, n := range tenths {
			if n < 40 || n > 160 {
				t.Errorf("tick %d: tenths %d", tick, tenths)
				break
			}
		}
	}
}

// The file has what the budget that falls is at the last tick, and what it has allowed until then: in nine seconds 2 %
// of the first one, and 2 % · 2 · (√9 - √1) of the others.
func TestBudgetIsToldAsItFalls(t *testing.T) {
	words := make([]uint64, pepfile.TableSize(pepfile.SlotsOf(poll.Mode))/8)
	defer func(c pepfile.Table, p pace.Pace, o, n, l, b uint64) {
		counts, tickPace, owed, pace.NsPerCycle, tickLength, began = c, p, o, n, l, b
	}(counts, tickPace, owed, pace.NsPerCycle, tickLength, began)
	counts = pepfile.TableAt(unsafe.Pointer(&words[0]))
	const tick, start = 1e7, 5e9
	tickLength, owed, pace.NsPerCycle, began = tick, 0, 0, start
	tickPace = pace.New(tick, pace.Budget{First: 20_000, Least: 1_000}, start)
	for now := uint64(start + tick); now <= start+9e9; now += tick {
		keepPace(now)
	}
	allowed := float64(counts.Allowed) / (.02 * (1 + 2*(3-1)) * 1e9)
	if counts.Time != 9e9 || counts.BudgetNow < 6_660 || counts.BudgetNow > 6_668 || allowed < .995 || allowed > 1.001 {
		t.Errorf("after %d ns the budget is %d ppm, and it has allowed %.4f of what it should", counts.Time, counts.BudgetNow,
			allowed)
	}
}
