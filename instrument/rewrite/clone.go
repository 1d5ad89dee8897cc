package rewrite

// This file writes the two bodies of cloned functions, see package clone:
//
//	func f(p *point) (err error) {       func f(p *point) (err error) { if _pep_core.Taps == 0 {
//		x, err := g(p.x)                      _pep_v1, _pep_v2 := g(p.x); x := _pep_v1; err = _pep_v2
//		h(x)                          →       h(x)
//		return                                return
//	}                                     };/*line :1:31*/
//	                                          _pep_core.Tap(…, _pep_core.U64(p.x)); x, err := g(p.x)
//	                                          h(x)
//	                                          return
//	                                     }
//
// The original stands first, so that literals in it keep the numbers by which
// tracebacks name them.
//
// A walk over the tree makes the edits of one body. For two bodies there are two
// walks, each into a buffer of its own.

import (
	"fmt"
	"go/ast"
	"strings"

	"github.com/pepgo/pep/instrument/clone"
	"github.com/pepgo/pep/instrument/edit"
	"github.com/pepgo/pep/instrument/tap"
	"github.com/pepgo/pep/runtime/doors"
)

// A version says how a part of a file is rewritten.
type version struct {
	buf     *edit.Buffer
	taps    *tap.Plan // nil for none
	guarded bool      // each tap has a test
	kind    bodyKind
	written *int // how many taps there are in buf
}

// A bodyKind says which body of a function a version is.
type bodyKind int

const (
	onlyBody     bodyKind = iota
	originalBody          // literals in it are cloned themselves
	clonedBody            // literals in it have taps
)

// outside returns the version for what is in no function.
func (w *file) outside() version {
	v := version{buf: edit.New(w.src), written: new(int)}
	if w.Clones == nil {
		v.taps = w.Taps
	}
	return v
}

// as returns w in another version, with no edits.
func (w *file) as(v version) *file {
	v.buf = edit.New(w.src)
	v.written = new(int)
	return &file{w.Writer, w.needs, v, w.src, w.file, w.namings}
}

// body rewrites the body of a declaration or literal.
func (w *file) body(b *ast.BlockStmt) {
	if w.Clones == nil {
		w.function(b)
		return
	}
	if w.kind == clonedBody {
		n := *w.written
		w.function(b)
		*w.written = n // its taps count in its own clone, in the original
		return
	}
	outer := w.version
	defer func() { w.version = outer }()
	w.taps, w.guarded, w.kind = nil, false, onlyBody
	switch w.Clones.Kinds[b] {
	case clone.Cloned:
		if w.clone(b) {
			return
		}
	case clone.Guarded:
		w.taps, w.guarded = w.Taps, true
	}
	w.function(b)
}

// clone writes both bodies of a function, if there are taps in the clone.
func (w *file) clone(b *ast.BlockStmt) bool {
	cloned := w.as(version{taps: w.Taps, kind: clonedBody})
	cloned.function(b)
	if *cloned.written == 0 {
		return false
	}
	original := w.as(version{kind: originalBody})
	original.function(b)
	last := fmt.Sprintf("; goto %s; %[1]s: return };", end) // by the label, package gocompiler knows that the return is no statement of the source
	if w.listTerminates(b.List) {
		last = "};"
	}
	w.bodies(b, original.text(b)+last, cloned.text(b))
	return true
}

// loop rewrites the body of a loop by walk. In the original body of a function, the
// loop may be cloned itself.
func (w *file) loop(b *ast.BlockStmt, walk func(*file)) {
	if w.kind != originalBody || !w.Clones.Loops[b] {
		walk(w)
		return
	}
	cloned := w.as(version{taps: w.Taps, kind: onlyBody})
	walk(cloned)
	if *cloned.written == 0 {
		walk(w)
		return
	}
	original := w.as(version{kind: originalBody})
	walk(original)
	w.bodies(b, original.text(b)+"} else {", cloned.text(b)+"}")
}

// bodies replaces a body by an original and a clone.
func (w *file) bodies(b *ast.BlockStmt, original, cloned string) {
	w.usesCore = true
	from, to := w.offset(b.Lbrace+1), w.offset(b.Rbrace)
	w.buf.Replace(from, to, fmt.Sprintf(" if %s.%s == 0 {", core, doors.Taps)+original+w.lineDirective(b.Lbrace+1)+cloned)
}

// text returns what is between the braces of a body.
func (w *file) text(b *ast.BlockStmt) string {
	return w.buf.Text(w.offset(b.Lbrace+1), w.offset(b.Rbrace))
}

// label gives a label in a clone a name of its own.
func (w *file) label(id *ast.Ident) { w.insert(id.End(), w.labelSuffix()) }

// labelSuffix returns what is added to the names of labels.
func (w *file) labelSuffix() string {
	if w.kind == clonedBody {
		return tapped
	}
	return ""
}

// assignMixed takes a := in an original apart, if it assigns to parameters or results.
func (w *file) assignMixed(st *ast.AssignStmt) {
	if w.kind != originalBody || w.Clones.Mixed[st] == nil {
		return
	}
	var values []string
	assign := ""
	for i, e := range st.Lhs {
		id, op := e.(*ast.Ident), "="
		if id.Name == "_" {
			values = append(values, "_")
			continue
		}
		if w.Clones.Mixed[st][i] {
			op = ":="
		}
		v := w.newName(value)
		values = append(values, v)
		assign += fmt.Sprintf("; %s %s %s", id.Name, op, v)
	}
	from, to := st.Lhs[0].Pos(), st.Lhs[len(st.Lhs)-1].End()
	breaks := strings.Repeat("\n", w.line(to)-w.line(from))
	text := strings.Join(values, ", ")
	if breaks != "" {
		text = strings.Replace(text, ", ", ","+breaks, 1) // behind an operand it would end the statement
	}
	w.buf.Replace(w.offset(from), w.offset(to), text)
	w.insert(st.End(), assign)
}
