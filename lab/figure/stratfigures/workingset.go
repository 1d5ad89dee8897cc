package figure

// This file has figure 7: the program with the largest working set, and all programs in turns.

import (
	"fmt"
	"math"
	"slices"

	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/lab/plot"
)

// compressors are the five that section 5.4 compares.
var compressors = []string{"R256", "P256", "H[P256]2048", "H[P512]2048", "tag2-256-2048"}

// sizes are tagged tables with fewer and with more entries than the paper's. They show how
// much its results depend on how many tuples share an entry.
var sizes = []string{"tag2-256-512", "tag2-256-8192"}

const maxError = 30 // percent, where plots of errors end: all begin at 100

// first is the number of events after which the error of an engine is below the limit for the
// first time.
func first(r *replay.Result) float64 { return reached(r.Errors.FirstBelow(limit)) }

// stays is the number of events from which on the error stays below the limit.
func stays(r *replay.Result) float64 { return reached(r.Errors.StaysBelow(limit)) }

func reached(n uint64, ok bool) float64 {
	if !ok {
		return math.Inf(1)
	}
	return float64(n)
}

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

func messages(r *replay.Result) float64        { return float64(r.Messages) }
func overheadPercent(r *replay.Result) float64 { return r.Percent() }

// ofEngine makes a function for tallies from one that needs a single engine.
func ofEngine(engine string, f func(*replay.Result) float64) func(func(string) *replay.Result) float64 {
	return func(of func(string) *replay.Result) float64 { return f(of(engine)) }
}

// quotient makes a function for tallies: what f returns for engine a, divided by what it
// returns for engine b.
func quotient(a, b string, f func(*replay.Result) float64) func(func(string) *replay.Result) float64 {
	return func(of func(string) *replay.Result) float64 { return f(of(a)) / f(of(b)) }
}

func errorsOf(r *replay.Result) metric.Curve { return r.Errors }
func sentOf(r *replay.Result) metric.Curve   { return r.Sent }

// errorLines draws the errors of engines in several runs.
func errorLines(title string, list []*batch, engines []string) plot.Lines {
	return plot.Lines{
		Title: title, X: "load events", Y: "error %, median of runs", LogX: true, MaxY: maxError, Limit: limit,
		Curves: curvesOf(list, engines, errorsOf),
	}
}

// convergence is a table of what engines did, by recording.
func convergence(title string, list []*batch, engines []string) Table {
	t := Table{Title: title, Columns: slices.Concat(
		[]string{"recording", "engine", "bytes", "messages", "overhead"}, with3("error", "first <5 %"), []string{"places then"}, with3("stays <5 %"))}
	for _, b := range list {
		for _, e := range engines {
			of := func(f func(*replay.Result) float64) tally { return b.tally(ofEngine(e, f)) }
			t.Rows = append(t.Rows, slices.Concat(
				[]Value{text(b.String()), text(e), bytes(b.of(e)[0]), numberOf("messages")(of(messages).median()), percent(of(overheadPercent).median())},
				of(errorPercent).spread(percent), of(first).spread(after), []Value{numberOf("places")(of(placesAtFirst).median())}, of(stays).spread(after)))
		}
	}
	return t
}

