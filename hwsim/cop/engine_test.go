package cop_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/cop"
	"github.com/pepgo/pep/hwsim/cop/coptest"
	"github.com/pepgo/pep/hwsim/cop/images"
	"github.com/pepgo/pep/hwsim/cop/machine"
	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/hwsim/enginetest"
	"github.com/pepgo/pep/hwsim/tracetest"
)

// The sampler in plain Go: each k-th event, with the count k. The rest is lost.
func referenceSamples(in []tuple.Tuple, k int) (msgs []hwsim.Message) {
	for i := k - 1; i < len(in); i += k {
		msgs = append(msgs, hwsim.Message{Tuple: in[i], Count: uint64(k)})
	}
	return msgs
}

// The sampler of microcode takes the samples of the one in Go, a million events for each
// period, if events are far enough apart that none is dropped.
func TestCOP33_SamplerIsTheReference(t *testing.T) {
	in := tracetest.New(1, 200).Events(make([]tuple.Tuple, 1_000_000))
	for _, k := range []int{1, 2, 7, 64, 1000, 999_999} {
		e := coptest.New(t, fmt.Sprintf("near=10,far=20,k0=%d", k))
		got := append(enginetest.Push(e, in), enginetest.Flush(e)...)
		if want := referenceSamples(in, k); !slices.Equal(got, want) {
			t.Errorf("period %d: %d messages, want %d, or others", k, len(got), len(want))
		}
	}
}

// A samplerModel is a second model of the sampler with K0 = 1: six cycles of the machine for each
// event, and a buffer that keeps an event until its routine is done.
type samplerModel struct {
	capacity int      // events in the buffer
	leaves   []uint64 // cycles of the machine in which the events in the buffer are done
	kept     int      // events that found space
	ready    uint64   // the cycle in which the machine is done with all of them
}

// take reports whether an event in a cycle of the machine finds space.
func (s *samplerModel) take(cycle uint64) bool {
	const penalty = 2
	for len(s.leaves) > 0 && s.leaves[0] <= cycle {
		s.leaves = s.leaves[1:]
	}
	if len(s.leaves) == s.capacity {
		return false
	}
	start := s.ready // the machine is busy
	if len(s.leaves) == 0 {
		start = max(s.ready, cycle) + penalty
	}
	s.kept++
	// Three instructions to the branch that is predicted to be taken and is not, its penalty,
	// and three more. Every 128th event ends one earlier with an interrupt, whose branch is
	// predicted wrongly, and after which the pipeline is empty.
	leave := start + 3 + penalty + 3
	s.ready = leave
	if s.kept%128 == 0 {
		leave--
		s.ready = leave + penalty + penalty
	}
	s.leaves = append(s.leaves, leave)
	return true
}

