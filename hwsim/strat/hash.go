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

	// Folding and reversing are linear over XOR, and the random table maps
	// single bytes: each byte of a tuple contributes a number that depends on
	// nothing else. parts has them for the bytes of the pc, the lowest first,
	// and then for those of w. It is nil for other hashes.
	parts *[16][256]uint32
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
		h.parts = fold(randomBytes(&g), h.k)
	case Mul:
		h.mul = [2]uint64{g.next64() | 1, g.next64() | 1}
	}
	return h
}

// fold returns what each value of each byte contributes to the index.
func fold(table [256]byte, k int) *[16][256]uint32 {
	parts := new([16][256]uint32)
	for i := range 8 {
		for v, r := range table {
			x := uint64(r) << (8 * i)
			parts[i][v] = uint32(xorfold(flip(x), k))
			parts[8+i][v] = uint32(xorfold(x, k))
		}
	}
	return parts
}

func (h *hasher) index(t tuple.Tuple) uint32 {
	switch h.kind {
	case Mul:
		return h.byMul(t)
	case XOR:
		return h.byXOR(t)
	}
	return h.byTable(t)
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
		for i, t := range in {
			out[i] = h.byTable(t)
		}
	}
}

// byTable is
//
//	xorfold(flip(randomize(pc)) ^ randomize(w), k)
//
// byte by byte.
func (h *hasher) byTable(t tuple.Tuple) uint32 {
	p, pc, w := h.parts, t.PC, t.W
	return h.scale(p[0][byte(pc)] ^ p[1][byte(pc>>8)] ^ p[2][byte(pc>>16)] ^ p[3][byte(pc>>24)] ^
		p[4][byte(pc>>32)] ^ p[5][byte(pc>>40)] ^ p[6][byte(pc>>48)] ^ p[7][byte(pc>>56)] ^
		p[8][byte(w)] ^ p[9][byte(w>>8)] ^ p[10][byte(w>>16)] ^ p[11][byte(w>>24)] ^
		p[12][byte(w>>32)] ^ p[13][byte(w>>40)] ^ p[14][byte(w>>48)] ^ p[15][byte(w>>56)])
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
