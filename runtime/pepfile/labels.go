package pepfile

// This file holds the label sets of samples. The labels that a program gives its goroutines
// with pprof.Do are in memory that the collector may free or use for others later. So a sample
// copies them into a table of the file, once for each set, and the sample's key has the number
// of the set:
//
//	pprof.Labels("handler", "/users", "method", "GET")
//
//	7 h a n d l e r 6 / u s e r s 6 m e t h o d 3 G E T      the text: each string behind its length
//
// It runs in signal handlers, like add.go.

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/golink"
)

// LabelSets is how many label sets there is space for.
const LabelSets = 1 << 10

const labelSetsSize = LabelSets * uint64(unsafe.Sizeof(LabelSet{}))

const (
	labelsOffset = PageSize + (Slots*uint64(unsafe.Sizeof(Entry{}))+PageSize-1)&^(PageSize-1)
	labelProbes  = 64
)

// A LabelSet is a slot of the table of label sets.
type LabelSet struct {
	Hash  uint64 // of the text; 0 = free
	State uint32 // EntryReady when the text is complete
	N     uint32 // bytes of the text
	Text  labelText
}

type labelText [30]uint64

const labelTextSize = uint32(unsafe.Sizeof(labelText{}))

// LabelSet returns a slot of the table of label sets.
func (t Table) LabelSet(i uint32) *LabelSet {
	offset := uint64(labelsOffset)
	if t.Slots == 0 {
		offset = PageSize
	}
	return (*LabelSet)(t.At(offset + uint64(i)*uint64(unsafe.Sizeof(LabelSet{}))))
}

// NumberOfLabels returns what [Key] has of some labels: 1 + the number of their set, or 0 if
// there are none. If they have more than 240 bytes, with one more for each string, or if there
// is no space for another set, it returns 0 and counts the sample as unlabelled.
func (t Table) NumberOfLabels(l *golink.Labels) uint32 {
	number := t.WordLabels(l)
	if number == TooManyLabels {
		golink.Add64(&t.Unlabelled, 1)
		return 0
	}
	return uint32(number)
}

// WordLabels returns what [WordKey] has of some labels: what [Key] has, but TooManyLabels where that
// counts a sample as unlabelled.
func (t Table) WordLabels(l *golink.Labels) uint16 {
	if l == nil {
		return 0
	}
	var text labelText
	n, ok := text.write(l)
	if ok && n == 0 {
		return 0
	}
	if ok {
		if number := t.claimLabels(&text, n); number != 0 {
			return uint16(number)
		}
	}
	return TooManyLabels
}

// write makes text of labels. It returns false if there is no space for all of them.
func (text *labelText) write(l *golink.Labels) (n uint32, ok bool) {
	labels, ok := l.Len()
	for i := 0; ok && i < labels; i++ {
		x := l.At(i)
		if n, ok = text.put(n, x.Key); ok {
			n, ok = text.put(n, x.Value)
		}
	}
	return n, ok
}

// put writes a string behind n bytes. It copies byte by byte, because handlers must not call
// memmove of package runtime.
func (text *labelText) put(n uint32, s string) (next uint32, ok bool) {
	if uint64(len(s)) >= uint64(labelTextSize-n) {
		return n, false
	}
	from, to := unsafe.Pointer(unsafe.StringData(s)), unsafe.Add(unsafe.Pointer(text), n)
	*(*byte)(to) = byte(len(s))
	for i := range uintptr(len(s)) {
		*(*byte)(unsafe.Add(to, i+1)) = golink.ByteAt(from, i)
	}
	return n + 1 + uint32(len(s)), true
}

// hash is never 0.
func (text *labelText) hash(n uint32) uint64 {
	h := Mix(0, uint64(n))
	for i, w := range text {
		if uint32(i)*8 >= n {
			break
		}
		h = Mix(h, w)
	}
	return h | 1<<63
}

func (text *labelText) equal(other *labelText) bool {
	for i := range text {
		if text[i] != other[i] {
			return false
		}
	}
	return true
}

// claimLabels returns 1 + the number of the slot of a text, and makes one if there is none. It
// returns 0 if there is no space. Two threads that come with a new text at the same time may make
// two slots of it, as with entries: readers take them for one.
func (t Table) claimLabels(text *labelText, n uint32) uint32 {
	h := text.hash(n)
	for probe := range uint32(labelProbes) {
		i := (uint32(h) + probe) % LabelSets
		s := t.LabelSet(i)
		switch golink.Load64(&s.Hash) {
		case 0:
			if golink.Cas64(&s.Hash, 0, h) {
				s.N, s.Text = n, *text
				golink.Store32(&s.State, EntryReady)
				return i + 1
			}
		case h:
			if golink.Load32(&s.State) == EntryReady && s.N == n && s.Text.equal(text) {
				return i + 1
			}
		}
	}
	return 0
}

// Intact reports whether the slot has labels, and the ones that it was made for.
func (s *LabelSet) Intact() bool {
	return golink.Load32(&s.State) == EntryReady && s.N <= labelTextSize && s.Text.hash(s.N) == golink.Load64(&s.Hash)
}

// Labels returns the labels of a set that is intact: keys and values in turns.
func (s *LabelSet) Labels() (list []string) {
	text := unsafe.Slice((*byte)(unsafe.Pointer(&s.Text)), min(s.N, labelTextSize))
	for len(text) > 0 {
		n := min(1+int(text[0]), len(text))
		list = append(list, string(text[1:n]))
		text = text[n:]
	}
	return list
}
