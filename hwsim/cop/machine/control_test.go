package machine_test

import (
	"strings"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim/cop/machine"
)

// Each kind of tuple goes to the routine of its class, with its fields.
func TestCOP09_DispatchAndFields(t *testing.T) {
	for tag := tuple.Tag(1); tag.Known(); tag++ {
		m := load(t, machine.Config{}, `
			.sample pc value addr insn target event
			.entry all other
			.width I0 16
			.width I1 16
		other:	clr I7
			goto rest
		mine:	inc I7
		rest:	mov V0, pc
			mov V1, value
			mov V2, addr
			mov V3, insn
			mov V4, target
			set I0, class
			set I1, event
			mov V5, op
			mov V6, ra
			mov V7, rb
			interrupt`)
		must(t, m.Set(machine.EntryWindow+int(tag), 2))
		m.Offer(0, machine.Sample{PC: 1, Value: 2, Addr: 3, Insn: 0b101011_01101_10011_0000000000000001, Target: 5,
			Class: uint8(tag), Event: 9})
		if got := m.Run(100); got != machine.Interrupted {
			t.Fatalf("%s: state %d", tag, got)
		}
		for i, want := range []uint64{1, 2, 3, 0b101011_01101_10011_0000000000000001, 5, 0b101011, 0b01101, 0b10011} {
			if got := get(t, m, machine.ValueWindow+i); got != want {
				t.Errorf("%s: V%d is %#x, want %#x", tag, i, got, want)
			}
		}
		if class, event, mine := get(t, m, machine.IndexWindow), get(t, m, machine.IndexWindow+1),
			get(t, m, machine.IndexWindow+7); class != uint64(tag) || event != 9 || mine != 1 {
			t.Errorf("%s: class %d, event %d, own routine %d", tag, class, event, mine)
		}
	}
}

// Cycles of programs, counted by hand: one for each instruction, the penalty for each branch that
// goes where its hint does not say.
func TestCOP10_CyclesByHand(t *testing.T) {
	const loop = `
		.sample value
		.entry all x
		.const K0 4
		.const K1 1
		.const K2 0
	x:	mov V0, K2
	y:	add V0, V0, K1
		cmp V0, K0
		if !eq goto y HINT
		done`
	for _, test := range []struct {
		hint    string
		dynamic bool
		want    uint64 // from the first instruction to the one after done
	}{
		{"", false, 1 + 4*3 + 1 + 3*2},       // wrong three times
		{"likely", false, 1 + 4*3 + 1 + 1*2}, // wrong once
		{"", true, 1 + 4*3 + 1 + 2*2},        // wrong at the first and the last time
		{"likely", true, 1 + 4*3 + 1 + 1*2},  // wrong at the last time
		{"unlikely", false, 1 + 4*3 + 1 + 3*2},
	} {
		m := load(t, machine.Config{Dynamic: test.dynamic}, strings.Replace(loop, "HINT", test.hint, 1))
		m.Offer(100, machine.Sample{})
		if _, start := m.State(); start != 102 {
			t.Errorf("the routine begins in cycle %d, want 102: two stages come before execution", start)
		}
		m.Run(1000)
		if _, end := m.State(); end-102 != test.want {
			t.Errorf("%q, dynamic %v: %d cycles, want %d", test.hint, test.dynamic, end-102, test.want)
		}
	}
}

// Done takes the next event, or waits; interrupt halts with the event still in the buffer.
func TestCOP11_DoneAndInterrupt(t *testing.T) {
	m := load(t, machine.Config{}, ".sample pc\n.entry load x\n.entry store y\nx: done\ny: interrupt")
	offer := func(now uint64, tag tuple.Tag) { m.Offer(now, machine.Sample{Class: uint8(tag)}) }
	check := func(what string, state machine.State, cycle uint64, queued int) {
		t.Helper()
		s, c := m.State()
		if n, _ := m.Queued(); s != state || c != cycle || n != queued {
			t.Errorf("%s: state %d in cycle %d with %d events, want %d in %d with %d", what, s, c, n, state, cycle, queued)
		}
	}
	offer(10, tuple.Load)
	offer(10, tuple.Load)
	m.Run(13)
	check("after one done", machine.Running, 13, 1) // no cycle between routines
	m.Run(50)
	check("after two", machine.Waiting, 14, 0)
	offer(50, tuple.Store)
	offer(50, tuple.Load)
	m.Run(60)
	check("after an interrupt", machine.Interrupted, 53, 2)
	m.Run(90)
	check("while halted", machine.Interrupted, 53, 2)
	m.Resume(100)
	check("after it", machine.Running, 102, 1)
	m.Resume(200)
	check("resumed though it was running", machine.Running, 102, 1)
	m.Run(1000)
	check("in the end", machine.Waiting, 103, 0)
}

