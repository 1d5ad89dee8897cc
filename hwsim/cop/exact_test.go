package cop_test

// This file compares the programs with exact analyses of the same streams, and these with results
// found by hand.

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/cop/coptest"
	"github.com/pepgo/pep/hwsim/enginetest"
)

func exactOf(t *testing.T, program string) hwsim.Engine {
	t.Helper()
	s, err := coptest.Parse("program="+program, nil)
	must(t, err)
	return s.(hwsim.Deriver).Exact()
}

func totalsOf(msgs []hwsim.Message) map[tuple.Tuple]uint64 {
	n := map[tuple.Tuple]uint64{}
	for _, m := range msgs {
		n[m.Tuple] += m.Count
	}
	return n
}

// The programs count all events that the exact analyses find. Two programs look back only so far: a
// load does not find a store if 64 other addresses have been stored to since, and callstack does not
// know the callers of more than 32 functions.
func TestCOP33_ProgramsAreExact(t *testing.T) {
	for _, x := range []struct {
		programs []string
		world    world
	}{
		{[]string{"edges", "targets", "follow"}, world{sites: 3000, blocks: 5000, deep: 300, switches: true, alias: true}},
		{[]string{"deps"}, world{sites: 500, blocks: 8, deep: 3}},
		{[]string{"conflicts"}, world{sites: 500, blocks: 300, deep: 3}},
		{[]string{"callstack"}, world{sites: 300, blocks: 5, deep: 20, switches: true, alias: true}},
	} {
		in := x.world.events(8, 300_000)
		for _, name := range x.programs {
			e, exact := coptest.New(t, "near=100,far=100,program="+name), exactOf(t, name)
			got := totalsOf(append(enginetest.Push(e, in), enginetest.Flush(e)...))
			want := totalsOf(append(enginetest.Push(exact, in), enginetest.Flush(exact)...))
			if len(want) < 20 || !maps.Equal(got, want) {
				t.Errorf("%s: %d tuples, and the exact analysis has %d, or other counts", name, len(got), len(want))
			}
		}
	}
}

// With more addresses than slots a program misses dependences, and finds none that is not there.
func TestCOP33_DependencesAreFoundWithinReach(t *testing.T) {
	w := world{sites: 50, blocks: 40, deep: 3}
	in := w.events(9, 200_000)
	e, exact := coptest.New(t, "near=100,far=100,program=deps"), exactOf(t, "deps")
	got := totalsOf(append(enginetest.Push(e, in), enginetest.Flush(e)...))
	want := totalsOf(append(enginetest.Push(exact, in), enginetest.Flush(exact)...))
	found, all := uint64(0), uint64(0)
	for k, n := range want {
		all += n
		if got[k] > n {
			t.Errorf("%v: %d, and the exact analysis has %d", k, got[k], n)
		}
	}
	for k, n := range got {
		found += n
		if want[k] == 0 {
			t.Errorf("%v is no dependence", k)
		}
	}
	if found == 0 || found >= all {
		t.Errorf("%d dependences found of %d: want some of them", found, all)
	}
}

