package figure

// This file has figure 5 of range adaptive profiling and the code of section 4.1: hot
// ranges, and those that cover a share of a stream.

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pepgo/pep/hwsim/plot"
	"github.com/pepgo/pep/hwsim/rap"
)

// rap5 is RAP-13 and RAP-31: the values that a compressor loads. flate is the compressor
// among our programs as gzip was among the paper's.
func rap5(env *Env, res *Result) error {
	p := named("flate")
	points, err := env.points(p, values)
	if err != nil {
		return err
	}
	g, err := grow(rap.Options{Eps: fine}, points, nil)
	if err != nil {
		return err
	}
	env.tree(res, values)
	res.setup("program: %s, for gzip; %s values; eps 1 %%; %d nodes at the end, %d at most", p.Name, short(uint64(len(points))), g.stats.Nodes, g.stats.Most)
	name := func(r rap.Range) string { return span64(r.Lo, r.Hi) }
	res.Tables = append(res.Tables, hotTree(g, name, "values"))
	if err := cover(res, g, name, "values"); err != nil {
		return err
	}
	res.bars("rap-5", hotBars("Figure 5: hot ranges of the values that "+p.Name+" loads, eps 1 %", g, name))

	res.row("ranges with 10 % of the loads and more", one(count(len(g.hot), "ranges")), "7 (gzip)", len(g.hot) >= 5 && len(g.hot) <= 9)
	small, wide, ok := nested(g)
	if ok {
		n := float64(g.Events())
		res.row(fmt.Sprintf("%s; %s without it; both", name(small.Range), name(wide.Range)),
			list(percent(100*float64(small.Inclusive)/n), percent(100*float64(wide.Weight)/n), percent(100*float64(wide.Inclusive)/n)),
			"13.6 %; 16.7 %; 30.3 % ([0,e], [0,fe])", small.Inclusive+wide.Weight <= wide.Inclusive)
	}
	top := topPoints(points, 50)
	res.row("the most frequent value", one(percent(top[0])), "20 to 40 % of loads", top[0] >= 20 && top[0] <= 40)
	sum := 0.0
	for _, share := range top {
		sum += share
	}
	res.row(fmt.Sprintf("the %d most frequent values", len(top)), one(percent(sum)), "about 40 %", near(sum, 40, 0.25))
	return nil
}

// rapCode is the code of section 4.1.
func rapCode(env *Env, res *Result) error {
	p := inRole("gcc")
	points, err := env.points(p, code)
	if err != nil {
		return err
	}
	functions := Functions{}
	if env.Functions != nil {
		if functions, err = env.Functions(p.Name); err != nil {
			return err
		}
	}
	env.tree(res, code)
	res.setup("program: %s; %s blocks", p, short(uint64(len(points))))
	name := func(r rap.Range) string { return span64(r.Lo, r.Hi) }
	var hot []Value
	for _, eps := range []float64{coarse, fine} {
		g, err := grow(rap.Options{Eps: eps}, points, nil)
		if err != nil {
			return err
		}
		t := hotTree(g, name, fmt.Sprintf("code, eps %.0f %%", 100*eps))
		t.Columns = append(t.Columns, "functions")
		for i, h := range inOrder(g) {
			t.Rows[i] = append(t.Rows[i], text(functions.In(h.Lo, h.Hi)))
		}
		res.Tables = append(res.Tables, t)
		hot = append(hot, count(len(g.hot), "regions"))
		if eps == fine {
			if err := cover(res, g, name, "code"); err != nil {
				return err
			}
			res.bars("rap-code", hotBars("Section 4.1: hot regions of the code of "+p.String()+", eps 1 %", g, name))
		}
	}
	res.row("regions with 10 % of the blocks and more, eps 10 %, 1 %", list(hot...), "7 (gcc)", hot[0].Number >= 5 && hot[0].Number <= 9 || hot[1].Number >= 5 && hot[1].Number <= 9)
	return nil
}

// span64 is a range as the paper prints one: [0,ff].
func span64(lo, hi uint64) string {
	if lo == hi {
		return fmt.Sprintf("[%x]", lo)
	}
	return fmt.Sprintf("[%x,%x]", lo, hi)
}

// inOrder returns the hot ranges of a tree, each before those inside.
func inOrder(g *grown) []hotRange {
	return slices.SortedFunc(slices.Values(g.hot), func(a, b hotRange) int {
		return cmp.Or(cmp.Compare(a.Lo, b.Lo), cmp.Compare(b.Hi, a.Hi))
	})
}

// hotTree is the hot ranges of a tree, indented below those around them.
func hotTree(g *grown, name func(rap.Range) string, of string) Table {
	t := Table{Title: "hot ranges, " + of, Columns: []string{"range", "without hot ranges inside", "with", "exactly", "too low by"}}
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
		t.Rows = append(t.Rows, []Value{text(indent + name(h.Range)), percent(100 * float64(h.Weight) / n), percent(100 * float64(h.Inclusive) / n),
			percent(100 * float64(h.exact) / n), percent(h.error())})
	}
	return t
}

func hotBars(title string, g *grown, name func(rap.Range) string) plot.Bars {
	bars := plot.Bars{Title: title, Y: "% of the stream", Limit: 100 * hotShare,
		Series: []plot.Series{{Name: "without hot ranges inside"}, {Name: "with them"}, {Name: "exactly, with them"}}}
	n := float64(g.Events())
	for _, h := range inOrder(g) {
		bars.Groups = append(bars.Groups, name(h.Range))
		for i, c := range []uint64{h.Weight, h.Inclusive, h.exact} {
			bars.Series[i].Values = append(bars.Series[i].Values, 100*float64(c)/n)
		}
	}
	return bars
}

// cover adds the ranges that hold 50, 80 and 95 % of a stream (section 4.1).
func cover(res *Result, g *grown, name func(rap.Range) string, of string) error {
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
			few += fmt.Sprintf("%s %.1f %%  ", name(r), 100*float64(r.Inclusive)/float64(g.Events()))
		}
		t.Rows = append(t.Rows, []Value{percent(100 * share), percent(100 * held), count(len(ranges), "ranges"), count(widest, "bits"), text(few)})
	}
	res.Tables = append(res.Tables, t)
	return nil
}

// nested returns a hot range and the narrowest hot one around it, of the pair in which the
// wider one is narrowest: the paper's example of ranges in each other.
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

// topPoints returns the shares in percent of the k most frequent points.
func topPoints(points []uint64, k int) (shares []float64) {
	counts := map[uint64]int{}
	for _, x := range points {
		counts[x]++
	}
	for _, n := range counts {
		shares = append(shares, 100*float64(n)/float64(len(points)))
	}
	slices.SortFunc(shares, func(a, b float64) int { return cmp.Compare(b, a) })
	return shares[:min(k, len(shares))]
}
