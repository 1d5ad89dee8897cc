package rapfigures

// This file has figures 2, 3 and 6: the numbers of nodes, at worst and measured, over events, for several options.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/rap"
	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/plot"
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

// nodesByOption is figure 2 of Mysore and others (RAP-12). It varies the number of children, and the ratio of the
// events at a merge to those at the previous merge.
func nodesByOption(env *figure.Env, res *figure.Result) error {
	var sweeps []swept
	var options []rap.Options
	for _, s := range []swept{
		{option: "b", numbers: []int{2, 4, 8, 16}, of: func(k int) rap.Options { return rap.Options{Eps: fine, B: k} }},
		{option: "q", numbers: []int{2, 3, 4, 8}, of: func(k int) rap.Options {
			return rap.Options{Eps: fine, Schedule: rap.Schedule{Q: uint64(k)}}
		}},
	} {
		s.first = len(options)
		for _, k := range s.numbers {
			options = append(options, s.of(k))
		}
		sweeps = append(sweeps, s)
	}
	var streams []stream
	for _, taps := range []string{ofValues, ofCode} {
		list, err := forests(env, res, figure.Programs, taps, options, nil)
		if err != nil {
			return err
		}
		streams = append(streams, stream{taps, what(taps), list})
	}
	random := stream{key: "random", name: "random points"}
	for k := range uint64(env.Seeds) {
		f := &forest{}
		for _, o := range options {
			g, err := grow(o, uniform(env.Seed+k, int(env.Loads/16)), nil)
			if err != nil {
				return fmt.Errorf("random points: %w", err)
			}
			f.trees = append(f.trees, g)
		}
		random.list = append(random.list, f)
	}
	res.Describe("eps 1 %%; %s uniform random points, %d seeds, from seed %d on", figure.Abbreviate(env.Loads/16),
		env.Seeds, env.Seed)

	for _, s := range sweeps {
		s.add(res, append(streams, random))
	}
	return nil
}

// A stream is points of recordings, or random ones, with a name.
type stream struct {
	key, name string
	list      []*forest
}

// A swept is an option whose numbers are compared.
type swept struct {
	option  string
	numbers []int
	first   int // the index of the tree for the first number
	of      func(k int) rap.Options
}

// add adds a table, and plots of the worst cases and of the medians of all recordings.
func (s swept) add(res *figure.Result, streams []stream) {
	t := figure.Table{Title: "nodes, by " + s.option,
		Columns: []string{s.option, "depth", "splits", "after a merge", "before a merge", "to the first"}}
	bounds := plot.Bars{Title: "Figure 2: nodes at worst, eps 1 %, by " + s.option, Y: "nodes",
		Series: []plot.Series{{Name: "after a merge"}, {Name: "before a merge"}}}
	met := plot.Bars{Title: "Figure 2: nodes there were at most, eps 1 %, by " + s.option,
		Y: "nodes, median of recordings"}
	for _, x := range streams {
		t.Columns = append(t.Columns, figure.SpreadHeads(x.name+", most", "average")...)
		met.Series = append(met.Series, plot.Series{Name: x.name})
	}
	for i, k := range s.numbers {
		o := s.of(k)
		after, before := rap.WorstNodes(o), beforeMerge(o)
		depth := int(math.Ceil(64 / math.Log2(float64(branching(o)))))
		row := []figure.Value{figure.Count(k, ""), figure.Count(depth, "levels"), figure.Count(rap.WorstSplits(o), "splits"),
			figure.Count(after, "nodes"), figure.Count(before, "nodes"),
			figure.Factor(float64(before) / float64(beforeMerge(s.of(s.numbers[0]))))}
		group := fmt.Sprintf("%s=%d", s.option, k)
		bounds.Groups, met.Groups = append(bounds.Groups, group), append(met.Groups, group)
		bounds.Series[0].Values = append(bounds.Series[0].Values, float64(after))
		bounds.Series[1].Values = append(bounds.Series[1].Values, float64(before))
		for j, x := range streams {
			most := everyTree(x.list, s.first+i, (*grown).most)
			row = slices.Concat(row, most.Spread(nodes), everyTree(x.list, s.first+i, (*grown).averageNodes).Spread(nodes))
			met.Series[j].Values = append(met.Series[j].Values, most.Median())
		}
		t.Rows = append(t.Rows, row)
	}
	res.Tables = append(res.Tables, t)
	res.AddBars("rap-2-"+s.option+"-worst", bounds)
	res.AddBars("rap-2-"+s.option, met)
}

