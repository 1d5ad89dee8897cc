package copfigures

// This file has the accuracy of value profiles of all programs: figures 6 and 7.

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/plot"
)

// scatterClasses divide pairs by their executions. The paper has three classes; our text of it has lost their limits.
var scatterClasses = []struct {
	name     string
	from, to uint64
}{{"below 10K", 0, 10_000}, {"10K-100K", 10_000, 100_000}, {"100K and more", 100_000, math.MaxUint64}}

const band = 10 // percent, of the dashed lines beside the diagonal; our text of the paper has lost its number

// valueScatter is figure 6 of Zilles and Sohi: estimated and true shares of values (section 5.2).
func valueScatter(env *figure.Env, res *figure.Result) error {
	x, err := streamOf(env, figure.InRole("gcc"))
	if err != nil {
		return err
	}
	runs, err := x.run(valueEngine())
	if err != nil {
		return err
	}
	r := runs[0]
	describe(res, x)
	d := plot.Scatter{Title: "Figure 6: " + x.Name + ", pairs of a load and a value", X: "true share %", Y: "estimated share %", Max: 100, Band: band}
	t := figure.Table{Title: "estimates, by executions of the pair", Columns: []string{"executions", "pairs", fmt.Sprintf("within %d points", band), "never sampled", "mean error", "weighted RMS"}}
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
		t.Rows = append(t.Rows, []figure.Value{
			figure.Text(class.name), figure.Count(len(pairs), "pairs"), figure.Percent(share), figure.Count(axis, "pairs"), figure.Percent(sum / float64(len(pairs))), figure.Percent(y.rms(r.estimate)),
		})
	}
	res.Tables = append(res.Tables, t)
	res.AddScatter("cop-6", d)
	all := 0.0
	for i, class := range t.Rows {
		all += inside[i] * class[1].Number / float64(len(x.selected))
	}
	state(res, "near", fmt.Sprintf("pairs within %d points of the truth", band), one(figure.Percent(all)), "most", all > 50)
	rarest, frequent := inside[0], inside[len(inside)-1]
	state(res, "by-class", "the same of the rarest class and of the most frequent", two(figure.Percent(rarest), figure.Percent(frequent), ""), "outliers tend to be infrequent", frequent > rarest || len(inside) == 1)
	state(res, "never", "never sampled, and of these in the rarer two classes", two(figure.Count(never, "pairs"), figure.Count(rare, "pairs"), ""), "largely infrequent ones", rare*2 >= never)
	return nil
}

// reached is what the co-processor and simple samplers reach with a program.
type reached struct {
	*stream
	mine, fixed, equal point
}

// regions divide the loads of a program. The paper profiles a part of each program, and our text of it has lost how long
// that is.
var regions = []uint64{16, 4, 1}

// errorByProgram is figure 7 of Zilles and Sohi: error and overhead of all programs (COP-29).
func errorByProgram(env *figure.Env, res *figure.Result) error {
	describe(res, nil)
	res.Describe("complete after: cycles after which nothing is left to profile, so that only the timer interrupts, until masks are cleared")
	res.Describe("at equal overhead: the simple sampler with the period that costs what the co-processor costs")
	res.Describe("regions: the first part of the loads, against the complete profile of this part")
	for i, part := range regions {
		region := *env
		region.Loads /= part
		all, err := compared(&region, res, figure.Abbreviate(region.Loads))
		if errors.Is(err, errNoPairs) && i+1 < len(regions) {
			res.Describe("regions of %s loads have no pairs", figure.Abbreviate(region.Loads))
			continue
		}
		if err != nil {
			return err
		}
		addVerdicts(res, figure.Abbreviate(region.Loads), all, part == 1)
		if part == 1 {
			return withoutPhases(env, res, all)
		}
	}
	return nil
}

// withoutPhases compares the co-processor and a simple sampler on the two largest working
// sets in random order. Masks stay: without phases there is no reason to clear them.
func withoutPhases(env *figure.Env, res *figure.Result, all []reached) error {
	res.Describe("in random order: the same %s loads, shuffled, so that the program has no phases; masks stay; seed %d", figure.Abbreviate(env.Loads), env.Seed)
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
		addLargest(res, "random", "in random order: ", i, x, runs[0].end(), equal.end())
	}
	return nil
}

// largest returns the results of the two largest working sets.
func largest(all []reached) []reached {
	list := slices.SortedFunc(slices.Values(all), func(a, b reached) int { return cmp.Compare(b.places, a.places) })
	return list[:min(2, len(list))]
}

// addLargest adds the row about the largest working set, i = 0, or the second largest.
func addLargest(r *figure.Result, key, prefix string, i int, x *stream, mine, equal point) {
	o := two(figure.Percent(mine.rms), figure.Percent(equal.rms), "")
	o.text = fmt.Sprintf("%s, %d sites: %s", nameOf(x.Program), x.places, o.text)
	state(r, key+[]string{"-largest", "-second"}[i], prefix+[]string{"", "second "}[i]+"largest working set: errors at equal overhead", o, "the two largest gain most", mine.rms < equal.rms)
	because(r, "a factor of %.2fx; cop-long has factors of many windows", mine.rms/equal.rms)
}

