package rap

// This file holds the event buffer in front of a tree (section 3.3, stage 0).

// A Buffer combines equal points: it counts up to maxTimes events of a point, and then
// adds them to the tree as one count. Events in the buffer are not in the tree before
// Settle. The tree handles a count like so many single events. So the buffer only
// changes the order of the stream, and all bounds of the tree hold.
//
// For each point there is one entry that can hold it. Hardware would compare the point
// with all entries at once.
type Buffer struct {
	tree    *Tree
	entries []entry
	shift   uint8  // shift of a 64-bit hash, for the index into entries
	events  uint64 // events that have left the entries
	passed  uint64 // counts handed to the tree
}

// An entry is a point and the number of times it was seen; 0 times means a free entry.
type entry struct {
	point uint64
	root  uint32
	times uint32
}

// maxTimes is the greatest number that the 8-bit counter of an entry can hold.
const maxTimes = 255

// NewBuffer returns an empty buffer in front of a tree. The buffer has 2^bits entries,
// at most 2^20.
func NewBuffer(t *Tree, bits int) *Buffer {
	return &Buffer{tree: t, entries: make([]entry, 1<<bits), shift: uint8(64 - bits)}
}

// Add takes one event of each point, in order. If a point is outside the universe, Add
// returns a *PointError; it has then taken the points before that one.
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

// pass adds the count of an entry to the tree, and frees the entry.
func (b *Buffer) pass(e *entry) {
	if e.times > 0 {
		b.tree.addCount(e.root, e.point, uint64(e.times))
		b.events += uint64(e.times)
		b.passed++
		e.times = 0
	}
}

// Settle adds all counts in the buffer to the tree.
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

// Factor returns the average number of events in a count that the buffer has added to
// the tree; 0 if there was no such count.
func (b *Buffer) Factor() float64 {
	if b.passed == 0 {
		return 0
	}
	return float64(b.events) / float64(b.passed)
}
