package figure

// This file has figures 7 and 8 of range adaptive profiling and the rows of its
// abstract: memory and errors of all programs.

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/pepgo/pep/hwsim/rap"
	"github.com/pepgo/pep/lab/plot"
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
		list, err := env.forests(res, Programs, taps, both, nil)
		if err != nil {
			return err
		}
		res.setup("splits: between two merges, at most; %d are possible at eps 10 %%, %d at 1 %% (the paper's number)", rap.WorstSplits(both[0]), rap.WorstSplits(both[1]))
		res.setup("accuracy: 100 %% less the average percent error of hot ranges; the paper does not say for which eps its averages are")
		t := Table{Title: "nodes; bytes at the most nodes, with the paper's 16 and our 48 a node",
			Columns: []string{"recording", "eps 10 %: most", "after 2^20", "average", "bytes, 16", "bytes, 48", "splits", "eps 1 %: most", "after 2^20", "average", "bytes, 16", "bytes, 48", "splits"}}
		for _, f := range list {
			row := []Value{text(f.String())}
			for _, g := range f.trees {
				row = append(row, count(g.stats.Most, "nodes"), nodes(g.later), nodes(g.average), memoryOf(g.stats.Most, paperNode), memoryOf(g.stats.Most, ourNode), count(g.stats.Busiest, "splits"))
			}
			t.Rows = append(t.Rows, row)
		}
		res.Tables = append(res.Tables, t)
		if err := otherTrees(env, res, taps); err != nil {
			return err
		}
		var largest Program
		most := 0.0
		for i, eps := range []string{"10", "1"} {
			bars := plot.Bars{Title: "Figure 7: nodes, " + what(taps) + ", eps " + eps + " %", Y: "nodes, median of recordings", Series: []plot.Series{{Name: "most"}, {Name: "average"}}}
			for _, p := range Programs {
				own := ofProgram(list, p)
				if own == nil {
					continue
				}
				x := everyTree(own, i, (*grown).most).median()
				if i == 0 && x > most {
					largest, most = p, x
				}
				bars.Groups = append(bars.Groups, p.Name)
				bars.Series[0].Values = append(bars.Series[0].Values, x)
				bars.Series[1].Values = append(bars.Series[1].Values, everyTree(own, i, (*grown).averageNodes).median())
			}
			res.bars(res.ID+"-"+eps, bars)
		}
		bound := atMost(nodes(paper.most))
		res.compare("most nodes of any program, eps 10 %", acrossTrees(list, 0, (*grown).most, tally.most), nodes, fmt.Sprintf("%.0f", paper.most), bound)
		if env.Events > settled {
			res.compare("the same after 2^20 events", acrossTrees(list, 0, (*grown).laterNodes, tally.most), nodes, fmt.Sprintf("%.0f", paper.most), bound)
		}
		if own := ofProgram(list, inRole("gcc")); paper.gcc > 0 && own != nil {
			res.compare(inRole("gcc").String()+": most nodes, eps 10 %", everyTree(own, 0, (*grown).most), nodes, fmt.Sprintf("%.0f (gcc)", paper.gcc), noMore(paper.gcc, nodes))
		}
		if paper.parser > 0 {
			res.compare(largest.String()+", which has most: average nodes, eps 10 %", everyTree(ofProgram(list, largest), 0, (*grown).averageNodes), nodes, fmt.Sprintf("%.0f (parser)", paper.parser), noMore(paper.parser, nodes))
		}
		for i, eps := range []string{"10", "1"} {
			res.compare("average nodes of all programs, eps "+eps+" %", acrossTrees(list, i, (*grown).averageNodes, tally.mean), nodes, fmt.Sprintf("about %.0f", paper.mean), noMore(paper.mean, nodes))
			res.compare("accuracy, average of all programs, eps "+eps+" %", acrossTrees(list, i, (*grown).accuracy, tally.mean), percent, "99 %", atLeast(percent(99)))
		}
		return nil
	}
}

