package figure

// This file compares value profilers over longer and longer parts of a recording, and with
// other parameters (COP-29, COP-35).

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/plot"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/hwsim/trace"
)

// longPrograms are the two largest working sets, and a small one.
var longPrograms = []string{"typecheck", "printer", "flate"}

// longPeriods are those of the simple samplers. The error of one with an overhead between two
// of them is interpolated.
var longPeriods = []int{256, 512, 1024}

// longFirst is the shortest part of a recording. Each further part is twice as long, and the
// last one has all loads.
const longFirst = 8_000_000

// longTimes is how many times as many loads of a long recording are run as of the others.
const longTimes = 16

// longVariants are value profilers. The first one is the default.
var longVariants = [][]string{nil, paperRules}

// longRemedies are parameters that change which parts of the program the samples of a load come
// from, and what software makes of them.
var longRemedies = [][]string{
	nil, paperRules, {"weigh=0"}, {"bound=1"}, {"bound=0"}, {"early=0"}, {"advance=0"}, {"rf=3"}, {"weigh=0", "bound=0"},
	{"times=2"}, {"times=8"}, {"clear=10000000"}, {"clear=2000000"}, {"timer=500000"}, {"timer=2000000"}, {"fth=64"}, {"keep=64"},
	{"times=1048576", "hi=100", "lo=0", "least=1000000"},
}

