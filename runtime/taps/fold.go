package taps

// This file adds the samples of a window to the table of words, with their weight, and with
// what bounds are computed from.

import (
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/pepfile"
)

// A foundWord is how often a word, or a tap (pepfile.SiteBit), is among the samples of a
// window that have some labels, or among all of them (pepfile.AllLabels).
type foundWord struct {
	pepfile.WordKey
	n uint64
}

// foundWords is a table of the words of a window: a hash table with room for twice as many
// as there can be, and a list of the slots in use.
type foundWords struct {
	slots []foundWord
	used  []uint32
}

// newFound returns a table for n tuples: each can be a word and a tap of its own, with its labels and
// with all.
func newFound(n int) foundWords {
	size := 8
	for size < 8*n {
		size *= 2
	}
	return foundWords{make([]foundWord, size), make([]uint32, 0, size)}
}

// at returns the slot of a key.
func (f *foundWords) at(k pepfile.WordKey) *foundWord {
	mask := uint64(len(f.slots) - 1)
	for i := k.Hash() >> 20; ; i++ {
		s := &f.slots[i&mask]
		if s.n > 0 && s.WordKey != k {
			continue
		}
		if s.n == 0 {
			s.WordKey = k
			// Not append, which allocates where there is no room: taps must not. There is room.
			n := len(f.used)
			f.used = f.used[:n+1]
			f.used[n] = uint32(i & mask)
		}
		return s
	}
}

// add counts a word, and its tap. With an engine it counts only the tap: the words are the engine's.
func (f *foundWords) add(k pepfile.WordKey) {
	f.at(k.Tap()).n++
	if wordTable.Exact != 0 {
		f.at(k).n++
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
	rooms := float64(w.rooms) * perRoom
	inside, doubt := programTime(float64(elapsed)-float64(w.own)-rooms, float64(w.events)*perTap, abs(rooms)*roomDoubt, float64(elapsed)/leastShare)
	golink.Add64(&bursts.Seen, int64(w.events))
	if w.events > 0 {
		golink.Add64(&bursts.Inside, int64(inside))
		bursts.Longest = max(bursts.Longest, uint64(inside))
	}
	n := min(w.reported, uint64(len(w.samples)))
	golink.Add64(&bursts.Taken, int64(n))
	if n > 0 {
		weight := float64(w.reported) / float64(n) * max(float64(w.tick-w.before)/inside, 1)
		w.addSamples(w.samples[:n], weight, doubt)
	}
	golink.Store64(&bursts.CPU, max(w.opened+elapsed, bursts.CPU))
	noteBursts()
}

// programTime returns which part of the time left in a window is the program's: left ns are not
// MakeRoom's, or up to doubt more or less, and taps that take as long as in the loop take
// taps ns of them. It is at least least ns. off says how much a count may be off because taps
// may take nothing, or twice as long as in the loop: a count is inverse to the program's time.
//
// For example, there are 10,000 events in 36 us, and a tap in the loop takes 0.8 ns. The program
// takes 26 us if a tap takes 1 ns, 36 if it takes nothing, and 20 if it takes 1.6 ns.
// So a count is 0.72 to 1.3 of the estimate, and as bounds are symmetric, off is 0.3.
func programTime(left, taps, doubt, least float64) (ns, off float64) {
	least = max(least, 1)
	ns = max(left-tapTime*taps, least)
	shortest, longest := max(left-mostTapTime*taps-doubt, least), max(left+doubt, least)
	return ns, max(ns/shortest-1, 1-ns/longest)
}

// addSamples adds samples to the table of words. If they have different labels, it also adds
// by how much the moments for all labels exceed the sums of the others: see pepfile.Moments.
func (w *window) addSamples(samples []sample, weight, doubt float64) {
	f := &w.found
	mixed := false
	for i := range samples {
		mixed = mixed || samples[i].labels != samples[0].labels
	}
	for i := range samples {
		for _, t := range samples[i].tuples[:samples[i].n] {
			f.add(pepfile.WordKey{PC: t.PC, W: t.W, Labels: samples[i].labels})
			if mixed {
				f.add(pepfile.WordKey{PC: t.PC, W: t.W, Labels: pepfile.AllLabels})
			}
		}
	}
	for _, i := range f.used {
		s := &f.slots[i]
		y := weight * float64(s.n)
		x := weight // of a tap itself: see pepfile.Moments
		if s.PC&pepfile.SiteBit == 0 {
			x *= float64(f.at(s.Tap()).n)
		}
		if s.PC&pepfile.SiteBit == 0 || wordTable.Exact == 0 {
			bursts.Heaviest = max(bursts.Heaviest, y)
		}
		if s.Labels == pepfile.AllLabels {
			wordTable.AddWindow(s.WordKey, 0, 0, pepfile.Moments{Squares: y * y, Cross: x * y})
			continue
		}
		wordTable.AddWindow(s.WordKey, w.round(y), s.n, pepfile.Moments{Squares: y * y, Cross: x * y, Slack: y * doubt})
		if mixed {
			all := s.WordKey
			all.Labels = pepfile.AllLabels
			wordTable.AddWindow(all, 0, 0, pepfile.Moments{Squares: -y * y, Cross: -x * y})
		}
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
