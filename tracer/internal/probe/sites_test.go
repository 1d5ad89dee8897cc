//go:build linux && amd64

package probe_test

// This file makes plans by hand: it shares no code with what chooses sites.

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cilium/ebpf/link"
	"golang.org/x/arch/x86/x86asm"

	"github.com/pepgo/pep/tracer/internal/probe"
	"github.com/pepgo/pep/tracer/internal/targettest"
)

// byHand is a plan for a binary.
type byHand struct {
	t *testing.T
	*binary
	probe.Plan
}

// goidOffset is where the number of a goroutine is in runtime.g of Go 1.26.
const goidOffset = 152

func plan(t *testing.T, b *binary) *byHand {
	return &byHand{t, b, probe.Plan{GoidOffset: goidOffset}}
}

// fn begins a function: the sites that follow are in it.
func (h *byHand) fn(symbol string, timed bool) *byHand {
	h.Funcs = append(h.Funcs, probe.Func{Name: symbol, Timed: timed})
	return h
}

func (h *byHand) name() string { return h.Funcs[len(h.Funcs)-1].Name }

func (h *byHand) site(kind probe.Kind, x instruction, words ...probe.Word) *byHand {
	condition := uint8(0)
	if c := x.code[0]; c>>4 == 7 {
		condition = c & 15
	} else if c == 0x0f && x.code[1]>>4 == 8 {
		condition = x.code[1] & 15
	}
	h.Sites = append(h.Sites, probe.Site{
		Func: len(h.Funcs) - 1, Kind: kind, Addr: x.addr, Offset: h.offset(h.t, x.addr), Condition: condition, Words: words,
	})
	return h
}

// every adds a site at each instruction of a kind.
func (h *byHand) every(kind probe.Kind, op x86asm.Op, words ...probe.Word) *byHand {
	h.t.Helper()
	n := len(h.Sites)
	for _, x := range h.instructions(h.t, h.name()) {
		if x.Op == op {
			h.site(kind, x, words...)
		}
	}
	if len(h.Sites) == n {
		h.t.Fatalf("%s has no %v", h.name(), op)
	}
	return h
}

// entry adds a site at the first instruction: right for functions without a stack check.
func (h *byHand) entry(words ...probe.Word) *byHand {
	h.t.Helper()
	return h.site(probe.Entry, h.instructions(h.t, h.name())[0], words...)
}

// checked adds a site after the jump of the stack check: a push, which leaves the arguments
// in their registers.
func (h *byHand) checked(words ...probe.Word) *byHand {
	h.t.Helper()
	list := h.instructions(h.t, h.name())
	for i, x := range list {
		if x.Op == x86asm.JBE {
			return h.site(probe.Entry, list[i+1], words...)
		}
	}
	h.t.Fatalf("%s has no stack check", h.name())
	return h
}

func (h *byHand) exits(words ...probe.Word) *byHand {
	h.t.Helper()
	return h.every(probe.Exit, x86asm.RET, words...)
}

// hits returns the sum of the hits of the sites of a kind in a function.
func (h *byHand) hits(c *probe.Counts, fn string, kind probe.Kind) (n uint64) {
	for i, s := range h.Sites {
		if h.Funcs[s.Func].Name == fn && s.Kind == kind {
			n += c.Sites[i].Hits
		}
	}
	return n
}

func (h *byHand) times(c *probe.Counts, fn string) probe.Times {
	for i, f := range h.Funcs {
		if f.Name == fn {
			return c.Times[i]
		}
	}
	h.t.Fatalf("%s is not in the plan", fn)
	return probe.Times{}
}

// attach attaches the plan, and detaches it at the end of the test.
func (h *byHand) attach(x *targettest.Target, limits probe.Limits) *probe.Session {
	h.t.Helper()
	s, err := probe.Attach(openProcess(h.t, x), &h.Plan, limits)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { s.Close() })
	return s
}

// finish detaches, and reads the counts.
func finish(t *testing.T, s *probe.Session) *probe.Counts {
	t.Helper()
	if err := s.Detach(); err != nil {
		t.Fatal(err)
	}
	c, err := s.Read()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// probed returns how many sites of the plan have another instruction in the memory of
// the process than in the file.
func (h *byHand) probed(x *targettest.Target) (n int) {
	h.t.Helper()
	for _, s := range h.Sites {
		if h.isProbed(x, s) {
			n++
		}
	}
	return n
}

func (h *byHand) isProbed(x *targettest.Target, s probe.Site) bool {
	h.t.Helper()
	proc := fmt.Sprintf("/proc/%d/", x.Process.Pid)
	maps, err := os.ReadFile(proc + "maps")
	if err != nil {
		h.t.Fatal(err)
	}
	for line := range strings.Lines(string(maps)) {
		var begin, end, offset uint64
		var rights string
		if _, err := fmt.Sscanf(line, "%x-%x %s %x", &begin, &end, &rights, &offset); err != nil {
			h.t.Fatal(err)
		}
		if rights != "r-xp" || s.Offset < offset || s.Offset >= offset+end-begin || !strings.Contains(line, "/target") {
			continue
		}
		return !bytes.Equal(read(h.t, proc+"mem", begin+s.Offset-offset), read(h.t, proc+"exe", s.Offset))
	}
	h.t.Fatalf("no mapping has the offset %#x", s.Offset)
	return false
}

// read reads the first byte of an instruction.
func read(t *testing.T, name string, at uint64) []byte {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := make([]byte, 1)
	if _, err := f.ReadAt(b, int64(at)); err != nil {
		t.Fatal(err)
	}
	return b
}

// links returns how many links there are, in the whole system, to probes in a file.
func links(t *testing.T, path string) (n int) {
	t.Helper()
	var it link.Iterator
	defer it.Close()
	for it.Next() {
		info, err := it.Link.Info()
		if err == nil && info.UprobeMulti() != nil && strings.TrimSuffix(info.UprobeMulti().File, " (deleted)") == path {
			n++
		}
	}
	if err := it.Err(); err != nil {
		t.Fatal(err)
	}
	return n
}

// clean checks that a session has left nothing behind.
func (h *byHand) clean(x *targettest.Target) {
	h.t.Helper()
	if n := h.probed(x); n != 0 {
		h.t.Errorf("%d of %d instructions are not as in the file", n, len(h.Sites))
	}
	if n := links(h.t, x.Path); n != 0 {
		h.t.Errorf("%d links to %s are left", n, x.Path)
	}
}
