package raphw

// This file holds stages 1 and 2: the ternary memory with its match lines, and the
// arbiter.

// A tcam has an entry for each range. The words that it compares have two parts: the
// place, and the point. Of the point only the first length bits are compared:
//
//	place    value      mask       length  parent
//	load@7   00000000   00000000   0       -       all points
//	load@7   01000000   11000000   2       0       01******
//	load@7   01101100   11111111   8       2       01101100
//
// Entries are sorted by length. Their order within a length is arbitrary, because no
// two entries of the same length match the same point. So the last entry of all that
// match has the longest prefix, and a fixed-priority arbiter finds it.
type tcam struct {
	pc, value, mask []uint64
	length          []uint8
	parent          []uint8 // the length of the smallest range around; dead if a merge has removed the entry
	count           []uint64
	// first[l] is the position of the first entry of length l; first[65] is the number of entries
	first [66]uint32
	bits  int // of a point

	// index finds entries by place, value and length, so that the model does not have
	// to compare with each entry as the hardware does. An element is 1 + the position
	// of an entry, or 0. The index is a hash table with open addressing; at least three
	// quarters of it are free.
	index []uint32
}

const (
	none = -1  // the position if there is no entry
	dead = 255 // the parent of an entry that is removed
)

func newTCAM(entries uint64, bits int) tcam {
	n := 4
	for uint64(n) < 4*entries {
		n *= 2
	}
	return tcam{
		index: make([]uint32, n),
		pc:    make([]uint64, entries), value: make([]uint64, entries), mask: make([]uint64, entries),
		length: make([]uint8, entries), parent: make([]uint8, entries), count: make([]uint64, entries), bits: bits,
	}
}

// len returns the number of entries.
func (t *tcam) len() int { return int(t.first[65]) }

// fits reports whether there is space for n more entries.
func (t *tcam) fits(n int) bool { return t.len()+n <= len(t.pc) }

// prefix returns the mask of the first length bits of a point.
func (t *tcam) prefix(length int) uint64 {
	all := ^uint64(0) >> (64 - t.bits)
	return all &^ (all >> length)
}

// slot returns the slot of the index for the entry with exactly these bits. The slot
// holds 0 if there is no such entry.
func (t *tcam) slot(pc, value uint64, length int) *uint32 {
	// The odd constants come from the golden ratio and from Stafford's variant 13. With
	// them all bits of both words affect the upper bits of the product.
	h := (value*0x9e3779b97f4a7c15 ^ pc + uint64(length)) * 0x94d049bb133111eb
	mask := uint64(len(t.index) - 1)
	for i := h >> 32; ; i++ {
		s := &t.index[i&mask]
		if *s == 0 {
			return s
		}
		if k := *s - 1; t.value[k] == value && t.pc[k] == pc && int(t.length[k]) == length {
			return s
		}
	}
}

// find returns the entry with exactly these bits, or none.
func (t *tcam) find(pc, value uint64, length int) int { return int(*t.slot(pc, value, length)) - 1 }

// longest returns the entry that the arbiter chooses among all entries whose match
// lines are high, or none if no line is high. Entries of the same length that match
// have the same first bits. So the model looks for at most one entry of each length,
// from the longest length on.
func (t *tcam) longest(pc, x uint64) int {
	for length := t.bits; length >= 0; length-- {
		if t.first[length] == t.first[length+1] {
			continue
		}
		if i := t.find(pc, x&t.prefix(length), length); i != none {
			return i
		}
	}
	return none
}

// insert writes an entry with the count 0. There must be space. The free words are
// behind all entries, so the first entry of each greater length moves to the end of its
// length. insert returns the number of entries that moved.
func (t *tcam) insert(pc, value uint64, length, parent int) (moved int) {
	at := t.len()
	t.first[65]++
	for l := 64; l > length; l-- {
		from := int(t.first[l])
		t.first[l]++
		if from < at {
			t.move(at, from)
			moved++
		}
		at = from
	}
	t.pc[at], t.value[at], t.mask[at] = pc, value, t.prefix(length)
	t.length[at], t.parent[at], t.count[at] = uint8(length), uint8(parent), 0
	*t.slot(pc, value, length) = uint32(at) + 1
	return moved
}

// move moves an entry to a free position.
func (t *tcam) move(to, from int) {
	*t.slot(t.pc[from], t.value[from], int(t.length[from])) = uint32(to) + 1
	t.copy(to, from)
}

// copy copies entry from to another position, and does not change the index.
func (t *tcam) copy(to, from int) {
	t.pc[to], t.value[to], t.mask[to] = t.pc[from], t.value[from], t.mask[from]
	t.length[to], t.parent[to], t.count[to] = t.length[from], t.parent[from], t.count[from]
}

// inside reports whether entry i is a part of the range that the first length bits of
// value describe.
func (t *tcam) inside(i int, pc, value uint64, length int) bool {
	return int(t.length[i]) > length && (t.value[i]^value)&t.prefix(length)|(t.pc[i]^pc) == 0
}

// adopt looks at the entries inside a range. Those whose parent has the length old get
// a parent of the length new. adopt returns their number.
func (t *tcam) adopt(pc, value uint64, length, old, new int) (n int) {
	for i := int(t.first[length+1]); i < t.len(); i++ {
		if int(t.parent[i]) == old && t.inside(i, pc, value, length) {
			t.parent[i] = uint8(new)
			n++
		}
	}
	return n
}

// compact removes the dead entries. The others keep their order.
func (t *tcam) compact() {
	to := 0
	for l := 0; l <= 64; l++ {
		from, end := int(t.first[l]), int(t.first[l+1])
		t.first[l] = uint32(to)
		for i := from; i < end; i++ {
			if t.parent[i] != dead {
				t.copy(to, i)
				to++
			}
		}
	}
	t.first[65] = uint32(to)
	clear(t.index)
	for i := range to {
		*t.slot(t.pc[i], t.value[i], int(t.length[i])) = uint32(i) + 1
	}
}

// shift returns the logarithm of the width of an entry's range.
func (t *tcam) shift(i int) uint8 { return uint8(t.bits) - t.length[i] }

func (t *tcam) reset() {
	t.first = [66]uint32{}
	clear(t.index)
}
