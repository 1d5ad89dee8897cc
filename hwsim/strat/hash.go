package strat

// This file says which stratum a tuple goes to, and what its tag is.

import (
	"math/bits"

	"github.com/pepgo/pep/runtime/tuple"
)

// A Hash is a way to compute an index from a tuple. The profile tag is part of
// the tuple's PC and so of all of them.
type Hash uint8

const (
	// Table is the paper's: every byte of both words goes through a table of
	// 256 random bytes, the pc's bytes are reversed, and all is folded.
	//
	// A byte of a tuple reaches 8 neighbouring bits of the index only. With the
	// paper's 2048 strata and our words of 64 bits, tuples that differ in the
	// lowest bytes of pc and w alone have no more than 512 of them.
	Table Hash = iota

	// Mul multiplies both words by random odd numbers and takes the upper bits
	// of the sum.
	Mul

	// XOR folds without the table. It has no seed, and nested splitters have
	// less to split.
	XOR
)

var hashNames = [...]string{Table: "table", Mul: "mul", XOR: "xor"}

// xorfold splits x into chunks of k bits, the lowest first, and XORs them
// (section 3.5). Each step makes the lowest chunk the sum of twice as many as
// before. With no bits there is one index only.
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

// randomBytes returns the table T of section 3.5. It is no permutation: the
// paper has random numbers.
func randomBytes(g *pcg) (table [256]byte) {
	for i := range table {
		table[i] = byte(g.next() >> 24)
	}
	return table
}

// tagOf is the signature that tells tuples of one stratum apart (section 4.1).
func tagOf(t tuple.Tuple, k int) uint32 { return uint32(xorfold(t.PC^t.W, k)) }

// foldAny is to how many bits words are folded if there is no power of two of
// indices. A further multiplication then brings them into range.
const foldAny = 32

// golden is 2^32 over the golden ratio: Knuth's multiplicative hashing, volume
// 3, section 6.4.
const golden = 0x9E3779B1

// A hasher maps tuples to [0,n).
//
// The paper's n is a power of two. For others the words are folded to 32 bits,
// multiplied so that all of them reach the upper ones, and scaled to n: folding
// to few bits and taking the remainder would load some strata twice as much.
type hasher struct {
	kind   Hash
	n      uint64
	k      int  // bits to fold to
	direct bool // the fold is the index
	mul    [2]uint64

	tables *tables // of Table; nil for other hashes
}

// newHasher returns the hash function number salt of a seed.
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
