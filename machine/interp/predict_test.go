package interp

import (
	"math/rand/v2"
	"testing"
)

func TestPredictor(t *testing.T) {
	const rounds = 6000
	random := rand.New(rand.NewPCG(1, 2))
	bit := func(b bool) uint64 {
		if b {
			return 1
		}
		return 0
	}
	for _, test := range []struct {
		name     string
		taken    func(i int) []uint64 // outcomes of the branches of a round
		from, to float64              // mispredictions of a round
	}{
		{"never taken", func(int) []uint64 { return []uint64{0} }, 0, 0},
		{"always taken", func(int) []uint64 { return []uint64{1} }, 0, 0},
		{"each second time", func(i int) []uint64 { return []uint64{bit(i%2 == 0)} }, 0, .01},
		{"end of a loop of nine rounds", func(i int) []uint64 { return []uint64{bit(i%9 != 0)} }, 0, .02},
		{"end of a loop of 900 rounds", func(i int) []uint64 { return []uint64{bit(i%900 != 0)} }, 0, .01},
		{"random", func(int) []uint64 { return []uint64{uint64(random.IntN(2))} }, .47, .53},
		{"random, taken one of eight times", func(int) []uint64 { return []uint64{bit(random.IntN(8) == 0)} }, .12, .2},
		{"random, with a loop around", func(int) []uint64 { return []uint64{uint64(random.IntN(2)), 1} }, .47, .53},
		{"the same as one before", func(int) []uint64 { x := uint64(random.IntN(2)); return []uint64{x, 1, 1 - x} }, .47,
			.56},
		{"mostly taken, among random ones", func(int) []uint64 {
			x := random.Uint64()
			return []uint64{x & 1, x >> 1 & 1, x >> 2 & 1, x >> 3 & 1, x >> 4 & 1, x >> 5 & 1, x >> 6 & 1, x >> 7 & 1,
				bit(x>>8&7 != 0)}
		}, 4.05, 4.25},
	} {
		var p predictor
		misses := 0
		for i := range rounds {
			for place, taken := range test.taken(i) {
				if p.outcome(uint64(place), taken) {
					misses++
				}
			}
		}
		if got := float64(misses) / rounds; got < test.from || got > test.to {
			t.Errorf("%s: %.3f mispredictions a round, want %.2f to %.2f", test.name, got, test.from, test.to)
		}
	}
}

// What a branch has done in other windows is still known, and its first outcome is no misprediction.
func TestPredictorMeetsBranches(t *testing.T) {
	var p predictor
	for place := range uint64(places) {
		if p.outcome(place, place&1) {
			t.Fatalf("the first outcome of branch %d is a misprediction", place)
		}
	}
}

// The machine predicts the branches that it executes, as comparisons with jumps and by flags.
func TestPredictsProgram(t *testing.T) {
	const rounds = 4000
	for _, test := range []struct {
		name     string
		bits     byte // of a random number: the branch is taken if one is set
		exact    bool
		from, to uint64
	}{
		{"random", 1, false, rounds * 47 / 100, rounds * 53 / 100},
		{"random, by flags", 1, true, rounds * 47 / 100, rounds * 53 / 100},
		{"never taken", 0, false, 0, 2},
		{"mostly taken", 0xff, true, 0, rounds / 20},
	} {
		code := []byte{
			0x48, 0x89, 0xc1, 0x48, 0xc1, 0xe1, 13, 0x48, 0x31, 0xc8, // RAX ^= RAX << 13
			0x48, 0x89, 0xc1, 0x48, 0xc1, 0xe9, 7, 0x48, 0x31, 0xc8, // RAX ^= RAX >> 7
			0x48, 0x89, 0xc1, 0x48, 0xc1, 0xe1, 17, 0x48, 0x31, 0xc8, // RAX ^= RAX << 17
			0xa8, test.bits, 0x75, 3, // TESTB AL, bits; JNE
			0x48, 0xff, 0xc2, // INCQ DX
			0x48, 0xff, 0xcb, 0x75, 0xd6, // DECQ BX; JNE to the begin
			0xcc,
		}
		c, m := newMachine()
		c.Exact = test.exact
		for range 2 { // the second window begins from 0
			m.Reset(address(&code[0]), 0)
			m.R[0], m.R[2], m.R[3] = 0x9e3779b97f4a7c15, 0, rounds
			m.Run(1 << 20)
			if m.R[3] != 0 {
				t.Fatalf("%s: the program has %d rounds left", test.name, m.R[3])
			}
		}
		if got := m.meter.misses; got < test.from || got > test.to {
			t.Errorf("%s: %d mispredictions in %d rounds, want %d to %d", test.name, got, rounds, test.from, test.to)
		}
	}
}
