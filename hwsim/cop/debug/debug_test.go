package debug_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/cop/asm"
	"github.com/pepgo/pep/hwsim/cop/debug"
	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/hwsim/tracetest"
)

// sampler returns an engine that runs the simple sampler.
func sampler(t *testing.T, parameters string) hwsim.Engine {
	t.Helper()
	spec, err := engines.Parse("cop("+parameters+")", nil)
	if err != nil {
		t.Fatal(err)
	}
	return spec.New(0)
}

// assembled returns a built-in program.
func assembled(t *testing.T, name string) *asm.Program {
	t.Helper()
	source, err := os.ReadFile("../asm/programs/" + name + ".s")
	if err != nil {
		t.Fatal(err)
	}
	p, err := asm.Assemble(name+".s", string(source))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Whoever watches a machine does not change what it does: the debugger goes through the
// same instructions, cycles and interrupts as an engine that runs alone, whatever its
// commands are. The engine alone says how many instructions and interrupts there were; the
// lines of the debugger are counted.
func TestWatchingChangesNothing(t *testing.T) {
	const parameters = "k0=1,clock=0.7,near=6,far=12,buffer=60,retire=4,burst=64,pause=30"
	in := tracetest.New(3, 50).Events(make([]tuple.Tuple, 3000))
	alone, program := sampler(t, parameters), assembled(t, "sampler")
	var want []hwsim.Message
	out := hwsim.NewOut(64, func(m []hwsim.Message) { want = append(want, m...) })
	for _, x := range in {
		alone.Push([]tuple.Tuple{x}, out)
	}
	before := alone.(hwsim.Timed).Time()
	out.Drain()
	interrupts := len(want) / 128
	if interrupts < 5 || before.Stalled == 0 {
		t.Fatalf("%d interrupts, %+v: too few for a test", interrupts, before)
	}

	for name, commands := range map[string]string{
		"trace":       "",
		"run":         "run\n",
		"steps":       strings.Repeat("step 7\n", 2000) + "run\n",
		"routines":    strings.Repeat("routine 3\nprint\nprint data\nprint slots\n", 300) + "run\n",
		"interrupts":  strings.Repeat("interrupt\n", 3) + "run\n",
		"breakpoints": "break take+3\nbreak take+5\n" + strings.Repeat("run\n", 50) + "delete take+3\ndelete 5\nrun\n",
	} {
		e := sampler(t, parameters)
		var text bytes.Buffer
		s, err := debug.New(&text, e, program, slices.Values(in))
		if err != nil {
			t.Fatal(err)
		}
		if commands == "" {
			s.Trace()
		} else if err := s.Debug(strings.NewReader(commands)); err != nil {
			t.Fatal(err)
		}
		halted := strings.Count(text.String(), "the host has read the machine and sends 128 messages")
		if more := strings.Count(text.String(), "             and 118 more\n"); more != halted {
			t.Errorf("%s: %d of %d lists of messages say how many more there are", name, more, halted)
		}
		dropped := strings.Count(text.String(), "dropped, the sample buffer is full")
		if halted != interrupts && halted != interrupts+1 || uint64(dropped) != alone.Balance().Dropped {
			t.Errorf("%s: %d interrupts and %d drops, want %d and %d", name, halted, dropped, interrupts,
				alone.Balance().Dropped)
		}
		last := fmt.Sprintf("event in cycle %d of the processor", before.Cycles)
		if n := strings.Count(text.String(), last); n == 0 {
			t.Errorf("%s: the last event is not in cycle %d", name, before.Cycles)
		}
	}
}

// A breakpoint is at a label, at so many instructions behind it, or at an address; what is no place is refused.
func TestBreakpoints(t *testing.T) {
	program := assembled(t, "sampler")
	take := program.Label["take"]
	for where, want := range map[string]string{
		"take": fmt.Sprintf("address %d\n", take), "take+3": fmt.Sprintf("address %d\n", take+3), "0x2": "address 2\n",
		"none":   "there is no label none: labels are ",
		"take+x": "there is no label take: labels are ", "take+999": "the program has addresses below ", "": "",
	} {
		var text bytes.Buffer
		s, err := debug.New(&text, sampler(t, "k0=1"), program, slices.Values([]tuple.Tuple(nil)))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Debug(strings.NewReader("break " + where + "\n")); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text.String(), want) ||
			strings.Contains(text.String(), "breakpoint at") != strings.HasPrefix(want, "address") {
			t.Errorf("break %s: want %q in\n%s", where, want, &text)
		}
	}
}

