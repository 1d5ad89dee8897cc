package callers

import (
	"fmt"
	"math/rand/v2"
	"slices"
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
// callers of the stack, and no others; stacks that have space are as they were.
func TestFoldingKeepsAllCallersAndPairs(t *testing.T) {
	counts := new(pepfile.Header)
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
		before := *counts
		got, _ := shortened(counts, stack)
		if counts.Truncated != before.Truncated {
			t.Fatalf("%v is cut off", stack)
		}
		if counts.Erased+counts.Gapped > before.Erased+before.Gapped {
			if len(stack) <= pepfile.MaxCallers || counts.Folded != before.Folded {
				t.Fatalf("%v became %v, and %d are counted as folded", stack, got, counts.Folded-before.Folded)
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

// shortened returns the callers that a sample of a stack has, and whether some were folded.
func shortened(counts *pepfile.Header, stack []uint32) (callers []uint32, folded bool) {
	l := New(&pepfile.Key{}, counts)
	for _, c := range stack {
		if !l.Add(c) {
			break
		}
	}
	l.Finish()
	return l.Callers[:l.N], l.folded
}

// Random walks over a few calls, as parsers make them, of up to 3000 callers: what is left begins
// with the innermost callers of the stack and ends with the outermost one, has space for a
// frameless leaf, and has no two callers next to each other that were not so on the stack.
func TestVaryingRecursionReachesTheOutermostCaller(t *testing.T) {
	counts := new(pepfile.Header)
	random := rand.New(rand.NewPCG(3, 4))
	for range 5_000 {
		calls := 2 + random.IntN(60) // with many calls, callers in the middle must be left out
		next := make([][]uint32, calls)
		for i := range next {
			for range 1 + random.IntN(3) {
				next[i] = append(next[i], uint32(1+random.IntN(calls)))
			}
		}
		stack := []uint32{uint32(1 + random.IntN(calls))}
		for range random.IntN(3000) {
			from := next[stack[len(stack)-1]-1]
			stack = append(stack, from[random.IntN(len(from))])
		}
		stack = append(stack, 1000, 1001) // main.main and runtime.main
		before := *counts
		got, folded := shortened(counts, stack)
		gaps := 0
		pairs := pairsOf(stack)
		for i := 1; i < len(got); i++ {
			switch {
			case got[i] == pepfile.Gap:
				gaps++
			case got[i-1] != pepfile.Gap && !pairs[[2]uint32{got[i-1], got[i]}]:
				t.Fatalf("%v became %v: %d above %d is new", stack, got, got[i-1], got[i])
			}
		}
		if len(got) < 2 || !slices.Equal(got[len(got)-2:], stack[len(stack)-2:]) {
			t.Fatalf("%v became %v: the outermost callers are missing", stack, got)
		}
		ways := [...]uint64{counts.Folded - before.Folded, counts.Erased - before.Erased, counts.Gapped - before.Gapped,
			counts.Truncated - before.Truncated}
		want := [4]uint64{}
		switch {
		case len(stack) <= pepfile.MaxCallers:
			if !slices.Equal(got, stack) {
				t.Fatalf("%v became %v", stack, got)
			}
		case gaps > 0:
			want[2] = 1
		case ways[0] > 0: // the test above looks at these
			want[0] = 1
		default:
			want[1] = 1
		}
		if ways != want || gaps > 1 {
			t.Fatalf("%v became %v: folded, erased, gapped and truncated by %d, want %d", stack, got, ways, want)
		}
		if want[1]+want[2] > 0 && (len(got) > mostDeep || got[0] != stack[0] || !folded &&
			!slices.Equal(got[:keptInner], stack[:keptInner])) {
			t.Fatalf("%v became %v", stack, got)
		}
	}
	if counts.Erased < 500 || counts.Gapped < 500 {
		t.Errorf("only %d stacks were without cycles and %d with a gap", counts.Erased, counts.Gapped)
	}
}

// The cycles behind the innermost callers are left out as the file's comment says.
func TestCyclesOfRecursion(t *testing.T) {
	counts := new(pepfile.Header)
	var inner, outer []uint32
	for i := range uint32(keptInner) {
		inner = append(inner, 1+i)
		outer = append(outer, 40+i)
	}
	const a, b, c = 20, 21, 22
	stack := slices.Concat(inner, []uint32{a, b, c, a, b, a, c, b}, outer, []uint32{99})
	want := slices.Concat(inner, []uint32{a, c, b}, outer, []uint32{99})
	if got, _ := shortened(counts, stack); !slices.Equal(got, want) || counts.Erased != 1 {
		t.Errorf("%v became\n%v, want\n%v", stack, got, want)
	}
}

// A stack without repetitions has a gap, and one that is deeper than is looked at counts as
// truncated.
func TestStacksThatCannotBeFolded(t *testing.T) {
	counts := new(pepfile.Header)
	var different, deep []uint32
	for i := range uint32(100) {
		different = append(different, i+1)
	}
	for i := range uint32(5000) {
		deep = append(deep, i%3+1)
	}
	want := slices.Concat(different[:22], []uint32{pepfile.Gap}, different[92:])
	if got, _ := shortened(counts, different); !slices.Equal(got, want) {
		t.Errorf("100 different callers became %v", got)
	}
	if got, _ := shortened(counts, deep); len(got) > pepfile.MaxCallers {
		t.Errorf("5000 callers became %v", got)
	}
	if counts.Truncated != 1 || counts.Folded != 1 || counts.Gapped != 1 || counts.Erased != 0 {
		t.Errorf("%d truncated, %d folded, %d gapped, %d erased", counts.Truncated, counts.Folded, counts.Gapped,
			counts.Erased)
	}
}

// BenchmarkCallers is the cost of a sample's callers, without reading them from the stack.
func BenchmarkCallers(b *testing.B) {
	counts := new(pepfile.Header)
	for _, depth := range []int{8, 32, 100, 1000, 4000} {
		for name, calls := range map[string]int{"exact": 0, "varying": 10, "different": depth} {
			random := rand.New(rand.NewPCG(5, 6))
			stack := make([]uint32, depth)
			for i := range stack {
				if stack[i] = uint32(i % 7); calls > 0 {
					stack[i] = uint32(random.IntN(calls))
				}
			}
			b.Run(fmt.Sprintf("%s/%d", name, depth), func(b *testing.B) {
				for b.Loop() {
					k := pepfile.Key{}
					l := New(&k, counts)
					for _, c := range stack {
						if !l.Add(c) {
							break
						}
					}
					l.Finish()
				}
			})
		}
	}
}
