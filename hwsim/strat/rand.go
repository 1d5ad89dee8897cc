package strat

// This file has the generator of random numbers.

import "math/bits"

// pcg is PCG-XSH-RR with 64 bits of state and 32 of output.
//
// Source: O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically
// Good Algorithms for Random Number Generation", HMC-CS-2014-0905, section 6.3.1.
type pcg struct {
	state, inc uint64
}

// newPCG returns a generator. Generators with the same seed and different streams
// are independent of each other.
func newPCG(seed, stream uint64) pcg {
	g := pcg{inc: stream<<1 | 1}
	g.next()
	g.state += seed
	g.next()
	return g
}

func (g *pcg) next() uint32 {
	s := g.state
	g.state = s*6364136223846793005 + g.inc
	return bits.RotateLeft32(uint32((s>>18^s)>>27), -int(s>>59))
}

func (g *pcg) next64() uint64 { return uint64(g.next())<<32 | uint64(g.next()) }

// below returns a number in [0,n). Some numbers are more likely than others, by a
// relative difference of at most n/2^32. For the rates of samplers this is far less
// than a run can show.
func (g *pcg) below(n uint32) uint32 {
	return uint32(uint64(g.next()) * uint64(n) >> 32)
}
