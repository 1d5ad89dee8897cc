package interp

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
)

// repetitions holds an instruction at each line: machines know code by its address, and what is on a stack moves.
var repetitions = [8][]byte{
	{0xf3, 0xa4, 0xcc},
	{0x66, 0xf3, 0xa5, 0xcc},
	{0xf3, 0xa5, 0xcc},
	{0xf3, 0x48, 0xa5, 0xcc},
	{0xf3, 0xaa, 0xcc},
	{0x66, 0xf3, 0xab, 0xcc},
	{0xf3, 0xab, 0xcc},
	{0xf3, 0x48, 0xab, 0xcc},
}

// moving is what they copy and fill.
var moving [4096]byte

// Copies and fills of random lengths do what they do one element at a time, wherever lines end and however source and
// destination overlap.
func TestCopiesAndFills(t *testing.T) {
	const longest = 1200 // bytes
	before := make([]byte, len(moving))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range before {
		before[i] = byte(r.Uint32())
	}
	copy(moving[:], before)
	_, m := newMachine()
	for range 2000 {
		for i, code := range repetitions {
			width, fill := uint64(1)<<(i%4), i >= 4
			n := r.Uint64N(longest) / width
			from, to := r.Uint64N(uint64(len(moving))-longest), r.Uint64N(uint64(len(moving))-longest)
			if r.IntN(2) == 0 { // near each other
				to = min(max(from+r.Uint64N(300), 150)-150, uint64(len(moving))-longest)
			}
			m.R[rCX], m.R[rSI], m.R[rDI], m.R[rAX] = n, address(&moving[from]), address(&moving[to]), r.Uint64()
			want := slices.Clone(before)
			element := binary.LittleEndian.AppendUint64(nil, m.R[rAX])[:width]
			for i := range n {
				if !fill {
					element = slices.Clone(want[from+i*width:][:width])
				}
				copy(want[to+i*width:], element)
			}
			m.Reset(address(&code[0]), 0)
			if why := m.Run(10); why != Breakpoint {
				t.Fatalf("%x of %d from %d to %d: %v, want %v", code, n, from, to, why, Breakpoint)
			}
			moved := uint64(0)
			if !fill {
				moved = n * width
			}
			if m.R[rCX] != 0 || m.R[rDI] != address(&moving[to+n*width]) || m.R[rSI] != address(&moving[from+moved]) {
				t.Fatalf("%x of %d from %d to %d: the registers are wrong", code, n, from, to)
			}
			for i := range want {
				if v, _ := m.Load(address(&moving[i]), 1); byte(v) != want[i] {
					t.Fatalf("%x of %d from %d to %d: byte %d is %#x, want %#x", code, n, from, to, i, v, want[i])
				}
			}
		}
	}
	if !slices.Equal(moving[:], before) {
		t.Error("the window wrote to the program's memory")
	}
}

// A window copies and fills as much as its lines hold.
func TestLongFill(t *testing.T) {
	memory := make([]byte, (maxLines+10)*LineSize)
	_, m := newMachine()
	for _, test := range []struct {
		lines uint64
		why   Stop
		left  uint64
	}{
		{maxLines - 1, Breakpoint, 0},
		{maxLines + 1, StoresFull, 1},
	} {
		m.R[rCX], m.R[rDI], m.R[rAX] = test.lines*LineSize/8, (address(&memory[0])+lineMask)&^lineMask, 0
		m.Reset(address(&repetitions[7][0]), 0)
		if why := m.Run(10); why != test.why || m.R[rCX] != test.left*LineSize/8 {
			t.Errorf("%d lines: %v with %d words left, want %v with %d lines left", test.lines, why, m.R[rCX], test.why,
				test.left)
		}
	}
}

func BenchmarkFill(b *testing.B) {
	memory := make([]byte, maxLines*LineSize)
	_, m := newMachine()
	for b.Loop() {
		m.R[rCX], m.R[rDI], m.R[rAX] = maxLines*LineSize/8-LineSize/8, (address(&memory[0])+lineMask)&^lineMask, 0
		m.Reset(address(&repetitions[7][0]), 0)
		m.Run(10)
	}
}
