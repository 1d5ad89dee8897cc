package rap

// This file holds the event buffer in front of a tree (section 3.3, stage 0).

// A Buffer combines equal points: it counts up to maxTimes events of a point
// before the tree gets them at once. What it holds is not in the tree until
// Settle. As the tree takes a count for so many events one by one, it sees the
// stream in another order, and all its bounds hold.
//
// Every point has one entry that it can be in. Hardware would compare with all
// entries at once.
type Buffer struct {
	tree    *Tree
	entries []entry
	shift   uint8  // of a 64-bit hash, to index entries
	events  uint64 // that are in no entry any more
	passed  uint64 // counts handed to the tree
}

// An entry is a point, and how often it was seen: 0 for a free entry.
type entry struct {
	point uint64
	root  uint32
	times uint32
}

// maxTimes is as much as the 8-bit counter of an entry can hold.
const maxTimes = 255

// NewBuffer returns an empty buffer of 2^bits entries, up to 2^20, in front of a
// tree.
func NewBuffer(t *Tree, bits int) *Buffer {
	return &Buffer{tree: t, entries: make([]entry, 1<<bits), shift: uint8(64 - bits)}
}

// Add takes one event of each point, in order. If a point is outside of the
// universe, it returns a *PointError, and has taken the points before it.
func (b *Buffer) Add(points []uint64) error {
	for i, x := range points {
		if b.tree.o.Universe == 0 {
			break
		}
		if b.tree.outside(x) {
			b.add(b.tree.roots[0], points[:i])
			return &PointError{x, b.tree.o.Universe, i}
		}
	}
	b.add(b.tree.roots[0], points)
	return nil
}

func (b *Buffer) add(root uint32, points []uint64) {
	entries, shift := b.entries, b.shift&63
	for _, x := range points {
		e := &entries[x*golden>>shift]
		if e.point == x && e.root == root && e.times < maxTimes {
			e.times++
			continue
		}
		b.pass(e)
		*e = entry{x, root, 1}
	}
}

// pass hands an entry to the tree, and frees it.
func (b *Buffer) pass(e *entry) {
	if e.times > 0 {
		b.tree.addCount(e.root, e.point, uint64(e.times))
		b.events += uint64(e.times)
		b.passed++
		e.times = 0
	}
}

// Settle hands all that is in the buffer to the tree.
func (b *Buffer) Settle() {
	for i := range b.entries {
		b.pass(&b.entries[i])
	}
}

// Held returns how many events are in the buffer.
func (b *Buffer) Held() (n uint64) {
	for i := range b.entries {
		n += uint64(b.entries[i].times)
	}
	return n
}

// Factor returns how many events there were to a count that the tree was given, 0
// if there was none.
func (b *Buffer) Factor() float64 {
	if b.passed == 0 {
		return 0
	}
	return float64(b.events) / float64(b.passed)
}
