package core

import (
	"math/rand/v2"
	"testing"

	"github.com/pepgo/pep/runtime/pepfile"
)

// pairsOf returns the callers of a stack, and which of them are next to each other.
func pairsOf(stack []uint32) map[[2]uint32]bool {
	pairs := map[[2]uint32]bool{}
	for i, c := range stack {
		pairs[[2]uint32{c, 0}] = true
		if i > 0 {
			pairs[[2]uint32{stack[i-1], c}] = true
		}
	}
	return pairs
}

// Random recursion of up to 800 callers: what is left has the callers and the pairs of
// callers of the stack, and no others; stacks that have room are as they were.
func TestFoldingKeepsAllCallersAndPairs(t *testing.T) {
	defer func(h *pepfile.Header) { counts.Header = h }(counts.Header)
	counts.Header = new(pepfile.Header)
	random := rand.New(rand.NewPCG(1, 2))
	folded := 0
	for range 20_000 {
		var stack []uint32
		next := uint32(1)
		for range random.IntN(4) {
			cycle := make([]uint32, 1+random.IntN(8))
			for i := range cycle {
				cycle[i] = next + uint32(random.IntN(3)) // some are equal
				next++
			}
			for range random.IntN(30) {
				stack = append(stack, cycle...)
			}
			stack = append(stack, cycle[:random.IntN(len(cycle))]...)
		}
		stack = append(stack, next+10)
		before := *counts.Header
		l := callerList{Key: &pepfile.Key{}}
		whole := true
		for _, c := range stack {
			if whole = whole && l.add(c); !whole {
				break
			}
		}
		got := l.Callers[:l.N]
		if !whole {
			if counts.Truncated != before.Truncated+1 {
				t.Fatalf("%v: cut off, but %d are counted", stack, counts.Truncated-before.Truncated)
			}
			if len(stack) <= pepfile.MaxCallers {
				t.Fatalf("%v is cut off", stack)
			}
			continue
		}
		if len(stack) > pepfile.MaxCallers {
			folded++
			if counts.Folded != before.Folded+1 {
				t.Fatalf("%v: %d are counted as folded", stack, counts.Folded-before.Folded)
			}
		} else if len(got) != len(stack) {
			t.Fatalf("%v became %v", stack, got)
		}
		want, have := pairsOf(stack), pairsOf(got)
		for p := range want {
			if !have[p] {
				t.Fatalf("%v became %v: %v is missing", stack, got, p)
			}
		}
		for p := range have {
			if !want[p] {
				t.Fatalf("%v became %v: %v is new", stack, got, p)
			}
		}
		if got[0] != stack[0] || got[len(got)-1] != stack[len(stack)-1] {
			t.Fatalf("%v became %v", stack, got)
		}
	}
	if folded < 5000 {
		t.Errorf("only %d stacks were folded", folded)
	}
}

// A stack without repetitions, and one that is deeper than is looked at, count as
// truncated.
func TestStacksThatCannotBeFolded(t *testing.T) {
	defer func(h *pepfile.Header) { counts.Header = h }(counts.Header)
	counts.Header = new(pepfile.Header)
	for name, caller := range map[string]func(i uint32) uint32{
		"different callers": func(i uint32) uint32 { return i + 1 },
		"deep":              func(i uint32) uint32 { return i%3 + 1 },
	} {
		l := callerList{Key: &pepfile.Key{}}
		n := uint32(0)
		for n < 5000 && l.add(caller(n)) {
			n++
		}
		if n == 5000 || l.N > pepfile.MaxCallers {
			t.Errorf("%s: %d callers were added, %d are in the sample", name, n, l.N)
		}
	}
	if counts.Truncated != 2 || counts.Folded != 1 {
		t.Errorf("%d truncated, %d folded", counts.Truncated, counts.Folded)
	}
}
