package figure

// This file has figures 7 to 10: profiles of the values that loads see.

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/plot"
	"github.com/pepgo/pep/hwsim/replay"
)

// compressors are the five that section 5.4 compares.
var compressors = []string{"R256", "P256", "H[P256]2048", "H[P512]2048", "tag2-256-2048"}

const maxError = 30 // percent, where plots of errors end: all begin at 100

// curves returns one curve of every engine.
func curves(engines []string, results []*replay.Result, of func(r *replay.Result) metric.Curve) (c []plot.Curve) {
	for i, r := range results {
		c = append(c, plot.Curve{Name: engines[i], Points: of(r)})
	}
	return c
}

func errorsOf(r *replay.Result) metric.Curve { return r.Errors }

// errorLines draws the errors of engines on a program.
func errorLines(title string, engines []string, results []*replay.Result) plot.Lines {
	return plot.Lines{
		Title: title, X: "load events", Y: "error %", LogX: true, MaxY: maxError, Limit: limit,
		Curves: curves(engines, results, errorsOf),
	}
}

// convergence is a table of what engines did on a program.
func convergence(title string, engines []string, results []*replay.Result) Table {
	t := Table{Title: title, Columns: []string{"engine", "messages", "overhead", "error", "first <5 %", "stays <5 %", "bytes"}}
	for i, r := range results {
		t.Rows = append(t.Rows, []Value{
			text(engines[i]), count(r.Messages, "messages"), percent(r.Percent()), percent(errorPercent(r)),
			events(r.Errors.FirstBelow(limit)), events(r.Errors.StaysBelow(limit)), bytes(r),
		})
	}
	return t
}

// figure7 is STRAT-22 and STRAT-23.
func figure7(env *Env, res *Result) error {
	p := inRole("gcc")
	results, err := env.replaySeeds(p, "loads", compressors...)
	if err != nil {
		return err
	}
	by := byName(compressors, results)
	r, periodic := by["R256"], by["P256"]
	h, half, tagged := by["H[P256]2048"], by["H[P512]2048"], by["tag2-256-2048"]
	quarter := env.Events / 4
	res.setup("program: %s, %s; %s load events; errors of %d tuples at %d places, averages of %d runs, from seed %d on", p, p.Why, short(r.Events), r.Error.Tuples, r.Error.Places, seeds, env.Seed)
	env.model(res)
	res.Tables = append(res.Tables, convergence("at the end", compressors, results))

	upTo := func(r *replay.Result) metric.Curve { return until(r.Errors, quarter) }
	name := "Figure 7: " + p.Name
	res.lines("strat-7a", plot.Lines{
		Title: name + ", error until " + short(quarter), X: "load events", Y: "error %", MaxY: maxError, Limit: limit,
		Curves: curves(compressors, results, upTo),
	})
	res.lines("strat-7b", errorLines(name+", error", compressors, results))
	res.lines("strat-7c", plot.Lines{
		Title: name + ", modelled overhead", X: "load events", Y: "overhead %",
		Curves: curves(compressors, results, func(r *replay.Result) metric.Curve { return r.Sent }),
	})

	hFirst, hOK := h.Errors.FirstBelow(limit)
	rFirst, rOK := r.Errors.FirstBelow(limit)
	hStays, hStaysOK := h.Errors.StaysBelow(limit)
	rStays, rStaysOK := r.Errors.StaysBelow(limit)
	first, stays := ratio(rFirst, rOK, hFirst, hOK), ratio(rStays, rStaysOK, hStays, hStaysOK)
	res.row("H[P256]2048 is first below 5 %", from(events(hFirst, hOK), h, hFirst), "200K", hOK && hFirst <= 400_000)
	res.row("R256 is first below 5 %", from(events(rFirst, rOK), r, rFirst), "600K-700K", rOK && rFirst >= 300_000 && rFirst <= 1_400_000)
	res.row("R256 takes longer", one(factor(first)), "3-3.5x; at least 2x", first >= 2)
	res.row("H[P256]2048 stays below 5 % from", one(events(hStays, hStaysOK)), "300K", hStaysOK && hStays <= 600_000)
	res.row("R256 stays below 5 % from", one(events(rStays, rStaysOK)), "7M", rStaysOK && rStays >= 3_500_000 && rStays <= 14_000_000)
	res.row("R256 takes longer to stay", one(factor(stays)), "23x; at least 2x", stays >= 2)
	res.row("error of H[P256]2048 at the end", one(percent(errorPercent(h))), "below 3 %", errorPercent(h) < 3)
	res.row("overhead of H[P256]2048 at the end", one(percent(h.Percent())), "3.5 %", near(h.Percent(), 3.5, 0.1))
	res.row("errors of R256 and P256", two(percent(errorPercent(r)), percent(errorPercent(periodic)), ""), "almost identical", near(errorPercent(r), errorPercent(periodic), 0.2))
	onAverage := best(compressors, results, func(r *replay.Result) float64 { return mean(finite(r.Errors)) })
	res.row("the most accurate, over the curve", one(text(onAverage)), "tag2-256-2048", onAverage == "tag2-256-2048")
	atTheEnd := best(compressors, results, errorPercent)
	res.row("the most accurate, at the end", one(text(atTheEnd)), "tag2-256-2048", atTheEnd == "tag2-256-2048")
	cost := float64(tagged.Messages) / float64(h.Messages)
	res.row("messages of tag2-256-2048 to H[P256]2048", one(factor(cost)), "almost 3x", cost >= 2 && cost <= 3.5)
	halved := float64(half.Messages) / float64(r.Messages)
	res.row("messages of H[P512]2048 to R256", one(factor(halved)), "half", math.Abs(halved-0.5) <= 0.05)
	res.row("errors of H[P512]2048 and R256", two(percent(errorPercent(half)), percent(errorPercent(r)), ""), "similar", near(errorPercent(half), errorPercent(r), 0.3))
	gap := int64(r.Messages) - int64(h.Messages)
	res.row("messages of R256 above H[P256]2048", one(count(gap, "messages")), "up to 2K", gap >= 0 && gap <= 2048)
	return figure7All(env, res)
}

