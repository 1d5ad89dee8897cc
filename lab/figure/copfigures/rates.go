package copfigures

// This file has the errors of profilers over time and over overhead: figures 1 and 8, and the overhead of slow samplers.

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/plot"
)

// core is the main processor of all experiments. Four instructions retire in a cycle, in bursts of 64
// with as many cycles between them. That is two instructions a cycle on average, as in a processor like
// that of the paper. A load comes 4 or 16 instructions after the load before.
const core = "near=4,far=16,retire=4,burst=64,pause=16"

// engine describes a co-processor.
func engine(parts ...string) string {
	return "cop(" + strings.Join(append(parts, core), ",") + ")"
}

// sampler describes the simple sampler with a sample of every period loads.
func sampler(period int) string { return engine(fmt.Sprintf("k0=%d", period)) }

// valueDefaults describe the value profiler in these experiments: it has its own defaults, and memory for
// all records of a run. Our text of the paper has lost its constants; errorByConstant compares others.
var valueDefaults = []string{"program=values", "records=65536"}

// paperRules are the parameters with which the value profiler has the rules of the paper alone: the victim waits, and
// software neither weighs visits nor bounds estimates.
var paperRules = []string{"advance=0", "weigh=0", "bound=0", "early=0", "rf=3"}

// valueEngine describes the value profiler of section 5, with some of its parameters changed.
func valueEngine(changed ...string) string {
	var parts []string
	for _, d := range valueDefaults {
		name, _, _ := strings.Cut(d, "=")
		if !slices.ContainsFunc(changed, func(c string) bool { return strings.HasPrefix(c, name+"=") }) {
			parts = append(parts, d)
		}
	}
	return engine(append(parts, changed...)...)
}

// basePeriod is the number of loads to a sample of the simple sampler that the value profiler is compared with. Our text
// of the paper has lost its number.
const basePeriod = 1024

func cycles(p point) uint64   { return p.cycles }
func overhead(p point) uint64 { return p.overhead }

// drawErrors draws the errors of runs over cycles and over overhead.
func drawErrors(r *figure.Result, name, title string, names []string, runs []*run) {
	for _, axis := range []struct {
		suffix, x string
		of        func(p point) uint64
	}{{"time", "cycles", cycles}, {"overhead", "cycles of overhead", overhead}} {
		d := plot.Lines{Title: title, X: axis.x, Y: "weighted RMS error %", LogX: true}
		for i, x := range runs {
			d.Curves = append(d.Curves, plot.Curve{Name: names[i], Points: x.curve(axis.of)})
		}
		r.AddLines(name+"-"+axis.suffix, d)
	}
}

// describe says in the setup what is run, and what cycles and errors are.
func describe(res *figure.Result, x *stream) {
	if x != nil {
		res.Describe("program: %s; %s loads at %d sites, %d pairs", nameOf(x.Program), figure.Abbreviate(x.events), x.places, len(x.selected))
	}
	res.Describe("pairs: a load that is executed at least %d times, and a value that it has in at least %.0f %% of these", metric.Pairs.Executions, 100*metric.Pairs.Invariant)
	res.Describe("error: root of the mean square error of the estimated shares of pairs, weighted with executions, against the complete profile")
	res.Describe("main processor: %s; an interrupt takes 200 cycles, an access to the co-processor 2, a record of the sampler 20 (modelled, not measured)", core)
	res.Describe("%s", figure.Initialised)
}

// at returns the error of a run when it has used so much of a quantity, NaN before its first
// and behind its last point. Between two points it interpolates over the logarithm.
func (r *run) at(of func(p point) uint64, x float64) float64 {
	for i := 1; i < len(r.points); i++ {
		a, b := float64(of(r.points[i-1])), float64(of(r.points[i]))
		if a <= x && x <= b && 0 < a && a < b {
			f := math.Log(x/a) / math.Log(b/a)
			return r.points[i-1].rms*(1-f) + r.points[i].rms*f
		}
	}
	return math.NaN()
}

// apart returns by which factor the errors of two runs differ where they have used the same
// amount of a quantity, on geometric average over the points of the first.
func apart(a, b *run, of func(p point) uint64) float64 {
	sum, n := 0.0, 0.0
	for _, p := range a.points {
		if y := b.at(of, float64(of(p))); y > 0 && p.rms > 0 {
			sum, n = sum+math.Log(p.rms/y), n+1
		}
	}
	return math.Exp(sum / n)
}

// below returns the first cycle after which the error of a run stays below a limit, NaN if
// it does not.
func (r *run) below(limit float64) float64 {
	at := math.NaN()
	for i := len(r.points) - 1; i >= 0 && r.points[i].rms <= limit; i-- {
		at = float64(r.points[i].cycles)
	}
	return at
}

