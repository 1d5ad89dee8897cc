// Package rewrite writes path registers, polls and taps into source text.
//
//	func f(x int) int {                func f(x int) int { _pep_r := …;
//		if x > 0 {             →       if x > 0 { _pep_r += 1;
//			x = -x                         x = -x
//		}                              }
//		return x                       poll(_pep_r); return x
//	}                                  }
//
// Every edit stays on its line, so that line numbers are those of the source. A //line
// directive at the top names the original file. Columns shift. The inserted text uses
// no predeclared name, adds no function literal, no defer and no package-level
// initialiser, and never stands around an expression: rewrite takes conditions with &&
// and || apart into statements. Only the operands of cases and values, which are
// instrumented for coverage alone, have code around them.
//
// The plans of packages placement and tap say what to insert at which insertion point.
package rewrite

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/pepgo/pep/instrument/edit"
	"github.com/pepgo/pep/instrument/mark"
	"github.com/pepgo/pep/instrument/placement"
	"github.com/pepgo/pep/instrument/tap"
	"github.com/pepgo/pep/runtime/doors"
)

// Ends says what instrumented code does at the end of a path.
type Ends int

const (
	Nothing Ends = iota // there are taps alone
	Poll                // test a flag, call the sampler if it is set
	Count               // count the path
)

// A Without says what of the inserted code is left out, to measure what the rest of it costs. A build
// without something counts wrong paths or none, and its runtime writes no profile. Conditions are
// taken apart as in a full build.
type Without string

const (
	WithoutNothing   Without = ""
	WithoutRegisters Without = "registers" // all polls are of constants
	WithoutPolls     Without = "polls"     // and without registers, which nothing would read

	// WithoutAtomics counts by additions to an array of the package, which are neither calls nor atomic.
	WithoutAtomics Without = "atomics"
)

// registers reports whether there are path registers.
func (w Without) registers() bool { return w == WithoutNothing || w == WithoutAtomics }

// CoreName is the name of the linked runtime in instrumented text.
const CoreName = prefix + "core"

// Names that rewrite inserts. It does not rewrite source that has them already.
const (
	prefix   = "_pep_"
	register = prefix + "r"
	label    = prefix + "L"
	value    = prefix + "v"
	core     = CoreName
	table    = prefix + "table"
	counters = prefix + "counters" // beside the table, without atomics
)

// Reserved reports whether src uses a name that rewrite inserts.
func Reserved(src []byte) bool { return bytes.Contains(src, []byte(prefix)) }

// A Func is a function to rewrite.
type Func struct {
	Plan *placement.Plan
	Base uint64 // number of its path 0 within the package

	// Index is its index in the site table. The counter of its calls has the number Writer.Paths+Index.
	Index int
}

// A Writer rewrites the files of a package.
type Writer struct {
	Ends    Ends
	Without Without
	Core    string // import path of the linked runtime
	Paths   uint64 // how many the package has
	Markers *mark.Markers
	Funcs   map[*ast.BlockStmt]*Func // what to rewrite, by body
	Inits   map[ast.Expr]*Func       // initialisers of variables to rewrite
	Import  bool                     // import the linked runtime even if the file does not use it
	Taps    *tap.Plan                // nil for none
	Execs   map[ast.Expr]bool        // uses of syscall.Exec, before which the program writes its profile

	// IsPanic reports whether a call is one of the predeclared panic.
	IsPanic func(*ast.CallExpr) bool

	Working func(ast.Node) // called with each declaration before it is rewritten

	NamesInFolder bool // names in line directives are relative to the folder of the file
}

// Text rewrites a file: src is its text and f its tree with markers. If there is
// nothing to change, ok is false.
func (wr *Writer) Text(fset *token.FileSet, src []byte, f *ast.File) (text string, ok bool) {
	w := &file{
		Writer: wr, buf: edit.New(src), src: src, file: fset.File(f.FileStart), namings: namings(f),
		landings: map[ast.Stmt]string{}, leaving: map[ast.Stmt]string{}, tags: map[*ast.BlockStmt]string{},
	}
	for _, d := range f.Decls {
		w.Working(d)
		w.decl(d)
	}
	if !w.buf.Changed() {
		return "", false
	}
	w.imports(f)
	column := 1
	if bytes.HasPrefix(src, byteOrderMark) {
		// The mark is legal at the beginning of a file only. It counts as a part of the first line.
		w.buf.Replace(0, len(byteOrderMark), "")
		column += len(byteOrderMark)
	}
	text = w.buf.String()
	if wr.NamesInFolder {
		text = absoluteNames(text, w.file.Name())
	}
	return fmt.Sprintf("//line %s:1:%d\n", w.file.Name(), column) + text, true
}

