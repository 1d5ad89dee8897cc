package figure

// This file has the accuracy of value profiles of all programs: figures 6 and 7.

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/lab/plot"
)

// scatterClasses divide pairs by their executions. The paper has three classes; their limits
// are lost.
var scatterClasses = []struct {
	name     string
	from, to uint64
}{{"below 10K", 0, 10_000}, {"10K-100K", 10_000, 100_000}, {"100K and more", 100_000, math.MaxUint64}}

const band = 10 // percent, of the dashed lines beside the diagonal; the paper's is lost

// cop6 is the scatter plot.
func cop6(env *Env, res *Result) error {
	x, err := env.copLoads(inRole("gcc"))
	if err != nil {
		return err
	}
	runs, err := x.run(valueEngine())
	if err != nil {
		return err
	}
	r := runs[0]
	env.copSetup(res, x)
	d := plot.Scatter{Title: "Figure 6: " + x.Name + ", pairs of a load and a value", X: "true share %", Y: "estimated share %", Max: 100, Band: band}
	t := Table{Title: "estimates, by executions of the pair", Columns: []string{"executions", "pairs", fmt.Sprintf("within %d points", band), "never sampled", "mean error", "weighted RMS"}}
	var inside []float64
	never, rare := 0, 0
	for _, class := range scatterClasses {
		c := plot.Cloud{Name: class.name}
		var pairs []tuple.Tuple
		near, axis, sum := 0, 0, 0.0
		for _, pair := range x.selected {
			n := x.complete.Tuple(pair)
			if n < class.from || n >= class.to {
				continue
			}
			truth, estimate := 100*x.complete.Invariance(pair), 100*r.estimate.Invariance(pair)
			pairs = append(pairs, pair)
			c.Points = append(c.Points, plot.XY{X: truth, Y: estimate})
			sum += math.Abs(truth - estimate)
			if math.Abs(truth-estimate) <= band {
				near++
			}
			if estimate == 0 {
				axis++
			}
		}
		if pairs == nil {
			continue
		}
		d.Clouds = append(d.Clouds, c)
		share := 100 * float64(near) / float64(len(pairs))
		inside = append(inside, share)
		never += axis
		if class.to <= scatterClasses[len(scatterClasses)-1].from {
			rare += axis
		}
		y := *x
		y.selected = pairs
		t.Rows = append(t.Rows, []Value{
			text(class.name), count(len(pairs), "pairs"), percent(share), count(axis, "pairs"), percent(sum / float64(len(pairs))), percent(y.rms(r.estimate)),
		})
	}
	res.Tables = append(res.Tables, t)
	res.scatter("cop-6", d)
	all := 0.0
	for i, class := range t.Rows {
		all += inside[i] * class[1].Number / float64(len(x.selected))
	}
	res.row(fmt.Sprintf("pairs within %d points of the truth", band), one(percent(all)), "most", all > 50)
	rarest, frequent := inside[0], inside[len(inside)-1]
	res.row("the same of the rarest class and of the most frequent", two(percent(rarest), percent(frequent), ""), "outliers tend to be infrequent", frequent > rarest || len(inside) == 1)
	res.row("never sampled, and of these in the rarer two classes", two(count(never, "pairs"), count(rare, "pairs"), ""), "largely infrequent ones", rare*2 >= never)
	return nil
}

// A copResult is what the co-processor and simple samplers reach with a program.
type copResult struct {
	*copLoads
	mine, fixed, equal copPoint
}

// copRegions are parts of the events of a trace: the paper profiles a part of each program,
// and has lost its length.
var copRegions = []uint64{16, 4, 1}

// cop7 is COP-29.
func cop7(env *Env, res *Result) error {
	env.copSetup(res, nil)
	res.setup("complete after: cycles after which nothing is left to profile, so that only the timer interrupts, until masks are cleared")
	res.setup("at equal overhead: the simple sampler with the period that costs what the co-processor costs")
	res.setup("regions: the first part of the loads, against the complete profile of this part")
	for i, part := range copRegions {
		region := *env
		region.Events /= part
		all, err := region.compared(res, short(region.Events))
		if errors.Is(err, errNoPairs) && i+1 < len(copRegions) {
			res.setup("regions of %s loads have no pairs", short(region.Events))
			continue
		}
		if err != nil {
			return err
		}
		res.copVerdicts(short(region.Events)+" loads: ", all, part == 1)
		if part == 1 {
			return env.withoutPhases(res, all)
		}
	}
	return nil
}

