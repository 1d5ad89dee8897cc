//go:build linux && amd64

package pclntab_test

import (
	"debug/elf"
	"debug/gosym"
	"encoding/binary"
	"errors"
	"os"
	"testing"

	"github.com/pepgo/pep/machine/pclntab"
)

// section returns the function table of the test itself, and the address of the code.
func section(t testing.TB) (data []byte, text uint64) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s, code := f.Section(".gopclntab"), f.Section(".text")
	if s == nil || code == nil {
		t.Fatal("the test has no section .gopclntab")
	}
	if data, err = s.Data(); err != nil {
		t.Fatal(err)
	}
	return data, code.Addr
}

// Names, borders and lines are those that std reads.
func TestTableIsThatOfGosym(t *testing.T) {
	data, text := section(t)
	got, err := pclntab.New(data, text, nil)
	if err != nil {
		t.Fatal(err)
	}
	want, err := gosym.NewTable(nil, gosym.NewLineTable(data, text))
	if err != nil {
		t.Fatal(err)
	}
	if got.Len() != len(want.Funcs) || got.Len() < 1000 {
		t.Fatalf("%d functions, gosym has %d", got.Len(), len(want.Funcs))
	}
	i, lines := 0, 0
	for f := range got.All() {
		w := want.Funcs[i]
		i++
		if f.Name() != w.Name || f.Entry != w.Entry || f.Next != w.End {
			t.Fatalf("function %d: %s %#x-%#x, gosym has %s %#x-%#x", i, f.Name(), f.Entry, f.Next, w.Name, w.Entry, w.End)
		}
		for pc := f.Entry; pc < f.Next; pc += 1 + (f.Next-f.Entry)/16 {
			file, line, _ := want.PCToLine(pc)
			at := f.Position(pc)
			if at.Line <= 0 && line <= 0 { // padding
				continue
			}
			if lines++; at.File != file || at.Line != line {
				t.Errorf("%s+%d: %v, gosym has %s:%d", f.Name(), pc-f.Entry, at, file, line)
			}
			if g, ok := got.Find(pc); !ok || g.Index != f.Index {
				t.Errorf("%#x: found %s, want %s", pc, g.Name(), f.Name())
			}
		}
		for r, at := range f.Lines() {
			if at != f.Position(r.Start) || at != f.Position(r.End-1) {
				t.Errorf("%s: range %+v has %v, its ends %v and %v", f.Name(), r, at, f.Position(r.Start), f.Position(r.End-1))
			}
		}
	}
	if i != got.Len() || lines < 10_000 {
		t.Errorf("%d functions, %d lines", i, lines)
	}
	start, end := got.Text()
	if _, ok := got.Find(start - 1); ok {
		t.Error("found a function before the first")
	}
	if _, ok := got.Find(end); ok {
		t.Error("found a function after the last")
	}
}

func TestNewRefuses(t *testing.T) {
	good, text := section(t)
	header := func(word int, value uint64) func([]byte) []byte {
		return func(b []byte) []byte {
			binary.LittleEndian.PutUint64(b[8+8*word:], value)
			return b
		}
	}
	for _, test := range []struct {
		name   string
		change func(b []byte) []byte
		table  bool // begins like a table
	}{
		{"nothing", func([]byte) []byte { return nil }, false},
		{"half a header", func(b []byte) []byte { return b[:40] }, false},
		{"another magic", func(b []byte) []byte { b[0]++; return b }, false},
		{"Go 1.18", func(b []byte) []byte { b[0] = 0xf0; return b }, false},
		{"big-endian", func(b []byte) []byte { b[0], b[3] = 0xff, 0xf1; return b }, false},
		{"another instruction size", func(b []byte) []byte { b[6] = 4; return b }, false},
		{"no functions", header(0, 0), true},
		{"more functions than bytes", header(0, 1<<40), true},
		{"functions whose size overflows", header(0, 1<<61), true},
		{"names outside", header(3, 1<<62), true},
		{"parts not in order", header(3, uint64(len(good))), true},
		{"functions at the end", header(7, uint64(len(good))), true},
		{"an index that is not sorted", func(b []byte) []byte {
			at := binary.LittleEndian.Uint64(b[8+8*7:])
			b[at+3] = 0xff
			return b
		}, true},
	} {
		b := test.change(append([]byte(nil), good...))
		tab, err := pclntab.New(b, text, nil)
		if err == nil || tab != nil {
			t.Errorf("%s: no error", test.name)
			continue
		}
		if got := !errors.Is(err, pclntab.ErrNotTable); got != test.table {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// FuzzNew: New returns an error or a table whose methods return.
func FuzzNew(f *testing.F) {
	data, text := section(f)
	h, err := pclntab.ReadHeader(data)
	if err != nil {
		f.Fatal(err)
	}
	// A small table: the first functions of this program.
	const n = 8
	small := append([]byte(nil), data[:pclntab.HeaderSize]...)
	binary.LittleEndian.PutUint64(small[8:], n)
	for i, part := range []struct{ from, size uint64 }{{h.Names, 300}, {h.Units, 200}, {h.FileNames, 300},
		{h.PCTables, 600}, {h.Functions, 1000}} {
		binary.LittleEndian.PutUint64(small[8+8*(3+i):], uint64(len(small)))
		small = append(small, data[part.from:part.from+part.size]...)
	}
	at := len(small) - 1000
	for i := range n { // records behind the index
		binary.LittleEndian.PutUint32(small[at+8*i+4:], uint32(8*n+4+i*60))
	}
	f.Add(small)
	f.Fuzz(func(t *testing.T, b []byte) {
		tab, err := pclntab.New(b, text, b)
		if err != nil {
			return
		}
		k := 0
		for fn := range tab.All() {
			if k++; k > 20 {
				break
			}
			for _, pc := range []uint64{fn.Entry, (fn.Entry + fn.Next) / 2, fn.Next - 1} {
				fn.SPDelta(pc)
				if frames := fn.Frames(pc); len(frames) == 0 || frames[len(frames)-1].Inlined {
					t.Errorf("frames %+v", frames)
				}
			}
			last := fn.Entry
			for r := range fn.Lines() {
				if r.Start < last || r.End <= r.Start || r.End > fn.Next {
					t.Errorf("range %+v after %#x in %#x-%#x", r, last, fn.Entry, fn.Next)
				}
				last = r.End
			}
			for i, c := range fn.Inlined() {
				if c.Parent >= i {
					t.Errorf("call %d has parent %d", i, c.Parent)
				}
			}
		}
	})
}
