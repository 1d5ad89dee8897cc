package rap

// This file merges two trees into one.

// Merge adds the events of from to t, for example for the trees of several processors
// or machines. from is empty afterwards. Eps, Universe, B and Height of the two trees
// must be equal; otherwise Merge returns an *OptionError and changes nothing.
//
// If there is space for the ranges of both trees, the Bound of the result is at most the
// sum of the two Bounds. So the error stays at most eps of all events, and each further
// tree adds Threshold(Start)+1 events for each of the log_b(R) ranges around a range.
// If there is no space for a range, its count goes to the next range around it that
// exists, and Stats.Denied counts how often that happens.
//
// The result differs from a tree that has seen both streams itself: the thresholds of
// such a tree would have been different when it made its splits.
func (t *Tree) Merge(from *Tree) error {
	switch {
	case t.o.billionths() != from.o.billionths():
		return &OptionError{"Eps", "the same in both trees"}
	case t.o.Universe != from.o.Universe:
		return &OptionError{"Universe", "the same in both trees"}
	case t.o.B != from.o.B:
		return &OptionError{"B", "the same in both trees"}
	case t.o.Height != from.o.Height:
		return &OptionError{"Height", "the same in both trees"}
	}
	if from.n > maxEvents-t.n {
		return &CountError{t.n, from.n}
	}
	t.graft(t.roots[0], from, from.roots[0])
	t.settle(from)
	from.reset()
	from.newRoot()
	return nil
}

// graft adds node i of from, and all nodes below it, below a root of t.
func (t *Tree) graft(root uint32, from *Tree, i uint32) {
	nd := &from.nodes[i]
	if !nd.joint {
		t.place(root, nd)
	}
	for _, k := range from.slotsOf(i) {
		if k != 0 {
			t.graft(root, from, k)
		}
	}
}

// settle ends the merge of two trees, after the counts of all nodes are added.
//
// Proof of the bound. Before the merge pass, the count of every range is the sum of its
// counts in the two trees. So for each range the counts of the ranges around it are the
// sums of those in the two trees, and the errors add up. The merge pass raises no count
// above the threshold of all events. If a node is already above this threshold, by up
// to the sum of the slacks, the merge pass adds nothing to it; it can only lose children.
func (t *Tree) settle(from *Tree) {
	t.n += from.n
	t.slack += from.slack
	t.s.Splits += from.s.Splits
	t.s.Merges += from.s.Merges
	t.s.Merged += from.s.Merged
	t.s.Denied += from.s.Denied
	t.s.Busiest = max(t.s.Busiest, from.s.Busiest)
	t.merge()
	t.mergeIfDue()
}

// place adds the count of a node of another tree to the same range below root. If root
// has no such range, place makes it. If there is no space, the count goes to the next
// range around, and place reports false.
func (t *Tree) place(root uint32, other *node) (ok bool) {
	i, own := root, root
	for {
		nd := &t.nodes[i]
		if !nd.joint {
			own = i
		}
		if nd.shift == other.shift {
			if nd.joint {
				t.unjoin(i)
			}
			nd.count += other.count
			return true
		}
		slot := t.slotOf(i, other.lo)
		k := *slot
		switch kid := &t.nodes[k]; {
		case k != 0 && kid.shift >= other.shift && kid.contains(other.lo):
			i = k
		case t.fits(1) && (k == 0 || other.contains(kid.lo)) || t.fits(2):
			made := t.newNode(other.lo, other.shift)
			t.nodes[made].count = other.count
			t.link(i, slot, made)
			return true
		default:
			t.s.Denied++
			t.nodes[own].count += other.count
			return false
		}
	}
}

// link puts a new node into a slot of node i. If the slot holds another node, that node
// goes below the new one, or a new joint holds both.
func (t *Tree) link(i uint32, slot *uint32, made uint32) {
	k := *slot
	*slot = made
	nd := &t.nodes[made]
	switch {
	case k == 0:
		t.nodes[i].kids++
	case nd.shift > t.nodes[k].shift && nd.contains(t.nodes[k].lo):
		*t.slotOf(made, t.nodes[k].lo) = k
		nd.kids = 1
	default:
		*slot = t.newJoint(t.nodes[i].below, made, k)
	}
}

// newJoint returns a joint of two nodes that lie next to each other in a range of the
// given width. The caller checks that there is space.
func (t *Tree) newJoint(shift uint8, a, b uint32) uint32 {
	lo, apart := t.nodes[a].lo, t.nodes[a].lo^t.nodes[b].lo
	for apart>>t.below(shift) == 0 {
		shift = t.below(shift)
	}
	j := t.newNode(lo>>shift<<shift, shift)
	t.nodes[j].joint = true
	t.nodes[j].kids = 2
	t.s.Nodes--
	t.s.Joints++
	*t.slotOf(j, t.nodes[a].lo) = a
	*t.slotOf(j, t.nodes[b].lo) = b
	return j
}
