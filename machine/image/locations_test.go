package image

import (
	"encoding/binary"
	"errors"
	"reflect"
	"testing"
)

// Expressions as the Go compiler writes them, and others.
func TestExpressions(t *testing.T) {
	for _, c := range []struct {
		name string
		expr []byte
		want []Location
		err  error
	}{
		{"AX", []byte{0x50}, []Location{{InReg: true, Reg: 0}}, nil},
		{"DX has number 1 in DWARF and 2 in instructions", []byte{0x51}, []Location{{InReg: true, Reg: 2}}, nil},
		{"SI", []byte{0x54}, []Location{{InReg: true, Reg: 6}}, nil},
		{"R11", []byte{0x5b}, []Location{{InReg: true, Reg: 11}}, nil},
		{"X3", []byte{0x64}, []Location{{InReg: true, Reg: 19}}, nil},
		{"X15, by DW_OP_regx", []byte{0x90, 32}, []Location{{InReg: true, Reg: 31}}, nil},
		{"the return address", []byte{0x60}, nil, ErrExpression},
		{"the first slot above the return address", []byte{0x9c}, []Location{{Stack: 8}}, nil},
		{"16 bytes above that", []byte{0x9c, 0x11, 16, 0x22}, []Location{{Stack: 24}}, nil},
		{"the same", []byte{0x9c, 0x23, 16}, []Location{{Stack: 24}}, nil},
		{"112 bytes below it", []byte{0x91, 0x90, 0x7f}, []Location{{Stack: -104}}, nil},
		{"a string in BX and memory", []byte{0x53, 0x93, 8, 0x91, 0x78, 0x93, 8},
			[]Location{{InReg: true, Reg: 3, Size: 8}, {Stack: 0, Size: 8}}, nil},
		{"a string whose address is nowhere", []byte{0x93, 8, 0x50, 0x93, 8},
			[]Location{{Absent: true, Size: 8}, {InReg: true, Size: 8}}, nil},
		{"nowhere", nil, nil, ErrNowhere},
		{"two parts that are nowhere", []byte{0x93, 8, 0x93, 8}, nil, ErrNowhere},
		{"a constant (DW_OP_lit1, DW_OP_stack_value)", []byte{0x31, 0x9f}, nil, ErrExpression},
		{"a number is cut off", []byte{0x91, 0x80}, nil, errLocations},
	} {
		got, err := locations(c.expr)
		if !errors.Is(err, c.err) || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, %v, want %+v, %v", c.name, got, err, c.want, c.err)
		}
	}
}

// Lists of DWARF 4 and 5 with the same meaning: BX in the first 0x10 bytes of a function at
// 0x1000, then a string in memory in two parts or undivided, then nothing.
func TestLocationLists(t *testing.T) {
	word := func(v uint64) []byte { return binary.LittleEndian.AppendUint64(nil, v) }
	join := func(parts ...[]byte) (all []byte) {
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	regs := []byte{0x50, 0x93, 8, 0x53, 0x93, 8} // AX, BX
	memory := []byte{0x91, 8}
	want := map[uint64]struct {
		list  []Location
		whole bool
	}{
		0xfff:  {},
		0x1000: {[]Location{{InReg: true, Reg: 0, Size: 8}, {InReg: true, Reg: 3, Size: 8}}, false},
		0x100f: {[]Location{{InReg: true, Reg: 0, Size: 8}, {InReg: true, Reg: 3, Size: 8}}, false},
		0x1010: {[]Location{{Stack: 16}}, true},
		0x102f: {[]Location{{Stack: 16}}, true},
		0x1030: {},
	}
	expr := func(e []byte) []byte { return append([]byte{byte(len(e))}, e...) }
	for name, c := range map[string]struct {
		section string
		unit    unit
		bytes   []byte
	}{
		"DWARF 4": {".debug_loc", unit{base: 0x800}, join(
			word(0x800), word(0x810), []byte{byte(len(regs)), 0}, regs,
			word(^uint64(0)), word(0x1000), // another base
			word(0x10), word(0x30), []byte{byte(len(memory)), 0}, memory,
			word(0), word(0))},
		"DWARF 5, pairs of offsets": {".debug_loclists", unit{version5: true, addrBase: 8}, join(
			[]byte{1, 1}, []byte{4, 0, 0x10}, expr(regs), []byte{4, 0x10, 0x30}, expr(memory), []byte{0})},
		"DWARF 5, addresses": {".debug_loclists", unit{version5: true, addrBase: 8}, join(
			[]byte{3, 1, 0x10}, expr(regs), []byte{7}, word(0x1010), word(0x1030), expr(memory), []byte{0})},
		"DWARF 5, base and lengths": {".debug_loclists", unit{version5: true, addrBase: 8}, join(
			[]byte{2, 1, 2}, expr(regs), []byte{6}, word(0x1000), []byte{8}, word(0x1010), []byte{0x20}, expr(memory),
			[]byte{0})},
	} {
		im := &Image{}
		im.units.sections = map[string][]byte{
			c.section:     append([]byte{0xff}, c.bytes...),
			".debug_addr": join(word(0xbad), word(0xbad), word(0x1000), word(0x1010)), // two words of header and others
		}
		for pc, w := range want {
			got, whole, err := im.list(&c.unit, 1, pc)
			if len(w.list) == 0 != errors.Is(err, ErrNowhere) || !reflect.DeepEqual(got, w.list) || whole != w.whole {
				t.Errorf("%s at %#x: got %+v, whole %v, %v, want %+v, %v", name, pc, got, whole, err, w.list, w.whole)
			}
		}
		// Lists that are cut off are errors, and nothing is read behind them.
		for n := range len(c.bytes) {
			im.units.sections[c.section] = c.bytes[:n]
			if _, _, err := im.list(&c.unit, 0, 0); !errors.Is(err, errLocations) {
				t.Errorf("%s, %d of %d bytes: got %v, want %v", name, n, len(c.bytes), err, errLocations)
			}
		}
	}
}
