package wire

// This file writes site tables. The format is specified in doc.go.

import "github.com/pepgo/pep/format/pdag"

// AppendPackage appends the table of p to b.
//
// A function must have one Block per node and a Block one Out per out-edge, and
// edges must lead to nodes; AppendPackage panics otherwise.
func AppendPackage(b []byte, p *Package) []byte { return appendPackage(b, p, Version) }

func appendPackage(b []byte, p *Package, version byte) []byte {
	e := encoder{refs: make(map[string]uint64)}
	e.pkg(p)
	if version != withoutCalls {
		e.calls(p)
	}
	b = append(b, version)
	b = appendUvarint(b, uint64(len(e.b)))
	b = append(b, e.b...)
	return appendUint32(b, checksum(e.b))
}

// An encoder writes the body of a table.
type encoder struct {
	b    []byte
	refs map[string]uint64 // strings that have been written
	name string            // name written last
	line int               // line written last

	elsewhere bool // of the function
}

func (e *encoder) pkg(p *Package) {
	e.str(p.Path)
	e.uvarint(p.Paths())
	e.int(len(p.Files))
	for _, f := range p.Files {
		e.sharing(f)
	}
	e.int(len(p.Funcs))
	base := uint64(0)
	for i := range p.Funcs {
		f := &p.Funcs[i]
		if e.elsewhere = f.Elsewhere; e.elsewhere {
			e.head(f.Name, len(p.Files)+f.File, f.Line)
		} else {
			e.head(f.Name, f.File, f.Line)
		}
		e.uvarint(f.Base - base)
		e.fn(f)
		base = f.Base + f.Graph.N
	}
	e.int(len(p.Skipped))
	for _, l := range p.Skipped {
		e.head(l.Name, l.File, l.Line)
		e.ref(l.Reason)
	}
	e.int(len(p.Taps))
	for i := range p.Taps {
		e.tap(&p.Taps[i])
	}
}

// calls writes the calls of all functions.
func (e *encoder) calls(p *Package) {
	index := make(map[string]int) // of callees
	for i := range p.Funcs {
		index[p.Funcs[i].Name] = i
	}
	var names []string
	for i := range p.Funcs {
		for _, c := range p.Funcs[i].Calls {
			if _, ok := index[c.Callee]; !ok {
				index[c.Callee] = 0
				names = append(names, c.Callee)
				for j := len(names) - 1; j > 0 && names[j] < names[j-1]; j-- {
					names[j], names[j-1] = names[j-1], names[j]
				}
			}
		}
	}
	e.int(len(names))
	for i, name := range names {
		e.sharing(name)
		index[name] = len(p.Funcs) + i
	}
	for i := range p.Funcs {
		list := p.Funcs[i].Calls
		e.int(len(list))
		node := 0
		for _, c := range list {
			e.int(c.Node - node)
			e.int(index[c.Callee])
			node = c.Node
		}
	}
}

func (e *encoder) tap(t *Tap) {
	e.b = append(e.b, t.Tag)
	e.ref(t.Func)
	e.int(t.File)
	e.lineAt(t.Line)
	e.int(t.Col)
	e.ref(t.Expr)
	e.ref(t.Type)
	e.b = append(e.b, t.Bits, byte(bit(t.Partial))<<7|byte(t.Kind))
	e.int(len(t.More))
	for _, w := range t.More {
		e.ref(w.Expr)
		e.ref(w.Type)
		e.b = append(e.b, w.Bits, byte(w.Kind))
	}
}

// head writes the fields that both instrumented and skipped functions have.
func (e *encoder) head(name string, file, line int) {
	e.sharing(name)
	e.int(file)
	e.lineAt(line)
}

func (e *encoder) fn(f *Func) {
	g := &f.Graph
	if len(f.Blocks) != len(g.Nodes) {
		panic("wire: " + f.Name + " has not one block per node")
	}
	e.uvarint(uint64(len(g.Nodes))<<1 | bit(f.Outlined))
	for v := range g.Nodes {
		e.node(f, v)
	}
	e.int(len(g.Starts))
	val := uint64(0)
	for _, s := range g.Starts {
		e.uvarint(uint64(s.Node)<<1 | bit(s.Cut))
		e.uvarint(s.Val - val)
		val = s.Val
	}
	e.uvarint(g.N - val)
}

func (e *encoder) node(f *Func, v int) {
	out, block := f.Graph.Nodes[v].Out, &f.Blocks[v]
	if len(block.Outs) != len(out) {
		panic("wire: " + f.Name + " has a block without one Out per out-edge")
	}
	branch := block.Branch.some()
	e.uvarint(uint64(len(block.Spans))<<3 | bit(branch)<<2 | uint64(min(len(out), manyOuts)))
	if len(out) >= manyOuts {
		e.int(len(out) - manyOuts)
	}
	for _, s := range block.Spans {
		e.span(s)
	}
	if branch {
		e.ref(block.Branch.Kind)
		e.fileAt(block.Branch.File)
		e.lineAt(block.Branch.Line)
		e.int(block.Branch.Col)
	}
	for i, edge := range out {
		e.edge(v, edge)
		e.out(block.Outs[i], implied(f, v, edge.To))
	}
}

