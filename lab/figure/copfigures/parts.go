package copfigures

// This file compares value profilers at equal overhead at the end of parts of a recording, and says
// which pairs have most of the error (COP-29). windows.go takes many parts of many recordings.

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/hwsim/trace"
	"github.com/pepgo/pep/lab/figure"
)

// longPeriods are those of the simple samplers, from the fastest. The error of one with an overhead
// between two of them is interpolated.
var longPeriods = []int{256, 512, 1024}

// A longPart is what profilers have reached at the end of a part of a recording.
type longPart struct {
	loads    *stream
	mine     []point         // by variant
	samplers []point         // by period, from the fastest
	estimate metric.Estimate // of the first variant
}

// equal returns the error of the simple sampler with an overhead in percent. Errors and
// overheads of samplers are nearly powers of their rates, so it interpolates between logarithms,
// and extrapolates with the nearest two samplers.
func (p *longPart) equal(percent float64) float64 {
	i := 1
	for i+1 < len(p.samplers) && p.samplers[i].percent() > percent {
		i++
	}
	a, b := p.samplers[i-1], p.samplers[i]
	return a.rms * math.Pow(b.rms/a.rms, math.Log(percent/a.percent())/math.Log(b.percent()/a.percent()))
}

// gain returns the error of a variant to that of the sampler with its overhead.
func (p *longPart) gain(variant int) float64 {
	m := p.mine[variant]
	return m.rms / p.equal(m.percent())
}

// A longSpan says which parts of a recording are profiled: windows that follow one another. Each window
// begins with new profilers and a new complete profile, which are compared after some numbers of loads.
type longSpan struct {
	from    uint64   // loads before the first window
	lengths []uint64 // rising; the last one is the length of a window
	windows int      // at most so many
	whole   bool     // a recording that ends within the first window ends this window, too
}

// A longWindow is a window that is not at its end yet.
type longWindow struct {
	loads    *stream
	all      *metric.Profile // the complete profile
	runs     []*run          // of variants, and behind them of simple samplers
	variants int
	next     int // of the lengths
}

func newLongWindow(p figure.Program, variants [][]string) (*longWindow, error) {
	w := &longWindow{loads: &stream{Program: p}, all: metric.New(), variants: len(variants)}
	var specs []string
	for _, v := range variants {
		specs = append(specs, valueEngine(v...))
	}
	for _, n := range longPeriods {
		specs = append(specs, sampler(n))
	}
	for _, text := range specs {
		r, err := newRun(text, 0)
		if err != nil {
			return nil, err
		}
		w.runs = append(w.runs, r)
	}
	return w, nil
}

// part returns what the profilers have reached. Without pairs it has no points.
func (w *longWindow) part() *longPart {
	x := w.loads
	x.events, x.places, x.selected, x.complete = w.all.Total(), w.all.Places(), metric.Pairs.Of(w.all), w.all
	part := &longPart{loads: x}
	if len(x.selected) == 0 {
		return part
	}
	for i, r := range w.runs {
		r.addPoint(x, x.events)
		if i < w.variants {
			part.mine = append(part.mine, r.end())
		} else {
			part.samplers = append(part.samplers, r.end())
		}
	}
	part.estimate = w.runs[0].estimate
	return part
}

// profileWindows runs variants of the value profiler and simple samplers over windows of a recording, all in
// one pass, and calls do at each length of each window.
func profileWindows(p figure.Program, source replay.Source, span longSpan, variants [][]string, do func(p *longPart) error) error {
	w, err := newLongWindow(p, variants)
	if err != nil {
		return err
	}
	skip, done := span.from, 0
	enough := errors.New("enough")
	err = source(func(b trace.Block) error {
		n := min(skip, uint64(len(b.Tuples)))
		skip -= n
		for t := b.Tuples[n:]; len(t) > 0; {
			n := min(uint64(len(t)), span.lengths[w.next]-w.all.Total())
			w.all.AddTuples(t[:n])
			for _, r := range w.runs {
				r.engine.Push(t[:n:n], r.out)
			}
			t = t[n:]
			if w.all.Total() < span.lengths[w.next] {
				continue
			}
			if err := do(w.part()); err != nil {
				return err
			}
			if w.next++; w.next < len(span.lengths) {
				continue
			}
			if done++; done == span.windows {
				return enough
			}
			if w, err = newLongWindow(p, variants); err != nil {
				return err
			}
		}
		return nil
	})
	if err == enough {
		return nil
	}
	if rest := w.all.Total(); err == nil && span.whole && done == 0 && rest > 0 && (w.next == 0 || rest > span.lengths[w.next-1]) {
		return do(w.part())
	}
	return err
}

// variantName is the name of a variant.
func variantName(v []string) string {
	if v == nil {
		return "default"
	}
	if slices.Equal(v, paperRules) {
		return "rules of the paper"
	}
	return strings.Join(v, " ")
}

// longClasses divide pairs by their true shares in percent.
var longClasses = [][2]float64{{10, 20}, {20, 40}, {40, 60}, {60, 80}, {80, 100}}

// carried says which pairs carry the error of the default at the end of a part. A mean error that is not 0 is a
// bias of the estimate; the rest are errors in both directions.
func (p *longPart) carried(title string) figure.Table {
	t := figure.Table{Title: title + ", default, longest window: where the error is", Columns: []string{
		"true share %", "pairs", "of the executions", "of the mean square", "mean error, points", "never sampled",
	}}
	type sums struct{ pairs, never, weight, bias, square float64 }
	list, all := make([]sums, len(longClasses)), sums{}
	for _, pair := range p.loads.selected {
		truth, estimate := 100*p.loads.complete.Invariance(pair), 100*p.estimate.Invariance(pair)
		class := 0
		for class+1 < len(longClasses) && truth >= longClasses[class][1] {
			class++
		}
		w := float64(p.loads.complete.Tuple(pair))
		for _, s := range []*sums{&list[class], &all} {
			s.pairs++
			s.never += float64(oneIf(estimate == 0))
			s.weight += w
			s.bias += w * (estimate - truth)
			s.square += w * (estimate - truth) * (estimate - truth)
		}
	}
	for i, s := range list {
		if s.pairs == 0 {
			continue
		}
		mean := s.bias / s.weight
		t.Rows = append(t.Rows, []figure.Value{
			figure.Text(fmt.Sprintf("%.0f-%.0f", longClasses[i][0], longClasses[i][1])), figure.Count(int(s.pairs), "pairs"), figure.Percent(100 * s.weight / all.weight),
			figure.Percent(100 * s.square / all.square), {Text: fmt.Sprintf("%+.2f", mean), Number: mean, Unit: "points"}, figure.Count(int(s.never), "pairs"),
		})
	}
	return t
}

// describeLong says in the setup how profilers are compared at equal overhead.
func describeLong(res *figure.Result) {
	describe(res, nil)
	res.Describe("factor: the error to that of a simple sampler with the same overhead; below 1 the co-processor is better")
	res.Describe("simple samplers: 1 of %v loads; between two of them, the error is interpolated", longPeriods)
	res.Describe("default: %s", valueEngine())
}
