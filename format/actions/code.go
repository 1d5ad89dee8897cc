package actions

// This file is the form in archives.
//
// A number is an unsigned varint.
//
//	package   length of the site table, site table (format/wire), number of files, files: text, number of functions, functions
//	text      length, bytes
//	function  name: text, file, line, column, why untold: text, site + 1, operations, number of events, events
//	event     kind (1 byte), line, column, vital (0 or 1), number of nodes, nodes, operations
//	operations  number of them, and of each: what it does, and the argument unless it ends a path

import (
	"encoding/binary"
	"errors"

	"github.com/pepgo/pep/format/branches"
	"github.com/pepgo/pep/format/register"
	"github.com/pepgo/pep/format/wire"
)

// Append appends p to b.
func Append(b []byte, p *Package) []byte {
	w := &writer{b: b}
	sites := wire.AppendPackage(nil, p.Sites)
	w.text(string(sites))
	files := map[string]int{}
	var names []string
	for _, f := range p.Funcs {
		if _, ok := files[f.Decl.File]; !ok {
			files[f.Decl.File] = len(names)
			names = append(names, f.Decl.File)
		}
	}
	w.number(len(names))
	for _, n := range names {
		w.text(n)
	}
	w.number(len(p.Funcs))
	for _, f := range p.Funcs {
		w.text(f.Name)
		w.number(files[f.Decl.File])
		w.number(f.Decl.Line)
		w.number(f.Decl.Col)
		w.text(f.WhyUntold)
		w.number(f.Site + 1)
		w.ops(f.Enter)
		w.number(len(f.Events))
		for _, e := range f.Events {
			vital := 0
			if e.Vital {
				vital = 1
			}
			w.b = append(w.b, byte(e.Kind))
			w.number(e.Line)
			w.number(e.Col)
			w.number(vital)
			w.number(len(e.Nodes))
			for _, n := range e.Nodes {
				w.number(n)
			}
			w.ops(e.Ops)
		}
	}
	return w.b
}

type writer struct{ b []byte }

func (w *writer) number(n int) { w.b = binary.AppendUvarint(w.b, uint64(n)) }

func (w *writer) text(s string) {
	w.number(len(s))
	w.b = append(w.b, s...)
}

func (w *writer) ops(ops []register.Op) {
	w.number(len(ops))
	for _, op := range ops {
		w.number(int(op.Do))
		if op.Do != register.End {
			w.number(int(op.Arg))
		}
	}
}

var errDamaged = errors.New("the table of actions is damaged, or another version of pepbuild has written it")

// Read reads what Append has written.
func Read(b []byte) (*Package, error) {
	r := &reader{b: b}
	sites, rest, err := wire.ReadPackage([]byte(r.text()))
	if err != nil {
		return nil, err
	}
	p := &Package{Path: sites.Path, Sites: sites}
	var files []string
	for range r.count() {
		files = append(files, r.text())
	}
	for range r.count() {
		f := Func{Name: r.text()}
		if i := r.below(len(files)); i < len(files) {
			f.Decl.File = files[i]
		}
		f.Decl.Line, f.Decl.Col = r.below(1<<31-1), r.below(1<<31-1)
		f.WhyUntold = r.text()
		f.Site = r.below(len(sites.Funcs)+1) - 1
		nodes := 0
		if f.Site >= 0 {
			nodes = len(sites.Funcs[f.Site].Graph.Nodes)
		}
		f.Enter = r.ops()
		for range r.count() {
			e := Event{Kind: branches.Kind(r.below(256)), Line: r.below(1<<31 - 1), Col: r.below(1<<31 - 1),
				Vital: r.below(2) == 1}
			for range r.count() {
				e.Nodes = append(e.Nodes, r.below(nodes))
			}
			e.Ops = r.ops()
			f.Events = append(f.Events, e)
		}
		p.Funcs = append(p.Funcs, f)
	}
	if r.bad || len(r.b) > 0 || len(rest) > 0 {
		return nil, errDamaged
	}
	return p, nil
}

// A reader reads numbers and texts. When something is wrong it returns zeros from there on.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) count() int { return r.below(len(r.b) + 1) }

// below reads a number below n.
func (r *reader) below(n int) int { return int(r.number(uint64(n))) }

// number reads a number below n.
func (r *reader) number(n uint64) uint64 {
	x, size := binary.Uvarint(r.b)
	if size <= 0 || x >= n {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[size:]
	return x
}

func (r *reader) text() string {
	n := r.count()
	if n > len(r.b) {
		r.bad, r.b = true, nil
		return ""
	}
	s := string(r.b[:n])
	r.b = r.b[n:]
	return s
}

func (r *reader) ops() (ops []register.Op) {
	for range r.count() {
		op := register.Op{Do: register.Do(r.below(256))}
		if !op.Do.Known() {
			r.bad, r.b = true, nil
		}
		if op.Do != register.End {
			op.Arg = uint32(r.number(1 << 32))
		}
		ops = append(ops, op)
	}
	return ops
}
