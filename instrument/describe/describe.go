// Package describe writes down what the path numbers of a function mean in terms of
// its source. The result is the function's entry in the site table.
//
// For
//
//	func f(x int) int {   // line 1
//		if x > 0 {
//			x = -x
//		}
//		return x
//	}
//
// block 0 runs through lines 1 and 2. It ends in the branch "if" at 2:5, with the
// outcomes "true", which leads to 3:3, and "false", which leads to 5:2.
package describe

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/printer"
	"go/token"
	"slices"
	"strings"

	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/instrument/flow"
	"github.com/pepgo/pep/instrument/mark"
)

// maxOutcome bounds the text of a case in the site table, in bytes.
const maxOutcome = 48

// A Describer describes functions of one package.
type Describer struct {
	Sources bool // functions have a Source where //line directives make a difference

	fset *token.FileSet
	file func(name string) int // index of a file name in the site table
	text bool                  // positions are those of the text, whatever //line directives say

	plain map[*token.File]bool // whether positions in a file are those of its text

	last struct { // what file has returned last: most positions of a function are in one file
		name  string
		index int
	}
}

// New returns a describer. file returns the index of a file's name in the site table.
func New(fset *token.FileSet, file func(name string) int) *Describer {
	return &Describer{fset: fset, file: file, plain: map[*token.File]bool{}}
}

// Func describes f, whose numbering is g.
func (d *Describer) Func(f *flow.Func, g *pdag.Graph, base uint64) wire.Func {
	pos := d.fset.Position(f.Syntax.Pos())
	file := d.file(pos.Filename)
	d.last.name, d.last.index = pos.Filename, file
	out := wire.Func{
		Name:   f.Name,
		File:   file,
		Line:   pos.Line,
		Base:   base,
		Graph:  *g,
		Blocks: d.Blocks(f),
	}
	for i, n := range f.Nodes {
		for _, callee := range n.Calls {
			out.Calls = append(out.Calls, wire.Call{Node: i, Callee: callee})
		}
	}
	out.Elsewhere = elsewhere(&out)
	if d.Sources {
		out.Source = d.source(f, &out)
	}
	return out
}

// source returns where f, of which Func has returned out, stands in its Go file. It is nil if that is no other place.
func (d *Describer) source(f *flow.Func, out *wire.Func) *wire.Source {
	t := New(d.fset, d.file)
	t.text = true
	s := t.begin(f)
	if s == nil {
		return nil
	}
	s.Blocks = t.Blocks(f)
	same := s.File == out.File && s.Line == out.Line
	for i := range s.Blocks {
		b, o := &s.Blocks[i], &out.Blocks[i]
		b.Outs = nil
		same = same && b.Branch == o.Branch && slices.Equal(b.Spans, o.Spans)
	}
	if same {
		return nil
	}
	return s
}

// begin returns where f begins. It returns nil for text that cgo has written: the Go file is where directives say.
func (d *Describer) begin(f *flow.Func) *wire.Source {
	pos := d.position(f.Syntax.Pos())
	if strings.HasSuffix(pos.Filename, ".cgo1.go") {
		return nil
	}
	return &wire.Source{File: d.index(pos.Filename), Line: pos.Line}
}

// elsewhere reports whether a position of f is in another file than f.
func elsewhere(f *wire.Func) bool {
	for _, b := range f.Blocks {
		if len(b.Outs) > 1 && b.Branch.File != f.File ||
			slices.ContainsFunc(b.Spans, func(s wire.Span) bool { return s.File != f.File }) ||
			slices.ContainsFunc(b.Outs, func(o wire.Out) bool { return o.File != f.File }) {
			return true
		}
	}
	return false
}

// index returns the index of a file's name.
func (d *Describer) index(name string) int {
	if name != d.last.name {
		d.last.name, d.last.index = name, d.file(name)
	}
	return d.last.index
}

// position returns the position of p. A //line directive without a column leaves the columns behind it
// unknown; then that of the text is better than none, because it distinguishes branches on a line.
func (d *Describer) position(p token.Pos) token.Position {
	pos := d.fset.PositionFor(p, !d.text)
	if pos.Column == 0 && pos.IsValid() {
		pos.Column = d.fset.PositionFor(p, false).Column
	}
	return pos
}

// Blocks describes the nodes of f.
func (d *Describer) Blocks(f *flow.Func) []wire.Block {
	blocks := make([]wire.Block, len(f.Nodes))
	for i, n := range f.Nodes {
		blocks[i] = d.block(f, n)
	}
	return blocks
}

// Skipped describes a function that is not instrumented.
func (d *Describer) Skipped(f *flow.Func, reason string) wire.Skipped {
	pos := d.fset.Position(f.Syntax.Pos())
	out := wire.Skipped{Name: f.Name, File: d.file(pos.Filename), Line: pos.Line, Reason: reason}
	if d.Sources {
		t := New(d.fset, d.file)
		t.text = true
		if s := t.begin(f); s != nil && (s.File != out.File || s.Line != out.Line) {
			out.Source = s
		}
	}
	return out
}

