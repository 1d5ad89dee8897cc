package actions

// This file makes the actions of instructions, and decides which outcomes and paths are untold.

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pepgo/pep/format/actiontable"
	"github.com/pepgo/pep/format/branches"
	"github.com/pepgo/pep/format/register"
	"github.com/pepgo/pep/format/wire"
)

// A Table has the actions of a program.
type Table struct {
	Ops      []register.Op // actions, one behind the other
	Funcs    []Placed
	Packages []*Package // in the order in which their paths have numbers
	Sources  []*Source

	// Calls says that functions with one path have actions, too: it ends as often as the function is called.
	Calls bool

	byDecl  map[branches.Pos]*Source
	actions map[string]uint32 // by their operations
	key     []byte            // memory for one of its keys
}

// Slots returns how many registers each function has.
func (t *Table) Slots() []uint16 {
	slots := make([]uint16, len(t.Funcs))
	for i, f := range t.Funcs {
		slots[i] = uint16(len(f.Firsts))
	}
	return slots
}

// A Placed is a function of the program.
type Placed struct {
	Name       string
	Addr, Size uint64
	Firsts     []uint32          // by register: the number of path 0 of the function whose path it has
	Rows       []actiontable.Row // their actions are indexes of Ops
}

// A Source is a function of the source with what is known of its paths in the program.
type Source struct {
	*Func
	Package *Package
	First   uint64 // the number of its path 0 in the program

	Places   int    // in how many places of the program it is: as a function, or inlined
	UntoldIn int    // in how many of them the code tells none of its paths
	Why      string // a reason for one of these, or why the code tells them nowhere
	// nodes of the graph at which the code does not tell everywhere how paths go on, with the reason
	UntoldNodes map[int]string
}

// Numbered reports whether the paths of the function have numbers.
func (s *Source) Numbered() bool { return s.Site >= 0 }

// Paths returns how many paths the function has.
func (s *Source) Paths() uint64 {
	if !s.Numbered() {
		return 0
	}
	return s.Package.Sites.Funcs[s.Site].Graph.N
}

// Untold reports whether the program tells no path of the function in any of its places. A single path needs no
// telling.
func (s *Source) Untold() bool { return s.Places > 0 && s.UntoldIn == s.Places && s.Paths() != 1 }

// Tells returns an empty string if the counts of a path are those of the program, or the reason why they may not be.
// Paths that go through a node of UntoldNodes count as another one that goes through it, too, and comes from the same
// place.
func (s *Source) Tells(path uint64) string {
	if s.Why != "" {
		return s.Why
	}
	if len(s.UntoldNodes) == 0 {
		return ""
	}
	_, steps, ok := s.Package.Sites.Funcs[s.Site].Graph.Decode(path)
	if !ok {
		return "it has no such path"
	}
	for _, step := range steps {
		if why := s.UntoldNodes[step.Node]; why != "" {
			return why
		}
	}
	return ""
}

// New returns a table of a program that has the functions of some packages, without any actions.
func New(pkgs []*Package) (*Table, error) {
	t := &Table{Packages: pkgs, byDecl: map[branches.Pos]*Source{}, actions: map[string]uint32{}}
	first := uint64(0)
	for _, p := range pkgs {
		for i := range p.Funcs {
			f := &p.Funcs[i]
			s := &Source{Func: f, Package: p, Why: f.WhyUntold, UntoldNodes: map[int]string{}}
			if s.Numbered() {
				s.First = first + p.Sites.Funcs[f.Site].Base
			}
			t.Sources = append(t.Sources, s)
			t.byDecl[f.Decl] = s
		}
		if first += p.Sites.Paths(); first >= actiontable.Untold-1 {
			return nil, fmt.Errorf("the program has more than %d paths", actiontable.Untold-1)
		}
	}
	return t, nil
}

