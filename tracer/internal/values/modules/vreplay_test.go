package modules_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/tracer/internal/values/capture"
	"github.com/pepgo/pep/tracer/internal/values/modules"
)

// traced makes a run of a trace in words. Each instruction is one of
//
//	load ADDRESS WIDTH [from REGISTER] [to REGISTER]
//	store ADDRESS WIDTH [from REGISTER]
//	move [from REGISTER]... [to REGISTER]
//	N others
//
// and the PCs are 1, 2, … .
func traced(t *testing.T, trace string) (r capture.Run) {
	t.Helper()
	for item := range strings.SplitSeq(trace, ";") {
		words := strings.Fields(item)
		in := &capture.Instruction{Image: image, Code: []byte{0x90}}
		x := capture.Tuple{Insn: in, Known: capture.Visit}
		n := 1
		var err error
		switch words[0] {
		case "load", "store":
			in.Memory = capture.Load
			if words[0] == "store" {
				in.Memory = capture.Store
			}
			x.Known |= capture.Addr
			_, err = fmt.Sscan(words[1]+" "+words[2], &x.Addr, &in.Width)
		case "move":
		default:
			_, err = fmt.Sscan(words[0], &n)
		}
		if err != nil {
			t.Fatalf("%s: %v", item, err)
		}
		for i, w := range words[:len(words)-1] {
			register := 0
			if w == "from" || w == "to" {
				if _, err := fmt.Sscanf(words[i+1], "r%d", &register); err != nil {
					t.Fatalf("%s: %v", item, err)
				}
			}
			if w == "from" {
				in.Reads |= 1 << register
			} else if w == "to" {
				in.Writes |= 1 << register
			}
		}
		for range n {
			copied := *in
			copied.PC = uint64(len(r.Tuples) + 1)
			x.Insn = &copied
			r.Tuples = append(r.Tuples, x)
		}
	}
	return r
}

