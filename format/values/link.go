package values

// This file makes the table of a program from the compiler's tables of packages.

import (
	"github.com/pepgo/pep/format/branches"
	"github.com/pepgo/pep/format/valuetable"
)

var kinds = [256]valuetable.Kind{branches.Called: valuetable.Call, branches.TypeOf: valuetable.Type,
	branches.ItabOf: valuetable.Itab,
	branches.Loaded: valuetable.Load, branches.Passed: valuetable.Arg, branches.Result: valuetable.Result}

// Link returns the table of a program that has functions of some packages, as [branches.Link] finds them in its
// executable. Files have the names that rename gives them.
func Link(pkgs []branches.Package, exe *branches.Executable, rename func(file string) string) (*Table, error) {
	placed, _, err := branches.Link(pkgs, exe)
	if err != nil {
		return nil, err
	}
	t := &Table{}
	for _, p := range placed {
		f := Func{Addr: p.Addr}
		for i := range p.Values {
			if v := &p.Values[i]; v.Lost == 0 {
				f.Rows = append(f.Rows, row(&p.Func, v, rename))
			}
		}
		if len(f.Rows) > 0 {
			t.Funcs = append(t.Funcs, f)
		}
	}
	return t, nil
}

func row(f *branches.Func, v *branches.Value, rename func(file string) string) Row {
	r := Row{Row: valuetable.Row{PC: uint32(v.PC), Kind: kinds[v.What], Reg: v.Reg, Width: uint8(v.Width)},
		Site: valuetable.Site{File: rename(v.Pos.File), Line: v.Pos.Line, Col: v.Pos.Col, Expr: v.Expr, Type: v.Type,
			Form: v.Form}}
	if v.Elsewhere {
		if r.Site.Func = f.Name; v.Call > 0 {
			r.Site.Func = f.Calls[v.Call-1].Func
		}
	}
	return r
}
