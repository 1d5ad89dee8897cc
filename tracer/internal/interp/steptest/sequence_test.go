package steptest_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pepgo/pep/machine/interp"
	"github.com/pepgo/pep/tracer/internal/interp/steptest"
	"github.com/pepgo/pep/tracer/internal/proc/ptrace"
)

// TestSequences compares pieces of several instructions, of which the decoder drops flags that nobody looks at and
// makes one operation of a comparison and a jump.
func TestSequences(t *testing.T) {
	bench, r := steptest.Begin(t)
	th := bench.Thread
	var es []steptest.Encoding
	for _, e := range append(steptest.Encodings(), steptest.Integers()...) {
		if code := e.Random(r); !e.MayStop() && !steptest.Vector(code) {
			es = append(es, e)
		}
	}
	times := 3000
	if testing.Short() {
		times = 300
	}
	code, m, mem := newMachine(th)
	steps, stopped := 0, map[interp.Stop]int{}
	for range times {
		var insns [][]byte
		var all []byte
		for range 2 + r.IntN(7) {
			insn := es[r.IntN(len(es))].Random(r)
			insns, all = append(insns, insn), append(all, insn...)
		}
		must(t, bench.Set(append(all, 0xcc), r))
		code.Clear()
		mem.set(t, m)
		why := m.Run(1)
		stopped[why]++
		if why != interp.Done && why != interp.Breakpoint {
			continue
		}
		what := fmt.Sprintf("% x, registers %x, flags %#x", insns, th.General(), th.Regs.Eflags)
		// Flags that the manuals leave open spread: as long as a flag is open, it must not be looked at.
		open, skip := uint64(0), false
		var last []byte // of those that were executed: a jump may have left some out
		for range m.Steps {
			var insn []byte
			at := bench.Entry
			for _, x := range insns {
				if th.Regs.Rip == at {
					insn = x
				}
				at += uint64(len(x))
			}
			if insn == nil || open != 0 && steptest.LooksAtFlags(insn) {
				skip = true // the first is a jump into other code
				break
			}
			last = insn
			open |= steptest.Undefined(insn, th.Regs.Rcx)
			if err := steptest.Step(th); err == ptrace.ErrFault {
				skip = true // the processor faults where the machine does not look: a jump to an impossible address
				break
			} else if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
		}
		if skip {
			continue
		}
		steps += m.Steps
		if steptest.Transfers(last) {
			open = ^uint64(0)
		}
		compare(t, m, th, what, ^open)
		if t.Failed() {
			return
		}
	}
	t.Logf("%d steps compared; %v", steps, stopped)
}

// TestStrings compares string instructions, of which one step of the machine is all repetitions.
func TestStrings(t *testing.T) {
	bench, _ := steptest.Begin(t)
	th := bench.Thread
	r := rand.New(rand.NewPCG(rand.Uint64(), 0))
	code, m, mem := newMachine(th)
	code.Exact = true
	for _, op := range []byte{0xa4, 0xa5, 0xa6, 0xa7, 0xaa, 0xab, 0xac, 0xad, 0xae, 0xaf} {
		for _, prefix := range [][]byte{nil, {0xf3}, {0xf2}, {0x66, 0xf3}, {0xf3, 0x48}, {0xf2, 0x48}, {0x48}} {
			for range 5 {
				insn := append(append([]byte{}, prefix...), op)
				must(t, bench.Set(insn, r))
				th.Regs.Rcx, th.Regs.Rsi, th.Regs.Rdi = uint64(r.IntN(40)), bench.Data+0x900+uint64(r.IntN(64)),
					bench.Data+0x900+uint64(r.IntN(1024))
				th.Regs.Rax &= 3
				must(t, th.SetRegs())
				code.Clear()
				mem.set(t, m)
				what := fmt.Sprintf("% x, registers %x, flags %#x", insn, th.General(), th.Regs.Eflags)
				if why := m.Run(1); why != interp.Done {
					t.Fatalf("%s: %v", what, why)
				}
				for pc := th.Regs.Rip; th.Regs.Rip == pc; {
					must(t, th.Step())
				}
				compare(t, m, th, what, ^uint64(0))
				compareData(t, m, bench, what)
				if t.Failed() {
					return
				}
			}
		}
	}
}
