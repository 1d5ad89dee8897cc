//go:build linux && amd64

package probe_test

import (
	"context"
	"testing"
	"time"

	"golang.org/x/arch/x86/x86asm"

	"github.com/pepgo/pep/internal/tracer/probe"
)

// The running kernel emulates the instructions that package site takes for emulated, and
// steps over a return, so only then the process has a page for copies of instructions. Plans
// by hand have no slow sites, so a session says that the kernel stepped.
func TestKernelEmulates(t *testing.T) {
	needRights(t)
	b := open(t, build(t))
	x := run(t, b.path, "busy")
	x.start(t) // it calls hot, which calls pick, until the test ends
	for _, c := range []struct {
		op      x86asm.Op
		fn      string
		stepped bool
	}{
		{x86asm.JBE, "main.hot", false},
		{x86asm.PUSH, "main.hot", false},
		{x86asm.CALL, "main.hot", false},
		{x86asm.JB, "main.pick", false},
		{x86asm.JMP, "", false},
		{x86asm.RET, "main.hot", true},
	} {
		h := plan(t, b)
		for fn := range b.symbols {
			if fn == c.fn || c.fn == "" && (fn == "main.main.func2" || fn == "main.main.func1") {
				h.fn(fn, false)
				for _, in := range b.instructions(t, fn) {
					if in.Op == c.op && (c.op != x86asm.CALL || in.code[0] == 0xe8) {
						h.site(probe.Line, in)
					}
				}
			}
		}
		if len(h.Sites) == 0 {
			t.Fatalf("%v: the program has none", c.op)
		}
		s := h.attach(x, probe.Limits{})
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		if _, err := s.Watch(ctx); err != nil {
			t.Fatal(err)
		}
		cancel()
		counts, err := s.Read()
		if err != nil {
			t.Fatal(err)
		}
		hits := uint64(0)
		for _, n := range counts.Sites {
			hits += n.Hits
		}
		if hits == 0 || s.Stepped() != c.stepped {
			t.Errorf("%v: %d hits, the kernel stepped over it: %v, want hits, %v", c.op, hits, s.Stepped(), c.stepped)
		}
	}
}
