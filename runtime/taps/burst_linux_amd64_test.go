package taps

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	labels "runtime/pprof"
	"strconv"
	"sync"
	"testing"
	"unsafe"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/runtime/convert"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/pepfile/pepfiletest"
	"github.com/pepgo/pep/runtime/report"
	"github.com/pepgo/pep/runtime/sys"
)

// burn uses so many ns of CPU time.
func burn(ns uint64) {
	for began := sys.CPUTime(); sys.CPUTime()-began < ns; {
	}
}

// A burst ends after SAMPLES samples or more, whatever their number is; none of them is lost.
func TestBurstsOfTaps(t *testing.T) {
	finish := startTapping(t, "taps=burst,samples=100")
	var this tapper
	for range 20 {
		BeginBurst(sys.CPUTime())
		for n := 0; *mode != options.TapsOff; n++ {
			if n == 100_000_000 {
				t.Fatal("the burst does not end")
			}
			this.tap(1<<56, 7)
		}
		burn(1_000_000)
	}
	c := finish()
	b := &wordTable.Burst
	// If the machine has other work, time may pass in a window without a delivery.
	if len(c.Words) != 1 || c.Words[0].Messages != int64(b.Taken) || b.Taken%100 != 0 || b.Taken < 1000 || b.Taken > 2000 {
		t.Errorf("%+v of %+v, want one word with up to 2000 samples", c.Words, b)
	}
	if b.Seen > 20*(maxEvents+uint64(pepfile.ChunkTuples)) || b.Seen < 10*1000 {
		t.Errorf("windows are not bounded: %+v", b)
	}
}

// What happens in a phase without taps: windows become longer, but none is longer than a
// tick, nor than maxWindow; and a burst after that phase is not longer than one before.
func TestBurstsAfterAPhaseWithoutTaps(t *testing.T) {
	startTapping(t, "taps=burst")
	var this tapper
	for range 12 {
		BeginBurst(sys.CPUTime())
		burn(warmUp + minWindow/2)
		this.tap(1<<56, 1)
		this.tap(1<<56, 1)
		EndBurst(sys.CPUTime())
		if *mode != options.TapsOff {
			t.Fatal("a burst lasts longer than a tick")
		}
	}
	if current.length > maxWindow {
		t.Errorf("after windows without events, a window is %d ns", current.length)
	}
	BeginBurst(sys.CPUTime())
	n := 0
	for ; *mode == options.TapsBurst && n < 100*maxEvents; n++ {
		this.tap(1<<56, 1)
	}
	if most := 3 * (maxEvents + int(warmUp)); n > most { // a tap takes a ns or more
		t.Errorf("the next burst has %d events, want at most %d", n, most)
	}
	Finish()
}

// However close ticks are, windows have events: the warm-up does not take all of the time.
func TestWarmUpLeavesTimeForWindows(t *testing.T) {
	for _, tick := range []uint64{200_000, 1_000_000} {
		finish := startTapping(t, "taps=burst")
		var this tapper
		for range 20 {
			BeginBurst(sys.CPUTime())
			for began := sys.CPUTime(); sys.CPUTime()-began < tick; {
				this.tap(1<<56, 7)
			}
		}
		finish()
		if b := &wordTable.Burst; b.Taken < 10*64 {
			t.Errorf("ticks every %d ns: %d samples in %d bursts, want 64 in most", tick, b.Taken, b.Ticks)
		}
	}
}

// windows folds windows of known events, and returns the table's words. In window i the
// program taps as the function says, in so many ns of program time.
func windows(samples uint32, n int, events func(i int) (list []tuple.Tuple, ns uint64)) *convert.Taps {
	return labelledWindows(samples, n, func(i int) (lists map[uint16][]tuple.Tuple, ns uint64) {
		list, ns := events(i)
		return map[uint16][]tuple.Tuple{0: list}, ns
	})
}

