package stratfigures

// This file has figure 7: the program with the largest working set, and all programs in turns.

import (
	"fmt"
	"math"
	"slices"

	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/plot"
)

// compressors are the five that section 5.4 compares.
var compressors = []string{"R256", "P256", "H[P256]2048", "H[P512]2048", "tag2-256-2048"}

// sizes are tagged tables with fewer and with more entries than the paper's. They show how
// much its results depend on how many tuples share an entry.
var sizes = []string{"tag2-256-512", "tag2-256-8192"}

// placesAtFirst is how many places the error is computed from when it is below the limit for
// the first time.
func placesAtFirst(r *replay.Result) float64 {
	for i, p := range r.Errors {
		if p.Error < limit {
			return float64(r.Places[i])
		}
	}
	return math.NaN()
}

// convergence is a table of what engines did, by recording.
func convergence(title string, list []*figure.Batch, engines []string) figure.Table {
	t := figure.Table{Title: title, Columns: slices.Concat(
		[]string{"recording", "engine", "bytes", "messages", "overhead"}, figure.SpreadHeads("error", "first <5 %"), []string{"places then"}, figure.SpreadHeads("stays <5 %"))}
	for _, b := range list {
		for _, e := range engines {
			of := func(f func(*replay.Result) float64) figure.Tally { return b.Tally(figure.OfEngine(e, f)) }
			t.Rows = append(t.Rows, slices.Concat(
				[]figure.Value{figure.Text(b.String()), figure.Text(e), bytes(b.Of(e)[0]), figure.NumberOf("messages")(of(messages).Median()), figure.Percent(of(overheadPercent).Median())},
				of(errorPercent).Spread(figure.Percent), of(first).Spread(figure.After), []figure.Value{figure.NumberOf("places")(of(placesAtFirst).Median())}, of(stays).Spread(figure.After)))
		}
	}
	return t
}

