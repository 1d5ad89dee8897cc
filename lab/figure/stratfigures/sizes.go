package stratfigures

// This file has figure 9: the sizes of the table.

import (
	"fmt"
	"slices"

	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/lab/figure"
)

// initial is the number of events of the initial phase: as many as the counters of the largest table can hold before
// one of them has to send a message.
const initial = 4096 * 256

// early is the mean error of the initial phase.
func early(r *replay.Result) float64 { return mean(finite(until(r.Errors, initial))) }

// tableSizes is figure 9 of Sastry, Bodik and Smith: errors at first and at the end, by the size of the table (STRAT-24).
func tableSizes(env *figure.Env, res *figure.Result) error {
	tables := []string{"H[P256]512", "H[P256]1024", "H[P256]2048", "H[P256]4096"}
	small, large := tables[0], tables[len(tables)-1]
	atFirst, atEnd := quotient(large, small, early), quotient(large, small, errorPercent)
	res.Describe("%s", rule)
	list, err := env.ReplayRecordings(res, figure.Programs, "loads", tables, func(*figure.Batch) {})
	if err != nil {
		return err
	}
	res.Describe("initial phase: the first %s events, as many as the 4096 counters can hold; its error is the mean over the points of the curve", figure.Abbreviate(initial))
	t := figure.Table{Title: "errors in the initial phase and at the end", Columns: slices.Concat([]string{"recording", "at first, n=512", "n=4096"}, figure.SpreadHeads("4096 to 512"),
		[]string{"end, n=512", "n=1024", "n=2048", "n=4096"}, figure.SpreadHeads("4096 to 512"))}
	for _, b := range list {
		line := slices.Concat([]figure.Value{figure.Text(b.String()), figure.Percent(b.Tally(figure.OfEngine(small, early)).Median()), figure.Percent(b.Tally(figure.OfEngine(large, early)).Median())},
			b.Tally(atFirst).Spread(figure.Times))
		for _, e := range tables {
			line = append(line, figure.Percent(b.Tally(figure.OfEngine(e, errorPercent)).Median()))
		}
		t.Rows = append(t.Rows, append(line, b.Tally(atEnd).Spread(figure.Times)...))
	}
	res.Tables = append(res.Tables, t)
	for _, role := range []string{"gcc", "li"} {
		p := figure.InRole(role)
		own := figure.OfProgram(list, p)
		if own == nil {
			continue
		}
		res.AddLines("strat-9-"+p.Name, errorLines("Figure 9: "+p.Name+", error", own, tables))
		if role == "li" {
			res.Compare("first-"+p.Name, p.String()+": error of n=4096 to that of n=512, at first", figure.TallyAll(own, atFirst), figure.Times, "larger", figure.Above(figure.Times(1)))
		}
		res.Compare("end-"+p.Name, p.String()+": error of n=4096 to that of n=512, at the end", figure.TallyAll(own, atEnd), figure.Times, "smaller", figure.Below(figure.Times(1)))
	}
	if len(res.Plots) == 0 {
		return fmt.Errorf("loads of gcc and li: %w", figure.ErrNoTrace)
	}
	greater := across(list, atFirst, func(one figure.Tally) float64 { return one.HowMany(func(x float64) bool { return x > 1 }) })
	res.Compare("greater-at-first", "programs with a larger error of n=4096 at first", greater, figure.NumberOf("programs"), "some, such as li", figure.AtLeast(figure.NumberOf("programs")(2)))
	res.Compare("end", "error of n=4096 to that of n=512 at the end, any program", figure.TallyAll(list, atEnd), figure.Times, "smaller", figure.Below(figure.Times(1)))
	return nil
}