// labelledWindows is windows for goroutines with labels: set i of labels is that of samples with Labels i.
func labelledWindows(samples uint32, n int, events func(i int) (lists map[uint16][]tuple.Tuple, ns uint64)) *convert.Taps {
	f := windowsFile()
	wordTable = f.Words()
	defer func() { wordTable = pepfile.Words{} }()
	clear(unsafe.Slice((*byte)(unsafe.Pointer(wordTable.WordsHeader)), pepfile.WordsSize))
	wordTable.Exact, wordTable.Taps = 1, options.TapsBurst
	foldWindows(samples, n, func(i int) (numbered map[uint16][]tuple.Tuple, ns uint64) {
		lists, ns := events(i)
		numbered = map[uint16][]tuple.Tuple{}
		for set, list := range lists {
			numbered[numberOfSet(f, set)] = list
		}
		return numbered, ns
	})
	return countsOf(pepfile.File{Table: f}).Taps()
}

// windowsFile returns a file for windows, each time the same.
var windowsFile = sync.OnceValue(func() pepfile.Table { return pepfiletest.Tapped(1) })

// numberOfSet returns the number that set i of labels has in a file; 0 is no labels.
func numberOfSet(f pepfile.Table, i uint16) (number uint16) {
	for k := range i { // the sets get their numbers in this order
		labels.Do(context.Background(), labels.Labels("n", strconv.Itoa(int(k))), func(context.Context) {
			number = f.WordLabels((*golink.Labels)(golink.ProfLabels()))
		})
	}
	return number
}

// foldWindows folds windows into the table of words.
func foldWindows(samples uint32, n int, events func(i int) (lists map[uint16][]tuple.Tuple, ns uint64)) {
	startBursts(samples)
	const interval = 20_000_000
	for i := range n {
		lists, ns := events(i)
		w := &current
		w.tick, w.before = uint64(i+1)*interval, uint64(i)*interval
		bursts.Tick, bursts.Before = w.tick, w.before
		bursts.Ticks++
		w.phase, w.opened, w.reported, w.events, w.rooms, w.own = windowOpen, w.tick, 0, 0, 0, 0
		for labels, list := range lists {
			w.take(list, labels)
		}
		w.length = ns
		w.events, w.phase = 0, windowClosed // taps take no time here
		w.fold(ns)
	}
}

