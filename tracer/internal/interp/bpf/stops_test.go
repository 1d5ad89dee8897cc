package bpf_test

import (
	"cmp"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/rlimit"

	"github.com/pepgo/pep/tracer/internal/interp/bpf"
	"github.com/pepgo/pep/tracer/internal/interp/ops"
	"github.com/pepgo/pep/tracer/internal/interp/steptest"
)

// TestStops is VSAMP-12. It has code for each reason for which the program in the kernel stops: how many instructions
// are executed before, and which is next.
func TestStops(t *testing.T) {
	rlimit.RemoveMemlock()
	var objs bpf.StepsObjects
	skipWithout(t, bpf.LoadStepsObjects(&objs, nil))
	defer objs.Close()
	bench, _ := steptest.Begin(t)
	th := bench.Thread
	seen := map[ops.Stop]bool{}
	for _, c := range []struct {
		name, code string
		n          uint32
		stop       ops.Stop
		steps      uint32
		pc         uint64 // behind the beginning of the code
		memory     string // the code that the process has; "" is what is decoded
	}{
		{"as long as wanted", "90 90 90", 2, ops.Done, 2, 2, ""},
		{"cpuid", "90 0fa2", 9, ops.Unsupported, 1, 1, ""},
		{"no instruction", "90 06", 9, ops.Unsupported, 1, 1, ""},
		{"half an instruction", "90 48", 9, ops.Undecodable, 1, 1, ""},
		{"lock xadd [rsp], rcx", "90 f0480fc10c24", 2, ops.Done, 2, 7, ""},
		{"xchg [rsp], rcx", "48870c24", 1, ops.Done, 1, 4, ""},
		{"rep movsq", "90 f348a5", 9, ops.String, 1, 1, ""},
		{"mov gs:[8], rax", "654889042508000000", 9, ops.UnknownAddress, 0, 0, ""},
		{"mov rax, gs:[8] goes on", "65488b042508000000", 1, ops.Done, 1, 9, ""},
		{"mov rax, fs:[rcx+rdx]: nothing is there", "64488b0411", 9, ops.Fault, 0, 0, ""},
		{"pushf", "90 9c", 9, ops.Unsupported, 1, 1, ""},
		{"rdtsc", "90 0f31", 9, ops.Unsupported, 1, 1, ""},
		{"syscall", "90 0f05", 9, ops.Syscall, 1, 1, ""},
		{"int3", "cc", 9, ops.Trap, 0, 0, ""},
		{"ud2", "0f0b", 9, ops.Trap, 0, 0, ""},
		{"mov rsp, [rsp] switches stacks", "90 488b2424", 9, ops.StackSwitch, 1, 1, ""},
		{"mov rsp, rax", "4889c4", 9, ops.StackSwitch, 0, 0, ""},
		{"mov rsp, rbp does not", "4889ec", 1, ops.Done, 1, 3, ""},
		{"pop rsp", "5c", 9, ops.StackSwitch, 0, 0, ""},
		{"mov rax, [rax]: nothing is there", "90 488b00", 9, ops.Fault, 1, 1, ""},
		{"add [rax], rcx faults", "480108", 9, ops.Fault, 0, 0, ""},
		{"ucomisd xmm0, xmm1; je", "660f2ec1 7402", 9, ops.UnknownFlags, 1, 4, ""},
		{"cvttsd2si rax, xmm0; mov [rax], rcx", "f2480f2cc0 488908", 9, ops.UnknownAddress, 1, 5, ""},
		{"cvttsd2si rax, xmm0; mov rcx, [rax] goes on", "f2480f2cc0 488b08", 2, ops.Done, 2, 8, ""},
		{"cvttsd2si rax, xmm0; jmp rax", "f2480f2cc0 ffe0", 9, ops.UnknownTarget, 1, 5, ""},
		{"cvttsd2si rax, xmm0; push rax; ret", "f2480f2cc0 50 c3", 9, ops.UnknownTarget, 2, 6, ""},
		{"call to code that is not there", "e800100000", 9, ops.NotDecoded, 1, 0x1005, ""},
		{"17 times push rax", strings.Repeat("50", 17), 20, ops.StoresFull, 16, 16, ""},
		{"xor ecx, ecx; xor edx, edx; div ecx", "31c9 31d2 f7f1", 9, ops.Divide, 2, 4, ""},
		{"div rcx with a dividend of 128 bits", "48f7f1", 9, ops.Divide, 0, 0, ""},
		{"xor ecx, ecx instead of nop", "90 9090", 9, ops.Changed, 1, 1, "90 31c9"},
		{"mov rax with another last byte", "48b81122334455667788", 9, ops.Changed, 0, 0, "48b81122334455667789"},
		{"a breakpoint", "90 4801c8", 2, ops.Done, 2, 4, "90 cc01c8"},
		{"a breakpoint in another instruction", "90 4801c8", 2, ops.Changed, 1, 1, "90 cc01c9"},
		{"a breakpoint taken away", "90 cc01c8", 2, ops.Changed, 1, 1, "90 4801c8"},
	} {
		code, err := hex.DecodeString(strings.ReplaceAll(c.code, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		memory, err := hex.DecodeString(strings.ReplaceAll(cmp.Or(c.memory, c.code), " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		if err := bench.Set(memory, rand.New(rand.NewPCG(1, 1))); err != nil {
			t.Fatal(err)
		}
		table := ops.NewTable()
		start, _ := table.Add(ops.Bytes{Base: bench.Entry, Code: code}, bench.Entry, len(code))
		for i := 1; i < len(table.Ops); i++ {
			if op := &table.Ops[i]; op.PC >= bench.Entry+uint64(len(code)) { // behind the code there is none
				op.Imm = uint64(ops.NotDecoded)
			}
			if err := objs.Ops.Put(uint32(i), &table.Ops[i]); err != nil {
				t.Fatal(err)
			}
		}
		regs := [16]uint64{}
		for i := range regs {
			regs[i] = uint64(0x1000 * (i + 1))
		}
		regs[ops.SP], regs[ops.BP] = bench.Data+0x1000, bench.Data+0x1800
		q := bpf.StepsRequest{Regs: regs, Pc: bench.Entry, Index: start, Tid: uint32(th.TID), N: c.n, Known: allKnown,
			FlagsKnown: allFlags}
		if _, err := objs.RunSteps.Run(&ebpf.RunOptions{Context: &q, ContextOut: &q}); err != nil {
			t.Fatal(err)
		}
		seen[c.stop] = true
		if ops.Stop(q.Stop) != c.stop || q.Steps != c.steps || q.Pc != bench.Entry+c.pc {
			t.Errorf("%s: stop %q after %d steps at %#x, want %q after %d at %#x", c.name, ops.Stop(q.Stop), q.Steps,
				q.Pc-bench.Entry, c.stop, c.steps, c.pc)
		}
	}
	// A reason without a row would be dead code.
	for _, s := range ops.Stops() {
		if !seen[s] {
			t.Errorf("no code stops for %q", s)
		}
	}
}
