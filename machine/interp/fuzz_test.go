package interp

import (
	"math/rand/v2"
	"testing"
	"unsafe"
)

// FuzzRun interprets any bytes, on memory that is the same everywhere. Whatever they are, the machine neither faults
// nor writes beyond its buffers.
func FuzzRun(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		b := make([]byte, 4+r.IntN(60))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		if r.IntN(2) == 0 {
			b[0] = []byte{0xc4, 0xc5, 0x62, 0x0f, 0xf3, 0xf2, 0x66, 0xf0}[r.IntN(8)]
		}
		f.Add(b)
	}
	f.Add([]byte{0xf3, 0xa4})
	f.Add([]byte{0xeb, 0xfe})
	f.Add([]byte{0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66})
	var c Code
	var m Machine
	const size = 1 << 16
	memory := make([]uint64, (size+4096)/8)
	for i := size / 8; i < len(memory); i++ {
		memory[i] = 0x5555555555555555
	}
	c.Init(unsafe.Pointer(&memory[0]), size)
	m.Init(&c)
	m.Act = func(*Machine, uint64) {}
	var page [LineSize]byte
	m.Fetch = func(a uint64) uint64 {
		if a>>20&7 == 7 {
			return 0
		}
		return address(&page[0])
	}
	f.Fuzz(func(t *testing.T, code []byte) {
		for i := range page {
			page[i] = 0xcc
		}
		copy(page[:], code)
		for _, exact := range []bool{false, true} {
			c.Clear()
			c.Exact = exact
			for i := range 16 {
				m.R[i] = uint64(i) * 0x123456789
			}
			m.Reset(0x10000, 0x246)
			m.Run(200)
			if m.R[rZero] != 0 {
				t.Fatalf("% x: the register that is always 0 is %#x", code, m.R[rZero])
			}
			for i := size / 8; i < len(memory); i++ {
				if memory[i] != 0x5555555555555555 {
					t.Fatalf("% x: written behind the memory for code", code)
				}
			}
		}
	})
}