// Frequent events and rare ones count as often as they are, though there are as many samples
// of both: fast has 1000 in each ms of its windows, slow 10, and each has half of the
// time. The share of a word counts by its events, too.
func TestWindowsAreWeighed(t *testing.T) {
	const fast, slow = 1 << 56, 1<<56 + 1
	n := 400
	c := windows(64, n, func(i int) (list []tuple.Tuple, ns uint64) {
		if i%2 == 0 {
			for j := range 1000 {
				list = append(list, tuple.Tuple{PC: fast, W: uint64(j / 900)})
			}
			return list, 1_000_000
		}
		for range 10 {
			list = append(list, tuple.Tuple{PC: slow, W: 5})
		}
		return list, 1_000_000
	})
	want := map[tuple.Tuple]float64{{PC: fast, W: 0}: 900 * 20 * 200, {PC: fast, W: 1}: 100 * 20 * 200, {PC: slow, W: 5}: 10 * 20 * 200}
	for _, w := range c.Words {
		truth := want[w.Tuple]
		delete(want, w.Tuple)
		// Samples are drawn from each window at random. 1.96 standard deviations are the
		// bound, 5 are exceeded in one of 1.7 million runs.
		if off := math.Abs(float64(w.Count) - truth); off > w.CountError*5/1.96 {
			t.Errorf("%+v: count is %.0f off, %.0f is right", w, off, truth)
		}
		// Half of the windows have the tap. Were they at random, the variance of the total of
		// 400 windows would be 400·y²/4.
		if w.Tuple.PC == slow {
			if want := 1.96 * math.Sqrt(400*200*200/4*(400./399)*(1+4/200.)); math.Abs(w.CountError-want) > 1 {
				t.Errorf("%+v: want the bound %.1f", w, want)
			}
		}
		if w.Tuple.PC == fast {
			share := float64(w.Count) / (1000 * 20 * 200)
			p := .9
			if w.Tuple.W == 1 {
				p = .1
			}
			if off := math.Abs(share - p); off > w.ShareError*5/1.96 || w.ShareError > .01 || w.ShareError < .003 {
				t.Errorf("%+v: share %.4f, want %.1f", w, share, p)
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("words are missing: %v", want)
	}
}

// Bounds hold although the events of a window are alike: in each of many runs, 40 windows of
// 64 events have one word or the other, at random. The bound by 2560 independent events would
// be 8 times too small, and would hold in one run of 5.
func TestBoundsHoldForClusters(t *testing.T) {
	const runs, n, pc = 400, 40, 1 << 56
	held, shares := 0, 0
	random := uint64(0x9e3779b97f4a7c15)
	for range runs {
		c := windows(64, n, func(int) (list []tuple.Tuple, ns uint64) {
			random ^= random << 13
			random ^= random >> 7
			random ^= random << 17
			for range 64 {
				list = append(list, tuple.Tuple{PC: pc, W: random >> 40 & 1})
			}
			return list, 100_000
		})
		for _, w := range c.Words {
			if w.Tuple.W != 1 {
				continue
			}
			const truth = 64. * 200 * n / 2
			if math.Abs(float64(w.Count)-truth) <= w.CountError {
				held++
			}
			if math.Abs(float64(w.Count)/(2*truth)-.5) <= w.ShareError {
				shares++
			}
		}
	}
	// A word is in k of 40 windows; the normal bound of a binomial is 95 % on average. 5 standard
	// deviations of 400 runs with 95 % are 22 runs. (Fewer than 1 in 1.7 million.)
	for what, held := range map[string]int{"count": held, "share": shares} {
		if held < 358 || held > 400 {
			t.Errorf("the bound of the %s held in %d of %d runs", what, held, runs)
		}
	}
}

// Every sample of a window is kept with the same probability.
func TestSamplesOfAWindowAreRandom(t *testing.T) {
	const kept, of, rounds = 16, 64, 4000
	startBursts(kept)
	list := make([]tuple.Tuple, of)
	for i := range list {
		list[i] = tuple.Tuple{PC: 1 << 56, W: uint64(i)}
	}
	var got [of]int
	for range rounds {
		current.reported = 0
		current.take(list[:of/2], 0)
		current.take(list[of/2:], 0)
		for _, s := range current.samples {
			got[s.tuples[0].W]++
		}
	}
	// Each is kept with probability 1/4: 1000 of 4000 times, with the standard deviation 27.4.
	// 6 of them are exceeded in one of 500 million.
	for i, n := range got {
		if math.Abs(float64(n)-1000) > 6*27.4 {
			t.Errorf("the event %d is kept %d times, want 1000", i, n)
		}
	}
}

// The words of a sample stay together.
func TestWindowsKeepSamplesWhole(t *testing.T) {
	c := windows(8, 10, func(int) (list []tuple.Tuple, ns uint64) {
		for i := range uint64(50) {
			list = append(list, tuple.New(tuple.Load, 3, i), tuple.New(tuple.More, 3, i))
		}
		return list, 100_000
	})
	first, more := map[uint64]int64{}, map[uint64]int64{}
	for _, w := range c.Words {
		if w.Tuple.Tag() == tuple.More {
			more[w.Tuple.W] = w.Messages
		} else {
			first[w.Tuple.W] = w.Messages
		}
	}
	if len(first) == 0 || len(first) != len(more) {
		t.Fatalf("%v, second words %v", first, more)
	}
	for w, n := range first {
		if more[w] != n {
			t.Errorf("word %d was sampled %d times, its second word %d times", w, n, more[w])
		}
	}
}

// Words that are counted by labels have, all labels together, the bounds that they have without labels. Those
// of a set of labels have the bounds of counts that they have if no other goroutines tap. The events are
// fewer than samples, so nothing is drawn.
func TestLabelsDoNotChangeBounds(t *testing.T) {
	const n, sets, pc = 60, 3, 3 << 56
	random := rand.New(rand.NewPCG(1, 2))
	lists := make([]map[uint16][]tuple.Tuple, n)
	for i := range lists {
		lists[i] = map[uint16][]tuple.Tuple{}
		for labels := range uint16(sets) {
			for range random.IntN(30) * random.IntN(2) {
				x := tuple.Tuple{PC: pc + uint64(random.IntN(2)), W: uint64(random.IntN(3) + random.IntN(2)*int(labels))}
				lists[i][labels] = append(lists[i][labels], x)
			}
		}
	}
	// of returns the words with labels as numbered returns them; negative ones are left out.
	of := func(numbered func(labels uint16) int) []report.Word {
		return labelledWindows(4096, n, func(i int) (all map[uint16][]tuple.Tuple, ns uint64) {
			all = map[uint16][]tuple.Tuple{}
			for labels := range uint16(sets) {
				if number := numbered(labels); number >= 0 {
					all[uint16(number)] = append(all[uint16(number)], lists[i][labels]...)
				}
			}
			return all, 100_000
		}).Words
	}
	same := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-9*math.Abs(want)) {
			t.Errorf("%s: %g, want %g", what, got, want)
		}
	}
	labelled := of(func(labels uint16) int { return int(labels) })
	whole := map[tuple.Tuple]report.Word{}
	for _, w := range of(func(uint16) int { return 0 }) {
		whole[w.Tuple] = w
	}
	counts := map[tuple.Tuple]int64{}
	for _, w := range labelled {
		counts[w.Tuple] += w.Count
		name, want := fmt.Sprint(w.Tuple, w.Labels), whole[w.Tuple]
		same(name+" all, count", w.Whole.CountError, want.CountError)
		same(name+" all, above", w.Whole.ShareError, want.ShareError)
		same(name+" all, below", w.Whole.ShareBelow, want.ShareBelow)
		if want.Whole != nil {
			t.Errorf("%s: bounds for all labels although there are none", name)
		}
	}
	for x, want := range whole {
		if counts[x] != want.Count {
			t.Errorf("%v: %d events, want %d", x, counts[x], want.Count)
		}
	}
	for labels := range uint16(sets) {
		for _, want := range of(func(l uint16) int { return map[bool]int{true: int(l), false: -1}[l == labels] }) {
			for _, w := range labelled {
				if w.Tuple == want.Tuple && w.Labels == want.Labels {
					same(fmt.Sprint(w.Tuple, w.Labels), w.CountError, want.CountError)
				}
			}
		}
	}
}