// What follows from short streams.
func TestCOP33_ExactAnalyses(t *testing.T) {
	at := tuple.New
	const a, b, c = 1, 2, 3 // sites
	for _, x := range []struct {
		program string
		in      []tuple.Tuple
		want    string
	}{
		{"edges", []tuple.Tuple{at(tuple.Edge, a, 0), at(tuple.Load, b, 0), at(tuple.Edge, a, 1), at(tuple.Edge, a, 2)},
			"edge 1 0, edge 1 1"},
		{"targets", []tuple.Tuple{at(tuple.Edge, a, 1), at(tuple.Edge, a, 2), at(tuple.Call, b, 77), at(tuple.Direct, b, 78)},
			"edge 1 2, call 2 77"},
		{"follow", []tuple.Tuple{at(tuple.Edge, a, 1), at(tuple.Load, c, 0), at(tuple.Edge, b, 0), at(tuple.Edge, c, 2),
			at(tuple.Edge, a, 0),
			at(tuple.Goroutine, 0, 5), at(tuple.Edge, a, 0), at(tuple.Edge, a, 1)},
			fmt.Sprint("follow 2 ", uint64(a|1<<56), ", follow 1 ", uint64(a|1<<57))},
		{"deps", []tuple.Tuple{
			at(tuple.Load, c, 7), at(tuple.More, c, 64), // before the store
			at(tuple.Store, a, 7), at(tuple.More, a, 64), at(tuple.Load, c, 7), at(tuple.More, c, 64),
			at(tuple.Store, b, 8), at(tuple.More, b, 64), at(tuple.Load, c, 8), at(tuple.More, c, 64), at(tuple.Load, c, 8),
			at(tuple.More, c, 72),
			at(tuple.Store, b, 64), at(tuple.Load, c, 64)}, // without addresses
			fmt.Sprint("dep 3 ", at(tuple.Store, a, 0).PC, ", dep 3 ", at(tuple.Store, b, 0).PC)},
		{"conflicts", []tuple.Tuple{at(tuple.Addr, a, 0x10040), at(tuple.Addr, b, 0x20044), at(tuple.Addr, c, 0x1007f),
			at(tuple.Addr, c, 0x30080)},
			"conflict 3 1"},
		{"callstack", []tuple.Tuple{at(tuple.Load, c, 0), at(tuple.Enter, a, 0), at(tuple.Enter, b, 0), at(tuple.Load, c, 0),
			at(tuple.More, c, 0),
			at(tuple.Return, b, 0), at(tuple.Load, c, 0), at(tuple.Return, a, 0), at(tuple.Return, a, 0), at(tuple.Load, c, 0)},
			fmt.Sprint("within 3 0, context 1 0, context 2 ", tuple.InContext(0, a), ", within 3 ",
				tuple.InContext(tuple.InContext(0, a), b),
				", within 3 ", tuple.InContext(0, a), ", within 3 0")},
	} {
		exact := exactOf(t, x.program)
		var got string
		for _, m := range append(enginetest.Push(exact, x.in), enginetest.Flush(exact)...) {
			if got != "" {
				got += ", "
			}
			got += fmt.Sprint(m.Tuple.Tag(), " ", m.Tuple.Site(), " ", m.Tuple.W)
			if m.Count != 1 {
				t.Errorf("%s: %+v", x.program, m)
			}
		}
		if got != x.want {
			t.Errorf("%s:\n%s\nwant\n%s", x.program, got, x.want)
		}
		e := coptest.New(t, "near=100,far=100,program="+x.program)
		if machine := append(enginetest.Push(e, x.in), enginetest.Flush(e)...); !maps.Equal(totalsOf(machine),
			totalsOf(exactMessages(t, x.program, x.in))) {
			t.Errorf("%s: the machine sends %v", x.program, machine)
		}
	}
}

func exactMessages(t *testing.T, program string, in []tuple.Tuple) []hwsim.Message {
	e := exactOf(t, program)
	return append(enginetest.Push(e, in), enginetest.Flush(e)...)
}

// The words of an event are one sample if the program selects addresses. Then they are accepted or
// dropped together. The clock ticks once for them in any case: they are one instruction.
func TestCOP09_WordsOfAnEventAreOneSample(t *testing.T) {
	in := []tuple.Tuple{tuple.New(tuple.Load, 1, 11), tuple.New(tuple.More, 1, 12), tuple.New(tuple.Op, 2, 21),
		tuple.New(tuple.More, 2, 22), tuple.New(tuple.Third, 2, 23),
		tuple.New(tuple.Addr, 3, 31), tuple.New(tuple.More, 4, 42), tuple.New(tuple.Call, 5, 51)}
	for fields, want := range map[string]string{
		"pc value":             "[1 11 0 0] [1 12 0 0] [2 21 0 0] [2 22 0 0] [2 23 0 0] [3 31 0 0] [4 42 0 0] [5 51 0 0]",
		"pc value addr target": "[1 11 12 0] [2 21 22 23] [3 31 31 0] [4 42 42 0] [5 51 0 51]",
	} {
		source := `.host samples
			.sample ` + fields + `
			.entry all take
			.const K0 1
			.base B0 0 32
			.base B1 32 32
			.width I0 5
			take: wr B0|I0, pc
			wr B1|I0, value ; inc I0
			wr B0|I0, addr
			wr B1|I0, target ; inc I0
			done`
		s, err := coptest.Parse("program=x,near=10,far=10", map[string]string{"x": coptest.Image(t, source)})
		must(t, err)
		e := s.New(0)
		enginetest.Push(e, in)
		if b := e.Balance(); b.Held != int64(len(in)) || b.Dropped != 0 {
			t.Errorf("%s: %+v", fields, b)
		}
		cycles := e.(hwsim.Timed).Time().Cycles
		got := enginetest.Flush(e)
		var text string
		n := 0
		for x := range slices.Chunk(got, 2) {
			if n++; n > 1 {
				text += " "
			}
			text += fmt.Sprint([]uint64{x[0].Tuple.Site(), x[0].Tuple.W, x[1].Tuple.PC, x[1].Tuple.W})
		}
		if text != want {
			t.Errorf("%s: %s\nwant %s", fields, text, want)
		}
		instructions := uint64(5)
		if fields != "pc value" {
			instructions-- // the last sample waits for further words
		}
		if cycles != 10*instructions {
			t.Errorf("%s: %d cycles for %d instructions", fields, cycles, instructions)
		}
	}
}

