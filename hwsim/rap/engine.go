package rap

// This file makes trees engines of package hwsim.

import (
	"math/bits"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
)

// An engine is a tree with a root for each place. A place is a tag or a PC. The places
// are in a hash table with open addressing; at least half of it is free.
type engine struct {
	spec
	tree    *Tree
	buffer  *Buffer // nil for none
	table   []uint32
	shift   uint8    // shift of a 64-bit hash, for the index into table
	keys    []uint64 // the PCs of the places; keys[i-1] is the PC of root i
	dropped uint64
}

// New returns a new engine.
func (s spec) New(hwsim.Instance) hwsim.Engine {
	roots := numTags
	if s.over == overValues {
		roots = int(s.places)
	}
	o := s.Options
	o.Nodes = s.nodes()
	o, _ = o.withDefaults() // parseArgs has checked everything
	n := bits.Len(uint(2*roots - 1))
	e := &engine{
		spec:  s,
		tree:  newTree(o, roots),
		table: make([]uint32, 1<<n),
		shift: uint8(64 - n),
		keys:  make([]uint64, 0, roots),
	}
	if s.buffer > 0 {
		e.buffer = NewBuffer(e.tree, bits.Len64(s.buffer)-1)
	}
	return e
}

// root returns the root of a place. If the place has none, root makes one; it returns 0
// if there is no space for it.
func (e *engine) root(pc uint64) uint32 {
	mask := len(e.table) - 1
	for i := int(pc * golden >> (e.shift & 63)); ; i++ {
		r := e.table[i&mask]
		if r == 0 {
			if r = e.tree.newRoot(); r != 0 {
				e.table[i&mask] = r
				e.keys = append(e.keys, pc)
			}
			return r
		}
		if e.keys[r-1] == pc {
			return r
		}
	}
}

// find returns the root of an event and its point. The root is 0 if the event must be
// dropped.
func (e *engine) find(t tuple.Tuple) (root uint32, x uint64) {
	t = e.View(t)
	if e.tree.outside(t.W) {
		return 0, 0
	}
	return e.root(t.PC), t.W
}

// Push counts events. It sends no messages; Flush and Snapshot send them.
func (e *engine) Push(in []tuple.Tuple, _ *hwsim.Out) {
	// Consecutive events of one place are counted together. Calls of Push may cut the
	// stream anywhere: the tree counts the events one after the other.
	var points [128]uint64
	over, tree := e.over, e.tree
	for len(in) > 0 {
		t := over.view(in[0])
		place, root := t.PC, uint32(0)
		if !tree.outside(t.W) {
			root = e.root(place)
		}
		if root == 0 {
			e.dropped++
			in = in[1:]
			continue
		}
		n := 0
		for n < min(len(points), len(in)) {
			t := over.view(in[n])
			if t.PC != place || tree.outside(t.W) {
				break
			}
			points[n] = t.W
			n++
		}
		e.add(root, points[:n])
		in = in[n:]
	}
}

func (e *engine) add(root uint32, points []uint64) {
	if e.buffer != nil {
		e.buffer.add(root, points)
	} else {
		e.tree.add(root, points)
	}
}

// PushWeighted counts events that have counts. Such events are combined already, so
// they bypass the buffer.
func (e *engine) PushWeighted(in []hwsim.Message, _ *hwsim.Out) {
	for _, m := range in {
		root, x := e.find(m.Tuple)
		if root == 0 || m.Count > maxEvents-e.tree.n {
			e.dropped += m.Count
			continue
		}
		e.tree.addCount(root, x, m.Count)
	}
}

// Flush sends the same messages as Snapshot, and empties the engine.
func (e *engine) Flush(out *hwsim.Out) {
	e.Snapshot(out)
	e.reset()
}

func (e *engine) reset() {
	e.tree.reset()
	clear(e.table)
	e.keys = e.keys[:0]
	e.dropped = 0
	if e.buffer != nil {
		clear(e.buffer.entries)
	}
}

// Snapshot sends a message for each range that has a count, that is, events that are in
// no smaller range. It also sends a message for each point in the buffer.
func (e *engine) Snapshot(out *hwsim.Out) {
	for _, root := range e.tree.roots {
		e.send(e.keys[root-1], root, out)
	}
	if e.buffer == nil {
		return
	}
	for _, x := range e.buffer.entries {
		if x.times > 0 {
			out.Send(hwsim.Message{Tuple: tuple.Tuple{PC: e.keys[x.root-1], W: x.point}, Count: uint64(x.times)})
		}
	}
}

// send sends the messages of node i and of all nodes below it.
func (e *engine) send(pc uint64, i uint32, out *hwsim.Out) {
	nd := &e.tree.nodes[i]
	if nd.count > 0 {
		out.Send(hwsim.Message{Tuple: tuple.Tuple{PC: pc, W: nd.lo}, Count: nd.count, Free: nd.shift})
	}
	if nd.kids == 0 {
		return
	}
	for _, k := range e.tree.slotsOf(i) {
		if k != 0 {
			e.send(pc, k, out)
		}
	}
}

// Merge adds the contents of another engine to e, as Tree.Merge does. The result is not
// exact. If e has no space for a place, the events of the place are dropped.
func (e *engine) Merge(other hwsim.Engine) (exact bool) {
	from := other.(*engine)
	if from.buffer != nil {
		from.buffer.Settle()
	}
	e.dropped += from.dropped
	for _, theirs := range from.tree.roots {
		if root := e.root(from.keys[theirs-1]); root != 0 {
			e.tree.graft(root, from.tree, theirs)
			continue
		}
		n := from.tree.events(theirs)
		e.dropped += n
		from.tree.n -= n
	}
	e.tree.settle(from.tree)
	from.reset()
	return false
}

// events returns the number of events of node i and of all nodes below it.
func (t *Tree) events(i uint32) (n uint64) {
	n = t.nodes[i].count
	for _, k := range t.slotsOf(i) {
		if k != 0 {
			n += t.events(k)
		}
	}
	return n
}

// Balance returns the number of events in the tree and the buffer, and of those
// dropped.
func (e *engine) Balance() hwsim.Balance {
	held := e.tree.n
	if e.buffer != nil {
		held += e.buffer.Held()
	}
	return hwsim.Balance{Held: int64(held), Dropped: e.dropped}
}
