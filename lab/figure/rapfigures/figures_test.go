package rapfigures

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim/rap"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/hwsim/trace"
	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/figure/figuretest"
)

// of returns an environment in which all programs have recordings with the same points: typecheck two, the others one.
func of(points []uint64) *figure.Env {
	var loads []tuple.Tuple
	for _, x := range points {
		loads = append(loads, tuple.New(tuple.Load, 1, x))
	}
	return &figure.Env{Loads: uint64(len(points)), Seed: 1, Seeds: 2,
		Source: func(program, taps string) (replay.Source, error) {
			if _, number, _ := strings.Cut(taps, "-"); number == "3" || number == "2" && program != "typecheck" {
				return nil, figure.ErrNoTrace
			}
			return figuretest.Tuples(loads), nil
		}}
}

// ofOne returns an environment in which typecheck alone has a recording.
func ofOne(points []uint64) *figure.Env {
	env := of(points)
	all := env.Source
	env.Source = func(program, taps string) (replay.Source, error) {
		if program != "typecheck" || strings.Contains(taps, "-") {
			return nil, figure.ErrNoTrace
		}
		return all(program, taps)
	}
	return env
}

// loops returns n points as code gives them: loops over a few blocks of a program that has
// many, in another part of it in every tenth of the stream.
func loops(seed uint64, n int) []uint64 {
	r := rand.New(rand.NewPCG(seed, 1))
	var list []uint64
	for len(list) < n {
		part := uint64(10 * len(list) / n)
		at := 0x400000 + part<<16 + uint64(r.ExpFloat64()*400)*16
		for range 1 + r.IntN(30) {
			for b := range uint64(1 + r.IntN(8)) {
				list = append(list, at+16*b)
			}
		}
	}
	return list[:n]
}

// phases returns n points: any, and then half of them the same.
func phases(seed uint64, n int) []uint64 {
	list := uniform(seed, n)
	for i := n / 2; i < n; i += 2 {
		list[i] = 0x123456789abcdef0
	}
	return list
}

func runFigure(t *testing.T, id string, env *figure.Env) *figure.Result {
	t.Helper()
	return figuretest.Run(t, Paper(), id, env)
}

func TestForm(t *testing.T) {
	env := &figure.Env{Source: figuretest.Synthetic, Loads: 100_000, Branches: 100_000, Seeds: 2}
	for _, f := range Paper().Figures {
		t.Run(f.ID, func(t *testing.T) { figuretest.Form(t, f, env) })
	}
}

func TestNoTraces(t *testing.T) { figuretest.NoTraces(t, Paper(), "rap-cost") }

// RAP-23: the truth is exact, and errors are percent of it. Here the truth is that of a sorted
// list.
func TestErrorsAreThoseOfTheTruth(t *testing.T) {
	points := phases(1, 200_000)
	g, err := grow(rap.Options{Eps: 0.1}, points, nil)
	if err != nil {
		t.Fatal(err)
	}
	sorted := slices.Sorted(slices.Values(points))
	var most, sum float64
	for _, h := range g.hot {
		from, _ := slices.BinarySearch(sorted, h.Lo)
		to := len(sorted)
		if h.Hi < 1<<64-1 {
			to, _ = slices.BinarySearch(sorted, h.Hi+1)
		}
		if h.exact != uint64(to-from) || h.Inclusive > h.exact {
			t.Errorf("%x-%x: counted %d, exactly %d, want %d", h.Lo, h.Hi, h.Inclusive, h.exact, to-from)
		}
		e := 100 * (1 - float64(h.Inclusive)/float64(to-from))
		most, sum = max(most, e), sum+e
	}
	gotMost, gotAverage := g.errors()
	if !figuretest.Near(gotMost, most, 1e-9) || !figuretest.Near(gotAverage, sum/float64(len(g.hot)), 1e-9) {
		t.Errorf("errors %v and %v, want %v and %v", gotMost, gotAverage, most, sum/float64(len(g.hot)))
	}
	// The value of the second phase has a quarter of the events. Those of its beginning
	// are in the ranges around it: with eps 10 % some 9 to 20 % of them.
	if most < 2 || most > 40 {
		t.Errorf("greatest error %v %%, want that of the second phase", most)
	}
}

