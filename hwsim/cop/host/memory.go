package host

// This file holds the software for the programs that relate accesses to memory: deps and
// conflicts. When the table of pairs is full, and when the stream ends, the host sends
// all counts and empties the table. It leaves the slots of addresses in place, because
// the accesses to come relate to these.

import (
	"math/bits"

	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/cop/machine"
)

// The hosts of accesses to memory.
var (
	Deps      = &Host{Name: "deps", Check: checkDeps, Read: readDeps, Exact: exactDeps}
	Conflicts = &Host{Name: "conflicts", Check: checkConflicts, Read: readConflicts, Exact: exactConflicts}
)

// checkPairs checks a program with the layout of deps and conflicts: 64 addresses, and
// pairs in slots up to 127.
func checkPairs(m *machine.Machine, host string, sizes [3]uint8) error {
	for i, size := range sizes {
		if m.BaseBits(i) != size {
			return machine.Error("sub-array B" + digits.Int(int64(i)) + " of " + digits.Uint(1<<m.BaseBits(i)) +
				" words: the host " + host +
				" wants " + digits.Uint(1<<size))
		}
	}
	switch {
	case m.IndexWidth(0) != 6, m.IndexWidth(2) != 7:
		return machine.Error("I0 of " + digits.Uint(uint64(m.IndexWidth(0))) + " bits and I2 of " +
			digits.Uint(uint64(m.IndexWidth(2))) +
			": the host " + host + " wants 6 and 7")
	case m.Config().Slots < 128 || m.Config().KeyBits < 32:
		return machine.Error("an associative array of " + digits.Int(int64(m.Config().Slots)) + " slots with " +
			digits.Int(int64(m.Config().KeyBits)) +
			" bits: the host " + host + " wants at least 128 slots with 32 bits")
	}
	return CheckFields(m, host, machine.SelectPC|machine.SelectAddr)
}

func checkDeps(m *machine.Machine) error { return checkPairs(m, "deps", [3]uint8{6, 6, 7}) }

// firstDep is the slot of the first pair of a store and a load.
const firstDep = 96

// readDeps reads pairs. That of slot i has its count in word B2|i, the PC of the load in
// B2|i-32 and the PC of the store in B2|i-64.
func readDeps(w *Window, ended bool, out *hwsim.Out) {
	for i := firstDep; i < w.next(2, ended); i++ {
		load := tuple.Tuple{PC: w.word(2, i-32)}
		w.count(tuple.New(tuple.Dep, load.Site(), 0).PC, w.word(2, i-64), w.word(2, i), out)
		w.Store(machine.ValidWindow+i, 0)
	}
	w.Store(machine.IndexWindow+2, firstDep)
}

// checkConflicts also checks the masks of addresses: K0 selects the number of the set, and
// K1 the block.
func checkConflicts(m *machine.Machine) error {
	set, block := m.Read(machine.SourceK), m.Read(machine.SourceK+1)
	if line := -block; block == 0 || line&(line-1) != 0 {
		return machine.Error("K1 is " + digits.Hex(block) +
			": the host conflicts wants all bits but those of the offset in a block, such as " + digits.Hex(^uint64(63)))
	}
	if set&^block != 0 || set >= 1<<32 {
		return machine.Error("K0 is " + digits.Hex(set) +
			": the host conflicts wants the bits that are the number of a set, below bit 32 and above the offset in a block")
	}
	return checkPairs(m, "conflicts", [3]uint8{6, 7, 7})
}

// firstConflict is the slot of the first pair of an instruction and a set.
const firstConflict = 64

// readConflicts reads pairs. That of slot i has the PC in word B1|i. The low half of word
// B2|i has the bits of addresses that are the number of the set, the high half the count.
func readConflicts(w *Window, ended bool, out *hwsim.Out) {
	for i := firstConflict; i < w.next(2, ended); i++ {
		x := w.word(2, i)
		t := conflict(w.Machine, tuple.Tuple{PC: w.word(1, i)}.Site(), x&(1<<32-1))
		w.count(t.PC, t.W, x>>32, out)
		w.Store(machine.ValidWindow+i, 0)
	}
	w.Store(machine.IndexWindow+2, firstConflict)
}

// conflict returns the event of a conflict: at a site, in the set of an address.
func conflict(m *machine.Machine, site, addr uint64) tuple.Tuple {
	return tuple.New(tuple.Conflict, site, addr&m.Read(machine.SourceK)>>bits.TrailingZeros64(m.Read(machine.SourceK+1)))
}
