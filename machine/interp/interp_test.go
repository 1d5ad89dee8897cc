package interp

import (
	"slices"
	"testing"
	"unsafe"
)

// A sum of the numbers below n, in a loop that stores to the stack.
var loop = []byte{
	0x31, 0xc0, // XORL AX, AX
	0x31, 0xc9, // XORL CX, CX
	0x48, 0x01, 0xc8, // ADDQ CX, AX
	0x48, 0x89, 0x44, 0x24, 0xf8, // MOVQ AX, -8(SP)
	0x48, 0xff, 0xc1, // INCQ CX
	0x48, 0x39, 0xd9, // CMPQ CX, BX
	0x7c, 0xf0, // JLT
	0x48, 0x8b, 0x44, 0x24, 0xf8, // MOVQ -8(SP), AX
	0xc3, // RET
	0xcc,
}

func newMachine() (*Code, *Machine) {
	c, m := new(Code), new(Machine)
	memory := make([]uint64, 1<<17)
	c.Init(unsafe.Pointer(&memory[0]), 1<<20)
	m.Init(c)
	return c, m
}

func address(p *byte) uint64 { return uint64(uintptr(unsafe.Pointer(p))) }

func TestLoop(t *testing.T) {
	c, m := newMachine()
	stack := make([]uint64, 64)
	end := []byte{0xcc}
	stack[32] = address(&end[0])
	sp := uint64(uintptr(unsafe.Pointer(&stack[32])))
	pc := address(&loop[0])
	type event struct{ id, n uint64 }
	var events []event
	c.Actions = func(at uint64, a *Actions) bool {
		switch at - pc {
		case 0:
			a.At = 1
		case 18:
			a.Taken, a.NotTaken = 2, 3
		}
		return true
	}
	m.Act = func(m *Machine, id uint64) { events = append(events, event{id, m.R[rCX]}) }
	m.R[rBX], m.R[rSP] = 10, sp
	m.Reset(pc, 0)
	if why := m.Run(1000); why != Breakpoint || m.R[rAX] != 45 || m.PC != address(&end[0]) || m.R[rSP] != sp+8 {
		t.Fatalf("got %v, AX %d, PC %#x, want %v, 45, %#x", why, m.R[rAX], m.PC, Breakpoint, address(&end[0]))
	}
	if want := 2 + 10*5 + 2; m.Steps != want {
		t.Errorf("got %d steps, want %d", m.Steps, want)
	}
	if stack[31] != 0 {
		t.Error("the window has written to memory")
	}
	if len(events) != 11 || events[0].id != 1 || events[1] != (event{2, 1}) || events[10] != (event{3, 10}) {
		t.Errorf("got events %v", events)
	}
}

func TestClockAndFlags(t *testing.T) {
	_, m := newMachine()
	code := []byte{
		0x48, 0x39, 0xc0, // CMPQ AX, AX
		0x9c,       // PUSHFQ
		0x0f, 0x31, // RDTSC
		0x48, 0x85, 0xe4, // TESTQ SP, SP
		0x9d,             // POPFQ
		0x0f, 0x94, 0xc1, // SETE CX
		0x0f, 0x01, 0xf9, // RDTSCP
		0xcc,
	}
	stack := make([]uint64, 8)
	m.R[rSP] = uint64(uintptr(unsafe.Pointer(&stack[4])))
	m.Reset(address(&code[0]), 0)
	if why := m.Run(100); why != Machinery {
		t.Errorf("without TSC got %v, want %v", why, Machinery)
	}
	m.TSC, m.R[rCX] = 5<<32|7, 0
	m.R[rSP] = uint64(uintptr(unsafe.Pointer(&stack[4])))
	m.Reset(address(&code[0]), 0)
	if why := m.Run(100); why != Breakpoint || m.R[rAX] != 7+7 || m.R[rDX] != 5 || m.R[rCX] != 0 {
		t.Errorf("got %v, AX %d, DX %d, CX %d, want %v, 14, 5, 0", why, m.R[rAX], m.R[rDX], m.R[rCX], Breakpoint)
	}
	if f := m.Flags(); f != flagZ|flagP {
		t.Errorf("got flags %#x, want %#x", f, flagZ|flagP)
	}
	if v, _ := m.Load(m.R[rSP]-8, 8); v != flagZ|flagP|0x202 {
		t.Errorf("pushed %#x", v)
	}
	if !m.Store(m.R[rSP]-5, 0x1234, 2) || stack[3] != 0 {
		t.Error("Store does not store to the buffer")
	}
	if v, _ := m.Load(m.R[rSP]-8, 8); v != 0x1234<<24|flagZ|flagP|0x202 {
		t.Errorf("got %#x after a store", v)
	}
}

