// Package tap chooses the values of a package that taps report while it runs, and the
// insertion point of each tap.
//
// With the kinds args, loads and stores,
//
//	func (l *list) push(x int) {
//		n := l.head
//		l.head = &node{x, n}
//	}
//
// becomes
//
//	func (l *list) push(x int) { Tap(l); Tap(x);
//		n := l.head; Tap(n)
//		l.head = &node{x, n}; Tap(l.head)
//	}
//
// A tap is a statement of its own, before or after the statement whose value it
// reports. It never stands around an expression. It evaluates an expression of the
// program a second time:
//
//   - After a statement, a local variable that the value has been assigned to, or
//     the target of an assignment.
//   - Before a statement, an expression that the statement is going to evaluate.
//
// Package reeval decides whether nobody notices that. A tap before an operand of a
// condition, or before a case of a switch, is like one before a statement; [Plan]
// lists all insertion points.
//
// tap counts every value that it cannot tap, with the reason. A load that gives what
// an earlier one gave is not tapped either, since the compiler makes one load of the
// two.
//
// Types and syntax choose the values, not go/ssa, which speaks of values that the source
// does not name (docs/decisions/0007-taps.md). Package rewrite writes the calls, and package
// tuple says what the words mean.
package tap

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/instrument/flow"
	"github.com/pepgo/pep/instrument/mark"
	"github.com/pepgo/pep/instrument/placement"
	"github.com/pepgo/pep/instrument/reeval"
)

// A Config describes a package, and which values the user asks for.
type Config struct {
	Options
	Path    string // import path
	Fset    *token.FileSet
	Files   []*ast.File // with the markers of package mark
	Markers *mark.Markers
	Info    *types.Info
	Sizes   types.Sizes // may be nil

	// FileNumber returns the index of a file's name in the site table.
	FileNumber func(name string) int

	Working func(ast.Node) // called with the syntax of each function before it is looked at
}

// A Func is a function that may have taps.
type Func struct {
	*flow.Func
	Blocks []wire.Block // by node; nil if the function has no path numbers
}

// A Call is a tap: a call of the linked runtime, with the word as argument.
type Call struct {
	PC   uint64 // tag and site
	Func string // of the linked runtime that returns the word: doors.PtrWord; "" if the argument is the word
	Conv string // type of the linked runtime to convert the argument to: doors.Ptr; or ""
	Arg  string

	More  []Word // further words of the sample
	Defer bool   // the call is deferred: it is made where the function ends

	// Pos is the position of the argument in the source, if its evaluation may panic, so
	// that the panic can be reported there.
	Pos token.Pos
}

// A Word is a further word of a sample: as the fields of Call say.
type Word struct{ Func, Conv, Arg string }

// A Plan holds the taps of a package, by insertion point.
type Plan struct {
	Sites   []wire.Tap
	Skipped map[Skip][]Expr // expressions that Options select and that have no tap, by reason
	Dropped int             // sites that are dropped because there are more than Options.Max

	Start    map[*ast.BlockStmt][]Call    // at the start of a body, behind its {
	Before   map[ast.Stmt][]Call          // before a statement
	After    map[ast.Stmt][]Call          // after a statement
	Leaves   map[*mark.Leaf][]Call        // before an operand of a condition is evaluated
	Markers  map[*mark.Marker][]Call      // at a marker
	Cases    map[ast.Expr][]Call          // before an expression of a case of a switch without a tag
	Headers  map[ast.Stmt][]Call          // in the header of a switch, behind the statement there
	Outcomes map[placement.Outcome][]Call // at an outcome of an operand
	Jumps    map[*mark.Jump][]Call        // on the way of a jump
	Ends     map[*ast.BlockStmt][]Call    // at the end of a body, before its }
	Returns  map[*ast.ReturnStmt]*Return  // at a return statement
}

// An Expr is an expression of the source, or something else that has a position and a
// text.
type Expr struct {
	Pos  token.Position
	Text string
}

func (f *finder) exprOf(e ast.Expr) Expr { return f.exprAt(e.Pos(), types.ExprString(e)) }

func (f *finder) exprAt(pos token.Pos, text string) Expr { return Expr{f.Fset.Position(pos), text} }

// A Skip is a reason why a value of some kind has no tap.
type Skip struct {
	Tag    tuple.Tag
	Reason string
}

// Reasons.
const (
	whyType        = "its type has no word"    // structs, arrays, complex numbers, interfaces
	whyConditional = "evaluated conditionally" // behind && or || that is in no condition of a statement
	// or a receive, of the same statement, which may change the value
	whyBeside = "beside a call"
	// a call, an allocation, or 1<<s, which has another type elsewhere
	whyImpure = "not without side effects"
	whyPanic  = "behind an expression that may panic" // that has no tap, so the tap could panic first
	// the assignment may have changed which variable the target names
	whyReread = "cannot be read back"
	whyCalls  = "the results of a call" // return f(), with several results
	// most cases of a switch with a tag, what a select receives into
	whyPoint    = "no insertion point"
	whyEmbedded = "of an embedded interface" // that only another package can name
	whyEdge     = "the edge has no insertion point of its own"
	whyAgain    = "read before, and not changed since" // on every way to here; the compiler loads once, too
	// of direct calls: that stands between the insertion point and this one
	whyBehind = "behind another call"
	// of direct calls: a generic function, or a name that is hidden there
	whyName = "the function cannot be named there"
)

