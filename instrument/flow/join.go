package flow

// This file joins nodes over edges without insertion points, until each node has at most
// one such edge (docs/decisions/0003-edges-without-an-insertion-point.md).

import (
	"container/heap"
	"slices"

	"github.com/pepgo/pep/instrument/mark"
)

// shareDecisions gives one node to all nodes that decide between the same two targets
// by edges without points: no point tells which of the nodes decided. go/ssa builds a
// loop over an integer in this way. The comparison stands before the loop and again at
// its end.
func (b *builder) shareDecisions() {
	for _, p := range slices.Clone(b.nodes) {
		if !b.decides(p) {
			continue
		}
		var same []*node
		for _, e := range p.out[0].to.in {
			q := e.from
			if b.decides(q) && q.out[0].to == p.out[0].to && q.out[1].to == p.out[1].to && !slices.Contains(same, q) {
				same = append(same, q)
			}
		}
		if len(same) < 2 {
			continue
		}
		blk := &block{node: &node{}}
		blk.node.blocks = []*block{blk}
		b.nodes = append(b.nodes, blk.node)
		outs := []*block{p.out[0].orig[0].dst, p.out[1].orig[0].dst}
		for _, q := range same {
			for _, e := range slices.Clone(q.out) {
				b.disconnect(e)
			}
			q.blocks[0].nout = 0
			b.connect(q.blocks[0], blk)
		}
		for _, dst := range outs {
			b.connect(blk, dst)
		}
	}
}

// decides reports whether n ends by choosing between two targets, by edges without
// points.
func (b *builder) decides(n *node) bool {
	if len(n.out) != 2 || n.out[0].to == nil || n.out[1].to == nil || n.out[0].to == n.out[1].to {
		return false
	}
	return !slices.ContainsFunc(n.out, func(e *edge) bool { return e.leaf != nil || e.jump != nil })
}

func (b *builder) disconnect(e *edge) {
	e.from.out = slices.DeleteFunc(e.from.out, func(x *edge) bool { return x == e })
	if e.to != nil {
		e.to.in = slices.DeleteFunc(e.to.in, func(x *edge) bool { return x == e })
		for _, o := range e.orig {
			o.dst.in = slices.DeleteFunc(o.dst.in, func(x *edge) bool { return x == e })
		}
	}
}

// contract joins nodes over edges without points, and loses as little distinction as
// possible.
//
// A successor that belongs to one node alone is joined first, for example the blocks of
// an && in the last statement of a clause. If contract first joined the last of these
// blocks with the block that follows the switch, it would have to join the rest of the
// clause with that block, too. The clause would then count as executed whenever the
// block that follows the switch is executed.
//
// It tries a node again only if a change may let it join: it is stale. Of these the first one
// comes first.
func (b *builder) contract() {
	for i, n := range b.nodes {
		n.index = i
		b.touch(n)
	}
	for b.some(inward, b.mergeParallel, b.joinSuccessor, b.dropLoop) || b.some(outward, b.joinPredecessor, b.exitEarly) {
	}
	b.nodes = slices.DeleteFunc(b.nodes, func(n *node) bool { return len(n.blocks) == 0 })
}

// The ways to join nodes.
const (
	inward  = iota // a node takes its successors
	outward        // a node goes into its successor, or out of the function
)

// touch says that a node may be joined in some way.
func (b *builder) touch(n *node) {
	for way := range b.stale {
		if !n.stale[way] {
			n.stale[way] = true
			heap.Push(&b.stale[way], n)
		}
	}
}

// touchBefore says so of the nodes before n.
func (b *builder) touchBefore(n *node) {
	for _, e := range n.in {
		b.touch(e.from)
	}
}

// some tries the functions in order on the nodes that are stale, until one has changed a node. It reports whether
// one has.
func (b *builder) some(way int, functions ...func(*node) bool) bool {
	for len(b.stale[way]) > 0 {
		n := heap.Pop(&b.stale[way]).(*node)
		n.stale[way] = false
		if len(n.blocks) == 0 {
			continue // joined meanwhile
		}
		for _, change := range functions {
			if change(n) {
				return true
			}
		}
	}
	return false
}

// A queue has nodes, the first one in front.
type queue []*node

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].index < q[j].index }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(*node)) }
func (q *queue) Pop() any {
	last := len(*q) - 1
	n := (*q)[last]
	*q = (*q)[:last]
	return n
}

// mergeParallel makes one edge of edges from n to the same block if all have no
// point, or if all are the same jump.
func (b *builder) mergeParallel(n *node) (merged bool) {
	if len(n.out) < 2 {
		return false
	}
	type target struct {
		dst  *block
		jump *mark.Jump
	}
	first := map[target]*edge{}
	merges := func(e *edge) bool { return e != nil && (e.jump != nil || !b.point(e).Known()) }
	for _, f := range slices.Clone(n.out) {
		to := target{f.orig[0].dst, f.jump}
		switch e := first[to]; {
		case !merges(f):
		case !merges(e):
			first[to] = f
		default:
			// The blocks keep f, since it is an edge into them.
			n.out = slices.DeleteFunc(n.out, func(x *edge) bool { return x == f })
			if f.to != nil {
				f.to.in = slices.DeleteFunc(f.to.in, func(x *edge) bool { return x == f })
				b.touch(f.to)
			}
			if f.into = e; e.leaf != nil || f.leaf != nil {
				b.touchBefore(n)
			}
			e.orig = append(slices.Clip(e.orig), f.orig...)
			e.leaf = nil
			merged = true
		}
	}
	if merged {
		b.touch(n)
	}
	return merged
}

