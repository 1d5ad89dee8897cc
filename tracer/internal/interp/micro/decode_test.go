package micro_test

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/tracer/internal/interp/micro"
)

// TestMends has instructions that x86asm alone decodes wrongly, and awkward prefixes.
func TestMends(t *testing.T) {
	for _, c := range []struct {
		name, code string
		want       func(op micro.Op) bool
	}{
		{"endbr64", "f30f1efa", func(op micro.Op) bool { return op.Kind == micro.KindNop && op.Len == 4 }},
		{"mov rax, [rbx-0x8000]", "488b830080ffff", func(op micro.Op) bool { return op.Disp == -0x8000 }},
		{"mov rax, [rip-8]", "488b05f8ffffff", func(op micro.Op) bool { return op.Disp == base+7-8 && op.Base == micro.NoReg }},
		{"mov rax, fs:[-8]", "64488b0425f8ffffff", func(op micro.Op) bool { return op.Disp == -8 && op.Base == micro.FSBase }},
		{"mov rax, [0x1122334455667788]", "48a18877665544332211", func(op micro.Op) bool { return op.Disp == 0x1122334455667788 }},
		{"vmovdqu [rip+16], ymm0", "c5fe7f0510000000", func(op micro.Op) bool {
			return op.Kind == micro.KindPoison && op.Disp == base+8+16 && op.DstWidth == 32
		}},
		{"vzeroupper", "c5f877", func(op micro.Op) bool { return op.Kind == micro.KindNop && op.Len == 3 }},
		{"repz ret", "f3c3", func(op micro.Op) bool { return op.Kind == micro.KindRet && op.Len == 2 }},
		{"bnd jmp rax", "f2ffe0", func(op micro.Op) bool { return op.Kind == micro.KindJmpTo && op.Len == 3 }},
		{"data16 cs nop", "66662e0f1f840000000000", func(op micro.Op) bool { return op.Kind == micro.KindNop && op.Len == 11 }},
		{"lock cmpxchg", "f0480fb10b", func(op micro.Op) bool {
			return op.Kind == micro.KindStop && op.Imm == uint64(micro.Lock) && op.Len == 5
		}},
		{"push -1", "6aff", func(op micro.Op) bool { return op.Kind == micro.KindPush && op.Imm == ^uint64(0) }},
		{"add rax, -128", "4883c080", func(op micro.Op) bool { return op.Kind == micro.KindAdd && op.Imm == ^uint64(127) }},
		{"vmovups [rax+64], zmm0", "62f17c48114001", func(op micro.Op) bool {
			return op.Kind == micro.KindPoison && op.DstWidth == 64 && op.Disp == 64
		}},
	} {
		code, err := hex.DecodeString(c.code)
		if err != nil {
			t.Fatal(err)
		}
		// Other code follows; it must not matter.
		if op := micro.Decode(append(code, 0x48, 0x48, 0x90, 0x90), base); !c.want(op) {
			t.Errorf("%s: %+v", c.name, op)
		}
	}
}

// TestTable decodes a loop and a function that it calls, piece by piece.
func TestTable(t *testing.T) {
	code, _ := hex.DecodeString(strings.Join([]string{
		"48ffc0",     // 0: inc rax
		"e804000000", // 3: call 12
		"75f6",       // 8: jne 0
		"c3",         // 10: ret
		"90",         // 11
		"4839d8",     // 12: cmp rax, rbx
		"c3",         // 15: ret
	}, ""))
	bytes := micro.Bytes{Base: base, Code: code}
	table := micro.NewTable()
	second, _ := table.Add(bytes, base+3, 2) // call and jne
	if len(table.Ops) != 3 || table.Ops[second].Target != 0 {
		t.Fatalf("after two ops the table has %d, the call leads to %d", len(table.Ops)-1, table.Ops[second].Target)
	}
	first, changed := table.Add(bytes, base, 1)
	jne := table.At(base + 8)
	if !slices.Equal(changed, []uint32{jne}) || table.Ops[jne].Target != first || table.Ops[first].Next != second {
		t.Errorf("changed %d, jne leads to %d, inc to %d; want [%d] %d %d", changed, table.Ops[jne].Target, table.Ops[first].Next, jne, first, second)
	}
	table.Add(bytes, base+10, 100)
	_, changed = table.Add(bytes, base+12, 100)
	if !slices.Equal(changed, []uint32{second}) || table.Ops[second].Target != table.At(base+12) {
		t.Errorf("changed %d, call leads to %d; want [%d] %d", changed, table.Ops[second].Target, second, table.At(base+12))
	}
	if table.At(base+11) != 0 {
		t.Error("what is not reached has been decoded")
	}
	// Two times around: rax goes from 1 to 3, where it equals rbx.
	m := micro.NewMachine()
	m.Begin([16]uint64{0: 1, 3: 3, micro.SP: 0x8000}, 0, base, 0, memory{0x7ff8: 0, 0x8000: 0x9999}.read(bytes))
	if stop := m.Run(table, 100, nil); stop != micro.NotDecoded || m.Steps != 11 || m.PC != 0x9999 || m.R[0] != 3 {
		t.Errorf("%s after %d steps at %#x with rax %d, want not decoded, 11, 0x9999, 3", stop, m.Steps, m.PC, m.R[0])
	}
}
