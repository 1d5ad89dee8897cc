package copfigures

// This file describes the engines of all experiments. Its methods read cycles, overhead and errors off the curve of a
// run.

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/lab/figure"
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

func cycles(p point) uint64   { return p.cycles }
func overhead(p point) uint64 { return p.overhead }

// describe says in the setup what is run, and what cycles and errors are.
func describe(res *figure.Result, x *stream) {
	if x != nil {
		res.Describe("program: %s; %s loads at %d sites, %d pairs", nameOf(x.Program), figure.Abbreviate(x.events), x.places,
			len(x.selected))
	}
	res.Describe("pairs: a load that is executed at least %d times, and a value that it has in at least %.0f %% of these",
		metric.Pairs.Executions, 100*metric.Pairs.Invariant)
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

// samplerPeriods are the rates of the simple sampler that figure 1 compares: one of so many loads.
var samplerPeriods = []int{64, 256, 1024}

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