// Link returns the table of a program that has functions of some packages, as [branches.Link] finds them in its
// executable. Packages of the table have those functions of the source that the program has, by themselves or inlined,
// and packages without any are not in it. With calls it has actions for functions with one path, too.
func Link(pkgs []branches.Package, exe *branches.Executable, calls bool) (*Table, error) {
	placed, unlike, err := branches.Link(pkgs, exe)
	if err != nil {
		return nil, err
	}
	var ambiguous []*branches.Func
	for _, s := range unlike {
		for _, p := range pkgs {
			for i := range p.Funcs {
				if f := &p.Funcs[i]; f.Name == s.Name && f.Size == s.Size {
					ambiguous = append(ambiguous, f)
				}
			}
		}
	}
	there := map[branches.Pos]bool{}
	for _, f := range placed {
		note(there, &f.Func)
	}
	for _, f := range ambiguous {
		note(there, f)
	}
	var acts []*Package
	for _, p := range pkgs {
		a, err := Read(p.Actions)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Path, err)
		}
		if a.keep(there); len(a.Funcs) > 0 || len(a.Sites.Skipped) > 0 {
			acts = append(acts, a)
		}
	}
	t, err := New(acts)
	if err != nil {
		return nil, err
	}
	t.Calls = calls
	for _, f := range placed {
		t.Place(f)
	}
	for _, f := range ambiguous {
		t.Ambiguous(f)
	}
	return t, nil
}

// note adds where the functions of the source are declared that are in a function of the program.
func note(there map[branches.Pos]bool, f *branches.Func) {
	for _, o := range f.Outcomes {
		switch {
		case o.Kind == branches.Entry && o.Call == 0:
			there[o.Pos] = true
		case o.Kind == branches.Inline && o.Call > 0:
			there[f.Calls[o.Call-1].Decl] = true
		}
	}
}

// keep drops the functions of a package that are not declared in some places, and gives the paths of the others new
// numbers.
func (p *Package) keep(there map[branches.Pos]bool) {
	var funcs []Func
	var sites []wire.Func
	untold := map[string]bool{}
	base := uint64(0)
	for _, f := range p.Funcs {
		switch {
		case !there[f.Decl]:
			continue
		case f.Site < 0:
			untold[f.Name] = true
		default:
			site := p.Sites.Funcs[f.Site]
			f.move(uint32(base - site.Base))
			site.Base = base
			base += site.Graph.N
			f.Site = len(sites)
			sites = append(sites, site)
		}
		funcs = append(funcs, f)
	}
	p.Funcs, p.Sites.Funcs = funcs, sites
	p.Sites.Skipped = slices.DeleteFunc(p.Sites.Skipped, func(s wire.Skipped) bool { return !untold[s.Name] })
}

// move adds something to the numbers of all paths.
func (f *Func) move(by uint32) {
	for _, e := range append(f.Events, Event{Ops: f.Enter}) {
		for i := range e.Ops {
			if op := &e.Ops[i]; op.Do == register.Set {
				op.Arg += by
			}
		}
	}
}

// ways are those of branches in the table.
var ways = [256]actiontable.Way{branches.At: actiontable.At, branches.Taken: actiontable.Taken,
	branches.NotTaken: actiontable.NotTaken, branches.Jump: actiontable.Jump}

// Place adds the actions of a function of the program.
func (t *Table) Place(f branches.Placed) {
	ops, firsts := t.Outcomes(&f.Func)
	placed := Placed{Name: f.Name, Addr: f.Addr, Size: f.Size, Firsts: firsts}
	row := func(r *branches.Row) actiontable.Row {
		return actiontable.Row{PC: uint32(r.PC), Way: ways[r.Way], Index: uint16(r.Index)}
	}
	key := func(r *branches.Row) uint64 { return actiontable.Key(uint32(r.PC), ways[r.Way], uint16(r.Index)) }
	rows := slices.Clone(f.Rows)
	slices.SortStableFunc(rows, func(a, b branches.Row) int { return cmp.Compare(key(&a), key(&b)) })
	var all []register.Op
	for i := range rows {
		for _, o := range rows[i].Outcomes {
			all = append(all, ops[o]...)
		}
		if i+1 < len(rows) && key(&rows[i]) == key(&rows[i+1]) {
			continue // a block without an instruction in front of another one
		}
		if len(all) > 0 {
			r := row(&rows[i])
			r.Action = t.action(all)
			placed.Rows = append(placed.Rows, r)
			all = all[:0]
		}
	}
	if len(placed.Rows) > 0 {
		t.Funcs = append(t.Funcs, placed)
	}
}

