package rapfigures

// This file has figures 7 and 8 and what the abstract says: memory and errors of all programs.

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/pepgo/pep/hwsim/rap"
	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/plot"
)

// negligible is the error in percent below which we call an error negligible. The paper has no number.
const negligible = 0.5

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

// nodesByProgram is figure 7 of Mysore and others: nodes of all programs (RAP-22).
func nodesByProgram(taps string, paper memory) func(env *figure.Env, res *figure.Result) error {
	return func(env *figure.Env, res *figure.Result) error {
		list, err := forests(env, res, figure.Programs, taps, both, nil)
		if err != nil {
			return err
		}
		res.Describe("splits: between two merges, at most; %d are possible at eps 10 %%, %d at 1 %% (the paper's number)", rap.WorstSplits(both[0]), rap.WorstSplits(both[1]))
		res.Describe("accuracy: 100 %% less the average percent error of hot ranges; the paper does not say for which eps its averages are")
		t := figure.Table{Title: "nodes; bytes at the most nodes, with the paper's 16 and our 48 a node",
			Columns: []string{"recording", "eps 10 %: most", "after 2^20", "average", "bytes, 16", "bytes, 48", "splits", "eps 1 %: most", "after 2^20", "average", "bytes, 16", "bytes, 48", "splits"}}
		for _, f := range list {
			row := []figure.Value{figure.Text(f.String())}
			for _, g := range f.trees {
				row = append(row, figure.Count(g.stats.Most, "nodes"), nodes(g.later), nodes(g.average), memoryOf(g.stats.Most, paperNode), memoryOf(g.stats.Most, ourNode), figure.Count(g.stats.Busiest, "splits"))
			}
			t.Rows = append(t.Rows, row)
		}
		res.Tables = append(res.Tables, t)
		if err := otherTrees(env, res, taps); err != nil {
			return err
		}
		var largest figure.Program
		most := 0.0
		for i, eps := range []string{"10", "1"} {
			bars := plot.Bars{Title: "Figure 7: nodes, " + what(taps) + ", eps " + eps + " %", Y: "nodes, median of recordings", Series: []plot.Series{{Name: "most"}, {Name: "average"}}}
			for p, own := range figure.ByProgram(list) {
				x := everyTree(own, i, (*grown).most).Median()
				if i == 0 && x > most {
					largest, most = p, x
				}
				bars.Groups = append(bars.Groups, p.Name)
				bars.Series[0].Values = append(bars.Series[0].Values, x)
				bars.Series[1].Values = append(bars.Series[1].Values, everyTree(own, i, (*grown).averageNodes).Median())
			}
			res.AddBars(res.ID+"-"+eps, bars)
		}
		bound := figure.AtMost(nodes(paper.most))
		res.Compare("most", "most nodes of any program, eps 10 %", acrossTrees(list, 0, (*grown).most, figure.Tally.Most), nodes, fmt.Sprintf("%.0f", paper.most), bound)
		if env.Loads > settled {
			res.Compare("most-later", "the same after 2^20 events", acrossTrees(list, 0, (*grown).laterNodes, figure.Tally.Most), nodes, fmt.Sprintf("%.0f", paper.most), bound)
		}
		if own := figure.OfProgram(list, figure.InRole("gcc")); paper.gcc > 0 && own != nil {
			res.Compare("gcc-most", figure.InRole("gcc").String()+": most nodes, eps 10 %", everyTree(own, 0, (*grown).most), nodes, fmt.Sprintf("%.0f (gcc)", paper.gcc), figure.NoMore(paper.gcc, nodes))
		}
		if paper.parser > 0 {
			res.Compare("largest-average", largest.String()+", which has most: average nodes, eps 10 %", everyTree(figure.OfProgram(list, largest), 0, (*grown).averageNodes),
				nodes, fmt.Sprintf("%.0f (parser)", paper.parser), figure.NoMore(paper.parser, nodes))
		}
		for i, eps := range []string{"10", "1"} {
			res.Compare("average-"+eps, "average nodes of all programs, eps "+eps+" %", acrossTrees(list, i, (*grown).averageNodes, figure.Tally.Mean),
				nodes, fmt.Sprintf("about %.0f", paper.mean), figure.NoMore(paper.mean, nodes))
			res.Compare("accuracy-"+eps, "accuracy, average of all programs, eps "+eps+" %", acrossTrees(list, i, (*grown).accuracy, figure.Tally.Mean),
				figure.Percent, "99 %", figure.AtLeast(figure.Percent(99)))
		}
		return nil
	}
}