// Behind another engine the machine gets each message once.
func TestCOP02_MessagesAreOneSampleEach(t *testing.T) {
	e := coptest.New(t, "k0=1,near=50").(hwsim.Weighted)
	out := hwsim.NewOut(8, func([]hwsim.Message) {})
	e.PushWeighted([]hwsim.Message{{Tuple: tuple.New(tuple.Load, 1, 5), Count: 3},
		{Tuple: tuple.New(tuple.Load, 1, 6), Count: 1}}, out)
	if b := e.Balance(); b != (hwsim.Balance{Held: 2, Dropped: 2}) {
		t.Errorf("%+v", b)
	}
	want := []hwsim.Message{{Tuple: tuple.New(tuple.Load, 1, 5), Count: 1}, {Tuple: tuple.New(tuple.Load, 1, 6), Count: 1}}
	if got := enginetest.Flush(e); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

// A program whose tables are not those of its host is refused.
func TestCOP33_HostsCheckPrograms(t *testing.T) {
	for _, x := range []struct{ program, from, to, want string }{
		{"edges", ".base   B1 128 128", ".base   B1 128 64",
			"sub-array B1 of 64 words: the host edges wants as many as I0 can count, 128"},
		{"targets", ".sample pc value", ".sample pc", "the fields of a sample: the host targets wants value among them"},
		{"deps", ".width  I2 7", ".width  I2 8", "I0 of 6 bits and I2 of 8: the host deps wants 6 and 7"},
		{"deps", ".base   B1 64 64", ".base   B1 64 32", "sub-array B1 of 32 words: the host deps wants 64"},
		{"conflicts", "K1 0xffffffffffffffc0", "K1 0xffffffffffffffc1",
			"K1 is 0xffffffffffffffc1: the host conflicts wants all bits but those of the offset in a block, such as 0xffffffffffffffc0"},
		{"conflicts", "K0 0xfc0", "K0 0xfe0", "K0 is 0xfe0: the host conflicts wants the bits that are the number of a set, below bit 32 and above the offset in a block"},
		{"callstack", ".width  I1 6", ".width  I1 5", "I0 of 6 bits and I1 of 5: the host stack wants 6 and 6"},
	} {
		_, err := coptest.Parse("program=x", map[string]string{"x": coptest.Image(t,
			coptest.Change(t, x.program, x.from, x.to))})
		if want := "engine cop(program=x), column 13: want a program for this machine: " + x.want; err == nil ||
			err.Error() != want {
			t.Errorf("%s: %v\nwant %s", x.program, err, want)
		}
	}
	_, err := coptest.Parse("program=deps,slots=64,data=256", nil)
	if err == nil || err.Error() != "engine cop(program=deps,slots=64,data=256), column 13: want a program for this machine: "+
		"an associative array of 64 slots with 32 bits: the host deps wants at least 128 slots with 32 bits" {
		t.Errorf("%v", err)
	}
	_, err = coptest.Parse("program=edges,slots=64,data=256", nil)
	if err == nil || err.Error() != "engine cop(program=edges,slots=64,data=256), column 13: want a program for this machine: "+
		"an associative array of 64 slots: the host edges wants as many as I0 can count, 128" {
		t.Errorf("%v", err)
	}
}

// Of a sample that the watchdog ends, all words are dropped.
func TestCOP09_WordsOfAKilledSampleAreDropped(t *testing.T) {
	s, err := coptest.Parse("program=x,near=100,watchdog=16", map[string]string{"x": coptest.Image(t, `.host samples
		.sample pc value addr
		.entry op round
		.const K0 1
		.base B0 0 32
		.base B1 32 32
		.width I0 5
		round: goto round`)})
	must(t, err)
	e := s.New(0)
	enginetest.Push(e, []tuple.Tuple{tuple.New(tuple.Op, 2, 21), tuple.New(tuple.More, 2, 22),
		tuple.New(tuple.Third, 2, 23),
		tuple.New(tuple.Op, 2, 21), tuple.New(tuple.More, 2, 22), tuple.New(tuple.Load, 3, 1), tuple.New(tuple.Load, 3, 1)})
	// The first two samples have ended when the loads come, and no routine takes loads.
	if b := e.Balance(); b != (hwsim.Balance{Held: 1, Dropped: 6}) {
		t.Errorf("%+v", b)
	}
}
