package report

// This file lists what a program's table of actions knows.

import (
	"fmt"

	"github.com/pepgo/pep/format/actiontable"
	"github.com/pepgo/pep/format/register"
	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/machine/executable"
)

// ActionCounts say what is in a table of actions, and which code of the program is not.
type ActionCounts struct {
	Bytes     int `json:"bytes" unit:"bytes"`
	Functions int `json:"functions" unit:"functions"`
	Rows      int `json:"rows" unit:"rows"` // ways of executing instructions that have actions
	// for paths, of functions and of what is inlined into them
	Registers int `json:"registers" unit:"registers"`

	// of the source, in the program by themselves or inlined
	Sources int `json:"sources" unit:"functions"`
	Partly  int `json:"partly_untold" unit:"functions"` // of these, with untold paths and others
	Untold  int `json:"untold" unit:"functions"`        // of these, with untold paths only

	Linked   int          `json:"linked" unit:"functions"` // of the program
	Code     uint64       `json:"code" unit:"bytes"`       // of these
	Assembly []LinkedFunc `json:"assembly"`                // functions without outcomes of the source
}

// A LinkedFunc is a function of a program.
type LinkedFunc struct {
	Func string `json:"function"`
	Size uint64 `json:"size" unit:"bytes"`
}

// ActionsOf counts what is in the table of actions of an executable. Without a table it returns nil.
func ActionsOf(exe string) (*ActionCounts, error) {
	t, err := executable.Actions(exe)
	if t == nil || err != nil {
		return nil, err
	}
	funcs, err := executable.Functions(exe)
	if err != nil {
		return nil, err
	}
	return Actions(t, funcs)
}

// Actions counts what is in the table of actions of a program with some functions. Without a table it returns nil.
func Actions(t *actiontable.Table, funcs []executable.Function) (*ActionCounts, error) {
	if t == nil {
		return nil, nil
	}
	c := &ActionCounts{Bytes: t.Bytes(), Functions: t.Len(), Sources: t.Told.Functions, Partly: t.Told.Partly,
		Untold: t.Told.Untold,
		Linked: len(funcs)}
	rows, ops := make([]actiontable.Row, t.Most.Rows), make([]register.Op, t.Most.Ops)
	for fn := range t.Len() {
		n, ok := t.Decode(fn, rows, ops)
		if !ok {
			return nil, fmt.Errorf("the table of actions is damaged at function %d", fn)
		}
		c.Rows += n.Rows
		c.Registers += n.Registers
	}
	for _, f := range funcs {
		c.Code += f.Size
		if f.Assembly {
			c.Assembly = append(c.Assembly, LinkedFunc{f.Name, f.Size})
		}
	}
	return c, nil
}

func (a *ActionCounts) print(p *listing.Page, all bool) {
	if a == nil {
		return
	}
	share := func(part, whole int) string {
		return listing.Percent(listing.Ratio(int64(part), int64(whole)))
	}
	p.Line("table of actions: %s, %s of %s, with %s of paths", listing.Count(a.Bytes, "byte"),
		listing.Count(a.Rows, "row"),
		listing.Count(a.Functions, "function"), listing.Count(a.Registers, "register"))
	p.Line("of %s of the source in the program, %d (%s) have paths that cannot be told, and no path of %d (%s) can",
		listing.Count(a.Sources, "function"), a.Partly, share(a.Partly, a.Sources), a.Untold, share(a.Untold, a.Sources))
	code, assembly := uint64(0), &listing.Table{Numbers: 1}
	for _, f := range a.Assembly {
		code += f.Size
		assembly.Row(listing.Count(f.Size, "byte"), f.Func)
	}
	p.Line("of %s in the program, %d (%s), with %s of the code, are in assembly, without outcomes of the source",
		listing.Count(a.Linked, "function"), len(a.Assembly), share(len(a.Assembly), a.Linked), share(int(code), int(a.Code)))
	if all {
		p.Table("  ", assembly)
	}
}
