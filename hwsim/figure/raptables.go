package figure

// This file has figures 7 and 8 of range adaptive profiling and the rows of its
// abstract: memory and errors of all programs.

import (
	"errors"
	"fmt"
	"math"

	"github.com/pepgo/pep/hwsim/plot"
	"github.com/pepgo/pep/hwsim/rap"
)

// both describes the two trees of figures 7 and 8.
var both = []rap.Options{{Eps: coarse}, {Eps: fine}}

// memory has the paper's statements about figure 7, in nodes; 0 means that there is
// none.
type memory struct {
	most   float64 // of any program, eps 10 %
	gcc    float64 // at most, eps 10 %
	parser float64 // on average, eps 10 %; it has most
	mean   float64 // average of all programs, for 99 % accuracy
}

// rap7 is RAP-22.
func rap7(taps string, paper memory) func(env *Env, res *Result) error {
	return func(env *Env, res *Result) error {
		t := Table{Title: "nodes; bytes at the most nodes, with the paper's 16 and our 48 a node",
			Columns: []string{"program", "eps 10 %: most", "after 2^20", "average", "bytes, 16", "bytes, 48", "splits", "eps 1 %: most", "after 2^20", "average", "bytes, 16", "bytes, 48", "splits"}}
		var bars []plot.Bars
		for _, eps := range []string{"10", "1"} {
			bars = append(bars, plot.Bars{Title: "Figure 7: nodes, " + what(taps) + ", eps " + eps + " %", Y: "nodes", Series: []plot.Series{{Name: "most"}, {Name: "average"}}})
		}
		var largest Program
		var ofLargest, ofGCC *grown
		n, most, later := 0, 0, 0 // programs; nodes of any of them, eps 10 %
		mean, right := make([]float64, len(both)), make([]float64, len(both))
		err := env.eachGrown(res, taps, both, func(p Program, trees []*grown) error {
			n++
			row := []Value{text(p.String())}
			if g := trees[0]; g.stats.Most > most {
				most, largest, ofLargest = g.stats.Most, p, g
			}
			later = max(later, trees[0].later)
			if p.Role == "gcc" {
				ofGCC = trees[0]
			}
			for i, g := range trees {
				row = append(row, count(g.stats.Most, "nodes"), count(g.later, "nodes"), nodes(g.average), memoryOf(g.stats.Most, paperNode), memoryOf(g.stats.Most, ourNode), count(g.stats.Busiest, "splits"))
				_, e := g.errors()
				mean[i], right[i] = mean[i]+g.average, right[i]+100-e
				bars[i].Groups = append(bars[i].Groups, p.Name)
				bars[i].Series[0].Values = append(bars[i].Series[0].Values, float64(g.stats.Most))
				bars[i].Series[1].Values = append(bars[i].Series[1].Values, g.average)
			}
			t.Rows = append(t.Rows, row)
			return nil
		})
		if err != nil {
			return err
		}
		res.Tables = append(res.Tables, t)
		if err := otherTrees(env, res, taps); err != nil {
			return err
		}
		res.bars(res.ID+"-10", bars[0])
		res.bars(res.ID+"-1", bars[1])
		res.setup("splits: between two merges, at most; %d are possible at eps 10 %%, %d at 1 %% (the paper's number)", rap.WorstSplits(both[0]), rap.WorstSplits(both[1]))
		res.row("most nodes of any program, eps 10 %", list(count(most, "nodes"), text(largest.String())), fmt.Sprintf("%.0f", paper.most), float64(most) <= paper.most)
		if later > 0 {
			res.row("the same after 2^20 events", one(count(later, "nodes")), fmt.Sprintf("%.0f", paper.most), float64(later) <= paper.most)
		}
		if paper.gcc > 0 && ofGCC != nil {
			res.row(inRole("gcc").String()+": most nodes, eps 10 %", one(count(ofGCC.stats.Most, "nodes")), fmt.Sprintf("%.0f (gcc)", paper.gcc), float64(ofGCC.stats.Most) <= paper.gcc)
		}
		if paper.parser > 0 {
			res.row(largest.String()+": average nodes, eps 10 %", one(nodes(ofLargest.average)), fmt.Sprintf("%.0f (parser)", paper.parser), ofLargest.average <= paper.parser)
		}
		for i, eps := range []string{"10", "1"} {
			nodesEach, accurate := mean[i]/float64(n), right[i]/float64(n)
			res.row("average nodes of all programs and accuracy, eps "+eps+" %", two(nodes(nodesEach), percent(accurate), ""),
				fmt.Sprintf("about %.0f, 99 %%", paper.mean), nodesEach <= 1.1*paper.mean && accurate >= 99)
		}
		return nil
	}
}