// After an interrupt a program is made ready again by a few stores, and stays.
func TestCOP12_ReinitialisingTakesFewStores(t *testing.T) {
	m := load(t, machine.Config{}, `
		.sample pc
		.entry all x
		.base B0 0 256
		.width I0 8
	x:	write I0 ; wr B0|I0, pc
		inc I0 ; if isat goto interrupt
		done`)
	for n := uint64(0); m.Run(10*n) != machine.Interrupted; n++ {
		m.Offer(10*n, machine.Sample{PC: n})
	}
	if got := get(t, m, machine.DataWindow+255); got != 255 {
		t.Fatalf("word 255 is %d", got)
	}
	stores := 0
	for _, register := range []int{machine.CommandWindow + machine.InvalidateAll,
		machine.CommandWindow + machine.ClearData, machine.IndexWindow} {
		must(t, m.Set(register, 0))
		stores++
	}
	for i := range 256 {
		if get(t, m, machine.ValidWindow+i) != 0 || get(t, m, machine.DataWindow+i) != 0 {
			t.Fatalf("slot %d is not empty", i)
		}
	}
	if stores > 3 {
		t.Errorf("%d stores", stores)
	}
	m.Resume(4000)
	m.Offer(5000, machine.Sample{PC: 7})
	m.Run(6000)
	if got := get(t, m, machine.DataWindow); got != 7 {
		t.Errorf("the program goes on with %d in word 0, want 7", got)
	}
}

// The watchdog ends routines that never reach done, also if they run through the whole
// microcode without a branch, and the machine goes on.
func TestCOP11_Watchdog(t *testing.T) {
	for name, source := range map[string]string{
		"loop":    "x: inc I0 ; goto x",
		"forward": "x: inc I0 ; goto y unlikely\nnop\ny: goto x",
	} {
		m := load(t, machine.Config{Watchdog: 100}, ".sample pc\n.entry load x\n.entry call z\n"+source+"\nz: done")
		m.Offer(0, machine.Sample{Class: uint8(tuple.Load)})
		m.Offer(0, machine.Sample{Class: uint8(tuple.Call)})
		if got := m.Run(100_000); got != machine.Waiting {
			t.Errorf("%s: state %d", name, got)
		}
		if s := m.Stats(); s.Killed != 1 || s.Done != 1 || s.Instrs != 101 ||
			get(t, m, machine.SampleWindow+machine.KilledEvents) != 1 {
			t.Errorf("%s: %+v", name, s)
		}
	}
	m := newMachine(t, machine.Config{Watchdog: 1000})
	must(t, m.Set(machine.SampleWindow+machine.FilterClasses, 1))
	m.Offer(0, machine.Sample{}) // no program: all microinstructions do nothing
	if m.Run(100_000); m.Stats().Killed != 1 {
		t.Errorf("without a program: %+v", m.Stats())
	}
}