// withoutPhases compares the co-processor and a simple sampler on the two largest working
// sets in random order. Masks stay: without phases there is no reason to clear them.
func (env *Env) withoutPhases(res *Result, all []copResult) error {
	res.setup("in random order: the same %s loads, shuffled, so that the program has no phases; masks stay; seed %d", short(env.Events), env.Seed)
	for i, a := range largest(all) {
		x, err := a.shuffled(env.Seed)
		if err != nil {
			return err
		}
		runs, err := x.run(valueEngine("clear=0"))
		if err != nil {
			return err
		}
		_, equal, err := x.samplerAt(runs[0].end().percent())
		if err != nil {
			return err
		}
		res.largestRow("in random order: ", i, x, runs[0].end(), equal.end())
	}
	return nil
}

// largest returns the results of the two largest working sets.
func largest(all []copResult) []copResult {
	list := slices.SortedFunc(slices.Values(all), func(a, b copResult) int { return cmp.Compare(b.places, a.places) })
	return list[:min(2, len(list))]
}

// largestRow adds the row about the largest working set, i = 0, or the second largest.
func (r *Result) largestRow(prefix string, i int, x *copLoads, mine, equal copPoint) {
	what := []string{"largest working set: errors at equal overhead", "second largest working set: errors at equal overhead"}[i]
	o := two(percent(mine.rms), percent(equal.rms), "")
	o.text = fmt.Sprintf("%s, %d sites: %s", copName(x.Program), x.places, o.text)
	r.row(prefix+what, o, "the two largest gain most", mine.rms < equal.rms)
	r.because("a factor of %.2fx; cop-long has factors of many windows", mine.rms/equal.rms)
}