// otherTrees adds the memory of the program in the role of gcc for other trees: medians over its
// recordings. The trees differ in what the paper leaves open, the base of the logarithm and the number of
// points; two have a later start.
func otherTrees(env *figure.Env, res *figure.Result, taps string) error {
	p := figure.InRole("gcc")
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
	var options []rap.Options
	for _, x := range trees {
		x.o.Eps = coarse
		options = append(options, x.o)
	}
	list, err := forests(env, &figure.Result{}, []figure.Program{p}, taps, options, nil)
	if errors.Is(err, figure.ErrNoTrace) {
		return nil
	}
	if err != nil {
		return err
	}
	t := figure.Table{Title: p.String() + " with other trees, eps 10 %", Columns: slices.Concat([]string{"tree"}, figure.SpreadHeads("most", "after 2^20", "average", "greatest error"))}
	for i, x := range trees {
		t.Rows = append(t.Rows, slices.Concat([]figure.Value{figure.Text(x.name)}, everyTree(list, i, (*grown).most).Spread(nodes), everyTree(list, i, (*grown).laterNodes).Spread(nodes),
			everyTree(list, i, (*grown).averageNodes).Spread(nodes), everyTree(list, i, (*grown).greatestError).Spread(figure.Percent)))
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

// worst returns the hot range with the greatest percent error, and the greatest error in percent of the
// whole stream.
func (g *grown) worst() (of hotRange, ofStream float64) {
	for i, h := range g.hot {
		if i == 0 || h.error() > of.error() {
			of = h
		}
		ofStream = max(ofStream, share(h.exact-h.Inclusive, g.Events()))
	}
	return of, ofStream
}

// errorsByProgram is figure 8 of Mysore and others: errors of hot ranges (RAP-23). Errors are percent of the true count of a hot range. The average of
// programs is the average of their averages over hot ranges.
func errorsByProgram(taps string, paper accuracy) func(env *figure.Env, res *figure.Result) error {
	return func(env *figure.Env, res *figure.Result) error {
		list, err := forests(env, res, figure.Programs, taps, both, nil)
		if err != nil {
			return err
		}
		res.Describe("the truth: a pass over the events for each hot range; \"negligible\" has no number in the paper: here it is below %v %%", negligible)
		t := figure.Table{Title: "errors of hot ranges, in percent of their events",
			Columns: []string{"recording", "eps 10 %: hot", "most", "average", "% of stream", "in range", "eps 1 %: hot", "most", "average", "% of stream", "in range"}}
		for _, f := range list {
			row := []figure.Value{figure.Text(f.String())}
			for _, g := range f.trees {
				most, average := g.errors()
				if math.IsNaN(most) {
					return fmt.Errorf("%s: no hot range, although the range of all points is one if no other is", f)
				}
				of, ofStream := g.worst()
				row = append(row, figure.Count(len(g.hot), "ranges"), figure.Percent(most), figure.Percent(average), figure.Percent(ofStream), figure.Text(span64(of.Lo, of.Hi)))
			}
			t.Rows = append(t.Rows, row)
		}
		res.Tables = append(res.Tables, t)
		bars := plot.Bars{Title: "Figure 8: errors of hot ranges, " + what(taps), Y: "% of the range's events, median of recordings",
			Series: []plot.Series{{Name: "Maximum_10"}, {Name: "Average_10"}, {Name: "Maximum_1"}, {Name: "Average_1"}}}
		for p, own := range figure.ByProgram(list) {
			bars.Groups = append(bars.Groups, p.Name)
			for i := range both {
				bars.Series[2*i].Values = append(bars.Series[2*i].Values, everyTree(own, i, (*grown).greatestError).Median())
				bars.Series[2*i+1].Values = append(bars.Series[2*i+1].Values, everyTree(own, i, (*grown).averageError).Median())
			}
		}
		res.AddBars(res.ID, bars)
		ofStream := func(g *grown) float64 { _, x := g.worst(); return x }
		res.Compare("greatest-10", "greatest error of any program, eps 10 %", acrossTrees(list, 0, (*grown).greatestError, figure.Tally.Most),
			figure.Percent, fmt.Sprintf("%v %% (%s)", paper.most, paper.whose), figure.NoMore(paper.most, figure.Percent))
		res.Compare("greatest-10-of-stream", "the same as a share of the stream", acrossTrees(list, 0, ofStream, figure.Tally.Most), figure.Percent, "below 10 %", figure.Below(figure.Percent(10)))
		res.Compare("average-10", "average error of all programs, eps 10 %", acrossTrees(list, 0, (*grown).averageError, figure.Tally.Mean),
			figure.Percent, fmt.Sprintf("about %v %%", paper.average), figure.NoMore(paper.average, figure.Percent))
		res.Compare("greatest-1", "greatest error of any program, eps 1 %", acrossTrees(list, 1, (*grown).greatestError, figure.Tally.Most),
			figure.Percent, "negligible", figure.Below(figure.Percent(negligible)))
		res.Compare("average-1", "average error of all programs, eps 1 %", acrossTrees(list, 1, (*grown).averageError, figure.Tally.Mean),
			figure.Percent, "negligible", figure.Below(figure.Percent(negligible)))
		return nil
	}
}

// fixedNodes measures the accuracy of trees with a fixed number of nodes, which the abstract states (RAP-24). As in the abstract, the rows
// are for code; those for values stand below them.
func fixedNodes(env *figure.Env, res *figure.Result) error {
	caps := []rap.Options{{Eps: coarse, Nodes: 500}, {Eps: fine, Nodes: 4096}}
	type claim struct {
		taps  string
		paper [2]float64 // accuracy in percent
	}
	for _, c := range []claim{{ofCode, [2]float64{98, 99.73}}, {ofValues, [2]float64{96.6, 99}}} {
		list, err := forests(env, res, figure.Programs, c.taps, caps, nil)
		if err != nil {
			return err
		}
		t := figure.Table{Title: what(c.taps), Columns: []string{"recording", "500 nodes, eps 10 %: accuracy", "worst range", "splits denied", "4096 nodes, eps 1 %: accuracy", "worst range", "splits denied"}}
		for _, f := range list {
			row := []figure.Value{figure.Text(f.String())}
			for _, g := range f.trees {
				row = append(row, figure.Percent(g.accuracy()), figure.Percent(100-g.greatestError()), figure.Count(g.stats.Denied, "splits"))
			}
			t.Rows = append(t.Rows, row)
		}
		res.Tables = append(res.Tables, t)
		bars := plot.Bars{Title: "Average errors of hot ranges with a fixed number of nodes, " + what(c.taps), Y: "% of the range's events, median of recordings", Limit: 100 - c.paper[0],
			Series: []plot.Series{{Name: "500 nodes"}, {Name: "4096 nodes"}}}
		for p, own := range figure.ByProgram(list) {
			bars.Groups = append(bars.Groups, p.Name)
			for k := range caps {
				bars.Series[k].Values = append(bars.Series[k].Values, everyTree(own, k, (*grown).averageError).Median())
			}
		}
		res.AddBars("rap-headline-"+c.taps, bars)
		for k, o := range caps {
			paper := fmt.Sprintf("%v %%", c.paper[k])
			if c.taps == ofValues && k == 1 {
				paper = "99 % and more (negligible error)"
			}
			res.Compare(fmt.Sprintf("%s-%d", c.taps, o.Nodes), fmt.Sprintf("%s, %d nodes = %d KB: accuracy, average of all programs", what(c.taps), o.Nodes, (o.Nodes*paperNode+512)/1024),
				acrossTrees(list, k, (*grown).accuracy, figure.Tally.Mean), figure.Percent, paper, figure.AtLeast(figure.Percent(c.paper[k])))
		}
	}
	res.Describe("accuracy: 100 %% less the average percent error of hot ranges; 16 bytes a node as in the paper, ours have %d", ourNode)
	return nil
}

// accuracy is that of the hot ranges on average, in percent.
func (g *grown) accuracy() float64 { return 100 - g.averageError() }