// alongTheWay is a table of medians of errors after some numbers of events.
func alongTheWay(title string, list []*figure.Batch, engines []string, most uint64) figure.Table {
	t := figure.Table{Title: title, Columns: []string{"engine"}}
	var points []uint64
	for n := most; n >= most/64; n /= 4 {
		points = append(points, n)
		t.Columns = append(t.Columns, figure.Abbreviate(n))
	}
	for _, e := range engines {
		line := []figure.Value{figure.Text(e)}
		for _, n := range points {
			line = append(line, figure.Percent(figure.TallyAll(list, figure.OfEngine(e, func(r *replay.Result) float64 { return at(r.Errors, n) })).Median()))
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

// largestWorkingSet is figure 7 of Sastry, Bodik and Smith: error and overhead over time (STRAT-22, STRAT-23).
func largestWorkingSet(env *figure.Env, res *figure.Result) error {
	p := figure.InRole("gcc")
	all := slices.Concat(compressors, sizes)
	size := figure.NumberOf("places")
	var places, tuples figure.Tally
	res.Describe("%s", rule)
	list, err := env.ReplayRecordings(res, []figure.Program{p}, "loads", all, func(b *figure.Batch) {
		places = append(places, float64(b.Results[0][0].Error.Places))
		tuples = append(tuples, float64(b.Results[0][0].Error.Tuples))
	})
	if err != nil {
		return err
	}
	res.Describe("%s: %s; errors of %s to %s tuples at %s to %s places, by recording", p, p.Why, size(tuples.Least()).Text, size(tuples.Most()).Text, size(places.Least()).Text, size(places.Most()).Text)
	turns, err := replayInTurns(env, res, compressors)
	if err != nil {
		return err
	}
	res.Tables = append(res.Tables, convergence(p.String(), list, all), alongTheWay(p.String()+": median of the errors after some events", list, all, env.Loads),
		convergence("programs in turns", turns, compressors), alongTheWay("programs in turns: median of the errors after some events", turns, compressors, env.Loads))

	name := "Figure 7: " + p.Name
	res.AddLines("strat-7a", plot.Lines{
		Title: name + ", error until " + figure.Abbreviate(env.Loads/4), X: "load events", Y: "error %, median of runs", MaxY: maxError, Limit: limit,
		Curves: curvesOf(list, compressors, func(r *replay.Result) metric.Curve { return until(r.Errors, env.Loads/4) }),
	})
	res.AddLines("strat-7b", errorLines(name+", error", list, compressors))
	res.AddLines("strat-7c", plot.Lines{
		Title: name + ", modelled overhead", X: "load events", Y: "overhead %, median of runs",
		Curves: curvesOf(list, compressors, sentOf),
	})
	res.AddLines("strat-7d", errorLines(fmt.Sprintf("Figure 7, with programs in turns of %d events: error", turn), turns, compressors))
	res.AddLines("strat-7e", ranges(name+", error: median and range of runs", list, "R256", "H[P256]2048"))

	workingSetRows(res, "", "", list)
	workingSetRows(res, "turns-", "in turns: ", turns)
	return nil
}

// workingSetRows compares what the text of section 5.4 says of gcc with some runs.
func workingSetRows(res *figure.Result, key, prefix string, list []*figure.Batch) {
	const r, p, h, half, tagged = "R256", "P256", "H[P256]2048", "H[P512]2048", "tag2-256-2048"
	row := func(own, what string, f figure.Measure, u figure.Unit, paper string, want figure.Relation) {
		res.Compare(key+own, prefix+what, figure.TallyAll(list, f), u, paper, want)
	}
	row("h-first", "H[P256]2048 is first below 5 %", figure.OfEngine(h, first), figure.After, "200K", figure.About(200_000, 200_000, figure.After))
	row("r-first", "R256 is first below 5 %", figure.OfEngine(r, first), figure.After, "600K-700K", figure.About(600_000, 700_000, figure.After))
	row("r-to-h-first", "R256 takes longer", quotient(r, h, first), figure.Times, "3-3.5x; at least 2x", figure.AtLeast(figure.Times(2)))
	row("h-stays", "H[P256]2048 stays below 5 % from", figure.OfEngine(h, stays), figure.After, "300K", figure.About(300_000, 300_000, figure.After))
	row("r-stays", "R256 stays below 5 % from", figure.OfEngine(r, stays), figure.After, "7M", figure.About(7_000_000, 7_000_000, figure.After))
	row("r-to-h-stays", "R256 takes longer to stay", quotient(r, h, stays), figure.Times, "23x; at least 2x", figure.AtLeast(figure.Times(2)))
	row("h-error", "error of H[P256]2048 at the end", figure.OfEngine(h, errorPercent), figure.Percent, "below 3 %", figure.Below(figure.Percent(3)))
	row("h-overhead", "overhead of H[P256]2048 at the end", figure.OfEngine(h, overheadPercent), figure.Percent, "3.5 %", figure.About(3.5, 3.5, figure.Percent))
	row("p-to-r-error", "error of P256 to that of R256", quotient(p, r, errorPercent), figure.Times, "almost identical", figure.About(1, 1, figure.Times))
	onAverage := func(r *replay.Result) float64 { return mean(finite(r.Errors)) }
	row("tag2-to-best-curve", "error of tag2-256-2048 to the best other's, over the curve", toBest(tagged, onAverage), figure.Times, "the most accurate", figure.Below(figure.Times(1)))
	row("tag2-to-best-end", "error of tag2-256-2048 to the best other's, at the end", toBest(tagged, errorPercent), figure.Times, "the most accurate", figure.Below(figure.Times(1)))
	row("tag2-to-h-messages", "messages of tag2-256-2048 to H[P256]2048", quotient(tagged, h, messages), figure.Times, "almost 3x", figure.About(3, 3, figure.Times))
	row("half-to-r-messages", "messages of H[P512]2048 to R256", quotient(half, r, messages), figure.Times, "half", figure.About(0.5, 0.5, figure.Times))
	row("half-to-r-error", "error of H[P512]2048 to that of R256", quotient(half, r, errorPercent), figure.Times, "similar", figure.About(1, 1, figure.Times))
	row("r-above-h-messages", "messages of R256 above H[P256]2048", func(of func(string) *replay.Result) float64 { return messages(of(r)) - messages(of(h)) },
		figure.NumberOf("messages"), "up to 2K", figure.Between(figure.NumberOf("messages")(0), figure.NumberOf("messages")(2048)))
}

// toBest is the measure that divides what f returns for an engine by the least that it returns for the other compressors.
func toBest(engine string, f func(*replay.Result) float64) figure.Measure {
	return func(of func(string) *replay.Result) float64 {
		least := math.Inf(1)
		for _, e := range compressors {
			if e != engine {
				least = min(least, f(of(e)))
			}
		}
		return f(of(engine)) / least
	}
}
