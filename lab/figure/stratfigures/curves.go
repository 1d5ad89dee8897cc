package stratfigures

// This file has what is measured of a run, and curves and drawings of many runs.

import (
	"math"
	"slices"

	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/plot"
)

// limit is the error in percent of which the paper states after how many events engines are below it.
const limit = 5

// until returns the points of a curve up to a number of events.
func until(c metric.Curve, events uint64) metric.Curve {
	for i, p := range c {
		if p.Events > events {
			return c[:i]
		}
	}
	return c
}

// at returns the last value of a curve up to a number of events.
func at(c metric.Curve, events uint64) float64 {
	c = until(c, events)
	if len(c) == 0 {
		return math.NaN()
	}
	return c[len(c)-1].Error
}

// errorPercent is the error at the end.
func errorPercent(r *replay.Result) float64 { return 100 * r.Error.Mean }

// mean is the mean over the points of a curve.
func mean(c metric.Curve) (m float64) {
	if len(c) == 0 {
		return math.NaN()
	}
	for _, p := range c {
		m += p.Error / float64(len(c))
	}
	return m
}

// alongCurves returns a curve of an engine. Each point has what a function computes from the points of the curves of all
// runs, such as their median.
func alongCurves(list []*figure.Batch, engine string, of func(r *replay.Result) metric.Curve, what func(figure.Tally) float64) (c metric.Curve) {
	at := map[uint64]figure.Tally{}
	for _, b := range list {
		for _, r := range b.Of(engine) {
			for _, p := range of(r) {
				at[p.Events] = append(at[p.Events], p.Error)
			}
		}
	}
	var events []uint64
	for n := range at {
		events = append(events, n)
	}
	slices.Sort(events)
	for _, n := range events {
		c = append(c, metric.Point{Events: n, Error: what(at[n])})
	}
	return c
}

// curvesOf returns a curve of medians for each engine.
func curvesOf(list []*figure.Batch, engines []string, of func(r *replay.Result) metric.Curve) (c []plot.Curve) {
	for _, e := range engines {
		c = append(c, plot.Curve{Name: e, Points: alongCurves(list, e, of, figure.Tally.Median)})
	}
	return c
}

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

func messages(r *replay.Result) float64        { return float64(r.Messages) }
func overheadPercent(r *replay.Result) float64 { return r.Percent() }

// quotient is the measure that divides what f returns for engine a by what it returns for engine b.
func quotient(a, b string, f func(*replay.Result) float64) figure.Measure {
	return func(of func(string) *replay.Result) float64 { return f(of(a)) / f(of(b)) }
}

// across returns what the function f computes from a measure of each program: one number for each seed and recording.
func across(list []*figure.Batch, m figure.Measure, f func(one figure.Tally) float64) figure.Tally {
	return figure.TallyAcross(list, func(b *figure.Batch) figure.Tally { return b.Tally(m) }, f)
}

func errorsOf(r *replay.Result) metric.Curve { return r.Errors }
func sentOf(r *replay.Result) metric.Curve   { return r.Sent }

// errorLines draws the medians of the errors of engines.
func errorLines(title string, list []*figure.Batch, engines []string) plot.Lines {
	return plot.Lines{
		Title: title, X: "load events", Y: "error %, median of runs", LogX: true, MaxY: maxError, Limit: limit,
		Curves: curvesOf(list, engines, errorsOf),
	}
}

// ranges draws the median, the least and the greatest error of some engines.
func ranges(title string, list []*figure.Batch, engines ...string) plot.Lines {
	l := plot.Lines{Title: title, X: "load events", Y: "error %", LogX: true, MaxY: maxError, Limit: limit}
	for _, what := range []struct {
		name string
		of   func(figure.Tally) float64
	}{{"least", figure.Tally.Least}, {"median", figure.Tally.Median}, {"greatest", figure.Tally.Most}} {
		for _, e := range engines {
			l.Curves = append(l.Curves, plot.Curve{Name: e + ", " + what.name, Points: alongCurves(list, e, errorsOf, what.of)})
		}
	}
	return l
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
