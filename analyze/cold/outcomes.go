package cold

// This file says which outcomes of branches never happened, through the table that the compiler of pepbuild writes.

import (
	"cmp"
	"fmt"
	"os"
	"slices"

	"github.com/pepgo/pep/format/branches"
)

// An Outcome is one of the source: a condition was true, or false, or a clause began.
type Outcome struct {
	Func    string // of the source, as the linker names it
	Kind    branches.Kind
	Pos     branches.Pos
	State   State  // NoCode if nothing is known
	Reason  string // why nothing is known
	Reached bool   // what decides it is known to have run
	Said    bool   // lines say it, too: those of what would have run never did

	instead []int // blocks that would have run
}

// shared is the reason of outcomes that other ways lead around.
const shared = "no block of its own"

// A BranchTable says which outcomes the branches of a program stand for.
type BranchTable []branches.Package

// ReadTable reads a table of branches.
func ReadTable(name string) (BranchTable, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	table, err := branches.Read(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return table, nil
}

// Decide adds outcomes to what listings and files of coverage have. The table is that of the program, or the error says
// so.
func (d *Data) Decide(table BranchTable) (err error) {
	d.Branches, err = d.Outcomes(table)
	return err
}

// Outcomes returns the outcomes of conditions and clauses, by function and position, all bodies of a function together.
// The table is that of the program, or the error says so.
func (d *Data) Outcomes(table BranchTable) ([]Outcome, error) {
	var symbols []branches.Symbol
	names := make(map[string]int)
	for i := range d.Program.Functions {
		names[d.Program.Functions[i].Name]++
	}
	sizes := make(map[branches.Symbol]bool)
	for _, p := range table {
		for i := range p.Funcs {
			sizes[branches.Symbol{Name: p.Funcs[i].Name, Size: p.Funcs[i].Size}] = true
		}
	}
	first := make([]int, len(d.Program.Functions)) // the number of its first block
	n := 0
	for i := range d.Program.Functions {
		f := &d.Program.Functions[i]
		// Functions in assembly and what adapts calls to them have one name.
		if names[f.Name] == 1 || sizes[branches.Symbol{Name: f.Name, Size: uint64(f.Size)}] {
			symbols = append(symbols, branches.Symbol{Name: f.Name, Addr: uint64(i), Size: uint64(f.Size)})
		}
		first[i] = n
		n += len(f.Blocks)
	}
	funcs, unlike, err := branches.Link(table, &branches.Executable{Functions: symbols})
	if err != nil {
		return nil, err
	}
	sources := make(map[string]bool) // those of packages with probes
	for _, s := range d.Program.Sources {
		sources[s.Name] = true
	}
	all := make(map[outcomeKey]*Outcome)
	for _, f := range funcs {
		b := &branching{Data: d, f: &d.Program.Functions[f.Addr], first: first[f.Addr]}
		for _, o := range b.outcomes(&f.Func) {
			add(all, o)
		}
	}
	for _, s := range unlike {
		for _, p := range table {
			for i := range p.Funcs {
				for _, o := range p.Funcs[i].Outcomes {
					if p.Funcs[i].Name == s.Name {
						add(all, Outcome{Func: functionOf(&p.Funcs[i], o), Kind: o.Kind, Pos: o.Pos,
							Reason: "several functions have this name"})
					}
				}
			}
		}
	}
	list := make([]Outcome, 0, len(all))
	for _, o := range all {
		if sources[o.Func] {
			list = append(list, *o)
		}
	}
	slices.SortFunc(list, func(a, b Outcome) int {
		return cmp.Or(cmp.Compare(a.Func, b.Func), cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Col, b.Pos.Col), cmp.Compare(b.Kind, a.Kind))
	})
	return list, nil
}

type outcomeKey struct {
	function string
	kind     branches.Kind
	pos      branches.Pos
}

// add adds an outcome of one body to that of all.
func add(all map[outcomeKey]*Outcome, o Outcome) {
	switch o.Kind {
	case branches.True, branches.False, branches.Clause:
	default: // functions and their bodies are listed anyway
		return
	}
	k := outcomeKey{o.Func, o.Kind, o.Pos}
	have := all[k]
	if have == nil {
		all[k] = &o
		return
	}
	have.merge(o)
}

// merge adds what another place says of an outcome: it happened if it did in one of them, and never if it did in none.
func (o *Outcome) merge(p Outcome) {
	o.Reached = o.Reached || p.Reached
	switch {
	case o.State == Ran:
	case p.State == Ran:
		o.State, o.Reason, o.instead = Ran, "", nil
	case o.State == NoCode:
	case p.State == NoCode:
		o.State, o.Reason, o.instead = NoCode, p.Reason, nil
	default:
		o.instead = append(o.instead, p.instead...)
	}
}

// functionOf returns the function of the source that has an outcome.
func functionOf(f *branches.Func, o branches.Outcome) string {
	if o.Call > 0 {
		return f.Calls[o.Call-1].Func
	}
	return f.Name
}

