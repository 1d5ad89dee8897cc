package wire

// This file reads site tables. The format is specified in doc.go.

import (
	"unsafe"

	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/format/pdag"
)

// An Error says what is wrong with the site table of a package or the tables of a program.
type Error string

func (e Error) Error() string { return "site table: " + string(e) }

// ReadPackage reads the table at the beginning of b and returns the bytes after it.
//
// The package that it returns is consistent: it has as many blocks and outs as nodes and
// edges, and edges, starts and indices of files lead to nodes and files that exist. It
// does not check the path numbering: [pdag.Graph.Check] does. Slices without elements are
// nil. Errors are of type [Error]. ReadPackage takes at most maxRatio times as much memory
// as the table has bytes.
func ReadPackage(b []byte) (p *Package, rest []byte, err error) {
	p, d, rest, err := readHeads(b)
	if err != nil {
		return nil, nil, err
	}
	for i := range p.Funcs {
		d.body(p, i)
	}
	if d.wrong != "" {
		return nil, nil, d.err()
	}
	return p, rest, nil
}

// readHeads reads the table at the beginning of b but for the bodies of functions, which the decoder can read then.
func readHeads(b []byte) (p *Package, d *decoder, rest []byte, err error) {
	body, rest, err := split(b)
	if err != nil {
		return nil, nil, nil, err
	}
	d = newDecoder(body)
	p = d.pkg()
	if d.wrong != "" {
		return nil, nil, nil, d.err()
	}
	return p, d, rest, nil
}

func newDecoder(body []byte) *decoder {
	return &decoder{s: string(body), memory: memoryFor(len(body))}
}

// memoryFor returns how many bytes of memory a body of n bytes may take.
func memoryFor(n int) int { return maxRatio*n + minMemory }

func (d *decoder) err() error {
	return Error(d.wrong + " at byte " + digits.Uint(uint64(d.off)) + " of package " + d.path)
}

// ReadCounters calls f for every package in tables, with its import path and [Lazy.Counters]. It checks
// that the tables are as they were written, and reads nothing else of them.
func ReadCounters(tables []byte, f func(path string, counters uint64)) error {
	for len(tables) > 0 {
		if _, _, err := split(tables); err != nil {
			return err
		}
		l, rest, err := ReadLazy(tables)
		if err != nil {
			return err
		}
		f(l.Path, l.Counters())
		tables = rest
	}
	return nil
}

// split returns the body of the table at the beginning of b, and the bytes after the table.
// It checks the body.
func split(b []byte) (body, rest []byte, err error) {
	body, want, rest, err := cut(b)
	if got := checksum(body); err == nil && got != want {
		return nil, nil, Error("checksum is " + digits.Uint(uint64(got)) + ", want " + digits.Uint(uint64(want)))
	}
	return body, rest, err
}

// cut returns the body of the table at the beginning of b, its checksum, and the bytes after
// the table.
func cut(b []byte) (body []byte, sum uint32, rest []byte, err error) {
	if len(b) == 0 {
		return nil, 0, nil, Error("truncated: no bytes")
	}
	if b[0] != Version {
		return nil, 0, nil, wrongVersion(uint64(b[0]))
	}
	n, size := uvarint(b[1:])
	b = b[1+size:]
	if size == 0 || len(b) < checksumLen || n > uint64(len(b)-checksumLen) {
		return nil, 0, nil, Error("truncated: body of " + digits.Uint(n) + " bytes, " + digits.Uint(uint64(len(b))) + " left")
	}
	body, b = b[:n], b[n:]
	return body, uint32(littleEndian(b[:checksumLen])), b[checksumLen:], nil
}

func wrongVersion(v uint64) Error {
	return Error("version " + digits.Uint(v) + ", this program reads " + digits.Uint(Version) +
		": build the profiled program again")
}

// A decoder reads the body of a table. After an error it reads zeros.
type decoder struct {
	s      string
	off    int
	wrong  string // the first thing that was wrong
	memory int    // bytes of memory that may still be taken

	path      string
	files     int  // number of files
	file      int  // of the function
	elsewhere bool // of the function
	strings   []string
	name      string // name read last
	names     []byte // of which some names are parts
	line      int    // line read last
	open      []openOut
	next      int   // node that is behind those met so far, in the graph of the function
	used      int   // bits of the byte at off that were read, in the code of a function
	ends      []int // of the bodies of functions; each begins where that before it ends
	begin     int   // of the first

	nodes  slab[pdag.Node]
	edges  slab[pdag.Edge]
	starts slab[pdag.Start]
	blocks slab[Block]
	spans  slab[Span]
	outs   slab[Out]
	calls  slab[Call]
}