// A longPart is what profilers have reached at the end of a part of a recording.
type longPart struct {
	loads    *copLoads
	mine     []copPoint      // by variant
	samplers []copPoint      // by period, from the fastest
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

// long runs variants of the value profiler and simple samplers over the loads from number from
// on, in one pass, and calls do after each of some numbers of loads, in rising order. The
// complete profile of these loads is the truth.
func (env *Env) long(p Program, source replay.Source, from uint64, lengths []uint64, variants [][]string, do func(p *longPart)) error {
	x := &copLoads{Program: p}
	var runs []*copRun
	add := func(text string) error {
		spec, err := engines.Parse(text, nil)
		if err != nil {
			return err
		}
		runs = append(runs, newCopRun(text, engines.Stages(spec.New(0))[0]))
		return nil
	}
	for _, v := range variants {
		if err := add(values(v...)); err != nil {
			return err
		}
	}
	for _, n := range longPeriods {
		if err := add(sampler(n)); err != nil {
			return err
		}
	}
	all := metric.New()
	skip, next := from, 0
	end := func() error {
		x.events, x.places, x.selected, x.complete = all.Total(), all.Places(), metric.Pairs.Of(all), all
		if len(x.selected) == 0 {
			return fmt.Errorf("%s: %w: want more events", p.Name, errNoPairs)
		}
		part := &longPart{loads: x, estimate: runs[0].estimate}
		for i, r := range runs {
			r.point(x, x.events)
			if i == 0 {
				part.estimate = r.estimate
			}
			if i < len(variants) {
				part.mine = append(part.mine, r.end())
			} else {
				part.samplers = append(part.samplers, r.end())
			}
		}
		do(part)
		next++
		return nil
	}
	enough := errors.New("enough")
	err := source(func(b trace.Block) error {
		n := min(skip, uint64(len(b.Tuples)))
		skip -= n
		for t := b.Tuples[n:]; len(t) > 0; {
			n := min(uint64(len(t)), lengths[next]-all.Total())
			all.AddTuples(t[:n])
			for _, r := range runs {
				r.engine.Push(t[:n:n], r.out)
			}
			t = t[n:]
			if all.Total() == lengths[next] {
				if err := end(); err != nil {
					return err
				}
				if next == len(lengths) {
					return enough
				}
			}
		}
		return nil
	})
	if err == nil && all.Total() > 0 && (next == 0 || all.Total() > lengths[next-1]) {
		return end() // the recording ended before the last length
	}
	if err == enough {
		return nil
	}
	return err
}

// longLengths are the lengths up to a number of loads.
func longLengths(most uint64) (list []uint64) {
	for n := uint64(longFirst); n < most; n *= 2 {
		list = append(list, n)
	}
	return append(list, most)
}

// variantName is the name of a variant.
func variantName(v []string) string {
	if v == nil {
		return "default"
	}
	if slices.Equal(v, paperRules) {
		return "rules of the paper"
	}
	name := v[0]
	for _, s := range v[1:] {
		name += " " + s
	}
	return name
}

// longTitle is in the titles of the tables of cop-long, after the program.
const longTitle = "longer and longer parts"

// copLong is figure 7 over longer and longer parts of a recording.
func copLong(env *Env, res *Result) error {
	env.longSetup(res)
	return env.eachLong(res, longPrograms, func(p Program) error {
		t := Table{Title: copName(p) + ", " + longTitle, Columns: []string{"loads", "sites", "pairs"}}
		for _, v := range longVariants {
			t.Columns = append(t.Columns, variantName(v), "overhead", "simple at that", "factor")
		}
		var gains [][]float64
		d := plot.Lines{Title: "Error to that of the simple sampler at equal overhead: " + p.Name, X: "loads", Y: "factor", LogX: true}
		for _, v := range longVariants {
			d.Curves = append(d.Curves, plot.Curve{Name: variantName(v)})
		}
		source, most, err := env.longSource(res, p)
		if err != nil {
			return err
		}
		var last *longPart
		err = env.long(p, source, 0, longLengths(most), longVariants, func(part *longPart) {
			last = part
			row := []Value{text(short(part.loads.events)), count(part.loads.places, "sites"), count(len(part.loads.selected), "pairs")}
			var g []float64
			for i, m := range part.mine {
				row = append(row, percent(m.rms), percent(m.percent()), percent(part.equal(m.percent())), factor(part.gain(i)))
				g = append(g, part.gain(i))
				d.Curves[i].Points = append(d.Curves[i].Points, metric.Point{Events: part.loads.events, Error: part.gain(i)})
			}
			gains = append(gains, g)
			t.Rows = append(t.Rows, row)
		})
		if err != nil {
			return err
		}
		res.Tables = append(res.Tables, t, last.carried())
		res.lines("cop-long-"+p.Name, d)
		shortest, longest := gains[0][0], gains[len(gains)-1][0]
		what := copName(p) + ": factors of the shortest and the longest part"
		if p.Name == longPrograms[len(longPrograms)-1] {
			res.row(what, two(factor(shortest), factor(longest), ""), "-", true)
		} else {
			res.row(what, two(factor(shortest), factor(longest), ""), "the two largest gain most", shortest < 1 && longest < 1)
		}
		return nil
	})
}

// longSource returns the long recording of the loads of a program and how many of them are run; without one,
// the loads of the other experiments.
func (env *Env) longSource(res *Result, p Program) (source replay.Source, most uint64, err error) {
	source, err = env.Source(p.Name, ofLong)
	if err == nil {
		return source, longTimes * env.Events, nil
	}
	if !errors.Is(err, ErrNoTrace) {
		return nil, 0, err
	}
	res.setup("no long recording of: %s", p.Name)
	source, err = env.Source(p.Name, ofValues)
	return source, env.Events, err
}

// ofLong are the taps in the names of long recordings of loads.
const ofLong = "long"

// longClasses divide pairs by their true shares in percent.
var longClasses = [][2]float64{{10, 20}, {20, 40}, {40, 60}, {60, 80}, {80, 100}}

// carried says which pairs carry the error of the default at the end of a part. A mean error that is not 0 is a
// bias of the estimate; the rest are errors in both directions.
func (p *longPart) carried() Table {
	t := Table{Title: copName(p.loads.Program) + ", default, longest part: where the error is", Columns: []string{
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
			s.never += float64(one01(estimate == 0))
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
		t.Rows = append(t.Rows, []Value{
			text(fmt.Sprintf("%.0f-%.0f", longClasses[i][0], longClasses[i][1])), count(int(s.pairs), "pairs"), percent(100 * s.weight / all.weight),
			percent(100 * s.square / all.square), {fmt.Sprintf("%+.2f", mean), mean, "points"}, count(int(s.never), "pairs"),
		})
	}
	return t
}

// copRemedies compares parameters at equal overhead, on two parts of the recordings of the two
// largest working sets.
func copRemedies(env *Env, res *Result) error {
	env.longSetup(res)
	res.setup("parts: the first half of the loads, and the second half by itself")
	t := Table{Title: "parameters at equal overhead", Columns: []string{"parameters"}}
	t.Rows = make([][]Value, len(longRemedies))
	worst := make([]float64, len(longRemedies))
	for i, v := range longRemedies {
		t.Rows[i] = []Value{text(fmt.Sprintf("%d: %s", i+1, variantName(v)))}
	}
	err := env.eachLong(res, longPrograms[:2], func(p Program) error {
		source, err := env.Source(p.Name, ofValues)
		if err != nil {
			return err
		}
		for i := range uint64(2) {
			err := env.long(p, source, i*(env.Events/2), []uint64{env.Events / 2}, longRemedies, func(part *longPart) {
				t.Columns = append(t.Columns, fmt.Sprintf("%s, part %d", p.Name, i+1), "overhead", "factor")
				for k, m := range part.mine {
					t.Rows[k] = append(t.Rows[k], percent(m.rms), percent(m.percent()), factor(part.gain(k)))
					worst[k] = max(worst[k], part.gain(k))
				}
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	t.Columns = append(t.Columns, "largest factor")
	winners := 0
	bars := plot.Bars{Title: "Largest factor of two programs and two parts, by row of the table", Y: "factor", Limit: 1, Series: []plot.Series{{Name: "largest factor", Values: worst}}}
	for k := range t.Rows {
		t.Rows[k] = append(t.Rows[k], factor(worst[k]))
		bars.Groups = append(bars.Groups, fmt.Sprint(k+1)) // names would overlap
		winners += one01(worst[k] < 1)
	}
	res.Tables = append(res.Tables, t)
	res.bars("cop-remedies", bars)
	res.row("default: largest factor of both programs and both parts", one(factor(worst[0])), "the two largest gain most", worst[0] < 1)
	res.row("parameters whose factors are all below 1", part(winners, len(worst), "rows"), "-", true)
	return nil
}

func (env *Env) longSetup(res *Result) {
	env.copSetup(res, nil)
	res.setup("factor: the error to that of a simple sampler with the same overhead; below 1 the co-processor is better")
	res.setup("simple samplers: 1 of %v loads; between two of them, the error is interpolated", longPeriods)
	res.setup("default: %s", values())
	res.setup("rules of the paper: %s", values(paperRules...))
}

// eachLong calls do for those of some programs that have a trace.
func (env *Env) eachLong(res *Result, programs []string, do func(p Program) error) error {
	var last error
	ran := 0
	for _, p := range Programs {
		for _, name := range programs {
			if p.Name != name {
				continue
			}
			err := do(p)
			if errors.Is(err, ErrNoTrace) {
				res.setup("no trace of loads of: %s", name)
				last = err
				continue
			}
			if err != nil {
				return err
			}
			ran++
		}
	}
	if ran == 0 {
		return last
	}
	return nil
}
