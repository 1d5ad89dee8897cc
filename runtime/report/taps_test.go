package report_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/pprofenc"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/runtime/report"
)

// names are the names of a program in which address 1 is p.(*T).
type names struct{}

func (names) Func(pc uint64) report.Frame {
	return report.Frame{Func: "p.called", File: "/src/p/y.go", Line: 7, StartLine: 7}
}

func (names) Method(addr uint64, name string) report.Frame {
	return report.Frame{Func: "p.(*T)." + name, File: "/src/p/y.go", Line: 9, StartLine: 9}
}

func (names) Type(addr uint64) string          { return fmt.Sprint("*p.T", addr) }
func (names) Float(x float64, bits int) string { return fmt.Sprint(x) }

func TestTaps(t *testing.T) {
	tap := func(tag tuple.Tag, expr, typ string, bits uint8, kind wire.Kind) wire.Tap {
		return wire.Tap{Tag: uint8(tag), Func: "p.f", Line: 12, Col: 5, Expr: expr, Type: typ, Bits: bits, Kind: kind}
	}
	taps := []wire.Tap{
		tap(tuple.Load, "n", "int", 64, wire.Signed),
		tap(tuple.Arg, "u", "uint8", 8, wire.Unsigned),
		tap(tuple.Load, "f", "float64", 64, wire.Float),
		tap(tuple.Load, "p", "*p.T", 64, wire.Address),
		tap(tuple.Load, "b", "bool", 8, wire.Bool),
		tap(tuple.Load, "len(s)", "string", 0, wire.Length),
		tap(tuple.Edge, "switch", "case 1, 2; default", 0, wire.None),
		tap(tuple.Store, "c", "p.Color", 8, wire.Unsigned),
		tap(tuple.Addr, "x.n", "int", 0, wire.Address),
		tap(tuple.Type, "r", "io.Reader", 0, wire.None),
		tap(tuple.Call, "fn", "func()", 64, wire.None),
		tap(tuple.Call, "r.Read", "io.Reader", 0, wire.None),
		tap(tuple.Load, "size", "p.Size", 64, wire.Unsigned),
		tap(tuple.Load, "temp", "p.Celsius", 32, wire.Float),
		tap(tuple.Load, "next", "p.Next", 64, wire.Address),
		tap(tuple.Load, "ok", "p.Flag", 8, wire.Bool),
		tap(tuple.Load, "r", "rune", 32, wire.Rune),
		tap(tuple.Load, "s.fn", "p.Func", 64, wire.None),
	}
	word := func(i int, w uint64) report.Word {
		return report.Word{Tuple: tuple.New(tuple.Tag(taps[i].Tag), tuple.SiteBase("p")+uint64(i), w),
			Count: int64(20 * (i + 1)), Messages: 1}
	}
	other := word(0, 0)
	other.Other = true
	lost := word(0, 0)
	lost.Tuple = tuple.New(tuple.Load, 99, 0)
	p := report.Taps{
		Packages: []*wire.Package{{Path: "p", Files: []string{"/src/p/x.go"}, Taps: taps,
			Skipped: []wire.Skipped{{Name: "p.f", Line: 10}}}},
		Words: []report.Word{
			word(0, ^uint64(6)), word(1, 200), word(2, math.Float64bits(1.5)), word(3, 0xc0de), word(3, 0), word(4, 1),
			word(5, 3), word(6, 1),
			word(7, 2), word(8, 0xff), other, word(9, 1), word(9, 0), word(10, 1), word(11, 1), lost,
			word(12, 1<<63), word(13, uint64(math.Float32bits(-.5))), word(14, 0), word(15, 0),
			word(16, 'a'), word(16, '\''), word(16, '\n'), word(16, 0), word(16, 'é'), word(16, 0x2028), word(16, 0x1f600),
			word(16, ^uint64(0)), word(16, 0xd800),
			word(17, 0x4011a0), word(17, 0),
		},
		Names: names{}, Facts: replay, PeriodType: pprofenc.ValueType{Type: "events", Unit: "count"}, Period: 1,
	}
	got := map[string][]string{}
	for _, f := range p.Write() {
		p, err := profile.ParseData(f.Data)
		if err == nil {
			err = p.CheckValid()
		}
		if err != nil {
			t.Fatal(err)
		}
		if want := "#pep.version=1 mode=replay engine=P1 unknown_taps=20"; p.Comments[0] != want {
			t.Errorf("%s: comments %q, want %s", f.Kind, p.Comments, want)
		}
		for _, s := range p.Sample {
			stack := ""
			for _, l := range s.Location {
				stack += fmt.Sprintf(" %s:%d", l.Line[0].Function.Name, l.Line[0].Line)
			}
			l := s.Label
			got[f.Kind] = append(got[f.Kind], fmt.Sprintf("%v%s %v %v %v %v %v %v%s", s.Value, stack, l["value"], l["site"],
				l["kind"], l["expr"], l["type"], l["static"], strings.Join(l["form"], ", ")))
		}
	}
	want := map[string][]string{
		"values": {
			"[20 1] p.f:12 [n=-7] [x.go:12:5] [load] [n] [int] []",
			"[40 1] p.f:12 [u=200] [x.go:12:5] [arg] [u] [uint8] []",
			"[60 1] p.f:12 [f=1.5] [x.go:12:5] [load] [f] [float64] []",
			"[80 1] p.f:12 [p=0xc0de] [x.go:12:5] [load] [p] [*p.T] []address",
			"[80 1] p.f:12 [p=nil] [x.go:12:5] [load] [p] [*p.T] []address",
			"[100 1] p.f:12 [b=true] [x.go:12:5] [load] [b] [bool] []",
			"[120 1] p.f:12 [len(s)=3] [x.go:12:5] [load] [len(s)] [string] []",
			"[140 1] p.f:12 [switch=default] [x.go:12:5] [edge] [switch] [case 1, 2; default] []",
			"[160 1] p.f:12 [c=2] [x.go:12:5] [store] [c] [p.Color] []",
			"[180 1] p.f:12 [x.n=0xff] [x.go:12:5] [addr] [x.n] [int] []address",
			"[20 1] p.f:12 [n=(other)] [x.go:12:5] [load] [n] [int] []",
			"[260 1] p.f:12 [size=9223372036854775808] [x.go:12:5] [load] [size] [p.Size] []",
			"[280 1] p.f:12 [temp=-0.5] [x.go:12:5] [load] [temp] [p.Celsius] []",
			"[300 1] p.f:12 [next=nil] [x.go:12:5] [load] [next] [p.Next] []address",
			"[320 1] p.f:12 [ok=false] [x.go:12:5] [load] [ok] [p.Flag] []",
			"[340 1] p.f:12 [r='a'] [x.go:12:5] [load] [r] [rune] []",
			`[340 1] p.f:12 [r='\''] [x.go:12:5] [load] [r] [rune] []`,
			`[340 1] p.f:12 [r='\n'] [x.go:12:5] [load] [r] [rune] []`,
			`[340 1] p.f:12 [r='\x00'] [x.go:12:5] [load] [r] [rune] []`,
			"[340 1] p.f:12 [r='é'] [x.go:12:5] [load] [r] [rune] []",
			`[340 1] p.f:12 [r='\u2028'] [x.go:12:5] [load] [r] [rune] []`,
			`[340 1] p.f:12 [r='\U0001f600'] [x.go:12:5] [load] [r] [rune] []`,
			"[340 1] p.f:12 [r=-1] [x.go:12:5] [load] [r] [rune] []",
			"[340 1] p.f:12 [r=55296] [x.go:12:5] [load] [r] [rune] []",
			"[360 1] p.f:12 [s.fn=p.called] [x.go:12:5] [load] [s.fn] [p.Func] []",
			"[360 1] p.f:12 [s.fn=nil] [x.go:12:5] [load] [s.fn] [p.Func] []",
		},
		"edges": {"[140] p.f:12 [] [] [switch] [] [] []"},
		"types": {
			"[200 1] p.f:12 [] [x.go:12:5] [type] [r] [*p.T1] [io.Reader]",
			"[200 1] p.f:12 [] [x.go:12:5] [type] [r] [nil] [io.Reader]",
		},
		"calltargets": {
			"[220 1] p.called:7 p.f:12 [] [x.go:12:5] [call] [fn] [func()] []",
			"[240 1] p.(*T).Read:9 p.f:12 [] [x.go:12:5] [call] [r.Read] [io.Reader] []",
		},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// replay is the facts of a profile.
var replay = facts.List{{Key: facts.Mode, Text: facts.ModeReplay}, {Key: facts.Engine, Text: "P1"}}

// Packages without taps have no profiles of values, types or call targets.
func TestNoTaps(t *testing.T) {
	p := report.Taps{Packages: tables(), Names: names{}}
	if files := p.Write(); len(files) > 0 || report.Tapped(p.Packages) {
		t.Errorf("%d files", len(files))
	}
}