// alongTheWay is a table of medians of errors after some numbers of events.
func alongTheWay(title string, list []*batch, engines []string, most uint64) Table {
	t := Table{Title: title, Columns: []string{"engine"}}
	var points []uint64
	for n := most; n >= most/64; n /= 4 {
		points = append(points, n)
		t.Columns = append(t.Columns, short(n))
	}
	for _, e := range engines {
		line := []Value{text(e)}
		for _, n := range points {
			line = append(line, percent(tallyAll(list, ofEngine(e, func(r *replay.Result) float64 { return at(r.Errors, n) })).median()))
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

// figure7 is STRAT-22 and STRAT-23.
func figure7(env *Env, res *Result) error {
	p := inRole("gcc")
	all := slices.Concat(compressors, sizes)
	size := numberOf("places")
	var places, tuples tally
	res.setup("%s", rule)
	list, err := env.recorded(res, []Program{p}, "loads", 1, all, func(b *batch) {
		places = append(places, float64(b.results[0][0].Error.Places))
		tuples = append(tuples, float64(b.results[0][0].Error.Tuples))
	})
	if err != nil {
		return err
	}
	res.setup("%s: %s; errors of %s to %s tuples at %s to %s places, by recording", p, p.Why, size(tuples.least()).Text, size(tuples.most()).Text, size(places.least()).Text, size(places.most()).Text)
	turns, err := env.recordedInTurns(res, compressors)
	if err != nil {
		return err
	}
	res.Tables = append(res.Tables, convergence(p.String(), list, all), alongTheWay(p.String()+": median of the errors after some events", list, all, env.Events),
		convergence("programs in turns", turns, compressors), alongTheWay("programs in turns: median of the errors after some events", turns, compressors, env.Events))

	name := "Figure 7: " + p.Name
	res.lines("strat-7a", plot.Lines{
		Title: name + ", error until " + short(env.Events/4), X: "load events", Y: "error %, median of runs", MaxY: maxError, Limit: limit,
		Curves: curvesOf(list, compressors, func(r *replay.Result) metric.Curve { return until(r.Errors, env.Events/4) }),
	})
	res.lines("strat-7b", errorLines(name+", error", list, compressors))
	res.lines("strat-7c", plot.Lines{
		Title: name + ", modelled overhead", X: "load events", Y: "overhead %, median of runs",
		Curves: curvesOf(list, compressors, sentOf),
	})
	res.lines("strat-7d", errorLines(fmt.Sprintf("Figure 7, with programs in turns of %d events: error", turn), turns, compressors))
	res.lines("strat-7e", ranges(name+", error: median and range of runs", list, "R256", "H[P256]2048"))

	figure7Rows(res, "", list)
	figure7Rows(res, "in turns: ", turns)
	return nil
}

// ranges draws the median, the least and the greatest error of some engines.
func ranges(title string, list []*batch, engines ...string) plot.Lines {
	l := plot.Lines{Title: title, X: "load events", Y: "error %", LogX: true, MaxY: maxError, Limit: limit}
	for _, what := range []struct {
		name string
		of   func(tally) float64
	}{{"least", tally.least}, {"median", tally.median}, {"greatest", tally.most}} {
		for _, e := range engines {
			l.Curves = append(l.Curves, plot.Curve{Name: e + ", " + what.name, Points: alongCurves(list, e, errorsOf, what.of)})
		}
	}
	return l
}

// figure7Rows compares what the text of section 5.4 says of gcc with some runs.
func figure7Rows(res *Result, prefix string, list []*batch) {
	const r, p, h, half, tagged = "R256", "P256", "H[P256]2048", "H[P512]2048", "tag2-256-2048"
	row := func(what string, f func(func(string) *replay.Result) float64, u unit, paper string, want relation) {
		res.compare(prefix+what, tallyAll(list, f), u, paper, want)
	}
	row("H[P256]2048 is first below 5 %", ofEngine(h, first), after, "200K", about(200_000, 200_000, after))
	row("R256 is first below 5 %", ofEngine(r, first), after, "600K-700K", about(600_000, 700_000, after))
	row("R256 takes longer", quotient(r, h, first), times, "3-3.5x; at least 2x", atLeast(times(2)))
	row("H[P256]2048 stays below 5 % from", ofEngine(h, stays), after, "300K", about(300_000, 300_000, after))
	row("R256 stays below 5 % from", ofEngine(r, stays), after, "7M", about(7_000_000, 7_000_000, after))
	row("R256 takes longer to stay", quotient(r, h, stays), times, "23x; at least 2x", atLeast(times(2)))
	row("error of H[P256]2048 at the end", ofEngine(h, errorPercent), percent, "below 3 %", below(percent(3)))
	row("overhead of H[P256]2048 at the end", ofEngine(h, overheadPercent), percent, "3.5 %", about(3.5, 3.5, percent))
	row("error of P256 to that of R256", quotient(p, r, errorPercent), times, "almost identical", about(1, 1, times))
	onAverage := func(r *replay.Result) float64 { return mean(finite(r.Errors)) }
	row("error of tag2-256-2048 to the best other's, over the curve", toBest(tagged, onAverage), times, "the most accurate", below(times(1)))
	row("error of tag2-256-2048 to the best other's, at the end", toBest(tagged, errorPercent), times, "the most accurate", below(times(1)))
	row("messages of tag2-256-2048 to H[P256]2048", quotient(tagged, h, messages), times, "almost 3x", about(3, 3, times))
	row("messages of H[P512]2048 to R256", quotient(half, r, messages), times, "half", about(0.5, 0.5, times))
	row("error of H[P512]2048 to that of R256", quotient(half, r, errorPercent), times, "similar", about(1, 1, times))
	row("messages of R256 above H[P256]2048", func(of func(string) *replay.Result) float64 { return messages(of(r)) - messages(of(h)) },
		numberOf("messages"), "up to 2K", between(numberOf("messages")(0), numberOf("messages")(2048)))
}

// toBest makes a function for tallies: what f returns for an engine, divided by the least that
// it returns for the other compressors.
func toBest(engine string, f func(*replay.Result) float64) func(func(string) *replay.Result) float64 {
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

// turn is how many events of a program follow each other where programs take turns.
const turn = 1000

// recordedInTurns replays the first recordings of all programs, in turns, then the second
// ones. The paper selected gcc for its large working set, and none of our programs alone has
// as many places as all of them together.
func (env *Env) recordedInTurns(res *Result, specs []string) (list []*batch, err error) {
	all := map[string][]replay.Source{} // by recording
	err = env.eachRecording(res, Programs, "loads", func(o origin, source replay.Source) error {
		all[o.recording] = append(all[o.recording], source)
		return nil
	})
	if err != nil {
		return nil, err
	}
	programs := 0
	for _, recording := range recordings[:2] {
		sources := all[recording]
		if programs == 0 {
			programs = len(sources)
		}
		if len(sources) < programs {
			continue
		}
		b := &batch{origin: origin{Program{Name: fmt.Sprintf("%d programs", programs)}, recording}, engines: specs}
		if b.results, err = env.with(inTurns(sources, turn), env.Events, specs); err != nil {
			return nil, err
		}
		last := b.results[0][0]
		res.setup("in turns: %s: turns of %d events, %s events in all; errors of %d tuples at %d places", b, turn, short(last.Events), last.Error.Tuples, last.Error.Places)
		list = append(list, b)
	}
	return list, nil
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
