package report_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/format/pprofenc"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/runtime/report"
)

// derivedTaps are the taps of package p: f calls g.
var derivedTaps = []wire.Tap{
	{Tag: uint8(tuple.Enter), Func: "p.f", Line: 10, Col: 1, Expr: "f"},
	{Tag: uint8(tuple.Enter), Func: "p.g", Line: 20, Col: 1, Expr: "g"},
	{Tag: uint8(tuple.Store), Func: "p.f", Line: 11, Col: 2, Expr: "x.n", Type: "int"},
	{Tag: uint8(tuple.Load), Func: "p.g", Line: 21, Col: 7, Expr: "y.n", Type: "int"},
	{Tag: uint8(tuple.Edge), Func: "p.f", Line: 12, Col: 5, Expr: "if", Type: "true; false"},
	{Tag: uint8(tuple.Edge), Func: "p.g", Line: 22, Col: 6, Expr: "for", Type: "body; done"},
}

// written returns the samples of all profiles, as text.
func written(t *testing.T, taps *report.Taps) map[string][]string {
	t.Helper()
	got := map[string][]string{}
	for _, f := range taps.Write() {
		p, err := profile.ParseData(f.Data)
		if err == nil {
			err = p.CheckValid()
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range p.Sample {
			text := fmt.Sprint(s.Value)
			for _, l := range s.Location {
				text += fmt.Sprintf(" %s:%d", l.Line[0].Function.Name, l.Line[0].Line)
			}
			for _, key := range []string{"site", "kind", "expr", "value", "branch", "outcome", "words"} {
				if v := s.Label[key]; len(v) > 0 {
					text += " " + key + "=" + v[0]
				}
			}
			got[f.Kind] = append(got[f.Kind], text)
		}
		slices.Sort(got[f.Kind])
		if got[f.Kind] == nil {
			got[f.Kind] = []string{}
		}
	}
	return got
}

func TestDerivedEvents(t *testing.T) {
	site := func(i int) uint64 { return tuple.SiteBase("p") + uint64(i) }
	inF := tuple.InContext(0, site(0))
	inG := tuple.InContext(inF, site(1))
	word := func(tag tuple.Tag, i int, w uint64) report.Word {
		return report.Word{Tuple: tuple.New(tag, site(i), w), Count: 6, Messages: 2}
	}
	other := word(tuple.Dep, 3, 0)
	other.Other = true
	wide := word(tuple.Conflict, 3, 16)
	wide.Free = 4
	taps := &report.Taps{
		Packages: []*wire.Package{{Path: "p", Files: []string{"/src/p/x.go"}, Taps: derivedTaps}},
		Words: []report.Word{
			word(tuple.Dep, 3, tuple.New(tuple.Store, site(2), 0).PC), other,
			word(tuple.Dep, 3, tuple.New(tuple.Store, site(77), 0).PC), // no such store
			word(tuple.Follow, 5, tuple.FollowWord(site(4), 1, 0)),
			word(tuple.Conflict, 3, 5),
			word(tuple.Context, 0, 0), word(tuple.Context, 1, inF),
			word(tuple.Within, 3, inG), word(tuple.Within, 3, 0), word(tuple.Within, 4, inF), word(tuple.Within, 4, 12345),
			word(tuple.Edge, 4, 1),
		},
		Names: names{}, PeriodType: pprofenc.ValueType{Type: "events", Unit: "count"}, Period: 1,
	}
	want := map[string][]string{
		"values": {
			"[6 2] p.f:12 site=x.go:12:5 kind=edge expr=if value=if=false",
			"[6 2] p.g:21 site=x.go:21:7 kind=conflict expr=y.n value=y.n=set 5",
		},
		"edges": {"[6] p.f:12 kind=if branch=x.go:12:5 outcome=false"},
		"deps": {
			"[6 2] p.g:21 p.f:11 site=x.go:21:7 kind=dep expr=y.n value=y.n=x.go:11:2 x.n",
			"[6 2] p.g:21 site=x.go:21:7 kind=dep expr=y.n value=y.n=(other)",
			"[6 2] p.g:22 p.f:12 site=x.go:22:6 kind=follow expr=for value=for=body after x.go:12:5 if false",
		},
		"contexts": {
			"[6 2] p.f:10 site=x.go:10:1 kind=context expr=f value=f=(no caller)",
			"[6 2] p.f:12 site=x.go:12:5 kind=within expr=if value=if=(no caller)",
			"[6 2] p.f:12 site=x.go:12:5 kind=within expr=if value=if=p.f",
			"[6 2] p.g:20 p.f:10 site=x.go:20:1 kind=context expr=g value=g=p.f",
			"[6 2] p.g:21 p.f:10 site=x.go:21:7 kind=within expr=y.n value=y.n=p.g < p.f",
			"[6 2] p.g:21 site=x.go:21:7 kind=within expr=y.n value=y.n=(no caller)",
		},
	}
	if d := cmp.Diff(want, written(t, taps)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}

	// With ranges all samples say which words they are about.
	taps.Words = []report.Word{wide}
	want = map[string][]string{"edges": {},
		"values": {"[6 2] p.g:21 site=x.go:21:7 kind=conflict expr=y.n value=y.n=[0x10, 0x1f] words=0x10-0x1f"}}
	if d := cmp.Diff(want, written(t, taps)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}

	// A context has 64 callers at most.
	taps.Words = nil
	for i, context := 0, uint64(0); i < 70; i++ {
		taps.Words = append(taps.Words, word(tuple.Context, 0, context))
		context = tuple.InContext(context, site(0))
	}
	for _, text := range written(t, taps)["contexts"] {
		if n := strings.Count(text, "p.f:10") - 1; n > 64 || n != strings.Count(text, " < ")+1 && n > 0 {
			t.Errorf("%d callers: %s", n, text)
		}
	}

	// If paths are counted, the profile of edges is made of these.
	taps.Packages[0].Funcs = []wire.Func{{Name: "p.f", Graph: pdag.Graph{N: 1}}}
	if got := written(t, taps); got["edges"] != nil {
		t.Errorf("edges from taps and from paths: %v", got)
	}
}
