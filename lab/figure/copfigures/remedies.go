package copfigures

// This file compares parameters of the value profiler at equal overhead (COP-29, COP-35).

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/plot"
)

// longRemedies are parameters that change which parts of the program the samples of a load come
// from, and what software makes of them.
var longRemedies = [][]string{
	nil, paperRules, {"weigh=0"}, {"bound=1"}, {"bound=0"}, {"early=0"}, {"advance=0"}, {"rf=3"}, {"weigh=0", "bound=0"},
	{"times=2"}, {"times=8"}, {"clear=10000000"}, {"clear=2000000"}, {"timer=500000"}, {"timer=2000000"}, {"fth=64"}, {"keep=64"},
	{"times=1048576", "hi=100", "lo=0", "least=1000000"},
}

// errorByParameters compares parameters at equal overhead, on two parts of the recordings of the two
// largest working sets.
func errorByParameters(env *figure.Env, res *figure.Result) error {
	describeLong(res)
	res.Describe("rules of the paper: %s", valueEngine(paperRules...))
	res.Describe("parts: the first half of the loads, and the second half by itself")
	t := figure.Table{Title: "parameters at equal overhead", Columns: []string{"parameters"}}
	t.Rows = make([][]figure.Value, len(longRemedies))
	worst := make([]float64, len(longRemedies))
	var defaults []string // factors of the default
	for i, v := range longRemedies {
		t.Rows[i] = []figure.Value{figure.Text(fmt.Sprintf("%d: %s", i+1, variantName(v)))}
	}
	var last error
	for _, p := range []figure.Program{figure.Named("typecheck"), figure.Named("printer")} {
		source, err := env.Source(p.Name, ofLoads)
		if errors.Is(err, figure.ErrNoTrace) {
			res.Describe("no trace of loads of: %s", p.Name)
			last = err
			continue
		}
		if err != nil {
			return err
		}
		for i := range uint64(2) {
			span := longSpan{from: i * (env.Loads / 2), lengths: []uint64{env.Loads / 2}, windows: 1, whole: true}
			err := profileWindows(p, source, span, longRemedies, func(part *longPart) error {
				if part.mine == nil {
					return fmt.Errorf("%s: %w: want more events", p.Name, errNoPairs)
				}
				name := fmt.Sprintf("%s, part %d", p.Name, i+1)
				t.Columns = append(t.Columns, name, "overhead", "factor")
				for k, m := range part.mine {
					t.Rows[k] = append(t.Rows[k], figure.Percent(m.rms), figure.Percent(m.percent()), figure.Factor(part.gain(k)))
					worst[k] = max(worst[k], part.gain(k))
				}
				defaults = append(defaults, fmt.Sprintf("%s %.2fx", name, part.gain(0)))
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	if defaults == nil {
		return last
	}
	t.Columns = append(t.Columns, "largest factor")
	winners := 0
	bars := plot.Bars{Title: "Largest factor of two programs and two parts, by row of the table", Y: "factor", Limit: 1, Series: []plot.Series{{Name: "largest factor", Values: worst}}}
	for k := range t.Rows {
		t.Rows[k] = append(t.Rows[k], figure.Factor(worst[k]))
		bars.Groups = append(bars.Groups, fmt.Sprint(k+1)) // names would overlap
		winners += oneIf(worst[k] < 1)
	}
	res.Tables = append(res.Tables, t)
	res.AddBars("cop-remedies", bars)
	state(res, "default", "default: largest factor of both programs and both parts", one(figure.Factor(worst[0])), "the two largest gain most", worst[0] < 1)
	because(res, "the factors of the default are %s", strings.Join(defaults, ", "))
	state(res, "all-below", "parameters whose factors are all below 1", part(winners, len(worst), "rows"), "-", true)
	return nil
}