// It is a variable since machines know it by its address, and what is on a stack moves.
var call = []byte{
	0xf9,       // STC
	0x0f, 0x05, // SYSCALL
	0x0f, 0x92, 0xc3, // SETCS BX
	0xcc,
}

// A window goes on behind calls whose result is all that the thread gets, if it may.
func TestSystemCalls(t *testing.T) {
	pc := address(&call[0])
	for _, test := range []struct {
		calls   bool
		ax, si  uint64
		result  uint64
		why     Stop
		comment string
	}{
		{true, 1, 0, 9, Breakpoint, "write"},
		{true, 18, 0, 9, Breakpoint, "pwrite64"},
		{true, 44, 0, 9, Breakpoint, "sendto"},
		{true, 3, 0, 0, Breakpoint, "close"},
		{true, 75, 0, 0, Breakpoint, "fdatasync"},
		{true, 202, 129, 1, Breakpoint, "futex, to wake"},
		{true, 202, 128, 202, Syscall, "futex, to wait"},
		{true, 0, 0, 0, Syscall, "read"},
		{true, 1<<32 | 1, 0, 1<<32 | 1, Syscall, "no call"},
		{false, 1, 0, 1, Syscall, "write, but calls end windows"},
	} {
		c, m := newMachine()
		c.Calls = test.calls
		m.R[rAX], m.R[rSI], m.R[rDX], m.R[rCX], m.R[11] = test.ax, test.si, 9, 0, 0
		m.Reset(pc, 0)
		why := m.Run(100)
		if why != test.why || m.R[rAX] != test.result {
			t.Errorf("%s: %v, AX %d, want %v, %d", test.comment, why, m.R[rAX], test.why, test.result)
		}
		if why == Breakpoint && (m.R[rCX] != pc+3 || m.R[11] != 0x203 || m.R[rBX]&0xff != 1 || m.R[rDX] != 9) {
			t.Errorf("%s: CX %#x, R11 %#x, BL %d, DX %d, want %#x, 0x203, 1, 9", test.comment, m.R[rCX], m.R[11], m.R[rBX]&0xff,
				m.R[rDX], pc+3)
		}
	}
}

// Events of a jump by a table, of an unconditional jump, and of a conditional one that is not joined with a comparison.
func TestEvents(t *testing.T) {
	c, m := newMachine()
	code := []byte{
		0xff, 0x24, 0xcb, // 0: JMP (BX)(CX*8)
		0xcc,
		0xf9,       // 4: STC
		0x72, 0x02, // 5: JCS 9
		0xcc, 0xcc,
		0xeb, 0x01, // 9: JMP 12
		0xcc,
		0x0f, 0x1f, 0x00, // 12: NOP
		0xeb, 0xf2, // 15: JMP 3
	}
	pc := address(&code[0])
	table := []uint64{pc + 3, pc + 3, pc + 4}
	events := map[uint64]Actions{0: {At: 1, Index: 100}, 5: {At: 2, Taken: 3, NotTaken: 4}, 9: {Taken: 5}, 12: {At: 6},
		15: {At: 7}}
	c.Actions = func(at uint64, a *Actions) bool {
		*a = events[at-pc]
		return at-pc < 100
	}
	for _, exact := range []bool{false, true} {
		c.Clear()
		c.Exact = exact
		var got []uint64
		m.Act = func(_ *Machine, e uint64) { got = append(got, e) }
		m.R[rBX], m.R[rCX] = uint64(uintptr(unsafe.Pointer(&table[0]))), 2
		m.Reset(pc, 0)
		if why := m.Run(100); why != Breakpoint || m.PC != pc+3 || m.Steps != 6 {
			t.Errorf("got %v at %d after %d steps, want %v at 3 after 6", why, m.PC-pc, m.Steps, Breakpoint)
		}
		if want := []uint64{1, 102, 2, 3, 5, 6, 7}; !slices.Equal(got, want) {
			t.Errorf("exact %v: got events %v, want %v", exact, got, want)
		}
	}
	c.Actions = func(uint64, *Actions) bool { return false }
	c.Clear()
	m.Reset(pc, 0)
	if why := m.Run(1); why != Refused || m.PC != pc {
		t.Errorf("got %v at %#x, want %v at %#x", why, m.PC, Refused, pc)
	}
}