// mega is a number of cycles.
func mega(x float64) figure.Value {
	if math.IsNaN(x) {
		return figure.Value{Text: "never", Number: x, Unit: "cycles"}
	}
	return figure.Value{Text: fmt.Sprintf("%.1fM", x/1e6), Number: x, Unit: "cycles"}
}

// rising reports whether each number is greater than the one before. NaN is none.
func rising(list ...float64) bool {
	for i := range list {
		if math.IsNaN(list[i]) || i > 0 && list[i] <= list[i-1] {
			return false
		}
	}
	return true
}

// samplerPeriods are the rates of the simple sampler that figure 1 compares: one of so many loads.
var samplerPeriods = []int{64, 256, 1024}

// inBothOrders calls do with the loads of the largest working set in random order, and then as they were recorded.
func inBothOrders(env *figure.Env, res *figure.Result, do func(x *stream, suffix, what string) error) error {
	x, err := streamOf(env, figure.InRole("gcc"))
	if err != nil {
		return err
	}
	random, err := x.shuffled(env.Seed)
	if err != nil {
		return err
	}
	describe(res, x)
	res.Describe("in random order: the same loads, shuffled, so that the program has no phases; seed %d", env.Seed)
	if err := do(random, "random", "in random order"); err != nil {
		return err
	}
	return do(x, "recorded", "as recorded")
}

// errorBySamplerRate is figure 1 of Zilles and Sohi: error of the simple sampler over time and overhead (COP-28).
func errorBySamplerRate(env *figure.Env, res *figure.Result) error {
	const overlap = 1.25 // factor within which curves of random samples overlap
	var other string     // the factors of the order before
	return inBothOrders(env, res, func(x *stream, suffix, what string) error {
		var specs, names []string
		for _, n := range samplerPeriods {
			specs, names = append(specs, sampler(n)), append(names, fmt.Sprintf("1 of %d", n))
		}
		runs, err := x.run(specs...)
		if err != nil {
			return err
		}
		t := figure.Table{Title: "simple sampler, " + what, Columns: []string{"sampled", "cycles", "overhead", "error", "below 20 % after", "factor to the slower at equal overhead", "at equal time"}}
		var reach, same []float64
		for i, r := range runs {
			row := []figure.Value{figure.Text(names[i]), mega(float64(r.end().cycles)), figure.Percent(r.end().percent()), figure.Percent(r.end().rms), mega(r.below(20))}
			if i+1 < len(runs) {
				f := apart(r, runs[i+1], overhead)
				same = append(same, f)
				row = append(row, figure.Factor(f), figure.Factor(apart(r, runs[i+1], cycles)))
			}
			reach = append(reach, r.below(20))
			t.Rows = append(t.Rows, row)
		}
		res.Tables = append(res.Tables, t)
		drawErrors(res, "cop-1-"+suffix, "Figure 1: "+x.Name+", simple sampler, loads "+what, names, runs)
		state(res, suffix+"-reach", what+": error below 20 % after", list(mega(reach[0]), mega(reach[1]), mega(reach[2])), "a faster rate converges faster", rising(reach...))
		least, most := slices.Min(same), slices.Max(same)
		o := span(figure.Factor(least), figure.Factor(most))
		state(res, suffix+"-curves", what+": errors at equal overhead, a rate to the next slower one", o, "one curve for all rates", least >= 1/overlap && most <= overlap)
		because(res, "the factors are %s %s%s; curves are one if they are within %.2f", what, o.text, other, overlap)
		other = ", and " + what + " " + o.text
		return nil
	})
}

// errorOverTime is figure 8 of Zilles and Sohi: error over time and overhead (COP-30). It compares how fast the
// co-processor and simple samplers converge.
func errorOverTime(env *figure.Env, res *figure.Result) error {
	return inBothOrders(env, res, func(x *stream, suffix, what string) error { return converging(res, x, suffix, what) })
}