// compared runs the co-processor and simple samplers over a region of all programs.
func (env *Env) compared(res *Result, region string) (all []copResult, err error) {
	t := Table{Title: "value profiles of " + region + " loads", Columns: []string{
		"program", "sites", "pairs", "co-processor", "overhead", "interrupts", "complete after", "lost",
		fmt.Sprintf("simple, 1 of %d", basePeriod), "overhead", "simple, at equal overhead", "1 of", "overhead", "co-processor to it",
	}}
	errs := plot.Bars{Title: "Figure 7: weighted RMS error, " + region + " loads", Y: "error %"}
	costs := plot.Bars{Title: "Figure 7: overhead, " + region + " loads", Y: "overhead %"}
	for _, n := range []string{"co-processor", fmt.Sprintf("simple, 1 of %d", basePeriod), "simple, at equal overhead"} {
		errs.Series = append(errs.Series, plot.Series{Name: n})
		costs.Series = append(costs.Series, plot.Series{Name: n})
	}
	err = env.eachCop(res, func(x *copLoads) error {
		runs, err := x.run(valueEngine(), sampler(basePeriod))
		if err != nil {
			return err
		}
		r := runs[0]
		period, equal, err := x.samplerAt(r.end().percent())
		if err != nil {
			return err
		}
		a := copResult{x, r.end(), runs[1].end(), equal.end()}
		all = append(all, a)
		t.Rows = append(t.Rows, []Value{
			text(copName(x.Program)), count(x.places, "sites"), count(len(x.selected), "pairs"),
			percent(a.mine.rms), percent(a.mine.percent()), count(interrupts(r), "interrupts"), mega(r.completeAt()), percent(r.lost()),
			percent(a.fixed.rms), percent(a.fixed.percent()), percent(a.equal.rms), count(period, "loads"), percent(a.equal.percent()), factor(a.mine.rms / a.equal.rms),
		})
		errs.Groups, costs.Groups = append(errs.Groups, x.Name), append(costs.Groups, x.Name)
		for i, p := range []copPoint{a.mine, a.fixed, a.equal} {
			errs.Series[i].Values = append(errs.Series[i].Values, p.rms)
			costs.Series[i].Values = append(costs.Series[i].Values, p.percent())
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	res.Tables = append(res.Tables, t)
	res.bars("cop-7-error-"+region, errs)
	res.bars("cop-7-overhead-"+region, costs)
	return all, nil
}

// copVerdicts adds the rows about one region; weak adds those about the programs with a
// weakness.
func (r *Result) copVerdicts(region string, all []copResult, weak bool) {
	n, fixed, equal, cheaper := len(all), 0, 0, 0
	for _, a := range all {
		fixed += one01(a.mine.rms < a.fixed.rms)
		equal += one01(a.mine.rms < a.equal.rms)
		cheaper += one01(a.mine.percent() < a.fixed.percent())
	}
	r.row(region+fmt.Sprintf("smaller error than 1 of %d", basePeriod), part(fixed, n, "programs"), "nearly everywhere", 4*fixed >= 3*n)
	r.because("%s", each(all, func(a copResult) (string, bool) {
		return fmt.Sprintf("%.2f %% to %.2f %%", a.mine.rms, a.fixed.rms), a.mine.rms >= a.fixed.rms
	}))
	r.row(region+fmt.Sprintf("less overhead than 1 of %d", basePeriod), part(cheaper, n, "programs"), "most", 2*cheaper > n)
	r.because("overheads: %s", each(all, func(a copResult) (string, bool) {
		return fmt.Sprintf("%.2f %% to %.2f %%", a.mine.percent(), a.fixed.percent()), a.mine.percent() >= a.fixed.percent()
	}))
	r.row(region+"smaller error at equal overhead", part(equal, n, "programs"), "better accuracy at equal overhead", 2*equal > n)
	r.because("factors and sites: %s", each(all, func(a copResult) (string, bool) {
		return fmt.Sprintf("%.2fx with %d", a.mine.rms/a.equal.rms, a.places), a.mine.rms >= a.equal.rms
	}))
	for i, a := range largest(all) {
		r.largestRow(region, i, a.copLoads, a.mine, a.equal)
	}
	for _, a := range all {
		what := region + copName(a.Program) + ": errors at equal overhead"
		switch {
		case weak && a.Name == "filters":
			r.row(what, two(percent(a.mine.rms), percent(a.equal.rms), ""), "worse: values in phases", a.mine.rms > a.equal.rms)
		case weak && a.Name == "bitboard":
			r.row(what, two(percent(a.mine.rms), percent(a.equal.rms), ""), "bad for both: 64-bit flags", a.mine.rms > 10 && a.equal.rms > 10)
		}
	}
}

// each lists the programs of which text returns true.
func each(all []copResult, text func(a copResult) (string, bool)) string {
	var list []string
	for _, a := range all {
		if s, ok := text(a); ok {
			list = append(list, copName(a.Program)+" "+s)
		}
	}
	return strings.Join(list, ", ")
}

func one01(b bool) int {
	if b {
		return 1
	}
	return 0
}

// samplerAt returns the simple sampler that has about the given overhead in percent, and its
// period. The overhead of a sampler is in proportion to its rate, nearly.
func (x *copLoads) samplerAt(want float64) (period int, r *copRun, err error) {
	runs, err := x.run(sampler(basePeriod))
	if err != nil {
		return 0, nil, err
	}
	r, period = runs[0], basePeriod
	for range 2 {
		if got := r.end().percent(); got > 0 && want > 0 {
			period = max(1, int(math.Round(float64(period)*got/want)))
		}
		if runs, err = x.run(sampler(period)); err != nil {
			return 0, nil, err
		}
		r = runs[0]
	}
	return period, r, nil
}

// completeAt returns after how many cycles the profile of a run was complete, until the end of
// the run. It is NaN if the profile is not complete at the end.
func (r *copRun) completeAt() float64 {
	at := math.NaN()
	for i := len(r.points) - 1; i >= 0 && r.points[i].complete; i-- {
		at = float64(r.points[i].cycles)
	}
	return at
}