// byteOrderMark may stand at the beginning of a source file.
var byteOrderMark = []byte("\uFEFF")

// Table returns a file of package name that declares the package's table of
// counters, and path registers for initialisers of variables: static data, which needs no initialiser.
func Table(name, corePath, path string, counters uint64, inits map[ast.Expr]*Func) string {
	text := fmt.Sprintf("package %s\n\nimport %s %q\n\nvar %s = %s.%s{Path: %q, N: %d}\n",
		name, core, corePath, table, core, doors.Table, path, counters)
	for _, f := range slices.SortedFunc(maps.Values(inits),
		func(f, g *Func) int { return cmp.Compare(f.Index, g.Index) }) {
		if s := (&scope{f, f.Plan}); f.Plan.Register {
			text += fmt.Sprintf("\nvar %s %s.%s = %s\n", s.register(), core, doors.Number, s.number(0))
		}
	}
	return text
}

// Counters returns the declaration of n counters in the file that Table returns, for WithoutAtomics.
func Counters(n uint64) string { return fmt.Sprintf("\nvar %s [%d]uint64\n", counters, n) }

// A file is a file that is being rewritten.
type file struct {
	*Writer
	buf     *edit.Buffer
	src     []byte
	file    *token.File
	namings []naming // of line directives, in order

	usesCore bool // the inserted text does
	names    int
	landings map[ast.Stmt]string       // labels that jumps go to instead of their own
	leaving  map[ast.Stmt]string       // what stands in front of jumps and returns that leave several functions
	tags     map[*ast.BlockStmt]string // names of the values of tags, by the bodies of their switches
}

// newName returns a name that the file does not have yet.
func (w *file) newName(prefix string) string {
	w.names++
	return fmt.Sprintf("%s%d", prefix, w.names)
}

// imports adds the imports that the inserted text needs, right behind the
// package clause. A file may import a package twice under different names.
func (w *file) imports(f *ast.File) {
	var b strings.Builder
	switch {
	case w.usesCore:
		fmt.Fprintf(&b, "; import %s %q", core, w.Core)
	case w.Import:
		fmt.Fprintf(&b, "; import _ %q", w.Core)
	}
	w.buf.Insert(w.offset(f.Name.End()), b.String())
}

// source returns the text from one position to another.
func (w *file) source(from, to token.Pos) string {
	return string(w.src[w.offset(from):w.offset(to)])
}

func (w *file) offset(p token.Pos) int { return w.file.Offset(p) }

func (w *file) insert(p token.Pos, text string) {
	if text != "" {
		w.buf.Insert(w.offset(p), text)
	}
}

func (w *file) decl(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Body != nil {
			w.function(d.Body)
		}
	case *ast.GenDecl:
		if d.Tok != token.IMPORT {
			w.inits(d)
		}
	}
}

// inits rewrites the initialisers of variables.
func (w *file) inits(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		s, ok := spec.(*ast.ValueSpec)
		if !ok {
			w.literals(nil, spec)
			continue
		}
		if s.Type != nil {
			w.literals(nil, s.Type)
		}
		for _, e := range s.Values {
			if f := w.Inits[e]; f != nil {
				w.literals(&scope{f, f.Plan}, e)
			} else {
				w.literals(nil, e)
			}
		}
	}
}

// A scope is a function that is being rewritten; nil if the function keeps its text.
type scope struct {
	*Func
	plan *placement.Plan
}

// function rewrites the body of a declaration or literal, or of a loop over a function.
func (w *file) function(b *ast.BlockStmt) {
	f := w.Funcs[b]
	if f == nil {
		w.tapsAtStart(b)
		w.stmts(nil, b.List)
		w.tapEnd(b)
		return
	}
	s := &scope{f, f.Plan}
	if w.Ends == Count && !s.plan.EndsAtOnce() {
		// A panic may leave the function before a path ends.
		w.insert(b.Lbrace+1, w.count(fmt.Sprint(w.Paths+uint64(f.Index))))
	}
	if s.plan.Register && w.Without.registers() {
		w.insert(b.Lbrace+1, fmt.Sprintf(" %s := %s.%s(%s);", register, core, doors.Number, s.number(0)))
		w.usesCore = true
	}
	w.tapsAtStart(b)
	w.stmts(s, b.List)
	w.tapEnd(b)
}

// register returns the name of the path register of s: a variable of the function, or of the package if s is
// an initialiser.
func (s *scope) register() string {
	if s.plan.Func.Init != nil {
		return register + fmt.Sprint(s.Index)
	}
	return register
}

