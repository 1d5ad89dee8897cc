package rapfigures

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/hwsim/trace"
	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/figure/figuretest"
)

// ofSamples returns an environment in which two programs have one recording of the same samples.
func ofSamples(all ...[]tuple.Tuple) *figure.Env {
	return ofPrograms(map[string][][]tuple.Tuple{"typecheck": all, "lua": all})
}

// ofPrograms returns an environment in which programs have one recording each, in blocks.
func ofPrograms(all map[string][][]tuple.Tuple) *figure.Env {
	return &figure.Env{Source: func(program, taps string) (replay.Source, error) {
		if strings.Contains(taps, "-") || all[program] == nil {
			return nil, figure.ErrNoTrace
		}
		return func(do func(trace.Block) error) error {
			for _, s := range all[program] {
				if err := do(trace.Block{Tuples: slices.Clone(s)}); err != nil {
					return err
				}
			}
			return nil
		}, nil
	}}
}

func expect(t *testing.T, what string, got, want, off float64) {
	t.Helper()
	if !(math.Abs(got-want) <= off) {
		t.Errorf("%s: %v, want %v ± %v", what, got, want, off)
	}
}

// Of 10 loads in a row 9 are of the same line, with values all over; the tenth is of a
// line that was never loaded, and half of these have the value 5.
func TestFigureOfMisses(t *testing.T) {
	var in []tuple.Tuple
	for i := range uint64(80_000) {
		value, addr := i*0x9E3779B97F4A7C15, uint64(64)
		if i%10 == 9 {
			addr = 1<<40 + 64*i
			if i%20 == 9 {
				value = 5
			}
		}
		in = append(in, tuple.New(tuple.Load, 1+i%10, value), tuple.New(tuple.More, 1+i%10, addr))
	}
	res := runFigure(t, "rap-9", ofSamples(in))
	narrow := func(kind int) float64 { return res.Plots[0].Series[kind].Points[narrowWidth].Y }
	expect(t, "DL1 misses in narrow hot ranges", narrow(1), 50, 1)
	expect(t, "of DL1 misses more than of all loads", narrow(1)-narrow(0), 50, 1) // 5 % are no hot range
	expect(t, "of DL2 misses more than of all loads", narrow(2)-narrow(0), 50, 1)
	for _, s := range res.Plots[0].Series {
		if last := s.Points[len(s.Points)-1]; last.X != 64 || last.Y < 90 || last.Y > 100 {
			t.Errorf("%s: %v %% of the events are in hot ranges, and all others together can be below 10 %%", s.Name, last.Y)
		}
	}
}

// Of three programs one has half of its misses in narrow ranges, and two have all: on average five sixths. A fourth
// program misses too rarely to count.
func TestAverageOfPrograms(t *testing.T) {
	misses := func(wide, rate uint64) (in []tuple.Tuple) {
		for i := range uint64(80_000) {
			value, addr := i*0x9E3779B97F4A7C15, uint64(64)
			if i%rate == 0 {
				addr = 1<<40 + 64*i
				if i/rate%wide == wide-1 {
					value = 5
				}
			}
			in = append(in, tuple.New(tuple.Load, 1, value), tuple.New(tuple.More, 1, addr))
		}
		return in
	}
	res := runFigure(t, "rap-9", ofPrograms(map[string][][]tuple.Tuple{"typecheck": {misses(2, 10)},
		"lua": {misses(1, 10)}, "regex": {misses(1, 10)}, "flate": {misses(1000, 13)}}))
	expect(t, "DL1 misses in narrow hot ranges", res.Plots[0].Series[1].Points[narrowWidth].Y, 250./3, 1)
	if setup := strings.Join(res.Setup, "\n"); !strings.Contains(setup, "too few misses: flate (m88ksim), 1") {
		t.Errorf("setup %q", setup)
	}
}

