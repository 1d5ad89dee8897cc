package layout_test

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/pepgo/pep/format/layout"
)

// Instructions that load a known constant into any register are found, at any offset; other
// constants, other instructions, and one that the end cuts off are not.
func TestFind(t *testing.T) {
	const tap, other = 0x03ea90e208000003, 0x03ea90e208000004
	load := func(rex, op byte, pc uint64) []byte { return binary.LittleEndian.AppendUint64([]byte{rex, op}, pc) }
	var code []byte
	var want []uint64
	for i, x := range []struct {
		rex, op byte
		pc      uint64
		found   bool
	}{
		{0x48, 0xb8, tap, true}, {0x49, 0xbf, tap, true}, {0x48, 0xb9, other, false}, {0x48, 0xc0, tap, false},
		{0x4a, 0xb8, tap, false}, {0x48, 0xbb, tap, true},
	} {
		code = append(code, make([]byte, i)...) // some other code between
		if x.found {
			want = append(want, 0x401000+uint64(len(code)))
		}
		code = append(code, load(x.rex, x.op, x.pc)...)
	}
	code = append(code, load(0x48, 0xb8, tap)[:9]...)
	var got []uint64
	layout.Find(code, 0x401000, func(pc uint64) bool { return pc == tap }, func(addr, pc uint64) {
		if pc != tap {
			t.Errorf("%#x is found", pc)
		}
		got = append(got, addr)
	})
	if !slices.Equal(got, want) {
		t.Errorf("got %#x, want %#x", got, want)
	}
}
