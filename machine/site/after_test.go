//go:build linux && amd64

package site

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/arch/x86/x86asm"

	"github.com/pepgo/pep/machine/insn"
)

// The site behind an instruction is executed exactly as often as that, and nothing in
// between changes what is to be kept: no way leads into the code between the two, or out of
// it, and another decoder finds no instruction there that writes AX, writes memory, or
// reads memory that may not be there.
func TestAfterIsExecutedAsOften(t *testing.T) {
	im, tables := gofmt(t)
	ax := insn.GPR(0)
	found, far, cheap := 0, 0, 0
	for fn := range im.Functions() {
		c, err := Read(im, fn)
		if err != nil {
			continue
		}
		g := graph(t, im, fn, tables)
		if g == nil {
			continue
		}
		ways := make([]int, len(g.insts)) // that lead to an instruction
		for _, next := range g.next {
			for _, i := range slices.Compact(slices.Sorted(slices.Values(next))) {
				ways[i]++
			}
		}
		for i, in := range g.insts {
			p, ok := c.After(in.PC, ax, true)
			if !ok {
				continue
			}
			found++
			if p.Class > Emulated || p.Site.Class > Emulated {
				t.Fatalf("%s: the site %#x behind %#x is %v", fn.Name, p.PC, in.PC, p.Class)
			}
			if p.PC == in.PC {
				cheap++
			}
			for at := i; g.insts[at].PC != p.PC; at++ {
				far++
				if len(g.next[at]) != 1 || g.next[at][0] != at+1 || ways[at+1] != 1 {
					t.Fatalf("%s: from %#x to %#x: another way leads from or to %#x", fn.Name, in.PC, p.PC, g.insts[at].PC)
				}
				code := c.bytes[g.insts[at].PC-fn.Entry:]
				x, err := x86asm.Decode(code, 64)
				if err != nil {
					t.Fatalf("%s: %#x: %v", fn.Name, g.insts[at].PC, err)
				}
				if why := harms(x); why != "" {
					t.Fatalf("%s: from %#x to %#x: %v %s", fn.Name, in.PC, p.PC, x, why)
				}
			}
		}
	}
	t.Logf("%d sites, %d of them at the instruction itself, %d instructions in between", found, cheap, far)
	if found-cheap < 5000 {
		t.Errorf("%d sites behind instructions, want 5000", found-cheap)
	}
}

// harms says why an instruction may not be between.
func harms(x x86asm.Inst) string {
	if x.Op == x86asm.NOP || x.Op == x86asm.LEA && x.Args[0] != x86asm.RAX && x.Args[0] != x86asm.EAX {
		return ""
	}
	reads := strings.HasPrefix(x.Op.String(), "CMP") || x.Op == x86asm.TEST || x.Op == x86asm.UCOMISD ||
		x.Op == x86asm.UCOMISS || x.Op == x86asm.BT
	for i, a := range x.Args {
		switch a := a.(type) {
		case x86asm.Reg:
			if i == 0 && !reads && (a == x86asm.RAX || a == x86asm.EAX || a == x86asm.AX || a == x86asm.AL || a == x86asm.AH) {
				return "writes AX"
			}
		case x86asm.Mem:
			if i == 0 && !reads {
				return "writes memory"
			}
			if a.Base != x86asm.RSP && a.Base != x86asm.RIP || a.Index != 0 {
				return "reads memory that may not be there"
			}
		}
	}
	switch x.Op {
	case x86asm.DIV, x86asm.IDIV, x86asm.MUL, x86asm.XCHG, x86asm.POP:
		return "writes AX or SP, or divides"
	}
	return ""
}