// The estimate of a count, and what lies within its slack, for taps that take 0 to 2 times as
// long as in the loop that measures them. The truth is made by hand: the program takes gap ns for
// each of 1000 events, and each tap takes more.
func TestSlackHasTheTimeOfTaps(t *testing.T) {
	const events, perTap, least = 1000., 0.8, 100.
	for _, gap := range []float64{0.2, 0.5, 1, 3, 100, 1e6} {
		for _, times := range []float64{0, 0.3, 1, 1.25, 1.5, 2} {
			left := events * (gap + times*perTap)
			ns, off := programTime(left, events*perTap, 0, least)
			// A count is inverse to the time: the truth is ns/(events·gap) of the estimate.
			if truth := ns / (events * gap); math.Abs(truth-1) > off+1e-9 {
				t.Errorf("gap %g, taps of %g: the truth is %g of the estimate, which is off by at most %g", gap, times, truth, off)
			}
			if times == 1.25 && gap > 0.2 && math.Abs(ns-events*gap) > 1e-6 {
				t.Errorf("gap %g: %g ns are the program's, want %g", gap, ns, events*gap)
			}
			if gap >= 100 && off > 0.02 {
				t.Errorf("gap %g: off by %g though taps hardly take time", gap, off)
			}
		}
	}
}