func TestCOP12_Images(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "an image without stores",
		".entry all x\n":                     "line 1: want pep cop 1: assemble the source of the program first",
		"pep cop 12\n":                       "line 1: want pep cop 1: assemble the source of the program first",
		"pep cop 1\n":                        "an image without stores",
		"pep cop 1 x\n0x1 0x2\n0x3":          "line 3: want a register below 0xf0000 and a value, as 0x1f",
		"pep cop 1\n1 0x2\n":                 "line 2: want a register below 0xf0000 and a value, as 0x1f",
		"pep cop 1\n0xf0000 0x2\n":           "line 2: want a register below 0xf0000 and a value, as 0x1f",
		"pep cop 1\n0x1 0x1ffffffffffffffff": "line 2: want a register below 0xf0000 and a value, as 0x1f",
	} {
		if _, err := machine.ParseImage(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// Microcode reads fields that are not selected as 0, and all others as they are.
func TestFieldsThatAreNotSelected(t *testing.T) {
	for f := range machine.Fields(64) {
		m := load(t, machine.Config{}, "\t.sample pc\n\t.entry all x\nx:\tinterrupt")
		must(t, m.Set(machine.SampleWindow+machine.SelectFields, uint64(f)))
		m.Offer(0, machine.Sample{PC: 1, Value: 2, Addr: 3, Insn: 4, Target: 5, Event: 6, Class: 7})
		m.Run(100)
		for i, source := range []machine.Source{machine.SourcePC, machine.SourceValue, machine.SourceAddr, machine.SourceInsn,
			machine.SourceTarget, machine.SourceEvent} {
			if got, want := m.Read(source), uint64(i+1)*uint64(f>>i&1); got != want {
				t.Errorf("fields %06b: field %d is %d, want %d", f, i, got, want)
			}
		}
		if got := m.Read(machine.SourceClass); got != 7 {
			t.Errorf("fields %06b: the class is %d, want 7", f, got)
		}
	}
}

// Software reads what it has stored.
func TestRegistersReadBack(t *testing.T) {
	m := newMachine(t, machine.Config{Slots: 16, Data: 32, Microcode: 32, KeyBits: 32})
	for _, x := range []struct {
		window, n int
		value     func(i int) uint64
	}{
		{machine.MicrocodeWindow, 32, func(i int) uint64 {
			return machine.Instr{Main: machine.MainMov,
				Dst: uint8(8 + i%8)}.Encode()
		}},
		{machine.DataWindow, 32, func(i int) uint64 { return 1<<63 | uint64(i) }},
		{machine.KeyWindow, 16, func(i int) uint64 { return 1<<31 + uint64(i) }},
		{machine.ValueWindow, 8, func(i int) uint64 { return 100 + uint64(i) }},
		{machine.WidthWindow, 8, func(i int) uint64 { return 3 + uint64(i) }},
		{machine.IndexWindow, 8, func(i int) uint64 { return uint64(i) }},
		{machine.ConstWindow, 16, func(i int) uint64 { return 1<<40 + uint64(i) }},
		{machine.BaseWindow, 4, func(i int) uint64 { return uint64(8*i) | 8<<16 }},
		{machine.TargetWindow, 4, func(i int) uint64 { return 20 + uint64(i) }},
		{machine.EntryWindow, 32, func(i int) uint64 { return uint64(31 - i) }},
	} {
		for i := range x.n {
			must(t, m.Set(x.window+i, x.value(i)))
		}
		for i := range x.n {
			if got := get(t, m, x.window+i); got != x.value(i) {
				t.Errorf("register %#x+%d is %#x, want %#x", x.window, i, got, x.value(i))
			}
		}
	}
	must(t, m.Set(machine.ValidWindow+3, 0)) // a store of the key has made it valid
	for i := range 16 {
		if got := get(t, m, machine.ValidWindow+i); (got == 1) != (i != 3) {
			t.Errorf("valid %d is %d", i, got)
		}
	}
}

// Each event that is offered counts as filtered, dropped or accepted.
func TestOffersAreCounted(t *testing.T) {
	m := load(t, machine.Config{Buffer: 100}, "\t.sample pc value\n\t.entry all x\nx:\tinterrupt")
	must(t, m.Set(machine.SampleWindow+machine.FilterClasses, 1<<3))
	var want machine.Stats
	for i := range 50 {
		switch m.Offer(uint64(i), machine.Sample{PC: 1, Class: uint8(3 + i%2)}) {
		case machine.Accepted:
			want.Accepted++
		case machine.Dropped:
			want.Dropped++
		case machine.Filtered:
			want.Filtered++
		}
	}
	if s := m.Stats(); s.Accepted != want.Accepted || s.Dropped != want.Dropped || s.Filtered != 25 ||
		want.Accepted == 0 || want.Dropped == 0 || want.Accepted+want.Dropped != 25 {
		t.Errorf("%+v, want %+v", s, want)
	}
}
