package bpf_test

import (
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/rlimit"

	"github.com/pepgo/pep/tracer/internal/interp/bpf"
	"github.com/pepgo/pep/tracer/internal/interp/micro"
	"github.com/pepgo/pep/tracer/internal/interp/steptest"
)

// TestStops is VSAMP-12. It has code for each reason for which the program in the kernel stops: how many instructions are
// executed before, and which is next.
func TestStops(t *testing.T) {
	rlimit.RemoveMemlock()
	var objs bpf.StepsObjects
	skipWithout(t, bpf.LoadStepsObjects(&objs, nil))
	defer objs.Close()
	bench, _ := steptest.Begin(t)
	th := bench.Thread
	seen := map[micro.Stop]bool{}
	for _, c := range []struct {
		name, code string
		n          uint32
		stop       micro.Stop
		steps      uint32
		pc         uint64 // behind the beginning of the code
	}{
		{"as long as wanted", "90 90 90", 2, micro.Done, 2, 2},
		{"cpuid", "90 0fa2", 9, micro.Unsupported, 1, 1},
		{"no instruction", "90 06", 9, micro.Undecodable, 1, 1},
		{"lock xadd [rax], rcx", "90 f0480fc108", 9, micro.Lock, 1, 1},
		{"xchg [rax], rcx locks without a prefix", "488708", 9, micro.Lock, 0, 0},
		{"rep movsq", "90 f348a5", 9, micro.String, 1, 1},
		{"mov rax, gs:[8]", "65488b042508000000", 9, micro.Segment, 0, 0},
		{"mov rax, fs:[rcx+rdx]", "64488b0411", 9, micro.Segment, 0, 0},
		{"syscall", "90 0f05", 9, micro.Syscall, 1, 1},
		{"int3", "cc", 9, micro.Trap, 0, 0},
		{"ud2", "0f0b", 9, micro.Trap, 0, 0},
		{"mov rsp, [rsp] switches stacks", "90 488b2424", 9, micro.StackSwitch, 1, 1},
		{"mov rsp, rax", "4889c4", 9, micro.StackSwitch, 0, 0},
		{"mov rsp, rbp does not", "4889ec", 1, micro.Done, 1, 3},
		{"pop rsp", "5c", 9, micro.StackSwitch, 0, 0},
		{"mov rax, [rax]: nothing is there", "90 488b00", 9, micro.Fault, 1, 1},
		{"add [rax], rcx faults", "480108", 9, micro.Fault, 0, 0},
		{"ucomisd xmm0, xmm1; je", "660f2ec1 7402", 9, micro.UnknownFlags, 1, 4},
		{"cvttsd2si rax, xmm0; mov [rax], rcx", "f2480f2cc0 488908", 9, micro.UnknownAddress, 1, 5},
		{"cvttsd2si rax, xmm0; mov rcx, [rax] goes on", "f2480f2cc0 488b08", 2, micro.Done, 2, 8},
		{"cvttsd2si rax, xmm0; jmp rax", "f2480f2cc0 ffe0", 9, micro.UnknownTarget, 1, 5},
		{"cvttsd2si rax, xmm0; push rax; ret", "f2480f2cc0 50 c3", 9, micro.UnknownTarget, 2, 6},
		{"call to code that is not there", "e800100000", 9, micro.NotDecoded, 1, 0x1005},
		{"17 times push rax", strings.Repeat("50", 17), 20, micro.StoresFull, 16, 16},
		{"xor ecx, ecx; xor edx, edx; div ecx", "31c9 31d2 f7f1", 9, micro.Divide, 2, 4},
		{"div rcx with a dividend of 128 bits", "48f7f1", 9, micro.Divide, 0, 0},
	} {
		code, err := hex.DecodeString(strings.ReplaceAll(c.code, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		if err := bench.Set(code, rand.New(rand.NewPCG(1, 1))); err != nil {
			t.Fatal(err)
		}
		table := micro.NewTable()
		start, _ := table.Add(micro.Bytes{Base: bench.Entry, Code: code}, bench.Entry, len(code))
		for i := 1; i < len(table.Ops); i++ {
			if op := &table.Ops[i]; op.Len == 0 && op.PC >= bench.Entry+uint64(len(code)) { // behind the code there is none
				op.Kind, op.Imm = micro.KindStop, uint64(micro.NotDecoded)
			}
			if err := objs.Ops.Put(uint32(i), &table.Ops[i]); err != nil {
				t.Fatal(err)
			}
		}
		regs := [16]uint64{}
		for i := range regs {
			regs[i] = uint64(0x1000 * (i + 1))
		}
		regs[micro.SP], regs[micro.BP] = bench.Data+0x1000, bench.Data+0x1800
		q := bpf.StepsRequest{Regs: regs, Pc: bench.Entry, Index: start, Tid: uint32(th.TID), N: c.n}
		if _, err := objs.RunSteps.Run(&ebpf.RunOptions{Context: &q, ContextOut: &q}); err != nil {
			t.Fatal(err)
		}
		seen[c.stop] = true
		if micro.Stop(q.Stop) != c.stop || q.Steps != c.steps || q.Pc != bench.Entry+c.pc {
			t.Errorf("%s: stop %q after %d steps at %#x, want %q after %d at %#x", c.name, micro.Stop(q.Stop), q.Steps, q.Pc-bench.Entry, c.stop, c.steps, c.pc)
		}
	}
	// A reason without a row would be dead code.
	for _, s := range micro.Stops() {
		if !seen[s] {
			t.Errorf("no code stops for %q", s)
		}
	}
}