// otherTrees adds the memory of the program in the role of gcc for other trees: medians over its
// recordings. The trees differ in what the paper leaves open, the base of the logarithm and the number of
// points; two have a later start.
func otherTrees(env *Env, res *Result, taps string) error {
	p := inRole("gcc")
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
	list, err := env.forests(&Result{}, []Program{p}, taps, options, nil)
	if errors.Is(err, ErrNoTrace) {
		return nil
	}
	if err != nil {
		return err
	}
	t := Table{Title: p.String() + " with other trees, eps 10 %", Columns: slices.Concat([]string{"tree"}, with3("most", "after 2^20", "average", "greatest error"))}
	for i, x := range trees {
		t.Rows = append(t.Rows, slices.Concat([]Value{text(x.name)}, everyTree(list, i, (*grown).most).spread(nodes), everyTree(list, i, (*grown).laterNodes).spread(nodes),
			everyTree(list, i, (*grown).averageNodes).spread(nodes), everyTree(list, i, (*grown).greatestError).spread(percent)))
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

// rap8 is RAP-23. Errors are percent of the true count of a hot range. The average of
// programs is the average of their averages over hot ranges.
func rap8(taps string, paper accuracy) func(env *Env, res *Result) error {
	return func(env *Env, res *Result) error {
		list, err := env.forests(res, Programs, taps, both, nil)
		if err != nil {
			return err
		}
		res.setup("the truth: a pass over the events for each hot range; \"negligible\" has no number in the paper: here it is below %v %%", negligible)
		t := Table{Title: "errors of hot ranges, in percent of their events",
			Columns: []string{"recording", "eps 10 %: hot", "most", "average", "% of stream", "in range", "eps 1 %: hot", "most", "average", "% of stream", "in range"}}
		for _, f := range list {
			row := []Value{text(f.String())}
			for _, g := range f.trees {
				most, average := g.errors()
				if math.IsNaN(most) {
					return fmt.Errorf("%s: no hot range, although the range of all points is one if no other is", f)
				}
				of, ofStream := g.worst()
				row = append(row, count(len(g.hot), "ranges"), percent(most), percent(average), percent(ofStream), text(span64(of.Lo, of.Hi)))
			}
			t.Rows = append(t.Rows, row)
		}
		res.Tables = append(res.Tables, t)
		bars := plot.Bars{Title: "Figure 8: errors of hot ranges, " + what(taps), Y: "% of the range's events, median of recordings",
			Series: []plot.Series{{Name: "Maximum_10"}, {Name: "Average_10"}, {Name: "Maximum_1"}, {Name: "Average_1"}}}
		for _, p := range Programs {
			own := ofProgram(list, p)
			if own == nil {
				continue
			}
			bars.Groups = append(bars.Groups, p.Name)
			for i := range both {
				bars.Series[2*i].Values = append(bars.Series[2*i].Values, everyTree(own, i, (*grown).greatestError).median())
				bars.Series[2*i+1].Values = append(bars.Series[2*i+1].Values, everyTree(own, i, (*grown).averageError).median())
			}
		}
		res.bars(res.ID, bars)
		ofStream := func(g *grown) float64 { _, x := g.worst(); return x }
		res.compare("greatest error of any program, eps 10 %", acrossTrees(list, 0, (*grown).greatestError, tally.most), percent, fmt.Sprintf("%v %% (%s)", paper.most, paper.whose), noMore(paper.most, percent))
		res.compare("the same as a share of the stream", acrossTrees(list, 0, ofStream, tally.most), percent, "below 10 %", below(percent(10)))
		res.compare("average error of all programs, eps 10 %", acrossTrees(list, 0, (*grown).averageError, tally.mean), percent, fmt.Sprintf("about %v %%", paper.average), noMore(paper.average, percent))
		res.compare("greatest error of any program, eps 1 %", acrossTrees(list, 1, (*grown).greatestError, tally.most), percent, "negligible", below(percent(negligible)))
		res.compare("average error of all programs, eps 1 %", acrossTrees(list, 1, (*grown).averageError, tally.mean), percent, "negligible", below(percent(negligible)))
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
		list, err := env.forests(res, Programs, c.taps, caps, nil)
		if err != nil {
			return err
		}
		t := Table{Title: what(c.taps), Columns: []string{"recording", "500 nodes, eps 10 %: accuracy", "worst range", "splits denied", "4096 nodes, eps 1 %: accuracy", "worst range", "splits denied"}}
		for _, f := range list {
			row := []Value{text(f.String())}
			for _, g := range f.trees {
				row = append(row, percent(g.accuracy()), percent(100-g.greatestError()), count(g.stats.Denied, "splits"))
			}
			t.Rows = append(t.Rows, row)
		}
		res.Tables = append(res.Tables, t)
		bars := plot.Bars{Title: "Average errors of hot ranges with a fixed number of nodes, " + what(c.taps), Y: "% of the range's events, median of recordings", Limit: 100 - c.paper[0], Series: []plot.Series{{Name: "500 nodes"}, {Name: "4096 nodes"}}}
		for _, p := range Programs {
			own := ofProgram(list, p)
			if own == nil {
				continue
			}
			bars.Groups = append(bars.Groups, p.Name)
			for k := range caps {
				bars.Series[k].Values = append(bars.Series[k].Values, everyTree(own, k, (*grown).averageError).median())
			}
		}
		res.bars("rap-headline-"+c.taps, bars)
		for k, o := range caps {
			paper := fmt.Sprintf("%v %%", c.paper[k])
			if c.taps == ofValues && k == 1 {
				paper = "99 % and more (negligible error)"
			}
			res.compare(fmt.Sprintf("%s, %d nodes = %d KB: accuracy, average of all programs", what(c.taps), o.Nodes, (o.Nodes*paperNode+512)/1024),
				acrossTrees(list, k, (*grown).accuracy, tally.mean), percent, paper, atLeast(percent(c.paper[k])))
		}
	}
	res.setup("accuracy: 100 %% less the average percent error of hot ranges; 16 bytes a node as in the paper, ours have %d", ourNode)
	return nil
}

// accuracy is that of the hot ranges on average, in percent.
func (g *grown) accuracy() float64 { return 100 - g.averageError() }
