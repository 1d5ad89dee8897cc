package figure

// This file has figure 5 of range adaptive profiling and the code of section 4.1: hot
// ranges, and the ranges that cover a share of a stream.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pepgo/pep/hwsim/rap"
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
// functions. A row for each tree has the number of hot ranges, which the paper states.
func hotRanges(env *Env, res *Result, p Program, taps, of, things, paper string) error {
	var options []rap.Options
	for _, x := range hotTrees {
		options = append(options, x.o)
	}
	list, err := env.forests(res, []Program{p}, taps, options, nil)
	if err != nil {
		return err
	}
	first := list[0]
	var functions Functions
	if taps == ofCode && env.Functions != nil {
		if functions, err = env.Functions(p.Name, first.taps(taps)); err != nil {
			return err
		}
	}
	res.setup("the tables of ranges have recording %s", first.recording)
	numbers := Table{Title: "hot ranges of " + of, Columns: []string{"recording"}}
	for _, x := range hotTrees {
		numbers.Columns = append(numbers.Columns, x.name)
	}
	for i, x := range hotTrees {
		g := first.trees[i]
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
		if taps == ofValues && i == 0 {
			continue // the paper's number is of eps 1 %; for code it does not say
		}
		res.compare(things+" with 10 % and more, "+x.name, everyTree(list, i, (*grown).hotRanges), fraction(things), paper, about(7, 7, fraction(things)))
	}
	for _, f := range list {
		row := []Value{text(f.String())}
		for _, g := range f.trees {
			row = append(row, count(len(g.hot), things))
		}
		numbers.Rows = append(numbers.Rows, row)
	}
	res.Tables = append(res.Tables, numbers)
	return cover(res, first.trees[1], of)
}

// rap5 is RAP-13 and RAP-31 for the values that a compressor loads. flate is the
// compressor among our programs; the paper's is gzip.
func rap5(env *Env, res *Result) error {
	p := named("flate")
	res.setup("program: %s, for gzip", p.Name)
	if err := hotRanges(env, res, p, ofValues, "values that "+p.Name+" loads", "ranges", "7 (gzip, eps 1 %)"); err != nil {
		return err
	}
	return frequent(env, res)
}

// someFifty is the share of the 50 most frequent values that "some" programs have. As in other figures, some are
// at least two.
var someFifty = about(40, 40, percent)

// frequent adds the frequencies of the most frequent values, for all programs, because
// section 4.1 makes its statement about programs in general.
func frequent(env *Env, res *Result) error {
	t := Table{Title: "how much of the loads the most frequent values are", Columns: []string{"recording", "one", "50", "different values"}}
	var list []*mostFrequent
	err := env.eachPoints(res, Programs, ofValues, func(o origin, points []uint64) error {
		top, different := topPoints(points, 50)
		s := &mostFrequent{origin: o, first: top[0]}
		for _, share := range top {
			s.fifty += share
		}
		list = append(list, s)
		t.Rows = append(t.Rows, []Value{text(o.String()), percent(s.first), percent(s.fifty), count(different, "values")})
		return nil
	})
	if err != nil {
		return err
	}
	res.Tables = append(res.Tables, t)
	var first tally
	for _, s := range list {
		first = append(first, s.first)
	}
	res.compare("the most frequent value, any program", first, percent, "20 to 40 % of loads", about(20, 40, percent))
	some := tallyAcross(list, func(s *mostFrequent) tally { return tally{s.fifty} }, func(one tally) float64 { return howMany(one, someFifty.holds) })
	res.compare("programs whose 50 most frequent values are "+someFifty.text, some, numberOf("programs"), "about 40 % for some", atLeast(numberOf("programs")(2)))
	return nil
}

// mostFrequent has the shares of the most frequent values of a recording, in percent.
type mostFrequent struct {
	origin
	first, fifty float64
}

// rapCode is the code of section 4.1.
func rapCode(env *Env, res *Result) error {
	p := inRole("gcc")
	return hotRanges(env, res, p, ofCode, "code of "+p.String(), "regions", "7 (gcc)")
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
