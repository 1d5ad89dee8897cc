package values

import (
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/format/branches"
	"github.com/pepgo/pep/format/valuetable"
)

// The table of a program has the values of its functions, at the addresses of their symbols, without those that no
// instruction has. A function is named only where the instruction is in another one.
func TestLink(t *testing.T) {
	pos := branches.Pos{File: "$GOROOT/src/p.go", Line: 3, Col: 5}
	f := branches.Func{Name: "p.f", Size: 50, Calls: []branches.Call{{Func: "p.g"}}, Values: []branches.Value{
		{Lost: branches.NoPlace, What: branches.TypeOf, Pos: pos, Expr: "gone"},
		{PC: 7, What: branches.Called, Pos: pos, Expr: "r.Read", Type: "io.Reader"},
		{PC: 9, What: branches.TypeOf, Reg: 3, Width: 8, Call: 1, Pos: pos, Expr: "x", Type: "any"},
		{PC: 9, What: branches.ItabOf, Reg: 2, Width: 8, Call: 1, Elsewhere: true, Pos: pos, Expr: "r", Type: "io.Reader"},
		{PC: 12, What: branches.Called, Elsewhere: true, Pos: pos},
	}}
	pkgs := []branches.Package{{Funcs: []branches.Func{f, {Name: "p.none", Size: 8},
		{Name: "p.gone", Size: 8, Values: f.Values}}}}
	symbols := []branches.Symbol{{Name: "p.f", Addr: text + 64, Size: 50}, {Name: "p.none", Addr: text + 128, Size: 8}}
	rename := func(file string) string { return strings.Replace(file, "$GOROOT", "/go", 1) }
	table, err := Link(pkgs, &branches.Executable{Functions: symbols}, rename)
	if err != nil {
		t.Fatal(err)
	}
	site := valuetable.Site{File: "/go/src/p.go", Line: 3, Col: 5}
	with := func(expr, typ, fn string) valuetable.Site {
		s := site
		s.Expr, s.Type, s.Func = expr, typ, fn
		return s
	}
	want := list(&Table{Funcs: []Func{{Addr: text + 64, Rows: []Row{
		{valuetable.Row{PC: 7, Kind: valuetable.Call}, with("r.Read", "io.Reader", "")},
		{valuetable.Row{PC: 9, Kind: valuetable.Type, Reg: 3, Width: 8}, with("x", "any", "")},
		{valuetable.Row{PC: 9, Kind: valuetable.Itab, Reg: 2, Width: 8}, with("r", "io.Reader", "p.g")},
		{valuetable.Row{PC: 12, Kind: valuetable.Call}, with("", "", "p.f")},
	}}}})
	if got := list(table); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	symbols[0].Size++
	if _, err := Link(pkgs, &branches.Executable{Functions: symbols}, rename); err == nil ||
		!strings.Contains(err.Error(), "of another program") {
		t.Errorf("with another size: %v", err)
	}
}