// 36 % of the zeros are loaded from one region of 64 KB, where every third load is of 0. The
// trace has samples that go on in the next block.
func TestFigureOfZeroLoads(t *testing.T) {
	var in []tuple.Tuple
	load := func(value, addr uint64) {
		in = append(in, tuple.New(tuple.Load, 7, value), tuple.New(tuple.More, 7, addr))
	}
	for i := range uint64(100_000) {
		h := i * 0x9E3779B97F4A7C15
		if i%25 < 9 {
			load(0, 0xc000120000+h>>48)
			load(1, 0xc000120000+h>>48)
			load(2, 0xc000120000+h>>48)
		} else {
			load(0, h>>16) // of 48 bits
		}
	}
	res := runFigure(t, "rap-10", ofSamples(in[:101_001], in[101_001:]))
	expect(t, "inclusive share", figuretest.Cell(t, res, 1, 0, "in the hottest, inclusive"), 36, 1)
	expect(t, "zeros among loads", figuretest.Cell(t, res, 1, 0, "a load there is 0 in"), 100./3, 0.5)
	found := false
	for _, row := range res.Tables[0].Rows {
		lo, _ := strconv.ParseUint(row[0].Text, 0, 64)
		hi, _ := strconv.ParseUint(row[1].Text, 0, 64)
		if lo <= 0xc000120000 && 0xc00012ffff <= hi && hi-lo < 1<<24 {
			expect(t, "counted exactly", row[4].Number, 36, 0.1)
			found = true
		}
	}
	if !found {
		t.Errorf("no hot node of 16 MB or less has the region: %v", res.Tables[0].Rows)
	}
}

// Site 5 has half of the operations with narrow operands; all those of site 9 have one wide
// operand.
func TestFigureOfNarrowOperands(t *testing.T) {
	var in []tuple.Tuple
	for i := range uint64(60_000) {
		site, x := 5*(i%2), i%65536
		if site == 0 {
			site = 10 + i%20
		}
		if i%3 == 0 {
			site, x = 9, 1<<20
		}
		in = append(in, tuple.New(tuple.Op, site, 1), tuple.New(tuple.More, site, x), tuple.New(tuple.Third, site, 1<<64-3))
	}
	res := runFigure(t, "rap-narrow", ofSamples(in))
	expect(t, "hottest file", figuretest.Cell(t, res, 0, 0, "by the tree"), 100, 1)
	expect(t, "hottest function", figuretest.Cell(t, res, 0, 1, "by the tree"), 50, 1)
	for _, row := range res.Tables[0].Rows {
		if row[3].Number >= row[4].Number {
			t.Errorf("%s: %v, want less than %v", row[1].Text, row[3].Number, row[4].Number)
		}
	}
	if setup := strings.Join(res.Setup, "\n"); !strings.Contains(setup, "typecheck (gcc), 1: 60K; lua (li), 1: 60K") {
		t.Errorf("setup %q", setup)
	}
	all := res.Tables[2].Rows
	if len(all) != 2 || all[1][0].Text != "lua (li), 1" {
		t.Fatalf("rows of all programs: %v, want one of typecheck and one of lua", all)
	}
	for _, row := range all {
		expect(t, "operations of "+row[0].Text, row[1].Number, 60_000, 0)
		expect(t, "narrow ones of "+row[0].Text, row[2].Number, 200./3, 0.1)
		expect(t, "hottest line of "+row[0].Text, row[8].Number, 50, 1)
	}
}

// A loop of 12 branches is executed again and again, with another branch now and then.
func TestFigureOfEdges(t *testing.T) {
	var in []tuple.Tuple
	for i := range uint64(120_000) {
		in = append(in, tuple.New(tuple.Edge, 100*(1+i%12), i%2), tuple.New(tuple.Call, 7, 9))
		if i%5000 == 0 {
			in = append(in, tuple.New(tuple.Edge, 50, 0))
		}
	}
	res := runFigure(t, "rap-edges", ofSamples(in))
	if len(res.Tables[0].Rows) != 4 {
		t.Errorf("%d rows, want one of each of 2 programs and 2 errors", len(res.Tables[0].Rows))
	}
	// From the outer branch to one of 12 and back, where it stands: 24 times in 120,000.
	for _, row := range res.Tables[0].Rows {
		if row[2].Number != 120_000+24-1 || row[6].Number != 10 || row[7].Number != 10 {
			t.Errorf("%v edges, %v of %v found, want one less than branches, and the most frequent 10", row[2], row[7], row[6])
		}
	}
}