func (d *Describer) block(f *flow.Func, n *flow.Node) wire.Block {
	b := wire.Block{Spans: d.spans(n)}
	if len(n.Out) > 1 {
		b.Branch = d.branch(f, n)
	}
	for _, e := range n.Out {
		b.Outs = append(b.Outs, d.out(f, e, len(n.Out) > 1))
	}
	d.distinguish(n, b.Outs)
	return b
}

// distinguish gives the outcomes of a node different names, since profiles add up what
// has the same name. Two outcomes have the same text if their texts are cut, or are
// the same in the source. distinguish then adds where they stand.
func (d *Describer) distinguish(n *flow.Node, outs []wire.Out) {
	count := map[string]int{}
	for _, o := range outs {
		count[o.Outcome]++
	}
	for i := range outs {
		o := &outs[i]
		if o.Outcome == "" || o.Outcome == wire.OutNever || count[o.Outcome] == 1 {
			continue
		}
		line, col := o.Line, o.Col
		if mk := n.Out[i].Case; mk != nil && mk.Of != nil && mk.Kind != mark.OneValue {
			pos := d.position(mk.Of.Pos())
			line, col = pos.Line, pos.Column
		}
		o.Outcome += fmt.Sprintf(" at %d:%d", line, col)
	}
}

// spans returns the source ranges of the statements in n.
func (d *Describer) spans(n *flow.Node) []wire.Span {
	var spans []wire.Span
	for _, mk := range n.Markers {
		if !mk.From.IsValid() {
			continue
		}
		spans = d.run(spans, mk.From, mk.To)
	}
	slices.SortFunc(spans, func(a, b wire.Span) int {
		return cmp.Or(a.File-b.File, a.Line-b.Line, a.Col-b.Col)
	})
	return spans
}

// run appends the span of the text between two positions, or several spans if //line directives
// stand between them. A line that has nothing but a directive is in none of them.
func (d *Describer) run(spans []wire.Span, from, to token.Pos) []wire.Span {
	file := d.fset.File(from)
	if d.isPlain(file) {
		start, end := d.position(from), d.position(to)
		return append(spans, wire.Span{File: d.index(start.Filename),
			Line: start.Line, Col: start.Column, EndLine: end.Line, EndCol: end.Column})
	}
	start, end := d.position(from), d.position(from) // of the span so far
	add := func() {
		spans = append(spans, wire.Span{File: d.index(start.Filename), Line: start.Line, Col: start.Column, EndLine: end.Line,
			EndCol: end.Column})
	}
	last := file.PositionFor(to, false).Line
	for n := file.PositionFor(from, false).Line; n <= last; n++ {
		first, behind := from, to // of line n
		if s := file.LineStart(n); s > from {
			first = s
		}
		if n < last {
			behind = file.LineStart(n+1) - 1
		}
		a, b := d.position(first), d.position(behind)
		if first > from && (a.Filename != end.Filename || a.Line != end.Line+1) { // the line before is a directive
			if end.Line > start.Line {
				end.Line--
			}
			add()
			start = a
		}
		if b.Filename != a.Filename || b.Line != a.Line { // a directive within the line
			end = a
			add()
			start = b
		}
		end = b
	}
	add()
	return spans
}

// isPlain reports whether no directive changes a position in a file. Otherwise a span takes a look at each of its
// lines.
func (d *Describer) isPlain(f *token.File) bool {
	plain, ok := d.plain[f]
	if ok {
		return plain
	}
	plain = true
	for n := 1; n <= f.LineCount() && plain; n++ {
		last := f.Base() + f.Size()
		if n < f.LineCount() {
			last = int(f.LineStart(n+1)) - 1
		}
		for _, p := range []token.Pos{f.LineStart(n), token.Pos(last)} {
			plain = plain && f.PositionFor(p, true) == f.PositionFor(p, false)
		}
	}
	d.plain[f] = plain
	return plain
}

// branch names the construct that decides where control goes from n.
func (d *Describer) branch(f *flow.Func, n *flow.Node) wire.Branch {
	kind, p := branch(f, n)
	pos := d.position(p)
	return wire.Branch{Kind: kind, File: d.index(pos.Filename), Line: pos.Line, Col: pos.Column}
}

