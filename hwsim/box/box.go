// Package box joins several numbers into one word, so that an aligned range of words is
// a box: a range of each number.
//
//	s := box.New(4, 4)                // two numbers of 4 bits: x and y
//	w := s.Join([]uint64{0b10, 0b01}) // 0b00001001: the bits of x and y in turns, x first
//	s.Box(w, 2)                       // the 4 words from 0b1000 on: x is 2 or 3, y is 0 or 1
//
// The bits go from the highest of each number to the lowest, in turns. A number that
// has fewer bits than the others has no further turn when its bits are used up. This
// order is called Morton order or z-order. In a tree of ranges of such words, if each
// range is split into 2^d parts, the ranges are boxes of d numbers: each split halves a
// box in all directions. So for d numbers of k bits, package rap with b=2^d and
// universe=2^(d·k) summarises points of d dimensions, with the same bounds as for
// ranges.
//
// The engine of hwsim/morton joins the numbers of an event. This package explains
// messages about ranges of such words.
//
// Source: Hershberger, Shrivastava, Suri and Toth, "Adaptive Spatial Partitioning for
// Multidimensional Data Streams", ISAAC 2004, for trees of boxes; Mysore et al., CGO
// 2006, section 6, who name the extension. The order of the bits: Morton, "A computer
// oriented geodetic data base", IBM 1966.
package box

import (
	"math/bits"

	"github.com/pepgo/pep/hwsim"
)

// A Shape is the number of bits of each number.
type Shape struct {
	bits  []int
	bit   [][]uint8 // bit i of number d goes to bit bit[d][i] of the word
	total int
}

// New returns the shape of numbers with the given bits. There must be at least one
// number, each must have at least one bit, and together they may have at most 64 bits.
func New(bits ...int) *Shape {
	s := &Shape{bits: bits, bit: make([][]uint8, len(bits))}
	for d, n := range bits {
		s.bit[d] = make([]uint8, n)
		s.total += n
	}
	at := s.total
	for turn := 1; at > 0; turn++ {
		for d, n := range bits {
			if turn <= n {
				at--
				s.bit[d][n-turn] = uint8(at)
			}
		}
	}
	return s
}

// Total returns the number of bits of a word.
func (s *Shape) Total() int { return s.total }

// Join returns the word that joins some numbers. Each number must be below 2 to the
// power of its bits.
func (s *Shape) Join(numbers []uint64) (w uint64) {
	for d, x := range numbers {
		for ; x != 0; x &= x - 1 {
			w |= 1 << s.bit[d][bits.TrailingZeros64(x)]
		}
	}
	return w
}

// A Span is the numbers from Lo to Hi.
type Span struct{ Lo, Hi uint64 }

// Box returns a range of each number: those of the words that differ from w in the
// lowest free bits only. w and free are those of a message.
func (s *Shape) Box(w uint64, free uint8) []Span {
	box := make([]Span, len(s.bits))
	for d, bit := range s.bit {
		for i, at := range bit {
			if at < free {
				box[d].Hi |= 1 << i
				continue
			}
			box[d].Lo |= w >> at & 1 << i
		}
		box[d].Hi |= box[d].Lo
	}
	return box
}

// Estimate returns two bounds for the number of events in a box. msgs are the messages
// that an engine such as rap has sent about all events. least is the sum of the counts
// of the messages whose boxes lie inside the box. most also includes the counts of
// those that overlap it. If the box is one that the tree can have, the error of least
// is within the bound of the tree. For other boxes the error can be larger, because
// many boxes of the tree can reach across the surface of the box.
func (s *Shape) Estimate(msgs []hwsim.Message, box []Span) (least, most uint64) {
	for _, m := range msgs {
		inside, touches := true, true
		for d, x := range s.Box(m.Tuple.W, m.Free) {
			inside = inside && box[d].Lo <= x.Lo && x.Hi <= box[d].Hi
			touches = touches && x.Lo <= box[d].Hi && box[d].Lo <= x.Hi
		}
		if inside {
			least += m.Count
		}
		if touches {
			most += m.Count
		}
	}
	return least, most
}