// The same with drops: the samples are those of the events that found space, by the second model
// and time by the definition of package clock.
func TestCOP31_SlowClocksDropEvents(t *testing.T) {
	in := tracetest.New(2, 200).Events(make([]tuple.Tuple, 200_000))
	last := uint64(0)
	for _, x := range []struct {
		slow      uint64 // cycles of the processor for one of the machine
		clock     string
		near, far uint64
		capacity  int // of the buffer
	}{{1, "1", 4, 23, 1}, {1, "1", 2, 8, 60}, {2, "0.5", 2, 8, 60}, {4, "0.25", 2, 8, 60}, {8, "0.125", 2, 8, 60}} {
		slow, clock, near, far, capacity := x.slow, x.clock, x.near, x.far, x.capacity
		e := coptest.New(t, fmt.Sprintf("k0=1,handler=0,access=0,record=0,clock=%s,near=%d,far=%d,buffer=%d", clock, x.near,
			x.far, 17*capacity))
		got := append(enginetest.Push(e, in), enginetest.Flush(e)...)

		var want []hwsim.Message
		model := &samplerModel{capacity: capacity}
		now, pc := uint64(0), uint64(0)
		for _, x := range in {
			d := x.Site() - tuple.Tuple{PC: pc}.Site()
			if d >= 1 && d <= 8 {
				now += near
			} else {
				now += far
			}
			pc = x.PC
			if model.take(now / slow) {
				want = append(want, hwsim.Message{Tuple: x, Count: 1})
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("clock %s: %d messages, want %d, or others", clock, len(got), len(want))
		}
		dropped := uint64(len(in) - len(want))
		if dropped <= last {
			t.Errorf("clock %s: %d dropped, %d with a quicker clock", clock, dropped, last)
		}
		last = dropped
	}
}

// While the processor handles an interrupt neither it nor the machine goes on. So the messages
// do not depend on how long that takes, even if the buffer is full and events are dropped.
func TestCOP12_MachineAndProcessorWaitForTheHandler(t *testing.T) {
	in := tracetest.New(4, 200).Events(make([]tuple.Tuple, 50_000))
	for _, clock := range []string{"1", "0.25"} {
		var quick []hwsim.Message
		for _, handler := range []string{"0", "4000"} {
			e := coptest.New(t, "k0=1,access=0,record=0,clock="+clock+",handler="+handler)
			got := append(enginetest.Push(e, in), enginetest.Flush(e)...)
			if handler == "0" {
				quick = got
			} else if !slices.Equal(got, quick) || len(got) < 1000 || len(got) == len(in) {
				t.Errorf("clock %s: %d messages with a slow handler, %d with a quick one, or others", clock, len(got), len(quick))
			}
		}
	}
}

// Bursts of retirement: the same events, in the same number of cycles on average, lose more
// samples if they retire in bursts. The second model takes the cycles of the events from a
// walk through all instructions.
func TestCOP31_BurstsDropEvents(t *testing.T) {
	in := make([]tuple.Tuple, 64_000)
	for i := range in {
		in[i] = tuple.New(tuple.Load, 5, uint64(i)) // all far
	}
	const capacity = 8
	var drops []uint64
	for _, x := range []struct{ far, retire, burst, pause uint64 }{{8, 1, 0, 0}, {8, 4, 64, 48}, {8, 8, 512, 448}} {
		args := fmt.Sprintf("k0=1,handler=0,access=0,record=0,far=%d,retire=%d,buffer=%d", x.far, x.retire, 17*capacity)
		if x.burst > 0 {
			args += fmt.Sprintf(",burst=%d,pause=%d", x.burst, x.pause)
		}
		e := coptest.New(t, args)
		got := append(enginetest.Push(e, in), enginetest.Flush(e)...)

		var want []hwsim.Message
		model := &samplerModel{capacity: capacity}
		cycle, slot := uint64(0), x.retire
		for i := range in {
			for j := range x.far {
				n := uint64(i)*x.far + j
				if x.burst > 0 && n > 0 && n%x.burst == 0 {
					cycle, slot = cycle+x.pause, x.retire
				}
				if slot++; slot > x.retire {
					cycle, slot = cycle+1, 1
				}
			}
			if model.take(cycle) {
				want = append(want, hwsim.Message{Tuple: in[i], Count: 1})
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d messages, want %d, or others", args, len(got), len(want))
		}
		drops = append(drops, uint64(len(in)-len(want)))
	}
	if drops[0] >= drops[1] || drops[1] >= drops[2] {
		t.Errorf("%d events dropped, want more with longer bursts", drops)
	}
}

// What is lost and what the processor waits for are meters.
func TestCOP31_Meters(t *testing.T) {
	in := tracetest.New(2, 200).Events(make([]tuple.Tuple, 20_000))
	e := coptest.New(t, "k0=1,clock=0.25,access=3,handler=1000,record=7")
	messages := enginetest.Push(e, in)
	meters := map[string]hwsim.Meter{}
	for _, m := range e.(hwsim.Metered).Meters() {
		meters[m.Name] = m
	}
	now := e.(hwsim.Timed).Time()
	interrupts := uint64(len(messages) / 128)
	for name, want := range map[string][2]uint64{
		"processor to an event": {now.Cycles, 20_000},
		"processor stalled":     {interrupts * (1000 + 128*(2*3+7)), now.Cycles},
		"interrupts":            {interrupts, 0},
		"lost: buffer full":     {e.Balance().Dropped, 0},
		"samples":               {20_000 - e.Balance().Dropped, 0},
	} {
		if m := meters[name]; m.Count != want[0] || m.Of != want[1] {
			t.Errorf("%s: %d of %d, want %d", name, m.Count, m.Of, want)
		}
	}
	done := meters["instructions to a sample"].Of
	// Six instructions, one of them with a branch that goes the other way; an interrupt is
	// one instruction earlier, and its branch is predicted wrongly, too.
	if m := meters["instructions to a sample"]; interrupts < 10 || m.Count < 6*done-interrupts ||
		m.Count > 6*(done+1)-interrupts {
		t.Errorf("%d instructions for %d samples, with %d interrupts", m.Count, done, interrupts)
	}
	if m := meters["branches predicted wrongly"]; m.Count < done || m.Count > done+1+interrupts {
		t.Errorf("%d wrong predictions for %d samples", m.Count, done)
	}
}

// What an interrupt costs: the handler, an access for each word of a sample, and the record. The
// processor stalls for that long.
func TestCOP12_InterruptsStallTheProcessor(t *testing.T) {
	in := make([]tuple.Tuple, 128*3)
	for i := range in {
		in[i] = tuple.New(tuple.Load, 5, uint64(i))
	}
	e := coptest.New(t, "near=50,far=50,k0=1,access=3,handler=1000,record=7")
	enginetest.Push(e, in)
	enginetest.Push(e, in[:1]) // the interrupt of event 384 comes before this event
	want := hwsim.Time{Cycles: 50 * 385, Stalled: 3 * (1000 + 128*(2*3+7))}
	want.Cycles += want.Stalled
	if got := e.(hwsim.Timed).Time(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Software at the end of the engine answers interrupts, and can change the filters.
func TestCOP12_SoftwareAnswers(t *testing.T) {
	in := make([]tuple.Tuple, 1000)
	for i := range in {
		in[i] = tuple.New(tuple.Load, 5, uint64(i))
	}
	e := coptest.New(t, "near=50,far=50,k0=1")
	var got []hwsim.Message
	out := hwsim.NewOut(7, func(m []hwsim.Message) { got = append(got, m...) })
	answers := 0
	out.OnInterrupt(func() {
		answers++
		e.(hwsim.Controlled).Store(machine.SampleWindow+machine.FilterClasses, 0) // no event from here on
	})
	e.Push(in, out)
	out.Drain()
	if b := e.Balance(); answers != 1 || len(got) != 128 || b != (hwsim.Balance{Dropped: 1000 - 128}) {
		t.Errorf("%d answers, %d messages, %+v", answers, len(got), b)
	}
	c := e.(hwsim.Controlled)
	c.Store(machine.ConstWindow, 0) // the host needs the period
	if v, _ := c.Load(machine.ConstWindow); v != 1 {
		t.Errorf("K0 is %d", v)
	}
	if v, cycles := c.Load(machine.SampleWindow + machine.RefusedStores); v != 1 || cycles != 2 {
		t.Errorf("%d stores refused, read in %d cycles", v, cycles)
	}
}

// A program travels as the text of its image, and an engine that cannot run it says why.
func TestCOP13_ProgramsOfEngines(t *testing.T) {
	image := func(old, new string) string { return coptest.Image(t, coptest.Change(t, "sampler", old, new)) }
	files := map[string]string{
		"good": image("K0 64", "K0 3"), "source": coptest.Source(t, "sampler"), "host": image("samples", "nobody"),
		"zero": image("K0 64", "K0 0"), "fields": image("pc value", "pc"), "narrow": image("I0 7", "I0 6"),
	}
	s, err := coptest.Parse("good,near=10", files)
	must(t, err)
	in := tracetest.New(3, 20).Events(make([]tuple.Tuple, 1000))
	e := s.New(0)
	if got := append(enginetest.Push(e, in), enginetest.Flush(e)...); !slices.Equal(got, referenceSamples(in, 3)) {
		t.Errorf("%d messages of a program from a file", len(got))
	}
	for args, want := range map[string]string{
		"none":           `column 5: want a file that can be read: file does not exist`,
		"program=source": `column 13: want a program for this machine: line 1: want pep cop 1: assemble the source of the program first`,
		"program=host": `column 13: want a program for this machine: its host is nobody, and there are ` +
			cop.HostNames(),
		"program=zero":          `column 13: want a program for this machine: K0 is 0: the host samples wants the number of events there that a sample stands for`,
		"program=fields":        `column 13: want a program for this machine: the fields of a sample: the host samples wants value among them`,
		"program=narrow":        `column 13: want a program for this machine: sub-arrays of 128 and 128 words: the host samples wants as many in both as I0 can count, 64`,
		"program=good,data=128": `column 13: want a program for this machine: base 1: 0x800080: want a sub-array in the data array, which has 128 words`,
		"slots=100":             `column 11: want a power of two`,
		"clock=0":               `column 11: want a number from 0.001 to 64, such as 0.5`,
		"clock=1.2.3":           `column 11: want a number from 0.001 to 64, such as 0.5`,
		"predictor=best":        `column 15: want static or dynamic`,
	} {
		_, err := coptest.Parse(args, files)
		if err == nil || err.Error() != "engine cop("+args+"), "+want {
			t.Errorf("%s: %v\nwant %s", args, err, want)
		}
	}
}

// A name without a file is that of a built-in program.
func TestCOP13_BuiltInProgramsByName(t *testing.T) {
	for _, name := range images.Names() {
		s, err := coptest.Parse("program="+name, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got, want := s.String(), `cop(program="`+name+`")`; got != want {
			t.Errorf("%s is described as %s, want %s", name, got, want)
		}
	}
}

// Software may answer each interrupt, also those of the timer, which are nearly all if two loads leave slots empty.
func TestCOP12_SoftwareAnswersTheTimer(t *testing.T) {
	e := coptest.New(t, "program=values,near=10,far=10,slots=8,timer=3000,clear=0")
	answers := uint64(0)
	out := hwsim.NewOut(64, func([]hwsim.Message) {})
	out.OnInterrupt(func() { answers++ })
	for i := range uint64(10_000) {
		e.Push([]tuple.Tuple{tuple.New(tuple.Load, i%2, 5)}, out)
	}
	timer := uint64(0)
	for _, m := range e.(hwsim.Metered).Meters() {
		if m.Name == "interrupts of the timer" {
			timer = m.Count
		}
	}
	if answers < timer || timer < 10 {
		t.Errorf("%d answers to %d interrupts of the timer", answers, timer)
	}
}

// The storage of a machine, by hand: 8 value registers and 16 constants, 8 index registers, 4 bases and 4 targets.
func TestCOP13_Size(t *testing.T) {
	s, err := engines.Parse("cop(slots=128,data=512,keybits=20,microcode=64,filterpcs=1024,buffer=300)", nil)
	must(t, err)
	got := map[string]int{}
	for _, p := range s.Size(64) {
		got[p.Name] = p.Entries * p.Bits
	}
	want := map[string]int{
		"cop microcode": 64 * 64, "cop associative array": 128 * 21, "cop data array": 512 * 64, "cop filter of PCs": 1024,
		"cop sample buffer":        2400,
		"cop values and constants": (8 + 16) * 64, "cop indexes, bases and targets": (8 + 4 + 4) * 16,
		"cop table of routines": 32 * 16,
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestCOP13_DescriptionsRoundTrip(t *testing.T) {
	for _, text := range append(cop.Kind.Examples, "cop(clock=12.345,data=1024,buffer=32,seed=7)") {
		s, err := engines.Parse(text, nil)
		must(t, err)
		again, err := engines.Parse(s.String(), nil)
		must(t, err)
		if again.String() != s.String() {
			t.Errorf("%s is described as %s, and that as %s", text, s, again)
		}
		// no example names a default
		for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("(),", r) }) {
			if name, value, ok := strings.Cut(part, "="); ok && !strings.Contains(s.String(), name+"="+value) &&
				!strings.Contains(s.String(), name+`="`+value+`"`) {
				t.Errorf("%s is described as %s, without %s", text, s, part)
			}
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
