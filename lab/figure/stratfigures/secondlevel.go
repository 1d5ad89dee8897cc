package figure

// This file has figure 10: what a second level saves.

import (
	"cmp"
	"math"
	"slices"

	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/lab/plot"
)

// figure10 is STRAT-12, over a quarter of the events. Beside the paper's engines the table has
//   - the share of the events that the 16 most frequent tuples have, and how much 16 entries
//     that always hold these tuples would save; only tuples that repeat for a while and
//     then no more can save more than that
//   - what a larger table saves
//   - what A16 saves with edges and calls.
func figure10(env *Env, res *Result) error {
	const h = "H[P256]2048"
	plain := []string{"R256", h, "tag2-256-2048"}
	var bar []string
	for _, e := range plain {
		bar = append(bar, e, e+"+A16")
	}
	res.setup("%s", rule)
	top, topCalls := map[*batch]float64{}, map[*batch]float64{}
	list, err := env.recorded(res, Programs, "loads", 4, append(slices.Clone(bar), h+"+A64"), func(b *batch) { top[b] = topShare(b.results[0][0].Ideal, 16) })
	if err != nil {
		return err
	}
	calls, err := env.recorded(res, Programs, "calls", 4, []string{h, h + "+A16"}, func(b *batch) { topCalls[b] = topShare(b.results[0][0].Ideal, 16) })
	if err != nil {
		return err
	}
	saved := func(b *batch, e, with string) tally { return b.tally(quotient(e, e+with, messages)) }
	t := Table{Title: "messages with A16: 1 of", Columns: slices.Concat([]string{"recording"}, with3(plain...), []string{"of the top 16", "saves", h + "+A64"})}
	edges := Table{Title: "edges and calls, messages with A16: 1 of", Columns: slices.Concat([]string{"recording"}, with3(h), []string{"of the top 16", "saves"})}
	for _, b := range list {
		line := []Value{text(b.String())}
		for _, e := range plain {
			line = append(line, saved(b, e, "+A16").spread(reduction)...)
		}
		t.Rows = append(t.Rows, append(line, percent(100*top[b]), reduction(1/(1-top[b])), reduction(saved(b, h, "+A64").median())))
	}
	for _, b := range calls {
		edges.Rows = append(edges.Rows, append(append([]Value{text(b.String())}, saved(b, h, "+A16").spread(reduction)...), percent(100*topCalls[b]), reduction(1/(1-topCalls[b]))))
	}
	res.Tables = append(res.Tables, t, edges)

	bars := plot.Bars{Title: "Figure 10: what a second level of 16 entries saves", Y: "modelled overhead %, median of runs"}
	for _, e := range bar {
		bars.Series = append(bars.Series, plot.Series{Name: e})
	}
	for _, p := range Programs {
		own := ofProgram(list, p)
		if own == nil {
			continue
		}
		bars.Groups = append(bars.Groups, p.Name)
		for i, e := range bar {
			bars.Series[i].Values = append(bars.Series[i].Values, tallyAll(own, ofEngine(e, overheadPercent)).median())
		}
	}
	res.bars("strat-10", bars)

	for _, e := range plain {
		res.compare(e+": messages to those with A16, any program", tallyAll(list, quotient(e, e+"+A16", messages)), times, "1.15-2.5", between(times(1.15), times(2.5)))
	}
	for _, e := range plain {
		least := tallyAcross(list, func(b *batch) tally { return saved(b, e, "+A16") }, tally.least)
		res.compare(e+": the same, the program with the least", least, times, "less with all programs", above(times(1)))
	}
	for _, role := range []string{"m88ksim", "db", "jess"} {
		one, rest := split(list, role)
		var more tally
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
			res.compare(inRole(role).String()+": saved, to the median of the others", more, times, "pronounced", above(times(1)))
		}
	}
	return nil
}

// split separates the batches of the program in a role from those of the others.
func split(list []*batch, role string) (own, rest []*batch) {
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
func medianAcross(list []*batch, e string) tally {
	return tallyAcross(list, func(b *batch) tally { return b.tally(quotient(e, e+"+A16", messages)) }, tally.median)
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
