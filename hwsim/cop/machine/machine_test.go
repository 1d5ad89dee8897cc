package machine_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pepgo/pep/hwsim/cop/machine"
)

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// randomInstr returns an instruction that cop.Decode takes. One in four ends the routine, so
// that programs get on.
func randomInstr(r *rand.Rand) machine.Instr {
	sources := []machine.Source{0, 1, 2, 7, 16, 17, 31, 32, 35, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 56}
	for {
		in := machine.Instr{Main: machine.MainOp(r.IntN(14)), A: pick(r, sources...)}
		if in.Main.Operands() == 2 {
			in.B = pick(r, sources...)
		}
		if in.Main != machine.MainNop && in.Main != machine.MainCmp && r.IntN(4) > 0 {
			in.Dst = 8 + uint8(r.IntN(8))
		}
		if r.IntN(2) == 0 {
			in.Index, in.IndexDst = machine.IndexOp(r.IntN(8)), uint8(r.IntN(8))
			if in.Index < machine.IndexClr {
				in.IndexSrc = uint8(r.IntN(8))
			}
		}
		if r.IntN(2) == 0 {
			in.Data, in.Base, in.DataIndex, in.Field = machine.DataOp(1+r.IntN(5)), uint8(r.IntN(4)), uint8(r.IntN(8)),
				machine.Field(r.IntN(6))
		}
		if r.IntN(2) == 0 {
			in.Cam, in.CamIndex = machine.CamOp(1+r.IntN(3)), uint8(r.IntN(8))
			in.CamResult = in.Cam != machine.CamInval && r.IntN(2) == 0
		}
		if r.IntN(2) == 0 {
			in.Pred, in.Not, in.Hint, in.Branch = machine.Pred(r.IntN(9)), r.IntN(2) == 0, r.IntN(2) == 0,
				pick(r, 0, 0, machine.BranchTarget, 2, 2, 2, machine.BranchInterrupt)
			switch in.Branch {
			case machine.BranchOffset:
				in.Offset = int8(r.IntN(32) - 16)
			case machine.BranchTarget:
				in.Offset = int8(r.IntN(4))
			}
		}
		if _, err := machine.Decode(in.Encode()); err == nil {
			return in
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newPair returns a machine and an oracle with the same random program and state.
func newPair(t testing.TB, r *rand.Rand) (*machine.Machine, *oracle) {
	c := machine.Config{
		Slots: pick(r, 8, 16), Data: pick(r, 8, 32), Microcode: 32, Width: pick(r, 32, 64), KeyBits: pick(r, 8, 32),
		Penalty: uint64(r.IntN(4)), Watchdog: pick(r, 16, uint64(40)), Dynamic: r.IntN(2) == 0, Seed: r.Uint32() | 1,
		Buffer: 300,
	}
	c.NoPenalty = c.Penalty == 0
	m, err := machine.New(c)
	must(t, err)
	o := &oracle{
		code: map[int]uint64{}, codeN: c.Microcode, flag: map[string]bool{}, data: make([]uint64, c.Data),
		keys: make([]uint64, c.Slots), valid: map[int]bool{},
		bitsN: c.KeyBits, lfsr: c.Seed, width_: c.Width, pen: int(c.Penalty), dog: int(c.Watchdog), dyn: map[int]bool{},
		isDyn: c.Dynamic, waiting: true,
	}
	set := func(register int, value uint64) { t.Helper(); must(t, m.Set(register, value)) }
	for i := range c.Microcode {
		o.code[i] = randomInstr(r).Encode()
		set(machine.MicrocodeWindow+i, o.code[i])
	}
	small := func() uint64 {
		return pick(r, 0, 1, 2, r.Uint64N(1<<8), r.Uint64N(1<<32), lowBits(r.Uint64(), c.Width), pow(c.Width))
	}
	for i := range o.v {
		o.v[i], o.width[i] = small(), pick(r, 1, 2, 3, 5, 8, 16)
		set(machine.ValueWindow+i, o.v[i])
		set(machine.WidthWindow+i, uint64(o.width[i]))
		o.i[i] = lowBits(r.Uint64(), o.width[i])
		set(machine.IndexWindow+i, o.i[i])
	}
	for i := range o.k {
		o.k[i] = small()
		set(machine.ConstWindow+i, o.k[i])
	}
	for i := range o.b {
		size := pick(r, 1, 2, 4, 8)
		o.b[i], o.t[i] = uint64(r.IntN(c.Data/size)*size), r.IntN(c.Microcode)
		set(machine.BaseWindow+i, o.b[i]|uint64(size)<<16)
		set(machine.TargetWindow+i, uint64(o.t[i]))
	}
	for i := range o.entry {
		o.entry[i] = r.IntN(c.Microcode)
		set(machine.EntryWindow+i, uint64(o.entry[i]))
	}
	for i := range o.data {
		o.data[i] = pick(r, 0, r.Uint64(), ^uint64(0))
		set(machine.DataWindow+i, o.data[i])
	}
	set(machine.SampleWindow+machine.FilterClasses, 1<<32-1)
	set(machine.SampleWindow+machine.SelectFields, 63)
	return m, o
}

func compare(m *machine.Machine, o *oracle) string {
	for _, w := range []struct {
		what   string
		window int
		want   []uint64
	}{
		{"V", machine.ValueWindow, o.v[:]}, {"I", machine.IndexWindow, o.i[:]}, {"data", machine.DataWindow, o.data},
		{"key", machine.KeyWindow, o.keys},
		{"LFSR", machine.SampleWindow + machine.ShiftRegister, []uint64{uint64(o.lfsr)}},
	} {
		for i, want := range w.want {
			if got, err := m.Get(w.window + i); err != nil || got != want {
				return fmt.Sprintf("%s%d is %#x, want %#x (%v)", w.what, i, got, want, err)
			}
		}
	}
	for i := range o.keys {
		if got, _ := m.Get(machine.ValidWindow + i); (got == 1) != o.valid[i] {
			return fmt.Sprintf("slot %d: valid is %d", i, got)
		}
	}
	state, cycle := m.State()
	want := machine.Running
	if o.waiting {
		want = machine.Waiting
	}
	if o.interrupted {
		want = machine.Interrupted
	}
	if state != want || int(cycle) != o.cycle || state == machine.Running && m.PC() != o.pc {
		return fmt.Sprintf("state %d in cycle %d at %d, want %d in %d at %d", state, cycle, m.PC(), want, o.cycle, o.pc)
	}
	for p, name := range map[machine.Pred]string{machine.PredEQ: "eq", machine.PredLT: "lt", machine.PredGT: "gt",
		machine.PredHit: "hit", machine.PredISat: "isat", machine.PredMSat: "msat", machine.PredDSat: "dsat"} {
		if m.Flag(p) != o.flag[name] {
			return fmt.Sprintf("%s is %v", name, m.Flag(p))
		}
	}
	if s := m.Stats(); s.Done != uint64(o.done) || s.Killed != uint64(o.killed) || m.Read(machine.SourceM) != o.m {
		return fmt.Sprintf("%+v, M %#x: want %d done, %d killed, M %#x", s, m.Read(machine.SourceM), o.done, o.killed, o.m)
	} else if cycle != s.Instrs+s.Lost+s.Idle+s.Halted {
		return fmt.Sprintf("cycle %d is not the sum of %+v", cycle, s)
	}
	return ""
}

// differential runs a random program on both, with random events.
func differential(t testing.TB, seed uint64, events int) (instrs, killed uint64) {
	r := rand.New(rand.NewPCG(seed, 1))
	m, o := newPair(t, r)
	cycle := 0
	for n := range events {
		cycle += r.IntN(30)
		for m.Run(uint64(cycle)) == machine.Interrupted {
			o.run(cycle)
			if wrong := compare(m, o); wrong != "" {
				t.Fatalf("seed %d, event %d: %s", seed, n, wrong)
			}
			at := cycle + r.IntN(3)
			m.Resume(uint64(at))
			o.resume(at)
		}
		o.run(cycle)
		e := oracleEvent{r.Uint64N(4) << pick(r, 0, 31, 40), r.Uint64(), r.Uint64(), uint64(r.Uint32()), r.Uint64(),
			r.IntN(32), r.IntN(256)}
		s := machine.Sample{PC: e.pc, Value: e.value, Addr: e.addr, Insn: e.insn, Target: e.target, Class: uint8(e.class),
			Event: uint8(e.event)}
		queued, capacity := m.Queued()
		if got := m.Offer(uint64(cycle), s); (got == machine.Accepted) != (queued < capacity) {
			t.Fatalf("seed %d, event %d: outcome %d with %d of %d events in the buffer", seed, n, got, queued, capacity)
		} else if got == machine.Accepted {
			o.arrive(cycle, e)
		}
		if wrong := compare(m, o); wrong != "" {
			t.Fatalf("seed %d, event %d: %s", seed, n, wrong)
		}
	}
	return m.Stats().Instrs, m.Stats().Killed
}

func TestCOP10_MachineIsTheOracleOnRandomPrograms(t *testing.T) {
	var instrs, killed uint64
	for seed := range uint64(2000) {
		i, k := differential(t, seed, 100)
		instrs, killed = instrs+i, killed+k
	}
	if instrs < 1_000_000 || killed < 1000 {
		t.Errorf("%d microinstructions, %d routines killed by the watchdog: too few to tell", instrs, killed)
	}
}

func FuzzMachine(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { differential(t, seed, 200) })
}

// A machine that is restored from a checkpoint does what the first one did.
func TestCOP12_CheckpointAndRestore(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 2))
		m, _ := newPair(t, r)
		feed := func(m *machine.Machine, seed uint64) string {
			r := rand.New(rand.NewPCG(seed, 3))
			_, from := m.State()
			for n := range uint64(100) {
				now := from + 20*n
				for m.Run(now) == machine.Interrupted {
					m.Resume(now)
				}
				m.Offer(now, machine.Sample{PC: r.Uint64N(9), Value: r.Uint64(), Class: uint8(r.IntN(32))})
			}
			text := fmt.Sprint(m.Stats(), m.PC())
			for _, w := range []int{machine.MicrocodeWindow, machine.ValueWindow, machine.IndexWindow, machine.DataWindow,
				machine.KeyWindow, machine.ValidWindow} {
				for i := range 8 {
					v, err := m.Get(w + i)
					text += fmt.Sprint(v, err, " ")
				}
			}
			return text
		}
		feed(m, 1)
		c := m.Checkpoint()
		want := feed(c.Checkpoint(), 2)
		feed(m, 3)
		must(t, m.Set(machine.MicrocodeWindow+3, 0))
		if n := testing.AllocsPerRun(1, func() { m.Restore(c) }); n != 0 {
			t.Fatalf("Restore allocates %v times", n)
		}
		if got := feed(m, 2); got != want {
			t.Fatalf("seed %d: the original, restored, comes to\n%s\nand a copy to\n%s", seed, got, want)
		}
	}
}