// mergeBatches is figure 3 of Mysore and others (RAP-10). It compares merges in batches with merges after every split.
func mergeBatches(env *figure.Env, res *figure.Result) error {
	drawn := figure.Origin{Program: figure.InRole("gcc"), Recording: figure.Recordings[0]}
	t := figure.Table{Title: "nodes and errors, eps 1 %", Columns: []string{"recording"}}
	curves := plot.Lines{Title: "Figure 3: nodes of " + drawn.String() +
		", merges in batches and after every split, eps 1 %", X: "values", Y: "nodes", LogX: true}
	var options []rap.Options
	for _, k := range []rap.ScheduleKind{rap.Growing, rap.Periodic, rap.Continuous} {
		o, name := rap.Options{Eps: fine, Schedule: rap.Schedule{Kind: k}}, k.String()
		if k == rap.Periodic {
			o.Schedule.First = 1 << 16
			name = fmt.Sprintf("every %d", o.Schedule.First)
		}
		options = append(options, o)
		curves.Curves = append(curves.Curves, plot.Curve{Name: name})
		t.Columns = append(t.Columns, name+": passes", "removed", "most", "average", "worst error, % of stream")
	}
	list, err := forests(env, res, figure.Programs, ofValues, options, func(o figure.Origin, tree int) func(s rap.Stats) {
		if o != drawn {
			return nil
		}
		return func(s rap.Stats) {
			c := &curves.Curves[tree].Points
			*c = thinned(*c, s.Events, float64(s.Nodes))
		}
	})
	if err != nil {
		return err
	}
	most := uint64(0)
	for _, f := range list {
		row := []figure.Value{figure.Text(f.String())}
		for _, g := range f.trees {
			row = append(row, figure.Count(g.stats.Merges, "merges"), figure.Count(g.stats.Merged, "nodes"),
				figure.Count(g.stats.Most, "nodes"),
				nodes(g.average), figure.Percent(100*float64(g.WorstError())/float64(g.stats.Events)))
		}
		t.Rows = append(t.Rows, row)
		most = max(most, f.trees[0].stats.Events)
	}
	res.Tables = append(res.Tables, t, worstTable())
	if curves.Curves[0].Points != nil {
		res.AddLines("rap-3", curves)
	}
	res.AddLines("rap-3-worst", plot.Lines{
		Title: "Figure 3: nodes at worst, eps 1 %", X: "events", Y: "nodes", LogX: true,
		Curves: []plot.Curve{
			{Name: "growing", Points: worstCurve(rap.Options{Eps: fine}, most)},
			{Name: "continuous", Points: flat(rap.WorstNodes(rap.Options{Eps: fine}), most)},
		},
	})
	return nil
}

// worstTable has the bounds for several errors, because the labels in the paper do not fit 1 %.
func worstTable() figure.Table {
	t := figure.Table{Title: "nodes at worst, b=4, 2^64 points",
		Columns: []string{"eps", "after a merge", "before it (q-1)", "before it (ln q)", "b·log2(R)/eps"}}
	for _, eps := range []float64{coarse, fine, 0.001} {
		o := rap.Options{Eps: eps}
		sharp := float64(rap.WorstNodes(o)) + 4*64/eps*math.Ln2
		t.Rows = append(t.Rows, []figure.Value{figure.Percent(100 * eps), figure.Count(rap.WorstNodes(o), "nodes"),
			figure.Count(beforeMerge(o), "nodes"), nodes(sharp), nodes(4 * 64 / eps)})
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
				c = append(c, metric.Point{Events: events,
					Error: floor + float64(branching(o))*64/o.Eps*math.Log(float64(events)/float64(at))})
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

// nodesOverTime is figure 6 of Mysore and others: the number of nodes over time, with merges (RAP-25).
func nodesOverTime(env *figure.Env, res *figure.Result) error {
	drawn := figure.Origin{Program: figure.InRole("gcc"), Recording: figure.Recordings[0]}
	var c metric.Curve
	t := figure.Table{Title: "merges of " + drawn.String(),
		Columns: []string{"events", "nodes before", "nodes after", "removed"}}
	marks, drops := map[figure.Origin][]uint64{}, map[figure.Origin]int{}
	list, err := forests(env, res, figure.Programs, ofCode, []rap.Options{{Eps: coarse}},
		func(o figure.Origin, _ int) func(s rap.Stats) {
			var last rap.Stats
			return func(s rap.Stats) {
				if s.Merges > last.Merges { // a merge came with the last event of the step
					removed := int(s.Merged - last.Merged)
					marks[o] = append(marks[o], s.Events)
					if removed > 0 {
						drops[o]++
					}
					if o == drawn {
						t.Rows = append(t.Rows, []figure.Value{figure.Count(s.Events, ""), figure.Count(s.Nodes+removed, "nodes"),
							figure.Count(s.Nodes, "nodes"), figure.Percent(100 * float64(removed) / float64(s.Nodes+removed))})
						c = append(c, metric.Point{Events: s.Events - 1, Error: float64(s.Nodes + removed)})
					}
				}
				if o == drawn {
					c = thinned(c, s.Events, float64(s.Nodes))
				}
				last = s
			}
		})
	if err != nil {
		return err
	}
	for o, at := range marks {
		for i, n := range at {
			if n != 1024<<i {
				return fmt.Errorf("%s: merge %d is after %d events: package rap is wrong", o, i+1, n)
			}
		}
	}
	own := figure.OfProgram(list, drawn.Program)
	if own == nil {
		return fmt.Errorf("blocks of %s: %w", drawn.Program, figure.ErrNoTrace)
	}
	res.Describe("eps 10 %%")
	worst := float64(beforeMerge(rap.Options{Eps: coarse}))
	all := figure.Table{Title: fmt.Sprintf("nodes of all programs, %.0f at worst", worst),
		Columns: []string{"recording", "merges", "with fewer nodes behind them", "most", "after 2^20", "average"}}
	for _, f := range list {
		g := f.trees[0]
		all.Rows = append(all.Rows, []figure.Value{figure.Text(f.String()), figure.Count(len(marks[f.Origin]), "merges"),
			figure.Count(drops[f.Origin], "merges"), nodes(g.most()), nodes(g.later), nodes(g.average)})
	}
	res.Tables = append(res.Tables, t, all)
	res.AddLines("rap-6", plot.Lines{Title: "Figure 6: nodes of " + drawn.String() + ", code, eps 10 %, merges dashed",
		X: "blocks", Y: "nodes", LogX: true, Marks: marks[drawn],
		Curves: []plot.Curve{{Name: "nodes", Points: c}}})
	res.SavePoints()
	return nil
}
