package strat

// This file computes the paper's hash fast: it looks up parts of the sum in tables, and
// remembers the parts that come again.

import "github.com/pepgo/pep/runtime/tuple"

// tables compute
//
//	xorfold(flip(randomize(pc)) ^ randomize(w), k)
//
// Folding and reversing are linear over XOR, and the random table maps single bytes. So
// each byte of a tuple contributes a number that depends on this byte alone. A tuple has
// 16 bytes, too many to look up for each tuple. So the contribution of the pc is
// remembered by pc, because few sites are busy at a time. The contribution of the upper
// bytes of a word, all but the lowest two, is remembered by them, because words are small
// or are addresses of the same regions.
type tables struct {
	pc [8][256]uint32 // contributions of the pc's bytes, the lowest first
	w  [8][256]uint32

	// The memos are direct-mapped. They are in the order in which a tuple needs
	// them, the keys before what is to be summed.
	pcs     [1 << pcBits]uint64
	tops    [1 << topBits]uint64
	pcSums  [1 << pcBits]uint32
	topSums [1 << topBits]uint32

	missed int // tops that were not remembered, in the present block
	random int // blocks in which tops need not be looked for
}

const (
	pcBits  = 10
	topBits = 8
	lowBits = 16 // of a word, that are not part of its top

	// Where more than an eighth of a block's tops are not remembered, as with
	// floating-point numbers and hash sums, the branches that are predicted
	// wrong cost more than the memo saves. The next blocks do without.
	blockTuples  = 256
	missesMost   = blockTuples / 8
	randomBlocks = 16
)

// pcSlot is the sum of the tap's number in its package and a byte of the
// package's, modulo the slots (tuple.SiteBase): neighbours, which are busy
// together, have different slots.
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
	// Slots without a sum must not be taken for that of 0.
	t.pcs[pcSlot(0)], t.tops[topSlot(0)] = 1, 1
	return t
}

// sum returns what the bytes of x contribute. It is just small enough to be
// inlined.
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

// count counts the tuples of a block up to the first whose counter is about to
// reach the rate, and returns the index of that, or else the length of the
// block. To find indices and to count in one loop, and to call nothing in it,
// keeps it in registers.
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

// nextBlock decides whether tops are looked for in the next block.
func (t *tables) nextBlock() {
	switch {
	case t.random > 0:
		t.random--
	case t.missed > missesMost:
		t.random = randomBlocks
	}
	t.missed = 0
}
