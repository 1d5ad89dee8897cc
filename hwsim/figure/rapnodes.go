package figure

// This file has figures 2, 3 and 6 of range adaptive profiling: the numbers of nodes,
// at worst and measured, over events, for several options.

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/plot"
	"github.com/pepgo/pep/hwsim/rap"
)

// beforeMerge returns the most nodes that a tree can have just before a merge: those
// after the previous merge, and B for each split since then.
func beforeMerge(o rap.Options) uint64 {
	return rap.WorstNodes(o) + branching(o)*rap.WorstSplits(o)
}

// branching returns the number of children of a split.
func branching(o rap.Options) uint64 {
	if o.B == 0 {
		return 4
	}
	return uint64(o.B)
}

// uniform returns n points that are all equally likely.
func uniform(seed uint64, n int) []uint64 {
	r := rand.New(rand.NewPCG(seed, 2))
	list := make([]uint64, n)
	for i := range list {
		list[i] = r.Uint64()
	}
	return list
}

// rap2 is RAP-12. It varies the number of children, and the ratio of the events at a
// merge to those at the previous merge.
func rap2(env *Env, res *Result) error {
	p := inRole("gcc")
	var streams []stream
	for _, taps := range []string{ofValues, ofCode} {
		points, err := env.points(p, taps)
		if err != nil {
			return err
		}
		streams = append(streams, stream{what(taps), points})
	}
	streams = append(streams, stream{"random points", uniform(env.Seed, len(streams[0].points)/4)})
	env.tree(res, ofCode)
	res.setup("eps 1 %%; program: %s; %s values, %s blocks; %s uniform random points, seed %d", p,
		short(uint64(len(streams[0].points))), short(uint64(len(streams[1].points))), short(uint64(len(streams[2].points))), env.Seed)

	bs, err := sweep(res, "b", []int{2, 4, 8, 16}, streams, func(k int) rap.Options { return rap.Options{Eps: fine, B: k} })
	if err != nil {
		return err
	}
	qs, err := sweep(res, "q", []int{2, 3, 4, 8}, streams, func(k int) rap.Options {
		return rap.Options{Eps: fine, Schedule: rap.Schedule{Q: uint64(k)}}
	})
	if err != nil {
		return err
	}
	worst := func(s []swept, of func(rap.Options) uint64) (v []Value) {
		for _, x := range s {
			v = append(v, count(of(x.options), "nodes"))
		}
		return v
	}
	w := worst(bs, rap.WorstNodes)
	res.row("worst case after a merge: b=2, 4, 8, 16", list(w...), "b=4 is a good trade of nodes and depth",
		w[0].Number >= w[1].Number && w[1].Number < w[2].Number && w[2].Number < w[3].Number)
	w = worst(qs, beforeMerge)
	res.row("worst case before a merge: q=2, 3, 4, 8", list(w...), "least with q=2", w[0].Number < w[1].Number && w[1].Number < w[2].Number)
	for i, s := range streams[:2] {
		m := func(x swept) Value { return count(x.trees[i].stats.Most, "nodes") }
		res.row(s.name+", most: b=2, 4, 8, 16", list(m(bs[0]), m(bs[1]), m(bs[2]), m(bs[3])), "b=4 is a good trade",
			m(bs[1]).Number <= m(bs[2]).Number && m(bs[1]).Number <= m(bs[3]).Number)
		res.row(s.name+", most: q=2, 3, 4, 8", list(m(qs[0]), m(qs[1]), m(qs[2]), m(qs[3])), "least with q=2",
			m(qs[0]).Number <= min(m(qs[1]).Number, m(qs[2]).Number, m(qs[3]).Number))
		below := float64(beforeMerge(rap.Options{Eps: fine})) / bs[1].trees[i].average
		res.row(s.name+": nodes on average below the worst case", one(factor(below)), "a factor of 1000", below >= 500)
	}
	return nil
}

// A stream is points with a name.
type stream struct {
	name   string
	points []uint64
}

// A swept has the trees of all streams for one value of an option.
type swept struct {
	options rap.Options
	trees   []*grown
}

