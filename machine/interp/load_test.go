package interp

import (
	"math"
	"testing"
	"unsafe"
)

// manyLoads is a loop of RDI rounds with six loads, in pieces of different lengths. All but the last one are from RBX;
// that is from RDX, where the loop stores.
var manyLoads = []byte{
	0x48, 0x8b, 0x03, // MOVQ (BX), AX
	0x48, 0x03, 0x43, 0x08, // ADDQ 8(BX), AX
	0xeb, 0x00, // JMP to the next instruction
	0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90,
	0x48, 0x03, 0x03, // ADDQ (BX), AX
	0xeb, 0x00,
	0x90, 0xeb, 0x00,
	0x48, 0x8b, 0x34, 0x0b, // MOVQ (BX)(CX*1), SI
	0xf3, 0x0f, 0x6f, 0x03, // MOVDQU (BX), X0
	0x48, 0x89, 0x02, // MOVQ AX, (DX)
	0xeb, 0x00,
	0x48, 0x03, 0x02, // ADDQ (DX), AX
	0x48, 0xff, 0xcf, // DECQ DI
	0x75, 0xd2, // JNE to the beginning
	0xcc,
}

// Each load has the same chance to be chosen, and the window does what it would do otherwise. The generator always
// begins with the same number, so the test cannot fail by chance; of all numbers it would for one in 10^5: each load is
// chosen 1556 times, with a deviation below 40, and 200 are five of these.
func TestChoiceOfLoads(t *testing.T) {
	const rounds, mean = 200_000, 128.5
	memory := make([]uint64, 4*LineSize/8)
	line := (uint64(uintptr(unsafe.Pointer(&memory[0]))) + LineSize - 1) &^ lineMask
	run := func(m *Machine) {
		m.R[rBX], m.R[rDX], m.R[rCX], m.R[rDI] = line, line+LineSize, 16, rounds
		m.Reset(address(&manyLoads[0]), 0)
		why := Done
		for n := 1; why == Done; n = n*7%1009 + 1 {
			why = m.Run(n)
		}
		if why != Breakpoint {
			t.Fatalf("the loop ends with %v", why)
		}
	}
	*word(line), *word(line + 8) = 3, 5
	_, plain := newMachine()
	run(plain)

	_, m := newMachine()
	at := map[uint64]uint64{0: line, 3: line + 8, 17: line, 25: line + 16, 29: line, 38: 0} // by place of the instruction
	last := uint64(0)
	m.Time = func(addr uint64) uint64 { last = addr; return 77 }
	chosen, all := map[uint64]int{}, 0
	m.Act = func(m *Machine, event uint64) {
		last = 0
		pc, cycles, ok := m.TimeLoad()
		pc -= address(&manyLoads[0])
		want := uint64(77)
		if at[pc] == 0 {
			want = 0
		}
		if event != LoadEvent || !ok || cycles != want || last != at[pc] {
			t.Fatalf("event %#x: the load at %d, from %#x, takes %d cycles, %v; want %#x, %d",
				event, pc, last, cycles, ok, at[pc], want)
		}
		chosen[pc]++
		all++
	}
	m.Seed(1)
	run(m)
	for i := range 16 {
		if m.R[i] != plain.R[i] {
			t.Errorf("register %d is %#x, without choice %#x", i, m.R[i], plain.R[i])
		}
	}
	if m.Steps != plain.Steps || m.Vectors[0] != plain.Vectors[0] {
		t.Errorf("%d steps, want %d", m.Steps, plain.Steps)
	}
	want := rounds / mean
	for pc := range at {
		if n := float64(chosen[pc]); math.Abs(n-want) > 200 {
			t.Errorf("the load at %d was chosen %g times, want about %.0f", pc, n, want)
		}
	}
	if n := float64(all); math.Abs(n-6*want) > 6*want/50 || len(chosen) != len(at) {
		t.Errorf("%d loads were chosen, %v, want about %.0f", all, chosen, 6*want)
	}
}
