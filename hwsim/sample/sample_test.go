package sample_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/enginetest"
	"github.com/pepgo/pep/hwsim/sample"
)

// describe is a take function that writes down the fields of samples, and sends nothing.
func describe(list *[]string) func(*sample.Sample, *hwsim.Out) uint64 {
	return func(s *sample.Sample, _ *hwsim.Out) uint64 {
		text := fmt.Sprintf("%dx", s.Count)
		for f, name := range sample.Names {
			if w, ok := s.Word(sample.Field(f)); ok {
				text += fmt.Sprintf(" %s=%d", name, w)
			}
		}
		if addr, ok := s.Address(); ok {
			text += fmt.Sprintf(" at %d", addr)
		}
		*list = append(*list, text)
		return 0
	}
}

// Words belong together if they have the same site and follow each other; what has lost its
// first word is a sample without fields.
func TestWordsOfASample(t *testing.T) {
	in := []tuple.Tuple{
		tuple.New(tuple.Load, 1, 10), tuple.New(tuple.More, 1, 11),
		tuple.New(tuple.Op, 2, 20), tuple.New(tuple.More, 2, 21), tuple.New(tuple.Third, 2, 22),
		tuple.New(tuple.Addr, 3, 30),
		tuple.New(tuple.Load, 1, 40), // from a map: it has no address
		tuple.New(tuple.Load, 1, 50), tuple.New(tuple.More, 2, 51),
		tuple.New(tuple.More, 2, 52),
		tuple.New(tuple.Op, 2, 60), tuple.New(tuple.Third, 2, 62),
		tuple.New(tuple.Store, 4, 70), tuple.New(tuple.More, 4, 71), tuple.New(tuple.More, 4, 72),
	}
	want := []string{
		"1x site=1 first=10 second=11 at 11",
		"1x site=2 first=20 second=21 third=22",
		"1x site=3 first=30 at 30",
		"1x site=1 first=40",
		"1x site=1 first=50", "1x", "1x",
		"1x site=2 first=60", "1x",
		"1x site=4 first=70 second=71 at 71", "1x",
	}
	var got []string
	e := sample.New(describe(&got), nil)
	enginetest.Push(e, in)
	if b := e.Balance(); b != (hwsim.Balance{Held: 1, Dropped: uint64(len(in)) - 1}) {
		t.Errorf("%+v, want the last sample held and the others dropped", b)
	}
	enginetest.Flush(e)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}

	// Words with different counts come from an engine that has lost some.
	got = nil
	e.PushWeighted([]hwsim.Message{{Tuple: in[0], Count: 3}, {Tuple: in[1], Count: 3}, {Tuple: in[0], Count: 3},
		{Tuple: in[1], Count: 2}}, nil)
	enginetest.Flush(e)
	if d := cmp.Diff([]string{"3x site=1 first=10 second=11 at 11", "3x site=1 first=10", "2x"}, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}
