package steptest_test

import (
	"encoding/binary"
	"fmt"
	"testing"
	"unsafe"

	"github.com/pepgo/pep/machine/interp"
	"github.com/pepgo/pep/tracer/internal/interp/steptest"
	"github.com/pepgo/pep/tracer/internal/proc/ptrace"
)

// pages gives a machine the memory of a stopped thread.
type pages struct {
	th   *ptrace.Thread
	have map[uint64]*[interp.LineSize]byte
}

func (p *pages) fetch(addr uint64) uint64 {
	b := p.have[addr]
	if b == nil {
		b = new([interp.LineSize]byte)
		if p.th.Read(addr, b[:]) != nil {
			return 0
		}
		p.have[addr] = b
	}
	return uint64(uintptr(unsafe.Pointer(b)))
}

func newMachine(th *ptrace.Thread) (*interp.Code, *interp.Machine, *pages) {
	const size = 4 << 20
	c, m, p := new(interp.Code), new(interp.Machine), &pages{th, map[uint64]*[interp.LineSize]byte{}}
	memory := make([]uint64, size/8)
	c.Init(unsafe.Pointer(&memory[0]), size)
	m.Init(c)
	m.Fetch = p.fetch
	return c, m, p
}

// set gives the machine the state of a stopped thread.
func (p *pages) set(t *testing.T, m *interp.Machine) {
	t.Helper()
	clear(p.have)
	g := p.th.General()
	copy(m.R[:], g[:])
	m.SetSegments(p.th.Regs.Fs_base, p.th.Regs.Gs_base)
	x, err := p.th.XState()
	must(t, err)
	copy(m.Vectors[:32], x.Vectors[:])
	*m.Masks(), m.MXCSR = x.Masks, x.MXCSR
	m.Reset(p.th.Regs.Rip, p.th.Regs.Eflags)
}

// TestMachineAndProcessor compares a step of the machine with a step of the processor, for random integer
// instructions of each encoding on random registers.
func TestMachineAndProcessor(t *testing.T) {
	bench, r := steptest.Begin(t)
	th := bench.Thread
	times := 40
	if testing.Short() {
		times = 15
	}
	code, m, mem := newMachine(th)
	code.Exact = true
	compared, stopped := 0, map[interp.Stop]int{}
	for _, e := range append(steptest.Encodings(), steptest.Integers()...) {
		for range times {
			insn := e.Random(r)
			must(t, bench.Set(insn, r))
			must(t, bench.SetVectors(r))
			what := fmt.Sprintf("% x, registers %x, flags %#x", insn, th.General(), th.Regs.Eflags)
			cx := th.Regs.Rcx
			code.Clear()
			mem.set(t, m)
			why := m.Run(1)
			if why != interp.Done {
				stopped[why]++
				err := th.Step()
				switch {
				case e.MayStop(), why == interp.Unknown && steptest.Vector(insn):
				case why == interp.Divide && err == ptrace.ErrFault, why == interp.Fault && err == ptrace.ErrFault:
				default:
					t.Errorf("%s: the machine stops: %v; the processor: %v", what, why, err)
				}
				continue
			}
			if err := th.Step(); err == ptrace.ErrFault && m.PC-bench.Entry > 16 {
				continue // a jump to an impossible address
			} else if err != nil {
				t.Fatalf("%s: %v, and the machine does not", what, err)
			}
			compared++
			compare(t, m, th, what, ^steptest.Undefined(insn, cx))
			compareData(t, m, bench, what)
			if t.Failed() {
				return
			}
		}
	}
	t.Logf("%d steps compared; not interpreted: %v", compared, stopped)
}

// compare compares registers, flags and the PC with the processor.
func compare(t *testing.T, m *interp.Machine, th *ptrace.Thread, what string, flags uint64) {
	t.Helper()
	for i, hw := range th.General() {
		if m.R[i] != hw {
			t.Errorf("%s: register %d is %#x, the processor has %#x", what, i, m.R[i], hw)
		}
	}
	if d := (m.Flags() ^ th.Regs.Eflags) & arithmetic & flags; d != 0 {
		t.Errorf("%s: flags %#x, the processor has %#x", what, m.Flags(), th.Regs.Eflags&arithmetic)
	}
	if m.PC != th.Regs.Rip {
		t.Errorf("%s: PC %#x, the processor has %#x", what, m.PC, th.Regs.Rip)
	}
	if d := vectorDiff(t, m, th); d != "" {
		t.Errorf("%s: %s", what, d)
	}
	const exceptions = 0x3f // that have been
	x, err := th.XState()
	must(t, err)
	if (m.MXCSR^x.MXCSR)&^exceptions != 0 {
		t.Errorf("%s: MXCSR %#x, the processor has %#x", what, m.MXCSR, x.MXCSR)
	}
}

// compareData compares the data page.
func compareData(t *testing.T, m *interp.Machine, bench *steptest.Bench, what string) {
	t.Helper()
	var page [0x2000]byte
	must(t, bench.Thread.Read(bench.Data, page[:]))
	for i := uint64(0); i < uint64(len(page)); i += 8 {
		hw := binary.LittleEndian.Uint64(page[i:])
		if v, ok := m.Load(bench.Data+i, 8); !ok || v != hw {
			t.Errorf("%s: %#x at %#x, the processor has %#x", what, v, bench.Data+i, hw)
		}
	}
}

// vectorDiff says which vector registers differ from those of the processor.
func vectorDiff(t *testing.T, m *interp.Machine, th *ptrace.Thread) (diff string) {
	t.Helper()
	x, err := th.XState()
	must(t, err)
	for i, hw := range x.Vectors {
		if m.Vectors[i] != hw {
			diff += fmt.Sprintf("vector register %d is %x, the processor has %x\n", i, m.Vectors[i], hw)
		}
	}
	if *m.Masks() != x.Masks {
		diff += fmt.Sprintf("mask registers are %x, the processor has %x", *m.Masks(), x.Masks)
	}
	return diff
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
