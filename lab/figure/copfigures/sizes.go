package copfigures

// This file varies the co-processor: its size, its arrays and its clock.

import (
	"fmt"
	"math"

	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/cop/machine"
	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/plot"
	"github.com/pepgo/pep/lab/transistors"
)

// meter returns a meter of the engine of a run.
func (r *run) meter(name string) hwsim.Meter {
	for _, m := range r.engine.(hwsim.Metered).Meters() {
		if m.Name == name {
			return m
		}
	}
	panic("copfigures: " + r.spec + " does not count: " + name)
}

func interrupts(r *run) uint64 { return r.meter("interrupts").Count }

// lost returns the percentage of the events at the sample buffer that were lost.
func (r *run) lost() float64 {
	drops, samples := r.meter("lost: buffer full").Count, r.meter("samples").Count
	if drops+samples == 0 {
		return 0
	}
	return 100 * float64(drops) / float64(drops+samples)
}

// transistorsBySize is table 1 of Zilles and Sohi: structures and transistors of the co-processor (COP-32).
func transistorsBySize(_ *figure.Env, res *figure.Result) error {
	t := figure.Table{Title: "structures of the base machine", Columns: []string{"structure", "ports", "entries", "bits", "bytes", "transistors"}}
	bars := plot.Bars{Title: "Table 1: transistors by size of the arrays", Y: "transistors"}
	sizes := []int{128, 256, 512, 1024}
	var total, arrays []float64
	for _, slots := range sizes {
		x, err := transistors.Of(machine.Config{Slots: slots})
		if err != nil {
			return err
		}
		bars.Groups = append(bars.Groups, fmt.Sprint(slots, " slots"))
		total, arrays = append(total, float64(x.Total)), append(arrays, float64(x.Arrays))
		if slots != 256 {
			continue
		}
		none := figure.Text("-")
		for _, s := range x.Structures {
			row := []figure.Value{figure.Text(s.Name), none, none, none, none, figure.Count(s.Total(), "transistors")}
			if s.Entries > 0 {
				copy(row[1:], []figure.Value{figure.Text(s.Ports), figure.Count(s.Entries, "words"), figure.Count(s.Bits, "bits"), figure.Count((s.Entries*s.Bits+7)/8, "bytes")})
			}
			t.Rows = append(t.Rows, row)
		}
		t.Rows = append(t.Rows, []figure.Value{figure.Text("total"), none, none, none, none, figure.Count(x.Total, "transistors")})
	}
	bars.Series = []plot.Series{{Name: "all", Values: total}, {Name: "memory arrays", Values: arrays}}
	res.Describe("transistors: an estimate from the sizes of the structures; package transistors has its constants")
	res.Tables = append(res.Tables, t)
	res.AddBars("cop-table1", bars)
	base, inArrays := total[1], arrays[1]
	million := func(x float64) figure.Value {
		return figure.Value{Text: fmt.Sprintf("%.2fM", x/1e6), Number: x, Unit: "transistors"}
	}
	state(res, "transistors", "transistors", one(million(base)), "approximately half a million", 0.3e6 <= base && base <= 0.7e6)
	state(res, "in-arrays", "of these in memory arrays", one(figure.Percent(100*inArrays/base)), "most", inArrays > base/2)
	state(res, "rest", "the rest, processor and interfaces", one(million(base-inArrays)), "simpler than a StrongARM core", base-inArrays < 0.4e6)
	return nil
}

// A variant is a co-processor that differs from the base machine.
type variant struct {
	name string
	spec string
}

var arrayVariants = []variant{{"half", valueEngine("slots=128")}, {"base", valueEngine()}, {"double", valueEngine("slots=512")}}

var clockVariants = []variant{{"1", valueEngine()}, {"1/2", valueEngine("clock=0.5")}, {"1/4", valueEngine("clock=0.25")}}

// varied runs variants of the co-processor over all programs, and draws their errors and
// overheads. do gets the runs of each program.
func varied(env *figure.Env, res *figure.Result, id, title string, variants []variant, do func(x *stream, runs []*run)) error {
	describe(res, nil)
	t := figure.Table{Title: title, Columns: []string{"program", "sites"}}
	errs := plot.Bars{Title: title + ": weighted RMS error", Y: "error %"}
	costs := plot.Bars{Title: title + ": overhead", Y: "overhead %"}
	var specs []string
	for _, v := range variants {
		specs = append(specs, v.spec)
		errs.Series = append(errs.Series, plot.Series{Name: v.name})
		costs.Series = append(costs.Series, plot.Series{Name: v.name})
	}
	for _, what := range []string{"error", "overhead", "lost"} {
		for _, v := range variants {
			t.Columns = append(t.Columns, what+" "+v.name)
		}
	}
	err := eachProgram(env, res, func(x *stream) error {
		runs, err := x.run(specs...)
		if err != nil {
			return err
		}
		row := []figure.Value{figure.Text(nameOf(x.Program)), figure.Count(x.places, "sites")}
		for i, r := range runs {
			row = append(row, figure.Percent(r.end().rms))
			errs.Series[i].Values = append(errs.Series[i].Values, r.end().rms)
			costs.Series[i].Values = append(costs.Series[i].Values, r.end().percent())
		}
		for _, r := range runs {
			row = append(row, figure.Percent(r.end().percent()))
		}
		for _, r := range runs {
			row = append(row, figure.Percent(r.lost()))
		}
		t.Rows = append(t.Rows, row)
		errs.Groups, costs.Groups = append(errs.Groups, x.Name), append(costs.Groups, x.Name)
		do(x, runs)
		return nil
	})
	if err != nil {
		return err
	}
	res.Describe("lost: share of the events that passed the filters and found the sample buffer full")
	res.Tables = append(res.Tables, t)
	res.AddBars(id+"-error", errs)
	res.AddBars(id+"-overhead", costs)
	return nil
}

