package core

import (
	"regexp"
	"slices"
	"strconv"
	"testing"
	"unsafe"

	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pace"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/poll"
	"github.com/pepgo/pep/runtime/sampler"
)

var tookBudget = regexp.MustCompile(`, (\d+) ticks, .*, sampling took \d+ms, \d+\.\d\d%( \(budget 0\.05%\))?`)

var ofTicks = regexp.MustCompile(`, of which ticks [0-4]\.\d\d%`)

// A burst of 64 samples takes far more than 30 µs. With a budget of
// 0.05 % ticks are then more than 60 ms apart. The program runs for 720 ms of CPU time and
// would have 180 ticks if the kernel looks at timers every 4 ms.
func TestBudgetSetsTheTimer(t *testing.T) {
	t.Parallel()
	exe := newLinker(t, "", target{}).program("loop.go", loopTables())
	ticks := map[string]int{}
	for _, budget := range []string{"off", "0.05%"} {
		r := execute(t, exe, []string{"PEPOPTS=tick=2ms,budget=" + budget}, "burn")
		comment := r.profile(t, "paths").Comments[0]
		m := tookBudget.FindStringSubmatch(comment)
		if m == nil || (m[2] == "") != (budget == "off") {
			t.Fatalf("budget %s: comment %q", budget, comment)
		}
		if !ofTicks.MatchString(comment) {
			t.Errorf("budget %s: the comment does not say what ticks took: %q", budget, comment)
		}
		ticks[budget], _ = strconv.Atoi(m[1])
	}
	if ticks["off"] < 60 || ticks["0.05%"] < 2 || ticks["0.05%"] > 30 {
		t.Errorf("ticks by budget %v, want 60 or more and 2 to 30", ticks)
	}
}

// As many ticks were due as fit into the time that ticks stand for.
func TestTicksThatWereDue(t *testing.T) {
	words := make([]uint64, pepfile.TableSize(pepfile.SlotsOf(poll.Mode))/8)
	defer func(c pepfile.Table, p pace.Pace, o, n, l uint64) {
		counts, tickPace, owed, nsPerCycle, tickLength = c, p, o, n, l
	}(counts, tickPace, owed, nsPerCycle, tickLength)
	counts = pepfile.TableAt(unsafe.Pointer(&words[0])).WithIndex(new(pepfile.Index))
	tickLength, owed, nsPerCycle = 10, 0, 0
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
	for _, stall := range []struct{ reading, before, after int64 }{{-1, 0, 0}, {0, 30_000, 0}, {0, 0, 30_000}, {7, 15_000, 0}, {7, 0, 15_000}} {
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
		length := float64(got) / (1 << cycleShift)
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
