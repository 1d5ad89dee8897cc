//go:build linux && amd64

package image

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"

	"github.com/pepgo/pep/internal/mutant"
	"github.com/pepgo/pep/machine/image/imagetest"
)

// use calls the methods that read a part of the file, for a few functions.
func use(t *testing.T, im *Image) {
	n := 0
	for fn := range im.Functions() {
		if n++; n > 50 {
			break
		}
		im.FuncForPC(fn.Entry)
		im.Symbol(fn.Entry)
		im.FileOffset(fn.Entry)
		fn.Frames(fn.Entry)
		fn.Inlined()
		fn.SPDelta(fn.Entry)
		for range fn.Lines() {
		}
		if code, err := im.Code(fn); err == nil && uint64(len(code)) != fn.End-fn.Entry {
			t.Errorf("%s has %d bytes of code, want %d", fn.Name, len(code), fn.End-fn.Entry)
		}
		im.Subprogram(fn.Entry)
		im.Statements(fn, func(string) bool { return true }, fn.StartLine)
		vars, _ := im.Variables(fn, fn.Entry)
		for i := range vars {
			vars[i].At(fn.Entry)
		}
	}
	if m := im.module; m.types < m.etypes {
		for addr := m.types &^ 7; addr < min(m.etypes, m.types+1<<14); addr += 8 {
			if typ, _ := im.Dynamic(addr); len(typ.Name) > 1<<20 {
				t.Errorf("the type at %#x has a name of %d bytes", addr, len(typ.Name))
			}
		}
	}
}

// search calls the methods that read all of the file.
func search(im *Image) {
	im.LineCode("main.go", 5)
	im.Goroutine()
	im.Lost()
}

// open reads an executable that may be damaged. It must not panic, and must not take much
// more memory than the file has.
func open(t *testing.T, data []byte) *Image {
	im, err := New(io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data))))
	if err == nil {
		use(t, im)
	}
	return im
}

func smallExecutable(t testing.TB) []byte {
	data, err := os.ReadFile(imagetest.Variants[0].Build(t, "testdata/target"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A target is a part of an executable that readers interpret.
type target struct{ start, size int }

func targetsOf(t *testing.T, good []byte) []target {
	im, err := New(io.NewSectionReader(bytes.NewReader(good), 0, int64(len(good))))
	if err != nil {
		t.Fatal(err)
	}
	off := func(addr uint64) int {
		o, err := im.FileOffset(addr)
		if err != nil {
			t.Fatal(err)
		}
		return int(o)
	}
	sections := int(binary.LittleEndian.Uint64(good[40:])) // e_shoff
	table, module, types := off(im.module.table), off(im.module.addr), off(im.module.types)
	return []target{
		{0, 64}, {64, 56 * 8}, {sections, min(64*40, len(good)-sections)}, // headers
		{table, 72}, {table + 72, 1 << 19}, {module, 400}, {types, 1 << 13}, {types, 1 << 13}, {0, len(good)},
	}
}

// Executables whose headers, tables and DWARF are damaged at random.
func TestDamagedExecutables(t *testing.T) {
	good := smallExecutable(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	targets := targetsOf(t, good)
	rounds := 60
	if testing.Short() {
		rounds = 10
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range rounds {
		data := bytes.Clone(good)
		for range 1 + rng.IntN(3) {
			target := targets[rng.IntN(len(targets))]
			at := target.start + rng.IntN(target.size)
			switch rng.IntN(4) {
			case 0:
				data[at] ^= 1 << rng.IntN(8)
			case 1:
				data[at] = byte(rng.Uint32())
			case 2: // a huge number
				for i := at &^ 7; i < at&^7+8 && i < len(data); i++ {
					data[i] = 0xff
				}
			case 3:
				data = data[:max(at, 1)]
			}
			if len(data) < len(good) {
				break
			}
		}
		if im := open(t, data); im != nil {
			search(im)
		}
	}
	runtime.ReadMemStats(&after)
	// A round with a whole DWARF takes about 30 MB.
	if perRound := (after.TotalAlloc - before.TotalAlloc) / uint64(rounds); perRound > 300<<20 {
		t.Errorf("%d MB per round", perRound>>20)
	}
}

// FuzzNew: for all contents of a file, New returns an error, or an Image whose methods work.
func FuzzNew(f *testing.F) {
	good := smallExecutable(f)
	f.Add(good[:1<<12])
	// The program headers and the module, without the code in between, would be smaller, but
	// offsets must stay.
	f.Add(good)
	f.Fuzz(func(t *testing.T, data []byte) {
		if im := open(t, data); im != nil {
			search(im)
		}
	})
}

// The mutants of an executable: of its headers, of package runtime's table of functions, and of the module
// and types that the runtime has.
func TestMutants(t *testing.T) {
	good, err := os.ReadFile(imagetest.Variants[1].Build(t, "testdata/target"))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	var offsets []int
	for _, target := range targetsOf(t, good) {
		for range 1000 {
			offsets = append(offsets, target.start+rng.IntN(target.size))
		}
	}
	mutant.Each(t, good, offsets, func(int) { open(t, good) })
}
