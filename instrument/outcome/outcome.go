// Package outcome writes down what the outcomes of the source do to the path register of a function that nobody
// rewrites: whoever follows the instructions of the program keeps the register.
//
// For the loop
//
//	for i < n {     // 3:2
//		i++
//	}
//
// whose header is the start 1 and whose way out has the value 1, the outcome "true at 3:2" ends a path and begins the
// next one with 1, and "false at 3:2" does so and adds 1.
//
// Only decisions choose between ways, so what a path does between two of them is done at the first, in order: that
// paths end and begin. What has an outcome of its own does it there: the header of a loop, a label, a return.
//
// The positions are those that the compiler knows.
package outcome

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"github.com/pepgo/pep/format/actions"
	"github.com/pepgo/pep/format/branches"
	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/format/register"
	"github.com/pepgo/pep/instrument/flow"
	"github.com/pepgo/pep/instrument/mark"
)

// maxCol is the last column that the compiler knows.
const maxCol = 255

// A Finder finds the outcomes of the functions of a package.
type Finder struct {
	fset    *token.FileSet
	markers *mark.Markers
	info    *types.Info
	file    func(string) string
	labels  map[*mark.Marker]*ast.LabeledStmt // by the marker behind
}

// New returns a finder for files with markers. Of the name of a file, file makes the name under which the compiler
// knows it.
func New(fset *token.FileSet, files []*ast.File, markers *mark.Markers, info *types.Info,
	file func(string) string) *Finder {
	fd := &Finder{fset, markers, info, file, map[*mark.Marker]*ast.LabeledStmt{}}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if l, ok := n.(*ast.LabeledStmt); ok {
				if mk := markers.StmtMarker(l.Stmt); mk != nil {
					fd.labels[mk] = l
				}
			}
			return true
		})
	}
	return fd
}

// A key is an outcome of the function.
type key struct {
	kind branches.Kind
	pos  token.Pos
}

type finder struct {
	*Finder
	fn     *flow.Func
	g      *pdag.Graph
	base   uint64
	falls  map[*mark.Marker]int // of a fallthrough: the node of the clause that it leads to
	events map[key]*event
	leaves map[*flow.Edge]bool // edges of conditions whose outcomes are added
	tests  map[*mark.Leaf][]pdag.Step
	order  []key
	why    string // why nobody can tell the paths
}

type event struct {
	before, add, after []register.Op
	added              bool
	done               bool // after is known
	nodes              []int
	vital              bool
}

// maxOperands bounds the operands of a condition. An operand can have an outcome for each operator, and which of
// these adds what takes a look at all behind it: the time grows with the cube.
const maxOperands = 200

// Func returns what the outcomes of f do, whose numbering is g. Its paths have the numbers from base on, and it is
// function site of the site table.
func (fd *Finder) Func(f *flow.Func, g *pdag.Graph, base uint64, site int) actions.Func {
	out := fd.Untold(f, "")
	out.Site = site
	tests := map[*mark.Leaf][]pdag.Step{}
	for i, n := range f.Nodes {
		for j, e := range n.Out {
			if e.Leaf != nil {
				tests[e.Leaf] = append(tests[e.Leaf], pdag.Step{Node: i, Out: j})
			}
			if e.Leaf != nil && len(e.Leaf.Cond.Leaves) > maxOperands {
				out.WhyUntold = fmt.Sprintf("a condition has more than %d operands", maxOperands)
				return out
			}
		}
	}
	w := &finder{Finder: fd, fn: f, g: g, base: base, falls: map[*mark.Marker]int{}, events: map[key]*event{},
		leaves: map[*flow.Edge]bool{}, tests: tests}
	out.Enter = w.all()
	if out.WhyUntold = w.why; w.why != "" {
		return out
	}
	seen := map[[3]int]bool{}
	for _, k := range w.order {
		e := w.events[k]
		pos := fd.pos(k.pos)
		if id := [3]int{int(k.kind), pos.Line, pos.Col}; seen[id] {
			out.WhyUntold = "two outcomes have the same position"
			return out
		} else {
			seen[id] = true
		}
		out.Events = append(out.Events, actions.Event{Kind: k.kind, Line: pos.Line, Col: pos.Col,
			Ops: slices.Concat(e.before, e.add, e.after), Nodes: e.nodes, Vital: e.vital})
	}
	return out
}

