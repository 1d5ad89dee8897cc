package wire

// This file writes site tables. The format is specified in doc.go.

import "github.com/pepgo/pep/format/pdag"

// AppendPackage appends the table of p to b.
//
// A function must have one Block per node and a Block one Out per out-edge, and
// edges must lead to nodes; AppendPackage panics otherwise.
func AppendPackage(b []byte, p *Package) []byte {
	e := encoder{refs: make(map[string]uint64)}
	body := e.pkg(p)
	b = append(b, Version)
	b = appendUvarint(b, uint64(len(body)))
	b = append(b, body...)
	return appendUint32(b, checksum(body))
}

// An encoder writes the body of a table.
type encoder struct {
	b       []byte
	refs    map[string]uint64 // numbers of strings
	strings []string          // in the order of their numbers
	name    string            // name written last
	line    int               // line written last

	elsewhere bool // of the function
	next      int  // node that is behind those met so far, in its graph
	used      int  // bits of the last byte, in the code of a function
}

// pkg returns the body of the table of p. It writes the strings last and puts them in front of everything that refers
// to them.
func (e *encoder) pkg(p *Package) []byte {
	index := make(map[string]int) // of functions
	for i := range p.Funcs {
		index[p.Funcs[i].Name] = i
	}
	ends := make([]int, len(p.Funcs))
	for i := range p.Funcs {
		e.body(&p.Funcs[i], index)
		e.used = 0
		ends[i] = len(e.b)
	}
	bodies := e.take()

	e.str(p.Path)
	e.uvarint(p.Paths())
	e.int(len(p.Funcs))
	e.int(len(p.Files))
	for _, f := range p.Files {
		e.sharing(f)
	}
	front := e.take()

	e.line = 0
	base, begin := uint64(0), 0
	for i := range p.Funcs {
		f := &p.Funcs[i]
		file := f.File
		if f.Elsewhere {
			file += len(p.Files)
		}
		e.head(f.Name, file, f.Line, f.Source, len(p.Files))
		e.uvarint(f.Base - base)
		e.uvarint(f.Graph.N)
		e.uvarint(uint64(ends[i] - begin))
		base, begin = f.Base+f.Graph.N, ends[i]
	}
	e.int(len(p.Skipped))
	for _, l := range p.Skipped {
		e.head(l.Name, l.File, l.Line, l.Source, len(p.Files))
		e.ref(l.Reason)
	}
	e.int(len(p.Taps))
	for i := range p.Taps {
		e.tap(&p.Taps[i])
	}
	heads := e.take()

	e.int(len(e.strings))
	for _, s := range e.strings {
		e.str(s)
	}
	return append(append(append(front, e.b...), heads...), bodies...)
}

// take returns what has been written, and begins anew.
func (e *encoder) take() []byte {
	b := e.b
	e.b = nil
	return b
}

func (e *encoder) tap(t *Tap) {
	e.b = append(e.b, t.Tag)
	e.ref(t.Func)
	e.int(t.File)
	e.lineAt(t.Line)
	e.int(t.Col)
	e.ref(t.Expr)
	e.ref(t.Type)
	e.b = append(e.b, t.Bits, byte(t.Kind))
	e.int(len(t.More))
	for _, w := range t.More {
		e.ref(w.Expr)
		e.ref(w.Type)
		e.b = append(e.b, w.Bits, byte(w.Kind))
	}
}

// head writes the fields that both instrumented and skipped functions have.
func (e *encoder) head(name string, file, line int, source *Source, files int) {
	if source != nil {
		file += 2 * files
	}
	e.sharing(name)
	e.int(file)
	e.lineAt(line)
	if source != nil {
		e.int(source.File)
		e.lineAt(source.Line)
	}
}

// body writes the graph, the blocks and the calls of a function.
func (e *encoder) body(f *Func, index map[string]int) {
	g := &f.Graph
	if len(f.Blocks) != len(g.Nodes) {
		panic("wire: " + f.Name + " has not one block per node")
	}
	e.line, e.elsewhere, e.next = f.Line, f.Elsewhere, 1
	e.number(nodes, len(g.Nodes))
	for v := range g.Nodes {
		e.next = max(e.next, v+1)
		e.node(f, v)
	}
	e.number(starts, len(g.Starts))
	val := uint64(0)
	for _, s := range g.Starts {
		e.coded(startNode, uint64(s.Node)<<1|bit(s.Cut))
		e.coded(startVal, s.Val-val)
		val = s.Val
	}
	e.number(untolds, len(f.Untold))
	node := 0
	for _, n := range f.Untold {
		e.number(untold, n-node)
		node = n
	}
	e.number(calls, len(f.Calls))
	node = 0
	for _, c := range f.Calls {
		e.number(callNode, c.Node-node)
		if i, ok := index[c.Callee]; ok {
			e.coded(callee, uint64(i)<<1|1)
		} else {
			e.coded(callee, e.lookUp(c.Callee)<<1)
		}
		node = c.Node
	}
	if f.Source == nil {
		return
	}
	if len(f.Source.Blocks) != len(g.Nodes) {
		panic("wire: " + f.Name + " has not one block of its source per node")
	}
	e.line, e.elsewhere = f.Source.Line, false
	for i := range f.Source.Blocks {
		b := &f.Source.Blocks[i]
		e.coded(spans, uint64(len(b.Spans))<<1|bit(b.Branch.some()))
		e.statements(b)
	}
}

