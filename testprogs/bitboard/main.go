// Bitboard counts the positions that can follow endgames of chess with kings and pawns.
//
// It exercises sets of squares in words of 64 bits, as chess programs have them. The state
// of a position is a word of flags in the upper 32 bits, and the sets of the second side
// seldom have squares in the lower 32 bits. A profiler that keeps the lower 32 bits of a
// value takes all of these words for 0. Hot: the moves of pawns and kings, and a table of
// positions.
package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/bits"
	"math/rand/v2"
	"os"
	"strconv"
)

const (
	games = 80 // at 100 percent
	depth = 6  // moves that are looked ahead
)

var errUsage = errors.New("usage: bitboard [percent]")

// secondInput is set if the program works on its second input.
var secondInput = os.Getenv("PEPBENCH_INPUT") == "2"

func main() {
	err := run(os.Args[1:], os.Stdout)
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	if errors.Is(err, errUsage) {
		os.Exit(2)
	}
	os.Exit(1)
}

func run(args []string, stdout io.Writer) error {
	scale, err := percent(args)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(14, 15))
	sum := crc32.NewIEEE()
	n, positions := max(1, games*scale/100), uint64(0)
	s := newSearch()
	for range n {
		p := endgame(rng)
		found := s.count(&p, depth)
		positions += found
		binary.Write(sum, binary.LittleEndian, found)
	}
	_, err = fmt.Fprintf(stdout, "bitboard: %d games, %d positions, checksum %08x\n", n, positions, sum.Sum32())
	return err
}

// percent returns the scale that the command line asks for.
func percent(args []string) (int, error) {
	if len(args) == 0 {
		return 100, nil
	}
	p, err := strconv.ParseUint(args[0], 10, 16) // 16 bits: the product with any workload fits
	if err != nil || p == 0 || len(args) > 1 {
		return 0, fmt.Errorf("%w: bad arguments %q", errUsage, args)
	}
	return int(p), nil
}

// A board is a set of squares: bit 0 is a1, bit 7 is h1, bit 63 is h8.
type board uint64

const (
	fileA board = 0x0101010101010101
	fileH       = fileA << 7
	rank2 board = 0xff00
	rank7 board = 0xff << 48
)

// Flags of a position.
const (
	second  uint64 = 1 << (32 + iota) // the second side moves
	checked                           // its king is attacked
	taken                             // the last move took a pawn
	doubled                           // the last move was of two squares
)

// A position has the squares of both sides.
type position struct {
	state uint64 // flags
	kings [2]board
	pawns [2]board
}

// endgame returns a position with both kings at home and five pawns of each side, two in the second input.
func endgame(rng *rand.Rand) position {
	pawns := 5
	if secondInput {
		pawns = 2
	}
	p := position{kings: [2]board{1 << 4, 1 << 60}}
	for bits.OnesCount64(uint64(p.pawns[0])) < pawns {
		p.pawns[0] |= 1 << (8 + rng.IntN(8))
	}
	for bits.OnesCount64(uint64(p.pawns[1])) < pawns {
		p.pawns[1] |= 1 << (48 + rng.IntN(8))
	}
	return p
}

// A search counts positions. It remembers how many follow those that it has seen.
type search struct {
	steps [64]board // of a king
	seen  []entry
}

type entry struct {
	position
	depth int
	count uint64
}

func newSearch() *search {
	s := &search{seen: make([]entry, 1<<14)}
	for i := range s.steps {
		b := board(1) << i
		b |= b&^fileH<<1 | b&^fileA>>1
		s.steps[i] = (b | b<<8 | b>>8) &^ (1 << i)
	}
	return s
}

// slot returns where the search remembers a position.
func (s *search) slot(p *position, depth int) *entry {
	h := p.state ^ uint64(p.kings[0])*0x9e3779b97f4a7c15 ^ uint64(p.kings[1])*0xbf58476d1ce4e5b9
	h ^= uint64(p.pawns[0])*0x94d049bb133111eb ^ uint64(p.pawns[1])*0xff51afd7ed558ccd ^ uint64(depth)<<40
	h ^= h >> 29
	return &s.seen[h*0x9e3779b97f4a7c15>>50]
}

// count returns how many positions there are after so many moves.
func (s *search) count(p *position, depth int) (n uint64) {
	if depth == 0 {
		return 1
	}
	e := s.slot(p, depth)
	if e.depth == depth && e.position == *p {
		return e.count
	}
	side := 0
	if p.state&second != 0 {
		side = 1
	}
	for from := range squares(p.pawns[side]) {
		for to := range squares(p.pawnMoves(side, from)) {
			n += s.after(p, side, from, to, depth)
		}
	}
	for from := range squares(p.kings[side]) {
		near := board(0)
		for king := range squares(p.kings[1-side]) {
			near |= s.steps[king]
		}
		for to := range squares(s.steps[from] &^ (p.kings[side] | p.pawns[side] | near)) {
			n += s.after(p, side, from, to, depth)
		}
	}
	*e = entry{*p, depth, n}
	return n
}

// squares yields the squares of a set.
func squares(b board) func(func(int) bool) {
	return func(yield func(int) bool) {
		for ; b != 0; b &= b - 1 {
			if !yield(bits.TrailingZeros64(uint64(b))) {
				return
			}
		}
	}
}

// pawnMoves returns where a pawn can go. Pawns on their last rank stay there.
func (p *position) pawnMoves(side, from int) board {
	b, all := board(1)<<from, p.kings[0]|p.kings[1]|p.pawns[0]|p.pawns[1]
	if side == 0 {
		step := b << 8 &^ all
		double := step & (rank2 << 8) << 8 &^ all
		return step | double | (b&^fileA<<7|b&^fileH<<9)&p.pawns[1]
	}
	step := b >> 8 &^ all
	double := step & (rank7 >> 8) >> 8 &^ all
	return step | double | (b&^fileH>>7|b&^fileA>>9)&p.pawns[0]
}

// after counts the positions after a move.
func (s *search) after(p *position, side, from, to, depth int) uint64 {
	q := *p
	q.state = 0
	if side == 0 {
		q.state = second
	}
	b := board(1) << to
	if q.kings[side]>>from&1 != 0 {
		q.kings[side] = b
	} else {
		q.pawns[side] = q.pawns[side]&^(1<<from) | b
		if to-from == 16 || from-to == 16 {
			q.state |= doubled
		}
	}
	if q.pawns[1-side]&b != 0 {
		q.pawns[1-side] &^= b
		q.state |= taken
	}
	if q.attacked(1-side, side) {
		q.state |= checked
	}
	if q.attacked(side, 1-side) {
		return 0 // a king must not be left to a pawn
	}
	return s.count(&q, depth-1)
}

// attacked reports whether a pawn of a side attacks the king of the other.
func (p *position) attacked(king, by int) bool {
	b := p.pawns[by]
	if by == 0 {
		return (b&^fileA<<7|b&^fileH<<9)&p.kings[king] != 0
	}
	return (b&^fileH>>7|b&^fileA>>9)&p.kings[king] != 0
}
