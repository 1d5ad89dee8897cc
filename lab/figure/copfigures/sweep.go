package copfigures

// This file varies the constants of value profiling, one at a time (COP-35). Our text of
// the paper has lost all of them.

import (
	"fmt"
	"math"
	"strings"

	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/plot"
)

// constants are the constants with the values to compare. The first value is that of all
// other experiments.
var constants = []struct {
	name   string // in the paper's algorithm, or what it is
	param  string
	values []string
}{
	{"R", "r", []string{"31", "7", "127", "255"}},
	{"RF", "rf", []string{"7", "0.5", "1", "3", "5"}},
	{"KEEP", "keep", []string{"16", "4", "64", "255"}},
	{"FTH", "fth", []string{"4", "1", "16", "64"}},
	{"victim moves on failure", "advance", []string{"1", "0"}},
	{"DTH", "dth", []string{"2", "1", "8"}},
	{"HI", "hi", []string{"98", "90", "100"}},
	{"LO", "lo", []string{"5", "1", "20"}},
	{"K", "times", []string{"4", "1", "2", "8", "32"}},
	{"samples for HI and LO", "least", []string{"16", "64", "256"}},
	{"cycles to clear masks", "clear", []string{"5000000", "0", "2000000", "10000000"}},
	{"cycles of a visit", "timer", []string{"1000000", "500000", "2000000"}},
	{"first visits, 1 of the time", "early", []string{"8", "0", "4", "16"}},
	{"visits have weights", "weigh", []string{"1", "0"}},
	{"estimates have bounds", "bound", []string{"2", "1", "0"}},
}

// sweepPart is the part of the events that the sweep runs.
const sweepPart = 4

// errorByConstant compares values of the constants of value profiling (COP-35).
func errorByConstant(env *figure.Env, res *figure.Result) error {
	region := *env
	region.Loads /= sweepPart
	var specs []string
	at := map[string]int{} // the number of a spec
	for _, c := range constants {
		for i, v := range c.values {
			spec := valueEngine(c.param + "=" + v)
			if i == 0 {
				spec = valueEngine()
			}
			if _, ok := at[spec]; !ok {
				at[spec] = len(specs)
				specs = append(specs, spec)
			}
		}
	}
	errs, costs := make([][]float64, len(specs)), make([][]float64, len(specs))
	describe(res, nil)
	programs := 0
	err := eachProgram(&region, res, func(x *stream) error {
		runs, err := x.run(specs...)
		if err != nil {
			return err
		}
		programs++
		for i, r := range runs {
			errs[i], costs[i] = append(errs[i], r.end().rms), append(costs[i], r.end().percent())
		}
		return nil
	})
	if err != nil {
		return err
	}
	res.Describe("%d programs, %s loads of each; geometric means over the programs; one constant changes at a time",
		programs, figure.Abbreviate(region.Loads))
	res.Describe("others: %s", strings.Join(valueDefaults, " "))
	t := figure.Table{Title: "constants of value profiling",
		Columns: []string{"constant", "value", "error", "overhead", "error to the default's"}}
	bars := plot.Bars{Title: "Best and worst error by constant", Y: "error %",
		Series: []plot.Series{{Name: "best"}, {Name: "worst"}}}
	base := geometric(errs[0])
	bars.Limit = base
	for _, c := range constants {
		best, worst := 0, 0
		var list []float64
		for i, v := range c.values {
			k := at[valueEngine(c.param+"="+v)]
			if i == 0 {
				k = 0
			}
			e := geometric(errs[k])
			list = append(list, e)
			if e < list[best] {
				best = i
			}
			if e > list[worst] {
				worst = i
			}
			t.Rows = append(t.Rows, []figure.Value{figure.Text(c.name), figure.Text(v), figure.Percent(e),
				figure.Percent(geometric(costs[k])), figure.Factor(e / base)})
		}
		bars.Groups = append(bars.Groups, c.param)
		bars.Series[0].Values = append(bars.Series[0].Values, list[best])
		bars.Series[1].Values = append(bars.Series[1].Values, list[worst])
		state(res, c.param, c.name+": best and worst", ours{
			fmt.Sprintf("%s: %.2f %%, %s: %.2f %%", c.values[best], list[best], c.values[worst], list[worst]),
			[]figure.Value{figure.Percent(list[best]), figure.Percent(list[worst])},
		}, "lost", true)
	}
	res.Tables = append(res.Tables, t)
	res.AddBars("cop-sweep", bars)
	least, most := math.Inf(1), 0.0
	var leastSpec, mostSpec string
	for i := range specs {
		e := geometric(errs[i])
		if e < least {
			least, leastSpec = e, specs[i]
		}
		if e > most {
			most, mostSpec = e, specs[i]
		}
	}
	res.Describe("best of all: %s", leastSpec)
	res.Describe("worst of all: %s", mostSpec)
	state(res, "all", "best and worst of all", two(figure.Percent(least), figure.Percent(most), ""), "lost", true)
	return nil
}
