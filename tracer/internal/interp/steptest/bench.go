// Package steptest has the processor execute random instructions, and code of stopped processes. It
// is the oracle of the interpreters of machine code.
//
// Example: one instruction is executed with random registers and random memory.
//
//	bench, random := steptest.Begin(t)
//	err := bench.Set([]byte{0x48, 0x01, 0xd8}, random) // add rax, rbx
//	err = bench.Thread.Step()
//	bench.Thread.General()[0] // the sum
//
// The kernel accepts requests of the tracing thread only, so Begin keeps the test on it.
package steptest

import (
	"math"
	"math/rand/v2"
	"os/exec"
	"runtime"
	"syscall"
	"testing"

	"github.com/pepgo/pep/tracer/internal/proc/ptrace"
)

// A Bench executes single instructions in a process of its own, on registers and memory
// that it is given. The data page has the size PageSize and is at Data.
type Bench struct {
	Thread *ptrace.Thread
	Entry  uint64 // where the instruction is
	Data   uint64

	cmd      *exec.Cmd
	original syscall.PtraceRegs
	page     []byte
}

const pageSize = 0x2000

// Begin starts a bench that ends with the test, and a source of numbers whose seed is in the test's log. The test is
// skipped where ptrace is not allowed.
func Begin(t *testing.T) (*Bench, *rand.Rand) {
	t.Helper()
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	bench, err := NewBench()
	if err != nil {
		t.Skip("ptrace of a child does not work here: ", err)
	}
	t.Cleanup(bench.Close)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return bench, rand.New(rand.NewPCG(seed, 0))
}

// NewBench starts the process. Close ends it.
func NewBench() (*Bench, error) {
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		return nil, err
	}
	th, cmd, err := ptrace.Start(sleep, "1")
	if err != nil {
		return nil, err
	}
	b := &Bench{Thread: th, Entry: th.Regs.Rip, cmd: cmd, page: make([]byte, pageSize)}
	b.Data = th.Regs.Rsp&^0xfff - 2*pageSize // the kernel lets the stack grow there
	th.Regs.Rsp = b.Data
	b.original = th.Regs
	return b, nil
}

// Close ends the process.
func (b *Bench) Close() {
	b.cmd.Process.Kill()
	b.cmd.Wait()
}

// Set writes the instruction, random registers and random data. Pointers to the data are in
// RBX, RSP and RBP, and RSI is a small index.
func (b *Bench) Set(code []byte, r *rand.Rand) error {
	for i := 0; i+8 <= len(b.page); i += 8 {
		for j, v := 0, Number(r); j < 8; j++ {
			b.page[i+j] = byte(v >> (8 * j))
		}
	}
	var g [16]uint64
	for i := range g {
		g[i] = Number(r)
	}
	g[3], g[4], g[5], g[6] = b.Data+0x800, b.Data+0x1000, b.Data+0x1400, uint64(r.IntN(64))
	const arithmetic = 0x8c5 // carry, parity, zero, sign, overflow
	th := b.Thread
	th.Regs = b.original
	th.SetGeneral(g)
	th.Regs.Eflags, th.Regs.Rip, th.Regs.Orig_rax = 0x202|r.Uint64()&arithmetic, b.Entry, ^uint64(0)
	if err := th.Write(b.Data, b.page); err != nil {
		return err
	}
	if err := th.Write(b.Entry, code); err != nil {
		return err
	}
	return th.SetRegs()
}

// SetVectors writes random vector registers, and the control register as programs have it. A third of the registers
// hold floating point numbers, of 4 or 8 bytes.
func (b *Bench) SetVectors(r *rand.Rand) error {
	s, err := b.Thread.XState()
	if err != nil {
		return err
	}
	for i := range s.Vectors {
		form := r.IntN(6)
		for j := range s.Vectors[i] {
			v := Number(r)
			switch form {
			case 0:
				v = math.Float64bits(r.NormFloat64() * 1e3)
			case 1:
				v = uint64(math.Float32bits(float32(r.NormFloat64()*1e3))) | uint64(math.Float32bits(float32(r.IntN(9))))<<32
			}
			s.Vectors[i][j] = v
		}
	}
	for i := range s.Masks {
		s.Masks[i] = Number(r)
	}
	s.MXCSR = 0x1f80
	return b.Thread.SetXState(s)
}
