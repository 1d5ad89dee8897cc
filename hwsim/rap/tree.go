package rap

// This file holds the tree in memory, and how events are counted.

import "unsafe"

// A Tree summarises a stream of points. All its memory is allocated by New. It
// is for one goroutine at a time.
//
// The nodes are in one slice, and know each other by index. After merges a node
// can have children that lie several splits below it, and any number of them. So
// that points find their node quickly all the same, the slice is a radix tree
// with the branching factor B: slot c of a node holds what there is in the c-th
// part of its range, which is a node, or a joint where nodes that lie in the same
// part fork. A joint is a node that is none for the profile: it has no count, and
// is no range of the result. It has two slots in use at least, so there are fewer
// joints than nodes without children.
type Tree struct {
	o     Options
	rate  rate
	nodes []node
	slots []uint32 // B for each node; 0 is empty
	free  uint32   // the first free node; further ones are linked by lo
	used  uint32   // nodes from here on have never been used
	roots []uint32 // New makes one; trees of engines can have several, which share memory, events and thresholds
	n     uint64   // events
	slack uint64   // see Bound
	next  uint64   // events at the next merge

	seen [1 << seenBits]seen // a cache from points to nodes

	sinceMerge uint64 // splits
	s          Stats  // without Events and Bytes
}

// A node is a range, 32 bytes. Events touch half a cache line of it.
type node struct {
	lo    uint64 // the first point
	count uint64 // events of the range that are in no smaller one

	// stop is the count at which there is more to do than to count: the threshold
	// when it was last computed, which is not above the present one; 0 if every
	// event belongs to a child; the maximum for a single point.
	stop uint64

	shift uint8  // the logarithm of the width
	below uint8  // the logarithm of the width of the slots
	kids  uint16 // slots in use
	joint bool
}

// seen is an entry of the cache: the smallest node that a point is in. It stays
// valid when nodes are split: the stop of the node that was split is 0 then, and
// the search goes on from there. Merges empty the cache.
type seen struct {
	point uint64
	root  uint32
	node  uint32 // 0 is none
}

// seenBits is the logarithm of how many points the cache has room for:
// docs/decisions/0016-rap.md compares sizes.
const seenBits = 12

// Stats say what a tree has done and what it takes.
type Stats struct {
	Events  uint64
	Nodes   int    // ranges
	Joints  int    // nodes that only connect others
	Most    int    // ranges there were at most
	Splits  uint64 // nodes that were split
	Merges  uint64 // merge passes
	Merged  uint64 // ranges removed by them
	Denied  uint64 // splits for which there was no room; with some, Bound does not hold
	Bytes   int    // memory, all of it allocated by New
	Busiest uint64 // splits between two merges, at most
}

// New returns an empty tree.
func New(o Options) (*Tree, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	t := newTree(o, 1)
	t.newRoot()
	return t, nil
}

// newTree returns a tree without a root, and with room for so many. The options
// have no zero fields; of their nodes one is a root.
func newTree(o Options, roots int) *Tree {
	n := o.Nodes + roots // node 0 is none
	t := &Tree{
		o:     o,
		rate:  newRate(o),
		nodes: make([]node, n),
		slots: make([]uint32, n*o.B),
		roots: make([]uint32, 0, roots),
	}
	t.reset()
	return t
}

// Options returns the options of t, with what was zero.
func (t *Tree) Options() Options { return t.o }

// reset empties t of everything, the roots too.
func (t *Tree) reset() {
	clear(t.slots[:int(t.used)*t.o.B])
	clear(t.seen[:])
	t.free, t.used, t.n, t.sinceMerge, t.s = 0, 1+uint32(cap(t.roots)), 0, 0, Stats{}
	t.roots = t.roots[:0]
	t.slack = t.rate.of(t.o.Start) + 1
	t.next = t.o.Schedule.first()
}

// newRoot adds a node for all points, 0 if there are as many as there can be. The
// first nodes of the slice are kept for roots: the k-th has index k, from 1.
func (t *Tree) newRoot() uint32 {
	if len(t.roots) == cap(t.roots) {
		return 0
	}
	i := uint32(len(t.roots) + 1)
	t.roots = append(t.roots, i)
	t.initNode(i, 0, uint8(t.o.bits()))
	return i
}

// room reports whether there is room for so many nodes besides all roots.
func (t *Tree) room(n int) bool {
	others := t.s.Nodes + t.s.Joints - len(t.roots)
	return 1+cap(t.roots)+others+n <= len(t.nodes)
}

// newNode returns a new range. There must be room.
func (t *Tree) newNode(lo uint64, shift uint8) uint32 {
	i := t.free
	if i != 0 {
		t.free = uint32(t.nodes[i].lo)
	} else {
		i = t.used
		t.used++
	}
	t.initNode(i, lo, shift)
	return i
}

// initNode makes a node a range without events.
func (t *Tree) initNode(i uint32, lo uint64, shift uint8) {
	t.nodes[i] = node{lo: lo, shift: shift, below: t.below(shift), stop: t.stop(shift)}
	t.s.Nodes++
	t.s.Most = max(t.s.Most, t.s.Nodes)
}

// freeNode gives a node without children back. Joint is what it was.
func (t *Tree) freeNode(i uint32) {
	nd := &t.nodes[i]
	if nd.joint {
		t.s.Joints--
	} else {
		t.s.Nodes--
	}
	clear(t.slotsOf(i))
	nd.lo, nd.kids = uint64(t.free), 0
	t.free = i
}

// below returns the logarithm of the width of a node's slots. The last split of a
// universe whose bits are no multiple of log2(B) has fewer parts.
func (t *Tree) below(shift uint8) uint8 {
	return shift - min(shift, uint8(t.o.logB()))
}

// stop returns the stop of a node that has not all its children.
func (t *Tree) stop(shift uint8) uint64 {
	if shift == 0 {
		return never
	}
	return t.threshold()
}

// threshold returns the present threshold.
func (t *Tree) threshold() uint64 { return t.rate.of(max(t.n, t.o.Start)) }

// slotsOf returns the slots of a node.
func (t *Tree) slotsOf(i uint32) []uint32 {
	b := uint32(t.o.B)
	return t.slots[i*b : i*b+b : i*b+b]
}

// parts returns the slots of a node that are parts of its range: none for a
// single point, and fewer than B where the universe ends.
func (t *Tree) parts(i uint32) []uint32 {
	nd := &t.nodes[i]
	if nd.shift == 0 {
		return nil
	}
	return t.slotsOf(i)[:1<<(nd.shift-nd.below)]
}

// slotOf returns the slot of a node that a point of the node is in.
func (t *Tree) slotOf(i uint32, x uint64) *uint32 {
	nd := &t.nodes[i]
	return &t.slots[uint64(i)*uint64(t.o.B)+(x-nd.lo)>>nd.below]
}

// contains reports whether a point is in the range of nd. A shift by 64 gives 0,
// as the node for all uint64 needs it.
func (nd *node) contains(x uint64) bool { return (x^nd.lo)>>nd.shift == 0 }

// outside reports whether x is no point.
func (t *Tree) outside(x uint64) bool { return t.o.Universe != 0 && x >= t.o.Universe }

// Events returns the number of events.
func (t *Tree) Events() uint64 { return t.n }

// Stats returns what t has done and takes.
func (t *Tree) Stats() Stats {
	s := t.s
	s.Events = t.n
	s.Bytes = t.bytes()
	return s
}

// bytes returns the memory of t.
func (t *Tree) bytes() int {
	return int(unsafe.Sizeof(*t)) + len(t.nodes)*int(unsafe.Sizeof(node{})) + 4*len(t.slots)
}
