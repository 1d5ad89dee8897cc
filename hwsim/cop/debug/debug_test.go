package debug_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/cop/asm"
	"github.com/pepgo/pep/hwsim/cop/debug"
	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/internal/project/tracetest"
	"github.com/pepgo/pep/runtime/tuple"
)

func sampler(t *testing.T, parameters string) (hwsim.Engine, *asm.Program) {
	t.Helper()
	source, err := os.ReadFile("../asm/programs/sampler.s")
	if err != nil {
		t.Fatal(err)
	}
	p, err := asm.Assemble("sampler.s", string(source))
	if err != nil {
		t.Fatal(err)
	}
	spec, err := engines.Parse("cop("+parameters+")", nil)
	if err != nil {
		t.Fatal(err)
	}
	return spec.New(0), p
}

// Whoever watches a machine does not change what it does: the debugger goes through the
// same instructions, cycles and interrupts as an engine that runs alone, whatever its
// commands are. The engine alone says how many instructions and interrupts there were; the
// lines of the debugger are counted.
func TestWatchingChangesNothing(t *testing.T) {
	const parameters = "k0=1,clock=0.7,near=6,far=12,buffer=60,retire=4,burst=64,pause=30"
	in := tracetest.New(3, 50).Events(make([]tuple.Tuple, 3000))
	alone, program := sampler(t, parameters)
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
		e, _ := sampler(t, parameters)
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
		dropped := strings.Count(text.String(), "dropped, the sample buffer is full")
		if halted != interrupts && halted != interrupts+1 || uint64(dropped) != alone.Balance().Dropped {
			t.Errorf("%s: %d interrupts and %d drops, want %d and %d", name, halted, dropped, interrupts, alone.Balance().Dropped)
		}
		last := fmt.Sprintf("event in cycle %d of the processor", before.Cycles)
		if n := strings.Count(text.String(), last); n == 0 {
			t.Errorf("%s: the last event is not in cycle %d", name, before.Cycles)
		}
	}
}

// Only co-processors can be debugged.
func TestOtherEngines(t *testing.T) {
	spec, err := engines.Parse("R64", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := debug.New(os.Stdout, spec.New(0), nil, nil); err == nil || !strings.Contains(err.Error(), "no co-processor") {
		t.Errorf("R64: %v", err)
	}
}
