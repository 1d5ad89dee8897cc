package engines

import (
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/enginetest"
)

// Flush merges the engines of several streams if they can be merged, also behind other
// engines in a chain. Otherwise it flushes each engine. No event is lost. If Flush says
// that the merge is exact, the messages are those of one engine for all streams.
func TestFlushMerges(t *testing.T) {
	for text, merges := range map[string]int{
		"cells(4,500)": 2, "P1:cells(4,500)": 2, "cells(4,7)": 2,
		"A64:cells(4,3)": 2, // the flush of A64 overflows the cells, which send messages before they are merged
		"A64":            0, "H[P16]64": 0, "R4:A16": 0,
	} {
		spec := parse(t, text)
		var sent []hwsim.Message
		var list []hwsim.Engine
		var outs []*hwsim.Out
		events := uint64(0)
		for s := range uint32(3) {
			e := spec.New(s)
			in := stream(uint64(s), 5000)
			events += uint64(len(in))
			sent = append(sent, enginetest.Push(e, in)...)
			list, outs = append(list, e), append(outs, hwsim.NewOut(16, func(m []hwsim.Message) { sent = append(sent, m...) }))
		}
		before := enginetest.Sum(sent)
		held, sampled := int64(0), false
		for _, e := range list {
			held += e.Balance().Held
			sampled = sampled || e.Balance().Sampled
		}
		merged, exact := Flush(list, outs)
		if merged != merges || !exact {
			t.Errorf("%s: %d merged, exactly: %t; want %d", text, merged, exact, merges)
		}
		// the others begin with a phase, or sample
		if counts := merges > 0 || text == "A64"; counts && enginetest.Sum(sent) != before+uint64(held) {
			t.Errorf("%s: %d events in messages, then %d flushed, %d held", text, before, enginetest.Sum(sent)-before, held)
		}
		for s, e := range list {
			if b := e.Balance(); b.Held != 0 {
				t.Errorf("%s: stream %d still holds %+v", text, s, b)
			}
		}
	}
}

// A rough engine is a Merger. Merging another engine into it is exact if the other one says so.
type rough struct{ exact bool }

func (*rough) Push([]tuple.Tuple, *hwsim.Out)    {}
func (*rough) Flush(*hwsim.Out)                  {}
func (*rough) Balance() hwsim.Balance            { return hwsim.Balance{} }
func (*rough) Merge(from hwsim.Engine) (ok bool) { return from.(*rough).exact }

// One merge that is not exact makes the result inexact, wherever it is among the others.
func TestFlushIsExactIfAllMergesAre(t *testing.T) {
	for _, x := range []struct{ second, third, want bool }{{true, true, true}, {false, true, false},
		{true, false, false}} {
		list := []hwsim.Engine{&rough{}, &rough{x.second}, &rough{x.third}}
		var outs []*hwsim.Out
		for range list {
			outs = append(outs, hwsim.NewOut(1, func([]hwsim.Message) {}))
		}
		if merged, exact := Flush(list, outs); merged != 2 || exact != x.want {
			t.Errorf("%+v: %d merged, exactly: %t", x, merged, exact)
		}
	}
}

// The view of a chain is that of its engines one after the other.
func TestViewOfChain(t *testing.T) {
	files := map[string]string{
		"a": "pep layout 1 build 00\n0x4010 0x300000000000007\n", // load, site 7
		"b": "pep layout 1 build 00\n0x5020 0x3fffffffffffffe\n", // load, tuple.PoolCode
	}
	s, err := extended.Parse("code(a):code(b)", func(name string) ([]byte, error) { return []byte(files[name]), nil })
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.View(tuple.New(tuple.Load, 7, 42)), tuple.New(tuple.Load, tuple.PoolCode, 0x5020); got != want {
		t.Errorf("got %#x, want %#x", got, want)
	}
}