// number returns the constant for path p of s, its number in the package.
func (s *scope) number(p uint64) string { return fmt.Sprint(s.Base + p) }

// code returns the text of ops.
func (w *file) code(s *scope, ops []placement.Op) string {
	var b strings.Builder
	for _, op := range ops {
		switch {
		case op.Ends:
			if w.Without == WithoutPolls {
				b.WriteByte(' ') // splits looks whether code stands here
			} else {
				b.WriteString(w.poll(s, op))
			}
			if op.Restarts && w.Without.registers() {
				fmt.Fprintf(&b, " %s = %s;", register, s.number(op.Restart))
			}
		case !w.Without.registers():
			b.WriteByte(' ')
		case int64(op.Add) < 0:
			fmt.Fprintf(&b, " %s -= %d;", register, -op.Add)
		default:
			fmt.Fprintf(&b, " %s += %d;", register, op.Add)
		}
	}
	return b.String()
}

// poll returns the text that ends a path.
func (w *file) poll(s *scope, op placement.Op) string {
	if w.Without == WithoutRegisters && !op.Known {
		op.Known, op.Add = true, 0
	}
	number := s.pathNumber(op)
	if w.Ends == Count {
		return w.count(number)
	}
	w.usesCore = true
	return fmt.Sprintf(" %s.%s(%s);", core, doors.Poll, number)
}

// pathNumber returns the expression for the number of the path that op ends.
func (s *scope) pathNumber(op placement.Op) string {
	switch {
	case op.Known:
		return s.number(op.Add)
	case op.Add != 0:
		return fmt.Sprintf("%s + %d", s.register(), op.Add)
	}
	return s.register()
}

// count returns the text that adds 1 to the counter with a number.
func (w *file) count(number string) string {
	w.usesCore = true
	if w.Without == WithoutAtomics {
		return fmt.Sprintf(" %s.%s(&%s[%s]);", core, doors.Increment, counters, number)
	}
	return fmt.Sprintf(" %s.%s(&%s, %s);", core, doors.Count, table, number)
}

// atMarker returns the text at a statement marker.
func (w *file) atMarker(s *scope, mk *mark.Marker) string {
	text := ""
	if s != nil {
		text = w.code(s, s.plan.Markers[mk])
	}
	return text + w.tapsAtMarker(mk)
}

// atLeaf returns the text at an outcome of a leaf.
func (w *file) atLeaf(s *scope, l *mark.Leaf, outcome bool) string {
	text, o := "", placement.Outcome{Leaf: l, True: outcome}
	if s != nil {
		text = w.code(s, s.plan.Outcomes[o])
	}
	return text + w.tapsAtOutcome(o)
}

// exprLeaf writes the code at the outcomes of an operand of a case or a value. The code is calls
// that are made in the place of the operand, which keep its value:
//
//	x    →    (x && Counted(&table, 3) == 0 || Counted(&table, 4) != 0)
//
// All of these calls return 0. The comparisons have no type, so that the operand keeps its own. A
// case that is an interface is compared with true first, as the switch does.
func (w *file) exprLeaf(s *scope, l *mark.Leaf) {
	if s == nil {
		return
	}
	text := ""
	if ops := s.plan.Outcomes[placement.Outcome{Leaf: l, True: true}]; len(ops) > 0 {
		text = " && " + w.exprCode(s, ops, "==", " && ")
	}
	if ops := s.plan.Outcomes[placement.Outcome{Leaf: l}]; len(ops) > 0 {
		text += " || " + w.exprCode(s, ops, "!=", " || ")
	}
	if text != "" {
		if l.Interface {
			text = " == (0 == 0)" + text
		}
		w.insert(l.Expr.Pos(), "(")
		w.insert(l.Expr.End(), text+")")
	}
}

// exprCode returns ops as comparisons of 0 by op, separated by and.
func (w *file) exprCode(s *scope, ops []placement.Op, op, and string) string {
	w.usesCore = true
	var calls []string
	call := func(door, args string) {
		calls = append(calls, fmt.Sprintf("%s.%s(%s) %s 0", core, door, args, op))
	}
	for _, o := range ops {
		if !o.Ends {
			call(doors.Added, fmt.Sprintf("&%s, %d", s.register(), o.Add))
			continue
		}
		call(doors.Counted, fmt.Sprintf("&%s, %s", table, s.pathNumber(o)))
		if o.Restarts {
			call(doors.Restarted, fmt.Sprintf("&%s, %s", s.register(), s.number(o.Restart)))
		}
	}
	return strings.Join(calls, and)
}
