package figure

// This file has figure 11: two kinds of profile at once.

import (
	"fmt"
	"slices"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim/cost"
	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/lab/plot"
)

// negligible is an error, in percent, that is too small to see in a bar chart.
const negligible = 0.5

// figure11 is STRAT-25. Software tells edges from calls by the tag of a message.
// The figure has a second engine with four times the rate. It shows how much of the
// error has its cause in the small number of messages.
func figure11(env *Env, res *Result) error {
	const engine, faster = "H[P256]2048", "H[P64]2048"
	res.setup("%s", rule)
	edges, calls := map[*batch]tally{}, map[*batch]tally{}
	list, err := env.recorded(res, Programs, "calls", 4, []string{engine, faster}, func(b *batch) {
		for _, r := range b.of(engine) {
			edges[b] = append(edges[b], errorOf(r, tuple.Edge))
			calls[b] = append(calls[b], errorOf(r, tuple.Call))
		}
	})
	if err != nil {
		return err
	}
	t := Table{Title: engine, Columns: slices.Concat([]string{"recording", "places"}, with3("error", "of edges", "of calls"), []string{"overhead", "error of " + faster})}
	bars := plot.Bars{Title: "Figure 11: edges and calls through one " + engine, Y: "%, median of runs", Limit: 4.5}
	bars.Series = []plot.Series{{Name: "final error %"}, {Name: "modelled overhead %"}}
	for _, b := range list {
		t.Rows = append(t.Rows, slices.Concat([]Value{text(b.String()), count(b.of(engine)[0].Error.Places, "places")},
			b.tally(ofEngine(engine, errorPercent)).spread(percent), edges[b].spread(percent), calls[b].spread(percent),
			[]Value{percent(b.tally(ofEngine(engine, overheadPercent)).median()), percent(b.tally(ofEngine(faster, errorPercent)).median())}))
	}
	for _, p := range Programs {
		own := ofProgram(list, p)
		if own == nil {
			continue
		}
		bars.Groups = append(bars.Groups, p.Name)
		for i, f := range []func(*replay.Result) float64{errorPercent, overheadPercent} {
			bars.Series[i].Values = append(bars.Series[i].Values, tallyAll(own, ofEngine(engine, f)).median())
		}
	}
	res.Tables = append(res.Tables, t)
	res.bars("strat-11", bars)
	ofAll := func(f func(*replay.Result) float64) func(b *batch) tally {
		return func(b *batch) tally { return b.tally(ofEngine(engine, f)) }
	}
	n := len(bars.Groups)
	res.compare("greatest error of a program", tallyAcross(list, ofAll(errorPercent), tally.most), percent, "below 3 %", below(percent(3)))
	res.compare("greatest overhead of a program", tallyAcross(list, ofAll(overheadPercent), tally.most), percent, "below 4.5 %", below(percent(4.5)))
	small := tallyAcross(list, ofAll(errorPercent), func(one tally) float64 { return howMany(one, func(x float64) bool { return x < negligible }) })
	res.compare(fmt.Sprintf("of %d programs have an error below %v %%", n, negligible), small, numberOf("programs"), "6 of 10", atLeast(numberOf("programs")(0.6*float64(n))))
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