// geometric returns the geometric mean of quotients.
func geometric(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += math.Log(x)
	}
	return math.Exp(sum / float64(len(list)))
}

// errorByArraySize is figures 9 and 10 of Zilles and Sohi: arrays of half, base and double size (COP-31).
func errorByArraySize(env *figure.Env, res *figure.Result) error {
	var half, double, cheap []float64 // quotients of neighbouring sizes
	smaller := 0
	var gcc []*run
	var name string
	err := varied(env, res, "cop-10", "Figure 10: arrays of half, base and double size", arrayVariants, func(x *stream, runs []*run) {
		h, b, d := runs[0].end(), runs[1].end(), runs[2].end()
		half, double = append(half, h.rms/b.rms), append(double, b.rms/d.rms)
		cheap = append(cheap, h.percent()/b.percent(), b.percent()/d.percent())
		if h.rms < b.rms || b.rms < d.rms {
			smaller++
		}
		if x.Program == figure.InRole("gcc") {
			gcc, name = runs, x.Name
		}
	})
	if err != nil {
		return err
	}
	if gcc != nil {
		collectionRates(res, name, gcc)
	}
	all := geometric(append(half, double...))
	state(res, "error", "error of arrays of half the size to those of the whole", one(figure.Factor(all)), "better with more, less than in proportion", all > 1 && all < 2)
	state(res, "smaller-better", "programs for which some smaller arrays are better", part(smaller, len(half), "programs"), "some", smaller > 0 && smaller < len(half))
	state(res, "overhead", "overhead of arrays of half the size to those of the whole", one(figure.Factor(geometric(cheap))), "slightly lower", geometric(cheap) < 1)
	return nil
}

// collectionRates is figure 9: how fast each size of the arrays collects a profile, in samples that the
// profile is made of.
func collectionRates(res *figure.Result, name string, runs []*run) {
	var names []string
	for _, v := range arrayVariants {
		names = append(names, v.name)
	}
	drawErrors(res, "cop-9", "Figure 9: "+name, names, runs)
	lines := plot.Lines{Title: "Figure 9: " + name + ", samples in the profile", X: "cycles", Y: "samples"}
	t := figure.Table{Title: name + ": how fast profiles are collected", Columns: []string{"arrays", "slots", "slots copied", "samples in the profile", "for a million cycles", "to half the size"}}
	var slots, rate []float64
	for i, r := range runs {
		n, p := float64(int(128)<<i), r.end()
		c := plot.Curve{Name: names[i]}
		for _, p := range r.points {
			c.Points = append(c.Points, metric.Point{Events: p.cycles, Error: float64(p.samples)})
		}
		lines.Curves = append(lines.Curves, c)
		slots, rate = append(slots, n), append(rate, float64(p.samples)/float64(p.cycles)*1e6)
		t.Rows = append(t.Rows, []figure.Value{
			figure.Text(names[i]), figure.Count(int(n), "slots"), figure.Count(p.records, "slots"), figure.Count(p.samples, "samples"), {Text: fmt.Sprintf("%.0f", rate[i]), Number: rate[i], Unit: "samples"},
		})
		if i > 0 {
			t.Rows[i] = append(t.Rows[i], figure.Factor(rate[i]/rate[i-1]))
		}
	}
	res.Tables = append(res.Tables, t)
	res.AddLines("cop-9-rate", lines)
	e := exponent(slots, rate)
	state(res, "rate", name+": samples in the profile for a cycle, with the size of the arrays", one(figure.Value{Text: fmt.Sprintf("size^%.2f", e), Number: e, Unit: "exponent"}), "linear", 0.75 <= e && e <= 1.25)
	because(res, "the base arrays have %.2fx the samples of the half ones, and the double arrays %.2fx those of the base; linear is 2.00x", rate[1]/rate[0], rate[2]/rate[1])
}

// exponent returns the power of x that fits y best.
func exponent(x, y []float64) float64 {
	var n, sx, sy, sxx, sxy float64
	for i := range x {
		a, b := math.Log(x[i]), math.Log(y[i])
		n, sx, sy, sxx, sxy = n+1, sx+a, sy+b, sxx+a*a, sxy+a*b
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

// errorByClock runs slower co-processors (COP-31).
func errorByClock(env *figure.Env, res *figure.Result) error {
	var half, quarter []float64
	largest, slow := 0, 0.0
	err := varied(env, res, "cop-clock", "Clock of the co-processor to that of the main processor", clockVariants, func(x *stream, runs []*run) {
		half, quarter = append(half, runs[1].end().rms/runs[0].end().rms), append(quarter, runs[2].end().rms/runs[0].end().rms)
		if x.places > largest {
			limit := 2 * runs[0].end().rms
			largest, slow = x.places, runs[2].below(limit)/runs[0].below(limit)
		}
	})
	if err != nil {
		return err
	}
	state(res, "half", "error at half the clock, to that at the whole", one(figure.Factor(geometric(half))), "little effect", math.Abs(geometric(half)-1) <= 0.15)
	state(res, "quarter", "error at a quarter of the clock", one(figure.Factor(geometric(quarter))), "little effect", math.Abs(geometric(quarter)-1) <= 0.25)
	state(res, "time", fmt.Sprintf("time until twice the final error, a quarter of the clock, largest working set (%d sites)", largest), one(figure.Factor(slow)), "slower for the largest working sets", slow > 1)
	return nil
}