// Untold describes a function whose paths no code can tell.
func (fd *Finder) Untold(f *flow.Func, why string) actions.Func {
	at := f.Syntax.Pos()
	if d, ok := f.Syntax.(*ast.FuncDecl); ok {
		if at = d.Name.Pos(); d.Recv != nil {
			at = d.Recv.Opening
		}
	}
	return actions.Func{Name: f.Name, Decl: fd.pos(at), WhyUntold: why, Site: -1}
}

func (fd *Finder) pos(p token.Pos) branches.Pos {
	pos := fd.fset.PositionFor(p, false)
	return branches.Pos{File: fd.file(pos.Filename), Line: pos.Line, Col: min(pos.Column, maxCol)}
}

func (w *finder) fail(format string, args ...any) {
	if w.why == "" {
		w.why = fmt.Sprintf(format, args...)
	}
}

func (w *finder) event(k key) *event {
	e := w.events[k]
	if e == nil {
		e = &event{}
		w.events[k] = e
		w.order = append(w.order, k)
	}
	return e
}

// all finds all outcomes, and returns what a call does.
func (w *finder) all() []register.Op {
	for _, s := range w.g.Starts[1:] {
		if s.Node == 0 {
			w.fail("a loop begins with the function")
			return nil
		}
	}
	for _, n := range w.fn.Nodes {
		for _, e := range n.Out {
			for _, u := range e.Point.Undo {
				w.falls[u] = e.To.Index
			}
		}
	}
	enter := append([]register.Op{{Do: register.Set, Arg: uint32(w.base)}}, w.chain(0)...)
	for _, n := range w.reached() {
		if k := w.arrival(n); k.pos.IsValid() {
			e := w.event(k)
			e.vital = true
			e.after = append(w.cut(n), w.on(n)...)
		}
		if w.decides(n) {
			w.decision(n)
		}
	}
	return enter
}

// live returns the edges out of a node on which paths go on or end.
func (w *finder) live(n int) (live []int) {
	for i, e := range w.g.Nodes[n].Out {
		if !e.Dead {
			live = append(live, i)
		}
	}
	return live
}

// decides reports whether an outcome says how a path goes on from node n.
func (w *finder) decides(n int) bool {
	_, known := w.known(n)
	return len(w.live(n)) > 1 && !known
}

// known returns the edge out of node n that is always taken because the condition, or what a switch is over, is a
// constant. The compiler makes nothing of the other ways.
func (w *finder) known(n int) (out int, ok bool) {
	other := -1 // to the default
	for i, e := range w.fn.Nodes[n].Out {
		if e.Leaf != nil {
			if v := w.info.Types[e.Leaf.Expr].Value; v != nil && v.Kind() == constant.Bool && constant.BoolVal(v) == e.Outcome {
				return i, !w.g.Nodes[n].Out[i].Dead
			}
			continue
		}
		tag := w.tag(e)
		if tag == nil {
			return 0, false
		}
		clause, _ := e.Case.Of.(*ast.CaseClause)
		if clause == nil || clause.List == nil {
			other = i
			continue
		}
		for _, x := range clause.List {
			switch v := w.info.Types[x].Value; {
			case v == nil:
				return 0, false
			case constant.Compare(tag, token.EQL, v):
				return i, !w.g.Nodes[n].Out[i].Dead
			}
		}
	}
	return other, other >= 0 && !w.g.Nodes[n].Out[other].Dead
}

// tag returns the constant that the switch is over of which e is a way out, or nil.
func (w *finder) tag(e *flow.Edge) constant.Value {
	if e.Case == nil {
		return nil
	}
	if s, ok := e.Case.Switch.(*ast.SwitchStmt); ok && s.Tag != nil {
		return w.info.Types[s.Tag].Value
	}
	return nil
}

