package convert

// This file estimates counts and bounds of words that taps have reported in bursts. The
// table of words has the sums (pepfile.Moments), and package weigh the formulas.

import (
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/report"
	"github.com/pepgo/pep/runtime/weigh"
)

// tapTotals has the sums of each tap, and those of words in all goroutines.
type tapTotals struct {
	taps map[tapKey]*tapTotal

	// Of taps that goroutines with different labels have reached: the words with the sums over all
	// labels, in the order of slots, and their indices.
	words   []wholeWord
	indices map[pepfile.WordKey]int
}

// A tapKey is a tap, by the PC of its tuples, in goroutines with some labels or with all.
type tapKey struct {
	pc     uint64
	labels uint16
}

// A tapTotal has the sums of all words of a tap over the windows.
type tapTotal struct {
	weigh.Tap
	slack float64 // see pepfile.Moments
	words uint64  // events of its words: with an engine, what the engine has sent
	sets  int     // how many sums it is the sum of: more than 1 if goroutines with different labels have reached the tap
	told  bool    // it has been added to the others for their correlation
}

// A wholeWord has the sums of a word in goroutines with any labels.
type wholeWord struct {
	pc uint64
	weigh.Part
	slack float64
}

// totals returns the sums of taps in a file. Each burst is a cluster, also if nobody has
// tapped in it. It goes through the slots in their order, for the sum of floats depends on the order.
func totals(a pepfile.Words) *tapTotals {
	t := &tapTotals{taps: map[tapKey]*tapTotal{}, indices: map[pepfile.WordKey]int{}}
	clusters := float64(max(a.Burst.Ticks, 1))
	var used []*pepfile.Word
	for i := range uint64(pepfile.WordSlots) {
		if e := a.Word(i); e.Hash&1 != 0 && a.Intact(e) {
			used = append(used, e)
		}
	}
	slots := func(visit func(e *pepfile.Word, k pepfile.WordKey)) {
		for _, e := range used {
			visit(e, e.Key())
		}
	}
	slots(func(e *pepfile.Word, k pepfile.WordKey) {
		if k.PC&pepfile.SiteBit == 0 {
			return
		}
		x := t.of(k.PC, pepfile.AllLabels)
		x.add(a, e, clusters)
		if k.Labels != pepfile.AllLabels {
			x.sets++
			t.of(k.PC, k.Labels).add(a, e, clusters)
		}
	})
	slots(func(e *pepfile.Word, k pepfile.WordKey) {
		if k.PC&pepfile.SiteBit != 0 {
			return
		}
		if e.Count > 0 && k.PC&pepfile.OtherBit == 0 {
			if x := t.of(k.PC, k.Labels); x.Size > 0 {
				x.AddValue(part(a, e))
			}
		}
		if t.of(k.PC, pepfile.AllLabels).sets > 1 {
			t.addWhole(a, e, k)
		}
	})
	for i := range t.words {
		if w := &t.words[i]; w.pc&pepfile.OtherBit == 0 && w.Sum > 0 {
			t.of(w.pc, pepfile.AllLabels).AddValue(&w.Part)
		}
	}
	var all weigh.Alike
	slots(func(e *pepfile.Word, k pepfile.WordKey) {
		if k.PC&pepfile.SiteBit == 0 {
			return
		}
		x := t.of(k.PC, k.Labels)
		if whole := t.of(k.PC, pepfile.AllLabels); whole.sets > 1 {
			x = whole
		}
		if !x.told {
			x.told = true
			all.Add(&x.Tap)
		}
	})
	for _, x := range t.taps {
		x.Alike = all.Correlation()
	}
	return t
}

// add adds the sums of a slot.
func (x *tapTotal) add(a pepfile.Words, e *pepfile.Word, clusters float64) {
	m := a.Moments(e)
	x.Clusters = clusters
	x.Size += float64(e.Count)
	x.Squares += m.Squares
	x.Samples += m.Cross
	x.slack += m.Slack
}

