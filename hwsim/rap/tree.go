package rap

// This file holds the memory of a tree.

import "unsafe"

// A Tree summarises a stream of points. New allocates all its memory. Only one
// goroutine at a time may use a tree.
//
// All nodes are in one slice and refer to each other by index. After merges a node can
// have any number of children, and they can lie several splits below it. To find the
// node of a point quickly all the same, the slice is a radix tree with the branching
// factor B. Slot c of a node is for the c-th part of the range of the node. If several
// nodes lie side by side in this part, and none of them contains the others, the slot
// holds a joint, and the nodes are below the joint. Otherwise it holds the node that is
// in this part, or nothing. A joint is not a node of the profile: it has no count, and
// is not among the ranges of the result. A joint has at least two slots in use, so
// there are fewer joints than nodes without children.
type Tree struct {
	o     Options
	rate  rate
	nodes []node
	slots []uint32 // B slots for each node; 0 is an empty slot
	free  uint32   // the first free node; lo is the link to the next one
	used  uint32   // nodes from here on have never been used
	roots []uint32 // New makes one; trees of engines can have several, which share memory, events and thresholds
	n     uint64   // number of events
	slack uint64   // see Bound
	next  uint64   // events at the next merge

	seen [1 << seenBits]seen // a cache from points to nodes

	sinceMerge uint64 // splits since the last merge
	s          Stats  // without Events and Bytes
}

// A node is a range and has 32 bytes, half a cache line.
type node struct {
	lo    uint64 // the first point
	count uint64 // events of the range that are in no smaller range

	// stop is the greatest count up to which an event needs nothing but counting. For a
	// node that lacks a child it is the threshold when it was last computed, which is
	// at most the present threshold. It is 0 if every event belongs to a child, and the
	// maximum for a single point.
	stop uint64

	shift uint8  // the logarithm of the width
	below uint8  // the logarithm of the width of the slots
	kids  uint16 // slots in use
	joint bool
}

// seen is an entry of the cache: the smallest node that contains a point. The entry
// remains valid when this node is split: the stop of the node is then 0, and the search
// continues from the node. Merges empty the cache.
type seen struct {
	point uint64
	root  uint32
	node  uint32 // 0 is none
}

// seenBits is the logarithm of the number of entries of the cache. Code, which repeats soon, is as fast
// with 1024 entries. Words in proportion to 1/k^1.1 take 38, 54 and 83 million events a second with 1024, 4096
// and 16384, but a larger cache takes more of the processor's second one, which the program uses, too.
const seenBits = 12

// Stats say what a tree has done and how much memory it needs.
type Stats struct {
	Events  uint64
	Nodes   int    // ranges
	Joints  int    // nodes that only connect others
	Most    int    // the most ranges that there were at any time
	Splits  uint64 // nodes that were split
	Merges  uint64 // merge passes
	Merged  uint64 // ranges that merges removed
	Denied  uint64 // splits for which there was no space; if there are some, Bound does not hold
	Bytes   int    // size of the memory; New allocates all of it
	Busiest uint64 // the most splits between two merges
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

// newTree returns a tree without roots that has space for so many roots. No field of o
// is zero. Of o.Nodes, one node is a root.
func newTree(o Options, roots int) *Tree {
	n := o.Nodes + roots // index 0 means no node
	t := &Tree{
		o:     o,
		rate:  newRate(o),
		nodes: make([]node, n),
		slots: make([]uint32, n*o.B),
		roots: make([]uint32, roots), // reset empties it
	}
	t.reset()
	return t
}

// Options returns the options of t, with defaults in the fields that were zero.
func (t *Tree) Options() Options { return t.o }

// reset removes all nodes of t, also the roots.
func (t *Tree) reset() {
	clear(t.slots[:int(t.used)*t.o.B])
	clear(t.seen[:])
	t.free, t.used, t.n, t.sinceMerge, t.s = 0, 1+uint32(cap(t.roots)), 0, 0, Stats{}
	t.roots = t.roots[:0]
	t.slack = t.rate.of(t.o.Start) + 1
	t.next = t.o.Schedule.first()
}

// newRoot adds a node for all points. It returns 0 if t has as many roots as it can
// have. The first nodes of the slice are reserved for roots: root k has index k, from 1
// on.
func (t *Tree) newRoot() uint32 {
	if len(t.roots) == cap(t.roots) {
		return 0
	}
	i := uint32(len(t.roots) + 1)
	t.roots = append(t.roots, i)
	t.initNode(i, 0, uint8(t.o.bits()))
	return i
}

// fits reports whether there is space for n more nodes, apart from those reserved for
// roots.
func (t *Tree) fits(n int) bool {
	others := t.s.Nodes + t.s.Joints - len(t.roots)
	return 1+cap(t.roots)+others+n <= len(t.nodes)
}

// newNode returns a new range. The caller checks that there is space.
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

// initNode makes node i a range without events.
func (t *Tree) initNode(i uint32, lo uint64, shift uint8) {
	t.nodes[i] = node{lo: lo, shift: shift, below: t.below(shift), stop: t.stop(shift)}
	t.s.Nodes++
	t.s.Most = max(t.s.Most, t.s.Nodes)
}

// freeNode frees a node that has no children. joint says whether the node was a joint.
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

// below returns the logarithm of the width of a node's slots. If the number of bits of
// the universe is not a multiple of log2(B), the last split makes fewer parts.
func (t *Tree) below(shift uint8) uint8 {
	return shift - min(shift, uint8(t.o.logB()))
}

// stop returns the stop of a node that lacks a child.
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

// parts returns the slots of a node that stand for parts of its range: none for a
// single point, and fewer than B for a node of the last split, if that makes fewer
// parts.
func (t *Tree) parts(i uint32) []uint32 {
	nd := &t.nodes[i]
	if nd.shift == 0 {
		return nil
	}
	return t.slotsOf(i)[:1<<(nd.shift-nd.below)]
}

// slotOf returns the slot of a node for a point of the node.
func (t *Tree) slotOf(i uint32, x uint64) *uint32 {
	nd := &t.nodes[i]
	return &t.slots[uint64(i)*uint64(t.o.B)+(x-nd.lo)>>nd.below]
}

// contains reports whether a point is in the range of nd. In Go a shift by 64 gives 0,
// which is right for the node of all uint64.
func (nd *node) contains(x uint64) bool { return (x^nd.lo)>>nd.shift == 0 }

// outside reports whether x is outside the universe.
func (t *Tree) outside(x uint64) bool { return t.o.Universe != 0 && x >= t.o.Universe }

// Events returns the number of events.
func (t *Tree) Events() uint64 { return t.n }

// Stats returns what t has done and how much memory it needs.
func (t *Tree) Stats() Stats {
	s := t.s
	s.Events = t.n
	s.Bytes = t.bytes()
	return s
}

// bytes returns the size of the memory of t.
func (t *Tree) bytes() int {
	return int(unsafe.Sizeof(*t)) + len(t.nodes)*int(unsafe.Sizeof(node{})) + 4*len(t.slots)
}