func converging(res *figure.Result, x *stream, suffix, what string) error {
	runs, err := x.run(valueEngine("clear=0"), valueEngine(), sampler(basePeriod), sampler(basePeriod/4))
	if err != nil {
		return err
	}
	names := []string{"co-processor, masks stay", "co-processor", fmt.Sprintf("simple, 1 of %d", basePeriod), fmt.Sprintf("simple, 1 of %d", basePeriod/4)}
	title := "Figure 8: " + x.Name + ", loads " + what
	drawErrors(res, "cop-8-"+suffix, title, names, runs)
	rate := plot.Lines{Title: title + ", overhead so far", X: "cycles", Y: "overhead %", LogX: true}
	t := figure.Table{Title: "error and overhead over time, loads " + what, Columns: []string{"loads"}}
	for i, r := range runs {
		t.Columns = append(t.Columns, names[i], "overhead")
		c := plot.Curve{Name: names[i]}
		for _, p := range r.points {
			c.Points = append(c.Points, metric.Point{Events: p.cycles, Error: p.percent()})
		}
		rate.Curves = append(rate.Curves, c)
	}
	for k := range runs[0].points {
		if k%6 != 0 && k+1 < len(runs[0].points) {
			continue
		}
		row := []figure.Value{figure.Count(runs[0].points[k].events, "loads")}
		for _, r := range runs {
			row = append(row, figure.Percent(r.points[k].rms), figure.Percent(r.points[k].percent()))
		}
		t.Rows = append(t.Rows, row)
	}
	res.Tables = append(res.Tables, t)
	res.AddLines("cop-8-"+suffix+"-rate", rate)

	still, profiler, simple := runs[0], runs[1], runs[2]
	final := simple.end().rms
	mine, theirs := profiler.below(final), float64(simple.end().cycles)
	what += ": "
	state(res, suffix+"-final", what+fmt.Sprintf("cycles to the simple sampler's final error, %.2f %%", final), two(mega(mine), mega(theirs), " for the sampler"), "converges faster", mine < theirs)
	because(res, "the final error of the co-processor is %.2f %%", profiler.end().rms)
	for _, limit := range []float64{40, 20} {
		a, b := profiler.below(limit), simple.below(limit)
		state(res, fmt.Sprintf("%s-to-%.0f", suffix, limit), what+fmt.Sprintf("cycles to an error of %.0f %%", limit), two(mega(a), mega(b), " for the sampler"), "converges faster", a < b)
	}
	early, late := still.window(0, 0.1), still.window(0.9, 1)
	state(res, suffix+"-tenths", what+"overhead in the first and the last tenth, masks stay", two(figure.Percent(early), figure.Percent(late), ""), "higher early, then interrupts fade", early > late)
	for i, r := range runs[2:] {
		gain := apart(profiler, r, overhead)
		state(res, suffix+[]string{"-gain", "-gain-faster"}[i], what+"error to that of "+names[2+i]+", at equal overhead", one(figure.Factor(gain)), "better accuracy for the same overhead", gain < 1)
		because(res, "this factor is over the whole curve; final errors are %.2f %% for an overhead of %.2f %%, and %.2f %% for %.2f %%", profiler.end().rms, profiler.end().percent(), r.end().rms, r.end().percent())
	}
	return nil
}

// window returns the overhead in percent between two shares of the cycles.
func (r *run) window(from, to float64) float64 {
	near := func(share float64) (p point) {
		for _, q := range r.points {
			if float64(q.cycles) > share*float64(r.end().cycles) {
				break
			}
			p = q
		}
		return p
	}
	a, b := near(from), near(to)
	if b.cycles == a.cycles {
		return math.NaN()
	}
	return point{cycles: b.cycles - a.cycles, overhead: b.overhead - a.overhead}.percent()
}

// burrows is the number of loads to a sample of a software sampler: the paper compares with
// Burrows et al., ASPLOS 2000, who sample four instructions in each 124,000 or so. A load of
// our traces is 11 instructions of the main processor on average.
const burrows = 124_000 / 4 / 11

// softwareRate measures the overhead of the simple sampler at the rate of a software sampler.
func softwareRate(env *figure.Env, res *figure.Result) error {
	describe(res, nil)
	t := figure.Table{Title: fmt.Sprintf("simple sampler, 1 of %d loads", burrows), Columns: []string{"program", "overhead", "error"}}
	bars := plot.Bars{Title: fmt.Sprintf("Overhead of the simple sampler, 1 of %d loads", burrows), Y: "overhead %"}
	var all []float64
	err := eachProgram(env, res, func(x *stream) error {
		runs, err := x.run(sampler(burrows))
		if err != nil {
			return err
		}
		p := runs[0].end()
		all = append(all, p.percent())
		bars.Groups = append(bars.Groups, x.Name)
		t.Rows = append(t.Rows, []figure.Value{figure.Text(nameOf(x.Program)), figure.Percent(p.percent()), figure.Percent(p.rms)})
		return nil
	})
	if err != nil {
		return err
	}
	bars.Series = []plot.Series{{Name: "simple sampler", Values: all}}
	res.Tables = append(res.Tables, t)
	res.AddBars("cop-rate", bars)
	least, most := slices.Min(all), slices.Max(all)
	state(res, "overhead", "overhead at the rate of a software sampler", span(figure.Percent(least), figure.Percent(most)), "a small percentage", most < 1)
	return nil
}
