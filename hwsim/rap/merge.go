package rap

// This file removes nodes with few events (sections 2.2 and 3.1).

// mergeIfDue makes a merge if the schedule says that one is due.
func (t *Tree) mergeIfDue() {
	if t.n < t.next {
		return
	}
	t.merge()
	if s := t.o.Schedule; s.Kind == Periodic {
		t.next = s.after(t.n - t.n%s.First)
		return
	}
	for t.next <= t.n { // several merges can be due after two trees have become one
		t.next = t.o.Schedule.after(t.next)
	}
}

// merge visits all nodes once, children before parents, and removes the nodes that the
// policy does not keep.
func (t *Tree) merge() {
	before := t.s.Nodes
	m := merger{t, t.threshold()}
	for _, root := range t.roots {
		switch t.o.Policy {
		case Subtree:
			m.subtree(root)
		default:
			m.visit(root, 0)
		}
	}
	clear(t.seen[:])
	t.sinceMerge = 0
	t.s.Merges++
	t.s.Merged += uint64(before - t.s.Nodes)
}

// A merger is one merge pass over a tree.
type merger struct {
	*Tree
	limit uint64
}

// visit visits all nodes below node i. Then it removes i itself, if the counts of i and
// of its parent are together at most the limit. A parent of 0 means that there is no
// parent. visit returns the new content of the slot that i is in: i, a node below i, or
// 0.
//
// If a removed node has several slots in use, it becomes a joint, so a merge needs no
// space.
func (m *merger) visit(i, parent uint32) uint32 {
	nd := &m.nodes[i]
	own := i
	if nd.joint {
		own = parent
	}
	if nd.kids > 0 {
		slots := m.slotsOf(i)
		for c, k := range slots {
			if k == 0 {
				continue
			}
			if slots[c] = m.visit(k, own); slots[c] == 0 {
				nd.kids--
			}
		}
	}
	if !nd.joint && parent != 0 && (nd.kids == 0 || m.o.Policy == Internal) {
		if p := &m.nodes[parent]; nd.count+p.count <= m.limit {
			p.count += nd.count
			nd.count = 0
			nd.joint = true
			m.s.Nodes--
			m.s.Joints++
		}
	}
	if nd.joint && nd.kids < 2 {
		return m.unlink(i)
	}
	if !nd.joint {
		m.setStop(i)
	}
	return i
}

// unlink frees a joint that has at most one slot in use, and returns the content of
// that slot.
func (m *merger) unlink(i uint32) (only uint32) {
	for _, k := range m.slotsOf(i) {
		only = max(only, k)
	}
	m.freeNode(i)
	return only
}

// subtree removes all nodes below node i, if their counts and that of i are together at
// most the limit. It returns the sum of these counts.
func (m *merger) subtree(i uint32) (events uint64) {
	nd := &m.nodes[i]
	events = nd.count
	for _, k := range m.slotsOf(i) {
		if k != 0 {
			events += m.subtree(k)
		}
	}
	if nd.kids > 0 && events <= m.limit {
		// Each child has no more events than i, so all nodes below the children are
		// gone.
		for _, k := range m.slotsOf(i) {
			if k != 0 {
				m.freeNode(k)
			}
		}
		clear(m.slotsOf(i))
		nd.count, nd.kids = events, 0
	}
	m.setStop(i)
	return events
}
