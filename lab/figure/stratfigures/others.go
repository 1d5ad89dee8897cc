package stratfigures

// This file has figure 8: the other programs.

import (
	"fmt"
	"slices"

	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/lab/figure"
)

// others are the test programs without the one in a role.
func others(role string) []figure.Program {
	return slices.DeleteFunc(slices.Clone(figure.Programs), func(p figure.Program) bool { return p.Role == role })
}

// rates are those of the stratified samplers, with 2048 strata, whose error is compared with that of R256.
var rates = []int{256, 512, 768, 1024, 2048}

// reduced is the measure by which factor the rate of a stratified sampler can be lower than that of R256
// without a greater error; 0 if not even the same rate is enough.
func reduced(of func(string) *replay.Result) (k float64) {
	for _, rate := range rates {
		if of(fmt.Sprintf("H[P%d]2048", rate)).Error.Mean <= of("R256").Error.Mean {
			k = float64(rate) / 256
		}
	}
	return k
}

// otherPrograms is figure 8 of Sastry, Bodik and Smith: errors of the other programs, and the factor by which the rate
// of a stratified sampler can be lower than that of R256 without a greater error.
func otherPrograms(env *figure.Env, res *figure.Result) error {
	specs := slices.Clone(compressors)
	for _, rate := range rates[2:] {
		specs = append(specs, fmt.Sprintf("H[P%d]2048", rate))
	}
	res.Describe("%s", rule)
	list, err := env.ReplayRecordings(res, others("gcc"), "loads", specs, func(*figure.Batch) {})
	if err != nil {
		return err
	}
	res.Describe("rate: of R256 to that of the slowest of H[P256]2048 … H[P2048]2048 whose error is not greater; 0 if the error of H[P256]2048 is")
	end := figure.Table{Title: "error at the end", Columns: slices.Concat([]string{"recording"}, figure.SpreadHeads(compressors...))}
	slower := figure.Table{Title: "the same with slower samplers (medians), and the rate at R256's error", Columns: slices.Concat([]string{"recording"}, specs[len(compressors):], figure.SpreadHeads("rate"))}
	long := figure.Table{Title: "events from which on the error stays below 5 % (medians), and R256 to H[P256]2048",
		Columns: slices.Concat([]string{"recording", "places"}, compressors, figure.SpreadHeads("R256 to H"))}
	for _, b := range list {
		e, s, l := []figure.Value{figure.Text(b.String())}, []figure.Value{figure.Text(b.String())}, []figure.Value{figure.Text(b.String()), figure.Count(b.Results[0][0].Error.Places, "places")}
		for _, x := range compressors {
			e = append(e, b.Tally(figure.OfEngine(x, errorPercent)).Spread(figure.Percent)...)
			l = append(l, figure.After(b.Tally(figure.OfEngine(x, stays)).Median()))
		}
		for _, x := range specs[len(compressors):] {
			s = append(s, figure.Percent(b.Tally(figure.OfEngine(x, errorPercent)).Median()))
		}
		end.Rows = append(end.Rows, e)
		slower.Rows = append(slower.Rows, append(s, b.Tally(reduced).Spread(figure.Times)...))
		long.Rows = append(long.Rows, append(l, b.Tally(quotient("R256", "H[P256]2048", stays)).Spread(figure.Times)...))
	}
	res.Tables = append(res.Tables, end, slower, long)

	some := 0
	for p, own := range figure.ByProgram(list) {
		some++
		res.AddLines("strat-8-"+p.Name, errorLines("Figure 8: "+p.Name+", error", own, compressors))
		if p.Role == "perl" || p.Role == "db" {
			res.Compare("rate-"+p.Name, p.String()+": rate at R256's error", figure.TallyAll(own, reduced), figure.Times, "more than two", figure.Above(figure.Times(2)))
		}
	}
	more := across(list, reduced, func(one figure.Tally) float64 { return one.HowMany(func(x float64) bool { return x > 2 }) })
	res.Compare("rates-above-two", fmt.Sprintf("of %d programs have a rate of more than two", some), more,
		figure.NumberOf("programs"), "perl, db and others", figure.AtLeast(figure.NumberOf("programs")(4)))
	res.Compare("r-to-h-first", "R256 takes longer to be first below 5 %, any program", figure.TallyAll(list, quotient("R256", "H[P256]2048", first)),
		figure.Times, "at least twice", figure.AtLeast(figure.Times(2)))
	res.Compare("r-to-h-stays", "R256 takes longer to stay below 5 %, any program", figure.TallyAll(list, quotient("R256", "H[P256]2048", stays)),
		figure.Times, "at least twice", figure.AtLeast(figure.Times(2)))
	res.Compare("p-to-r-error", "error of P256 to that of R256, any program", figure.TallyAll(list, quotient("P256", "R256", errorPercent)),
		figure.Times, "almost identical", figure.About(1, 1, figure.Times))
	return nil
}
