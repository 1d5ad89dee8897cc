package rapfigures

// This file has figure 5 and the code of section 4.1: hot ranges, and the ranges that cover a share of a stream.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pepgo/pep/hwsim/rap"
	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/plot"
)

// hotTrees are the trees whose hot ranges are shown. As in the paper's figure 1, merges
// of the first two trees can remove a range that lies between others. Such a range is
// then not among the hot ranges, however many events it has. The last tree loses only
// leaves.
var hotTrees = []struct {
	name string
	o    rap.Options
}{
	{"eps 10 %", rap.Options{Eps: coarse}},
	{"eps 1 %", rap.Options{Eps: fine}},
	{"eps 1 %, merges of leaves alone", rap.Options{Eps: fine, Policy: rap.Leaf}},
}

// hotRanges builds hotTrees from all recordings of a program. It adds tables with the hot ranges of the
// first recording, and a plot with those of the last two trees. For code, the tables also have the names of
// functions.
func hotRanges(env *figure.Env, res *figure.Result, p figure.Program, taps, of, things string) error {
	var options []rap.Options
	for _, x := range hotTrees {
		options = append(options, x.o)
	}
	list, err := forests(env, res, []figure.Program{p}, taps, options, nil)
	if err != nil {
		return err
	}
	first := list[0]
	var functions codeMap
	if taps == ofCode && env.Layout != nil {
		if functions, err = functionsIn(env.Layout(p.Name, first.Taps(taps))); err != nil {
			return err
		}
	}
	res.Describe("the tables of ranges have recording %s", first.Recording)
	numbers := figure.Table{Title: "hot ranges of " + of, Columns: []string{"recording"}}
	for _, x := range hotTrees {
		numbers.Columns = append(numbers.Columns, x.name)
	}
	for i, x := range hotTrees {
		g := first.trees[i]
		t := hotTree(g, of+", "+x.name)
		if functions != nil {
			t.Columns = append(t.Columns, "functions")
			for i, h := range inOrder(g) {
				t.Rows[i] = append(t.Rows[i], figure.Text(functions.in(h.Lo, h.Hi)))
			}
		}
		res.Tables = append(res.Tables, t)
		if i > 0 {
			name := res.ID
			if i > 1 {
				name += "-leaves"
			}
			res.AddBars(name, hotBars("Hot ranges of "+of+", "+x.name, g))
		}
	}
	for _, f := range list {
		row := []figure.Value{figure.Text(f.String())}
		for _, g := range f.trees {
			row = append(row, figure.Count(len(g.hot), things))
		}
		numbers.Rows = append(numbers.Rows, row)
	}
	res.Tables = append(res.Tables, numbers)
	return cover(res, first.trees[1], of)
}

// hotValues is figure 5 of Mysore and others: hot ranges of the values that a compressor loads (RAP-13, RAP-31). flate
// is the compressor among our programs; the paper's is gzip.
func hotValues(env *figure.Env, res *figure.Result) error {
	p := figure.Named("flate")
	res.Describe("program: %s, for gzip", p.Name)
	if err := hotRanges(env, res, p, ofValues, "values that "+p.Name+" loads", "ranges"); err != nil {
		return err
	}
	return frequent(env, res)
}

// frequent adds the frequencies of the most frequent values, for all programs, because
// section 4.1 makes its statement about programs in general.
func frequent(env *figure.Env, res *figure.Result) error {
	t := figure.Table{Title: "how much of the loads the most frequent values are",
		Columns: []string{"recording", "one", "50", "different values"}}
	err := eachPoints(env, res, figure.Programs, ofValues, func(o figure.Origin, points []uint64) error {
		top, different := topPoints(points, 50)
		fifty := 0.0
		for _, share := range top {
			fifty += share
		}
		t.Rows = append(t.Rows, []figure.Value{figure.Text(o.String()), figure.Percent(top[0]), figure.Percent(fifty),
			figure.Count(different, "values")})
		return nil
	})
	if err != nil {
		return err
	}
	res.Tables = append(res.Tables, t)
	return nil
}

// hotCode finds hot regions of code (section 4.1).
func hotCode(env *figure.Env, res *figure.Result) error {
	p := figure.InRole("gcc")
	return hotRanges(env, res, p, ofCode, "code of "+p.String(), "regions")
}