// reasons are those why an expression may not be evaluated again.
var reasons = map[reeval.Rule]string{
	reeval.Calls:       whyImpure,
	reeval.Receives:    whyImpure,
	reeval.Allocates:   whyImpure,
	reeval.Form:        whyImpure,
	reeval.Context:     whyImpure,
	reeval.Conditional: whyConditional,
	reeval.Beside:      whyBeside,
	reeval.Panics:      whyPanic,
}

// Find chooses the taps of the functions of a package. Without options it returns nil.
func Find(cfg *Config, funcs []Func) *Plan {
	if cfg.Options.none() {
		return nil
	}
	src := newSource(cfg)
	for _, fn := range funcs {
		src.bodies[fn.Body()] = true
	}
	f := &finder{source: src, plan: newPlan()}
	f.all(funcs)
	limit := cfg.Max
	if limit <= 0 || limit > tuple.MaxSites {
		limit = tuple.MaxSites
	}
	if len(f.found) <= limit {
		return f.plan
	}
	// A tap can make another one possible. Find them anew, among those to keep.
	again := &finder{source: src, plan: newPlan(), keep: hottest(f.found, limit)}
	again.all(funcs)
	again.plan.Dropped = len(f.found) - len(again.found)
	return again.plan
}

func newPlan() *Plan {
	return &Plan{
		Skipped:  map[Skip][]Expr{},
		Start:    map[*ast.BlockStmt][]Call{},
		Before:   map[ast.Stmt][]Call{},
		After:    map[ast.Stmt][]Call{},
		Leaves:   map[*mark.Leaf][]Call{},
		Markers:  map[*mark.Marker][]Call{},
		Cases:    map[ast.Expr][]Call{},
		Headers:  map[ast.Stmt][]Call{},
		Outcomes: map[placement.Outcome][]Call{},
		Jumps:    map[*mark.Jump][]Call{},
		Ends:     map[*ast.BlockStmt][]Call{},
		Returns:  map[*ast.ReturnStmt]*Return{},
	}
}

// A key identifies a site.
type key struct {
	tag  tuple.Tag
	pos  token.Pos
	expr string
}

// A find is a site, with what ranks it among others.
type find struct {
	key
	requested bool
	depth     int // loops around it
}

// hottest returns n of the sites: first those that the source asks for, then those
// within the most loops, in source order.
func hottest(found []find, n int) map[key]bool {
	found = slices.Clone(found)
	slices.SortStableFunc(found, func(a, b find) int {
		if a.requested != b.requested {
			if a.requested {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.depth, a.depth)
	})
	keep := map[key]bool{}
	for _, x := range found[:n] {
		keep[x.key] = true
	}
	return keep
}

// A finder finds the taps of a package.
type finder struct {
	*source
	plan  *Plan
	found []find
	keep  map[key]bool // nil for all

	fn        Func
	results   []*types.Var
	wanted    bool     // the user selects the function
	old       bool     // the language version of the file has no generics
	requested bool     // the source asks for taps of the statement
	loops     []extent // of the function
	stmt      ast.Stmt // the statement of a list that the walk has reached
	known     reeval.Loads
}

func (f *finder) all(funcs []Func) {
	for _, fn := range funcs {
		f.Working(fn.Syntax)
		f.function(fn)
	}
}

// site makes a site of an expression, if it is among those to keep, and returns the PC
// of its tuples.
func (f *finder) site(tag tuple.Tag, pos token.Pos, expr string, typ types.Type, w word) (pc uint64, ok bool) {
	p := f.Fset.Position(pos)
	return f.add(key{tag, pos, expr}, wire.Tap{
		Tag: uint8(tag), Func: f.fn.Name, File: f.FileNumber(p.Filename), Line: p.Line, Col: p.Column,
		Expr: expr, Type: types.TypeString(typ, (*types.Package).Path), Bits: w.bits, Kind: w.kind,
	})
}

func (f *finder) add(k key, t wire.Tap) (pc uint64, ok bool) {
	if f.keep != nil && !f.keep[k] {
		return 0, false
	}
	pc = tuple.New(tuple.Tag(t.Tag), tuple.SiteBase(f.Path)+uint64(len(f.plan.Sites)), 0).PC
	f.plan.Sites = append(f.plan.Sites, t)
	f.found = append(f.found, find{k, f.requested, f.depth(k.pos)})
	return pc, true
}

// An extent is a part of the source.
type extent struct{ from, to token.Pos }

// depth returns the number of loops around pos, of those that the walk has seen.
func (f *finder) depth(pos token.Pos) int {
	n := 0
	for _, l := range f.loops {
		if l.from <= pos && pos < l.to {
			n++
		}
	}
	return n
}

// wants reports whether the user asks for the values of a kind at pos.
func (f *finder) wants(tag tuple.Tag, pos token.Pos) bool {
	if f.requested && tag != tuple.Addr && all.Has(tag) {
		return true
	}
	return f.wanted && f.Kinds.Has(tag) && f.within(f.Fset.Position(pos))
}

// within reports whether a position is in one of the ranges, if there are any.
func (f *finder) within(p token.Position) bool {
	if len(f.Ranges) == 0 {
		return true
	}
	return slices.ContainsFunc(f.Ranges, func(r Range) bool { return r.Has(p.Filename, p.Line) })
}

func (f *finder) skip(tag tuple.Tag, e Expr, reason string) {
	s := Skip{tag, reason}
	f.plan.Skipped[s] = append(f.plan.Skipped[s], e)
}
