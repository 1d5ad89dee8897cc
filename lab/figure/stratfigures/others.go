package figure

// This file has figures 8 and 9: the other programs, and the sizes of the table.

import (
	"fmt"
	"slices"

	"github.com/pepgo/pep/hwsim/replay"
)

// others are the test programs without the one in a role.
func others(role string) []Program {
	return slices.DeleteFunc(slices.Clone(Programs), func(p Program) bool { return p.Role == role })
}

// rates are those of stratified samplers whose error is compared with R256's, with 2048 strata.
var rates = []int{256, 512, 768, 1024, 2048}

// reduced is by which factor the rate of a stratified sampler can be lower than that of R256
// without a greater error; 0 if not even the same rate is enough.
func reduced(of func(string) *replay.Result) (k float64) {
	for _, rate := range rates {
		if of(fmt.Sprintf("H[P%d]2048", rate)).Error.Mean <= of("R256").Error.Mean {
			k = float64(rate) / 256
		}
	}
	return k
}

// figure8 has the other programs, and the factor by which the rate of a stratified sampler
// can be lower than that of R256 without a greater error.
func figure8(env *Env, res *Result) error {
	specs := slices.Clone(compressors)
	for _, rate := range rates[2:] {
		specs = append(specs, fmt.Sprintf("H[P%d]2048", rate))
	}
	res.setup("%s", rule)
	list, err := env.recorded(res, others("gcc"), "loads", 1, specs, func(*batch) {})
	if err != nil {
		return err
	}
	res.setup("rate: of R256 to that of the slowest of H[P256]2048 … H[P2048]2048 whose error is not greater; 0 if the error of H[P256]2048 is")
	end := Table{Title: "error at the end", Columns: slices.Concat([]string{"recording"}, with3(compressors...))}
	slower := Table{Title: "the same with slower samplers (medians), and the rate at R256's error", Columns: slices.Concat([]string{"recording"}, specs[len(compressors):], with3("rate"))}
	long := Table{Title: "events from which on the error stays below 5 % (medians), and R256 to H[P256]2048", Columns: slices.Concat([]string{"recording", "places"}, compressors, with3("R256 to H"))}
	for _, b := range list {
		e, s, l := []Value{text(b.String())}, []Value{text(b.String())}, []Value{text(b.String()), count(b.results[0][0].Error.Places, "places")}
		for _, x := range compressors {
			e = append(e, b.tally(ofEngine(x, errorPercent)).spread(percent)...)
			l = append(l, after(b.tally(ofEngine(x, stays)).median()))
		}
		for _, x := range specs[len(compressors):] {
			s = append(s, percent(b.tally(ofEngine(x, errorPercent)).median()))
		}
		end.Rows = append(end.Rows, e)
		slower.Rows = append(slower.Rows, append(s, b.tally(reduced).spread(times)...))
		long.Rows = append(long.Rows, append(l, b.tally(quotient("R256", "H[P256]2048", stays)).spread(times)...))
	}
	res.Tables = append(res.Tables, end, slower, long)

	some := 0
	for _, p := range Programs {
		own := ofProgram(list, p)
		if own == nil {
			continue
		}
		some++
		res.lines("strat-8-"+p.Name, errorLines("Figure 8: "+p.Name+", error", own, compressors))
		if p.Role == "perl" || p.Role == "db" {
			res.compare(p.String()+": rate at R256's error", tallyAll(own, reduced), times, "more than two", above(times(2)))
		}
	}
	more := tallyAcross(list, func(b *batch) tally { return b.tally(reduced) }, func(one tally) float64 { return howMany(one, func(x float64) bool { return x > 2 }) })
	res.compare(fmt.Sprintf("of %d programs have a rate of more than two", some), more, numberOf("programs"), "perl, db and others", atLeast(numberOf("programs")(4)))
	res.compare("R256 takes longer to be first below 5 %, any program", tallyAll(list, quotient("R256", "H[P256]2048", first)), times, "at least twice", atLeast(times(2)))
	res.compare("R256 takes longer to stay below 5 %, any program", tallyAll(list, quotient("R256", "H[P256]2048", stays)), times, "at least twice", atLeast(times(2)))
	res.compare("error of P256 to that of R256, any program", tallyAll(list, quotient("P256", "R256", errorPercent)), times, "almost identical", about(1, 1, times))
	return nil
}

// howMany counts the numbers with a property.
func howMany(t tally, is func(float64) bool) (n float64) {
	for _, x := range t {
		if is(x) {
			n++
		}
	}
	return n
}

// initial is the number of events that are the initial phase of figure 9: those that the
// counters of the largest table could hold, so that it need not send a message.
const initial = 4096 * 256

// early is the mean error of the initial phase.
func early(r *replay.Result) float64 { return mean(finite(until(r.Errors, initial))) }

// figure9 is STRAT-24.
func figure9(env *Env, res *Result) error {
	tables := []string{"H[P256]512", "H[P256]1024", "H[P256]2048", "H[P256]4096"}
	small, large := tables[0], tables[len(tables)-1]
	atFirst, atEnd := quotient(large, small, early), quotient(large, small, errorPercent)
	res.setup("%s", rule)
	list, err := env.recorded(res, Programs, "loads", 1, tables, func(*batch) {})
	if err != nil {
		return err
	}
	res.setup("initial phase: the first %s events, as many as the 4096 counters can hold; its error is the mean over the points of the curve", short(initial))
	t := Table{Title: "errors in the initial phase and at the end", Columns: slices.Concat([]string{"recording", "at first, n=512", "n=4096"}, with3("4096 to 512"),
		[]string{"end, n=512", "n=1024", "n=2048", "n=4096"}, with3("4096 to 512"))}
	for _, b := range list {
		line := slices.Concat([]Value{text(b.String()), percent(b.tally(ofEngine(small, early)).median()), percent(b.tally(ofEngine(large, early)).median())}, b.tally(atFirst).spread(times))
		for _, e := range tables {
			line = append(line, percent(b.tally(ofEngine(e, errorPercent)).median()))
		}
		t.Rows = append(t.Rows, append(line, b.tally(atEnd).spread(times)...))
	}
	res.Tables = append(res.Tables, t)
	for _, role := range []string{"gcc", "li"} {
		own := ofProgram(list, inRole(role))
		if own == nil {
			continue
		}
		p := inRole(role)
		res.lines("strat-9-"+p.Name, errorLines("Figure 9: "+p.Name+", error", own, tables))
		if role == "li" {
			res.compare(p.String()+": error of n=4096 to that of n=512, at first", tallyAll(own, atFirst), times, "larger", above(times(1)))
		}
		res.compare(p.String()+": error of n=4096 to that of n=512, at the end", tallyAll(own, atEnd), times, "smaller", below(times(1)))
	}
	if len(res.Plots) == 0 {
		return fmt.Errorf("loads of gcc and li: %w", ErrNoTrace)
	}
	greater := tallyAcross(list, func(b *batch) tally { return b.tally(atFirst) }, func(one tally) float64 { return howMany(one, func(x float64) bool { return x > 1 }) })
	res.compare("programs with a larger error of n=4096 at first", greater, numberOf("programs"), "some, such as li", atLeast(numberOf("programs")(2)))
	res.compare("error of n=4096 to that of n=512 at the end, any program", tallyAll(list, atEnd), times, "smaller", below(times(1)))
	return nil
}
