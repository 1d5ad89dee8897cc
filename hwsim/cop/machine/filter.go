package machine

// This file holds the filters, which tag events in the decode stage of the main
// processor.

// A Hash maps a PC to the number that the filters of PCs use for it. There are several
// hashes to choose from: if two PCs have the same number under one hash, another hash
// can tell them apart.
type Hash func(pc uint64) uint32

// DefaultHashes are the hash functions of a machine whose Config has none. The text of
// the paper has lost its hash functions; these are ours.
var DefaultHashes = []Hash{
	func(pc uint64) uint32 { return uint32(pc) },                            // 0: the low bits
	func(pc uint64) uint32 { return uint32(pc ^ pc>>32) },                   // 1: both halves
	func(pc uint64) uint32 { return uint32(pc * 0x9e3779b97f4a7c15 >> 32) }, // 2: the high half of a product
	func(pc uint64) uint32 { return uint32(pc ^ pc>>13 ^ pc>>29) },          // 3: shifted parts
}

// Filters decide which events are profiled: the events that all three accept (section
// 3.1).
type Filters struct {
	Classes     uint32 // a bit for each class: 1 accepts
	Mask, Match uint32 // accept PCs with hash & Mask == Match
	MatchHash   uint8  // the number of the hash that Mask and Match use
	BitHash     uint8  // the number of the hash that selects a bit of bits

	hashes []Hash
	bits   []uint64 // 1 rejects; the number of bits is a power of two
}

// Accepts reports whether all filters accept an event.
func (f *Filters) Accepts(s *Sample) bool { return f.accepts(s.PC, s.Class) }

func (f *Filters) accepts(pc uint64, class uint8) bool {
	if f.Classes>>(class&31)&1 == 0 {
		return false
	}
	if f.Mask != 0 && f.hashes[f.MatchHash](pc)&f.Mask != f.Match {
		return false
	}
	n := f.hashes[f.BitHash](pc)
	return f.bits[int(n>>6)&(len(f.bits)-1)]>>(n&63)&1 == 0
}

// Bit returns the number of the bit that a PC has in the filter with a bit for each PC.
func (f *Filters) Bit(pc uint64) uint32 {
	return f.hashes[f.BitHash](pc) & uint32(64*len(f.bits)-1)
}
