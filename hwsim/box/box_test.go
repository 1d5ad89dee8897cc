package box_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/box"
)

func TestBitsGoInTurns(t *testing.T) {
	for _, c := range []struct {
		bits    []int
		numbers []uint64
		want    uint64
	}{
		{[]int{4, 4}, []uint64{0b10, 0b01}, 0b00001001},
		{[]int{2, 2}, []uint64{0b11, 0b00}, 0b1010},
		{[]int{2, 2, 2}, []uint64{0b10, 0b01, 0b11}, 0b101_011},
		{[]int{2, 4}, []uint64{0b10, 0b0111}, 0b10_01_11}, // x1 y3 x0 y2 y1 y0
		{[]int{5}, []uint64{0b10110}, 0b10110},
	} {
		if got := box.New(c.bits...).Join(c.numbers); got != c.want {
			t.Errorf("%d of %d bits are %b, want %b", c.numbers, c.bits, got, c.want)
		}
	}
}

// A range of words is the box of the numbers of its words: all of the words are tried.
func TestRAP28_RangesAreBoxes(t *testing.T) {
	for _, bits := range [][]int{{4, 4}, {3, 5}, {6, 2}, {2, 3, 3}, {1, 1, 1, 5}, {8}} {
		s := box.New(bits...)
		if s.Total() != 8 {
			t.Fatalf("%d bits, want 8", s.Total())
		}
		numbers := map[uint64][]uint64{} // by word
		var all func(prefix []uint64)
		all = func(prefix []uint64) {
			if d := len(prefix); d < len(bits) {
				for x := range uint64(1) << bits[d] {
					all(append(slices.Clone(prefix), x))
				}
				return
			}
			numbers[s.Join(prefix)] = prefix
		}
		all(nil)
		if len(numbers) != 256 {
			t.Fatalf("%d bits make %d words, want 256", bits, len(numbers))
		}
		for free := range 9 {
			for w := uint64(0); w < 256; w += 1 << free {
				want := make([]box.Span, len(bits))
				for d := range want {
					want[d] = box.Span{Lo: 1 << 60}
					for x := w; x < w+1<<free; x++ {
						want[d].Lo, want[d].Hi = min(want[d].Lo, numbers[x][d]), max(want[d].Hi, numbers[x][d])
					}
				}
				if got := s.Box(w, uint8(free)); !slices.Equal(got, want) {
					t.Fatalf("%d bits: words from %b with %d free bits are %v, want %v", bits, w, free, got, want)
				}
			}
		}
	}
}

// Boxes of 64 bits have all bits where they belong.
func TestWideNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, bits := range [][]int{{32, 32}, {20, 44}, {63, 1}, {16, 16, 16, 16}, {64}} {
		s := box.New(bits...)
		for range 1000 {
			var numbers []uint64
			for _, n := range bits {
				numbers = append(numbers, r.Uint64()>>(64-n))
			}
			for d, x := range s.Box(s.Join(numbers), 0) {
				if x.Lo != numbers[d] || x.Hi != numbers[d] {
					t.Fatalf("%d bits: number %d of %x is %v", bits, d, numbers, x)
				}
			}
		}
		for d, x := range s.Box(0, 64) {
			if x.Lo != 0 || x.Hi != 1<<bits[d]-1 {
				t.Errorf("%d bits: number %d of everything is %v", bits, d, x)
			}
		}
	}
}

func TestEstimate(t *testing.T) {
	s := box.New(4, 4)
	at := func(x, y uint64, free uint8, count uint64) hwsim.Message {
		return hwsim.Message{Tuple: tuple.New(tuple.Load, 0, s.Join([]uint64{x, y})), Count: count, Free: free}
	}
	msgs := []hwsim.Message{at(0, 0, 8, 1), at(0, 0, 4, 10), at(3, 3, 0, 100), at(4, 0, 4, 1000), at(15, 15, 0, 10000)}
	for _, c := range []struct {
		box         []box.Span
		least, most uint64
	}{
		{[]box.Span{{0, 15}, {0, 15}}, 11111, 11111},
		{[]box.Span{{0, 3}, {0, 3}}, 110, 111},
		{[]box.Span{{3, 3}, {3, 3}}, 100, 111},
		{[]box.Span{{0, 4}, {0, 3}}, 110, 1111},
		{[]box.Span{{15, 15}, {14, 15}}, 10000, 10001},
	} {
		if least, most := s.Estimate(msgs, c.box); least != c.least || most != c.most {
			t.Errorf("%v: %d to %d, want %d to %d", c.box, least, most, c.least, c.most)
		}
	}
}
