package report

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
)

// noteNames names functions and types by their addresses. Functions from 100 on have the names of those below.
type noteNames struct{ Names }

func (noteNames) Callee(addr uint64) Frame {
	addr %= 100
	return Frame{Func: fmt.Sprintf("m.f%d", addr), File: "/m/f.go", Line: int(addr), StartLine: int(addr)}
}

func (noteNames) Dynamic(addr uint64, itab bool) string {
	if itab {
		addr -= 1000
	}
	return fmt.Sprintf("m.T%d", addr)
}

func (noteNames) Func(pc uint64) Frame { return Frame{Func: fmt.Sprintf("m.f%d", pc)} }

func (noteNames) Float(x float64, bits int) string { return fmt.Sprintf("%v/%d", x, bits) }

// atCall returns a call at an instruction.
func atCall(pc uint32) (NoteSite, bool) {
	return NoteSite{Tag: tuple.Call, Func: Frame{Func: "m.next", File: "/m/m.go", Line: int(pc)}, Col: 5,
		Expr: fmt.Sprintf("x%d.f", pc), Type: "func()"}, pc < 1000
}

// A call that the compiler has made has an expression, which readers need, and none of the source.
func TestCallsWithoutText(t *testing.T) {
	at := func(pc uint32) (NoteSite, bool) {
		s, ok := atCall(pc)
		s.Expr = ""
		return s, ok
	}
	n := &Notes{Site: at, Names: noteNames{},
		Windows: []NoteWindow{{Weight: 1, Notes: []Noted{{Site: 16, Count: 4, Value: 1}}}}}
	for _, s := range samplesOf(t, n).Sample {
		if got := s.Label["expr"]; !slices.Equal(got, []string{"(not in the source)"}) {
			t.Errorf("the label expr is %q", got)
		}
	}
}