// An openOut is an Out whose position is implied by a block. The decoder may not have read
// this block yet.
type openOut struct {
	out      *Out
	from, to int
}

// The least number of bytes that each thing takes in a table. A count is wrong if the rest
// of the body is too short for so many things.
const (
	minFile    = 2  // shared, length
	minName    = 2  // likewise
	minString  = 1  // length
	minFunc    = 8  // shared, length, file, line, base, N, size; code
	minSkipped = 5  // shared, length, file, line, reason
	minTap     = 10 // tag, function, file, line, column, expression, type, bits, kind, further words
	minWord    = 4  // expression, type, bits, kind
)

// A few bytes of a table can take many bytes of memory. For example, a node can take one byte
// in the table, and its Block more than a hundred in memory; a name that shares most of
// its bytes with the name before it takes two bytes in the table. Real tables take some 50
// times their size in memory.
const (
	maxRatio  = 256
	minMemory = 64 << 10 // slabs are this large whatever is taken of them

	namesSize = 4 << 10 // bytes of names that are allocated at once, at most
)

// takes reports whether n more bytes of memory may be taken. If not, the decoder fails.
func (d *decoder) takes(n int) bool {
	if d.memory -= n; d.memory < 0 {
		d.fail("more in memory than " + digits.Uint(maxRatio) + " times its size")
	}
	return d.memory >= 0
}

// pkg reads everything but the bodies of functions.
func (d *decoder) pkg() *Package {
	p := &Package{}
	var paths uint64
	var funcs int
	p.Path, paths, funcs, p.Files = d.front()
	d.files = len(p.Files)
	d.strings = list[string](d, d.count(minString))
	for i := range d.strings {
		d.strings[i] = d.str()
	}
	d.ends, p.Funcs = list[int](d, funcs), list[Func](d, funcs)
	base, end := uint64(0), uint64(0)
	for i := range p.Funcs {
		f := &p.Funcs[i]
		f.Name, f.File, f.Line, f.Source = d.head(2*len(p.Files), len(p.Files))
		if f.File >= len(p.Files) {
			f.File, f.Elsewhere = f.File-len(p.Files), true
		}
		f.Base = base + d.uvarint()
		f.Graph.N = d.uvarint()
		base = f.Base + f.Graph.N
		end += uint64(d.fits(d.uvarint(), 1))
		d.ends[i] = int(end)
	}
	if paths != base && d.wrong == "" {
		d.fail("functions with " + digits.Uint(base) + " paths, want " + digits.Uint(paths))
	}
	p.Skipped = list[Skipped](d, d.count(minSkipped))
	for i := range p.Skipped {
		l := &p.Skipped[i]
		l.Name, l.File, l.Line, l.Source = d.head(len(p.Files), len(p.Files))
		l.Reason = d.ref(d.uvarint())
	}
	p.Taps = list[Tap](d, d.count(minTap))
	for i := range p.Taps {
		d.tap(&p.Taps[i], len(p.Files))
	}
	if left := uint64(len(d.s) - d.off); left != end && d.wrong == "" {
		d.fail(digits.Uint(left) + " bytes of bodies, want " + digits.Uint(end))
	}
	d.begin = d.off
	return p
}

// front reads the path of the package, the numbers of its paths and of its functions, and the names of its files.
func (d *decoder) front() (path string, paths uint64, funcs int, files []string) {
	d.path = d.str()
	paths = d.uvarint()
	funcs = d.count(minFunc)
	files = list[string](d, d.count(minFile))
	for i := range files {
		files[i] = d.sharing()
	}
	return d.path, paths, funcs, files
}

