package report_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/pepgo/pep/format/pprofenc"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/runtime/report"
)

// codeNames are the names of a program with two functions. The second begins at 0x1100.
type codeNames struct{ names }

func (codeNames) Func(pc uint64) report.Frame {
	if pc < 0x1100 {
		return report.Frame{Func: "p.first", Line: 3}
	}
	return report.Frame{Func: "p.second", Line: 5}
}

// Ranges are written as values of their types, and as words.
func TestRanges(t *testing.T) {
	f64, f32 := func(f float64) uint64 { return math.Float64bits(f) },
		func(f float32) uint64 { return uint64(math.Float32bits(f)) }
	tests := []struct {
		tag        tuple.Tag
		typ        string
		bits       uint8
		kind       wire.Kind
		w          uint64
		free       uint8
		want, word string
		low, high  string // "" of what is no number, and high if it is low
	}{
		{tuple.Load, "*T", 64, wire.Address, 0x1000, 12, "[0x1000, 0x1fff]", "0x1000-0x1fff", "0x1000", "0x1fff"},
		{tuple.Load, "*T", 64, wire.Address, 0, 3, "[nil, 0x7]", "0x0-0x7", "nil", "0x7"},
		{tuple.Addr, "int8", 0, wire.Address, 0xc000, 14, "[0xc000, 0xffff]", "0xc000-0xffff", "0xc000", "0xffff"},
		{tuple.Load, "int", 64, wire.Signed, 0x100, 8, "[256, 511]", "0x100-0x1ff", "256", "511"},
		{tuple.Load, "int", 64, wire.Signed, 7, 0, "7", "0x7-0x7", "7", ""},
		{tuple.Load, "int", 64, wire.Signed, ^uint64(15), 4, "[-16, -1]", "0xfffffffffffffff0-0xffffffffffffffff", "-16",
			"-1"},
		{tuple.Load, "int", 64, wire.Signed, 0, 64, "[-9223372036854775808, 9223372036854775807]", "0x0-0xffffffffffffffff",
			"-9223372036854775808", "9223372036854775807"},
		{tuple.Load, "int8", 8, wire.Signed, 0, 64, "[-128, 127]", "0x0-0xffffffffffffffff", "-128", "127"},
		{tuple.Load, "int8", 8, wire.Signed, 0, 8, "[0, 127]", "0x0-0xff", "0", "127"},
		{tuple.Load, "int8", 8, wire.Signed, ^uint64(255), 8, "[-128, -1]", "0xffffffffffffff00-0xffffffffffffffff", "-128",
			"-1"},
		{tuple.Load, "uint8", 8, wire.Unsigned, 0, 64, "[0, 255]", "0x0-0xffffffffffffffff", "0", "255"},
		{tuple.Load, "string", 0, wire.Length, 0, 64, "[0, 9223372036854775807]", "0x0-0xffffffffffffffff", "0",
			"9223372036854775807"},
		{tuple.Load, "bool", 8, wire.Bool, 0, 64, "[false, true]", "0x0-0xffffffffffffffff", "", ""},
		{tuple.Load, "bool", 8, wire.Bool, 0, 0, "false", "0x0-0x0", "", ""},
		{tuple.Load, "rune", 32, wire.Rune, 'a' &^ 15, 4, "['`', 'o']", "0x60-0x6f", "", ""},
		{tuple.Edge, "case 1; case 2; default", 0, wire.None, 0, 1, "[case 1, case 2]", "0x0-0x1", "", ""},
		{tuple.Edge, "case 1; case 2; default", 0, wire.None, 0, 64, "[case 1, default]", "0x0-0xffffffffffffffff", "", ""},
		{tuple.Edge, "case 1; case 2; default", 0, wire.None, 2, 1, "default", "0x2-0x3", "", ""},
		{tuple.Load, "float64", 64, wire.Float, f64(1), 52, "[1, 1.9999999999999998]",
			"0x3ff0000000000000-0x3fffffffffffffff", "", ""},
		{tuple.Load, "float64", 64, wire.Float, f64(-1), 52, "[-1.9999999999999998, -1]",
			"0xbff0000000000000-0xbfffffffffffffff", "", ""},
		{tuple.Load, "float64", 64, wire.Float, f64(2), 62, "[2, +Inf] or NaN", "0x4000000000000000-0x7fffffffffffffff", "",
			""},
		{tuple.Load, "float64", 64, wire.Float, 1 << 63, 63, "[-Inf, -0] or NaN", "0x8000000000000000-0xffffffffffffffff", "",
			""},
		{tuple.Load, "float64", 64, wire.Float, 0, 64, "[-Inf, +Inf] or NaN", "0x0-0xffffffffffffffff", "", ""},
		{tuple.Load, "float64", 64, wire.Float, 0x7ff8 << 48, 4, "NaN", "0x7ff8000000000000-0x7ff800000000000f", "", ""},
		{tuple.Load, "float32", 32, wire.Float, f32(1), 23, "[1, 1.9999998807907104]", "0x3f800000-0x3fffffff", "", ""},
		{tuple.Load, "float32", 32, wire.Float, 0, 64, "[-Inf, +Inf] or NaN", "0x0-0xffffffffffffffff", "", ""},
		{tuple.Type, "io.Reader", 0, wire.None, 0x4000, 12, "[0x4000, 0x4fff]", "0x4000-0x4fff", "0x4000", "0x4fff"},
		{tuple.Call, "func()", 64, wire.None, 0x1000, 12, "[p.first, p.second]", "0x1000-0x1fff", "", ""},
		{tuple.Call, "func()", 64, wire.None, 0x1000, 4, "p.first", "0x1000-0x100f", "", ""},
		{tuple.Load, "func()", 64, wire.None, 0x1000, 12, "[p.first, p.second]", "0x1000-0x1fff", "", ""},
		{tuple.Load, "func()", 64, wire.None, 0x1000, 4, "p.first", "0x1000-0x100f", "", ""},
		{tuple.Call, "io.Reader", 0, wire.None, 0x4000, 4, "[0x4000, 0x400f]", "0x4000-0x400f", "0x4000", "0x400f"},
	}
	p := report.Taps{
		Packages: []*wire.Package{{Path: "p", Files: []string{"/src/p/x.go"}}},
		Names:    codeNames{}, PeriodType: pprofenc.ValueType{Type: "events", Unit: "count"}, Period: 2,
	}
	want := map[int]string{}
	for i, x := range tests {
		p.Packages[0].Taps = append(p.Packages[0].Taps,
			wire.Tap{Tag: uint8(x.tag), Func: "p.f", Line: i, Expr: "x.m", Type: x.typ, Bits: x.bits, Kind: x.kind})
		p.Words = append(p.Words, report.Word{Tuple: tuple.New(x.tag, tuple.SiteBase("p")+uint64(i), x.w), Free: x.free,
			Count: 1, Messages: 1})
		want[i] = x.want + " " + x.word + " " + x.low + " " + x.high
	}
	other := len(tests) // a word without a label words
	p.Packages[0].Taps = append(p.Packages[0].Taps,
		wire.Tap{Tag: uint8(tuple.Load), Func: "p.f", Line: other, Expr: "x.m", Type: "int", Bits: 64, Kind: wire.Signed})
	p.Words = append(p.Words, report.Word{Tuple: tuple.New(tuple.Load, tuple.SiteBase("p")+uint64(other), 0), Other: true,
		Count: 1, Messages: 1})
	want[other] = "(other)   "
	got := map[int]string{}
	for _, f := range p.Write() {
		p, err := profile.ParseData(f.Data)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range p.Sample {
			at := s.Location[len(s.Location)-1].Line[0]
			value := s.Location[0].Line[0].Function.Name
			switch f.Kind {
			case "values":
				value = s.Label["value"][0][len("x.m="):]
			case "types":
				value = s.Label["type"][0]
			}
			got[int(at.Line)] = value + " " + label(s, "words") + " " + label(s, "low") + " " + label(s, "high")
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}
