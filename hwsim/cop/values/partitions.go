package values

// This file holds the partitions that software divides a program into while its loads do
// not fit into the slots.

import (
	"github.com/pepgo/pep/hwsim/cop/host"
	"github.com/pepgo/pep/hwsim/cop/machine"
)

// A leaf is a partition: the loads whose PC has a hash that ends with the given bits.
type leaf struct {
	bits  uint8
	match uint16
	seen  uint64 // events that were retired when its last visit ended
}

const (
	maxLeaves    = 256
	maxLeafBits  = 12
	matchingHash = 2 // of DefaultHashes
)

// partitions are the leaves of the tree of splits. Each PC is in exactly one of them.
//
//	all ─┬─ 00 ──┬─ 000
//	     ├─ 10   └─ 100     bits are added in front
//	     ├─ 01
//	     └─ 11
type partitions struct {
	leaves  []leaf
	current int
}

func newPartitions() partitions {
	p := partitions{leaves: make([]leaf, 0, maxLeaves)}
	p.clear()
	return p
}

// clear makes the whole program one partition.
func (p *partitions) clear() { p.leaves, p.current = append(p.leaves[:0], leaf{}), 0 }

func (p *partitions) copy(from *partitions) {
	p.leaves, p.current = append(p.leaves[:0], from.leaves...), from.current
}

// split splits the current partition 2 or 4 ways, by 1 or 2 more bits. The first part
// becomes the current partition. It returns false if there are too many partitions.
func (p *partitions) split(bits int) bool {
	old, more := p.leaves[p.current], 1<<bits-1
	if len(p.leaves)+more > maxLeaves || int(old.bits)+bits > maxLeafBits {
		return false
	}
	n := len(p.leaves)
	p.leaves = p.leaves[:n+more]
	copy(p.leaves[p.current+1+more:], p.leaves[p.current+1:n])
	for i := range more + 1 {
		p.leaves[p.current+i] = leaf{old.bits + uint8(bits), old.match | uint16(i)<<old.bits, old.seen}
	}
	return true
}

// advance makes the next partition the current one.
func (p *partitions) advance() { p.current = (p.current + 1) % len(p.leaves) }

// of returns the partition of a PC.
func (p *partitions) of(pc uint64) *leaf {
	hash := machine.DefaultHashes[matchingHash](pc)
	i := 0
	for hash&(1<<p.leaves[i].bits-1) != uint32(p.leaves[i].match) {
		i++
	}
	return &p.leaves[i]
}

// selectPartition makes the filter of PCs accept the current partition.
func (p *partitions) selectPartition(w *host.Window) {
	l := p.leaves[p.current]
	w.Store(machine.SampleWindow+machine.FilterMask, matchingHash<<32|(1<<l.bits-1))
	w.Store(machine.SampleWindow+machine.FilterMatch, uint64(l.match))
}