// otherTrees adds the memory of the program in the role of gcc for other trees. They
// differ in what the paper leaves open, the base of the logarithm and the number of
// points; one has a later start.
func otherTrees(env *Env, res *Result, taps string) error {
	p := inRole("gcc")
	points, err := env.points(p, taps)
	if errors.Is(err, ErrNoTrace) {
		return nil
	}
	if err != nil {
		return err
	}
	t := Table{Title: p.String() + " with other trees, eps 10 %", Columns: []string{"tree", "most", "after 2^20", "average", "greatest error"}}
	trees := []struct {
		name string
		o    rap.Options
	}{
		{"as above", rap.Options{}},
		{"thresholds with log_4", rap.Options{Height: rap.LogB}},
		{"start-up of 2^16 events", rap.Options{Start: 1 << 16}},
		{"start-up of 2^20 events", rap.Options{Start: 1 << 20}},
		{"2^32 points", rap.Options{Universe: 1 << 32}},
		{"2^32 points, log_4", rap.Options{Universe: 1 << 32, Height: rap.LogB}},
	}
	if taps == ofValues {
		trees = trees[:len(trees)-2]
	}
	for _, x := range trees {
		x.o.Eps = coarse
		g, err := grow(x.o, points, nil)
		if err != nil {
			return fmt.Errorf("%s: %w", x.name, err)
		}
		most, _ := g.errors()
		t.Rows = append(t.Rows, []Value{text(x.name), count(g.stats.Most, "nodes"), count(g.later, "nodes"), nodes(g.average), percent(most)})
	}
	res.Tables = append(res.Tables, t)
	return nil
}

// accuracy has the paper's statements about figure 8, in percent.
type accuracy struct {
	most    float64 // of any hot range, eps 10 %
	whose   string
	average float64 // of all programs
}

// rap8 is RAP-23. Errors are percent of the true count of a hot range. The average of
// programs is the average of their averages over hot ranges.
func rap8(taps string, paper accuracy) func(env *Env, res *Result) error {
	return func(env *Env, res *Result) error {
		t := Table{Title: "errors of hot ranges, in percent of their events",
			Columns: []string{"program", "eps 10 %: hot", "most", "average", "% of stream", "in range", "eps 1 %: hot", "most", "average", "% of stream"}}
		bars := plot.Bars{Title: "Figure 8: errors of hot ranges, " + what(taps), Y: "% of the range's events",
			Series: []plot.Series{{Name: "Maximum_10"}, {Name: "Average_10"}, {Name: "Maximum_1"}, {Name: "Average_1"}}}
		most, average, stream := make([]float64, len(both)), make([]float64, len(both)), make([]float64, len(both))
		n := 0
		var where string
		err := env.eachGrown(res, taps, both, func(p Program, trees []*grown) error {
			n++
			row := []Value{text(p.String())}
			bars.Groups = append(bars.Groups, p.Name)
			for i, g := range trees {
				m, a := g.errors()
				if math.IsNaN(m) {
					return fmt.Errorf("%s: no hot range, although the range of all points is one if no other is", p.Name)
				}
				least, in := 0.0, ""
				for _, h := range g.hot {
					if share := 100 * float64(h.exact-h.Inclusive) / float64(g.Events()); share > least {
						least = share
					}
					if h.error() == m {
						in = span64(h.Lo, h.Hi)
					}
				}
				row = append(row, count(len(g.hot), "ranges"), percent(m), percent(a), percent(least))
				if i == 0 {
					row = append(row, text(in))
					if m > most[0] {
						where = p.String() + " " + in
					}
				}
				most[i], stream[i] = max(most[i], m), max(stream[i], least)
				average[i] += a
				bars.Series[2*i].Values = append(bars.Series[2*i].Values, m)
				bars.Series[2*i+1].Values = append(bars.Series[2*i+1].Values, a)
			}
			t.Rows = append(t.Rows, row)
			return nil
		})
		if err != nil {
			return err
		}
		for i := range average {
			average[i] /= float64(n)
		}
		res.setup("the truth: a pass over the events for each hot range")
		res.Tables = append(res.Tables, t)
		res.bars(res.ID, bars)
		res.row("greatest error, eps 10 %", list(percent(most[0]), text(where)), fmt.Sprintf("%v %% (%s)", paper.most, paper.whose), most[0] <= paper.most)
		res.row("the same as a share of the stream", one(percent(stream[0])), "below 10 %", stream[0] < 10)
		res.row("average error, eps 10 %", one(percent(average[0])), fmt.Sprintf("about %v %%", paper.average), average[0] <= paper.average)
		res.row("greatest and average error, eps 1 %", two(percent(most[1]), percent(average[1]), ""), "negligible", most[1] < 2 && average[1] < negligible)
		return nil
	}
}

