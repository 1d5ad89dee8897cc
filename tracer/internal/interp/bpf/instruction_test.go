package bpf_test

import (
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/rlimit"

	"github.com/pepgo/pep/tracer/internal/interp/bpf"
	"github.com/pepgo/pep/tracer/internal/interp/micro"
	"github.com/pepgo/pep/tracer/internal/interp/steptest"
	"github.com/pepgo/pep/tracer/internal/proc/ptrace"
)

// TestInstructionsInTheKernel compares one step of the program in the kernel with one step
// of the processor, for random instructions of each encoding.
func TestInstructionsInTheKernel(t *testing.T) {
	rlimit.RemoveMemlock()
	var objs bpf.StepsObjects
	skipWithout(t, bpf.LoadStepsObjects(&objs, nil))
	defer objs.Close()
	bench, r := steptest.Begin(t)
	th := bench.Thread
	compared, whole := 0, 0
	for _, e := range steptest.Encodings() {
		for range 15 {
			code := e.Random(r)
			if err := bench.Set(code, r); err != nil {
				t.Fatal(err)
			}
			op := micro.Decode(code, bench.Entry)
			if err := objs.Ops.Put(uint32(1), &op); err != nil {
				t.Fatal(err)
			}
			q := bpf.StepsRequest{Regs: th.General(), Flags: th.Regs.Eflags, Pc: bench.Entry, Index: 1, Tid: uint32(th.TID), N: 1}
			if _, err := objs.RunSteps.Run(&ebpf.RunOptions{Context: &q, ContextOut: &q}); err != nil {
				t.Fatal(err)
			}
			if q.Steps == 0 {
				if !e.MayStop() && micro.Stop(q.Stop) != micro.Fault {
					t.Fatalf("% x: the program stops: %s", code, micro.Stop(q.Stop))
				}
				continue
			}
			if err := th.Step(); err == ptrace.ErrFault && op.DstKind == micro.None && q.Pc>>47 != 0 {
				continue // a jump to an impossible address
			} else if err != nil {
				t.Fatalf("% x (%s): %v, and the program does not\n%+v", code, op.Kind, err, q)
			}
			compared++
			if q.Known&0xffff == 0xffff {
				whole++
			}
			got := result{"the program in the kernel", q.Regs, q.Known, q.Flags, q.FlagsKnown, q.Pc, 1}
			for _, diff := range got.compare(th) {
				t.Errorf("% x (%s, width %d): %s", code, op.Kind, op.DstWidth, diff)
			}
			if t.Failed() {
				return
			}
		}
	}
	t.Logf("%d steps compared, %d of them with all registers known", compared, whole)
	if whole < compared*9/10 {
		t.Errorf("all registers are known after %d of %d steps only", whole, compared)
	}
}