// joinSuccessor joins n with a successor that only n leads to, by edges without
// points.
func (b *builder) joinSuccessor(n *node) bool {
	for _, e := range n.out {
		v := e.to
		if v == nil || v == n || v == b.nodes[0] {
			continue
		}
		if slices.ContainsFunc(v.in, func(in *edge) bool { return in.from != n || b.point(in).Known() }) {
			continue
		}
		if b.startsDecision(e) {
			continue
		}
		for _, in := range slices.Clone(v.in) {
			b.remove(in)
		}
		for _, e := range v.out {
			if e.to != nil {
				b.touch(e.to)
			}
		}
		b.join(v, n)
		b.touch(n)
		return true
	}
	return false
}

// startsDecision reports whether e, which has no point, leads from a comparison of a switch to
// an operand in the next case. It is the only such edge of the comparison, so that the two may
// stay apart.
func (b *builder) startsDecision(e *edge) bool {
	if len(e.from.out) == 1 || !slices.ContainsFunc(e.to.out, func(x *edge) bool { return x.leaf != nil }) {
		return false
	}
	return !slices.ContainsFunc(e.from.out, func(x *edge) bool { return x != e && !b.point(x).Known() })
}

// dropLoop drops an edge without a point from n to itself: what was a loop is within n.
// This happens to loops whose markers stripClears has taken out.
func (b *builder) dropLoop(n *node) bool {
	for _, e := range n.out {
		if e.to == n && !b.point(e).Known() {
			b.disconnect(e)
			b.touch(n)
			b.touchBefore(n)
			return true
		}
	}
	return false
}

// joinPredecessor joins n with its only successor, if the edge between them has no
// point and n executes nothing that the successor does not.
func (b *builder) joinPredecessor(n *node) bool {
	if len(n.out) != 1 || n == b.nodes[0] {
		return false
	}
	e := n.out[0]
	if e.to == nil || e.to == n || b.point(e).Known() {
		return false
	}
	v := e.to
	if len(v.in) > 1 && n.executes() {
		return false // its statements would count as executed whenever v is
	}
	b.remove(e)
	b.touchBefore(n)
	b.join(n, v)
	b.touch(v)
	if len(v.in) > 0 && !slices.ContainsFunc(v.in, func(e *edge) bool { return e.from != v.in[0].from }) {
		b.touch(v.in[0].from)
	}
	return true
}

// executes reports whether there are statements in n.
func (n *node) executes() bool {
	return slices.ContainsFunc(n.blocks, func(blk *block) bool {
		return slices.ContainsFunc(blk.markers, func(mk *mark.Marker) bool { return mk.From != mk.To })
	})
}

// exitEarly removes n if it does nothing but leave the function, by an edge without a
// point. The edges into n then leave the function themselves.
func (b *builder) exitEarly(n *node) bool {
	if len(n.out) != 1 || n == b.nodes[0] || n.out[0].to != nil || b.point(n.out[0]).Known() || len(n.in) == 0 {
		return false
	}
	if slices.ContainsFunc(n.in, func(in *edge) bool { return in.from == n || !b.point(in).Known() }) {
		return false
	}
	b.touchBefore(n)
	for _, in := range n.in {
		in.to = nil
	}
	n.blocks, n.in, n.out = nil, nil, nil
	return true
}

// remove takes e out of the nodes. The blocks keep it, since it still decides whether
// another edge has a point.
func (b *builder) remove(e *edge) {
	is := func(x *edge) bool { return x == e }
	e.from.out = slices.DeleteFunc(e.from.out, is)
	e.to.in = slices.DeleteFunc(e.to.in, is)
}

// join moves everything from v into n.
func (b *builder) join(v, n *node) {
	for _, blk := range v.blocks {
		blk.node = n
	}
	for _, e := range v.out {
		e.from = n
	}
	for _, e := range v.in {
		e.to = n
	}
	n.blocks = append(n.blocks, v.blocks...)
	n.out = append(n.out, v.out...)
	n.in = append(n.in, v.in...)
	v.blocks, v.in, v.out = nil, nil, nil
}

// dropDead drops the edges that lead to nothing but an implicit panic, such as that of
// a bounds check.
func (b *builder) dropDead() {
	for again := true; again; {
		again = false
		for _, n := range b.nodes {
			if n == b.nodes[0] || len(n.in) == 0 {
				continue
			}
			if slices.ContainsFunc(n.out, func(e *edge) bool { return !implicit(e) }) {
				continue
			}
			if slices.ContainsFunc(n.blocks, func(blk *block) bool { return len(blk.markers) > 0 }) {
				continue
			}
			for _, e := range slices.Clone(n.in) {
				b.disconnect(e)
			}
			again = true
		}
		b.nodes = slices.DeleteFunc(b.nodes, func(n *node) bool {
			return n != b.nodes[0] && len(n.in) == 0
		})
	}
	for _, n := range b.nodes {
		for _, e := range slices.Clone(n.out) {
			if implicit(e) {
				b.disconnect(e)
			}
		}
	}
}

// implicit reports whether e leaves the function by a panic that is not in the source.
func implicit(e *edge) bool {
	src := e.orig[0].src
	return e.to == nil && src.panic && !src.said
}