// branch returns the kind and the position of the construct that decides where control
// goes from n.
func branch(f *flow.Func, n *flow.Node) (kind string, pos token.Pos) {
	for _, e := range n.Out {
		if l := e.Leaf; l != nil {
			if l.Both != "" {
				return l.Op + "(" + l.Both + ")", l.Expr.Pos()
			}
			return l.Op, l.Expr.Pos()
		}
		if j := e.Point.Jump; j != nil {
			return wire.RangeFunc, j.Loop.For
		}
	}
	for _, e := range n.Out {
		if mk := e.Case; mk != nil {
			if mk.Kind == mark.OneValue {
				return "case", mk.Of.Pos()
			}
			switch s := mk.Switch.(type) {
			case *ast.SwitchStmt:
				return "switch", s.Switch
			case *ast.TypeSwitchStmt:
				return "type switch", s.Switch
			case *ast.SelectStmt:
				return "select", s.Select
			}
			if s, ok := mk.Of.(*ast.RangeStmt); ok {
				return "range", s.For
			}
		}
	}
	return "branch", firstPos(f, n)
}

// firstPos returns a position in n, or that of the function.
func firstPos(f *flow.Func, n *flow.Node) token.Pos {
	for _, mk := range n.Markers {
		if mk.From.IsValid() {
			return mk.From
		}
	}
	return f.Syntax.Pos()
}

// out describes an edge: the name of its outcome, and where it leads to.
func (d *Describer) out(f *flow.Func, e *flow.Edge, branch bool) wire.Out {
	pos := d.position(d.target(f, e))
	o := wire.Out{File: d.index(pos.Filename), Line: pos.Line, Col: pos.Column}
	if branch {
		o.Outcome = d.outcome(e)
	}
	return o
}

// target returns the position that e leads to. For an edge out of the function that is
// where control leaves it.
func (d *Describer) target(f *flow.Func, e *flow.Edge) token.Pos {
	switch {
	case e.To == nil:
		if e.Point.Marker != nil {
			return e.Point.Marker.Pos
		}
		if e.Point.Jump != nil {
			return e.Point.Jump.Loop.For
		}
		if e.Point.Leaf != nil { // in a return
			return e.Point.Leaf.Expr.Pos()
		}
		return f.Body().Rbrace
	case e.Case != nil && e.Case.From.IsValid():
		return e.Case.From
	case e.Case != nil && e.Case.Kind != mark.NoCase:
		return e.Case.Pos
	case len(e.To.Markers) > 0 && e.To.Markers[0].From.IsValid():
		return e.To.Markers[0].From
	case len(e.To.Out) > 1: // nothing but a condition, or the head of a loop
		_, pos := branch(f, e.To)
		return pos
	case e.Leaf != nil:
		return e.Leaf.Expr.Pos()
	case e.Point.Marker != nil:
		return e.Point.Marker.Pos
	}
	return firstPos(f, e.To)
}

// outcome names the way that e goes.
func (d *Describer) outcome(e *flow.Edge) string {
	if e.Never {
		return wire.OutNever
	}
	if j := e.Point.Jump; j != nil {
		return j.String()
	}
	if e.Leaf != nil {
		if e.Leaf.Op == "for" && e.Leaf.Expr == e.Leaf.Cond.Expr {
			if e.Outcome {
				return wire.OutBody
			}
			return wire.OutDone
		}
		if e.Outcome {
			return wire.OutTrue
		}
		return wire.OutFalse
	}
	if mk := e.Case; mk != nil {
		switch mk.Of.(type) {
		case *ast.CaseClause, *ast.CommClause:
			switch {
			case mk.Kind == mark.OneValue && mk.Case == nil:
				return wire.OutFallthrough
			case mk.Kind == mark.OneValue:
				return Text(mk.Case)
			case mk.Case == nil:
				return wire.OutDefault
			}
			return "case " + Text(mk.Case)
		case *ast.RangeStmt:
			if mk.Kind == mark.Start {
				return wire.OutBody
			}
			return wire.OutDone
		}
		if mk.Kind == mark.NoCase {
			return wire.OutNoCase
		}
	}
	if endsRange(e) {
		return wire.OutDone
	}
	return wire.OutElse
}

// endsRange reports whether the other edges from the same node are those of a range
// loop, so that e must be the end of the loop.
func endsRange(e *flow.Edge) bool {
	return slices.ContainsFunc(e.From.Out, func(o *flow.Edge) bool {
		if o == e || o.Case == nil {
			return false
		}
		_, ok := o.Case.Of.(*ast.RangeStmt)
		return ok
	})
}

// Text returns the text of a case on one line, cut after maxOutcome bytes.
func Text(nodes []ast.Node) string {
	var b bytes.Buffer
	for i, n := range nodes {
		if i > 0 {
			b.WriteString(", ")
		}
		printer.Fprint(&b, token.NewFileSet(), n)
	}
	s := strings.Join(strings.Fields(strings.ReplaceAll(b.String(), ";", ",")), " ")
	if len(s) > maxOutcome {
		s = strings.ToValidUTF8(s[:maxOutcome-len("…")], "") + "…"
	}
	return s
}
