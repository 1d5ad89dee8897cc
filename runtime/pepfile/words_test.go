package pepfile

import (
	"testing"
	"unsafe"
)

// Words whose bits are alike find space as others do: small ones, addresses, and ranges, whose
// words end in as many zeros as they have free bits.
func TestWordsFindSlots(t *testing.T) {
	const n = 20_000
	for name, key := range map[string]func(i uint64) (pc, w, free uint64){
		"small words": func(i uint64) (pc, w, free uint64) { return 3 << 56, i, 0 },
		"addresses":   func(i uint64) (pc, w, free uint64) { return 8 << 56, 0x13b1f7000000 + 64*i, 0 },
		"sites":       func(i uint64) (pc, w, free uint64) { return 3<<56 | i, 0, 64 },
		"wide ranges": func(i uint64) (pc, w, free uint64) { return 3 << 56, i << 46, 46 },
		"ranges of all widths": func(i uint64) (pc, w, free uint64) {
			free = i % 56
			return 3 << 56, i / 56 << free, free
		},
	} {
		words := make([]uint64, WordsSize/8)
		a := WordsAt(unsafe.Pointer(&words[0]))
		for i := range uint64(n) {
			if pc, w, free := key(i); !a.AddWord(WordKey{PC: pc, W: w, Free: uint8(free)}, 1, 1) {
				t.Errorf("%s: the %d-th of %d finds no space in %d slots", name, i+1, n, WordSlots)
				break
			}
		}
	}
}
