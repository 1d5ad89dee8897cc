package report

// This file writes ranges of words. Some engines report ranges because they have no space
// to tell all words apart. A range is aligned: {W: 0x1000, Free: 12} has the words from
// 0x1000 to 0x1fff. As text it has the values of its ends:
//
//	p=[0x1000, 0x1fff]      of an address
//	n=[-128, -1]            of an integer
//	c=['a', 'o']            of a rune
//	f=[1, 1.9999999999999998]
//
// The ends are values of the type: the range of all words is [0, 255] for a uint8.

import (
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/format/pprofenc"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
)

// ends returns the first and the last word of x.
func (x *Word) ends() (first, last uint64) {
	free := uint64(1)<<x.Free - 1 // all bits if x.Free is 64
	return x.Tuple.W &^ free, x.Tuple.W | free
}

// withWords adds to labels the one that tells programs which words x is about: 0x1000-0x1fff. In profiles without
// ranges no sample has it.
func (w *tapWriter) withWords(labels []pprofenc.Label, x *Word) []pprofenc.Label {
	if !w.ranges || x.Other {
		return labels
	}
	first, last := x.ends()
	return append(labels, pprofenc.Label{Key: schema.Words, Value: digits.Hex(first) + "-" + digits.Hex(last)})
}

// withEnds adds that label, and those with the values of the first and the last word. If words are read in different
// ways, there is no site.
func (w *tapWriter) withEnds(labels []pprofenc.Label, s *site, x *Word) []pprofenc.Label {
	if !w.ranges || x.Other {
		return labels
	}
	labels = w.withWords(labels, x)
	low, high := numbers(s, x)
	if low != "" {
		labels = append(labels, pprofenc.Label{Key: schema.Low, Value: low})
	}
	if high != low {
		labels = append(labels, pprofenc.Label{Key: schema.High, Value: high})
	}
	return labels
}

// numbers returns the values of the first and the last word of x if these are integers, addresses or nil.
func numbers(s *site, x *Word) (low, high string) {
	first, last := x.ends()
	tag := x.Tuple.Tag()
	switch kind := kindOf(tag); {
	case s == nil:
		write := plain(first, last)
		return write(first), write(last)
	case tag.Derived() || kind == schema.Types || kind == schema.CallTargets && s.Bits == 0:
		if x.Free > 0 { // as hexRange
			return digits.Hex(first), digits.Hex(last)
		}
	case kind == schema.CallTargets:
	case isAddress(s.Tap) || s.Kind == wire.Signed || s.Kind == wire.Unsigned || s.Kind == wire.Length:
		first, last = clip(s, first, last)
		return valueText(s.Tap, first, nil), valueText(s.Tap, last, nil)
	}
	return "", ""
}

// ranges reports whether some of the words are ranges.
func (t *Taps) ranges() bool {
	for i := range t.Words {
		if t.Words[i].Free > 0 {
			return true
		}
	}
	return false
}

// rangeOf writes a range of words as values of the tap's type.
func (w *tapWriter) rangeOf(s *site, x *Word) string {
	first, last := x.ends()
	if s.Kind == wire.Float && tuple.Tag(s.Tag) != tuple.Addr {
		return w.floats(s, first, last)
	}
	first, last = clip(s, first, last)
	return w.between(s, x, first, last)
}

// between writes the values of two words, or of one if they are the same.
func (w *tapWriter) between(s *site, x *Word, first, last uint64) string {
	value := func(word uint64) string {
		return w.value(s, &Word{Tuple: tuple.Tuple{PC: x.Tuple.PC, W: word}})
	}
	if first == last {
		return value(first)
	}
	return "[" + value(first) + ", " + value(last) + "]"
}

// clip narrows a range to the values that a tap can report, and orders its ends as the type
// orders values. For example, the lowest of all words is 0 as an unsigned integer, and
// 1<<63 as a signed one.
func clip(s *site, first, last uint64) (low, high uint64) {
	most := ^uint64(0)
	switch tag := tuple.Tag(s.Tag); {
	case tag == tuple.Addr:
	case tag == tuple.Edge:
		most = outcomes(s.Type) - 1
	case s.Kind == wire.Bool:
		most = 1
	case s.Kind == wire.Unsigned && s.Bits > 0:
		most >>= 64 - s.Bits
	case s.Kind == wire.Length:
		most >>= 1
	case s.Kind == wire.Signed || s.Kind == wire.Rune:
		return clipSigned(s.Bits, int64(first), int64(last))
	}
	if first > most { // no such value: the engine should not have said so
		return first, last
	}
	return first, min(last, most)
}

func clipSigned(bits uint8, first, last int64) (low, high uint64) {
	if first > last { // both signs: all words
		first, last = -1<<63, 1<<63-1
	}
	if bits == 0 || bits > 64 {
		bits = 64
	}
	least, most := int64(-1)<<(bits-1), int64(1)<<(bits-1)-1
	if last < least || first > most {
		return uint64(first), uint64(last)
	}
	return uint64(max(first, least)), uint64(min(last, most))
}

// outcomes returns how many outcomes are in a list such as "true; false".
func outcomes(list string) (n uint64) {
	n = 1
	for i := range len(list) {
		if hasPrefix(list[i:], "; ") {
			n++
		}
	}
	return n
}

// floats writes a range of bits of floating-point numbers. The first bit is the sign. For
// the other bits, a larger integer is a larger number; then come infinity and NaNs.
func (w *tapWriter) floats(s *site, first, last uint64) string {
	sign, inf := uint64(1)<<63, uint64(0x7ff)<<52
	if s.Bits == 32 {
		sign, inf = 1<<31, 0xff<<23
		first, last = min(first, 1<<32-1), min(last, 1<<32-1)
	}
	nan := ""
	low, high := first, last
	switch {
	case first&sign != last&sign:
		low, high, nan = sign|inf, inf, " or NaN"
	case first&^sign > inf:
		return "NaN"
	default:
		if last&^sign > inf {
			high, nan = last&sign|inf, " or NaN"
		}
		if first&sign != 0 {
			low, high = high, low
		}
	}
	return w.between(s, &Word{Tuple: tuple.Tuple{PC: uint64(s.Tag) << 56}}, low, high) + nan
}

// targets returns a frame for a range of code. The frame is named by the functions that
// the two ends are in.
func (w *tapWriter) targets(x *Word) Frame {
	first, last := x.ends()
	from, to := w.Names.Func(first), w.Names.Func(last)
	if from.Func == to.Func {
		return from
	}
	return Frame{Func: "[" + from.Func + ", " + to.Func + "]"}
}

// hexRange writes a range of addresses.
func hexRange(x *Word) string {
	first, last := x.ends()
	return "[" + digits.Hex(first) + ", " + digits.Hex(last) + "]"
}
