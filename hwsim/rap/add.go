package rap

// This file counts events and splits nodes (sections 2.1 and 2.2).

import "github.com/pepgo/pep/format/digits"

// A PointError says that a point is outside the universe.
type PointError struct {
	Point, Universe uint64
	Index           int // position of the point among the points that were added
}

func (e *PointError) Error() string {
	return "rap: point " + digits.Uint(e.Point) + " (index " + digits.Int(int64(e.Index)) +
		") is outside of the universe of " + digits.Uint(e.Universe) + " points: make the tree with a larger Options.Universe"
}

// maxEvents is the most events that a tree can have, so that sums do not overflow.
const maxEvents = 1 << 63

// A CountError says that a tree would have more than 2^63 events.
type CountError struct{ Events, Count uint64 }

func (e *CountError) Error() string {
	return "rap: " + digits.Uint(e.Count) + " more events after " + digits.Uint(e.Events) + ": a tree counts to 2^63"
}

// Add counts one event for each point, in order. If a point is outside the universe,
// Add returns a *PointError; it has then counted the points before that one.
func (t *Tree) Add(points []uint64) error {
	for i, x := range points {
		if t.o.Universe == 0 {
			break
		}
		if t.outside(x) {
			t.add(t.roots[0], points[:i])
			return &PointError{x, t.o.Universe, i}
		}
	}
	t.add(t.roots[0], points)
	return nil
}

// AddCount counts count events of a point. The result is the tree that Add would make
// if it got the point count times, so bounds for single events hold here, too: a node
// takes events up to its threshold, it is split, and its child takes the rest. There is
// one difference: with the Periodic schedule, if several merges become due, AddCount
// makes one merge for all of them, at the end.
func (t *Tree) AddCount(point, count uint64) error {
	if t.outside(point) {
		return &PointError{point, t.o.Universe, 0}
	}
	if count > maxEvents-t.n {
		return &CountError{t.n, count}
	}
	t.addCount(t.roots[0], point, count)
	return nil
}

// add counts points below a root. All points are in the universe.
func (t *Tree) add(root uint32, points []uint64) {
	for len(points) > 0 {
		n := int(min(uint64(len(points)), t.next-t.n))
		t.addRun(root, points[:n])
		points = points[n:]
		t.mergeIfDue()
	}
}

// addRun counts points. No merge is due before the last of them.
func (t *Tree) addRun(root uint32, points []uint64) {
	before := t.n
	for i, x := range points {
		e := t.entry(x)
		if e.point == x && e.root == root {
			nd := &t.nodes[e.node]
			if c := nd.count + 1; c <= nd.stop {
				nd.count = c
				continue
			}
		}
		t.n = before + uint64(i)
		nd, at := t.lookup(e, root, x)
		t.n++
		nd.count++
		if nd.count > nd.stop {
			t.ripe(at)
		}
	}
	t.n = before + uint64(len(points))
}

// addCount counts count events of a point below a root.
func (t *Tree) addCount(root uint32, x, count uint64) {
	for count > 0 {
		nd, at := t.lookup(t.entry(x), root, x)
		k := count
		if t.o.Schedule.Kind != Periodic {
			k = min(k, t.next-t.n)
		}
		if nd.stop > nd.count {
			k = min(k, nd.stop-nd.count)
		} else {
			k = 1 // so the node becomes ripe
		}
		nd.count += k
		t.n += k
		count -= k
		if nd.count > nd.stop {
			t.ripe(at)
		}
		if t.o.Schedule.Kind != Periodic {
			t.mergeIfDue()
		}
	}
	t.mergeIfDue()
}

// golden is the fraction of the golden ratio. The upper bits of a product with it
// depend on all bits of the point.
const golden = 0x9E3779B97F4A7C15

// entry returns the entry of the cache that is for x.
func (t *Tree) entry(x uint64) *seen { return &t.seen[x*golden>>(64-seenBits)] }

// lookup returns the smallest node that contains x, and stores this node in the entry e
// of the cache.
func (t *Tree) lookup(e *seen, root uint32, x uint64) (*node, uint32) {
	from := root
	if e.point == x && e.root == root {
		from = e.node
	}
	at := t.find(from, x)
	*e = seen{x, root, at}
	return &t.nodes[at], at
}

// find returns the smallest node that contains x. The search begins at a node that
// contains x and is not a joint.
func (t *Tree) find(from uint32, x uint64) (smallest uint32) {
	b := uint64(t.o.B)
	i := from
	for {
		nd := &t.nodes[i]
		if !nd.joint {
			smallest = i
		}
		if nd.kids == 0 {
			return smallest
		}
		i = t.slots[uint64(i)*b+(x-nd.lo)>>nd.below]
		if i == 0 || !t.nodes[i].contains(x) {
			return smallest
		}
	}
}

// ripe is called when the count of a node has passed its stop. It updates the stop, and
// splits the node if the count has passed the new stop, too.
func (t *Tree) ripe(i uint32) {
	nd := &t.nodes[i]
	if nd.stop = t.threshold(); nd.count <= nd.stop {
		return
	}
	if !t.split(i) {
		// The next attempt to split is due when the node has grown by a 16th.
		t.s.Denied++
		nd.stop = nd.count + nd.count/16
		return
	}
	t.s.Splits++
	t.sinceMerge++
	t.s.Busiest = max(t.s.Busiest, t.sinceMerge)
	if t.o.Schedule.Kind == Continuous {
		t.merge()
	}
}

// split gives a node all its children, with a count of 0. The node may have some
// children already. It may also have nodes further below; they then lie below the new
// children. split reports whether there was space.
func (t *Tree) split(i uint32) bool {
	nd := &t.nodes[i]
	slots := t.parts(i)
	need := 0
	for _, k := range slots {
		if k == 0 || t.nodes[k].shift != nd.below {
			need++
		}
	}
	if !t.fits(need) {
		return false
	}
	for c, k := range slots {
		kid := &t.nodes[k]
		lo := nd.lo + uint64(c)<<nd.below
		switch {
		case k == 0:
			slots[c] = t.newNode(lo, nd.below)
			nd.kids++
		case kid.shift != nd.below:
			slots[c] = t.newNode(lo, nd.below)
			t.nodes[slots[c]].kids = 1
			*t.slotOf(slots[c], kid.lo) = k
		case kid.joint:
			t.unjoin(k)
		}
	}
	nd.stop = 0
	return true
}

// unjoin turns a joint into a node with a count of 0.
func (t *Tree) unjoin(i uint32) {
	nd := &t.nodes[i]
	nd.joint = false
	t.s.Joints--
	t.s.Nodes++
	t.s.Most = max(t.s.Most, t.s.Nodes)
	t.setStop(i)
}

// setStop computes the stop of a node.
func (t *Tree) setStop(i uint32) {
	if t.complete(i) {
		t.nodes[i].stop = 0
	} else {
		t.nodes[i].stop = t.stop(t.nodes[i].shift)
	}
}

// complete reports whether a node has all its children. If so, every event goes to a
// child and none counts for the node.
func (t *Tree) complete(i uint32) bool {
	nd := &t.nodes[i]
	parts := t.parts(i)
	if int(nd.kids) != len(parts) || nd.shift == 0 {
		return false
	}
	for _, k := range parts {
		if t.nodes[k].joint || t.nodes[k].shift != nd.below {
			return false
		}
	}
	return true
}
