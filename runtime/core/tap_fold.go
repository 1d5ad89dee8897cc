package core

// This file adds the samples of a window to the table of words, with their weight, and with
// what bounds are computed from.

import (
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/pepfile"
)

// A foundWord is how often a word, or a tap (pepfile.SiteBit), is among the samples of a
// window.
type foundWord struct {
	pc, w uint64
	n     uint64
}

// foundWords is a table of the words of a window: a hash table with room for twice as many
// as there can be, and a list of the slots in use.
type foundWords struct {
	slots []foundWord
	used  []uint32
}

// newFound returns a table for n tuples: each can be a word and a tap of its own.
func newFound(n int) foundWords {
	size := 4
	for size < 4*n {
		size *= 2
	}
	return foundWords{make([]foundWord, size), make([]uint32, 0, size)}
}

// at returns the slot of a key.
func (f *foundWords) at(pc, w uint64) *foundWord {
	mask := uint64(len(f.slots) - 1)
	for i := pepfile.Mix(pc, w) >> 20; ; i++ {
		s := &f.slots[i&mask]
		if s.n > 0 && (s.pc != pc || s.w != w) {
			continue
		}
		if s.n == 0 {
			s.pc, s.w = pc, w
			// Not append, which allocates where there is no room: taps must not. There is room.
			n := len(f.used)
			f.used = f.used[:n+1]
			f.used[n] = uint32(i & mask)
		}
		return s
	}
}

// fold adds the samples of the window, which took so many ns, to the table of words. A
// sample stands for
//
//	(events in the window / samples of it) · (CPU time the window stands for / program time in it)
//
// events.
func (w *window) fold(elapsed uint64) {
	perTap, perRoom := tapCosts()
	rooms, taps := float64(w.rooms)*perRoom, float64(w.events)*perTap
	inside, doubt := programTime(float64(elapsed)-float64(w.own)-rooms, taps, taps+abs(rooms)*roomDoubt, float64(elapsed)/leastShare)
	golink.Add64(&bursts.Seen, int64(w.events))
	if w.events > 0 {
		golink.Add64(&bursts.Inside, int64(inside))
		bursts.Longest = max(bursts.Longest, uint64(inside))
	}
	n := min(w.reported, uint64(len(w.samples)))
	golink.Add64(&bursts.Taken, int64(n))
	if n > 0 {
		weight := float64(w.reported) / float64(n) * max(float64(w.tick-w.before)/inside, 1)
		bursts.Heaviest = max(bursts.Heaviest, weight)
		w.addSamples(w.samples[:n], weight, doubt)
	}
	golink.Store64(&bursts.CPU, max(w.opened+elapsed, bursts.CPU))
	noteBursts()
}

// programTime returns the ns that the program itself takes of the left ns of a window that are
// not makeRoom's, and how much a count may change because taps take off ns more or fewer than
// the expected taps. The result is at least least ns.
//
// For example, 10,000 events in 36 us, with taps of 0.75 ns: the program takes 28.5 us for
// them, or 36 if taps take nothing, or 21 if they take twice as long. A count is inverse to
// that, so it is 0.79 to 1.36 of the estimate. As bounds are symmetric, the larger difference counts.
func programTime(left, taps, off, least float64) (ns, doubt float64) {
	ns = max(left-taps, least, 1)
	return ns, ns/max(left-taps-off, least, 1) - 1
}

// addSamples adds samples to the table of words. With an engine only taps are added:
// their words are the engine's.
func (w *window) addSamples(samples []sample, weight, doubt float64) {
	f := &w.found
	for i := range samples {
		for _, t := range samples[i].tuples[:samples[i].n] {
			f.at(t.PC|pepfile.SiteBit, 0).n++
			if wordTable.Exact != 0 {
				f.at(t.PC, t.W).n++
			}
		}
	}
	for _, i := range f.used {
		s := &f.slots[i]
		y := weight * float64(s.n)
		x := weight * float64(f.at(s.pc|pepfile.SiteBit, 0).n)
		wordTable.AddWindow(s.pc, s.w, w.round(y), s.n, y, x, y*doubt)
	}
	for _, i := range f.used {
		f.slots[i] = foundWord{}
	}
	f.used = f.used[:0]
}

// round rounds x up or down, so that it is x on average.
func (w *window) round(x float64) uint64 {
	n := uint64(x)
	w.random *= multiplier
	if float64(w.random>>11) < (x-float64(n))*(1<<53) {
		n++
	}
	return n
}

func abs(x float64) float64 { return max(x, -x) }