// turn is how many events of a program follow each other where programs take
// turns.
const turn = 1000

// figure7All lets the programs take turns. The paper selected gcc for its large working
// set, and none of our programs alone has as many places.
func figure7All(env *Env, res *Result) error {
	results, n, err := env.replayAll(turn, compressors...)
	if err != nil {
		return err
	}
	by := byName(compressors, results)
	r, periodic, h, half, tagged := by["R256"], by["P256"], by["H[P256]2048"], by["H[P512]2048"], by["tag2-256-2048"]
	res.setup("all: %d programs in turns of %d events; %s load events; errors of %d tuples at %d places", n, turn, short(r.Events), r.Error.Tuples, r.Error.Places)
	res.Tables = append(res.Tables, convergence(fmt.Sprintf("%d programs in turns", n), compressors, results))
	res.lines("strat-7d", errorLines(fmt.Sprintf("Figure 7, with %d programs in turns: error", n), compressors, results))

	hStays, hOK := h.Errors.StaysBelow(limit)
	rStays, rOK := r.Errors.StaysBelow(limit)
	longer := ratio(rStays, rOK, hStays, hOK)
	res.row("all: H[P256]2048 stays below 5 % from", one(events(hStays, hOK)), "300K", hOK && hStays <= 1_200_000)
	res.row("all: R256 stays below 5 % from", one(events(rStays, rOK)), "7M", rOK && rStays >= 1_750_000 && rStays <= 14_000_000)
	res.row("all: R256 takes longer to stay", one(factor(longer)), "23x; at least 2x", longer >= 2)
	res.row("all: errors of R256 and P256", two(percent(errorPercent(r)), percent(errorPercent(periodic)), ""), "almost identical", near(errorPercent(r), errorPercent(periodic), 0.2))
	res.row("all: errors of H[P512]2048 and R256", two(percent(errorPercent(half)), percent(errorPercent(r)), ""), "similar", near(errorPercent(half), errorPercent(r), 0.3))
	cost := float64(tagged.Messages) / float64(h.Messages)
	res.row("all: messages of tag2-256-2048 to H[P256]2048", one(factor(cost)), "almost 3x", cost >= 2 && cost <= 3.5)
	return nil
}

