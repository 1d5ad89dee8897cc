package rapfigures

// This file has figures 9 and 10. Their trees count selected events. The engines in front of the trees select them.

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/plot"
)

// messagesOf runs engines over the tuples of a recording, one engine for each stream. It
// returns the messages that each engine has sent at the end.
func messagesOf(env *figure.Env, source replay.Source, specs ...string) (sent [][]hwsim.Message, err error) {
	sent = make([][]hwsim.Message, len(specs))
	running := make([]map[uint32]hwsim.Engine, len(specs))
	outs := make([]*hwsim.Out, len(specs))
	var parsed []*engines.Spec
	for i, text := range specs {
		spec, err := engines.Parse(text, nil)
		if err != nil {
			return nil, err
		}
		parsed, running[i] = append(parsed, spec), map[uint32]hwsim.Engine{}
		outs[i] = hwsim.NewOut(512, func(m []hwsim.Message) { sent[i] = append(sent[i], m...) })
	}
	err = figure.FirstTuples(source, env.Loads, func(stream uint32, tuples []tuple.Tuple) {
		for i, spec := range parsed {
			e := running[i][stream]
			if e == nil {
				e = spec.New(stream)
				running[i][stream] = e
			}
			e.Push(tuples, outs[i])
		}
	})
	for i, all := range running {
		var list []hwsim.Engine
		var to []*hwsim.Out
		for _, stream := range slices.Sorted(maps.Keys(all)) {
			list, to = append(list, all[stream]), append(to, outs[i])
		}
		engines.Flush(list, to)
		outs[i].Drain()
	}
	return sent, err
}

// eventsOf returns the number of events that messages stand for.
func eventsOf(msgs []hwsim.Message) (n uint64) {
	for _, m := range msgs {
		n += m.Count
	}
	return n
}

// share returns a part of all in percent.
func share(part, all uint64) float64 { return 100 * float64(part) / float64(all) }

// tree describes the tree of the figures, with the paper's smaller eps.
const tree = "rap(1%,over=words)"

// The caches of figure 9. The paper does not state its own.
const (
	dl1 = "cache(32K,ways=8,line=64)"
	dl2 = "cache(256K,ways=8,line=64)"
)

// leastMisses is the number of events that a tree must have for its hot ranges to
// count. From 6400 events on, eps is above the second term of the tree's bound
// (decision 16).
const leastMisses = 6400

// narrowWidth is the logarithm of the width of ranges for which the paper states a share.
const narrowWidth = 16

// A missed has the coverage of one recording: for all loads and for the misses of each cache.
type missed struct {
	figure.Origin
	covered [][]float64
}

// widthsBehindCaches is figure 9 of Mysore and others (RAP-26): the widths of the hot ranges of loaded values, for all
// loads and for the loads that miss caches.
func widthsBehindCaches(env *figure.Env, res *figure.Result) error {
	names := []string{"all loads", "DL1 misses", "DL2 misses"}
	specs := []string{"where(pass=first):" + tree, dl1 + ":where(pass=first):" + tree,
		dl1 + ":" + dl2 + ":where(pass=first):" + tree}
	t := figure.Table{Title: "loads, and of these the misses; events in hot ranges at most 2^16 wide",
		Columns: []string{"recording", "loads", "DL1 misses", "DL2 misses", "all loads", "DL1 misses", "DL2 misses"}}
	var list []*missed
	var all []figure.Origin
	var events []uint64
	var few []string
	err := env.EachRecording(res, figure.Programs, "pairs", func(o figure.Origin, source replay.Source) error {
		sent, err := messagesOf(env, source, specs...)
		if err != nil {
			return err
		}
		m := &missed{Origin: o}
		line, at := []figure.Value{figure.Text(o.String())}, []figure.Value{}
		least := uint64(math.MaxUint64)
		for _, msgs := range sent {
			n, c := eventsOf(msgs), coverage(msgs)
			least = min(least, n)
			m.covered = append(m.covered, c)
			line, at = append(line, figure.Count(n, "events")), append(at, figure.Percent(c[narrowWidth]))
		}
		t.Rows = append(t.Rows, append(line, at...))
		all, events = append(all, o), append(events, eventsOf(sent[0]))
		if least < leastMisses {
			few = append(few, o.String())
		} else {
			list = append(list, m)
		}
		return nil
	})
	if err != nil {
		return err
	}
	res.Ran("loads with addresses", all, events)
	res.Describe("DL1 is %s, DL2 %s behind it; hot ranges: those with 10 %% of the events and more; averages are over the programs with %d misses of both caches and more", dl1, dl2, leastMisses)
	if few != nil {
		res.Describe("too few misses: %s", strings.Join(few, "; "))
	}
	res.Tables = append(res.Tables, t)
	// average is that of all programs, for each recording.
	average := func(kind, width int) figure.Tally {
		return figure.TallyAcross(list, func(m *missed) figure.Tally { return figure.Tally{m.covered[kind][width]} },
			figure.Tally.Mean)
	}
	lines := plot.Lines{Title: "RAP figure 9: how wide hot ranges of values are", X: "log2 of the width of hot ranges",
		Y: "events in them, %, median of recordings", MaxY: 100}
	for kind, name := range names {
		curve := metric.Curve{}
		for w := range 65 {
			curve = append(curve, metric.Point{Events: uint64(w), Error: average(kind, w).Median()})
		}
		lines.Curves = append(lines.Curves, plot.Curve{Name: name, Points: curve})
	}
	res.AddLines("rap-9", lines)
	return nil
}