func (e *encoder) node(f *Func, v int) {
	out, block := f.Graph.Nodes[v].Out, &f.Blocks[v]
	if len(block.Outs) != len(out) {
		panic("wire: " + f.Name + " has a block without one Out per out-edge")
	}
	branch := block.Branch.some()
	e.coded(shape, uint64(len(block.Spans))<<3|bit(branch)<<2|uint64(min(len(out), manyOuts)))
	if len(out) >= manyOuts {
		e.number(moreOuts, len(out)-manyOuts)
	}
	e.statements(block)
	for i, edge := range out {
		k := among(i, len(out))
		e.edge(k, v, edge)
		e.out(outcome+k, block.Outs[i], implied(f, v, edge.To))
	}
}

// statements writes the spans and the branch of a block.
func (e *encoder) statements(b *Block) {
	for _, s := range b.Spans {
		e.span(s)
	}
	if b.Branch.some() {
		e.coded(branchKind, e.lookUp(b.Branch.Kind))
		e.fileAt(b.Branch.File)
		e.codedLine(branchLine, b.Branch.Line)
		e.number(branchCol, b.Branch.Col)
	}
}

func (e *encoder) span(s Span) {
	oneLine := s.EndLine == s.Line
	e.coded(spanLine, zigzag(s.Line-e.line)<<1|bit(!oneLine))
	e.line = s.Line
	e.fileAt(s.File)
	e.number(spanCol, s.Col)
	if oneLine {
		e.number(spanLen, s.EndCol-s.Col)
		return
	}
	e.codedLine(endLine, s.EndLine)
	e.number(endCol, s.EndCol)
}

func (e *encoder) edge(k field, from int, edge pdag.Edge) {
	switch edge.To {
	case pdag.Exit:
		e.coded(edgeTo+k, 0)
	case e.next:
		e.coded(edgeTo+k, 1)
	default:
		e.coded(edgeTo+k, 2+zigzag(edge.To-from))
	}
	e.next = max(e.next, edge.To+1)
	e.coded(edgeFlags+k, bit(edge.Val != 0)<<2|bit(edge.Dead)<<1|bit(edge.Ends))
	if edge.Val != 0 {
		e.coded(edgeVal, edge.Val)
	}
}

func (e *encoder) out(f field, o Out, where position) {
	at := position{o.File, o.Line, o.Col}
	if !e.elsewhere {
		at.file = where.file
	}
	explicit := at != where
	e.coded(f, e.lookUp(o.Outcome)<<1|bit(explicit))
	if explicit {
		e.fileAt(o.File)
		e.codedLine(outLine, o.Line)
		e.number(outCol, o.Col)
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
		e.number(fileOf, file)
	}
}

// codedLine writes a line as the difference from the last one, in the code of a function.
func (e *encoder) codedLine(f field, line int) {
	e.coded(f, zigzag(line-e.line))
	e.line = line
}

// lineAt writes a line as the difference from the last one.
func (e *encoder) lineAt(line int) {
	e.uvarint(zigzag(line - e.line))
	e.line = line
}

// ref writes a string that may occur often.
func (e *encoder) ref(s string) { e.uvarint(e.lookUp(s)) }

// lookUp returns the number of s: 0 of the empty string.
func (e *encoder) lookUp(s string) uint64 {
	if s == "" {
		return 0
	}
	for i, k := range known {
		if k == s {
			return uint64(i + 1)
		}
	}
	n, ok := e.refs[s]
	if !ok {
		e.strings = append(e.strings, s)
		n = uint64(len(known) + len(e.strings))
		e.refs[s] = n
	}
	return n
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

func (e *encoder) number(f field, i int) { e.coded(f, uint64(i)) }

// coded writes a number in the code of a function.
func (e *encoder) coded(f field, u uint64) {
	symbol, rest, n := symbolOf(u)
	word, length := codes[f].word(symbol)
	for i := length - 1; i >= 0; i-- {
		e.bit(word >> i)
	}
	for i := range n {
		e.bit(rest >> i)
	}
}

func (e *encoder) bit(x uint64) {
	if e.used == 0 {
		e.b = append(e.b, 0)
	}
	e.b[len(e.b)-1] |= byte(x&1) << e.used
	e.used = (e.used + 1) % 8
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

// checksum returns the hash of b that stands behind it: FNV-1a with eight bytes in place of one at each step, so that
// it takes an eighth of the time. What is left of b counts as a number, and so does the length.
func checksum(b []byte) uint32 {
	const prime = 1099511628211
	h := uint64(14695981039346656037) ^ uint64(len(b))
	for ; len(b) >= 8; b = b[8:] {
		word := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		h = (h ^ word) * prime
	}
	h = (h ^ littleEndian(b)) * prime
	return uint32(h ^ h>>32)
}