// Events of CMOVcc and SETcc say whether the instruction moves, or sets to 1.
func TestEventsOfConditions(t *testing.T) {
	c, m := newMachine()
	var word [8]byte
	for cc := range byte(16) {
		code := []byte{
			0x48, 0x0f, 0x40 | cc, 0xc1, // 0: CMOVQcc CX, AX
			0x0f, 0x40 | cc, 0x13, // 4: CMOVLcc (BX), DX
			0x66, 0x0f, 0x40 | cc, 0xf1, // 7: CMOVWcc CX, SI
			0x0f, 0x90 | cc, 0xc5, // 11: SETcc CH
			0x40, 0x0f, 0x90 | cc, 0xc7, // 14: SETcc DI
			0x0f, 0x90 | cc, 0x03, // 18: SETcc (BX)
			0xcc,
		}
		pc := address(&code[0])
		events := map[uint64]Actions{0: {Taken: 1, NotTaken: 2}, 4: {At: 3, Taken: 4, NotTaken: 5}, 7: {Taken: 6},
			11: {NotTaken: 7},
			14: {Taken: 8, NotTaken: 9}, 18: {NotTaken: 10, Taken: 11}}
		c.Actions = func(at uint64, a *Actions) bool {
			*a = events[at-pc]
			return true
		}
		for i := range 64 {
			if c.Exact = i&32 != 0; i&31 == 0 {
				c.Clear()
			}
			var got, want []uint64
			m.Act = func(_ *Machine, e uint64) { got = append(got, e) }
			m.R[rAX], m.R[rCX], m.R[rDX], m.R[rBX], m.R[rSI], m.R[rDI] = 1, 0x0202, 1, address(&word[0]), 1, 2
			word = [8]byte{2}
			flags := uint64(i&1 | i>>1&1<<2 | i>>2&1<<6 | i>>3&1<<7 | i>>4&1<<11) // carry, parity, zero, sign, overflow
			m.Reset(pc, flags)
			if why := m.Run(100); why != Breakpoint || m.Flags() != flags {
				t.Fatalf("%v, flags %#x, want %v, %#x", why, m.Flags(), Breakpoint, flags)
			}
			add := func(holds bool, taken, notTaken uint64) {
				if !holds {
					taken = notTaken
				}
				if taken != 0 {
					want = append(want, taken)
				}
			}
			stored, _ := m.Load(m.R[rBX], 1)
			add(m.R[rAX] == 0x0202, 1, 2)
			want = append(want, 3)
			add(m.R[rDX] == 2, 4, 5)
			add(m.R[rSI] == 0x0202, 6, 0)
			add(m.R[rCX] == 0x0102, 0, 7)
			add(m.R[rDI] == 1, 8, 9)
			add(stored == 1, 11, 10)
			if !slices.Equal(got, want) {
				t.Errorf("condition %d, flags %#x: events %v, want %v", cc, flags, got, want)
			}
		}
	}
}

// A full cache ends the window. So do too many stores, and a jump to nowhere.
func TestEnds(t *testing.T) {
	c, m := newMachine()
	c.Init(unsafe.Pointer(&make([]uint64, 1<<13)[0]), 1<<16)
	code := make([]byte, 1<<14)
	for i := 0; i+2 < len(code); i += 2 {
		code[i], code[i+1] = 0x75, 0 // JNE to the next
	}
	code[len(code)-2] = 0xcc
	m.Reset(address(&code[0]), 0)
	if why := m.Run(1 << 20); why != CodeFull || c.Used() > 1<<16 {
		t.Errorf("got %v, %d bytes used, want %v", why, c.Used(), CodeFull)
	}
	c.Clear()
	fill := []byte{0x88, 0x00, 0x48, 0x05, 0, 1, 0, 0, 0xeb, 0xf6} // MOVB AX, (AX); ADDQ $256, AX; JMP
	m.R[rAX] = 1 << 20
	var line [LineSize]byte
	m.Fetch = func(a uint64) uint64 {
		if a-address(&fill[0])&^lineMask < 2*LineSize {
			return a
		}
		return address(&line[0])
	}
	m.Reset(address(&fill[0]), 0)
	if why := m.Run(1 << 20); why != StoresFull || m.Steps != 3*maxLines {
		t.Errorf("got %v after %d steps, want %v after %d", why, m.Steps, StoresFull, 3*maxLines)
	}
	m.Fetch = nil
	// What comes behind the last instruction that was asked for is not decoded.
	code = []byte{0x90, 0x90, 0xcc}
	for _, exact := range []bool{true, false} {
		c.Clear()
		c.Exact = exact
		steps := 2
		if exact {
			steps = 1
		}
		m.Reset(address(&code[0]), 0)
		if why := m.Run(1); why != Done || m.Steps != steps || c.Decoded() != steps {
			t.Errorf("got %v after %d steps, %d decoded, want %v after %d", why, m.Steps, c.Decoded(), Done, steps)
		}
		if why := m.Run(2); why != Breakpoint || m.Steps != 2 || m.PC != address(&code[2]) {
			t.Errorf("got %v after %d steps, want %v after 2", why, m.Steps, Breakpoint)
		}
	}
	for _, pc := range []uint64{0, 4095, 1 << 47, 1 << 63} {
		c.Clear()
		m.Reset(pc, 0)
		if why := m.Run(1); why != Fault || m.PC != pc {
			t.Errorf("%#x: got %v at %#x, want %v", pc, why, m.PC, Fault)
		}
	}
}
