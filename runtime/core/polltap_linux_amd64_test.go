package core

import (
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/pepgo/pep/runtime/tuple"
	"github.com/pepgo/pep/runtime/wire"
)

// pollTapTables are the site tables of testdata/polltaps.go, by hand, behind
// those of another package with the same file.
func pollTapTables() []*wire.Package {
	load := func(line int, expr, typ string, bits uint8, kind wire.Kind) wire.Tap {
		return wire.Tap{Tag: uint8(tuple.Load), Func: "main.loads", Line: line, Col: 3, Expr: expr, Type: typ, Bits: bits, Kind: kind}
	}
	other := load(1, "no", "int", 64, wire.Signed)
	other.Func = "main_test.no"
	files := []string{"/src/polltaps.go"}
	return []*wire.Package{
		{Path: "main_test", Files: files, Taps: []wire.Tap{other, other, other, other}},
		{Path: "main", Files: files, Taps: []wire.Tap{load(1, "no", "int", 64, wire.Signed), load(1, "no", "int", 64, wire.Signed), load(22, "a[i]", "int64", 64, wire.Signed), load(24, "b[i & 1]", "uint8", 8, wire.Unsigned)}},
	}
}

// TestPolledTaps runs a program whose taps see values that are known by its
// source, zeros among them, which make the comparison of a silent tap true. The
// program checks that it computes what it should.
func TestPolledTaps(t *testing.T) {
	t.Parallel()
	exe := newLinker(t, ",peppolltaps", target{}).program("polltaps.go", pollTapTables())
	for end, state := range map[string]string{"return": "exit status 0", "panic": "exit status 2"} {
		t.Run(end, func(t *testing.T) {
			r := execute(t, exe, []string{"PEPOPTS=tick=4ms"}, end)
			if r.state != state || r.files(t) != "values.pb.gz" {
				t.Fatalf("%s, files %s, %s", r.state, r.files(t), &r.stderr)
			}
			testPolledValues(t, r.profile(t, "values"))
		})
	}
}

func testPolledValues(t *testing.T, p *profile.Profile) {
	if len(p.Comments) != 1 || !strings.Contains(p.Comments[0], "sampled PEP(64,17), polled") || strings.Contains(p.Comments[0], "unknown") {
		t.Errorf("comments %q", p.Comments)
	}
	seen := map[string]int64{}
	var all int64
	for _, s := range p.Sample {
		if f := s.Location[0].Line[0].Function.Name; f != "main.loads" {
			t.Errorf("sample in %s", f)
		}
		seen[s.Label["value"][0]] += s.Value[0]
		all += s.Value[0]
	}
	if all < 1000 {
		t.Fatalf("%d samples only: %s", all, p.Comments)
	}
	for value, want := range map[string]float64{
		"a[i]=0": .125, "a[i]=7": .125, "a[i]=14": .125, "a[i]=21": .125, "b[i & 1]=0": .25, "b[i & 1]=200": .25,
	} {
		if share := float64(seen[value]) / float64(all); share < want*.8 || share > want*1.25 {
			t.Errorf("%s has share %.3f, want about %.3f", value, share, want)
		}
		delete(seen, value)
	}
	if len(seen) > 0 {
		t.Errorf("there are also %v", seen)
	}
}

func TestPolledTapsRefuseAStream(t *testing.T) {
	t.Parallel()
	exe := newLinker(t, ",peppolltaps", target{}).program("polltaps.go", pollTapTables())
	r := execute(t, exe, []string{"PEPOPTS=engine=P4"}, "return")
	if r.state != "exit status 0" || !strings.Contains(r.stderr.String(), "-peptapmode=burst") {
		t.Errorf("%s, %s", r.state, &r.stderr)
	}
}
