package stratfigures

// This file has figure 11: two kinds of profile at once.

import (
	"fmt"
	"slices"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim/cost"
	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/plot"
)

// negligible is an error, in percent, that is too small to see in a bar chart.
const negligible = 0.5

// edgesAndCalls is figure 11 of Sastry, Bodik and Smith: two kinds of profile from one engine (STRAT-25). Software
// tells edges from calls by the tag of a message. Here a second engine has four times the rate. It shows how
// much of the error has its cause in the small number of messages.
func edgesAndCalls(env *figure.Env, res *figure.Result) error {
	const engine, faster = "H[P256]2048", "H[P64]2048"
	res.Describe("%s", rule)
	edges, calls := map[*figure.Batch]figure.Tally{}, map[*figure.Batch]figure.Tally{}
	list, err := env.ReplayRecordings(res, figure.Programs, figure.OfBranches, []string{engine, faster}, func(b *figure.Batch) {
		for _, r := range b.Of(engine) {
			edges[b] = append(edges[b], errorOf(r, tuple.Edge))
			calls[b] = append(calls[b], errorOf(r, tuple.Call))
		}
	})
	if err != nil {
		return err
	}
	t := figure.Table{Title: engine, Columns: slices.Concat([]string{"recording", "places"}, figure.SpreadHeads("error", "of edges", "of calls"), []string{"overhead", "error of " + faster})}
	bars := plot.Bars{Title: "Figure 11: edges and calls through one " + engine, Y: "%, median of runs", Limit: 4.5}
	bars.Series = []plot.Series{{Name: "final error %"}, {Name: "modelled overhead %"}}
	for _, b := range list {
		t.Rows = append(t.Rows, slices.Concat([]figure.Value{figure.Text(b.String()), figure.Count(b.Of(engine)[0].Error.Places, "places")},
			b.Tally(figure.OfEngine(engine, errorPercent)).Spread(figure.Percent), edges[b].Spread(figure.Percent), calls[b].Spread(figure.Percent),
			[]figure.Value{figure.Percent(b.Tally(figure.OfEngine(engine, overheadPercent)).Median()), figure.Percent(b.Tally(figure.OfEngine(faster, errorPercent)).Median())}))
	}
	for p, own := range figure.ByProgram(list) {
		bars.Groups = append(bars.Groups, p.Name)
		for i, f := range []func(*replay.Result) float64{errorPercent, overheadPercent} {
			bars.Series[i].Values = append(bars.Series[i].Values, figure.TallyAll(own, figure.OfEngine(engine, f)).Median())
		}
	}
	res.Tables = append(res.Tables, t)
	res.AddBars("strat-11", bars)
	n := len(bars.Groups)
	res.Compare("error", "greatest error of a program", across(list, figure.OfEngine(engine, errorPercent), figure.Tally.Most), figure.Percent, "below 3 %", figure.Below(figure.Percent(3)))
	res.Compare("overhead", "greatest overhead of a program", across(list, figure.OfEngine(engine, overheadPercent), figure.Tally.Most),
		figure.Percent, "below 4.5 %", figure.Below(figure.Percent(4.5)))
	small := across(list, figure.OfEngine(engine, errorPercent), func(one figure.Tally) float64 {
		return one.HowMany(func(x float64) bool { return x < negligible })
	})
	res.Compare("small-errors", fmt.Sprintf("of %d programs have an error below %v %%", n, negligible), small,
		figure.NumberOf("programs"), "6 of 10", figure.AtLeast(figure.NumberOf("programs")(0.6*float64(n))))
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
func bytes(r *replay.Result) figure.Value {
	n := cost.Of(r.Spec, cost.Word32).Bytes()
	return figure.Value{Text: fmt.Sprintf("%.0f", n), Number: n, Unit: "bytes"}
}