// reached returns the nodes that control can come to.
func (w *finder) reached() (nodes []int) {
	seen := make([]bool, len(w.g.Nodes))
	var visit func(n int)
	visit = func(n int) {
		if n == pdag.Exit || seen[n] {
			return
		}
		seen[n] = true
		nodes = append(nodes, n)
		if i, ok := w.known(n); ok {
			visit(w.g.Nodes[n].Out[i].To)
			return
		}
		for _, i := range w.live(n) {
			visit(w.g.Nodes[n].Out[i].To)
		}
	}
	visit(0)
	return nodes
}

// start returns the value that paths from node n start with, if some do.
func (w *finder) start(n int) (val uint64, ok bool) {
	for _, s := range w.g.Starts[1:] {
		if s.Node == n {
			return s.Val, true
		}
	}
	return 0, false
}

// cut returns what ends a path at node n and begins the next one, if paths start there.
func (w *finder) cut(n int) []register.Op {
	val, ok := w.start(n)
	if !ok {
		return nil
	}
	return []register.Op{{Do: register.End}, {Do: register.Set, Arg: uint32(w.base + val)}}
}

// arrival returns the outcome that says that control comes to node n, at which paths start, if there is one that is no
// outcome of n's decision.
func (w *finder) arrival(n int) key {
	if _, ok := w.start(n); !ok {
		return key{}
	}
	for _, mk := range w.fn.Nodes[n].Markers {
		if loop, ok := mk.Of.(*ast.ForStmt); ok && mk.Kind == mark.Start && loop.Cond == nil {
			return key{branches.Round, loop.For}
		}
		if l := w.labels[mk]; l != nil {
			return key{branches.Label, l.Colon}
		}
	}
	return key{}
}

// own reports whether the outcomes of node n's decision say by themselves that control comes to n: n is the first
// condition of a loop.
func (w *finder) own(n int) bool {
	if w.arrival(n).pos.IsValid() || !w.decides(n) {
		return false
	}
	for _, i := range w.live(n) {
		e := w.fn.Nodes[n].Out[i]
		if l := e.Leaf; l != nil && l == l.Cond.Leaves[0] && !w.assigns(l.Cond.Stmt) {
			continue
		}
		if k, ok := w.outcome(e); !ok || k.kind != branches.True && k.kind != branches.False {
			return false
		}
		if e.Leaf != nil {
			return false
		}
	}
	return true
}

// assigns reports whether s is an if that does nothing but assign something, so that the compiler may make a
// conditional move of it.
func (w *finder) assigns(s ast.Stmt) bool {
	x, ok := s.(*ast.IfStmt)
	if !ok || x.Else != nil {
		return false
	}
	n := 0
	for _, s := range x.Body.List {
		switch s := s.(type) {
		case *ast.AssignStmt, *ast.IncDecStmt:
			n++
		case *ast.ExprStmt:
			if w.markers.StmtMarker(s) == nil {
				return false
			}
		default:
			return false
		}
	}
	return n == 1
}

// chain returns what a path does from its arrival at node n to its next outcome.
func (w *finder) chain(n int) (ops []register.Op) {
	if w.arrival(n).pos.IsValid() || w.own(n) {
		return nil
	}
	return append(w.cut(n), w.on(n)...)
}

// on returns what a path does from node n on, to its next outcome.
func (w *finder) on(n int) (ops []register.Op) {
	for range w.g.Nodes {
		live := w.live(n)
		out, known := w.known(n)
		switch {
		case known:
		case len(live) != 1:
			return ops
		default:
			out = live[0]
		}
		e, num := w.fn.Nodes[n].Out[out], w.g.Nodes[n].Out[out]
		if num.Val != 0 {
			ops = append(ops, register.Op{Do: register.Add, Arg: uint32(num.Val)})
		}
		if num.To == pdag.Exit {
			return append(ops, w.leave(e)...)
		}
		for _, mk := range w.fn.Nodes[n].Markers {
			if to, ok := w.falls[mk]; ok && to == num.To {
				// The outcome of the clause comes next, which adds the value of the way from the switch.
				if val := w.clause(to); val != 0 {
					ops = append(ops, register.Op{Do: register.Add, Arg: -val})
				}
				return ops
			}
		}
		n = num.To
		if w.arrival(n).pos.IsValid() || w.own(n) {
			return ops
		}
		ops = append(ops, w.cut(n)...)
	}
	w.fail("a loop has no outcome")
	return nil
}