func (d *decoder) tap(t *Tap, files int) {
	t.Tag = d.byte()
	t.Func = d.ref(d.uvarint())
	t.File = d.index(d.uvarint(), files, "file")
	t.Line, t.Col = d.lineAt(), d.int()
	t.Expr = d.ref(d.uvarint())
	t.Type = d.ref(d.uvarint())
	t.Bits = d.byte()
	t.Kind = Kind(d.index(uint64(d.byte()), int(kinds), "kind"))
	t.More = list[Word](d, d.count(minWord))
	for i := range t.More {
		w := &t.More[i]
		w.Expr = d.ref(d.uvarint())
		w.Type = d.ref(d.uvarint())
		w.Bits = d.byte()
		w.Kind = Kind(d.index(uint64(d.byte()), int(kinds), "kind"))
	}
}

// head reads what encoder.head writes. The index of the file is below most.
func (d *decoder) head(most, files int) (name string, file, line int, source *Source) {
	name = d.sharing()
	u := d.uvarint()
	has := u >= 2*uint64(files) && files > 0
	if has {
		u -= 2 * uint64(files)
	}
	file, line = d.index(u, most, "file"), d.lineAt()
	if has && d.takes(int(unsafe.Sizeof(Source{}))) {
		source = &Source{File: d.index(d.uvarint(), files, "file"), Line: d.lineAt()}
	}
	return name, file, line, source
}

// body reads the graph, the blocks and the calls of function i.
func (d *decoder) body(p *Package, i int) {
	if d.wrong != "" {
		return
	}
	f := &p.Funcs[i]
	g := &f.Graph
	d.off, d.line, d.file, d.elsewhere, d.next = d.begin, f.Line, f.File, f.Elsewhere, 1
	if i > 0 {
		d.off += d.ends[i-1]
	}
	n := d.some(nodes)
	f.Blocks = d.blocks.take(d, n)
	g.Nodes = d.nodes.take(d, n)
	d.open = d.open[:0]
	for v := range g.Nodes {
		d.next = max(d.next, v+1)
		d.node(f, v)
	}
	for _, o := range d.open {
		at := implied(f, o.from, o.to)
		o.out.File, o.out.Line, o.out.Col = at.file, at.line, at.col
	}
	g.Starts = d.starts.take(d, d.some(starts))
	val := uint64(0)
	for i := range g.Starts {
		u := d.coded(startNode)
		val += d.coded(startVal)
		g.Starts[i] = pdag.Start{Node: d.index(u>>1, n, "node"), Val: val, Cut: u&1 != 0}
	}
	f.Untold = list[int](d, d.some(untolds))
	node := 0
	for i := range f.Untold {
		node = d.index(uint64(node)+d.coded(untold), n, "node")
		f.Untold[i] = node
	}
	f.Calls = d.calls.take(d, d.some(calls))
	node = 0
	for i := range f.Calls {
		node = d.index(uint64(node)+d.coded(callNode), n, "node")
		f.Calls[i].Node, f.Calls[i].Callee = node, d.callee(p)
	}
	if f.Source != nil {
		d.line, d.file, d.elsewhere = f.Source.Line, f.Source.File, false
		f.Source.Blocks = d.blocks.take(d, d.within(uint64(n)))
		for i := range f.Source.Blocks {
			u := d.coded(spans)
			d.statements(&f.Source.Blocks[i], u>>1, u&1 != 0)
		}
	}
	if d.used > 0 {
		d.off, d.used = d.off+1, 0
	}
	if d.wrong == "" && d.off != d.begin+d.ends[i] {
		d.fail("the body of " + f.Name + " ends")
	}
}

// callee reads which function of the table or of another package a call goes to.
func (d *decoder) callee(p *Package) string {
	u := d.coded(callee)
	if u&1 == 0 {
		return d.ref(u >> 1)
	}
	if i := d.index(u>>1, len(p.Funcs), "callee"); i < len(p.Funcs) {
		return p.Funcs[i].Name
	}
	return ""
}

func (d *decoder) node(f *Func, v int) {
	block := &f.Blocks[v]
	u := d.coded(shape)
	outs := int(u & manyOuts)
	if outs == manyOuts {
		outs += d.some(moreOuts)
	}
	d.statements(block, u>>3, u&4 != 0)
	block.Outs = d.outs.take(d, outs)
	edges := d.edges.take(d, outs)
	for i := range edges {
		k := among(i, outs)
		edges[i] = d.edge(k, v, len(f.Blocks))
		d.out(outcome+k, &block.Outs[i], v, edges[i].To)
	}
	f.Graph.Nodes[v].Out = edges
}