// If a program selects addresses, the words of an event are shown together, with what became
// of this event and not of the next one.
func TestEventsOfSeveralWords(t *testing.T) {
	spec, err := engines.Parse("cop(program=deps)", nil)
	if err != nil {
		t.Fatal(err)
	}
	in := []tuple.Tuple{
		tuple.New(tuple.Store, 1, 7), tuple.New(tuple.More, 1, 0x10), tuple.New(tuple.Enter, 2, 0),
		tuple.New(tuple.Op, 3, 5), tuple.New(tuple.More, 3, 2), tuple.New(tuple.Third, 3, 4), tuple.New(tuple.Load, 4, 7),
		tuple.New(tuple.More, 4, 0x10),
	}
	var text bytes.Buffer
	s, err := debug.New(&text, spec.New(0), assembled(t, "deps"), slices.Values(in))
	if err != nil {
		t.Fatal(err)
	}
	s.Trace()
	var got []string
	for line := range strings.Lines(text.String()) {
		if _, event, ok := strings.Cut(line, " of the processor: "); ok {
			got = append(got, strings.TrimSpace(event))
		}
	}
	want := []string{
		"store, pc 0x400000000000001, word 0x7, address 0x10: accepted, 1 of 60 in the sample buffer",
		"enter, pc 0x1000000000000002, word 0x0: a filter rejects it",
		"op, pc 0xf00000000000003, word 0x5, address 0x2, third word 0x4: a filter rejects it",
		"load, pc 0x300000000000004, word 0x7, address 0x10: accepted, 2 of 60 in the sample buffer",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwant %s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Only co-processors can be debugged.
func TestOtherEngines(t *testing.T) {
	spec, err := engines.Parse("R64", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := debug.New(os.Stdout, spec.New(0), nil, nil); err == nil ||
		!strings.Contains(err.Error(), "no co-processor") {
		t.Errorf("R64: %v", err)
	}
}

// Of arrays, the words that are not 0 are printed, or that there are none.
func TestEmptyArrays(t *testing.T) {
	in := make([]tuple.Tuple, 100)
	for i := range in {
		in[i] = tuple.New(tuple.Load, 5, uint64(i)+1)
	}
	for _, x := range []struct {
		commands string
		empty    int
	}{{"print data\n", 1}, {"print slots\n", 1}, {"run\nprint data\n", 0}} {
		var text bytes.Buffer
		s, err := debug.New(&text, sampler(t, "near=50,far=50,k0=1"), assembled(t, "sampler"), slices.Values(in))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Debug(strings.NewReader(x.commands)); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(text.String(), "all 256 are empty"); n != x.empty {
			t.Errorf("%q says %d times that all is empty, want %d:\n%s", x.commands, n, x.empty, text.String())
		}
	}

	// At the end the host sends what the machine holds, and before that nothing.
	var text bytes.Buffer
	s, err := debug.New(&text, sampler(t, "near=50,far=50,k0=1"), assembled(t, "sampler"), slices.Values(in))
	if err != nil {
		t.Fatal(err)
	}
	s.Trace()
	if !strings.Contains(text.String(), "at the end the host sends 100 messages") ||
		strings.Contains(text.String(), "sends 0 messages") {
		t.Errorf("after 100 events, which leave the table half empty:\n%s", text.String()[max(text.Len()-2000, 0):])
	}
}

// A session is opened by the text of a program, source or image, with parameters of the machine or without.
func TestOpenWithParameters(t *testing.T) {
	source, err := os.ReadFile("../asm/programs/sampler.s")
	if err != nil {
		t.Fatal(err)
	}
	program, err := asm.Assemble("sampler", string(source))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := debug.Open(io.Discard, "sampler", program.Image.Text(), ""); err != nil {
		t.Errorf("of the image: %v", err)
	}
	for machine, want := range map[string]string{"": "", "slots=512,near=5": "", "slots=100": "want a power of two",
		"x=1": "x"} {
		_, err := debug.Open(io.Discard, "sampler", string(source), machine)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("with %q: %v, want %q", machine, err, want)
		}
	}
}