// clause returns the value of the way from a switch to the clause at node n.
func (w *finder) clause(n int) uint32 {
	for _, from := range w.fn.Nodes {
		for i, e := range from.Out {
			if len(e.Point.Undo) > 0 && e.To.Index == n {
				return uint32(w.g.Nodes[from.Index].Out[i].Val)
			}
		}
	}
	panic("outcome: no switch leads to a clause that is fallen into")
}

// leave returns what a path does that leaves the function by e: before a panic it ends. Returns have outcomes.
func (w *finder) leave(e *flow.Edge) []register.Op {
	if e.Panics {
		return []register.Op{{Do: register.End}}
	}
	return nil
}

// to returns what a path does behind edge i of node n, to its next outcome.
func (w *finder) to(n, i int) []register.Op {
	if to := w.g.Nodes[n].Out[i].To; to != pdag.Exit {
		return w.chain(to)
	}
	return w.leave(w.fn.Nodes[n].Out[i])
}

// decision adds the outcomes of the decision at node n.
func (w *finder) decision(n int) {
	var before []register.Op
	if w.own(n) {
		before = w.cut(n)
	}
	for _, i := range w.live(n) {
		e := w.fn.Nodes[n].Out[i]
		val := uint32(w.g.Nodes[n].Out[i].Val)
		if e.Leaf != nil {
			w.leaf(n, e, val, before, w.to(n, i))
			continue
		}
		k, ok := w.outcome(e)
		if !ok {
			k, ok = w.jump(n, e)
		}
		if !ok {
			w.none(n, e, val, before, w.to(n, i))
			continue
		}
		w.put(n, k, val, before, w.to(n, i))
	}
}

// none is called for an edge of a decision without an outcome.
func (w *finder) none(n int, e *flow.Edge, val uint32, before, after []register.Op) {
	switch {
	case e.Point.Jump != nil:
		w.fail("jumps leave the body of a range over a function in several ways")
	case val != 0 || len(before)+len(after) > 0:
		w.fail("a way has no outcome")
	}
}

// jump returns the outcome of an edge out of node n behind a range over a function, out of whose body one jump to
// somewhere in this function leads. It is that of a condition which the compiler adds where the body ends.
func (w *finder) jump(n int, e *flow.Edge) (key, bool) {
	live := w.live(n)
	if _, body := w.fn.Syntax.(*ast.RangeStmt); body || len(live) != 2 {
		return key{}, false
	}
	for _, i := range live {
		x := w.fn.Nodes[n].Out[i]
		switch j := x.Point.Jump; {
		case j == nil:
		case x == e:
			return key{branches.True, j.Loop.Body.Rbrace}, true
		default:
			return key{branches.False, j.Loop.Body.Rbrace}, true
		}
	}
	return key{}, false
}

// put adds an outcome of node n.
func (w *finder) put(n int, k key, val uint32, before, after []register.Op) {
	e := w.event(k)
	if len(e.nodes) > 0 || e.vital {
		w.fail("two decisions have the same outcome")
		return
	}
	e.before = before
	if val != 0 {
		e.add = []register.Op{{Do: register.Add, Arg: val}}
	}
	e.after = after
	e.nodes = []int{n}
	e.vital = len(before)+len(after) > 0
}