// statements reads the spans and the branch of a block.
func (d *decoder) statements(b *Block, spans uint64, branch bool) {
	b.Spans = d.spans.take(d, d.within(spans))
	for i := range b.Spans {
		b.Spans[i] = d.span()
	}
	if branch {
		b.Branch = Branch{Kind: d.ref(d.coded(branchKind)), File: d.fileAt(), Line: d.codedLine(branchLine),
			Col: d.number(branchCol)}
	}
}

func (d *decoder) span() Span {
	u := d.coded(spanLine)
	d.line += unzigzag(u >> 1)
	s := Span{File: d.fileAt(), Line: d.line, Col: d.number(spanCol), EndLine: d.line}
	if u&1 == 0 {
		s.EndCol = s.Col + d.number(spanLen)
		return s
	}
	s.EndLine = d.codedLine(endLine)
	s.EndCol = d.number(endCol)
	return s
}

func (d *decoder) edge(k field, from, nodes int) pdag.Edge {
	e := pdag.Edge{To: pdag.Exit}
	switch to := d.coded(edgeTo + k); to {
	case 0:
	case 1:
		e.To = d.index(uint64(d.next), nodes, "node")
	default:
		e.To = d.index(uint64(from+unzigzag(to-2)), nodes, "node")
	}
	d.next = max(d.next, e.To+1)
	u := d.coded(edgeFlags + k)
	e.Dead, e.Ends = u&2 != 0, u&1 != 0
	if u&4 != 0 {
		e.Val = d.coded(edgeVal)
	}
	return e
}

func (d *decoder) out(f field, o *Out, from, to int) {
	u := d.coded(f)
	o.Outcome = d.ref(u >> 1)
	if u&1 != 0 {
		o.File, o.Line, o.Col = d.fileAt(), d.codedLine(outLine), d.number(outCol)
		return
	}
	d.open = append(d.open, openOut{o, from, to})
}

// fileAt reads the file of a position in a function.
func (d *decoder) fileAt() int {
	if !d.elsewhere {
		return d.file
	}
	return d.index(d.coded(fileOf), d.files, "file")
}

func (d *decoder) codedLine(f field) int {
	d.line += unzigzag(d.coded(f))
	return d.line
}

func (d *decoder) lineAt() int {
	d.line += unzigzag(d.uvarint())
	return d.line
}

// ref returns string u of the table, counted from 1, or the empty string if u is 0.
func (d *decoder) ref(u uint64) string {
	if u == 0 {
		return ""
	}
	if u <= uint64(len(known)) {
		return known[u-1]
	}
	if i := d.index(u-1-uint64(len(known)), len(d.strings), "string"); i < len(d.strings) {
		return d.strings[i]
	}
	return ""
}

func (d *decoder) sharing() string {
	n := d.index(d.uvarint(), min(len(d.name), maxShared)+1, "shared byte")
	rest := d.str()
	switch {
	case !d.takes(n + len(rest)):
	case n == 0:
		d.name = rest
	default:
		if cap(d.names)-len(d.names) < n+len(rest) {
			d.names = make([]byte, 0, max(n+len(rest), min(2*cap(d.names)+64, namesSize)))
		}
		begin := len(d.names)
		d.names = append(append(d.names, d.name[:n]...), rest...)
		d.name = unsafe.String(&d.names[begin], len(d.names)-begin)
	}
	return d.name
}

func (d *decoder) str() string {
	n := d.count(1)
	s := d.s[d.off : d.off+n]
	d.off += n
	return s
}

// index returns u as an index into n things.
func (d *decoder) index(u uint64, n int, thing string) int {
	if u >= uint64(n) {
		d.fail(thing + " " + digits.Uint(u) + " of " + digits.Uint(uint64(n)))
		return 0
	}
	return int(u)
}

// count reads a number of things that take at least size bytes each.
func (d *decoder) count(size int) int { return d.fits(d.uvarint(), size) }

// fits returns n, a number of things, if the rest of the body can hold as many.
func (d *decoder) fits(n uint64, size int) int {
	if n > uint64((len(d.s)-d.off)/size) {
		d.fail("truncated: " + digits.Uint(n) + " things to come")
		return 0
	}
	return int(n)
}

