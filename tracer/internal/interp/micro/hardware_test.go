package micro_test

import (
	"fmt"
	"testing"

	"github.com/pepgo/pep/tracer/internal/interp/micro"
	"github.com/pepgo/pep/tracer/internal/interp/steptest"
	"github.com/pepgo/pep/tracer/internal/proc/ptrace"
)

// TestInstructionsOfTheProcessor is VSAMP-11: it compares one step of the machine with one step of the
// processor, for random instructions of each encoding on random registers.
func TestInstructionsOfTheProcessor(t *testing.T) {
	bench, r := steptest.Begin(t)
	th := bench.Thread
	times := 60
	if testing.Short() {
		times = 15
	}
	kinds := map[micro.Kind]int{}
	compared, stopped := 0, map[micro.Stop]int{}
	m := micro.NewMachine()
	for _, e := range steptest.Encodings() {
		for range times {
			code := e.Random(r)
			must(t, bench.Set(code, r))
			m.Forget()
			m.Begin(th.General(), th.Regs.Eflags, bench.Entry, th.Regs.Fs_base, th.Read)
			x, err := th.XState()
			must(t, err)
			copy(m.Vectors[:], x.Vectors[:])
			what := fmt.Sprintf("% x registers %x flags %#x", code, th.General(), th.Regs.Eflags)
			table := micro.NewTable()
			table.Add(micro.Bytes{Base: bench.Entry, Code: code}, bench.Entry, 1)
			var step micro.Step
			why := m.Run(table, 1, func(s *micro.Step) { step = *s })
			if why != micro.Done {
				stopped[why]++
				if !e.MayStop() && why != micro.Fault { // a random address may leave the data
					t.Fatalf("%s: the machine stops: %s", what, why)
				}
				continue
			}
			if err := th.Step(); err == ptrace.ErrFault && step.Op.DstKind == micro.None && step.Result>>47 != 0 {
				continue // a jump to an impossible address
			} else if err != nil {
				t.Fatalf("%s: %v, and the machine does not", what, err)
			}
			kinds[step.Op.Kind]++
			compared++
			compare(t, th, &step, fmt.Sprintf("%s (%s, width %d)", what, step.Op.Kind, step.Op.DstWidth))
			if t.Failed() {
				return
			}
		}
	}
	t.Logf("%d steps compared; not interpreted: %v", compared, stopped)
	for _, k := range micro.Kinds() {
		if kinds[k] == 0 && k != micro.KindStop {
			t.Errorf("no instruction had kind %s", k)
		}
	}
}

// compare compares what a step says with the processor. (The tests of package steptest compare whole states.)
func compare(t *testing.T, th *ptrace.Thread, s *micro.Step, what string) {
	t.Helper()
	op := s.Op
	var hw uint64
	switch op.Kind {
	case micro.KindJcc, micro.KindCmp, micro.KindTest, micro.KindBt, micro.KindJmp, micro.KindCall:
		next := op.PC + uint64(op.Len) // a jump to it does not show
		if op.Kind == micro.KindJcc && op.Imm != next && s.Result != 0 != (th.Regs.Rip != next) {
			t.Errorf("%s: taken %d, the processor is at %#x", what, s.Result, th.Regs.Rip)
		}
		return
	case micro.KindJmpTo, micro.KindCallTo, micro.KindRet:
		hw = th.Regs.Rip
	case micro.KindPush:
		hw, _ = th.Load(s.Addr, 8)
	case micro.KindPop, micro.KindLeave:
		hw = th.General()[op.Dst]
	case micro.KindNop, micro.KindPoison:
		return
	default:
		ok := true
		switch op.DstKind {
		case micro.Register:
			hw = th.General()[op.Dst]
			if op.Flags&micro.FlagDstHigh != 0 {
				hw >>= 8
			}
			hw &= ^uint64(0) >> (64 - 8*min(op.DstWidth, 8))
		case micro.InMemory:
			hw, ok = th.Load(s.Addr, op.DstWidth)
		default:
			return
		}
		if !ok {
			t.Errorf("%s: the processor has nothing at %#x", what, s.Addr)
		}
	}
	if s.Have&micro.HaveResult == 0 || s.Result != hw {
		t.Errorf("%s: result %#x (fields %b), the processor has %#x", what, s.Result, s.Have, hw)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