// outcome returns the outcome of an edge of a decision that is no condition.
func (w *finder) outcome(e *flow.Edge) (key, bool) {
	mk := e.Case
	if mk == nil {
		return key{}, false
	}
	switch of := mk.Of.(type) {
	case *ast.CaseClause, *ast.CommClause:
		if mk.Kind == mark.Start {
			return key{branches.Clause, of.Pos()}, true
		}
	case *ast.RangeStmt:
		switch mk.Kind {
		case mark.Start:
			return key{branches.True, of.Range}, true
		case mark.After:
			return key{branches.False, of.Range}, true
		}
	}
	if mk.Kind == mark.NoCase && mk.Switch != nil {
		return key{branches.None, mk.Switch.Pos()}, true
	}
	return key{}, false
}

// leaf adds the outcomes that happen if a condition's operand has an outcome. If it decides operators, too, these have
// outcomes as well, so that the first one gets what is left of the value.
func (w *finder) leaf(n int, e *flow.Edge, val uint32, before, after []register.Op) {
	if w.leaves[e] {
		return
	}
	w.leaves[e] = true
	fired := w.fired(e.Leaf, e.Outcome)
	if len(fired) == 0 {
		w.fail("a condition has no outcome")
		return
	}
	first, last := w.event(fired[0]), w.event(fired[len(fired)-1])
	rest := val
	for _, k := range fired[1:] {
		for _, op := range w.weight(k, e.Leaf) {
			rest -= op.Arg
		}
	}
	if first.added {
		w.fail("two operands have the same outcome")
		return
	}
	first.added, first.before = true, before
	if first.add = nil; rest != 0 {
		first.add = []register.Op{{Do: register.Add, Arg: rest}}
	}
	if last.done && !slices.Equal(last.after, after) {
		w.fail("an outcome leads to two places")
		return
	}
	last.done, last.after = true, after
	for _, k := range fired {
		x := w.event(k)
		if !slices.Contains(x.nodes, n) {
			x.nodes = append(x.nodes, n)
		}
	}
	first.vital = first.vital || len(before) > 0
	last.vital = last.vital || len(after) > 0
}

// weight returns what the outcome k of a condition adds, of which it is the first one for an operand behind l.
func (w *finder) weight(k key, l *mark.Leaf) []register.Op {
	e := w.event(k)
	if e.added {
		return e.add
	}
	c := l.Cond
	for _, other := range c.Leaves[slices.Index(c.Leaves, l)+1:] {
		for _, at := range w.tests[other] {
			x, num := w.fn.Nodes[at.Node].Out[at.Out], w.g.Nodes[at.Node].Out[at.Out]
			if f := w.fired(other, x.Outcome); len(f) > 0 && f[0] == k && !num.Dead && !e.added {
				var before []register.Op
				if w.own(at.Node) {
					before = w.cut(at.Node)
				}
				w.leaf(at.Node, x, uint32(num.Val), before, w.to(at.Node, at.Out))
			}
		}
	}
	return e.add
}

// fired returns the outcomes that happen, in order, when an operand is true or false.
func (w *finder) fired(l *mark.Leaf, holds bool) (keys []key) {
	kind := func(v bool) branches.Kind {
		if v {
			return branches.True
		}
		return branches.False
	}
	// up returns whether e contains the operand, and what e is then, if that decides it.
	var up func(e ast.Expr) (found, decided, value bool)
	up = func(e ast.Expr) (found, decided, value bool) {
		if e == l.Expr {
			return true, true, holds
		}
		switch e := e.(type) {
		case *ast.ParenExpr:
			return up(e.X)
		case *ast.UnaryExpr:
			found, decided, value = up(e.X)
			return found, decided, !value
		case *ast.BinaryExpr:
			if e.Op != token.LAND && e.Op != token.LOR {
				return false, false, false
			}
			if found, decided, value = up(e.X); found {
				if decided {
					keys = append(keys, key{kind(value), e.OpPos})
					decided = value == (e.Op == token.LOR)
				}
				return found, decided, value
			}
			return up(e.Y)
		}
		return false, false, false
	}
	found, decided, value := up(l.Cond.Expr)
	if !found || l.Cond.Stmt == nil {
		return nil
	}
	if decided {
		keys = append(keys, key{kind(value), l.Cond.Stmt.Pos()})
	}
	return keys
}