// sweep varies an option. It adds a table, and plots of the worst cases and of the
// measurements.
func sweep(res *Result, option string, list []int, streams []stream, options func(k int) rap.Options) (all []swept, err error) {
	t := Table{Title: "nodes, by " + option, Columns: []string{option, "depth", "splits", "after a merge", "before a merge", "to the first"}}
	bounds := plot.Bars{Title: "Figure 2: nodes at worst, eps 1 %, by " + option, Y: "nodes", Series: []plot.Series{{Name: "after a merge"}, {Name: "before a merge"}}}
	met := plot.Bars{Title: "Figure 2: nodes there were at most, eps 1 %, by " + option, Y: "nodes"}
	for _, s := range streams {
		t.Columns = append(t.Columns, s.name+", most", "average")
		met.Series = append(met.Series, plot.Series{Name: s.name})
	}
	for _, k := range list {
		x := swept{options: options(k)}
		after, before := rap.WorstNodes(x.options), beforeMerge(x.options)
		depth := int(math.Ceil(64 / math.Log2(float64(branching(x.options)))))
		row := []Value{count(k, ""), count(depth, "levels"), count(rap.WorstSplits(x.options), "splits"), count(after, "nodes"), count(before, "nodes"),
			factor(float64(before) / float64(beforeMerge(options(list[0]))))}
		group := fmt.Sprintf("%s=%d", option, k)
		bounds.Groups, met.Groups = append(bounds.Groups, group), append(met.Groups, group)
		bounds.Series[0].Values = append(bounds.Series[0].Values, float64(after))
		bounds.Series[1].Values = append(bounds.Series[1].Values, float64(before))
		for i, s := range streams {
			g, err := grow(x.options, s.points, nil)
			if err != nil {
				return nil, fmt.Errorf("%s=%d, %s: %w", option, k, s.name, err)
			}
			x.trees = append(x.trees, g)
			row = append(row, count(g.stats.Most, "nodes"), nodes(g.average))
			met.Series[i].Values = append(met.Series[i].Values, float64(g.stats.Most))
		}
		t.Rows = append(t.Rows, row)
		all = append(all, x)
	}
	res.Tables = append(res.Tables, t)
	res.bars("rap-2-"+option+"-worst", bounds)
	res.bars("rap-2-"+option, met)
	return all, nil
}

// rap3 is RAP-10. It compares merges in batches with merges after every split.
func rap3(env *Env, res *Result) error {
	p := inRole("gcc")
	points, err := env.points(p, ofValues)
	if err != nil {
		return err
	}
	env.tree(res, ofValues)
	res.setup("program: %s; %s values; eps 1 %% if nothing else is said", p, short(uint64(len(points))))
	t := Table{Title: "merges", Columns: []string{"schedule", "passes", "removed", "most", "average", "worst error, % of stream"}}
	curves := plot.Lines{Title: "Figure 3: nodes with merges in batches and after every split, eps 1 %", X: "values", Y: "nodes", LogX: true}
	var trees []*grown
	for _, k := range []rap.ScheduleKind{rap.Growing, rap.Periodic, rap.Continuous} {
		o := rap.Options{Eps: fine, Schedule: rap.Schedule{Kind: k}}
		name := k.String()
		if k == rap.Periodic {
			o.Schedule.First = 1 << 16
			name = fmt.Sprintf("every %d", o.Schedule.First)
		}
		var c metric.Curve
		g, err := grow(o, points, func(s rap.Stats) { c = thinned(c, s.Events, float64(s.Nodes)) })
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		trees = append(trees, g)
		curves.Curves = append(curves.Curves, plot.Curve{Name: name, Points: c})
		t.Rows = append(t.Rows, []Value{text(name), count(g.stats.Merges, "merges"), count(g.stats.Merged, "nodes"), count(g.stats.Most, "nodes"),
			nodes(g.average), percent(100 * float64(g.WorstError()) / float64(g.stats.Events))})
	}
	res.Tables = append(res.Tables, t)
	res.lines("rap-3", curves)

	res.Tables = append(res.Tables, worstTable())
	res.lines("rap-3-worst", plot.Lines{
		Title: "Figure 3: nodes at worst, eps 1 %", X: "events", Y: "nodes", LogX: true,
		Curves: []plot.Curve{
			{Name: "growing", Points: worstCurve(rap.Options{Eps: fine}, uint64(len(points)))},
			{Name: "continuous", Points: flat(rap.WorstNodes(rap.Options{Eps: fine}), uint64(len(points)))},
		},
	})
	low, high := rap.WorstNodes(rap.Options{Eps: fine}), beforeMerge(rap.Options{Eps: fine})
	res.row("nodes at worst, eps 1 %", two(count(low, "nodes"), count(high, "nodes"), ""), "256000, 384000 (labels)", low == 256_000)
	growing, continuous := trees[0], trees[2]
	more := float64(growing.stats.Most) / float64(continuous.stats.Most)
	res.row("most nodes with batches, to those without", one(factor(more)), "1.5x (labels, at worst)", more <= 1.5)
	passes := float64(continuous.stats.Merges) / float64(growing.stats.Merges)
	res.row("passes without batches, to those with", one(factor(passes)), "a search every cycle", passes > 1)
	n := uint64(len(points))
	res.row("batches", one(count(growing.stats.Merges, "merges")), fmt.Sprintf("%d (log2(n/1024), rounded down, and one)", rap.Merges(rap.Schedule{}, n)),
		growing.stats.Merges == uint64(rap.Merges(rap.Schedule{}, n)))
	return nil
}