func (e *encoder) span(s Span) {
	oneLine := s.EndLine == s.Line
	e.uvarint(zigzag(s.Line-e.line)<<1 | bit(!oneLine))
	e.line = s.Line
	e.fileAt(s.File)
	e.int(s.Col)
	if oneLine {
		e.int(s.EndCol - s.Col)
		return
	}
	e.lineAt(s.EndLine)
	e.int(s.EndCol)
}

func (e *encoder) edge(from int, edge pdag.Edge) {
	to := uint64(0)
	if edge.To != pdag.Exit {
		to = 1 + zigzag(edge.To-from)
	}
	e.uvarint(to<<3 | bit(edge.Val != 0)<<2 | bit(edge.Dead)<<1 | bit(edge.Ends))
	if edge.Val != 0 {
		e.uvarint(edge.Val)
	}
}

func (e *encoder) out(o Out, where position) {
	at := position{o.File, o.Line, o.Col}
	if !e.elsewhere {
		at.file = where.file
	}
	explicit := at != where
	e.uvarint(e.lookUp(o.Outcome)<<1 | bit(explicit))
	e.define(o.Outcome)
	if explicit {
		e.fileAt(o.File)
		e.lineAt(o.Line)
		e.int(o.Col)
	}
}

// A position is a line and a column of a file.
type position struct{ file, line, col int }

// implied returns the position that an Out has unless the table has another one. It is the
// first statement of the target node, or the target's branch if the target has no
// statement. If the edge leaves the function, it is the last statement of the edge's own
// node.
func implied(f *Func, from, to int) position {
	if to == pdag.Exit {
		spans := f.Blocks[from].Spans
		if len(spans) == 0 {
			return position{file: f.File}
		}
		last := spans[len(spans)-1]
		return position{last.File, last.Line, last.Col}
	}
	b := &f.Blocks[to]
	if len(b.Spans) > 0 {
		return position{b.Spans[0].File, b.Spans[0].Line, b.Spans[0].Col}
	}
	if !b.Branch.some() {
		return position{file: f.File}
	}
	return position{b.Branch.File, b.Branch.Line, b.Branch.Col}
}

// some reports whether there is a branch.
func (b Branch) some() bool { return b.Kind != "" || b.Line != 0 || b.Col != 0 }

// fileAt writes the file of a position of a function that has some in other files than its own.
func (e *encoder) fileAt(file int) {
	if e.elsewhere {
		e.int(file)
	}
}

// lineAt writes a line as the difference from the last one.
func (e *encoder) lineAt(line int) {
	e.uvarint(zigzag(line - e.line))
	e.line = line
}

// ref writes a string that may occur often.
func (e *encoder) ref(s string) {
	e.uvarint(e.lookUp(s))
	e.define(s)
}

// lookUp returns the reference of s.
func (e *encoder) lookUp(s string) uint64 {
	if s == "" {
		return refEmpty
	}
	if ref, ok := e.refs[s]; ok {
		return ref
	}
	return refNew
}

// define writes s unless it has been written.
func (e *encoder) define(s string) {
	if e.lookUp(s) == refNew {
		e.refs[s] = firstRef + uint64(len(e.refs))
		e.str(s)
	}
}

// sharing writes a name: how many bytes it shares with the name before it, and the rest.
func (e *encoder) sharing(name string) {
	n := 0
	for n < len(name) && n < len(e.name) && n < maxShared && name[n] == e.name[n] {
		n++
	}
	e.int(n)
	e.str(name[n:])
	e.name = name
}

func (e *encoder) str(s string) {
	e.int(len(s))
	e.b = append(e.b, s...)
}

func (e *encoder) int(i int) { e.uvarint(uint64(i)) }

func (e *encoder) uvarint(u uint64) { e.b = appendUvarint(e.b, u) }

func appendUvarint(b []byte, u uint64) []byte {
	for u >= 0x80 {
		b = append(b, byte(u)|0x80)
		u >>= 7
	}
	return append(b, byte(u))
}

func appendUint32(b []byte, u uint32) []byte {
	return append(b, byte(u), byte(u>>8), byte(u>>16), byte(u>>24))
}

func appendUint64(b []byte, u uint64) []byte {
	return appendUint32(appendUint32(b, uint32(u)), uint32(u>>32))
}

// zigzag maps 0, -1, 1, -2, 2 … to 0, 1, 2, 3, 4 …
func zigzag(i int) uint64 { return uint64(i)<<1 ^ uint64(int64(i)>>63) }

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// checksum returns the 32-bit FNV-1a hash of b.
func checksum(b []byte) uint32 {
	h := uint32(2166136261)
	for _, c := range b {
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}
