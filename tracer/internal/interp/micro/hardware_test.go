package micro_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/pepgo/pep/tracer/internal/interp/micro"
	"github.com/pepgo/pep/tracer/internal/interp/steptest"
	"github.com/pepgo/pep/tracer/internal/proc/ptrace"
)

// TestInstructionsOfTheProcessor is VSAMP-11: it compares one step of the machine with one step of the
// processor, for random instructions of each encoding on random registers.
func TestInstructionsOfTheProcessor(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	bench, err := steptest.NewBench()
	if err != nil {
		t.Skip("ptrace of a child does not work here: ", err)
	}
	defer bench.Close()
	th := bench.Thread
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	times := 60
	if testing.Short() {
		times = 15
	}
	kinds := map[micro.Kind]int{}
	compared, stopped := 0, map[micro.Stop]int{}
	for _, e := range steptest.Encodings() {
		for range times {
			code := e.Random(r)
			must(t, bench.Set(code, r))
			g, flags := th.General(), th.Regs.Eflags
			m := micro.NewMachine(g, flags, th)
			table := micro.NewTable()
			start, _ := table.Add(micro.Bytes{Base: bench.Entry, Code: code}, bench.Entry, 1)
			op := &table.Ops[start]
			var step micro.Step
			why := m.Run(table, start, 1, func(s *micro.Step) { step = *s })
			if why != micro.Done {
				stopped[why]++
				if !e.MayStop() && why != micro.Fault { // a random address may leave the data
					t.Fatalf("% x: the machine stops: %s", code, why)
				}
				continue
			}
			if err := th.Step(); err == ptrace.ErrFault && op.DstKind == micro.None && step.Result>>47 != 0 {
				continue // a jump to an impossible address
			} else if err != nil {
				t.Fatalf("% x (%s): %v, and the machine does not\nregisters %x", code, op.Kind, err, g)
			}
			kinds[op.Kind]++
			compared++
			compare(t, th, m, &step, fmt.Sprintf("% x (%s, width %d) registers %x flags %#x", code, op.Kind, op.DstWidth, g, flags))
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

// compare compares what the machine knows with the processor.
func compare(t *testing.T, th *ptrace.Thread, m *micro.Machine, s *micro.Step, what string) {
	t.Helper()
	for i, hw := range th.General() {
		if m.Known>>i&1 != 0 && m.Reg[i] != hw {
			t.Errorf("%s: register %d is %#x, the processor has %#x", what, i, m.Reg[i], hw)
		}
	}
	if d := (m.Flags ^ th.Regs.Eflags) & m.FlagsKnown; d != 0 {
		t.Errorf("%s: flags %#x, the processor has %#x", what, m.Flags&m.FlagsKnown, th.Regs.Eflags&m.FlagsKnown)
	}
	if m.PC != th.Regs.Rip {
		t.Errorf("%s: PC %#x, the processor has %#x", what, m.PC, th.Regs.Rip)
	}
	if s.Op.DstKind == micro.InMemory && s.Have&(micro.HaveAddr|micro.HaveResult) == micro.HaveAddr|micro.HaveResult || s.Op.Kind == micro.KindPush {
		width := s.Op.DstWidth
		if s.Op.Kind == micro.KindPush {
			width = 8
		}
		if s.Op.Kind != micro.KindCmp && s.Op.Kind != micro.KindTest && s.Op.Kind != micro.KindBt {
			if hw, ok := th.Load(s.Addr, width); !ok || hw != s.Result {
				t.Errorf("%s: stored %#x at %#x, the processor has %#x there", what, s.Result, s.Addr, hw)
			}
		}
	}
	// Whatever is computed from known operands must be known, apart from the kinds that
	// say otherwise. If not, comparing only what is known would prove nothing.
	switch s.Op.Kind {
	case micro.KindUnknown, micro.KindPoison, micro.KindBsf, micro.KindBsr:
	default:
		if m.Known != 1<<(micro.NoReg+1)-1 {
			t.Errorf("%s: known registers %#x, want all", what, m.Known)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
