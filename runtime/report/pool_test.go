package report_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/pepgo/pep/format/pprofenc"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/runtime/report"
)

// pooled are two packages, the second of which has the lower sites.
func pooled() []*wire.Package {
	load := func(f string, file, line, col int) wire.Tap {
		return wire.Tap{Tag: uint8(tuple.Load), Func: f, File: file, Line: line, Col: col, Expr: "x", Type: "int32", Bits: 32,
			Kind: wire.Signed}
	}
	list := []*wire.Package{
		{Path: "q", Files: []string{"/src/q/q.go"}, Taps: []wire.Tap{load("q.G", 0, 7, 2)}},
		{Path: "p", Files: []string{"/src/p/a.go", "/src/p/b.go"}, Funcs: []wire.Func{{Name: "p.F", Line: 3}},
			Taps: []wire.Tap{
				load("p.F", 0, 5, 2), load("p.F", 0, 4, 9), load("p.H", 0, 20, 2), load("p.F", 0, 6, 3), load("p.K", 1, 30, 2),
				{Tag: uint8(tuple.Arg), Func: "p.F", Line: 3, Expr: "b", Type: "bool", Bits: 8, Kind: wire.Bool},
				{Tag: uint8(tuple.Arg), Func: "p.F", Line: 3, Expr: "u", Type: "uint8", Bits: 8, Kind: wire.Unsigned},
			}},
	}
	if tuple.SiteBase("p") < tuple.SiteBase("q") {
		panic("the packages are in the order of their sites")
	}
	return list
}

// Samples of pools say what their words are, by the type that all taps have in common, or where
// the code is.
func TestPools(t *testing.T) {
	base := tuple.SiteBase("p")
	site := func(from, to uint64) (w uint64, free uint8) { // the narrowest range
		for from>>free != to>>free {
			free++
		}
		return from >> free << free, free
	}
	p := report.Taps{
		Packages: pooled(), Names: codeNames{}, PeriodType: pprofenc.ValueType{Type: "events", Unit: "count"},
		Period: 2,
		Code: []report.Place{{Addr: 0x1000, PC: tuple.New(tuple.Load, base+2, 0).PC},
			{Addr: 0x1010, PC: tuple.New(tuple.Load, base, 0).PC}, {Addr: 0x1020, PC: tuple.New(tuple.Load, base+2, 0).PC}},
	}
	var want []string
	add := func(tag tuple.Tag, pool, w uint64, free uint8, text string) {
		p.Words = append(p.Words, report.Word{Tuple: tuple.New(tag, pool, w), Free: free, Count: 3, Messages: 1})
		want = append(want, text)
	}
	add(tuple.Load, tuple.PoolWords, 0, 8, "(all load taps) words load word=[0, 255] int32 0x0-0xff 0 255")
	add(tuple.Load, tuple.PoolWords, 0, 64,
		"(all load taps) words load word=[-2147483648, 2147483647] int32 0x0-0xffffffffffffffff -2147483648 2147483647")
	add(tuple.Arg, tuple.PoolWords, 0, 1, "(all arg taps) words arg word=[0, 1]  0x0-0x1 0 1") // bool and uint8
	add(tuple.Arg, tuple.PoolWords, ^uint64(3), 2,
		"(all arg taps) words arg word=[-4, -1]  0xfffffffffffffffc-0xffffffffffffffff -4 -1")
	add(tuple.Arg, tuple.PoolWords, 0, 64, "(all arg taps) words arg word=[0x0, 0xffffffffffffffff]  0x0-0xffffffffffffffff 0x0 0xffffffffffffffff")
	add(tuple.Arg, tuple.PoolWords, 1<<40, 0,
		"(all arg taps) words arg word=0x10000000000  0x10000000000-0x10000000000 0x10000000000 ")
	for _, x := range []struct {
		from, to   uint64
		text, code string
	}{
		{base, base, "p.F sites load tap=a.go:5:2", "lines 5 to 5"},
		{base, base + 1, "p.F sites load tap=a.go:4-5", "lines 4 to 5"},
		{base, base + 3, "p.F sites load tap=a.go:4-6", "lines 4 to 6"}, // p.H is inlined amid
		{base + 2, base + 3, "[p.H, p.F] sites load tap=a.go:6-20", "p.H p.F lines 6 to 20"},
		{base, base + 4, "[p.F, p.K] sites load tap=a.go:5 to b.go:30", "p.F p.K b.go lines 5 to 30"},
		{tuple.SiteBase("q"), base, "[q.G, p.K] sites load tap=q.go:7 to b.go:30", "q.G p.K b.go lines 7 to 30"},
	} {
		w, free := site(x.from, x.to)
		last := w | (1<<free - 1)
		add(tuple.Load, tuple.PoolSites, w, free, x.text+"  "+hex(w)+"-"+hex(last)+"   "+x.code)
	}
	add(tuple.Load, tuple.PoolCode, 0x1000, 6, "p.H code load address=a.go:20  0x1000-0x103f   lines 20 to 20")
	add(tuple.Load, tuple.PoolCode, 0x1010, 3, "p.F code load address=a.go:5:2  0x1010-0x1017   lines 5 to 5")
	add(tuple.Load, tuple.PoolCode, 0x1000, 5,
		"[p.H, p.F] code load address=a.go:5-20  0x1000-0x101f   p.H p.F lines 5 to 20")
	p.Words = append(p.Words,
		// no tap is there
		report.Word{Tuple: tuple.New(tuple.Load, tuple.PoolCode, 0x9000), Free: 3, Count: 100, Messages: 1},
		report.Word{Tuple: tuple.New(tuple.Load, tuple.PoolWords, 0), Other: true, Count: 3, Messages: 1})
	want = append(want, "(all load taps) words load word=(other)    ")

	files := p.Write()
	if len(files) != 1 || files[0].Kind != "values" {
		t.Fatalf("%d files", len(files))
	}
	got, err := profile.ParseData(files[0].Data)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, s := range got.Sample {
		if s.Value[0] != 3 || s.Value[1] != 1 {
			t.Errorf("%v has values %d, want 3 events for one that was seen, and the message", s.Label, s.Value)
		}
		code := ""
		if lines := s.NumLabel["low_line"]; lines != nil {
			for _, key := range []string{"low_function", "high_function", "high_file"} {
				if x := label(s, key); x != "" {
					code += " " + x
				}
			}
			code += fmt.Sprintf(" lines %d to %d", lines[0], s.NumLabel["high_line"][0])
		}
		texts = append(texts, s.Location[0].Line[0].Function.Name+" "+label(s, "pool")+" "+label(s, "kind")+" "+label(s,
			"value")+" "+label(s, "type")+" "+label(s, "words")+" "+label(s, "low")+" "+label(s, "high")+code)
	}
	if d := cmp.Diff(want, texts); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if c := got.Comments[0]; c != "#pep.version=1 unknown_taps=100" {
		t.Errorf("comment %q", c)
	}
}

// label returns the value of a label, "" if there is none.
func label(s *profile.Sample, key string) string {
	if list := s.Label[key]; len(list) > 0 {
		return list[0]
	}
	return ""
}

func hex(x uint64) string {
	const digits = "0123456789abcdef"
	s := ""
	for ; x > 0 || s == ""; x >>= 4 {
		s = digits[x&15:x&15+1] + s
	}
	return "0x" + s
}
