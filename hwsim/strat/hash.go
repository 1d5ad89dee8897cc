package strat

// This file computes the stratum that a tuple goes to, and the signature that a
// tagged table stores for the tuple.

import (
	"math/bits"

	"github.com/pepgo/pep/format/tuple"
)

// A Hash is a way to compute an index from a tuple. The profile tag is part of
// the tuple's PC, so every Hash depends on it.
type Hash uint8

const (
	// Table is the paper's hash. It replaces every byte of both words by a byte
	// of a table of 256 random bytes, reverses the bytes of the pc, and folds
	// the XOR of the two words to the bits of the index.
	//
	// Each byte of a tuple affects only 8 neighbouring bits of the index. So
	// tuples that differ only in the lowest bytes of pc and w reach at most 512
	// of the paper's 2048 strata, because our words have 64 bits.
	Table Hash = iota

	// Mul multiplies both words by random odd numbers, and takes the upper bits
	// of the sum of the products.
	Mul

	// XOR is Table without the random bytes. It has no seed, so splitters within
	// each other use the same function, and the inner one has less to split.
	XOR
)

var hashNames = [...]string{Table: "table", Mul: "mul", XOR: "xor"}

// xorfold splits x into chunks of k bits, the lowest first, and XORs them
// (section 3.5). After each step the lowest chunk is the XOR of twice as many
// chunks as before. If k is 0, the only index is 0.
func xorfold(x uint64, k int) uint64 {
	if k == 0 {
		return 0
	}
	for s := k; s < 64; s *= 2 {
		x ^= x >> s
	}
	return x & (1<<k - 1)
}

// flip reverses the bytes of x (section 3.5).
func flip(x uint64) uint64 { return bits.ReverseBytes64(x) }

// randomBytes returns the table T of section 3.5. The paper fills it with random
// numbers, so it is not a permutation: bytes can occur twice.
func randomBytes(g *pcg) (table [256]byte) {
	for i := range table {
		table[i] = byte(g.next() >> 24)
	}
	return table
}

// tagOf returns the signature, of k bits, that tells tuples of one stratum apart
// (section 4.1). The paper calls it a tag; it is not the profile tag.
func tagOf(t tuple.Tuple, k int) uint32 { return uint32(xorfold(t.PC^t.W, k)) }

// foldAny is the number of bits that words are folded to if the number of indices
// is not a power of two. A multiplication then brings the result into range.
const foldAny = 32

// golden is 2^32 divided by the golden ratio, for multiplicative hashing.
//
// Source: Knuth, "The Art of Computer Programming", volume 3, section 6.4.
const golden = 0x9E3779B1

// A hasher maps tuples to [0,n).
//
// The paper's n is a power of two. For other n the hasher folds the words to 32
// bits, multiplies the result so that all its bits affect the upper bits, and
// scales it to n. If the hasher folded to just enough bits and took the remainder
// modulo n, some strata would get twice as many tuples as others.
type hasher struct {
	kind   Hash
	n      uint64
	k      int  // bits to fold to
	direct bool // the folded words are the index, because n is a power of two
	mul    [2]uint64

	tables *tables // for the hash Table; nil for other hashes
}

// newHasher returns a hash function to [0,n). A seed has many functions, which
// salt numbers.
func newHasher(kind Hash, n int, seed, salt uint64) hasher {
	h := hasher{kind: kind, n: uint64(n), k: bits.Len(uint(n - 1)), direct: n&(n-1) == 0}
	if !h.direct {
		h.k = foldAny
	}
	g := newPCG(seed, hashStream+salt)
	switch kind {
	case Table:
		h.tables = newTables(randomBytes(&g), h.k)
	case Mul:
		h.mul = [2]uint64{g.next64() | 1, g.next64() | 1}
	}
	return h
}

func (h *hasher) index(t tuple.Tuple) uint32 {
	switch h.kind {
	case Mul:
		return h.byMul(t)
	case XOR:
		return h.byXOR(t)
	}
	return h.scale(h.tables.index(t.PC, t.W))
}

// indices sets out[i] to the index of in[i].
func (h *hasher) indices(in []tuple.Tuple, out []uint32) {
	out = out[:len(in)]
	switch h.kind {
	case Mul:
		for i, t := range in {
			out[i] = h.byMul(t)
		}
	case XOR:
		for i, t := range in {
			out[i] = h.byXOR(t)
		}
	default:
		h.tables.indices(in, out)
		if !h.direct {
			for i, f := range out {
				out[i] = h.scale(f)
			}
		}
	}
}

// byMul is multiply-shift hashing.
//
// Source: Dietzfelbinger, Hagerup, Katajainen and Penttonen, "A Reliable
// Randomized Algorithm for the Closest-Pair Problem", J. Algorithms 25, 1997,
// section 3.
func (h *hasher) byMul(t tuple.Tuple) uint32 {
	hi, _ := bits.Mul64(t.PC*h.mul[0]+t.W*h.mul[1], h.n)
	return uint32(hi)
}

func (h *hasher) byXOR(t tuple.Tuple) uint32 {
	return h.scale(uint32(xorfold(flip(t.PC)^t.W, h.k)))
}

func (h *hasher) scale(f uint32) uint32 {
	if h.direct {
		return f
	}
	return uint32(uint64(f*golden) * h.n >> 32)
}
