package cop_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pepgo/pep/hwsim/cop"
)

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// randomInstr returns an instruction that cop.Decode takes. One in four ends the routine, so
// that programs get on.
func randomInstr(r *rand.Rand) cop.Instr {
	sources := []cop.Source{0, 1, 2, 7, 16, 17, 31, 32, 35, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 56}
	for {
		in := cop.Instr{Main: cop.MainOp(r.IntN(14)), A: pick(r, sources...)}
		if in.Main.Operands() == 2 {
			in.B = pick(r, sources...)
		}
		if in.Main != cop.MainNop && in.Main != cop.MainCmp && r.IntN(4) > 0 {
			in.Dst = 8 + uint8(r.IntN(8))
		}
		if r.IntN(2) == 0 {
			in.Index, in.IndexDst = cop.IndexOp(r.IntN(8)), uint8(r.IntN(8))
			if in.Index < cop.IndexClr {
				in.IndexSrc = uint8(r.IntN(8))
			}
		}
		if r.IntN(2) == 0 {
			in.Data, in.Base, in.DataIndex, in.Field = cop.DataOp(1+r.IntN(5)), uint8(r.IntN(4)), uint8(r.IntN(8)), cop.Field(r.IntN(6))
		}
		if r.IntN(2) == 0 {
			in.Cam, in.CamIndex = cop.CamOp(1+r.IntN(3)), uint8(r.IntN(8))
			in.CamResult = in.Cam != cop.CamInval && r.IntN(2) == 0
		}
		if r.IntN(2) == 0 {
			in.Pred, in.Not, in.Hint, in.Branch = cop.Pred(r.IntN(9)), r.IntN(2) == 0, r.IntN(2) == 0, pick(r, 0, 0, cop.BranchTarget, 2, 2, 2, cop.BranchInterrupt)
			switch in.Branch {
			case cop.BranchOffset:
				in.Offset = int8(r.IntN(32) - 16)
			case cop.BranchTarget:
				in.Offset = int8(r.IntN(4))
			}
		}
		if _, err := cop.Decode(in.Encode()); err == nil {
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
func newPair(t testing.TB, r *rand.Rand) (*cop.Machine, *oracle) {
	c := cop.Config{
		Slots: pick(r, 8, 16), Data: pick(r, 8, 32), Microcode: 32, Width: pick(r, 32, 64), KeyBits: pick(r, 8, 32),
		Penalty: uint64(r.IntN(4)), Watchdog: pick(r, 16, uint64(40)), Dynamic: r.IntN(2) == 0, Seed: r.Uint32() | 1, Buffer: 300,
	}
	c.NoPenalty = c.Penalty == 0
	m, err := cop.New(c)
	must(t, err)
	o := &oracle{
		code: map[int]uint64{}, codeN: c.Microcode, flag: map[string]bool{}, data: make([]uint64, c.Data), keys: make([]uint64, c.Slots), valid: map[int]bool{},
		bitsN: c.KeyBits, lfsr: c.Seed, width_: c.Width, pen: int(c.Penalty), dog: int(c.Watchdog), dyn: map[int]bool{}, isDyn: c.Dynamic, waiting: true,
	}
	set := func(register int, value uint64) { t.Helper(); must(t, m.Set(register, value)) }
	for i := range c.Microcode {
		o.code[i] = randomInstr(r).Encode()
		set(cop.MicrocodeWindow+i, o.code[i])
	}
	small := func() uint64 {
		return pick(r, 0, 1, 2, r.Uint64N(1<<8), r.Uint64N(1<<32), lowBits(r.Uint64(), c.Width), pow(c.Width))
	}
	for i := range o.v {
		o.v[i], o.width[i] = small(), pick(r, 1, 2, 3, 5, 8, 16)
		set(cop.ValueWindow+i, o.v[i])
		set(cop.WidthWindow+i, uint64(o.width[i]))
		o.i[i] = lowBits(r.Uint64(), o.width[i])
		set(cop.IndexWindow+i, o.i[i])
	}
	for i := range o.k {
		o.k[i] = small()
		set(cop.ConstWindow+i, o.k[i])
	}
	for i := range o.b {
		size := pick(r, 1, 2, 4, 8)
		o.b[i], o.t[i] = uint64(r.IntN(c.Data/size)*size), r.IntN(c.Microcode)
		set(cop.BaseWindow+i, o.b[i]|uint64(size)<<16)
		set(cop.TargetWindow+i, uint64(o.t[i]))
	}
	for i := range o.entry {
		o.entry[i] = r.IntN(c.Microcode)
		set(cop.EntryWindow+i, uint64(o.entry[i]))
	}
	for i := range o.data {
		o.data[i] = pick(r, 0, r.Uint64(), ^uint64(0))
		set(cop.DataWindow+i, o.data[i])
	}
	set(cop.SampleWindow+cop.FilterClasses, 1<<32-1)
	set(cop.SampleWindow+cop.SelectFields, 63)
	return m, o
}

func compare(m *cop.Machine, o *oracle) string {
	for _, w := range []struct {
		what   string
		window int
		want   []uint64
	}{
		{"V", cop.ValueWindow, o.v[:]}, {"I", cop.IndexWindow, o.i[:]}, {"data", cop.DataWindow, o.data}, {"key", cop.KeyWindow, o.keys},
		{"LFSR", cop.SampleWindow + cop.ShiftRegister, []uint64{uint64(o.lfsr)}},
	} {
		for i, want := range w.want {
			if got, err := m.Get(w.window + i); err != nil || got != want {
				return fmt.Sprintf("%s%d is %#x, want %#x (%v)", w.what, i, got, want, err)
			}
		}
	}
	for i := range o.keys {
		if got, _ := m.Get(cop.ValidWindow + i); (got == 1) != o.valid[i] {
			return fmt.Sprintf("slot %d: valid is %d", i, got)
		}
	}
	state, cycle := m.State()
	want := cop.Running
	if o.waiting {
		want = cop.Waiting
	}
	if o.interrupted {
		want = cop.Interrupted
	}
	if state != want || int(cycle) != o.cycle || state == cop.Running && m.PC() != o.pc {
		return fmt.Sprintf("state %d in cycle %d at %d, want %d in %d at %d", state, cycle, m.PC(), want, o.cycle, o.pc)
	}
	for p, name := range map[cop.Pred]string{cop.PredEQ: "eq", cop.PredLT: "lt", cop.PredGT: "gt", cop.PredHit: "hit", cop.PredISat: "isat", cop.PredMSat: "msat", cop.PredDSat: "dsat"} {
		if m.Flag(p) != o.flag[name] {
			return fmt.Sprintf("%s is %v", name, m.Flag(p))
		}
	}
	if s := m.Stats(); s.Done != uint64(o.done) || s.Killed != uint64(o.killed) || m.Read(cop.SourceM) != o.m {
		return fmt.Sprintf("%+v, M %#x: want %d done, %d killed, M %#x", s, m.Read(cop.SourceM), o.done, o.killed, o.m)
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
		for m.Run(uint64(cycle)) == cop.Interrupted {
			o.run(cycle)
			if wrong := compare(m, o); wrong != "" {
				t.Fatalf("seed %d, event %d: %s", seed, n, wrong)
			}
			at := cycle + r.IntN(3)
			m.Resume(uint64(at))
			o.resume(at)
		}
		o.run(cycle)
		e := oracleEvent{r.Uint64N(4) << pick(r, 0, 31, 40), r.Uint64(), r.Uint64(), uint64(r.Uint32()), r.Uint64(), r.IntN(32), r.IntN(256)}
		s := cop.Sample{PC: e.pc, Value: e.value, Addr: e.addr, Insn: e.insn, Target: e.target, Class: uint8(e.class), Event: uint8(e.event)}
		queued, capacity := m.Queued()
		if got := m.Offer(uint64(cycle), s); (got == cop.Accepted) != (queued < capacity) {
			t.Fatalf("seed %d, event %d: outcome %d with %d of %d events in the buffer", seed, n, got, queued, capacity)
		} else if got == cop.Accepted {
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
		feed := func(m *cop.Machine, seed uint64) string {
			r := rand.New(rand.NewPCG(seed, 3))
			_, from := m.State()
			for n := range uint64(100) {
				now := from + 20*n
				for m.Run(now) == cop.Interrupted {
					m.Resume(now)
				}
				m.Offer(now, cop.Sample{PC: r.Uint64N(9), Value: r.Uint64(), Class: uint8(r.IntN(32))})
			}
			text := fmt.Sprint(m.Stats(), m.PC())
			for _, w := range []int{cop.MicrocodeWindow, cop.ValueWindow, cop.IndexWindow, cop.DataWindow, cop.KeyWindow, cop.ValidWindow} {
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
		must(t, m.Set(cop.MicrocodeWindow+3, 0))
		if n := testing.AllocsPerRun(1, func() { m.Restore(c) }); n != 0 {
			t.Fatalf("Restore allocates %v times", n)
		}
		if got := feed(m, 2); got != want {
			t.Fatalf("seed %d: the original, restored, comes to\n%s\nand a copy to\n%s", seed, got, want)
		}
	}
}
