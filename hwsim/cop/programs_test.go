package cop_test

// This file compares programs with their references, over streams that it makes. exact_test.go
// compares the programs with what is exactly right.

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim/cop/coptest"
	"github.com/pepgo/pep/hwsim/enginetest"
)

// A world makes a stream of events of functions that call each other, branch, load and store.
type world struct {
	r        *rand.Rand
	in       []tuple.Tuple
	sites    uint64 // of each kind
	alias    bool   // sites and addresses that differ in upper bits only
	blocks   uint64 // of 64 bytes, in memory
	deep     int    // the deepest stack
	switches bool   // goroutines take turns
}

// site returns a site. Low numbers are much likelier than high ones.
func (w *world) site() uint64 {
	x := w.r.Float64()
	s := 1<<40 + uint64(x*x*x*float64(w.sites))
	if w.alias && w.r.IntN(16) == 0 {
		s += 1 << 41
	}
	return s
}

func (w *world) addr() uint64 {
	a := 0xc000000000 + w.r.Uint64N(w.blocks)*64 + w.r.Uint64N(8)*8
	if w.alias && w.r.IntN(64) == 0 {
		a ^= 1 << 31
	}
	return a
}

func (w *world) add(tag tuple.Tag, site, word uint64) {
	w.in = append(w.in, tuple.New(tag, site, word))
}

// call makes the events of a call at a depth.
func (w *world) call(depth, n int) {
	f := w.site()
	w.add(tuple.Enter, f, 0)
	for range 1 + w.r.IntN(6) {
		if len(w.in) >= n {
			break
		}
		switch site := w.site(); w.r.IntN(8) {
		case 0, 1:
			w.add(tuple.Edge, site, w.r.Uint64N(2))
		case 2:
			w.add(tuple.Edge, site, w.r.Uint64N(5))
		case 3:
			w.add(tuple.Load, site, 7)
			if w.r.IntN(50) > 0 { // a load from a map has no address
				w.add(tuple.More, site, w.addr())
			}
		case 4:
			w.add(tuple.Store, site, 7)
			w.add(tuple.More, site, w.addr())
		case 5:
			w.add(tuple.Call, site, 0x400000+32*w.r.Uint64N(3))
		case 6:
			if w.switches && w.r.IntN(100) == 0 {
				w.add(tuple.Goroutine, 0, w.r.Uint64N(4))
			}
		}
		if depth < w.deep && w.r.IntN(4) == 0 {
			w.call(depth+1, n)
		}
	}
	for w.r.IntN(300) == 0 && depth < w.deep && len(w.in) < n { // recursion
		w.add(tuple.Enter, f, 0)
		w.call(depth+1, n)
		w.add(tuple.Return, f, 0)
	}
	w.add(tuple.Return, f, 0)
}

func (w *world) events(seed uint64, n int) []tuple.Tuple {
	w.r = rand.New(rand.NewPCG(seed, 33))
	for len(w.in) < n {
		w.call(0, n)
	}
	return w.in[:n]
}

// A million events of four kinds of streams, if events are far enough apart that none is dropped:
// few sites and addresses, so that tables are rarely full; many; sites and addresses that the
// keys of the associative array cannot tell apart; deep stacks.
func TestCOP33_ProgramsAreTheirReferences(t *testing.T) {
	worlds := map[string]func() *world{
		"small": func() *world { return &world{sites: 8, blocks: 6, deep: 3} },
		"large": func() *world { return &world{sites: 3000, blocks: 5000, deep: 30, switches: true} },
		"alias": func() *world { return &world{sites: 40, blocks: 40, deep: 8, alias: true} },
		"deep":  func() *world { return &world{sites: 3, blocks: 200, deep: 400, switches: true} },
	}
	for name, reference := range programReferences {
		for kind, w := range worlds {
			in := w().events(7, 250_000)
			e := coptest.New(t, "near=100,far=100,program="+name)
			got := append(enginetest.Push(e, in), enginetest.Flush(e)...)
			want := refer(reference(), in, name == "deps" || name == "conflicts")
			if len(want) < 3 {
				t.Errorf("%s, %s: %d messages are no test", name, kind, len(want))
			}
			if !slices.Equal(got, want) {
				i := 0
				for i < min(len(got), len(want)) && got[i] == want[i] {
					i++
				}
				t.Errorf("%s, %s: %d messages, want %d; the first %d agree", name, kind, len(got), len(want), i)
				if i < min(len(got), len(want)) {
					t.Logf("%+v, want %+v", got[i], want[i])
				}
			}
		}
	}
}
