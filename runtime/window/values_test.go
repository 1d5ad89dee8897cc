package window

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pepgo/pep/format/values"
	"github.com/pepgo/pep/format/valuetable"
	"github.com/pepgo/pep/machine/interp"
)

// valueTable has functions of 0x40 bytes, between which there are others without rows, and returns which rows
// instructions have.
func valueTable(t *testing.T) (data []byte, at map[uint64][]valuetable.Row) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	table, number := &values.Table{}, uint32(0)
	at = map[uint64][]valuetable.Row{}
	for i := range uint64(50) {
		f := values.Func{Addr: text + 0x1000 + i*0x80}
		for pc := uint32(0); pc < 0x40; pc++ {
			for range rng.IntN(4) - 1 {
				r := valuetable.Row{PC: pc, Kind: valuetable.Kind(rng.IntN(6)), Reg: uint8(rng.IntN(32)), Width: uint8(rng.IntN(9)),
					Site: number}
				number++
				f.Rows = append(f.Rows, values.Row{Row: r, Site: valuetable.Site{File: "x.go", Line: int(i)}})
				at[f.Addr+uint64(pc)] = append(at[f.Addr+uint64(pc)], r)
			}
		}
		if len(f.Rows) > 0 {
			table.Funcs = append(table.Funcs, f)
		}
	}
	data, err := table.Append(nil, text)
	if err != nil {
		t.Fatal(err)
	}
	return data, at
}

// Each instruction has the values of its rows of the kinds that are noted, in whatever order instructions are decoded.
func TestValuesOfInstructions(t *testing.T) {
	data, at := valueTable(t)
	for i, kinds := range []uint32{0, 1 << valuetable.Call, 1<<valuetable.Type | 1<<valuetable.Itab, 1<<6 - 1} {
		v, err := NewValues(data, text, kinds)
		if err != nil {
			t.Fatal(err)
		}
		v.Addresses = i%2 != 0
		r := new(ValueRows)
		for k := range valuetable.Kind(8) {
			if got := v.Has(k, r); got != (k < 6) {
				t.Errorf("values of kind %v: %v", k, got)
			}
		}
		rng := rand.New(rand.NewPCG(7, 8))
		pc := uint64(text)
		for range 20_000 {
			if pc++; rng.IntN(10) == 0 {
				pc = text + 0xf00 + rng.Uint64N(0x2000)
			}
			var want []interp.Value
			for _, x := range at[pc] {
				what := interp.Register
				if x.Kind == valuetable.Call {
					what = interp.Target
				} else if x.Kind == valuetable.Load || x.Reg == 31 {
					what = interp.Loaded
				}
				if kinds>>x.Kind&1 != 0 {
					want = append(want, interp.Value{Site: x.Site, What: what, Reg: x.Reg, Width: x.Width})
				}
				if v.Addresses && x.Kind == valuetable.Load {
					want = append(want, interp.Value{Site: x.Site + 1<<31, What: interp.Address})
				}
			}
			var a interp.Actions
			v.Add(pc, &a, r)
			if got := a.Values(); !slices.Equal(got, want) {
				t.Fatalf("kinds %b, %#x: %v, want %v", kinds, pc-text, got, want)
			}
		}
		for _, pc := range []uint64{0, text - 1, text + 1<<32, 1 << 63} {
			var a interp.Actions
			if v.Add(pc, &a, r); len(a.Values()) > 0 {
				t.Errorf("%#x has values", pc)
			}
		}
		if n := testing.AllocsPerRun(10, func() {
			var a interp.Actions
			v.Add(text+0x1000, &a, r)
			v.Add(text+0x2000, &a, r)
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}
	}
	if _, err := NewValues(data[:len(data)-1], text, 0); err == nil {
		t.Error("part of a table is accepted")
	}
	big := &values.Table{Funcs: []values.Func{{Addr: text, Rows: make([]values.Row, MaxValueRows+1)}}}
	data, err := big.Append(nil, text)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewValues(data, text, 0); fmt.Sprint(err) != "a function has too many values" {
		t.Errorf("too many values of a function: %v", err)
	}
}