// branching is a function of the executable.
type branching struct {
	*Data
	f     *Function
	first int
}

// outcomes returns the outcomes of a function.
func (b *branching) outcomes(f *branches.Func) []Outcome {
	list := make([]Outcome, len(f.Outcomes))
	for i, o := range f.Outcomes {
		list[i] = Outcome{Func: functionOf(f, o), Kind: o.Kind, Pos: o.Pos, State: Never}
		if o.Lost != 0 {
			list[i].State, list[i].Reason = NoCode, o.Lost.String()
		}
	}
	for _, r := range f.Rows {
		x := b.row(r)
		for _, i := range r.Outcomes {
			if f.Outcomes[i].Lost != branches.Either {
				list[i].merge(x)
			}
		}
	}
	return list
}

// row says whether an instruction was executed in a way.
func (b *branching) row(r branches.Row) Outcome {
	unknown := Outcome{Reason: shared}
	from := b.block(func(x *Block) bool { return uint64(x.Start) <= r.PC && r.PC < uint64(x.End) })
	switch {
	case from < 0 || b.state(from) == NoCode:
		return unknown
	case r.Way == branches.At:
		x := Outcome{State: b.state(from)}
		// A call that stands ahead of the instruction in the block may not have returned.
		if x.State == Ran && uint64(b.f.Blocks[from].Start) != r.PC {
			return unknown
		}
		if x.State == Never {
			x.instead = []int{b.first + from}
			x.Reached = b.block(func(y *Block) bool {
				return y.Branch != 0 && (y.Taken == b.f.Blocks[from].Start || y.End == b.f.Blocks[from].Start) && b.ran(y)
			}) >= 0
		}
		return x
	case b.state(from) == Never:
		return Outcome{State: Never}
	case r.Way == branches.Jump:
		return unknown
	case uint64(b.f.Blocks[from].Branch) != r.PC:
		return Outcome{Reason: branches.Selected.String()}
	}
	x := &b.f.Blocks[from]
	start := x.End
	if r.Way == branches.Taken {
		start = x.Taken
	}
	to := b.block(func(y *Block) bool { return y.Start == start })
	switch {
	case to < 0:
		return unknown
	case b.state(to) == Never:
		return Outcome{State: Never, Reached: true, instead: []int{b.first + to}}
	case b.state(to) == Ran && b.f.Blocks[to].One:
		return Outcome{State: Ran, Reached: true}
	}
	unknown.Reached = true
	return unknown
}

// block returns the number of the first block in the function for which is holds, -1 if there is none.
func (b *branching) block(is func(x *Block) bool) int {
	for i := range b.f.Blocks {
		if is(&b.f.Blocks[i]) {
			return i
		}
	}
	return -1
}

func (b *branching) ran(x *Block) bool {
	i := b.block(func(y *Block) bool { return x == y })
	return b.state(i) == Ran
}

// state says whether a block ran.
func (b *branching) state(i int) State {
	switch id := b.first + i; {
	case b.Seen[id].At != 0:
		return Ran
	case b.f.Blocks[i].Probed && !b.Refused[id]:
		return Never
	}
	return NoCode
}

// word is the state of an outcome.
func (o *Outcome) word() string {
	return map[State]string{Ran: "happened", Never: "never", NoCode: "unknown"}[o.State]
}

// said reports whether lines of blocks that would have run are among those that never ran.
func (p *Program) said(blocks []int, groups []*group) bool {
	at := 0
	for i := range p.Functions {
		f := &p.Functions[i]
		for _, id := range blocks {
			if id < at || id >= at+len(f.Blocks) {
				continue
			}
			for _, x := range f.Blocks[id-at].Pieces {
				if g := groups[x.Source]; g != nil && x.Size > 0 && g.lines[x.Line].state() == Never {
					return true
				}
			}
		}
		at += len(f.Blocks)
	}
	return false
}

// decide gives groups their outcomes.
func (d *Data) decide(all, of []*group) {
	byName := make(map[string]*group)
	for _, g := range all {
		for name := range g.parts {
			byName[name] = g
		}
	}
	for _, o := range d.Branches {
		if g := byName[o.Func]; g != nil {
			o.Said = o.State == Never && d.Program.said(o.instead, of)
			g.merge(o)
		}
	}
	for _, g := range all {
		slices.SortFunc(g.outcomes, func(a, b Outcome) int {
			return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col), cmp.Compare(b.Kind, a.Kind))
		})
	}
}

// merge adds an outcome, which several closures and instances may have.
func (g *group) merge(o Outcome) {
	i := slices.IndexFunc(g.outcomes, func(p Outcome) bool { return p.Kind == o.Kind && p.Pos == o.Pos })
	if i < 0 {
		g.outcomes = append(g.outcomes, o)
		return
	}
	said := g.outcomes[i].Said || o.Said
	g.outcomes[i].merge(o)
	g.outcomes[i].Said = said && g.outcomes[i].State == Never
}
