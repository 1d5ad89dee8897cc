package stratfigures

// This file has figure 10: what a second level saves.

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/plot"
)

// secondLevel is figure 10 of Sastry, Bodik and Smith: what a second level saves (STRAT-12). It takes a quarter of the
// loads. Beside the paper's engines the table has
//   - the share of the events that the 16 most frequent tuples have, and how much 16 entries
//     that always hold these tuples would save; only tuples that repeat for a while and
//     then no more can save more than that
//   - what a larger table saves
//   - what A16 saves with edges and calls.
func secondLevel(env *figure.Env, res *figure.Result) error {
	const h = "H[P256]2048"
	plain := []string{"R256", h, "tag2-256-2048"}
	var bar []string
	for _, e := range plain {
		bar = append(bar, e, e+"+A16")
	}
	res.Describe("%s", rule)
	top, topCalls := map[*figure.Batch]float64{}, map[*figure.Batch]float64{}
	quarter := *env
	quarter.Loads /= 4
	list, err := quarter.ReplayRecordings(res, figure.Programs, "loads", append(slices.Clone(bar), h+"+A64"), func(b *figure.Batch) { top[b] = topShare(b.Results[0][0].Ideal, 16) })
	if err != nil {
		return err
	}
	calls, err := env.ReplayRecordings(res, figure.Programs, figure.OfBranches, []string{h, h + "+A16"}, func(b *figure.Batch) { topCalls[b] = topShare(b.Results[0][0].Ideal, 16) })
	if err != nil {
		return err
	}
	saved := func(b *figure.Batch, e, with string) figure.Tally { return b.Tally(quotient(e, e+with, messages)) }
	t := figure.Table{Title: "messages with A16: 1 of", Columns: slices.Concat([]string{"recording"}, figure.SpreadHeads(plain...), []string{"of the top 16", "saves", h + "+A64"})}
	edges := figure.Table{Title: "edges and calls, messages with A16: 1 of", Columns: slices.Concat([]string{"recording"}, figure.SpreadHeads(h), []string{"of the top 16", "saves"})}
	for _, b := range list {
		line := []figure.Value{figure.Text(b.String())}
		for _, e := range plain {
			line = append(line, saved(b, e, "+A16").Spread(reduction)...)
		}
		t.Rows = append(t.Rows, append(line, figure.Percent(100*top[b]), reduction(1/(1-top[b])), reduction(saved(b, h, "+A64").Median())))
	}
	for _, b := range calls {
		edges.Rows = append(edges.Rows, append(append([]figure.Value{figure.Text(b.String())}, saved(b, h, "+A16").Spread(reduction)...), figure.Percent(100*topCalls[b]), reduction(1/(1-topCalls[b]))))
	}
	res.Tables = append(res.Tables, t, edges)

	bars := plot.Bars{Title: "Figure 10: what a second level of 16 entries saves", Y: "modelled overhead %, median of runs"}
	for _, e := range bar {
		bars.Series = append(bars.Series, plot.Series{Name: e})
	}
	for p, own := range figure.ByProgram(list) {
		bars.Groups = append(bars.Groups, p.Name)
		for i, e := range bar {
			bars.Series[i].Values = append(bars.Series[i].Values, figure.TallyAll(own, figure.OfEngine(e, overheadPercent)).Median())
		}
	}
	res.AddBars("strat-10", bars)

	for _, e := range plain {
		res.Compare("saved-"+e, e+": messages to those with A16, any program", figure.TallyAll(list, quotient(e, e+"+A16", messages)),
			figure.Times, "1.15-2.5", figure.Between(figure.Times(1.15), figure.Times(2.5)))
	}
	for _, e := range plain {
		least := across(list, quotient(e, e+"+A16", messages), figure.Tally.Least)
		res.Compare("least-"+e, e+": the same, the program with the least", least, figure.Times, "less with all programs", figure.Above(figure.Times(1)))
	}
	for _, role := range []string{"m88ksim", "db", "jess"} {
		one, rest := split(list, role)
		var more figure.Tally
		for _, e := range plain {
			of := medianAcross(rest, e)
			for i, x := range medianAcross(one, e) {
				if i == len(of) {
					break
				}
				more = append(more, x/of[i])
			}
		}
		if more != nil {
			res.Compare("to-others-"+role, figure.InRole(role).String()+": saved, to the median of the others", more, figure.Times, "pronounced", figure.Above(figure.Times(1)))
		}
	}
	return nil
}

// split separates the batches of the program in a role from those of the others.
func split(list []*figure.Batch, role string) (own, rest []*figure.Batch) {
	for _, b := range list {
		if b.Role == role {
			own = append(own, b)
		} else {
			rest = append(rest, b)
		}
	}
	return own, rest
}

// medianAcross returns the median, over programs, of the factor by which A16 reduces the
// messages of an engine: one for each seed and recording.
func medianAcross(list []*figure.Batch, e string) figure.Tally {
	return across(list, quotient(e, e+"+A16", messages), figure.Tally.Median)
}

// topShare returns the share of all events that the k most frequent tuples have.
func topShare(p *metric.Profile, k int) float64 {
	var counts []uint64
	for _, t := range (metric.Selection{}).Of(p) {
		counts = append(counts, p.Tuple(t))
	}
	slices.SortFunc(counts, func(a, b uint64) int { return cmp.Compare(b, a) })
	sum := uint64(0)
	for _, n := range counts[:min(k, len(counts))] {
		sum += n
	}
	if p.Total() == 0 {
		return math.NaN()
	}
	return float64(sum) / float64(p.Total())
}

// reduction is the factor by which messages become fewer.
func reduction(x float64) figure.Value {
	return figure.Value{Text: fmt.Sprintf("%.2f", x), Number: x, Unit: "factor"}
}
