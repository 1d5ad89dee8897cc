package figure

// This file compares parameters of the value profiler at equal overhead (COP-29, COP-35).

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pepgo/pep/lab/plot"
)

// longRemedies are parameters that change which parts of the program the samples of a load come
// from, and what software makes of them.
var longRemedies = [][]string{
	nil, paperRules, {"weigh=0"}, {"bound=1"}, {"bound=0"}, {"early=0"}, {"advance=0"}, {"rf=3"}, {"weigh=0", "bound=0"},
	{"times=2"}, {"times=8"}, {"clear=10000000"}, {"clear=2000000"}, {"timer=500000"}, {"timer=2000000"}, {"fth=64"}, {"keep=64"},
	{"times=1048576", "hi=100", "lo=0", "least=1000000"},
}

// copRemedies compares parameters at equal overhead, on two parts of the recordings of the two
// largest working sets.
func copRemedies(env *Env, res *Result) error {
	env.longSetup(res)
	res.setup("rules of the paper: %s", valueEngine(paperRules...))
	res.setup("parts: the first half of the loads, and the second half by itself")
	t := Table{Title: "parameters at equal overhead", Columns: []string{"parameters"}}
	t.Rows = make([][]Value, len(longRemedies))
	worst := make([]float64, len(longRemedies))
	var defaults []string // factors of the default
	for i, v := range longRemedies {
		t.Rows[i] = []Value{text(fmt.Sprintf("%d: %s", i+1, variantName(v)))}
	}
	err := env.eachLong(res, []string{"typecheck", "printer"}, func(p Program) error {
		source, err := env.Source(p.Name, ofValues)
		if err != nil {
			return err
		}
		for i := range uint64(2) {
			span := longSpan{from: i * (env.Events / 2), lengths: []uint64{env.Events / 2}, windows: 1, whole: true}
			err := env.long(p, source, span, longRemedies, func(part *longPart) error {
				if part.mine == nil {
					return fmt.Errorf("%s: %w: want more events", p.Name, errNoPairs)
				}
				name := fmt.Sprintf("%s, part %d", p.Name, i+1)
				t.Columns = append(t.Columns, name, "overhead", "factor")
				for k, m := range part.mine {
					t.Rows[k] = append(t.Rows[k], percent(m.rms), percent(m.percent()), factor(part.gain(k)))
					worst[k] = max(worst[k], part.gain(k))
				}
				defaults = append(defaults, fmt.Sprintf("%s %.2fx", name, part.gain(0)))
				return nil
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
	res.because("the factors of the default are %s", strings.Join(defaults, ", "))
	res.row("parameters whose factors are all below 1", part(winners, len(worst), "rows"), "-", true)
	return nil
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