// best returns the engine with the least error.
func best(engines []string, results []*replay.Result, of func(r *replay.Result) float64) string {
	least := 0
	for i, r := range results {
		if of(r) < of(results[least]) {
			least = i
		}
	}
	return engines[least]
}

// places returns the number of places that the error after a number of events is computed from.
func places(r *replay.Result, events uint64) (v Value, ok bool) {
	for i, p := range r.Errors {
		if p.Events == events {
			v = count(r.Places[i], "places")
			v.Text = fmt.Sprintf("error of %s places", v.Text)
			return v, true
		}
	}
	return Value{}, false
}

// from is a number of events with the number of places that the error after them is
// computed from.
func from(v Value, r *replay.Result, events uint64) ours {
	n, ok := places(r, events)
	if !ok {
		return one(v)
	}
	return ours{v.Text + " (" + n.Text + ")", []Value{v, n}}
}

// figure8 has the other programs, and the factor by which the rate of a stratified sampler
// can be lower than that of R256 without a greater error.
func figure8(env *Env, res *Result) error {
	slower := []string{"H[P768]2048", "H[P1024]2048", "H[P2048]2048", "H[P4096]2048"}
	engines := append(compressors[:len(compressors):len(compressors)], slower...)
	t := Table{Title: "error at the end", Columns: append(append([]string{"program"}, engines...), "rate")}
	reduced := map[string]int{}
	err := env.each(res, "loads", "gcc", engines, func(p Program, results []*replay.Result) {
		n := len(compressors)
		res.lines("strat-8-"+p.Name, errorLines("Figure 8: "+p.Name+", error", compressors, results[:n]))
		res.Tables = append(res.Tables, convergence(p.String(), compressors, results[:n]))
		line := []Value{text(p.String())}
		for _, r := range results {
			line = append(line, percent(errorPercent(r)))
		}
		by, k := byName(engines, results), 0
		for _, rate := range []int{256, 512, 768, 1024, 2048, 4096} {
			if by[fmt.Sprintf("H[P%d]2048", rate)].Error.Mean <= by["R256"].Error.Mean {
				k = rate / 256
			}
		}
		reduced[p.Role] = k
		t.Rows = append(t.Rows, append(line, reducedTo(k)))
	})
	if err != nil {
		return err
	}
	res.Tables = append(res.Tables, t)
	for _, role := range []string{"perl", "db"} {
		k, ok := reduced[role]
		if !ok {
			continue
		}
		res.row(inRole(role).String()+": rate at R256's error", one(reducedTo(k)), "below 1/2", k > 2)
	}
	return nil
}

// reducedTo prints the rate that is 1/k of R256's. If k is 0, it prints that there is none.
func reducedTo(k int) Value {
	if k == 0 {
		return Value{"above", math.NaN(), "ratio"}
	}
	return Value{fmt.Sprintf("1/%d", k), 1 / float64(k), "ratio"}
}

// finite returns the points that have an error.
func finite(c metric.Curve) (f metric.Curve) {
	for _, p := range c {
		if !math.IsNaN(p.Error) {
			f = append(f, p)
		}
	}
	return f
}