// headline is RAP-24: trees with a fixed number of nodes. As in the abstract, the rows
// are for code; those for values stand below them.
func headline(env *Env, res *Result) error {
	caps := []rap.Options{{Eps: coarse, Nodes: 500}, {Eps: fine, Nodes: 4096}}
	type claim struct {
		taps  string
		paper [2]float64 // accuracy in percent
	}
	for _, c := range []claim{{ofCode, [2]float64{98, 99.73}}, {ofValues, [2]float64{96.6, 99}}} {
		t := Table{Title: what(c.taps), Columns: []string{"program", "500 nodes, eps 10 %: accuracy", "worst range", "splits denied", "4096 nodes, eps 1 %: accuracy", "worst range", "splits denied"}}
		var accuracy [2]float64
		var denied [2]uint64
		n := 0
		bars := plot.Bars{Title: "Average errors of hot ranges with a fixed number of nodes, " + what(c.taps), Y: "% of the range's events", Limit: 100 - c.paper[0], Series: []plot.Series{{Name: "500 nodes"}, {Name: "4096 nodes"}}}
		err := env.eachGrown(res, c.taps, caps, func(p Program, trees []*grown) error {
			n++
			row := []Value{text(p.String())}
			bars.Groups = append(bars.Groups, p.Name)
			for k, g := range trees {
				most, average := g.errors()
				row = append(row, percent(100-average), percent(100-most), count(g.stats.Denied, "splits"))
				accuracy[k] += 100 - average
				denied[k] += g.stats.Denied
				bars.Series[k].Values = append(bars.Series[k].Values, average)
			}
			t.Rows = append(t.Rows, row)
			return nil
		})
		if err != nil {
			return err
		}
		res.Tables = append(res.Tables, t)
		res.bars("rap-headline-"+c.taps, bars)
		for k, o := range caps {
			a := accuracy[k] / float64(n)
			paper := fmt.Sprintf("%v %%", c.paper[k])
			if c.taps == ofValues && k == 1 {
				paper = "99 % and more (negligible error)"
			}
			res.row(fmt.Sprintf("%s, %d nodes = %d KB", what(c.taps), o.Nodes, (o.Nodes*paperNode+512)/1024),
				ours{fmt.Sprintf("%s, %d splits denied", percent(a).Text, denied[k]), []Value{percent(a), count(denied[k], "splits")}}, paper, a >= c.paper[k])
		}
	}
	res.setup("accuracy: 100 %% less the average percent error of hot ranges; 16 bytes a node as in the paper, ours have %d", ourNode)
	return nil
}
