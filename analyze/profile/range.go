package profile

// This file reads ranges of words, and adds them up.
//
// An engine that has no space to tell all words apart reports ranges. The hotter a range is,
// the narrower it is:
//
//	[0x0, 0xff]      10    events of other words in there
//	  [0x40, 0x4f]   60    likewise
//	    0x42        930
//
// The count of a range is of events that no narrower one has, so the counts of a site
// add up to its events. Within is 1000 for the first line, 990 for the second.

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/pepgo/pep/format/schema"
)

// A Range is the words from First to Last, Last included. The ranges of a site are
// nested or have no word in common.
type Range struct{ First, Last uint64 }

// Single reports whether r is one word.
func (r Range) Single() bool { return r.First == r.Last }

// words returns the range of a sample, nil if it has none.
func (l *labels) words() *Range {
	text := l.get(schema.Words)
	if text == "" {
		return nil
	}
	first, last, ok := strings.Cut(text, "-")
	a, err1 := strconv.ParseUint(first, 0, 64)
	b, err2 := strconv.ParseUint(last, 0, 64)
	if size := b - a; !ok || err1 != nil || err2 != nil || a > b || size&(size+1) != 0 || a&size != 0 {
		l.fail("label %s=%q, want a range of a power of two of words, such as 0x1000-0x1fff", schema.Words, text)
		return nil
	}
	return &Range{a, b}
}

// A Code is where the taps in a range of code are.
type Code struct {
	FirstFunc, LastFunc string // of the first and the last tap
	FirstFile, LastFile string // without directories
	OneFile             bool   // all taps are in FirstFile
	Low, High           int64  // lines: the least and the greatest in one file, else those of the first and the last tap
}

// code returns where the taps of a sample are whose innermost frame is in f.
func (l *labels) code(f Func) *Code {
	c := &Code{FirstFunc: cmp.Or(l.get(schema.LowFunc), f.Name), LastFunc: cmp.Or(l.get(schema.HighFunc), f.Name),
		FirstFile: f.File[strings.LastIndexAny(f.File, `/\`)+1:]}
	c.OneFile = l.get(schema.HighFile) == ""
	c.LastFile = cmp.Or(l.get(schema.HighFile), c.FirstFile)
	c.Low, c.High = l.needNumber(schema.LowLine), l.needNumber(schema.HighLine)
	return c
}

// addUpRanges sets Within of all words of s. It goes from the last range to the
// first, wider ones last, so that a range meets those in it just before: they are on
// the top of a stack.
func (s *Seen) addUpRanges() {
	order := make([]*Word, 0, len(s.Words))
	for i := range s.Words {
		w := &s.Words[i]
		w.Within = w.Count
		if w.Range != nil {
			order = append(order, w)
		}
	}
	slices.SortFunc(order, func(a, b *Word) int {
		return cmp.Or(cmp.Compare(b.Range.First, a.Range.First), cmp.Compare(a.Range.Last, b.Range.Last))
	})
	var inside []*Word
	for _, w := range order {
		for len(inside) > 0 && inside[len(inside)-1].Range.Last <= w.Range.Last {
			w.Within += inside[len(inside)-1].Within
			inside = inside[:len(inside)-1]
		}
		inside = append(inside, w)
	}
}

// Ranged reports whether s has a range of several words.
func (s Seen) Ranged() bool {
	return slices.ContainsFunc(s.Words, func(w Word) bool { return w.Range != nil && !w.Range.Single() })
}