// span64 writes a range as in the paper: [0,ff].
func span64(lo, hi uint64) string {
	if lo == hi {
		return fmt.Sprintf("[%x]", lo)
	}
	return fmt.Sprintf("[%x,%x]", lo, hi)
}

// inOrder returns the hot ranges of a tree, each before the ranges inside it.
func inOrder(g *grown) []hotRange {
	return slices.SortedFunc(slices.Values(g.hot), func(a, b hotRange) int {
		return cmp.Or(cmp.Compare(a.Lo, b.Lo), cmp.Compare(b.Hi, a.Hi))
	})
}

// hotTree returns the hot ranges of a tree, each indented below the range around it.
func hotTree(g *grown, of string) figure.Table {
	t := figure.Table{Title: "hot ranges of " + of,
		Columns: []string{"range", "without hot ranges inside", "with", "exactly", "too low by"}}
	n := float64(g.Events())
	var around []hotRange
	for _, h := range inOrder(g) {
		for len(around) > 0 && around[len(around)-1].Hi < h.Lo {
			around = around[:len(around)-1]
		}
		indent := ""
		for range around {
			indent += "· "
		}
		around = append(around, h)
		t.Rows = append(t.Rows, []figure.Value{figure.Text(indent + span64(h.Lo, h.Hi)),
			figure.Percent(100 * float64(h.Weight) / n), figure.Percent(100 * float64(h.Inclusive) / n),
			figure.Percent(100 * float64(h.exact) / n), figure.Percent(h.error())})
	}
	return t
}

func hotBars(title string, g *grown) plot.Bars {
	bars := plot.Bars{Title: title, Y: "% of the stream", Limit: 100 * hot,
		Series: []plot.Series{{Name: "without hot ranges inside"}, {Name: "with them"}, {Name: "exactly, with them"}}}
	n := float64(g.Events())
	for _, h := range inOrder(g) {
		bars.Groups = append(bars.Groups, span64(h.Lo, h.Hi))
		for i, c := range []uint64{h.Weight, h.Inclusive, h.exact} {
			bars.Series[i].Values = append(bars.Series[i].Values, 100*float64(c)/n)
		}
	}
	return bars
}

// cover adds the ranges that hold 50, 80 and 95 % of a stream (section 4.1).
func cover(res *figure.Result, g *grown, of string) error {
	t := figure.Table{Title: "the narrowest ranges that hold a share of the " + of,
		Columns: []string{"share", "held", "ranges", "widest, bits", "most frequent of them"}}
	for _, share := range []float64{0.5, 0.8, 0.95} {
		ranges, events := g.Cover(share)
		held := float64(events) / float64(g.Events())
		if held < share {
			return fmt.Errorf("%d ranges hold %v of the stream, want %v: package rap is wrong", len(ranges), held, share)
		}
		widest := 0
		for _, r := range ranges {
			widest = max(widest, r.Width())
		}
		slices.SortStableFunc(ranges, func(a, b rap.Range) int { return cmp.Compare(b.Inclusive, a.Inclusive) })
		few := ""
		for _, r := range ranges[:min(4, len(ranges))] {
			few += fmt.Sprintf("%s %.1f %%  ", span64(r.Lo, r.Hi), 100*float64(r.Inclusive)/float64(g.Events()))
		}
		t.Rows = append(t.Rows, []figure.Value{figure.Percent(100 * share), figure.Percent(100 * held),
			figure.Count(len(ranges), "ranges"), figure.Count(widest, "bits"), figure.Text(strings.TrimSpace(few))})
	}
	res.Tables = append(res.Tables, t)
	return nil
}

// topPoints returns the shares in percent of the k most frequent points, and the number
// of different points.
func topPoints(points []uint64, k int) (shares []float64, different int) {
	counts := map[uint64]int{}
	for _, x := range points {
		counts[x]++
	}
	for _, n := range counts {
		shares = append(shares, 100*float64(n)/float64(len(points)))
	}
	slices.SortFunc(shares, func(a, b float64) int { return cmp.Compare(b, a) })
	return shares[:min(k, len(shares))], len(shares)
}
