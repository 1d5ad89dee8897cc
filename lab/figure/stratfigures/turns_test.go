package stratfigures

import (
	"errors"
	"slices"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/hwsim/trace"
)

// blocks returns the words from first to last-1 at place 1 in blocks of 3.
func blocks(first, last uint64) replay.Source {
	return func(do func(trace.Block) error) error {
		for w := first; w < last; {
			var b trace.Block
			for ; w < last && len(b.Tuples) < 3; w++ {
				b.Tuples = append(b.Tuples, tuple.New(tuple.Load, 1, w))
			}
			if err := do(b); err != nil {
				return err
			}
		}
		return nil
	}
}

func words(t *testing.T, s replay.Source) (all []uint64, places int) {
	t.Helper()
	pcs := map[uint64]bool{}
	if err := s(func(b trace.Block) error {
		for _, x := range b.Tuples {
			all = append(all, x.W)
			pcs[x.PC] = true
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all, len(pcs)
}

func TestProgramsTakeTurns(t *testing.T) {
	s := inTurns([]replay.Source{blocks(0, 8), blocks(100, 200)}, 2)
	got, places := words(t, s)
	want := []uint64{0, 1, 100, 101, 2, 3, 102, 103, 4, 5, 104, 105, 6, 7, 106, 107}
	if !slices.Equal(got, want) || places != 2 {
		t.Errorf("got %d at %d places, want %d at 2", got, places, want)
	}

	enough := errors.New("enough")
	if err := s(func(trace.Block) error { return enough }); err != enough {
		t.Errorf("got %v, want the error of the function that takes the events", err)
	}
	bad := errors.New("cut off")
	s = inTurns([]replay.Source{blocks(0, 8), func(func(trace.Block) error) error { return bad }}, 2)
	if err := s(func(trace.Block) error { return nil }); err != bad {
		t.Errorf("got %v, want the source's error", err)
	}
}
