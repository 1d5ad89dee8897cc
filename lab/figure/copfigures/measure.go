package copfigures

// This file measures what the page of the co-processor's paper is made of.

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim/cop/machine"
	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/transistors"
)

// The two columns of the page: the rules of the paper alone, and those that the project has added.
var columns = []struct {
	name  string
	rules []string
}{{"rules", paperRules}, {"ours", nil}}

// column returns the name of a column.
func columnOf(extended bool) string {
	if extended {
		return columns[1].name
	}
	return columns[0].name
}

// seeds is how many seeds of the shift register the main comparison has.
const seeds = 3

// shorter is how many times longer the first length of the comparison is than the second.
const shorter = 4

// rulesOf returns a value profiler with the rules of a column, and some parameters changed.
func rulesOf(rules []string, changed ...string) string {
	var kept []string
	for _, r := range rules {
		name, _, _ := strings.Cut(r, "=")
		if !slices.ContainsFunc(changed, func(c string) bool { return strings.HasPrefix(c, name+"=") }) {
			kept = append(kept, r)
		}
	}
	return valueEngine(append(kept, changed...)...)
}

// ofLoads are the taps of the recordings.
const ofLoads = "loads"

// measure runs all experiments of the page.
func measure(env *figure.Env, m *figure.Measured) error {
	if err := sizes(m); err != nil {
		return err
	}
	for _, p := range programs { // before the first minutes have passed
		if _, err := env.Source(p.Name, ofLoads); err != nil {
			return err
		}
	}
	var wait sync.WaitGroup
	places := make(chan bool, runtime.GOMAXPROCS(0))
	errs := make([]error, len(programs))
	for i, p := range programs {
		wait.Go(func() {
			places <- true
			defer func() { <-places }()
			errs[i] = measureProgram(env, m, p)
		})
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for _, p := range largestOf(m) {
		if err := reasons(env, m, p); err != nil {
			return err
		}
	}
	return nil
}

// sizes adds the transistors by the number of slots, and which applications of the paper's section 4 are microcode.
func sizes(m *figure.Measured) error {
	for _, slots := range []int{256, 128, 512, 1024} {
		x, err := transistors.Of(machine.Config{Slots: slots})
		if err != nil {
			return err
		}
		m.Add("transistors/total", float64(x.Total))
		m.Add("transistors/arrays", float64(x.Arrays))
	}
	for _, name := range []string{"edges", "callstack", "deps", "conflicts"} {
		_, err := engines.Parse("cop(program="+name+")", nil)
		m.Add("applications", float64(oneIf(err == nil)))
	}
	return nil
}

// measureProgram runs the experiments with the loads of one program.
func measureProgram(env *figure.Env, m *figure.Measured, p figure.Program) error {
	x, err := streamOf(env, p)
	if err != nil {
		return err
	}
	m.Add(p.Name+"/sites", float64(x.places))
	m.Add(p.Name+"/pairs", float64(len(x.selected)))
	base, err := x.compare(m, p.Name+"/whole")
	if err != nil {
		return err
	}
	m.Add(p.Name+"/base", base)
	if err := x.atRates(m, base); err != nil {
		return err
	}
	if err := x.variants(m); err != nil {
		return err
	}
	short := *env
	short.Loads /= shorter
	y, err := streamOf(&short, p)
	if errors.Is(err, errNoPairs) {
		return nil
	}
	if err == nil {
		_, err = y.compare(m, p.Name+"/part")
	}
	if err == nil && p == figure.InRole("gcc") {
		err = x.curves(env, m, base)
	}
	return err
}

// compare runs the value profiler with the rules of each column and several seeds, and for each column a band of simple
// samplers with the same overhead. It returns how many cycles the program has for a load.
func (x *stream) compare(m *figure.Measured, name string) (base float64, err error) {
	for _, c := range columns {
		var specs []string
		for seed := range seeds {
			specs = append(specs, rulesOf(c.rules, fmt.Sprintf("seed=%d", seed+1)))
		}
		runs, err := x.run(specs...)
		if err != nil {
			return 0, err
		}
		var overheads figure.Tally
		for _, r := range runs {
			end := r.end()
			base = float64(end.cycles-end.overhead) / float64(end.events)
			overheads = append(overheads, end.percent())
			m.Add(name+"/"+c.name+"/error", end.rms)
			m.Add(name+"/"+c.name+"/lost", r.lost())
			m.Add(name+"/"+c.name+"/shares", x.lowRMS(r.estimate))
		}
		m.Add(name+"/"+c.name+"/overhead", overheads...)
		band := bandAt(base, overheads.Median())
		if err := x.plain(base, false, band); err != nil {
			return 0, err
		}
		errs, costs := errorsOf(band)
		m.Add(name+"/"+c.name+"/simple", errs...)
		m.Add(name+"/"+c.name+"/simple-overhead", costs.Median())
		m.Add(name+"/"+c.name+"/period", float64(band[len(band)/2].period))
	}
	return base, nil
}

// lowRMS returns the error against the true shares of the lower halves of values.
func (x *stream) lowRMS(e metric.Estimate) float64 {
	y := *x
	if x.lower == nil {
		x.lower = metric.New()
		if err := x.each(func(t []tuple.Tuple) {
			for _, v := range t {
				x.lower.Add(low(v), 1)
			}
		}); err != nil {
			return math.NaN()
		}
	}
	y.selected, y.complete = metric.Pairs.Of(x.lower), x.lower
	return y.rms(e)
}

// samplerRates are periods of simple samplers, a factor of the root of 2 apart.
func samplerRates() (list []uint64) {
	for p := 64.; p < 5000; p *= math.Sqrt2 {
		list = append(list, uint64(math.Round(p)))
	}
	return list
}

// atRates runs simple samplers of many rates, and that of software samplers.
func (x *stream) atRates(m *figure.Measured, base float64) error {
	var all []*plainSampler
	rates := append(samplerRates(), burrows)
	for _, period := range rates {
		all = append(all, inPhases(period)...)
	}
	if err := x.plain(base, false, all); err != nil {
		return err
	}
	for _, s := range all {
		name := fmt.Sprintf("%s/rate/%d", x.Name, s.period)
		end := s.points[0]
		m.Add(name+"/error", end.rms)
		m.Add(name+"/overhead", end.percent())
	}
	return nil
}

// The variants of the machine that are compared with the base machine: figures 9 and 10, the clock, and the buffer.
var machineVariants = []struct{ name, part string }{
	{"base", "slots=256"}, {"half", "slots=128"}, {"double", "slots=512"}, {"clock-2", "clock=0.5"},
	{"clock-4", "clock=0.25"}, {"buffer", "buffer=8192"},
	{"stay", "clear=0"}, {"rare-timer", "clear=0,timer=8000000"},
}

// variants runs variants of the machine with the rules of each column.
func (x *stream) variants(m *figure.Measured) error {
	for _, c := range columns {
		var specs []string
		for _, v := range machineVariants {
			specs = append(specs, rulesOf(c.rules, v.part))
		}
		runs, err := x.run(specs...)
		if err != nil {
			return err
		}
		for i, r := range runs {
			name := x.Name + "/" + machineVariants[i].name + "/" + c.name
			end := r.end()
			m.Add(name+"/error", end.rms)
			m.Add(name+"/overhead", end.percent())
			m.Add(name+"/cycles", float64(end.overhead))
			m.Add(name+"/samples", float64(end.samples)/float64(end.cycles)*1e6)
			m.Add(name+"/lost", r.lost())
			m.Add(name+"/tenths", r.window(0, 0.1), r.window(0.9, 1))
		}
	}
	return nil
}