// addWhole adds the sums of a slot to those of its word.
func (t *tapTotals) addWhole(a pepfile.Words, e *pepfile.Word, k pepfile.WordKey) {
	k.Labels = pepfile.AllLabels
	i, ok := t.indices[k]
	if !ok {
		i = len(t.words)
		t.indices[k] = i
		t.words = append(t.words, wholeWord{pc: k.PC})
	}
	w, m := &t.words[i], a.Moments(e)
	w.Sum += float64(e.Count)
	w.Squares += m.Squares
	w.Cross += m.Cross
	w.slack += m.Slack
}

// part returns the sums of a word.
func part(a pepfile.Words, e *pepfile.Word) *weigh.Part {
	m := a.Moments(e)
	return &weigh.Part{Sum: float64(e.Count), Squares: m.Squares, Cross: m.Cross}
}

// of returns the sums of a tap.
func (t *tapTotals) of(pc uint64, labels uint16) *tapTotal {
	k := tapKey{pc &^ (pepfile.SiteBit | pepfile.OtherBit), labels}
	if t.taps[k] == nil {
		t.taps[k] = new(tapTotal)
	}
	return t.taps[k]
}

// bounds returns the bounds of a word, whose share is that of the events of its tap in goroutines
// with the same labels, and those of the word in all goroutines if the tap has been reached
// with different labels; else nil.
func (t *tapTotals) bounds(a pepfile.Words, e *pepfile.Word) (own report.Bounds, whole *report.Bounds) {
	k := e.Key()
	own = t.of(k.PC, k.Labels).bounds(part(a, e), a.Moments(e).Slack)
	if all := t.of(k.PC, pepfile.AllLabels); all.sets > 1 {
		k.Labels = pepfile.AllLabels
		w := &t.words[t.indices[k]]
		b := all.bounds(&w.Part, w.slack)
		whole = &b
	}
	return own, whole
}

// bounds returns the bounds of the errors of a word's count, and how far below and above the
// estimate its share of the events of its tap may be. If the tap has no other word, nothing is known about the variance of the
// share; then a word that comes with every third window could have been missed.
func (x *tapTotal) bounds(p *weigh.Part, slack float64) report.Bounds {
	share, b := x.Share(p)
	// In a damaged file a word may have more events than its tap.
	return report.Bounds{
		CountError: weigh.Bound(p.Variance(&x.Total), p.Sum, p.Squares) + max(slack, 0),
		ShareBelow: min(max(share-b.Low, 0), 1),
		ShareError: min(max(b.High-share, 0), 1),
	}
}

// scaleEngine makes counts of the events that an engine was given counts of all events: the words
// of each tap add up to what the windows say of the tap. Events that are of no tap are
// scaled as all events together. The engine does not tell windows apart, so the bound of a
// share is the one that holds if each window had one word only.
func (t *Taps) scaleEngine(sums *tapTotals) {
	var events, given float64
	for i := range t.Words {
		given += float64(t.Words[i].Count)
		s := sums.of(t.Words[i].Tuple.PC, 0)
		s.words = plus(s.words, uint64(t.Words[i].Count))
	}
	for k, s := range sums.taps {
		if k.labels == 0 {
			events += s.Size
		}
	}
	for i := range t.Words {
		w := &t.Words[i]
		s := sums.of(w.Tuple.PC, 0)
		if s.Size <= 0 {
			w.Count = rounded(float64(w.Count) * events / max(given, 1))
			continue
		}
		share := float64(w.Count) / float64(max(s.words, 1))
		w.Count = rounded(share * s.Size)
		all := weigh.Part{Sum: s.Size, Squares: s.Squares}
		w.ShareError = min(max(weigh.Bound(share*(1-share)*s.Squares/(s.Size*s.Size), s.Size, s.Squares), 3*s.Squares/(s.Size*s.Size)), 1)
		w.ShareBelow = w.ShareError
		w.CountError = share*(weigh.Bound(all.Variance(&s.Total), s.Size, s.Squares)+s.slack) + w.ShareError*s.Size
	}
}

// rounded rounds x, at most to the largest number.
func rounded(x float64) int64 {
	if x >= most {
		return most
	}
	return int64(x + .5)
}

// plus adds counts of a file, which may be damaged. Instead of overflowing it returns the largest number.
func plus(a, b uint64) uint64 { return min(min(a, most)+min(b, most), most) }

const most = 1<<63 - 1
