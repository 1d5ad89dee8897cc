package figure

// This file has figure 5 of range adaptive profiling and the code of section 4.1: hot
// ranges, and the ranges that cover a share of a stream.

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pepgo/pep/hwsim/plot"
	"github.com/pepgo/pep/hwsim/rap"
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

// hotRanges adds tables with the hot ranges of all hotTrees, and a plot with those of
// the last two. It returns the trees. For code, the tables also have the names of
// functions.
func hotRanges(res *Result, points []uint64, of string, functions Functions) (trees []*grown, err error) {
	for i, x := range hotTrees {
		g, err := grow(x.o, points, nil)
		if err != nil {
			return nil, err
		}
		t := hotTree(g, of+", "+x.name)
		if functions != nil {
			t.Columns = append(t.Columns, "functions")
			for i, h := range inOrder(g) {
				t.Rows[i] = append(t.Rows[i], text(functions.In(h.Lo, h.Hi)))
			}
		}
		res.Tables = append(res.Tables, t)
		if i > 0 {
			name := res.ID
			if i > 1 {
				name += "-leaves"
			}
			res.bars(name, hotBars("Hot ranges of "+of+", "+x.name, g))
		}
		trees = append(trees, g)
	}
	return trees, cover(res, trees[1], of)
}

// rap5 is RAP-13 and RAP-31 for the values that a compressor loads. flate is the
// compressor among our programs; the paper's is gzip.
func rap5(env *Env, res *Result) error {
	p := named("flate")
	points, err := env.points(p, ofValues)
	if err != nil {
		return err
	}
	env.tree(res, ofValues)
	res.setup("program: %s, for gzip; %s values; eps 1 %% if nothing else is said", p.Name, short(uint64(len(points))))
	trees, err := hotRanges(res, points, "values that "+p.Name+" loads", nil)
	if err != nil {
		return err
	}
	number := func(g *grown) Value { return count(len(g.hot), "ranges") }
	res.row("ranges with 10 % of the loads and more", one(number(trees[1])), "7 (gzip)", near(number(trees[1]).Number, 7, 0.3))
	res.row("with merges of leaves alone", one(number(trees[2])), "7 (gzip)", near(number(trees[2]).Number, 7, 0.3))
	if small, wide, ok := nested(trees[1]); ok {
		n := float64(len(points))
		res.row(fmt.Sprintf("%s; %s without it; both", span64(small.Lo, small.Hi), span64(wide.Lo, wide.Hi)),
			list(percent(100*float64(small.Inclusive)/n), percent(100*float64(wide.Weight)/n), percent(100*float64(wide.Inclusive)/n)),
			"13.6 %; 16.7 %; 30.3 % ([0,e], [0,fe])", small.Inclusive+wide.Weight <= wide.Inclusive)
	}
	return frequent(env, res)
}

// frequent adds the frequencies of the most frequent values, for all programs, because
// section 4.1 makes its statement about programs in general.
func frequent(env *Env, res *Result) error {
	t := Table{Title: "how much of the loads the most frequent values are", Columns: []string{"program", "one", "50", "different values"}}
	var first, fifty []float64
	for _, p := range Programs {
		points, err := env.points(p, ofValues)
		if errors.Is(err, ErrNoTrace) {
			continue
		}
		if err != nil {
			return err
		}
		top, different := topPoints(points, 50)
		sum := 0.0
		for _, share := range top {
			sum += share
		}
		first, fifty = append(first, top[0]), append(fifty, sum)
		t.Rows = append(t.Rows, []Value{text(p.String()), percent(top[0]), percent(sum), count(different, "values")})
	}
	res.Tables = append(res.Tables, t)
	most, least := slices.Max(first), slices.Min(first)
	res.row("the most frequent value, all programs", span(percent(least), percent(most)), "20 to 40 % of loads", least >= 20 && most <= 40)
	least, most = slices.Min(fifty), slices.Max(fifty)
	res.row("the 50 most frequent values, all programs", span(percent(least), percent(most)), "about 40 % for some", least <= 50 && most >= 30)
	return nil
}

// rapCode is the code of section 4.1.
func rapCode(env *Env, res *Result) error {
	p := inRole("gcc")
	points, err := env.points(p, ofCode)
	if err != nil {
		return err
	}
	functions := Functions{}
	if env.Functions != nil {
		if functions, err = env.Functions(p.Name); err != nil {
			return err
		}
	}
	env.tree(res, ofCode)
	res.setup("program: %s; %s blocks", p, short(uint64(len(points))))
	trees, err := hotRanges(res, points, "code of "+p.String(), functions)
	if err != nil {
		return err
	}
	for i, g := range trees {
		n := count(len(g.hot), "regions")
		res.row("regions with 10 % of the blocks and more, "+hotTrees[i].name, one(n), "7 (gcc)", near(n.Number, 7, 0.3))
	}
	return nil
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
func hotTree(g *grown, of string) Table {
	t := Table{Title: "hot ranges of " + of, Columns: []string{"range", "without hot ranges inside", "with", "exactly", "too low by"}}
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
		t.Rows = append(t.Rows, []Value{text(indent + span64(h.Lo, h.Hi)), percent(100 * float64(h.Weight) / n), percent(100 * float64(h.Inclusive) / n),
			percent(100 * float64(h.exact) / n), percent(h.error())})
	}
	return t
}

func hotBars(title string, g *grown) plot.Bars {
	bars := plot.Bars{Title: title, Y: "% of the stream", Limit: 100 * hotShare,
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
func cover(res *Result, g *grown, of string) error {
	t := Table{Title: "the narrowest ranges that hold a share of the " + of, Columns: []string{"share", "held", "ranges", "widest, bits", "most frequent of them"}}
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
		t.Rows = append(t.Rows, []Value{percent(100 * share), percent(100 * held), count(len(ranges), "ranges"), count(widest, "bits"), text(strings.TrimSpace(few))})
	}
	res.Tables = append(res.Tables, t)
	return nil
}

// nested returns a hot range and the narrowest hot range around it. Of all such pairs
// it takes the one whose wider range is narrowest: the paper's example of nested
// ranges.
func nested(g *grown) (small, wide hotRange, ok bool) {
	for _, a := range g.hot {
		for _, b := range g.hot {
			inside := b.Lo <= a.Lo && a.Hi <= b.Hi && a.Hi-a.Lo < b.Hi-b.Lo
			if inside && (!ok || b.Hi-b.Lo < wide.Hi-wide.Lo || b.Hi-b.Lo == wide.Hi-wide.Lo && a.Hi-a.Lo > small.Hi-small.Lo) {
				small, wide, ok = a, b, true
			}
		}
	}
	return small, wide, ok
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