// worstTable has the bounds for several errors, because the paper's labels do not fit 1
// %.
func worstTable() Table {
	t := Table{Title: "nodes at worst, b=4, 2^64 points", Columns: []string{"eps", "after a merge", "before it (q-1)", "before it (ln q)", "b·log2(R)/eps"}}
	for _, eps := range []float64{coarse, fine, 0.001} {
		o := rap.Options{Eps: eps}
		sharp := float64(rap.WorstNodes(o)) + 4*64/eps*math.Ln2
		t.Rows = append(t.Rows, []Value{percent(100 * eps), count(rap.WorstNodes(o), "nodes"), count(beforeMerge(o), "nodes"), nodes(sharp), nodes(4 * 64 / eps)})
	}
	return t
}

// worstCurve returns the bound over events: B nodes for each split since the last
// merge. The number of splits since n0 events is the sum of 1/threshold, which is
// log(R)/eps·ln(n/n0).
func worstCurve(o rap.Options, n uint64) (c metric.Curve) {
	floor := float64(rap.WorstNodes(o))
	for at := uint64(1024); at <= n; at *= 2 {
		for k := range uint64(16) {
			events := at + at*k/16
			if events <= n {
				c = append(c, metric.Point{Events: events, Error: floor + float64(branching(o))*64/o.Eps*math.Log(float64(events)/float64(at))})
			}
		}
	}
	return c
}

func flat(nodes, n uint64) metric.Curve {
	return metric.Curve{{Events: 1024, Error: float64(nodes)}, {Events: max(n, 1025), Error: float64(nodes)}}
}

// thinned adds a point to a curve if it is 1 % further than the last one, or if the
// curve falls. So drawings with a logarithmic axis show every visible detail with few
// points.
func thinned(c metric.Curve, events uint64, nodes float64) metric.Curve {
	if len(c) > 0 {
		if last := c[len(c)-1]; nodes >= last.Error && float64(events) < 1.01*float64(last.Events) {
			return c
		}
	}
	return append(c, metric.Point{Events: events, Error: nodes})
}

// rap6 is RAP-25: the number of nodes over time, with merges.
func rap6(env *Env, res *Result) error {
	p := inRole("gcc")
	points, err := env.points(p, ofCode)
	if err != nil {
		return err
	}
	env.tree(res, ofCode)
	res.setup("program: %s; %s blocks; eps 10 %%", p, short(uint64(len(points))))
	var c metric.Curve
	var marks []uint64
	var last rap.Stats
	t := Table{Title: "merges", Columns: []string{"events", "nodes before", "nodes after", "removed"}}
	drops := 0
	g, err := grow(rap.Options{Eps: coarse}, points, func(s rap.Stats) {
		if s.Merges > last.Merges { // a merge came with the last event of the step
			removed := int(s.Merged - last.Merged)
			marks = append(marks, s.Events)
			t.Rows = append(t.Rows, []Value{count(s.Events, ""), count(s.Nodes+removed, "nodes"), count(s.Nodes, "nodes"), percent(100 * float64(removed) / float64(s.Nodes+removed))})
			if removed > 0 {
				drops++
			}
			c = append(c, metric.Point{Events: s.Events - 1, Error: float64(s.Nodes + removed)})
		}
		c = thinned(c, s.Events, float64(s.Nodes))
		last = s
	})
	if err != nil {
		return err
	}
	res.Tables = append(res.Tables, t)
	res.lines("rap-6", plot.Lines{Title: "Figure 6: nodes of " + p.String() + ", code, eps 10 %, merges dashed", X: "blocks", Y: "nodes", LogX: true, Marks: marks,
		Curves: []plot.Curve{{Name: "nodes", Points: c}}})
	res.Plots[0].data = true
	for i, at := range marks {
		if at != 1024<<i {
			return fmt.Errorf("merge %d is after %d events: package rap is wrong", i+1, at)
		}
	}
	res.row("merges after 2^10, 2^11, … with fewer nodes behind them", part(drops, len(marks), "merges"), "all, rapid reduction", drops == len(marks))
	worst := beforeMerge(rap.Options{Eps: coarse})
	res.row("most nodes, and at worst", two(count(g.stats.Most, "nodes"), count(worst, "nodes"), ""), "far less than the worst case", uint64(g.stats.Most)*4 < worst)
	if g.later > 0 {
		res.row("the same after 2^20 events", two(count(g.later, "nodes"), count(worst, "nodes"), ""), "far less than the worst case", uint64(g.later)*4 < worst)
	}
	return nil
}
