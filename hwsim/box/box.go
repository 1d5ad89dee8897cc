// Package box makes one word of several numbers, so that an aligned range of words is a
// box: a range of each number.
//
//	s := box.New(4, 4)                // two numbers of 4 bits: x and y
//	w := s.Join([]uint64{0b10, 0b01}) // 0b00001001: the bits of x and y in turns, x first
//	s.Box(w, 2)                       // the 4 words from 0b1000 on: x is 2 or 3, y is 0 or 1
//
// The bits go from the highest of each number to the lowest, in turns. A number with
// fewer bits than others has no turn when its bits are used up. This is the order of
// Morton, or z-order. A tree of ranges of such words, each of which is split into 2^d
// parts, is a tree of boxes of d numbers: each split halves a box in all directions. So
// with d numbers of k bits package rap with b=2^d and universe=2^(d·k) summarises points
// of d dimensions, with the bounds that it has for ranges.
//
// The engine of hwsim/morton joins the numbers of an event. This package says what a
// message about a range of such words means.
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

// A Shape says how many bits each number has.
type Shape struct {
	bits  []int
	bit   [][]uint8 // the bit of the word that bit i of number d goes to is bit[d][i]
	total int
}

// New returns the shape of numbers with so many bits each: at least one number, each of at
// least one bit, and 64 bits together at most.
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

// Total returns how many bits the words have.
func (s *Shape) Total() int { return s.total }

// Join returns the word of some numbers. Each of them is below 2 to the power of its
// bits.
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

// Box returns the numbers whose words differ from w in the lowest free bits only, if any,
// as a message says it.
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

// Estimate returns between what numbers the events lie that are in a box, if an engine
// such as rap has sent msgs about all events: least is the sum of the counts of the
// boxes inside, most that and the counts of the boxes that reach in. If the box is one
// that the tree could have, the error of least is within the bound of the tree. Other
// boxes have a surface that many boxes of the tree can reach across.
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
