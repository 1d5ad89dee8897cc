package interp

import (
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
	if why := m.Run(4); why != Breakpoint || m.R[rAX] != 39 || m.R[rDX] != 5 || m.R[rCX] != 0 {
		t.Errorf("got %v, AX %d, DX %d, CX %d, want %v, 39, 5, 0", why, m.R[rAX], m.R[rDX], m.R[rCX], Breakpoint)
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