// figure9 is STRAT-24.
func figure9(env *Env, res *Result) error {
	engines := []string{"H[P256]512", "H[P256]1024", "H[P256]2048", "H[P256]4096"}
	for _, role := range []string{"gcc", "li"} {
		p := inRole(role)
		results, err := env.replaySeeds(p, "loads", engines...)
		if err != nil {
			return err
		}
		res.setup("program: %s; %s load events; errors are averages of %d runs, from seed %d on", p, short(results[0].Events), seeds, env.Seed)
		res.Tables = append(res.Tables, convergence(p.String(), engines, results))
		res.lines("strat-9-"+p.Name, errorLines("Figure 9: "+p.Name+", error", engines, results))
		small, large := results[0], results[3]
		early := results[0].Events / 10
		x, y := mean(finite(until(small.Errors, early))), mean(finite(until(large.Errors, early)))
		res.row(p.String()+": mean error of n=512 and 4096 in the first tenth", two(percent(x), percent(y), ""),
			"larger with 4096 for some programs, such as li", role != "li" || x < y)
		a, b := errorPercent(small), errorPercent(large)
		res.row(p.String()+": error of n=512 and 4096 at the end", two(percent(a), percent(b), ""), "smaller in the end", b <= a)
	}
	return nil
}

// figure10 is STRAT-12. Beside the paper's engines the table has
//   - the share of the events that the 16 most frequent tuples have; 16 entries can save no
//     more than that, except for tuples that repeat only for a while
//   - what a larger table saves
//   - what A16 saves with other kinds of tuples.
func figure10(env *Env, res *Result) error {
	const h = "H[P256]2048"
	plain := []string{"R256", h, "tag2-256-2048"}
	var engines []string
	for _, e := range plain {
		engines = append(engines, e, e+"+A16")
	}
	bars := plot.Bars{Title: "Figure 10: what a second level of 16 entries saves", Y: "modelled overhead %"}
	for _, e := range engines {
		bars.Series = append(bars.Series, plot.Series{Name: e})
	}
	t := Table{Title: "messages with A16: 1 of", Columns: []string{"program", "R256", h, "tag2-256-2048", "events of top 16", h + " with A64", "edges, calls, " + h, "events of top 16"}}
	least, most := math.Inf(1), 0.0
	prominent := map[string]float64{}
	lines := map[string]int{} // of t.Rows, by program
	err := env.each(res, "loads", "", append(engines, h+"+A64"), func(p Program, results []*replay.Result) {
		by := byName(append(engines, h+"+A64"), results)
		bars.Groups = append(bars.Groups, p.Name)
		line := []Value{text(p.String())}
		for i, e := range engines {
			bars.Series[i].Values = append(bars.Series[i].Values, by[e].Percent())
		}
		for _, e := range plain {
			saved := fewer(by[e], by[e+"+A16"])
			least, most = min(least, saved), max(most, saved)
			prominent[p.Role] = max(prominent[p.Role], saved)
			line = append(line, reduction(saved))
		}
		line = append(line, percent(100*topShare(by[h].Ideal, 16)), reduction(fewer(by[h], by[h+"+A64"])))
		lines[p.Name] = len(t.Rows)
		t.Rows = append(t.Rows, line)
	})
	if err != nil {
		return err
	}
	err = env.each(res, "calls", "", []string{h, h + "+A16"}, func(p Program, results []*replay.Result) {
		if i, ok := lines[p.Name]; ok {
			t.Rows[i] = append(t.Rows[i], reduction(fewer(results[0], results[1])), percent(100*topShare(results[0].Ideal, 16)))
		}
	})
	if err != nil {
		return err
	}
	res.Tables = append(res.Tables, t)
	res.bars("strat-10", bars)
	res.row("A16 reduces overheads by", span(reduction(least), reduction(most)), "1.15-2.5, always", least >= 1.05 && most <= 3.5)
	for _, role := range []string{"m88ksim", "db", "jess"} {
		if saved, ok := prominent[role]; ok {
			res.row(inRole(role).String()+": at most by", one(reduction(saved)), "pronounced", saved >= 1.5)
		}
	}
	return nil
}

// fewer returns how many messages of one result there are to one of another.
func fewer(one, other *replay.Result) float64 {
	return float64(one.Messages) / float64(other.Messages)
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
	return float64(sum) / float64(p.Total())
}