// RAP-14: with points that fit entirely errors are those of the first 52 events, which go to
// the node of all points.
func TestStreamThatFits(t *testing.T) {
	points := make([]uint64, 1<<18)
	for i := range points {
		points[i] = uint64(i % 4)
	}
	g, err := grow(rap.Options{Eps: 0.1, Universe: 4}, points, nil)
	if err != nil {
		t.Fatal(err)
	}
	if most, _ := g.errors(); len(g.hot) != 4 || most > 0.03 {
		t.Errorf("%d hot ranges, greatest error %v %%; want 4 without", len(g.hot), most)
	}
}

// RAP-12: nodes grow with b/log2(b) at worst, and with q.
func TestWorstCases(t *testing.T) {
	res := runFigure(t, "rap-2", ofOne(loops(1, 100_000)))
	for i, want := range []float64{12800, 12800, 17600, 25600} { // 64, 32, 22 and 16 levels
		if got := figuretest.Cell(t, res, 0, i, "after a merge"); got != want {
			t.Errorf("b=%d: %v nodes after a merge, want %v", 2<<i, got, want)
		}
	}
	for i, q := range []float64{2, 3, 4, 8} {
		if got := figuretest.Cell(t, res, 1, i, "before a merge"); got != 12800+4*6400*(q-1) {
			t.Errorf("q=%v: %v nodes before a merge", q, got)
		}
		for _, s := range []string{what(ofValues), what(ofCode), "random points"} {
			if got := figuretest.Cell(t, res, 1, i, s+", most"); got > figuretest.Cell(t, res, 1, i, "before a merge") ||
				got < 10 {
				t.Errorf("q=%v, %s: %v nodes", q, s, got)
			}
		}
	}
}

// RAP-10: merges in batches need more nodes, and few passes.
func TestBatches(t *testing.T) {
	res := runFigure(t, "rap-3", ofOne(loops(2, 200_000)))
	if got := figuretest.Cell(t, res, 0, 0, "growing: passes"); got != 8 { // after 2^10 to 2^17 events
		t.Errorf("%v batches", got)
	}
	if row := res.Tables[0].Rows[0]; row[3].Unit != "nodes" || row[3].Number < row[13].Number {
		t.Errorf("%s nodes with batches, %s without", row[3].Text, row[13].Text)
	}
	if passes := figuretest.Cell(t, res, 0, 0, "continuous: passes"); passes < 100 {
		t.Errorf("%v passes, want one after every split", passes)
	}
	if eps, worst := figuretest.Cell(t, res, 1, 2, "eps"), figuretest.Cell(t, res, 1, 2, "before it (q-1)"); eps != 0.1 ||
		worst != 384_000 {
		t.Errorf("eps %v: %v nodes, want the paper's label of 384000", eps, worst)
	}
	worst := res.Plots[1].Series[0].Points
	for i, p := range worst {
		if p.Y < 12800 || p.Y > 12800+4*6400 || i > 0 && p.Y < worst[i-1].Y && p.Y != 12800 {
			t.Fatalf("bound %v after %v events", p.Y, p.X)
		}
	}
}

