package flow

// This file turns the SSA form of a function into nodes and edges with insertion
// points.

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/pepgo/pep/instrument/mark"
)

// A block is a basic block, or a part that split has made of a basic block.
type block struct {
	node    *node
	markers []*mark.Marker
	callees []callee
	in      []*edge
	nout    int
	panic   bool // ends in a panic
	said    bool // … that stands in the source
}

// An edge leads from a block to a block, and so from a node to a node. Parallel edges
// that no point tells apart are one edge with several origins.
type edge struct {
	from, to *node // to is nil if the function is left
	orig     []origin
	leaf     *mark.Leaf
	outcome  bool
	jump     *mark.Jump // nil if the edge is not a jump
	into     *edge      // the edge that it has been merged into, or nil
	ends     bool       // a path must end here
}

type origin struct {
	src, dst *block // dst is nil if the function is left
}

// A node is a set of blocks with common edges in and out.
type node struct {
	blocks  []*block
	in, out []*edge
	index   int     // in the nodes that contract begins with
	stale   [2]bool // by way to join nodes: it is in the queue
}

type builder struct {
	markers *mark.Markers
	pkg     *types.Package // of the marker functions
	info    *types.Info
	fn      *Func

	nodes  []*node                  // nodes[0] is the entry
	bodies map[ast.Node]bool        // range-over-func loops of the function
	exits  map[token.Pos]*mark.Jump // the jumps that leave their bodies, by position

	stale   [2]queue                              // by way to join nodes
	set     map[*ssa.Alloc]*ssa.Function          // what only returns
	reached map[*ast.SwitchStmt]map[ast.Node]bool // what cases returns
}

// build fills in b.fn from the SSA form.
func (b *builder) build(fn *ssa.Function) {
	if len(fn.Blocks) == 0 {
		b.fn.Skipped = "it has no body"
		return
	}
	b.bodies, b.exits = map[ast.Node]bool{}, map[token.Pos]*mark.Jump{}
	b.reached = map[*ast.SwitchStmt]map[ast.Node]bool{}
	b.set = map[*ssa.Alloc]*ssa.Function{}
	for _, a := range fn.AnonFuncs {
		if r, ok := a.Syntax().(*ast.RangeStmt); ok {
			b.bodies[r] = true
			b.findExits(r)
		}
	}
	b.read(fn)
	b.shareDecisions()
	b.contract()
	b.dropDead()
	b.emit(fn)
}

// read makes a node of every block that can be reached from the entry.
func (b *builder) read(fn *ssa.Function) {
	blocks := map[*ssa.BasicBlock]*block{}
	var visit func(x *ssa.BasicBlock) *block
	var order []*ssa.BasicBlock
	visit = func(x *ssa.BasicBlock) *block {
		if blk := blocks[x]; blk != nil {
			return blk
		}
		blk := &block{node: &node{}}
		blk.node.blocks = []*block{blk}
		blocks[x] = blk
		order = append(order, x)
		b.nodes = append(b.nodes, blk.node)
		for _, s := range x.Succs {
			visit(s)
		}
		return blk
	}
	first := fn.Blocks[0]
	if b.fn.Init != nil {
		first = first.Succs[1] // the function init goes to its end at once if it was called before
	}
	visit(first)
	for _, x := range order {
		b.readBlock(x, blocks)
	}
}

func (b *builder) readBlock(x *ssa.BasicBlock, blocks map[*ssa.BasicBlock]*block) {
	blk := blocks[x]
	for _, instr := range x.Instrs {
		if fn, through := b.call(instr); fn != nil || through != "" {
			blk.callees = append(blk.callees, callee{fn, through})
		}
		switch instr := instr.(type) {
		case *ssa.Call:
			if id, ok := b.marker(instr.Common(), "Mark"); ok {
				mk := b.markers.Marker(id)
				blk.markers = append(blk.markers, mk)
				if mk.Kind == mark.Before && b.bodies[mk.Of] {
					blk = b.split(blk)
				}
			}
		case *ssa.Return:
			b.connect(blk, nil)
		case *ssa.Panic:
			blk.panic = true
			blk.said = instr.Pos().IsValid()
			b.connect(blk, nil)
		case *ssa.If:
			jump := b.exit(instr)
			if jump != nil && jump.Leaves {
				b.connect(blk, nil).jump = jump
			} else {
				b.connect(blk, blocks[x.Succs[0]]).jump = jump
			}
			b.connect(blk, blocks[x.Succs[1]])
			if leaf := b.leaf(instr.Cond); leaf != nil {
				for i, e := range blk.node.out {
					e.leaf, e.outcome = leaf, i == 0
				}
			}
		case *ssa.Jump:
			b.connect(blk, blocks[x.Succs[0]])
		}
	}
}

// split ends blk and returns the block that goes on. A path ends between them.
func (b *builder) split(blk *block) *block {
	rest := &block{node: &node{}}
	rest.node.blocks = []*block{rest}
	b.nodes = append(b.nodes, rest.node)
	b.connect(blk, rest).ends = true
	return rest
}