// Ambiguous says that f may be in the program, or another function with its name and its size: its paths, and those of
// what is inlined into it, cannot be told there.
func (t *Table) Ambiguous(f *branches.Func) {
	t.refuse(f, "several functions have the name and the size")
}

// refuse says why nobody can tell paths in f.
func (t *Table) refuse(f *branches.Func, why string) {
	j := &joiner{table: t, f: f, why: why, ops: make([][]register.Op, len(f.Outcomes))}
	j.instances()
}

type joiner struct {
	table  *Table
	f      *branches.Func
	ops    [][]register.Op // by outcome
	firsts []uint32        // by register

	why string // nobody can tell paths in f
}

type place struct {
	kind      branches.Kind
	line, col int
}

// Outcomes returns what the outcomes of a function of the program do, and for each of its registers the number of path
// 0 of the function whose path it has. What it finds of their sources it notes.
func (t *Table) Outcomes(f *branches.Func) (ops [][]register.Op, firsts []uint32) {
	why := ""
	switch { // what does not fit into the table
	case slices.ContainsFunc(f.Rows, func(r branches.Row) bool { return r.Index > math.MaxUint16 }):
		why = "a table of jumps has more than 65536 entries"
	case len(f.Calls) >= math.MaxUint16:
		why = "it has more than 65534 inlined calls"
	case f.Size > math.MaxUint32:
		why = "it has more than 4 GB of code"
	}
	return t.outcomes(f, why)
}

// outcomes is Outcomes. If why says so, nobody can tell paths in f.
func (t *Table) outcomes(f *branches.Func, why string) (ops [][]register.Op, firsts []uint32) {
	j := &joiner{table: t, f: f, why: why, ops: make([][]register.Op, len(f.Outcomes))}
	j.instances()
	return j.ops, j.firsts
}

// A located outcome is one of a function of the program, where it is in the source.
type located struct {
	call int // as branches.Outcome.Call
	place
	index int
}

// sorted returns the outcomes of f by calls and places.
func sorted(f *branches.Func) []located {
	list := make([]located, len(f.Outcomes))
	for i, o := range f.Outcomes {
		list[i] = located{o.Call, place{o.Kind, o.Pos.Line, o.Pos.Col}, i}
		if o.Kind == branches.Entry || o.Kind == branches.Exit || o.Kind == branches.Inline || o.Kind == branches.Leave {
			list[i].place = place{kind: o.Kind}
		}
	}
	slices.SortFunc(list, func(a, b located) int {
		return cmp.Or(a.call-b.call, a.place.compare(b.place), a.index-b.index)
	})
	return list
}

func (k place) compare(l place) int {
	return cmp.Or(int(k.kind)-int(l.kind), k.line-l.line, k.col-l.col)
}

// at returns those of the sorted outcomes of a call that are at a place.
func at(of []located, k place) []located {
	i, _ := slices.BinarySearchFunc(of, k, func(o located, k place) int { return o.compare(k) })
	n := i
	for n < len(of) && of[n].place == k {
		n++
	}
	return of[i:n]
}

func (j *joiner) instances() {
	f, rest := j.f, sorted(j.f)
	for call := range len(f.Calls) + 1 {
		n := 0
		for n < len(rest) && rest[n].call == call {
			n++
		}
		of := rest[:n]
		rest = rest[n:]
		var decl branches.Pos
		enter, leave := branches.Inline, branches.Leave
		if call > 0 {
			decl = f.Calls[call-1].Decl
		} else if enter, leave = branches.Entry, branches.Exit; len(at(of, place{kind: enter})) > 0 {
			decl = f.Outcomes[at(of, place{kind: enter})[0].index].Pos
		}
		name := f.Name
		if call > 0 {
			name = f.Calls[call-1].Func
		}
		if s := j.table.byDecl[decl]; s != nil && !wraps(name) {
			j.instance(s, of, enter, leave)
		}
	}
}