// RAP-25: merges after powers of two, and fewer nodes behind them. The CSV file has what
// is drawn.
func TestNodesOverTime(t *testing.T) {
	res := runFigure(t, "rap-6", of(loops(3, 300_000)))
	marks := res.Plots[0].Marks
	for i, at := range marks {
		if at != 1024<<i {
			t.Errorf("merge %d after %d events", i, at)
		}
		before, after := figuretest.Cell(t, res, 0, i, "nodes before"), figuretest.Cell(t, res, 0, i, "nodes after")
		if i > 0 && after >= before {
			t.Errorf("%v nodes before and %v after the merge after %d events", before, after, at)
		}
	}
	if len(marks) != 9 {
		t.Errorf("%d merges, want those after 2^10 to 2^18 events", len(marks))
	}
	if err := res.Save(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(res.Plots[0].Data)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	first := res.Plots[0].Series[0].Points[0]
	if len(lines) != 1+len(res.Plots[0].Series[0].Points)+len(marks) || lines[0] != "curve,blocks,nodes" ||
		lines[1] != fmt.Sprintf("nodes,%.0f,%v", first.X, first.Y) || lines[len(lines)-1] != "merge,262144," {
		t.Errorf("%d lines, from %q, %q to %q", len(lines), lines[0], lines[1], lines[len(lines)-1])
	}
}

// RAP-31: ranges that cover a share hold it in truth, and no two have a point in common.
func TestRangesThatCover(t *testing.T) {
	points := loops(5, 200_000)
	g, err := grow(rap.Options{Eps: 0.01}, points, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, share := range []float64{0.5, 0.8, 0.95} {
		ranges, _ := g.Cover(share)
		held := 0
		for _, x := range points {
			for _, r := range ranges {
				if r.Lo <= x && x <= r.Hi {
					held++
				}
			}
		}
		if held < int(share*float64(len(points))) || held > len(points) {
			t.Errorf("%v: %d ranges hold %d of %d events", share, len(ranges), held, len(points))
		}
	}
	res := runFigure(t, "rap-5", of(points))
	if got := figuretest.Cell(t, res, 4, 2, "held"); got < 95 {
		t.Errorf("%v %% held, want 95", got)
	}
}

func TestBlocksAreAtAddresses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "app.blocks.layout")
	branch, entry := tuple.New(tuple.Edge, 3, 0).PC, tuple.New(tuple.Enter, 9, 0).PC
	layout := fmt.Sprintf("pep layout 1 build 27a9630f5c4e04e8\n0x401000 %#x # enter enter a/b.go:1:1 a/b.f\n0x401100 %#x # edge if a/b.go:5:9 a/b.g\n0x402000 %#x # edge if a/b.go:5:9 c.h\n", entry, branch, branch)
	if err := os.WriteFile(file, []byte(layout), 0o644); err != nil {
		t.Fatal(err)
	}
	words := func(events ...tuple.Tuple) (list []uint64, err error) {
		env := atAddresses(&figure.Env{
			Source: func(program, taps string) (replay.Source, error) { return figuretest.Tuples(events), nil },
			Layout: figure.Layouts(filepath.Dir(file)),
		})
		s, err := env.Source("app", "blocks")
		if err != nil {
			t.Fatal(err)
		}
		return list, s(func(b trace.Block) error {
			for _, x := range b.Tuples {
				list = append(list, x.W)
			}
			return nil
		})
	}
	got, err := words(tuple.New(tuple.Enter, 9, 0), tuple.New(tuple.Edge, 3, 0), tuple.New(tuple.Edge, 3, 1),
		tuple.New(tuple.Edge, 3, 70))
	if err != nil {
		t.Fatal(err)
	}
	if want := []uint64{0x401000, 0x401100, 0x401101, 0x401109}; !slices.Equal(got, want) {
		t.Errorf("addresses %x, want %x", got, want)
	}
	_, err = words(tuple.New(tuple.Edge, 4, 0))
	if err == nil || !strings.Contains(err.Error(), "no address of site 0x4") {
		t.Errorf("a site that the layout lacks: %v", err)
	}

	functions, err := functionsIn(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		lo, hi uint64
		want   string
	}{
		{0x401000, 0x4010ff, "a/b.f"},
		{0x401000, 0x4011ff, "2 functions of a/b"},
		{0, 1 << 63, "3 functions of 2 packages, a/b.f to c.h"},
		{0x403000, 1 << 63, ""},
	} {
		if got := functions.in(x.lo, x.hi); got != x.want {
			t.Errorf("%x-%x: %q, want %q", x.lo, x.hi, got, x.want)
		}
	}
	if _, err := functionsIn(file + "-2"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no layout: %v", err)
	}
}
