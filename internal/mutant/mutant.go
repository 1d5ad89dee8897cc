// Package mutant damages files for tests of their readers.
package mutant

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// Number is how many mutants of a kind of file a test tries.
const Number = 5000

// patience is how long a mutant may take. It should take some ms, but the machine may be busy.
const patience = time.Minute

// numbers are what readers often do not expect, as the bits of 8 bytes.
var numbers = []uint64{
	0, 1, 1 << 31, 1<<31 - 1, 1 << 32, 1<<32 - 1, 1 << 56, 1<<62 + 1, 1 << 63, 1<<63 - 1, 1<<64 - 1,
	math.Float64bits(math.Inf(1)), math.Float64bits(math.Inf(-1)), math.Float64bits(math.NaN()), math.Float64bits(-1),
	math.Float64bits(math.MaxFloat64), math.Float64bits(-1e300), math.Float64bits(1e100),
	math.Float64bits(math.SmallestNonzeroFloat64),
}

// Each changes file, calls try, and changes it back, [Number] times, each time otherwise: a bit, a byte,
// or 8 bytes at once. It changes what begins at one of the offsets, or anything if there are none. The
// mutants are the same in each run. If try does not return, the test ends with the stacks of all
// goroutines, and the message says which mutant it was.
func Each(t testing.TB, file []byte, offsets []int, try func(at int)) {
	t.Helper()
	if len(file) == 0 {
		t.Fatal("no file")
	}
	rng := rand.New(rand.NewPCG(uint64(len(file)), 1))
	for i := range Number {
		at := rng.IntN(len(file))
		if len(offsets) > 0 {
			at = offsets[rng.IntN(len(offsets))]
		}
		was := [8]byte{}
		n := copy(was[:], file[at:])
		now := was
		switch kind := rng.IntN(8); kind {
		case 0, 1:
			now[rng.IntN(n)] ^= 1 << rng.IntN(8)
		case 2:
			now[rng.IntN(n)] = byte(rng.Uint32())
		default:
			binary.LittleEndian.PutUint64(now[:], numbers[rng.IntN(len(numbers))])
		}
		late := time.AfterFunc(patience, func() {
			panic(fmt.Sprintf("mutant %d of %s, with %x in place of %x at %d of %d bytes, has taken %v", i, t.Name(), now[:n],
				was[:n], at, len(file), patience))
		})
		copy(file[at:], now[:n])
		try(at)
		copy(file[at:], was[:n])
		late.Stop()
		if t.Failed() {
			t.Fatalf("mutant %d, with %x in place of %x at %d of %d bytes", i, now[:n], was[:n], at, len(file))
		}
	}
}

// Chunks is Each for files that package tracer/internal/values/chunk frames, and for traces: a name and version of 9
// bytes, and chunks of a kind, a size, a body and a checksum. Chunks begin where they do in the undamaged
// file. Each mutant has the right checksums, so that readers see more of it. Read reports whether a
// mutant is read; it must read some, and refuse some.
func Chunks(t testing.TB, file []byte, read func(data []byte) bool) {
	t.Helper()
	const name, head, sum = 9, 5, 4
	var chunks [][2]int
	for at := name; at < len(file); {
		end := at + head + int(binary.LittleEndian.Uint32(file[at+1:]))
		chunks = append(chunks, [2]int{at, end})
		at = end + sum
	}
	n := 0
	Each(t, file, nil, func(int) {
		data := slices.Clone(file)
		for _, c := range chunks {
			binary.LittleEndian.PutUint32(data[c[1]:], crc32.ChecksumIEEE(data[c[0]:c[1]]))
		}
		if read(data) {
			n++
		}
	})
	if n == 0 || n == Number {
		t.Errorf("%d of %d mutants are read", n, Number)
	}
}
