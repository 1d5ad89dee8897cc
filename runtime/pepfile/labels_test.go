package pepfile

// This file tests the table of label sets.

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/pepgo/pep/runtime/golink"
)

// numbered returns the number of the labels that runtime/pprof gives this goroutine.
func (t Table) numbered(labels ...string) (number uint32) {
	pprof.Do(context.Background(), pprof.Labels(labels...), func(context.Context) {
		number = t.NumberOfLabels((*golink.Labels)(golink.ProfLabels()))
	})
	return number
}

// want returns labels as runtime/pprof has them: sorted by key, the last value of each.
func want(labels []string) (list []string) {
	values := map[string]string{}
	for i := 0; i < len(labels); i += 2 {
		values[labels[i]] = labels[i+1]
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		list = append(list, key, values[key])
	}
	return list
}

// Threads that number the same sets at the same time get the labels that they gave, whatever
// bytes these have. The sets fit, so none is unlabelled.
func TestLabelsAreThoseOfRuntimePprof(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		b := make([]byte, r.IntN(12))
		for i := range b {
			b[i] = byte(r.IntN(256))
		}
		return string(b)
	}
	sets := [][]string{{"", ""}, {"", "x"}, {"x", ""}, {"a", "b", "a", "c"}, {"k", strings.Repeat("v", 237)}}
	for range 100 {
		var set []string
		for range 2 * (1 + r.IntN(8)) {
			set = append(set, word())
		}
		sets = append(sets, set)
	}
	tab := newTable()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, set := range sets {
				number := tab.numbered(set...)
				if number == 0 || number > LabelSets {
					t.Errorf("%q: number %d", set, number)
					continue
				}
				s := tab.LabelSet(number - 1)
				if got := s.Labels(); !slices.Equal(got, want(set)) || !s.Intact() {
					t.Errorf("%q: got %q", set, got)
				}
				if again := tab.numbered(set...); !slices.Equal(tab.LabelSet(again-1).Labels(), want(set)) {
					t.Errorf("%q: number %d, then %d", set, number, again)
				}
			}
		})
	}
	wg.Wait()
	if tab.Unlabelled != 0 {
		t.Errorf("%d unlabelled", tab.Unlabelled)
	}
	if first := tab.numbered(sets[0]...); first != tab.numbered(sets[0]...) {
		t.Errorf("a set has two numbers")
	}
}

// Labels that are too long, or for which there is no space, are none, and counted.
func TestTooManyLabels(t *testing.T) {
	tab := newTable()
	if n := tab.NumberOfLabels(nil); n != 0 || tab.numbered() != 0 || tab.Unlabelled != 0 {
		t.Errorf("no labels: %d, %d unlabelled", n, tab.Unlabelled)
	}
	if n := tab.numbered("k", strings.Repeat("v", 238)); n != 0 || tab.Unlabelled != 1 {
		t.Errorf("241 bytes: %d, %d unlabelled", n, tab.Unlabelled)
	}
	used := map[uint32]bool{}
	for i := range 2 * LabelSets {
		before := tab.Unlabelled
		n := tab.numbered("request", fmt.Sprint(i))
		if used[n] || n == 0 != (tab.Unlabelled == before+1) {
			t.Fatalf("set %d has number %d, %d unlabelled", i, n, tab.Unlabelled-before)
		}
		if n != 0 {
			used[n] = true
		}
	}
	if len(used) < LabelSets*9/10 {
		t.Errorf("%d sets", len(used))
	}
	if tab.numbered("request", "0") == 0 {
		t.Error("a known set has no number any more")
	}
}

// A pointer that other packages have set is not taken for labels.
func TestStrangeLabels(t *testing.T) {
	tab := newTable()
	for _, words := range [][3]uintptr{{0, 1, 1}, {8, 1, 1}, {1 << 20, 1000, 1000}, {1 << 20, ^uintptr(0), 5},
		{1 << 20, 5, 4}} {
		golink.SetProfLabels(unsafe.Pointer(&words))
		n := tab.NumberOfLabels((*golink.Labels)(golink.ProfLabels()))
		golink.SetProfLabels(nil)
		if n != 0 {
			t.Errorf("%x: number %d", words, n)
		}
	}
	if tab.Unlabelled != 5 {
		t.Errorf("%d unlabelled, want 5", tab.Unlabelled)
	}
}

// A set with a changed byte is noticed.
func TestDamagedLabels(t *testing.T) {
	tab := newTable()
	s := tab.LabelSet(tab.numbered("key", "value") - 1)
	s.Text[1] ^= 1 << 40
	if s.Intact() {
		t.Error("another text is intact")
	}
	s.Text[1] ^= 1 << 40
	s.N = 1 << 20
	if s.Intact() {
		t.Error("an impossible length is intact")
	}
}

func BenchmarkNumberOfLabels(b *testing.B) {
	tab := newTable()
	pprof.Do(context.Background(), pprof.Labels("handler", "/users/list", "method", "GET"), func(context.Context) {
		for b.Loop() {
			tab.NumberOfLabels((*golink.Labels)(golink.ProfLabels()))
		}
	})
}
