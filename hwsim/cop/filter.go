package cop

// This file has the filters that tag events, in the decode stage of the main processor.

// A Hash maps a PC to the number by which the filters of PCs know it. Several can be chosen
// from, so that PCs with the same number under one of them can be told apart by another.
type Hash func(pc uint64) uint32

// DefaultHashes are the hash functions of a machine that is given no others. Which ones
// the paper had is lost; these are ours.
var DefaultHashes = []Hash{
	func(pc uint64) uint32 { return uint32(pc) },                            // 0: the low bits
	func(pc uint64) uint32 { return uint32(pc ^ pc>>32) },                   // 1: both halves
	func(pc uint64) uint32 { return uint32(pc * 0x9e3779b97f4a7c15 >> 32) }, // 2: the high half of a product
	func(pc uint64) uint32 { return uint32(pc ^ pc>>13 ^ pc>>29) },          // 3: shifted parts
}

// Filters decide which events are profiled: those that all three accept (section 3.1).
type Filters struct {
	Classes     uint32 // a bit for each class: 1 accepts
	Mask, Match uint32 // accept PCs with hash & Mask == Match
	MatchHash   uint8  // the number of the hash for that
	BitHash     uint8  // the number of the hash that selects a bit of bits

	hashes []Hash
	bits   []uint64 // 1 rejects; a power of two of them
}

// Accepts reports whether all filters accept an event.
func (f *Filters) Accepts(s *Sample) bool {
	if f.Classes>>(s.Class&31)&1 == 0 {
		return false
	}
	if f.Mask != 0 && f.hashes[f.MatchHash](s.PC)&f.Mask != f.Match {
		return false
	}
	n := f.hashes[f.BitHash](s.PC)
	return f.bits[int(n>>6)&(len(f.bits)-1)]>>(n&63)&1 == 0
}
