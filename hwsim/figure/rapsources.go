package figure

// This file has figures 9 and 10 of range adaptive profiling, and the statements of its
// section 4.4 about narrow operands. Their trees count selected events. The engines in
// front of the trees select them.

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/plot"
	"github.com/pepgo/pep/hwsim/trace"
	"github.com/pepgo/pep/runtime/tuple"
)

// hot is the share of a stream from which on a range is hot (section 4.1).
const hot = 0.1

// messages runs engines over the tuples of a program, one engine for each stream. It
// returns the messages that each engine has sent at the end.
func (env *Env) messages(p Program, taps string, specs ...string) (sent [][]hwsim.Message, err error) {
	source, err := env.tuples(p, taps)
	if err != nil {
		return nil, err
	}
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
	err = source(func(stream uint32, tuples []tuple.Tuple) {
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

// tuples returns the first tuples of a program, at most env.Events.
func (env *Env) tuples(p Program, taps string) (each func(do func(stream uint32, tuples []tuple.Tuple)) error, err error) {
	source, err := env.Source(p.Name, taps)
	if err != nil {
		return nil, err
	}
	return func(do func(stream uint32, tuples []tuple.Tuple)) error {
		enough := errors.New("enough")
		left := env.Events
		err := source(func(b trace.Block) error {
			n := tuple.Whole(b.Tuples, int(min(left, uint64(len(b.Tuples)))))
			do(b.Stream, b.Tuples[:n])
			if left -= uint64(n); n < len(b.Tuples) || left == 0 {
				return enough
			}
			return nil
		})
		if err == enough {
			return nil
		}
		return err
	}, nil
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

// tree describes the tree of all three figures, with the paper's smaller eps.
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

// rap9 is RAP-26: the widths of the hot ranges of loaded values, for all loads and for
// the loads that miss caches.
func rap9(env *Env, res *Result) error {
	names := []string{"all loads", "DL1 misses", "DL2 misses"}
	specs := []string{"where(pass=first):" + tree, dl1 + ":where(pass=first):" + tree, dl1 + ":" + dl2 + ":where(pass=first):" + tree}
	t := Table{Title: "loads, and of these the misses; events in hot ranges at most 2^16 wide",
		Columns: []string{"program", "loads", "DL1 misses", "DL2 misses", "all loads", "DL1 misses", "DL2 misses"}}
	sums, programs := make([][]float64, len(specs)), 0
	for i := range sums {
		sums[i] = make([]float64, 65)
	}
	var few, missing []string
	var last error
	for _, p := range Programs {
		sent, err := env.messages(p, "pairs", specs...)
		if errors.Is(err, ErrNoTrace) {
			missing, last = append(missing, p.Name), err
			continue
		}
		if err != nil {
			return err
		}
		line, covered := []Value{text(p.String())}, []Value{}
		least := uint64(math.MaxUint64)
		for _, msgs := range sent {
			n := eventsOf(msgs)
			least = min(least, n)
			line, covered = append(line, count(n, "events")), append(covered, percent(coverage(msgs)[16]))
		}
		t.Rows = append(t.Rows, append(line, covered...))
		if least < leastMisses {
			few = append(few, p.Name)
			continue
		}
		programs++
		for i, msgs := range sent {
			for w, y := range coverage(msgs) {
				sums[i][w] += y
			}
		}
	}
	if t.Rows == nil {
		return last
	}
	res.setup("value and address of loads of %d programs, %s events of each at most; DL1 is %s, DL2 %s behind it; seed %d, and nothing is random", len(t.Rows), short(env.Events), dl1, dl2, env.Seed)
	res.setup("hot ranges: those with 10 %% of the events and more; averages are over the %d programs with %d misses of both caches and more", programs, leastMisses)
	if few != nil {
		res.setup("too few misses: %s", strings.Join(few, ", "))
	}
	if missing != nil {
		res.setup("no traces of pairs of: %s", strings.Join(missing, ", "))
	}
	res.Tables = append(res.Tables, t)
	lines := plot.Lines{Title: "RAP figure 9: how wide hot ranges of values are", X: "log2 of the width of hot ranges", Y: "events in them, %", MaxY: 100}
	at16 := make([]float64, len(specs))
	for i, name := range names {
		curve := metric.Curve{}
		for w, sum := range sums[i] {
			y := sum / float64(programs) // NaN without programs
			curve = append(curve, metric.Point{Events: uint64(w), Error: y})
			if w == 16 {
				at16[i] = y
			}
		}
		lines.Curves = append(lines.Curves, plot.Curve{Name: name, Points: curve})
	}
	res.lines("rap-9", lines)
	res.row("DL1 misses in ranges at most 2^16 wide", one(percent(at16[1])), "about 56 %", near(at16[1], 56, 0.2))
	res.row("all loads in such ranges", one(percent(at16[0])), "less than of DL1 misses", at16[0] < at16[1])
	res.row("DL2 misses in such ranges", one(percent(at16[2])), "more than of all loads", at16[2] > at16[0])
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

// rap10 is the second half of RAP-27: the addresses from which programs load zeros.
func rap10(env *Env, res *Result) error {
	p := inRole("gcc")
	sent, err := env.messages(p, "pairs", "where(first=0,pass=second):"+tree)
	if err != nil {
		return err
	}
	zeros := eventsOf(sent[0])
	nodes := metric.Hot(sent[0], hot)
	slices.SortFunc(nodes, func(a, b metric.Range) int {
		return cmp.Or(cmp.Compare(a.Tuple.W, b.Tuple.W), cmp.Compare(b.Free, a.Free))
	})
	loads, zero, err := env.inRanges(p, nodes)
	if err != nil {
		return err
	}
	res.setup("program: %s; %d zero loads with an address of %s events (a value or an address each); seed %d, and nothing is random", p, zeros, short(env.Events), env.Seed)
	res.setup("hot nodes: address ranges with 10 %% of the zero loads and more; zero: how many of the loads in the range are of 0, counted exactly")
	t := Table{Title: "hot nodes", Columns: []string{"first address", "last address", "share", "inclusive", "counted exactly", "zero"}}
	bars := plot.Bars{Title: "RAP figure 10: addresses of zero loads", Y: "% of zero loads"}
	bars.Series = []plot.Series{{Name: "without hot nodes inside"}, {Name: "inclusive"}}
	var shares []string
	var values []Value
	hottest, inclusive, often := uint64(0), math.NaN(), math.NaN()
	for i, r := range nodes {
		own, in := share(r.Weight, zeros), share(r.Inclusive, zeros)
		chance := share(zero[i], loads[i])
		t.Rows = append(t.Rows, []Value{text(fmt.Sprintf("%#x", r.Tuple.W)), text(fmt.Sprintf("%#x", r.Hi())), percent(own), percent(in), percent(share(zero[i], zeros)), percent(chance)})
		bars.Groups = append(bars.Groups, fmt.Sprintf("2^%d from %#x", r.Free, r.Tuple.W))
		bars.Series[0].Values = append(bars.Series[0].Values, own)
		bars.Series[1].Values = append(bars.Series[1].Values, in)
		shares, values = append(shares, percent(own).Text), append(values, percent(own))
		if r.Free < 64 && r.Weight > hottest {
			hottest, inclusive, often = r.Weight, in, chance
		}
	}
	res.Tables = append(res.Tables, t)
	res.bars("rap-10", bars)
	res.row("zero loads in hot nodes", ours{strings.Join(shares, ", "), values}, "16.9 %, 54.6 %, 13.7 %", len(nodes) >= 3)
	res.row("in the hottest, inclusive", one(percent(inclusive)), "68.3 %", near(inclusive, 68.3, 0.2))
	res.row("a load there is 0 in", one(percent(often)), "about 38 %", near(often, 38, 0.2))
	return nil
}

// inRanges counts the loads with addresses in each of some ranges, and those of them
// whose value is 0. It makes a pass of its own, without a tree.
func (env *Env) inRanges(p Program, ranges []metric.Range) (loads, zero []uint64, err error) {
	source, err := env.tuples(p, "pairs")
	if err != nil {
		return nil, nil, err
	}
	loads, zero = make([]uint64, len(ranges)), make([]uint64, len(ranges))
	value := map[uint32]uint64{} // the value of the last load, by stream
	err = source(func(stream uint32, tuples []tuple.Tuple) {
		for _, t := range tuples {
			if t.Tag() != tuple.More {
				value[stream] = t.W
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
	return loads, zero, err
}