// compared runs the co-processor and simple samplers over a region of all programs.
func compared(env *figure.Env, res *figure.Result, region string) (all []reached, err error) {
	t := figure.Table{Key: "profiles-" + region, Title: "value profiles of " + region + " loads", Columns: []string{
		"program", "sites", "pairs", "co-processor", "overhead", "interrupts", "complete after", "lost",
		fmt.Sprintf("simple, 1 of %d", basePeriod), "overhead", "simple, at equal overhead", "1 of", "overhead", "co-processor to it",
	}}
	errs := plot.Bars{Title: "Figure 7: weighted RMS error, " + region + " loads", Y: "error %"}
	costs := plot.Bars{Title: "Figure 7: overhead, " + region + " loads", Y: "overhead %"}
	for _, n := range []string{"co-processor", fmt.Sprintf("simple, 1 of %d", basePeriod), "simple, at equal overhead"} {
		errs.Series = append(errs.Series, plot.Series{Name: n})
		costs.Series = append(costs.Series, plot.Series{Name: n})
	}
	err = eachProgram(env, res, func(x *stream) error {
		runs, err := x.run(valueEngine(), sampler(basePeriod))
		if err != nil {
			return err
		}
		r := runs[0]
		period, equal, err := x.samplerAt(r.end().percent())
		if err != nil {
			return err
		}
		a := reached{x, r.end(), runs[1].end(), equal.end()}
		all = append(all, a)
		t.Rows = append(t.Rows, []figure.Value{
			figure.Text(nameOf(x.Program)), figure.Count(x.places, "sites"), figure.Count(len(x.selected), "pairs"),
			figure.Percent(a.mine.rms), figure.Percent(a.mine.percent()), figure.Count(interrupts(r), "interrupts"), mega(r.completeAt()), figure.Percent(r.lost()),
			figure.Percent(a.fixed.rms), figure.Percent(a.fixed.percent()), figure.Percent(a.equal.rms), figure.Count(period, "loads"), figure.Percent(a.equal.percent()), figure.Factor(a.mine.rms / a.equal.rms),
		})
		errs.Groups, costs.Groups = append(errs.Groups, x.Name), append(costs.Groups, x.Name)
		for i, p := range []point{a.mine, a.fixed, a.equal} {
			errs.Series[i].Values = append(errs.Series[i].Values, p.rms)
			costs.Series[i].Values = append(costs.Series[i].Values, p.percent())
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	res.Tables = append(res.Tables, t)
	res.AddBars("cop-7-error-"+region, errs)
	res.AddBars("cop-7-overhead-"+region, costs)
	return all, nil
}

// addVerdicts adds the rows about one region; weak adds those about the programs with a
// weakness.
func addVerdicts(r *figure.Result, region string, all []reached, weak bool) {
	prefix := region + " loads: "
	n, fixed, equal, cheaper := len(all), 0, 0, 0
	for _, a := range all {
		fixed += oneIf(a.mine.rms < a.fixed.rms)
		equal += oneIf(a.mine.rms < a.equal.rms)
		cheaper += oneIf(a.mine.percent() < a.fixed.percent())
	}
	state(r, region+"-error", prefix+fmt.Sprintf("smaller error than 1 of %d", basePeriod), part(fixed, n, "programs"), "nearly everywhere", 4*fixed >= 3*n)
	because(r, "%s", each(all, func(a reached) (string, bool) {
		return fmt.Sprintf("%.2f %% to %.2f %%", a.mine.rms, a.fixed.rms), a.mine.rms >= a.fixed.rms
	}))
	state(r, region+"-overhead", prefix+fmt.Sprintf("less overhead than 1 of %d", basePeriod), part(cheaper, n, "programs"), "most", 2*cheaper > n)
	because(r, "overheads: %s", each(all, func(a reached) (string, bool) {
		return fmt.Sprintf("%.2f %% to %.2f %%", a.mine.percent(), a.fixed.percent()), a.mine.percent() >= a.fixed.percent()
	}))
	state(r, region+"-equal", prefix+"smaller error at equal overhead", part(equal, n, "programs"), "better accuracy at equal overhead", 2*equal > n)
	because(r, "factors and sites: %s", each(all, func(a reached) (string, bool) {
		return fmt.Sprintf("%.2fx with %d", a.mine.rms/a.equal.rms, a.places), a.mine.rms >= a.equal.rms
	}))
	for i, a := range largest(all) {
		addLargest(r, region, prefix, i, a.stream, a.mine, a.equal)
	}
	for _, a := range all {
		key, what := region+"-"+a.Name, prefix+nameOf(a.Program)+": errors at equal overhead"
		switch {
		case weak && a.Name == filters.Name:
			state(r, key, what, two(figure.Percent(a.mine.rms), figure.Percent(a.equal.rms), ""), "worse: values in phases", a.mine.rms > a.equal.rms)
		case weak && a.Name == bitboard.Name:
			state(r, key, what, two(figure.Percent(a.mine.rms), figure.Percent(a.equal.rms), ""), "bad for both: 64-bit flags", a.mine.rms > 10 && a.equal.rms > 10)
		}
	}
}

// each lists the programs of which text returns true.
func each(all []reached, text func(a reached) (string, bool)) string {
	var list []string
	for _, a := range all {
		if s, ok := text(a); ok {
			list = append(list, nameOf(a.Program)+" "+s)
		}
	}
	return strings.Join(list, ", ")
}

// samplerAt returns the simple sampler that has about the given overhead in percent, and its
// period. The overhead of a sampler is in proportion to its rate, nearly.
func (x *stream) samplerAt(want float64) (period int, r *run, err error) {
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
func (r *run) completeAt() float64 {
	at := math.NaN()
	for i := len(r.points) - 1; i >= 0 && r.points[i].complete; i-- {
		at = float64(r.points[i].cycles)
	}
	return at
}
