package wire_test

import (
	"bytes"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/pepgo/pep/format/wire"
)

// names returns tables of packages whose functions have long names, with text that repeats from one to the next and
// from one package to the next.
func names(packages int) (tables []byte) {
	r := rand.New(rand.NewPCG(1, 6))
	words := strings.Fields("read write buffer reader writer scanner table header package decode encode")
	word := func() string { return words[r.IntN(len(words))] }
	for range packages {
		p := example()
		f := p.Funcs[0]
		for range 100 {
			f.Name = "main.(*" + word() + ")." + word() + word() + word()
			p.Funcs = append(p.Funcs, f)
		}
		tables = wire.AppendPackage(tables, p)
	}
	return tables
}

// Packed tables are those that were packed.
func TestPacked(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	all := [][]byte{nil, wire.AppendPackage(nil, example()), names(10)}
	for range 50 {
		var tables []byte
		for range 1 + r.IntN(5) {
			tables = wire.AppendPackage(tables, random(r))
		}
		all = append(all, tables)
	}
	// For some name packed tables have as many bytes as the tables, or nearly.
	for path := ""; len(path) < 500; path += strconv.Itoa(r.IntN(10)) {
		p := example()
		p.Files[0] = path
		all = append(all, wire.AppendPackage(nil, p))
	}
	for _, tables := range all {
		joined, err := wire.Join(tables)
		if err != nil {
			t.Fatal(err)
		}
		packed, err := wire.JoinPacked(tables)
		if err != nil {
			t.Fatal(err)
		}
		want, _, err := wire.ReadProgram(joined)
		if err != nil {
			t.Fatal(err)
		}
		want.Stored = uint64(len(packed) - wire.HeaderSize)
		if len(packed) > len(joined) {
			t.Errorf("%d bytes are packed into %d", len(joined), len(packed))
		}
		h, got, err := wire.ReadProgram(append(packed, "what follows in memory"...))
		if err != nil || h != want || !bytes.Equal(got, tables) {
			t.Errorf("got %+v, %d bytes, error %v, want %+v, %d bytes", h, len(got), err, want, len(tables))
		}
	}
}

// Names, which are most of these tables, are packed by what they repeat.
func TestPackedAreSmall(t *testing.T) {
	tables := names(10)
	packed, err := wire.JoinPacked(tables)
	if err != nil {
		t.Fatal(err)
	}
	if 2*len(packed) > len(tables) {
		t.Errorf("%d bytes are packed into %d, want half as many at most", len(tables), len(packed))
	}
}

// Damaged tables that are packed are refused, or differ from what the header says.
func TestPackedDamaged(t *testing.T) {
	packed, err := wire.JoinPacked(names(2))
	if err != nil {
		t.Fatal(err)
	}
	size := len(packed) - wire.HeaderSize
	refused := 0
	for i := range size {
		b := bytes.Clone(packed)
		b[wire.HeaderSize+i] ^= byte(1 + i%255)
		h, tables, err := wire.ReadProgram(b)
		if err == nil {
			err = h.Check(tables)
		} else {
			refused++
		}
		if err == nil {
			t.Errorf("byte %d of %d is changed: no error", i, size)
		}
	}
	if refused == 0 {
		t.Error("no damage was noticed by what it makes of the tables")
	}
}
