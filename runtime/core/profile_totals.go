package core

// This file estimates counts and bounds of words that taps have reported in bursts. The
// table of words has the sums (pepfile.Moments), and package weigh the formulas.

import (
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/weigh"
)

// tapTotals has the sums of all words of each tap, by the PC of its tuples.
type tapTotals map[uint64]*tapTotal

// A tapTotal has the sums of all words of a tap over the windows.
type tapTotal struct {
	weigh.Tap
	slack float64 // see pepfile.Moments
	words uint64  // events of its words: with an engine, what the engine has sent
}

// totals returns the sums of taps in a file. Each burst is a cluster, also if nobody has
// tapped in it.
func totals(a pepfile.Words) tapTotals {
	t := tapTotals{}
	clusters := float64(max(a.Burst.Ticks, 1))
	for i := range uint64(pepfile.WordSlots) {
		e := a.Word(i)
		if e.Hash&1 != 0 && e.PC&pepfile.SiteBit != 0 && e.Intact() {
			x := t.of(e.PC)
			x.Clusters = clusters
			x.Size += float64(e.Count)
			x.Squares += a.Moments(e).Squares
			x.Samples += a.Moments(e).Cross
			x.slack += a.Moments(e).Slack
		}
	}
	for i := range uint64(pepfile.WordSlots) {
		e := a.Word(i)
		if e.Hash&1 != 0 && e.Count > 0 && e.PC&(pepfile.SiteBit|pepfile.OtherBit) == 0 && e.Intact() {
			if x := t.of(e.PC); x.Size > 0 {
				x.AddValue(part(a, e))
			}
		}
	}
	var all weigh.Alike // in the order of slots: the sum of floats depends on it
	for i := range uint64(pepfile.WordSlots) {
		if e := a.Word(i); e.Hash&1 != 0 && e.PC&pepfile.SiteBit != 0 && e.Intact() {
			all.Add(&t.of(e.PC).Tap)
		}
	}
	for _, x := range t {
		x.Alike = all.Correlation()
	}
	return t
}

// part returns the sums of a word.
func part(a pepfile.Words, e *pepfile.Word) *weigh.Part {
	m := a.Moments(e)
	return &weigh.Part{Sum: float64(e.Count), Squares: m.Squares, Cross: m.Cross}
}

// of returns the sums of a tap.
func (t tapTotals) of(pc uint64) *tapTotal {
	pc &^= pepfile.SiteBit | pepfile.OtherBit
	if t[pc] == nil {
		t[pc] = new(tapTotal)
	}
	return t[pc]
}

// bounds returns the bounds of the errors of a word's count, and how far below and above the
// estimate its share of the events of its tap may be. If the tap has no other word, nothing is known about the variance of the
// share; then a word that comes with every third window could have been missed.
func (t tapTotals) bounds(a pepfile.Words, e *pepfile.Word) (count, below, above float64) {
	p, all := part(a, e), t.of(e.PC)
	count = weigh.Bound(p.Variance(&all.Total), p.Sum, p.Squares) + a.Moments(e).Slack
	share, b := all.Share(p)
	return count, share - b.Low, b.High - share
}

// scaleEngine makes counts of the events that an engine was given counts of all events: the words
// of each tap add up to what the windows say of the tap. Events that are of no tap are
// scaled as all events together. The engine does not tell windows apart, so the bound of a
// share is the one that holds if each window had one word only.
func (t *taps) scaleEngine(sums tapTotals) {
	var events, given float64
	for i := range t.words {
		given += float64(t.words[i].Count)
		sums.of(t.words[i].Tuple.PC).words += uint64(t.words[i].Count)
	}
	for _, s := range sums {
		events += s.Size
	}
	for i := range t.words {
		w := &t.words[i]
		s := sums.of(w.Tuple.PC)
		if s.Size <= 0 {
			w.Count = int64(float64(w.Count)*events/given + .5)
			continue
		}
		share := float64(w.Count) / float64(s.words)
		w.Count = int64(share*s.Size + .5)
		all := weigh.Part{Sum: s.Size, Squares: s.Squares}
		w.ShareError = min(max(weigh.Bound(share*(1-share)*s.Squares/(s.Size*s.Size), s.Size, s.Squares), 3*s.Squares/(s.Size*s.Size)), 1)
		w.ShareBelow = w.ShareError
		w.CountError = share*(weigh.Bound(all.Variance(&s.Total), s.Size, s.Squares)+s.slack) + w.ShareError*s.Size
	}
}
