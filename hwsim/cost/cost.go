// Package cost computes what engines cost by analytical models: how many bits of storage
// they need, and how many cycles their messages take.
//
//	spec, err := engines.Parse("H[P256]2048+A16", nil)
//	size := cost.Of(spec, cost.Word32)
//	size[0]      // {H[P256]2048 2048 8}: 2048 counters of 8 bits, 2 KB
//	size.Bytes() // 2048 + 16·9 = 2192
//
//	cost.Default.Percent(62500, 16e6) // 3.498: messages of 16M events at a rate of 256
//
// As in the paper, only storage counts: no comparators, no hash tables, no queues. These
// cycles are a model; measured times are never added to them.
//
// Source: Sastry, Bodik and Smith, "Rapid Profiling via Stratified Sampling",
// ISCA 2001, section 5.3.2.
package cost

import "github.com/pepgo/pep/hwsim"

// A Word is the width of a machine word in bits. A tuple has two.
type Word int

const (
	Word32 Word = 32 // of the paper's size estimates
	Word64 Word = 64
)

// A Size is the storage of an engine's components, in order.
type Size []hwsim.Part

// Bits returns the sum of all storage in bits.
func (s Size) Bits() (n int) {
	for _, p := range s {
		n += p.Entries * p.Bits
	}
	return n
}

// Bytes returns the sum of all storage in bytes.
func (s Size) Bytes() float64 { return float64(s.Bits()) / 8 }

// Of returns the storage of an engine, which the engine's own package computes.
func Of(spec hwsim.Sized, w Word) Size { return spec.Size(int(w)) }