// samplesOf returns the profile of call targets.
func samplesOf(t *testing.T, n *Notes) *profile.Profile {
	t.Helper()
	files := n.Write(&Profile{Facts: facts.List{{Key: facts.Mode, Text: facts.ModeSampled}, {Key: facts.Samples, N: 99}}})
	if len(files) != 1 || files[0].Kind != string(schema.CallTargets) {
		t.Fatalf("%d files", len(files))
	}
	p, err := profile.Parse(bytes.NewReader(files[0].Data))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The first window stands for three times as many as the second one. So of the 10 calls, each of its 6 stands for
// 3·10/22, and each of the 4 of the other for 10/22. Code of one name counts as
// one.
func TestCallTargets(t *testing.T) {
	n := &Notes{Site: atCall, Names: noteNames{}, Windows: []NoteWindow{
		{Weight: 3, Notes: []Noted{{Site: 0x10, Count: 4, Value: 1}, {Site: 0x10, Count: 1, Value: 101},
			{Site: 0x20, Count: 1, Value: 1}}},
		{Weight: 1, Notes: []Noted{{Site: 0x10, Count: 1, Value: 101}, {Site: 0x10, Count: 3, Value: 2},
			{Site: 1000, Count: 9}}, Unnoted: 7},
		{Weight: 1},
	}}
	p := samplesOf(t, n)
	var got []string
	for _, s := range p.Sample {
		leaf, at := s.Location[0].Line[0], s.Location[1].Line[0]
		got = append(got, fmt.Sprintln(len(s.Location), at.Function.Name, at.Function.Filename, at.Line, s.Label["site"],
			s.Label["kind"], s.Label["expr"], s.Label["type"],
			leaf.Function.Name, leaf.Function.Filename, leaf.Line, s.Value))
		if s.NumLabel[schema.ShareError][0]+s.NumLabel[schema.ShareBelow][0] == 0 || s.NumLabel[schema.CountError][0] == 0 {
			t.Errorf("%v has bounds %v", s.Label, s.NumLabel)
		}
	}
	want := []string{
		"2 m.next /m/m.go 16 [m.go:16:5] [call] [x16.f] [func()] m.f1 /m/f.go 1 [7273 6]\n",
		"2 m.next /m/m.go 16 [m.go:16:5] [call] [x16.f] [func()] m.f2 /m/f.go 2 [1364 3]\n",
		"2 m.next /m/m.go 32 [m.go:32:5] [call] [x32.f] [func()] m.f1 /m/f.go 1 [1364 1]\n",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
	if types := fmt.Sprint(p.SampleType[0].Type, " ", p.SampleType[1].Type, " ",
		p.DefaultSampleType); types != "calls messages calls" {
		t.Errorf("sample types %s", types)
	}
	if want := "#pep.version=1 mode=sampled samples=10 values_without_space=7 unknown_taps=9"; p.Comments[0] != want {
		t.Errorf("comment %q", p.Comments[0])
	}
	if files := (&Notes{Windows: []NoteWindow{{Weight: 1}}}).Write(&Profile{}); files != nil {
		t.Errorf("without notes there are %d files", len(files))
	}
}

// Types and values are as taps have them, those of itabs as those of types, and the same site in two places of the
// program is one.
func TestTypesAndValues(t *testing.T) {
	f := Frame{Func: "m.f", File: "/m/m.go", Line: 7}
	sites := []NoteSite{
		{Tag: tuple.Type, Func: f, Col: 1, Expr: "x", Type: "any"},
		{Tag: tuple.Type, Func: f, Col: 2, Expr: "y", Type: "error", Itab: true},
		{Tag: tuple.Type, Func: f, Col: 1, Expr: "x", Type: "any"}, // once more
		{Tag: tuple.Load, Func: f, Col: 3, Expr: "p.b", Type: "int8", Form: wire.Signed, Width: 1},
		{Tag: tuple.Load, Func: f, Col: 3, Expr: "p.u", Type: "uint8", Form: wire.Unsigned, Width: 1},
		{Tag: tuple.Arg, Func: f, Col: 4, Expr: "ok", Type: "bool", Form: wire.Bool, Width: 1},
		{Tag: tuple.Result, Func: f, Col: 5, Expr: "r", Type: "float32", Form: wire.Float, Width: 4},
		{Tag: tuple.Result, Func: f, Col: 5, Expr: "p", Type: "*m.T", Form: wire.Address},
	}
	n := &Notes{Names: noteNames{}, Site: func(i uint32) (NoteSite, bool) { return sites[i], true },
		Windows: []NoteWindow{{Weight: 2, Notes: []Noted{
			{0, 1, 5}, {0, 2, 0}, {1, 3, 1005}, {1, 1, 0}, {2, 4, 5}, {3, 5, 0xff}, {4, 6, 0xff}, {5, 1, 1}, {6, 1, 0x3fc00000},
			{7, 1, 0x1234}, {7, 1, 0}}}}}
	got := map[string][]string{}
	for _, file := range n.Write(&Profile{}) {
		p, err := profile.Parse(bytes.NewReader(file.Data))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range p.Sample {
			got[file.Kind] = append(got[file.Kind],
				fmt.Sprint(s.Label["site"], s.Label["kind"], s.Label["expr"], s.Label["type"], s.Label["static"], s.Label["value"],
					s.Label["form"], s.Value, len(s.Location)))
		}
	}
	want := map[string][]string{
		"types": {"[m.go:7:1] [type] [x] [m.T5] [any] [] [] [5000 5] 1", "[m.go:7:1] [type] [x] [nil] [any] [] [] [2000 2] 1",
			"[m.go:7:2] [type] [y] [m.T5] [error] [] [] [3000 3] 1", "[m.go:7:2] [type] [y] [nil] [error] [] [] [1000 1] 1"},
		"values": {"[m.go:7:3] [load] [p.b] [int8] [] [p.b=-1] [] [5000 5] 1",
			"[m.go:7:3] [load] [p.u] [uint8] [] [p.u=255] [] [6000 6] 1",
			"[m.go:7:4] [arg] [ok] [bool] [] [ok=true] [] [1000 1] 1",
			"[m.go:7:5] [result] [r] [float32] [] [r=1.5/32] [] [1000 1] 1",
			"[m.go:7:5] [result] [p] [*m.T] [] [p=0x1234] [address] [1000 1] 1",
			"[m.go:7:5] [result] [p] [*m.T] [] [p=nil] [address] [1000 1] 1"},
	}
	for kind, list := range want {
		if !slices.Equal(got[kind], list) {
			t.Errorf("%s: got\n%q, want\n%q", kind, got[kind], list)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d profiles", len(got))
	}
}

// called are windows with calls of two places. A window has 1 to 30 calls of a place, each to the same function as the
// one before with a probability of 0.5; in one window of four it has none. Shares are what the functions have in truth.
func called(rng *rand.Rand, windows int) (n *Notes, shares map[string]float64) {
	targets := [2][]float64{{.6, .25, .1, .05}, {.97, .03}}
	n = &Notes{Site: atCall, Names: noteNames{}}
	shares = map[string]float64{}
	for pc, list := range targets {
		for f, p := range list {
			shares[fmt.Sprint(pc, " m.f", f)] = p
		}
	}
	var last [2]uint64
	draw := func(list []float64) (f uint64) {
		u := rng.Float64()
		for ; int(f) < len(list)-1 && u > list[f]; f++ {
			u -= list[f]
		}
		return f
	}
	for range windows {
		w := NoteWindow{Weight: math.Exp(rng.NormFloat64() / 2)}
		for pc, list := range targets {
			calls := map[uint64]uint32{}
			if rng.IntN(4) > 0 {
				for i := range 1 + rng.IntN(30) {
					if i == 0 || rng.Float64() > .5 {
						last[pc] = draw(list)
					}
					calls[last[pc]]++
				}
			}
			for f := range uint64(len(list)) {
				if calls[f] > 0 {
					w.Notes = append(w.Notes, Noted{Site: uint32(pc), Count: calls[f], Value: 200 + f})
				}
			}
		}
		n.Windows = append(n.Windows, w)
	}
	return n, shares
}

// Bounds of shares have the truth in 95 % of runs. The numbers are drawn with a fixed seed. With another seed, and if
// the bounds have it in 94.4 % of all runs, fewer than 91.5 % of 2000 runs would have it in less than one of 10^7
// cases. A truth that is 1.6 times as far from 0, or from 1 if that is nearer, is out of the bounds of functions that
// many calls go to. The mean of a share over all runs is the truth.
func TestBoundsOfCallTargetsHold(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	all, truths := map[string]*within{}, map[string]float64{}
	for range 2000 {
		n, shares := called(rng, 60)
		p := samplesOf(t, n)
		calls, sum, noted := map[int64]float64{}, 0., 0.
		for _, s := range p.Sample {
			calls[s.Location[1].Line[0].Line] += float64(s.Value[0])
			sum += float64(s.Value[0])
			noted += float64(s.Value[1])
		}
		if math.Abs(sum-1000*noted) > float64(len(p.Sample)) {
			t.Fatalf("%.0f calls were noted, and counts are %.0f in all", noted, sum)
		}
		for _, s := range p.Sample {
			pc := s.Location[1].Line[0].Line
			name := fmt.Sprint(pc, " ", s.Location[0].Line[0].Function.Name)
			truth, ok := shares[name]
			if !ok {
				t.Fatalf("no call goes to %s", name)
			}
			truths[name] = truth
			if all[name] == nil {
				all[name] = &within{}
			}
			all[name].count(truth, planted(truth), float64(s.Value[0])/calls[pc], float64(s.NumLabel[schema.ShareBelow][0])/1e6,
				float64(s.NumLabel[schema.ShareError][0])/1e6)
		}
	}
	for name, w := range all {
		t.Logf("%s: %.1f %% of %.0f bounds have the truth, %.1f %% another one", name, 100*w.truth/w.of, w.of,
			100*w.planted/w.of)
		if w.of < 1900 || w.truth < .915*w.of {
			t.Errorf("%s: %.1f %% of %.0f bounds have the truth", name, 100*w.truth/w.of, w.of)
		}
		if w.biased(truths[name]) {
			t.Errorf("%s: the estimates are off by %.4f in the mean, of %.4f", name, w.off/w.of, truths[name])
		}
	}
	if len(all) != 6 {
		t.Errorf("%d functions, want 6", len(all))
	}
	for _, name := range []string{"0 m.f0", "0 m.f1"} {
		if w := all[name]; w.planted > .5*w.of {
			t.Errorf("%s: %.1f %% of the bounds have a planted truth", name, 100*w.planted/w.of)
		}
	}
}