// marker returns the ID of the marker that is called, if one is.
func (b *builder) marker(call *ssa.CallCommon, name string) (int, bool) {
	fn, ok := call.Value.(*ssa.Function)
	if ok && fn.Origin() != nil {
		fn = fn.Origin() // Typed
	}
	if !ok || fn.Name() != name || fn.Pkg == nil || fn.Pkg.Pkg != b.pkg {
		return 0, false
	}
	id, _ := constant.Int64Val(call.Args[0].(*ssa.Const).Value)
	return int(id), true
}

// leaf returns the leaf that an If tests, or nil.
func (b *builder) leaf(cond ssa.Value) *mark.Leaf {
	switch x := cond.(type) { // the decision has a type of its own
	case *ssa.ChangeType:
		cond = x.X
	case *ssa.MultiConvert:
		cond = x.X
	}
	name := "Typed"
	if cmp, ok := cond.(*ssa.BinOp); ok && cmp.Op == token.EQL {
		name, cond = "Leaf", cmp.X
	}
	call, ok := cond.(*ssa.Call)
	if !ok {
		return nil
	}
	id, ok := b.marker(call.Common(), name)
	if !ok {
		return nil
	}
	return b.markers.Leaf(id)
}

func (b *builder) connect(src, dst *block) *edge {
	e := &edge{from: src.node, orig: []origin{{src, dst}}}
	src.node.out = append(src.node.out, e)
	src.nout++
	if dst != nil {
		e.to = dst.node
		dst.node.in = append(dst.node.in, e)
		dst.in = append(dst.in, e)
	}
	return e
}

// point returns the insertion point of e.
func (b *builder) point(e *edge) Point {
	if e.jump != nil {
		return Point{Jump: e.jump}
	}
	if l := e.leaf; l != nil && len(e.orig) == 1 {
		// The way out of an unsplit loop condition is the loop's end, which
		// a break reaches as well.
		_, isFor := l.Cond.Stmt.(*ast.ForStmt)
		if !isFor || l.Cond.Split || e.outcome {
			return Point{Leaf: l, Outcome: e.outcome}
		}
	}
	if dst := e.orig[0].dst; dst != nil && len(dst.markers) > 0 {
		p := Point{Marker: dst.markers[0]}
		for _, o := range dst.in {
			if o.is(e) {
				continue
			}
			mk := lastMarker(o.orig[0].src)
			if mk == nil || mk.Kind != mark.Fallthru || o.orig[0].src.nout != 1 {
				p.Marker = nil
				break
			}
			p.Undo = append(p.Undo, mk)
		}
		if p.Marker != nil {
			return p
		}
	}
	if len(e.orig) == 1 && len(e.from.out) == 1 || e.orig[0].src.nout == 1 && len(e.orig) == 1 {
		if src := e.orig[0].src; src.nout == 1 && len(src.markers) > 0 {
			return Point{Marker: lastMarker(src), Out: true}
		}
		if first := e.from.blocks[0]; len(e.from.out) == 1 && len(first.markers) > 0 {
			return Point{Marker: lastMarker(first), Out: true}
		}
	}
	return Point{}
}

// is reports whether e is x, or has been merged into it.
func (e *edge) is(x *edge) bool {
	for e.into != nil {
		if next := e.into.into; next != nil {
			e.into = next // the next time the way is shorter
		}
		e = e.into
	}
	return e == x
}

func lastMarker(blk *block) *mark.Marker {
	if len(blk.markers) == 0 {
		return nil
	}
	return blk.markers[len(blk.markers)-1]
}

// emit translates the nodes into b.fn, and checks that each edge that needs a point
// has one.
func (b *builder) emit(fn *ssa.Function) {
	index := map[*node]*Node{}
	for i, n := range b.nodes {
		nn := &Node{Index: i}
		for _, blk := range n.blocks {
			nn.Markers = append(nn.Markers, blk.markers...)
			nn.callees = append(nn.callees, blk.callees...)
		}
		slices.SortFunc(nn.Markers, func(a, b *mark.Marker) int { return a.ID - b.ID })
		index[n] = nn
		b.fn.Nodes = append(b.fn.Nodes, nn)
	}
	for _, n := range b.nodes {
		nn := index[n]
		without := 0
		for _, e := range n.out {
			ee := &Edge{From: nn, Point: b.point(e), Ends: e.ends, Leaf: e.leaf, Outcome: e.outcome}
			if e.to != nil {
				ee.To = index[e.to]
			}
			if dst := e.orig[0].dst; dst != nil && len(dst.markers) > 0 {
				ee.Case = dst.markers[0]
			}
			ee.Panics = leadsToPanic(e)
			ee.Never = b.markers.Decisions && b.never(ee)
			if !ee.Point.Known() && !ee.Never {
				if e.to == nil {
					b.skip("a way out of it has no insertion point")
					return
				}
				without++
			}
			nn.Out = append(nn.Out, ee)
		}
		if without > 1 {
			b.skip(fmt.Sprintf("%d ways on from one block have no insertion point", without))
			return
		}
	}
	if b.markers.Decisions {
		endAtDecisions(b.fn.Nodes)
	}
}

func leadsToPanic(e *edge) bool {
	src := e.orig[0].src
	if e.to == nil {
		return src.panic
	}
	return len(e.to.out) > 0 && !slices.ContainsFunc(e.to.out, func(x *edge) bool {
		return x.to != nil || !x.orig[0].src.panic
	})
}

func (b *builder) skip(reason string) {
	b.fn.Nodes = nil
	b.fn.Skipped = reason
}