// VSAMP-19. In the results, "3 order 1" is the pair of the older instruction 1 and the younger
// one 3.
func TestVreplay(t *testing.T) {
	for _, c := range []struct {
		name, module, trace string
		want                []string
	}{
		{"a load of what was stored", "vreplay", "store 0x1000 8; load 0x1000 8", []string{"2 order 1"}},
		{"a load of a part of it", "vreplay", "store 0x1000 8; load 0x1004 4", []string{"2 order 1"}},
		{"a load of more than was stored", "vreplay", "store 0x1000 4; load 0x1000 8", []string{"2 size 1"}},
		{"a load of the end and what follows", "vreplay", "store 0x1000 8; load 0x1004 8", []string{"2 size 1"}},
		{"a load of what is before and the beginning", "vreplay", "store 0x1004 8; load 0x1000 8", []string{"2 size 1"}},
		{"a load of two stores", "vreplay", "store 0x1000 4; store 0x1004 4; load 0x1000 8",
			[]string{"3 size 1", "3 size 2"}},
		{"bytes that were stored again", "vreplay", "store 0x1000 8; store 0x1000 8; load 0x1000 8", []string{"3 order 2"}},
		{"some bytes that were stored again", "vreplay", "store 0x1000 8; store 0x1000 4; load 0x1000 8",
			[]string{"3 order 1", "3 size 2"}},
		{"neighbours", "vreplay", "store 0x1000 8; load 0x1008 8; store 0x1010 8; load 0x1018 8", nil},
		{"a store of what was loaded", "vreplay", "load 0x1000 8; store 0x1000 8", nil},
		{"the highest addresses", "vreplay", "store 0xfffffffffffffff8 8; load 0xfffffffffffffff8 8", []string{"2 order 1"}},

		{"4K aliasing", "vreplay", "store 0x1008 8; load 0x5008 8", []string{"2 synonym 1"}},
		{"4K aliasing of some bytes, above", "vreplay", "store 0x1008 8; load 0x500c 8", []string{"2 synonym 1"}},
		{"4K aliasing of some bytes, below", "vreplay", "store 0x1008 8; load 0x5004 8", []string{"2 synonym 1"}},
		{"4K aliasing over the end of a page", "vreplay", "store 0x1ffc 8; load 0x5000 8", []string{"2 synonym 1"}},
		{"no common bytes modulo 4K", "vreplay", "store 0x1008 8; load 0x5010 8; load 0x5000 8", nil},
		{"a store after a load does not alias", "vreplay", "load 0x1008 8; store 0x5008 8", nil},
		{"two loads do not alias", "vreplay", "load 0x1008 8; load 0x5008 8", nil},
		{"modulo 2K", "vreplay(modulo=2048)", "store 0x1008 8; load 0x1808 8", []string{"2 synonym 1"}},
		{"not modulo 4K", "vreplay", "store 0x1008 8; load 0x1808 8", nil},

		{"a pair 80 instructions apart", "vreplay", "store 0x1000 8; 79 others; load 0x1000 8", []string{"81 order 1"}},
		{"a pair 81 instructions apart", "vreplay", "store 0x1000 8; 80 others; load 0x1000 8", nil},
		{"a window of 10", "vreplay(window=10)", "store 0x1000 8; 9 others; load 0x1000 8; load 0x1000 8",
			[]string{"11 order 1"}},

		{"Alpha: accesses with one index", "vreplay(machine=alpha)", "store 0x10000 8; load 0x18038 8",
			[]string{"2 synonym 1"}},
		{"Alpha: two loads", "vreplay(machine=alpha)", "load 0x10000 8; load 0x20000 8", []string{"2 synonym 1"}},
		{"Alpha: two loads, far apart", "vreplay(machine=alpha)", "load 0x10000 8; 200 others; load 0x20000 8",
			[]string{"202 synonym 1"}},
		{"Alpha: a load and a store, far apart", "vreplay(machine=alpha)", "load 0x10000 8; 200 others; store 0x20000 8",
			nil},
		{"Alpha: one line", "vreplay(machine=alpha)", "load 0x10000 8; load 0x10038 8", nil},
		{"Alpha: another index", "vreplay(machine=alpha)", "load 0x10000 8; load 0x18040 8", nil},
		{"Alpha: not modulo 4K", "vreplay(machine=alpha)", "load 0x10000 8; load 0x11000 8", nil},

		{"the address was loaded", "vreplay(machine=alpha)", "load 0x10000 8 to r1; load 0x20000 8 from r1", nil},
		{"the address is computed of what was loaded", "vreplay(machine=alpha)",
			"load 0x10000 8 to r1; move from r1 from r5 to r2; move from r2 to r3; load 0x20000 8 from r3", nil},
		{"the register was set again", "vreplay(machine=alpha)",
			"load 0x10000 8 to r1; move from r5 to r1; load 0x20000 8 from r1", []string{"3 synonym 1"}},
		{"the address came through memory", "vreplay(machine=alpha)",
			"load 0x10000 8 to r1; store 0x3040 8 from r1; load 0x3040 8 to r2; load 0x20000 8 from r2", []string{"3 order 2"}},
		{"the address is what the store has stored", "vreplay", "store 0x1000 8; load 0x1000 8 to r1; load 0x5000 8 from r1",
			[]string{"2 order 1"}},
		{"another register", "vreplay(machine=alpha)", "load 0x10000 8 to r1; load 0x20000 8 from r2",
			[]string{"2 synonym 1"}},
	} {
		m := module(t, c.module, facts{})
		run := traced(t, c.trace)
		var got []string
		m.Transform(&run, func(s capture.Sample) { got = append(got, fmt.Sprintf("%d %s %d", s.Insn.PC, s.Kind, s.Word)) })
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}

// A push stores, and moves the stack pointer by a constant: what comes later does not
// depend on the store.
func TestVreplayOfTheStack(t *testing.T) {
	push, pop := insn(t, 1, "55"), insn(t, 2, "5b")
	m := module(t, "vreplay", facts{lines: map[uint64]string{1: "main.f x.go:5"}})
	got := samples(m, capture.Run{Tuples: []capture.Tuple{
		{Insn: push, Known: capture.Visit | capture.Addr, Addr: 0x1000},
		{Insn: pop, Known: capture.Visit | capture.Addr, Addr: 0x1000},
	}})
	if d := cmp.Diff([]string{"0x2 order 0x1 main.f x.go:5"}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// VSAMP-20: the paper's length of runs, and one run in so many interrupts.
func TestVreplayDefaults(t *testing.T) {
	if modules.VreplayLength != 128 || modules.VreplayEvery != 128 {
		t.Errorf("runs of %d instructions at one in %d interrupts, want 128 and 128", modules.VreplayLength,
			modules.VreplayEvery)
	}
}
