package values

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pepgo/pep/format/valuetable"
	"github.com/pepgo/pep/format/wire"
)

const text = 1 << 20

// random returns a table with some functions.
func random(seed uint64) *Table {
	r := rand.New(rand.NewPCG(seed, 2))
	word := func(n int) string {
		b := make([]byte, r.IntN(n))
		for i := range b {
			b[i] = "abcdefg/.é"[r.IntN(1+r.IntN(11))]
		}
		return string(b)
	}
	pick := func(list []string) string { return list[r.IntN(1+r.IntN(len(list)))] }
	var names, exprs []string
	for range 1 + r.IntN(10) {
		names = append(names, word(12))
	}
	for range 1 + r.IntN(200) {
		exprs = append(exprs, word(30))
	}
	t := &Table{}
	addr, step := uint64(text), uint64(1)<<r.IntN(7)
	for range r.IntN(40) {
		f := Func{Addr: addr}
		pc := uint32(0)
		for range 1 + r.IntN(60) {
			pc += uint32(r.IntN(1 << r.IntN(12)))
			f.Rows = append(f.Rows, Row{
				Row: valuetable.Row{PC: pc, Kind: valuetable.Kind(r.IntN(6)), Reg: uint8(r.IntN(32)), Width: uint8(r.IntN(17))},
				Site: valuetable.Site{File: pick(names), Line: r.IntN(1 << r.IntN(20)), Col: r.IntN(200), Func: pick(names),
					Expr: pick(exprs), Type: pick(names), Form: wire.Kind(r.IntN(7))},
			})
		}
		t.Funcs = append(t.Funcs, f)
		addr += step * uint64(1+r.IntN(100))
	}
	return t
}

// list returns what a table has, one line for each row.
func list(t *Table) (lines []string) {
	site := uint32(0)
	for _, f := range t.Funcs {
		for _, r := range f.Rows {
			r.Row.Site = site
			r.Site.PC = uint32(f.Addr-text) + r.PC
			lines = append(lines, fmt.Sprintf("%d %+v %+v", f.Addr-text, r.Row, r.Site))
			site++
		}
	}
	return lines
}

// read returns what a table has that is written.
func read(t *valuetable.Table) (lines []string, ok bool) {
	rows := make([]valuetable.Row, t.Most)
	for fn := range t.Len() {
		n, ok := t.Decode(fn, rows)
		if !ok {
			return lines, false
		}
		for _, r := range rows[:n] {
			s, ok := t.Site(r.Site)
			if !ok {
				return lines, false
			}
			lines = append(lines, fmt.Sprintf("%d %+v %+v", t.Addr(fn), r, s))
		}
	}
	return lines, true
}

// What is read is what was written, whatever follows the table.
func TestRoundTrip(t *testing.T) {
	for seed := range uint64(300) {
		plain := random(seed)
		data, err := plain.Append([]byte("before"), text)
		if err != nil {
			t.Fatal(err)
		}
		table, err := valuetable.Check(append(data[len("before"):], "behind"...))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		want := list(plain)
		if got, ok := read(table); !ok || !slices.Equal(got, want) {
			t.Fatalf("seed %d: %t, got %q, want %q", seed, ok, got, want)
		}
		if table.Sites() != len(want) || table.Bytes() != len(data)-len("before") {
			t.Errorf("seed %d: %d sites, %d bytes, want %d and %d", seed, table.Sites(), table.Bytes(), len(want),
				len(data)-len("before"))
		}
		if _, ok := table.Site(uint32(len(want))); ok {
			t.Errorf("seed %d: there is a site %d", seed, len(want))
		}
	}
}

// Each function is found at its address, and up to the next one.
func TestFind(t *testing.T) {
	data, err := (&Table{Funcs: []Func{{Addr: text + 160, Rows: []Row{{}}},
		{Addr: text + 64, Rows: []Row{{}, {}}}}}).Append(nil, text)
	if err != nil {
		t.Fatal(err)
	}
	table, err := valuetable.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	for addr, want := range map[uint32]int{0: -1, 63: -1, 64: 0, 159: 0, 160: 1, 1 << 30: 1} {
		if got := table.Find(addr); got != want {
			t.Errorf("at %d: function %d, want %d", addr, got, want)
		}
	}
	rows := make([]valuetable.Row, 1)
	for fn, want := range map[int]string{-1: "0 false", 0: "0 false", 1: "1 true", 2: "0 false"} {
		n, ok := table.Decode(fn, rows)
		if got := fmt.Sprint(n, ok); got != want {
			t.Errorf("function %d with space for 1 row: %s, want %s", fn, got, want)
		}
	}
	if n := testing.AllocsPerRun(100, func() { table.Decode(table.Find(160), rows) }); n != 0 {
		t.Errorf("Find and Decode allocate %v times", n)
	}
}

// What cannot be written is an error.
func TestRefused(t *testing.T) {
	for _, f := range []Func{
		{Addr: text - 1, Rows: []Row{{}}},
		{Addr: text + 1<<32, Rows: []Row{{}}},
		{Addr: text, Rows: []Row{{Site: valuetable.Site{Expr: "a\x00b"}}}},
	} {
		if _, err := (&Table{Funcs: []Func{f}}).Append(nil, text); err == nil {
			t.Errorf("%+v is written", f)
		}
	}
}

// Nothing is read of a part of a table, nor of one with a bit that is wrong.
func TestDamaged(t *testing.T) {
	data, err := random(7).Append(nil, text)
	if err != nil {
		t.Fatal(err)
	}
	for n := range data {
		if _, err := valuetable.Open(data[:n]); err == nil {
			t.Errorf("the first %d bytes of %d are read", n, len(data))
		}
	}
	for i := range data {
		for bit := range 8 {
			b := slices.Clone(data)
			b[i] ^= 1 << bit
			if _, err := valuetable.Check(b); err == nil {
				t.Errorf("bit %d of byte %d is another, and the table is read", bit, i)
			}
		}
	}
}

// No table makes the reader panic, or write more rows than it says.
func FuzzTable(f *testing.F) {
	for seed := range uint64(5) {
		data, err := random(seed).Append(nil, text)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := valuetable.Open(data)
		if err != nil {
			return
		}
		var rows [100]valuetable.Row
		for fn := range table.Len() {
			n, ok := table.Decode(fn, rows[:])
			for _, r := range rows[:n] {
				if ok && int(r.Site) >= table.Sites() {
					t.Errorf("site %d of %d", r.Site, table.Sites())
				}
			}
		}
		table.Find(1 << 31)
		a, ok := table.Site(0)
		if b, again := table.Site(0); again != ok || a != b {
			t.Errorf("site 0 is %+v, %t and then %+v, %t", a, ok, b, again)
		}
	})
}
