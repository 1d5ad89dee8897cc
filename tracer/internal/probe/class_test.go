//go:build linux && amd64

package probe_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"golang.org/x/arch/x86/x86asm"

	"github.com/pepgo/pep/tracer/internal/probe"
	"github.com/pepgo/pep/tracer/internal/targettest"
)

// The running kernel emulates the instructions that package site takes for emulated, and
// steps over others, among them those with which functions end. Only then the process has a
// page for copies of instructions. Plans by hand have no slow sites, so a session says that
// the kernel stepped.
func TestKernelEmulates(t *testing.T) {
	targettest.NeedRights(t)
	b := open(t, build(t))
	for _, c := range []struct {
		op      x86asm.Op
		fn      string
		stepped bool
	}{
		{x86asm.JBE, "main.hot", false},
		{x86asm.PUSH, "main.hot", false},
		{x86asm.CALL, "main.hot", false},
		{x86asm.JB, "main.pick", false},
		{x86asm.JMP, "main.do.func", false},
		{x86asm.CMP, "main.hot", true},
		{x86asm.MOV, "main.hot", true},
		{x86asm.SUB, "main.hot", true},
		{x86asm.ADD, "main.hot", true},
		{x86asm.POP, "main.hot", true},
		{x86asm.RET, "main.hot", true},
	} {
		t.Run(c.op.String(), func(t *testing.T) {
			x := targettest.Start(t, b.path, "busy")
			x.Ask("") // it calls hot, which calls pick, until the test ends
			h := plan(t, b)
			for fn := range b.symbols {
				if !strings.HasPrefix(fn, c.fn) {
					continue
				}
				h.fn(fn, false)
				for _, in := range b.instructions(t, fn) {
					if in.Op == c.op && (c.op != x86asm.CALL || in.code[0] == 0xe8) {
						h.site(probe.Line, in)
					}
				}
			}
			s := h.attach(x, probe.Limits{})
			for end := time.Now().Add(time.Minute); hits(t, s) < 100 && time.Now().Before(end); {
				time.Sleep(10 * time.Millisecond)
			}
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			if _, err := s.Watch(ctx); err != nil { // it looks whether the kernel has stepped
				t.Fatal(err)
			}
			if n := hits(t, s); n < 100 || s.Stepped() != c.stepped {
				t.Errorf("%d hits, the kernel stepped: %v, want 100 hits or more, %v", n, s.Stepped(), c.stepped)
			}
		})
	}
}

// hits returns how often all sites were hit.
func hits(t *testing.T, s *probe.Session) (n uint64) {
	t.Helper()
	c, err := s.Read()
	if err != nil {
		t.Fatal(err)
	}
	for _, site := range c.Sites {
		n += site.Hits
	}
	return n
}
