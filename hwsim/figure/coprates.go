package figure

// This file has the errors of profilers on the co-processor over time and over overhead:
// figures 1 and 8.

import (
	"fmt"
	"math"

	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/plot"
)

// samplerRates are the periods of the simple sampler in figure 1: loads for a sample.
var samplerRates = []int{64, 256, 1024}

func sampler(period int) string { return fmt.Sprintf("cop(k0=%d)", period) }

func cycles(p copPoint) uint64   { return p.cycles }
func overhead(p copPoint) uint64 { return p.overhead }

// copErrors draws the errors of runs over cycles and over overhead.
func (r *Result) copErrors(name, title string, names []string, runs []*copRun, most float64) {
	for _, axis := range []struct {
		suffix, x string
		of        func(p copPoint) uint64
	}{{"time", "cycles", cycles}, {"overhead", "cycles of overhead", overhead}} {
		d := plot.Lines{Title: title, X: axis.x, Y: "weighted RMS error %", LogX: true, MaxY: most}
		for i, run := range runs {
			d.Curves = append(d.Curves, plot.Curve{Name: names[i], Points: run.curve(names[i], axis.of)})
		}
		r.lines(name+"-"+axis.suffix, d)
	}
}

// copMachine says in the setup what cycles and errors are.
func (env *Env) copMachine(res *Result) {
	res.setup("cycles: those of the retirement model and of the handlers, by the parameters of the engine cop: 200 an interrupt, 2 an access, 20 a record (modelled, not measured)")
	res.setup("error: root of the mean square error of invariances, weighted with executions, over pairs of a load and a value that have at least %.0f %% of a load with at least %d executions, against the complete profile",
		100*metric.Pairs.Invariant, metric.Pairs.Executions)
	res.setup("events: those after the initialisation of the programs, which make figures leaves out")
}

// at returns the error of a run when it has spent so many cycles, NaN before its first and
// behind its last point. Between two points it interpolates over the logarithm.
func (r *copRun) at(of func(p copPoint) uint64, x float64) float64 {
	for i := 1; i < len(r.points); i++ {
		a, b := float64(of(r.points[i-1])), float64(of(r.points[i]))
		if a <= x && x <= b && 0 < a && a < b {
			f := math.Log(x/a) / math.Log(b/a)
			return r.points[i-1].rms*(1-f) + r.points[i].rms*f
		}
	}
	return math.NaN()
}

// apart returns by which factor the errors of two runs differ where they have the same
// quantity, on geometric average over the points of the first.
func apart(a, b *copRun, of func(p copPoint) uint64) float64 {
	sum, n := 0.0, 0.0
	for _, p := range a.points {
		if y := b.at(of, float64(of(p))); y > 0 && p.rms > 0 {
			sum, n = sum+math.Log(p.rms/y), n+1
		}
	}
	return math.Exp(sum / n)
}

// cop1 is COP-28.
func cop1(env *Env, res *Result) error {
	x, err := env.copLoads(inRole("gcc"))
	if err != nil {
		return err
	}
	var specs, names []string
	for _, n := range samplerRates {
		specs, names = append(specs, sampler(n)), append(names, fmt.Sprintf("1 of %d", n))
	}
	runs, err := x.run(specs...)
	if err != nil {
		return err
	}
	res.setup("program: %s; %s loads of %d sites, %d pairs", copName(x.Program), short(x.events), x.places, len(x.selected))
	env.copMachine(res)
	res.copErrors("cop-1", "Figure 1: "+x.Name+", simple sampler", names, runs, 0)
	return nil
}
