package ops_test

import (
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/tracer/internal/interp/ops"
)

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
	bytes := ops.Bytes{Base: base, Code: code}
	table := ops.NewTable()
	second, _ := table.Add(bytes, base+3, 2) // call and jne
	if len(table.Ops) != 3 || table.Ops[second].L1 != 0 {
		t.Fatalf("after two ops the table has %d, the call leads to %d", len(table.Ops)-1, table.Ops[second].L1)
	}
	first, changed := table.Add(bytes, base, 1)
	jne := table.At(base + 8)
	if !slices.Equal(changed, []uint32{jne}) || table.Ops[jne].L1 != first || table.Ops[first].L1 != second {
		t.Errorf("changed %d, jne leads to %d, inc to %d; want [%d] %d %d", changed, table.Ops[jne].L1, table.Ops[first].L1,
			jne, first, second)
	}
	table.Add(bytes, base+10, 100)
	_, changed = table.Add(bytes, base+12, 100)
	if !slices.Equal(changed, []uint32{second}) || table.Ops[second].L1 != table.At(base+12) {
		t.Errorf("changed %d, call leads to %d; want [%d] %d", changed, table.Ops[second].L1, second, table.At(base+12))
	}
	if table.At(base+11) != 0 {
		t.Error("what is not reached has been decoded")
	}
	// Two times around: rax goes from 1 to 3, where it equals rbx.
	m := ops.NewMachine()
	m.Begin([16]uint64{0: 1, 3: 3, ops.SP: 0x8000}, 0, base, 0, memory{0x7ff8: 0, 0x8000: 0x9999}.read(bytes))
	if stop := m.Run(table, 100, nil); stop != ops.NotDecoded || m.Steps != 11 || m.PC != 0x9999 || m.R[0] != 3 {
		t.Errorf("%s after %d steps at %#x with rax %d, want not decoded, 11, 0x9999, 3", stop, m.Steps, m.PC, m.R[0])
	}
}

// TestRandomBytes decodes bytes that are mostly no instructions: each has its bounds.
func TestRandomBytes(t *testing.T) {
	var d ops.Decoder
	var list []ops.Op
	r := rand.New(rand.NewPCG(rand.Uint64(), 0))
	var code [20]byte
	for range 300_000 {
		for i := range code {
			code[i] = byte(r.Uint32())
		}
		switch r.IntN(4) { // mostly behind prefixes
		case 0:
			code[0] = []byte{0x66, 0x67, 0xf2, 0xf3, 0xf0, 0x64, 0x65, 0x48}[r.IntN(8)]
		case 1:
			code[0], code[1] = 0x0f, []byte{0x38, 0x3a, 0xae, 0xc7}[r.IntN(4)]
		case 2:
			code[0] = []byte{0xc4, 0xc5, 0x62, 0x0f}[r.IntN(4)]
		}
		n := r.IntN(len(code))
		list = d.Decode(list[:0], code[:n], base)
		first, last := &list[0], &list[len(list)-1]
		if len(list) > ops.MaxOps || int(first.Len) > min(n, 15) || first.Flags&ops.First == 0 || last.Flags&ops.Last == 0 {
			t.Fatalf("% x: %d ops: %+v", code[:n], len(list), list)
		}
		if why, ok := first.Stops(); !ok && first.Len == 0 || ok && why == ops.Done {
			t.Fatalf("% x: %+v", code[:n], first)
		}
	}
}
