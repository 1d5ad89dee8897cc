// Package mutant damages files for tests of their readers.
package mutant

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
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
	math.Float64bits(math.MaxFloat64), math.Float64bits(-1e300), math.Float64bits(1e100), math.Float64bits(math.SmallestNonzeroFloat64),
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
			panic(fmt.Sprintf("mutant %d of %s, with %x in place of %x at %d of %d bytes, has taken %v", i, t.Name(), now[:n], was[:n], at, len(file), patience))
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
