//go:build linux && amd64

package site

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pepgo/pep/machine/image/imagetest"
	"github.com/pepgo/pep/machine/insn"
)

// In all functions of a program the blocks lie side by side. No way of the function leads into the
// middle of a block, and none to padding; a probe stands before the end of the first call, on an
// instruction that can have one, and its byte is that of the file.
func TestBlocks(t *testing.T) {
	im, tables := gofmt(t)
	helpers := FindHelpers(im)
	var parts [4]int
	none, emulated, stores := 0, 0, 0
	for fn := range im.Functions() {
		c, err := Read(im, fn)
		if err != nil {
			continue
		}
		g := graph(t, im, fn, tables)
		if g == nil {
			continue
		}
		entries := []int{0}
		if fn.Deferreturn != 0 {
			entries = append(entries, g.index[fn.Entry+uint64(fn.Deferreturn)])
		}
		reached := g.reach(entries, func(int) bool { return false })
		into := map[int]bool{}
		ways := map[int]int{}
		for i, next := range g.next {
			for _, j := range next {
				ways[j]++
				if j != i+1 {
					into[j] = true
				}
			}
		}
		for _, i := range entries {
			into[i] = true
			ways[i]++
		}
		pc := fn.Entry
		blocks := c.Blocks(helpers)
		part := map[uint64]Part{}
		for _, b := range blocks {
			part[b.Start] = b.Part
		}
		for _, b := range blocks {
			if first := g.index[b.Start]; b.Ways != ways[first] && len(c.unknownJumps) == 0 && !c.roots()[first] {
				t.Errorf("%s: %d ways to the block at %#x, want %d", fn.Name, b.Ways, b.Start, ways[first])
			}
			if b.Branch != 0 {
				in := g.insts[g.index[b.Branch]]
				store := b.End
				one, other := part[b.Taken], part[b.End]
				if in.PC+uint64(in.Len) != b.End || in.Target != b.Taken || in.Flow != insn.Cond {
					t.Errorf("%s: a branch at %#x to %#x, want one to %#x", fn.Name, b.Branch, b.Taken, in.Target)
				}
				if one == Program && other == Barrier {
					one, other = other, one
					store = b.Taken
				}
				if one == Barrier && other == Program && ways[g.index[store]] == 1 {
					t.Errorf("%s: the block at %#x, which runs if there is no barrier, is of the program", fn.Name, store)
				}
				if one == Barrier && other == Barrier {
					stores++
				}
			}
			if b.Start != pc || b.End <= b.Start {
				t.Fatalf("%s: a block from %#x to %#x, want one from %#x on", fn.Name, b.Start, b.End, pc)
			}
			pc = b.End
			parts[b.Part]++
			called := false
			for i := g.index[b.Start]; i < len(g.insts) && g.insts[i].PC < b.End; i++ {
				in := g.insts[i]
				switch {
				case into[i] && in.PC != b.Start:
					t.Errorf("%s: a way leads to %#x, in the middle of the block at %#x", fn.Name, in.PC, b.Start)
				case reached[i] && b.Part == Padding:
					t.Errorf("%s: a way leads to the padding at %#x", fn.Name, in.PC)
				case g.grow[i] && b.Part != Growth:
					t.Errorf("%s: the block at %#x grows the stack, and is of the %v", fn.Name, b.Start, b.Part)
				case in.PC == b.Probe.PC && called:
					t.Errorf("%s: the probe at %#x stands behind a call", fn.Name, in.PC)
				}
				called = called || in.Flow == insn.Call || in.Flow == insn.IndirectCall
			}
			if b.Part != Program {
				continue
			}
			code := make([]byte, 1)
			if err := im.ReadAddr(code, b.Probe.PC); err != nil {
				t.Fatal(err)
			}
			switch {
			case b.Probe.PC < b.Start || b.Probe.PC >= b.End:
				t.Errorf("%s: a probe at %#x of the block from %#x to %#x", fn.Name, b.Probe.PC, b.Start, b.End)
			case b.Probe.Class == Refused:
				none++
			case b.Probe.Class == Nop5 || b.Byte != code[0]:
				t.Errorf("%s: a probe at %#x of class %v over the byte %#x, want %#x", fn.Name, b.Probe.PC, b.Probe.Class, b.Byte,
					code[0])
			case b.Probe.Class == Emulated:
				emulated++
			}
		}
		if pc != fn.End {
			t.Errorf("%s: the blocks end at %#x and the function at %#x", fn.Name, pc, fn.End)
		}
	}
	t.Logf("of the program %d, %d of them emulated and %d without a place; padding %d, growth %d, barriers %d",
		parts[Program], emulated, none, parts[Padding], parts[Growth], parts[Barrier])
	if parts[Program] < 20_000 || emulated < parts[Program]*3/4 || none > 50 || parts[Growth] < 2000 ||
		parts[Barrier] < 200 || stores < 50 {
		t.Errorf("want 20000 of the program, three quarters of them emulated and at most 50 without a place, growth 2000, barriers 200; and 50 blocks in place of barriers, got %d", stores)
	}
}

// A stripped executable has the same blocks, and one of any address has as many.
func TestBlocksOfVariants(t *testing.T) {
	dir := filepath.Join("..", "image", "testdata", "target")
	counts := map[string]int{}
	lists := map[string][]byte{}
	for _, v := range imagetest.Variants {
		if v.C {
			continue
		}
		im := open(t, v.Build(t, dir))
		helpers := FindHelpers(im)
		var list bytes.Buffer
		for fn := range im.Functions() {
			if fn.Package != "main" {
				continue
			}
			c, err := Read(im, fn)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range c.Blocks(helpers) {
				counts[v.Name]++
				fmt.Fprintf(&list, "%s+%#x-%#x %v %v %#x\n", fn.Name, b.Start-fn.Entry, b.End-fn.Entry, b.Part, b.Probe.Class,
					b.Probe.PC-fn.Entry)
			}
		}
		lists[v.Name] = list.Bytes()
	}
	if counts["plain"] < 50 || counts["plain"] != counts["pie"] {
		t.Errorf("%v blocks, want 50 or more, and the same for all", counts)
	}
	if !bytes.Equal(lists["plain"], lists["stripped"]) || !bytes.Equal(lists["pie"], lists["pie, stripped"]) {
		t.Errorf("a stripped executable has other blocks:\n%s\nand not\n%s", lists["stripped"], lists["plain"])
	}
}

// Blocks that only a jump through a table leads to are of the program also if the table cannot be read.
func TestBlocksBehindUnknownJumps(t *testing.T) {
	im, tables := gofmt(t)
	functions := 0
	for fn := range im.Functions() {
		c, err := Read(im, fn)
		if err != nil || len(tables[fn.Name]) == 0 || len(c.unknownJumps) > 0 {
			continue
		}
		want := parts(c)
		for i := range c.insts {
			c.insts[i].preds = slices.DeleteFunc(c.insts[i].preds, func(p pred) bool {
				if p.kind == table {
					c.unknownJumps = append(c.unknownJumps, p.index)
				}
				return p.kind == table
			})
		}
		if len(c.unknownJumps) == 0 {
			continue
		}
		functions++
		if got := parts(c); got[Program] < want[Program] || got[Padding] > want[Padding] {
			t.Errorf("%s: %v blocks of the program and padding; with the table %v", fn.Name, got[:2], want[:2])
		}
	}
	if functions < 10 {
		t.Errorf("%d functions with tables, want 10", functions)
	}
}

// parts counts the blocks of each part.
func parts(c *Code) (n [4]int) {
	for _, b := range c.Blocks(nil) {
		n[b.Part]++
	}
	return n
}
