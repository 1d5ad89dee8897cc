package figure

// This file has figure 11: two kinds of profile at once.

import (
	"fmt"

	"github.com/pepgo/pep/hwsim/cost"
	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/plot"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/runtime/tuple"
)

// negligible is an error, in percent, that is too small to see in a bar chart.
const negligible = 0.5

// figure11 is STRAT-25. Software tells edges from calls by the tag of a message.
// The figure has a second engine with four times the rate. It shows how much of the
// error has its cause in the small number of messages.
func figure11(env *Env, res *Result) error {
	const engine, faster = "H[P256]2048", "H[P64]2048"
	bars := plot.Bars{Title: "Figure 11: edges and calls through one " + engine, Y: "%", Limit: 4.5}
	bars.Series = []plot.Series{{Name: "final error %"}, {Name: "modelled overhead %"}}
	t := Table{Title: engine, Columns: []string{"program", "error", "of edges", "of calls", "overhead", "places", "error of " + faster}}
	worst, overhead, small := 0.0, 0.0, 0
	err := env.each(res, "calls", "", []string{engine, faster}, func(p Program, results []*replay.Result) {
		r := results[0]
		e, o := errorPercent(r), r.Percent()
		worst, overhead = max(worst, e), max(overhead, o)
		if e < negligible {
			small++
		}
		bars.Groups = append(bars.Groups, p.Name)
		bars.Series[0].Values = append(bars.Series[0].Values, e)
		bars.Series[1].Values = append(bars.Series[1].Values, o)
		t.Rows = append(t.Rows, []Value{text(p.String()), percent(e), percent(errorOf(r, tuple.Edge)), percent(errorOf(r, tuple.Call)), percent(o),
			count(r.Error.Places, "places"), percent(errorPercent(results[1]))})
	})
	if err != nil {
		return err
	}
	res.Tables = append(res.Tables, t)
	res.bars("strat-11", bars)
	res.row("greatest error", one(percent(worst)), "below 3 %", worst < 3)
	res.row("greatest overhead", one(percent(overhead)), "below 4.5 %", overhead < 4.5)
	n := len(bars.Groups)
	res.row(fmt.Sprintf("errors below %v %%", negligible), part(small, n, "programs"), "negligible for 6 of 10", 10*small >= 6*n)
	return nil
}

// errorOf returns the error in percent of the profile of one tag.
func errorOf(r *replay.Result, tag tuple.Tag) float64 {
	return 100 * metric.Value.Error(only(r.Ideal, tag), only(r.Profile, tag)).Mean
}

// only returns the part of a profile that has a tag.
func only(p *metric.Profile, tag tuple.Tag) *metric.Profile {
	part := metric.New()
	for _, t := range (metric.Selection{}).Of(p) {
		if t.Tag() == tag {
			part.Add(t, p.Tuple(t))
		}
	}
	return part
}

// bytes prints what an engine's storage takes with the paper's words of 32 bits.
func bytes(r *replay.Result) Value {
	n := cost.Of(r.Spec, cost.Word32).Bytes()
	return Value{fmt.Sprintf("%.0f", n), n, "bytes"}
}
