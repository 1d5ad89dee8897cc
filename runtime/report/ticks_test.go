package report_test

import (
	"testing"

	"github.com/pepgo/pep/runtime/report"
	"github.com/pepgo/pep/runtime/wire"
)

func TestNoteOfTicks(t *testing.T) {
	pkgs := []*wire.Package{
		{Path: "example.com/p", Files: []string{"/p/a.go", "/p/b.go"}, Funcs: []wire.Func{{Name: "example.com/p.F", File: 1}, {Name: "example.com/p.G[...]", File: 0}}},
	}
	type ticks struct {
		name, file string
		n          uint64
	}
	for _, test := range []struct {
		ticks []ticks
		want  string
	}{
		{nil, ""},
		{[]ticks{{"example.com/p.F", "/p/b.go", 3}, {"example.com/p.G[...]", "/p/a.go", 3}}, ""},
		{[]ticks{{"example.com/p.F", "/p/b.go", 5}, {"encoding/json.(*decodeState).value", "/go/json.go", 3}, {"encoding/json.Unmarshal", "/go/json.go", 2}},
			"pep: 50.0% of 10 ticks were outside of instrumented functions: encoding/json 50.0% (-peppkg=all instruments more)"},
		// The runtime is never instrumented.
		{[]ticks{{"runtime.mallocgc", "/go/malloc.go", 70}, {"internal/runtime/maps.rand", "/go/m.go", 9}, {"memeqbody", "/go/a.s", 8}, {"", "", 9}, {"slices.Sort[go.shape.[]example.com/q.T].func1", "/go/s.go", 4}},
			"pep: 100.0% of 100 ticks were outside of instrumented functions: runtime 70.0%, code outside of Go 9.0%, internal/runtime/maps 9.0%, assembly 8.0%, slices 4.0%"},
		// A function of an instrumented package that was skipped.
		{[]ticks{{"example.com/p.F", "/p/b.go", 1}, {"example.com/p.large", "/p/b.go", 2}},
			"pep: 66.7% of 3 ticks were outside of instrumented functions: example.com/p.large 66.7%"},
		{[]ticks{{"a.f", "", 1}, {"b.f", "", 1}, {"c.f", "", 1}, {"d.f", "", 1}, {"e.f", "", 1}, {"f.f", "", 1}},
			"pep: 100.0% of 6 ticks were outside of instrumented functions: a 16.7%, b 16.7%, c 16.7%, d 16.7%, e 16.7%, … (-peppkg=all instruments more)"},
	} {
		at := report.NewTicks(pkgs)
		for _, x := range test.ticks {
			at.Add(report.Frame{Func: x.name, File: x.file}, x.n)
		}
		if got := at.Note(); got != test.want {
			t.Errorf("%v:\ngot  %s\nwant %s", test.ticks, got, test.want)
		}
	}
}
