package convert

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/values"
	"github.com/pepgo/pep/format/valuetable"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/pepfile/pepfiletest"
	"github.com/pepgo/pep/runtime/report"
	"github.com/pepgo/pep/runtime/symbol"
)

// Calls that windows have noted are in the profile, with the names of this program. A window whose notes are damaged is
// left out, and the facts say so.
func TestNotesOfALog(t *testing.T) {
	text := golink.TextStart()
	site := uint32(golink.CodeOf(TestNotesOfALog)-text) + 8
	file := pepfiletest.Noted(pepfile.FewNotes)
	file.Text = uint64(text)
	c := countsOf(file)
	to := func(f func() pepfile.Table) uint64 { return uint64(golink.CodeOf(f)) }
	for range 3 {
		c.LogWindow(&pepfile.Window{Time: 1e7, Steps: 6000, Unnoted: 2}, nil, []pepfile.NoteRecord{
			{Site: site, Count: 3, Value: to(recorded)}, {Site: site, Count: 1, Value: to(pepfiletest.New)}})
	}
	c.Window(2).Notes--
	windows, damaged := c.logged()
	files := c.notes(windows, symbol.NewTable(text)).Write(&report.Profile{})
	if len(files) != 1 || damaged != 1 {
		t.Fatalf("%d files, %d damaged windows", len(files), damaged)
	}
	p, err := profile.Parse(bytes.NewReader(files[0].Data))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range p.Sample {
		got = append(got, fmt.Sprintln(s.Location[0].Line[0].Function.Name, s.Location[1].Line[0].Function.Name, s.Value,
			s.Label["expr"]))
	}
	const here = "github.com/pepgo/pep/runtime/"
	expr := fmt.Sprintf("[%#x]", uint64(text)+uint64(site))
	want := []string{
		here + "convert.recorded " + here + "convert.TestNotesOfALog [6000 6] " + expr + "\n",
		here + "pepfile/pepfiletest.New " + here + "convert.TestNotesOfALog [2000 2] " + expr + "\n",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
	var f facts.List
	(&damage{windows: damaged}).tell(&f)
	if f.Number(facts.DamagedWindows) != 1 {
		t.Errorf("facts %v", f)
	}
}

// With a table of values, the number of a row is that of its site: what is noted there, and where and what it is in the
// source.
func TestSitesOfNotes(t *testing.T) {
	text := golink.TextStart()
	c := countsOf(pepfiletest.New())
	at := uint32(golink.CodeOf(TestSitesOfNotes) - text)
	first := values.Func{Addr: uint64(text) + 64, Rows: []values.Row{
		{Row: valuetable.Row{PC: 3, Kind: valuetable.Result, Width: 2},
			Site: valuetable.Site{File: "/a/x.go", Line: 3, Col: 4, Func: "m.f", Expr: "n", Type: "int16", Form: wire.Signed}}}}
	second := values.Func{Addr: uint64(text) + uint64(at), Rows: []values.Row{
		{Row: valuetable.Row{PC: 0, Kind: valuetable.Call},
			Site: valuetable.Site{File: "/a/x.go", Line: 5, Col: 6, Expr: "s.area"}},
		{Row: valuetable.Row{PC: 9, Kind: valuetable.Itab},
			Site: valuetable.Site{File: "/a/x.go", Line: 7, Col: 8, Expr: "err", Type: "error"}},
		{Row: valuetable.Row{PC: 9, Kind: valuetable.Load, Width: 8},
			Site: valuetable.Site{File: "/a/x.go", Line: 7, Col: 9, Expr: "p.n", Type: "float64", Form: wire.Float}}}}
	table, err := (&values.Table{Funcs: []values.Func{first, second}}).Append(nil, uint64(text))
	if err != nil {
		t.Fatal(err)
	}
	sites := c.noteSites(table, symbol.NewTable(text))
	const own = "github.com/pepgo/pep/runtime/convert.TestSitesOfNotes"
	want := []report.NoteSite{
		{Tag: tuple.Result, Width: 2, Form: wire.Signed, Func: report.Frame{Func: "m.f", File: "/a/x.go", Line: 3}, Col: 4,
			Expr: "n", Type: "int16"},
		{Tag: tuple.Call, Func: report.Frame{Func: own, File: "/a/x.go", Line: 5}, Col: 6, Expr: "s.area"},
		{Tag: tuple.Type, Itab: true, Func: report.Frame{Func: own, File: "/a/x.go", Line: 7}, Col: 8, Expr: "err",
			Type: "error"},
		{Tag: tuple.Load, Width: 8, Form: wire.Float, Func: report.Frame{Func: own, File: "/a/x.go", Line: 7}, Col: 9,
			Expr: "p.n", Type: "float64"},
	}
	for i, w := range want {
		s, ok := sites(uint32(i))
		s.Func.Symbol, s.Func.StartLine = "", 0
		if !ok || s != w {
			t.Errorf("site %d: %+v, %v, want %+v", i, s, ok, w)
		}
	}
	address := want[3]
	address.Tag, address.Width, address.Form = tuple.Addr, 0, wire.Address
	s, ok := sites(3 + 1<<31)
	if s.Func.Symbol, s.Func.StartLine = "", 0; !ok || s != address {
		t.Errorf("the address of a load: %+v, %v, want %+v", s, ok, address)
	}
	if _, ok := sites(uint32(len(want))); ok {
		t.Error("a site that is not in the table")
	}
}
