package strat

// This file computes the paper's hash fast. It looks up parts of the sum in tables, and
// remembers the parts that occur again and again.

import "github.com/pepgo/pep/format/tuple"

// tables compute
//
//	xorfold(flip(randomize(pc)) ^ randomize(w), k)
//
// Folding and reversing are linear over XOR, and the random table maps single bytes. So
// each byte of a tuple contributes a number that depends on this byte alone, and the index
// is the XOR of 16 such numbers. Looking up 16 numbers for each tuple takes too long, so
// two memos remember parts of the sum:
//
//   - One memo has the contributions of whole pcs, because few sites are busy at a time.
//   - The other has the contributions of the tops of words. The top of a word is all of it
//     but the lowest two bytes. Few tops are in use at a time, because words are small
//     numbers, or addresses in the same regions.
type tables struct {
	pc [8][256]uint32 // contributions of the pc's bytes, the lowest first
	w  [8][256]uint32

	// The memos are direct-mapped. The fields are in the order in which a tuple
	// needs them: first the keys, then the contributions.
	pcs     [1 << pcBits]uint64
	tops    [1 << topBits]uint64
	pcSums  [1 << pcBits]uint32
	topSums [1 << topBits]uint32

	missed int // tops of the present block that the memo did not have
	random int // coming blocks in which countRandom does not use the memo of tops
}

const (
	pcBits  = 10
	topBits = 8
	lowBits = 16 // the bits of a word that are not part of its top

	// If the memo does not have more than an eighth of a block's tops, the
	// mispredicted branches cost more than the memo saves. Floating-point numbers
	// and hash sums are such words. The next blocks do not use the memo then.
	blockTuples  = 256
	missesMost   = blockTuples / 8
	randomBlocks = 16
)

// pcSlot returns the slot of a pc in its memo. A pc has the number of the tap in its
// package, and above it the number of the package (tuple.SiteBase). The slot is the
// sum of the tap's number and a byte of the package's number, modulo the number of
// slots. So taps that are neighbours, which are busy together, have different slots.
func pcSlot(pc uint64) uint32 { return uint32(pc) * (1<<(32-pcBits) + 1) >> (32 - pcBits) }

func topSlot(top uint64) uint64 { return top * 0x9E3779B97F4A7C15 >> (64 - topBits) }

// newTables returns the tables for a random table and indices of k bits.
func newTables(random [256]byte, k int) *tables {
	t := new(tables)
	for i := range 8 {
		for v, r := range random {
			x := uint64(r) << (8 * i)
			t.pc[i][v] = uint32(xorfold(flip(x), k))
			t.w[i][v] = uint32(xorfold(x, k))
		}
	}
	// An empty slot has the key 0. In the slots where the pc 0 and the top 0 belong,
	// another key keeps an empty slot from being taken for theirs.
	t.pcs[pcSlot(0)], t.tops[topSlot(0)] = 1, 1
	return t
}

// sum returns the XOR of the contributions of the bytes of x. It is just small enough
// for the compiler to inline it.
func sum(bytes *[8][256]uint32, x uint64) uint32 {
	return bytes[0][byte(x)] ^ bytes[1][byte(x>>8)] ^ bytes[2][byte(x>>16)] ^ bytes[3][byte(x>>24)] ^
		bytes[4][byte(x>>32)] ^ bytes[5][byte(x>>40)] ^ bytes[6][byte(x>>48)] ^ bytes[7][byte(x>>56)]
}

// index returns the index of one tuple.
func (t *tables) index(pc, w uint64) uint32 {
	p := pcSlot(pc)
	if t.pcs[p] != pc {
		t.pcs[p], t.pcSums[p] = pc, sum(&t.pc, pc)
	}
	return t.pcSums[p] ^ sum(&t.w, w)
}

// indices sets out[i] to the index of in[i].
func (t *tables) indices(in []tuple.Tuple, out []uint32) {
	out = out[:len(in)]
	for i := range in {
		pc, w := in[i].PC, in[i].W
		p := pcSlot(pc)
		if t.pcs[p] != pc {
			t.pcs[p], t.pcSums[p] = pc, sum(&t.pc, pc)
		}
		out[i] = t.pcSums[p] ^ sum(&t.w, w)
	}
}

// count counts the tuples of a block up to the first tuple whose counter is about to
// reach the rate. It returns the position of this tuple, or the length of the block if
// there is none. One loop, without calls, both hashes and counts, so the compiler keeps
// its variables in registers.
func (t *tables) count(in []tuple.Tuple, counts []uint32, rate uint32) int {
	if t.random > 0 {
		return t.countRandom(in, counts, rate)
	}
	for i := range in {
		pc, w := in[i].PC, in[i].W
		top := w >> lowBits
		p, q := pcSlot(pc), topSlot(top)
		if t.pcs[p] != pc {
			t.pcs[p], t.pcSums[p] = pc, sum(&t.pc, pc)
		}
		if t.tops[q] != top {
			t.tops[q], t.topSums[q] = top, t.w[2][byte(top)]^t.w[3][byte(top>>8)]^
				t.w[4][byte(top>>16)]^t.w[5][byte(top>>24)]^t.w[6][byte(top>>32)]^t.w[7][byte(top>>40)]
			t.missed++
		}
		j := t.pcSums[p] ^ t.topSums[q] ^ t.w[0][byte(w)] ^ t.w[1][byte(w>>8)]
		n := counts[j] + 1
		if n == rate {
			return i
		}
		counts[j] = n
	}
	return len(in)
}

// countRandom is count for words that do not repeat.
func (t *tables) countRandom(in []tuple.Tuple, counts []uint32, rate uint32) int {
	for i := range in {
		pc, w := in[i].PC, in[i].W
		p := pcSlot(pc)
		if t.pcs[p] != pc {
			t.pcs[p], t.pcSums[p] = pc, sum(&t.pc, pc)
		}
		j := t.pcSums[p] ^ sum(&t.w, w)
		n := counts[j] + 1
		if n == rate {
			return i
		}
		counts[j] = n
	}
	return len(in)
}

// nextBlock decides whether the next block uses the memo of tops.
func (t *tables) nextBlock() {
	switch {
	case t.random > 0:
		t.random--
	case t.missed > missesMost:
		t.random = randomBlocks
	}
	t.missed = 0
}