// wraps reports whether a function of the program calls an instance of a generic function with the types of the source,
// and stands where that is declared: only instances with the compiler's own types have code of the source.
func wraps(name string) bool {
	return strings.Contains(name, "[") && !strings.Contains(name, "[go.shape.")
}

// instance says what outcomes of the source s do in one place, or that they are untold.
func (j *joiner) instance(s *Source, of []located, enter, leave branches.Kind) {
	if len(at(of, place{kind: enter})) == 0 {
		return // another outcome is in a call of which the compiler has left nothing
	}
	s.Places++
	if s.WhyUntold != "" {
		s.UntoldIn++
		return
	}
	loss := func(k place) branches.Loss {
		worst := branches.Loss(0)
		for _, o := range at(of, k) {
			worst = max(worst, j.f.Outcomes[o.index].Lost)
		}
		return worst
	}
	untold := func(why string) {
		s.UntoldIn++
		s.Why = why
	}
	if j.why != "" {
		untold(j.why)
		return
	}
	for _, k := range []place{{kind: enter}, {kind: leave}} {
		switch l := loss(k); {
		case l == 0:
		case l.Joined():
			s.Why = k.kind.String() + ": " + l.String()
		default:
			untold(k.kind.String() + ": " + l.String())
			return
		}
	}
	var nodes map[int]string
	for _, e := range s.Events {
		k := place{e.Kind, e.Line, e.Col}
		why := loss(k).String()
		if len(at(of, k)) == 0 && e.Kind != branches.Round && e.Kind != branches.Label {
			why = "no outcome"
		}
		if why == "" {
			continue
		}
		if e.Vital && !loss(k).Joined() {
			untold(why)
			return
		}
		for _, n := range e.Nodes {
			if nodes == nil {
				nodes = map[int]string{}
			}
			nodes[n] = why
		}
	}
	for n, why := range nodes {
		s.UntoldNodes[n] = why
	}
	if s.Paths() == 1 && !j.table.Calls {
		return
	}
	first := uint32(s.First)
	if nodes != nil {
		first |= actiontable.Untold
	}
	slot := uint16(len(j.firsts))
	j.firsts = append(j.firsts, first)
	set := func(k place, ops []register.Op) {
		for _, o := range at(of, k) {
			for _, op := range ops {
				op.Slot = slot
				if op.Do == register.Set {
					op.Arg += first - j.base(s)
				}
				j.ops[o.index] = append(j.ops[o.index], op)
			}
		}
	}
	set(place{kind: enter}, s.Enter)
	set(place{kind: leave}, []register.Op{{Do: register.End}})
	for _, e := range s.Events {
		set(place{e.Kind, e.Line, e.Col}, e.Ops)
	}
}

// base returns the number of path 0 in the package.
func (j *joiner) base(s *Source) uint32 { return uint32(s.Package.Sites.Funcs[s.Site].Base) }

// action returns the number of the action with the given operations.
func (t *Table) action(ops []register.Op) uint32 {
	ops[len(ops)-1].Last = true
	t.key = t.key[:0]
	for _, op := range ops {
		t.key = binary.LittleEndian.AppendUint32(append(t.key, byte(op.Do), byte(op.Slot), byte(op.Slot>>8)), op.Arg)
	}
	at, ok := t.actions[string(t.key)]
	if !ok {
		at = uint32(len(t.Ops))
		t.actions[string(t.key)] = at
		t.Ops = append(t.Ops, ops...)
	}
	return at
}

// Find returns the function of the source that has a path of the program, and the number of the path in it.
func (t *Table) Find(path uint32) (s *Source, number uint64) {
	path &^= actiontable.Untold
	var numbered []*Source
	for _, s := range t.Sources {
		if s.Numbered() {
			numbered = append(numbered, s)
		}
	}
	i, ok := slices.BinarySearchFunc(numbered, uint64(path),
		func(s *Source, p uint64) int { return cmp.Compare(s.First, p) })
	if !ok {
		i--
	}
	return numbered[i], uint64(path) - numbered[i].First
}
