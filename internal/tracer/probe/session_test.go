//go:build linux && amd64

package probe_test

import (
	"testing"

	"golang.org/x/arch/x86/x86asm"

	"github.com/pepgo/pep/internal/tracer/probe"
)

// by hand: sites that the test finds with means of its own.
type byHand struct {
	t *testing.T
	*binary
	probe.Plan
}

func (h *byHand) fn(symbol string, timed bool) int {
	h.Funcs = append(h.Funcs, probe.Func{Name: symbol, Timed: timed})
	return len(h.Funcs) - 1
}

func (h *byHand) site(symbol string, kind probe.Kind, x instruction, words ...probe.Word) *probe.Site {
	s := probe.Site{Func: len(h.Funcs) - 1, Kind: kind, Addr: x.addr, Offset: h.offset(h.t, x.addr), Condition: probe.NoCondition, Words: words}
	h.Sites = append(h.Sites, s)
	return &h.Sites[len(h.Sites)-1]
}

// Hits of the stack check that passes are calls, under growth of stacks, garbage collection
// and many goroutines.
func TestHitsAreCalls(t *testing.T) {
	needRights(t)
	b := open(t, build(t))
	h := &byHand{t: t, binary: b}
	for _, f := range []string{"main.pick", "main.deep", "main.indirect"} {
		h.fn(f, true)
		for _, x := range b.instructions(t, f) {
			if x.Op == x86asm.JBE {
				h.site(f, probe.Entry, x).Condition = x.code[len(x.code)-2] & 15
				if x.Len == 6 {
					h.Sites[len(h.Sites)-1].Condition = x.code[1] & 15
				}
			}
			if x.Op == x86asm.RET {
				h.site(f, probe.Exit, x)
			}
		}
	}
	h.GoidOffset = 152
	x := run(t, b.path, "calls", "8", "1000")
	s, err := probe.Attach(openProcess(t, x), &h.Plan, probe.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	x.work(t)
	if err := s.Detach(); err != nil {
		t.Fatal(err)
	}
	c, err := s.Read()
	if err != nil {
		t.Fatal(err)
	}
	for i := range c.Sites {
		t.Log(h.Funcs[h.Sites[i].Func].Name, h.Sites[i].Kind, c.Sites[i].Hits)
	}
	for i := range c.Times {
		t.Log(h.Funcs[i].Name, c.Times[i])
	}
	x.lives(t)
}