// some reads a number of things in the code of a function.
func (d *decoder) some(f field) int { return d.within(d.coded(f)) }

// within returns n, a number of things that take a bit each or more, if the rest of the table can hold as many.
func (d *decoder) within(n uint64) int {
	if n > uint64(len(d.s)-d.off)*8 {
		d.fail("truncated: " + digits.Uint(n) + " things to come")
		return 0
	}
	return int(n)
}

func (d *decoder) number(f field) int { return int(d.coded(f)) }

// coded reads a number in the code of a function. Of canonical codes those of one length follow each other, and shorter
// ones come first.
func (d *decoder) coded(f field) uint64 {
	c, bits := &codes[f], d.peek()
	word, first, index := uint64(0), uint64(0), uint64(0)
	for i := range len(c.lengths) {
		n := uint64(c.lengths[i] - '0')
		word = word<<1 | bits&1
		bits >>= 1
		first <<= 1
		if word-first < n {
			high, more := joined(int(c.symbols[index+word-first] - '0'))
			if more == 64 {
				d.skip(i + 1)
				low := d.peek() & (1<<32 - 1)
				d.skip(32)
				high = d.peek() & (1<<32 - 1) << 32
				d.skip(32)
				return high | low
			}
			d.skip(i + 1 + more)
			return high | bits&(1<<more-1)
		}
		index, first = index+n, first+n
	}
	d.fail("no number")
	return 0
}

// peek returns the next bits, 57 at least, of which those behind the end are zeros.
func (d *decoder) peek() (bits uint64) {
	s := d.s[d.off:]
	if len(s) >= 8 {
		bits = uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	} else {
		for i := range len(s) {
			bits |= uint64(s[i]) << (8 * i)
		}
	}
	return bits >> d.used
}

// skip goes n bits further.
func (d *decoder) skip(n int) {
	n += d.used
	d.off, d.used = d.off+n/8, n%8
	if 8*d.off+d.used > 8*len(d.s) {
		d.off, d.used = len(d.s), 0
		d.fail("truncated: no number")
	}
}

func (d *decoder) int() int { return int(d.uvarint()) }

func (d *decoder) byte() byte {
	if d.off == len(d.s) {
		d.fail("truncated: no byte")
		return 0
	}
	d.off++
	return d.s[d.off-1]
}

func (d *decoder) uvarint() uint64 {
	u, size := uvarint(d.s[d.off:])
	if size == 0 {
		d.fail("truncated: no number")
	}
	d.off += size
	return u
}

// fail notes what is wrong. After it the decoder reads zeros.
func (d *decoder) fail(what string) {
	if d.wrong != "" {
		return
	}
	d.wrong = what
	d.s = d.s[:d.off]
}

// uvarint returns the number at the beginning of b and its size in bytes. The size is 0 if
// the bytes are no number.
func uvarint[B string | []byte](b B) (u uint64, size int) {
	for i := 0; i < len(b) && i < 10; i++ {
		u |= uint64(b[i]&0x7f) << (7 * i)
		if b[i] < 0x80 {
			return u, i + 1
		}
	}
	return 0, 0
}

func unzigzag(u uint64) int { return int(u>>1) ^ -int(u&1) }

// littleEndian returns the number in b, of 8 bytes at most.
func littleEndian(b []byte) (u uint64) {
	for i, c := range b {
		u |= uint64(c) << (8 * i)
	}
	return u
}

// A slab hands out short slices of a long one.
type slab[T any] struct{ free []T }

// take returns n zero values. It returns nil if n is 0 or if there is no space for them.
func (s *slab[T]) take(d *decoder, n int) []T {
	const chunk = 64
	var one T
	if n == 0 || !d.takes(n*int(unsafe.Sizeof(one))) {
		return nil
	}
	if n > len(s.free) {
		s.free = make([]T, max(n, chunk))
	}
	t := s.free[:n:n]
	s.free = s.free[n:]
	return t
}

// list returns n zero values. It returns nil if n is 0 or if there is no space for them.
func list[T any](d *decoder, n int) []T {
	var one T
	if n == 0 || !d.takes(n*int(unsafe.Sizeof(one))) {
		return nil
	}
	return make([]T, n)
}