// coverage returns, by the logarithm of the width, the share of all events in hot
// ranges that are at most so wide. The weight of a hot range does not include the hot
// ranges inside it, so weights add up.
func coverage(msgs []hwsim.Message) []float64 {
	c := make([]float64, 65)
	total := eventsOf(msgs)
	for _, r := range metric.Hot(msgs, hot) {
		for w := int(r.Free); w < len(c); w++ {
			c[w] += share(r.Weight, total)
		}
	}
	return c
}

// narrowCoverage is the coverage of hot ranges of that width, NaN if there are too few events.
func narrowCoverage(msgs []hwsim.Message) float64 {
	if eventsOf(msgs) < leastMisses {
		return math.NaN()
	}
	return coverage(msgs)[narrowWidth]
}

// A zeros has the hot nodes of the addresses from which a recording loads zeros.
type zeros struct {
	figure.Origin
	total       uint64
	nodes       []metric.Range
	loads, zero []uint64 // in each node, and those of zeros, counted exactly
}

// hottest returns the share of the zeros in the hottest node that is not the whole space, and how often a load there is
// of zero, in percent; NaN if there is no such node.
func (z *zeros) hottest() (inclusive, often float64) {
	inclusive, often = math.NaN(), math.NaN()
	weight := uint64(0)
	for i, r := range z.nodes {
		if r.Free < 64 && r.Weight > weight {
			weight, inclusive, often = r.Weight, share(r.Inclusive, z.total), share(z.zero[i], z.loads[i])
		}
	}
	return inclusive, often
}

// zeroLoads is figure 10 of Mysore and others (RAP-27): the addresses from which programs load zeros.
func zeroLoads(env *figure.Env, res *figure.Result) error {
	all := figure.Table{Title: "hot nodes of all programs",
		Columns: []string{"recording", "zero loads", "hot nodes", "in the hottest, inclusive", "a load there is 0 in"}}
	var list []*zeros
	var ran []figure.Origin
	var events []uint64
	err := env.EachRecording(res, figure.Programs, "pairs", func(o figure.Origin, source replay.Source) error {
		sent, err := messagesOf(env, source, "where(first=0,pass=second):"+tree)
		if err != nil {
			return err
		}
		z := &zeros{Origin: o, total: eventsOf(sent[0]), nodes: metric.Hot(sent[0], hot)}
		slices.SortFunc(z.nodes, func(a, b metric.Range) int {
			return cmp.Or(cmp.Compare(a.Tuple.W, b.Tuple.W), cmp.Compare(b.Free, a.Free))
		})
		var n uint64
		if n, z.loads, z.zero, err = countInRanges(env, source, z.nodes); err != nil {
			return err
		}
		inclusive, often := z.hottest()
		all.Rows = append(all.Rows, []figure.Value{figure.Text(o.String()), figure.Count(z.total, "loads"),
			figure.Count(len(z.nodes), "nodes"), figure.Percent(inclusive), figure.Percent(often)})
		list, ran, events = append(list, z), append(ran, o), append(events, n)
		return nil
	})
	if err != nil {
		return err
	}
	res.Ran("loads with addresses", ran, events)
	p := figure.InRole("gcc")
	own := figure.OfProgram(list, p)
	if own == nil {
		return fmt.Errorf("pairs of %s: %w", p, figure.ErrNoTrace)
	}
	res.Describe("hot nodes: address ranges with 10 %% of the zero loads and more; zero: how many of the loads in the range are of 0, counted exactly")
	addZeros(res, own[0])
	res.Tables = append(res.Tables, all)
	return nil
}

// addZeros adds a table and a plot of the hot nodes of a recording.
func addZeros(r *figure.Result, z *zeros) {
	t := figure.Table{Title: "hot nodes of " + z.String(),
		Columns: []string{"first address", "last address", "share", "inclusive", "counted exactly", "zero"}}
	bars := plot.Bars{Title: "RAP figure 10: addresses of zero loads of " + z.String(), Y: "% of zero loads"}
	bars.Series = []plot.Series{{Name: "without hot nodes inside"}, {Name: "inclusive"}}
	for i, x := range z.nodes {
		own, in := share(x.Weight, z.total), share(x.Inclusive, z.total)
		t.Rows = append(t.Rows, []figure.Value{figure.Text(fmt.Sprintf("%#x", x.Tuple.W)),
			figure.Text(fmt.Sprintf("%#x", x.Hi())), figure.Percent(own), figure.Percent(in),
			figure.Percent(share(z.zero[i], z.total)), figure.Percent(share(z.zero[i], z.loads[i]))})
		bars.Groups = append(bars.Groups, fmt.Sprintf("2^%d from %#x", x.Free, x.Tuple.W))
		bars.Series[0].Values = append(bars.Series[0].Values, own)
		bars.Series[1].Values = append(bars.Series[1].Values, in)
	}
	r.Tables = append(r.Tables, t)
	r.AddBars("rap-10", bars)
}

// countInRanges counts all loads, those with addresses in each of some ranges, and those of them
// whose value is 0. It makes a pass of its own, without a tree.
func countInRanges(env *figure.Env, source replay.Source, ranges []metric.Range) (all uint64, loads, zero []uint64,
	err error) {
	loads, zero = make([]uint64, len(ranges)), make([]uint64, len(ranges))
	value := map[uint32]uint64{} // the value of the last load, by stream
	err = figure.FirstTuples(source, env.Loads, func(stream uint32, tuples []tuple.Tuple) {
		for _, t := range tuples {
			if t.Tag() != tuple.More {
				value[stream] = t.W
				all++
				continue
			}
			for k, r := range ranges {
				if r.Tuple.W <= t.W && t.W <= r.Hi() {
					loads[k]++
					if value[stream] == 0 {
						zero[k]++
					}
				}
			}
		}
	})
	return all, loads, zero, err
}
