package stratfigures

// This file has the claims of the paper on stratified sampling, and what ours is beside each.

import (
	"fmt"
	"math"

	"github.com/pepgo/pep/lab/figure"
)

// of returns the numbers of the runs of a program with a compressor.
func of(m *figure.Measured, program, spec, what string) figure.Tally {
	return m.Of(program, spec, what)
}

// gcc is the program in the role of gcc.
var gcc = figure.InRole("gcc").Name

// ofGcc returns a number of the runs of a compressor on the program in the role of gcc.
func ofGcc(spec, what string) func(m *figure.Measured, extended bool) figure.Tally {
	return func(m *figure.Measured, extended bool) figure.Tally { return of(m, gcc, in(spec, extended), what) }
}

// later returns after how many events the random sampler has an error of 5 %. A run in which it has it as soon as
// enough places count has no number: nobody knows when it would have been if they had counted before.
func later(m *figure.Measured, program, what string) (t figure.Tally) {
	begin, all := of(m, program, random, "counted"), of(m, program, random, what)
	for i := range min(len(begin), len(all)) {
		if all[i] > begin[i] {
			t = append(t, all[i])
		} else {
			t = append(t, math.NaN())
		}
	}
	return t
}

// quotients divides numbers of runs, each by that of the same run.
func quotients(a, b figure.Tally) (t figure.Tally) {
	for i := range min(len(a), len(b)) {
		t = append(t, a[i]/b[i])
	}
	return t
}

// toOther returns quotients of a number of two compressors, of each run of a program.
func toOther(m *figure.Measured, program, a, b, what string, extended bool) figure.Tally {
	return quotients(of(m, program, in(a, extended), what), of(m, program, in(b, extended), what))
}

// least returns for each run the least number of some compressors.
func least(m *figure.Measured, program, what string, specs ...string) (t figure.Tally) {
	for _, x := range specs {
		for i, n := range of(m, program, x, what) {
			if i == len(t) {
				t = append(t, n)
			}
			t[i] = min(t[i], n)
		}
	}
	return t
}

// measuredPrograms are the programs that have numbers.
func measuredPrograms(m *figure.Measured) (list []figure.Program) {
	for _, p := range figure.Programs {
		if m.Of(p.Name, "places") != nil {
			list = append(list, p)
		}
	}
	return list
}

// large are the programs of which enough places count for a curve.
func large(m *figure.Measured) (list []figure.Program) {
	for _, p := range measuredPrograms(m) {
		if m.Of(p.Name, "places").Least() >= figure.LeastPlaces {
			list = append(list, p)
		}
	}
	return list
}

// each returns the median of the runs of each program.
func each(m *figure.Measured, list []figure.Program, runs func(program string) figure.Tally) (t figure.Tally) {
	for _, p := range list {
		if x := runs(p.Name); x != nil {
			t = append(t, x.Median())
		}
	}
	return t
}

// eachProgram is each for all programs, as a claim has it.
func eachProgram(runs func(m *figure.Measured, program string, extended bool) figure.Tally) func(*figure.Measured,
	bool) figure.Tally {
	return func(m *figure.Measured, extended bool) figure.Tally {
		return each(m, measuredPrograms(m), func(p string) figure.Tally { return runs(m, p, extended) })
	}
}

// acrossPrograms returns for each run what f makes of one number of each program.
func acrossPrograms(m *figure.Measured, runs func(program string) figure.Tally,
	f func(figure.Tally) float64) (t figure.Tally) {
	for k := 0; ; k++ {
		var one figure.Tally
		for _, p := range measuredPrograms(m) {
			if x := runs(p.Name); k < len(x) {
				one = append(one, x[k])
			}
		}
		if one == nil {
			return t
		}
		t = append(t, f(one))
	}
}

// branches returns a number of the edges and calls of a program.
func branches(m *figure.Measured, program, spec, what string) figure.Tally {
	return m.Of(program, "branches", spec, what)
}

// permuted returns numbers of figure 4; a counter has two estimators.
func permuted(m *figure.Measured, spec, estimator, what string) figure.Tally {
	return m.Of("permutations", spec+":"+estimator, what)
}

// class compares two samplers of a class of figure 4. The paper adds counts up, ours multiplies a share by a length.
func class(a, b string) func(m *figure.Measured, extended bool) figure.Tally {
	return func(m *figure.Measured, extended bool) figure.Tally {
		estimator := "sum"
		if extended {
			estimator = "ratio"
		}
		return quotients(permuted(m, a, estimator, "mean"), permuted(m, b, "sum", "mean"))
	}
}

// secondLevels are the compressors with and without a second level.
var secondLevels = []string{random, stratified, tagged}

// saved is by which factor a second level reduces the messages of each compressor, of each program.
func saved(m *figure.Measured, extended bool) (t figure.Tally) {
	for _, x := range secondLevels {
		t = append(t, each(m, measuredPrograms(m), func(p string) figure.Tally { return savedOf(m, p, x, extended) })...)
	}
	return t
}

func savedOf(m *figure.Measured, program, spec string, extended bool) figure.Tally {
	return toOther(m, program, spec, spec+"+A16", "messages", extended)
}

// savedToOthers is by which factor a second level saves more in some programs than in the median of the others.
func savedToOthers(m *figure.Measured, extended bool, roles ...string) (t figure.Tally) {
	for _, x := range secondLevels {
		var own, rest figure.Tally
		for _, p := range measuredPrograms(m) {
			n := savedOf(m, p.Name, x, extended).Median()
			is := false
			for _, role := range roles {
				is = is || p.Role == role
			}
			if is {
				own = append(own, n)
			} else {
				rest = append(rest, n)
			}
		}
		for _, n := range own {
			t = append(t, n/rest.Median())
		}
	}
	return t
}

// rateOf returns the factors of figure 8 of a program.
func rateOf(m *figure.Measured, program string, extended bool) figure.Tally {
	return m.Of(program, columnOf(extended), "rate")
}

// cheaper is the error of a tagged table times the root of its messages: with as many messages as another one, an error
// follows that root.
func cheaper(m *figure.Measured, program, spec string) (t figure.Tally) {
	messages := of(m, program, spec, "messages")
	for i, e := range of(m, program, spec, "error") {
		t = append(t, e*math.Sqrt(messages[i]))
	}
	return t
}

func onlyRules(runs func(m *figure.Measured) figure.Tally) func(*figure.Measured, bool) figure.Tally {
	return func(m *figure.Measured, _ bool) figure.Tally { return runs(m) }
}

var (
	programsOf = figure.NumberOf("programs")
	tuplesOf   = figure.NumberOf("tuples")
	messagesOf = figure.NumberOf("messages")
)

// Why some claims cannot be shown.
const (
	calibrated = "the cycles of our model for an event are computed from this number"
	fitted     = "our text has lost the number of strata, and ours was chosen so that this number comes out"
	arithmetic = "it follows from the widths of the fields"
)

var claims = []figure.Claim{
	{Key: "twice", Where: "abstract", Says: "convergence to a given level of accuracy is about twice as fast for gcc",
		Prints: "about twice", Ours: "typecheck (gcc): events that R256 needs, to those of H[P256]2048; median of levels " +
			"of accuracy",
		Unit: figure.Times, Want: figure.AtLeast(figure.Times(2 / figure.Slack)), Of: ofGcc(stratified, "slower"),
		Why: whyTwice},
	{Key: "at-least-twice", Where: "section 1", Says: "convergence is at least twice as fast", Prints: "at least twice",
		Ours: "the same, each program with enough places", Unit: figure.Times, Want: figure.AtLeast(figure.Times(2)),
		Of: func(m *figure.Measured, extended bool) figure.Tally {
			return each(m, large(m), func(p string) figure.Tally { return of(m, p, in(stratified, extended), "slower") })
		}, Why: whyTwice},
	{Key: "3", Where: "abstract", Says: "the error for gcc is below 3 %", Prints: "less than 3%",
		Ours: "typecheck (gcc): error of H[P256]2048 at the end", Unit: figure.Percent, Want: figure.Below(figure.Percent(3)),
		Of: ofGcc(stratified, "error")},
	{Key: "3.5", Where: "abstract", Says: "the overhead for gcc is 3.5 %", Prints: "3.5%", Cannot: calibrated},
	{Key: "r-4", Where: "figure 4", Says: "on random streams R is at 4 % after 12000 events", Prints: "12000", Same: true,
		Ours: "length of the stream, rate 10, seeds", Unit: tuplesOf, Want: figure.About(12000, 12000, tuplesOf),
		Of: onlyRules(func(m *figure.Measured) figure.Tally { return permuted(m, "R10", "sum", "crossing") })},
	{Key: "hp-4", Where: "figure 4", Says: "on random streams H[P] is at 4 % after 4600 events", Prints: "4600",
		Same: true,
		Ours: "likewise, 4 strata", Unit: tuplesOf, Cannot: fitted, Why: whyStrata,
		Of: onlyRules(func(m *figure.Measured) figure.Tally { return permuted(m, "H[P10]4", "sum", "crossing") })},
	{Key: "three-times", Where: "figure 4", Says: "on random streams R needs almost three times longer than H[P]",
		Prints: "almost three times", Same: true,
		Ours: "R to H[P]", Unit: figure.Times, Cannot: fitted, Why: whyStrata,
		Of: onlyRules(func(m *figure.Measured) figure.Tally {
			return quotients(permuted(m, "R10", "sum", "crossing"), permuted(m, "H[P10]4", "sum", "crossing"))
		})},
	{Key: "class-r", Where: "figure 4", Says: "on random streams H[R] is as accurate as R", Same: true, Ours: "mean " +
		"error to that of R",
		Unit: figure.Times, Want: figure.Little, Of: onlyRules(func(m *figure.Measured) figure.Tally {
			return quotients(permuted(m, "H[R10]4", "sum", "mean"), permuted(m, "R10", "sum", "mean"))
		})},
	{Key: "class-p", Where: "figure 4", Says: "on random streams CR is as accurate as P", Ours: "mean error to that of P",
		Unit: figure.Times,
		Want: figure.Little, Of: class("CR10", "P10"), Why: whyCounter},
	{Key: "class-hp", Where: "figure 4", Says: "on random streams H[CR] is as accurate as H[P]", Ours: "mean error to " +
		"that of H[P]",
		Unit: figure.Times, Want: figure.Little, Of: class("H[CR10]4", "H[P10]4"), Why: whyCounter},
	{Key: "order", Where: "figure 4", Says: "on random streams P is more accurate than R, and H[P] more than P",
		Same: true,
		Ours: "mean errors, P to R and H[P] to P", Unit: figure.Times, Want: figure.Better,
		Of: onlyRules(func(m *figure.Measured) figure.Tally {
			return append(quotients(permuted(m, "P10", "sum", "mean"), permuted(m, "R10", "sum", "mean")),
				quotients(permuted(m, "H[P10]4", "sum", "mean"), permuted(m, "P10", "sum", "mean"))...)
		})},
	{Key: "p-r", Where: "figure 7", Says: "for gcc the periodic sampler is almost identical to the random one", Same: true,
		Ours: "typecheck (gcc): error of P256, at several phases, to that of R256", Unit: figure.Times, Want: figure.Little,
		Of:  onlyRules(func(m *figure.Measured) figure.Tally { return toOther(m, gcc, periodic, random, "error", false) }),
		Why: whyPeriodic},
	{Key: "h-first", Where: "figure 7", Says: "H[P256]2048 reaches an error of 5 % after 200K events", Prints: "200K",
		Ours: "typecheck (gcc), at the latest: once enough places count", Unit: figure.After,
		Want: figure.AtMost(figure.After(200_000 * figure.SlackEvents)), Of: ofGcc(stratified, "first"), Why: whyWorkingSet},
	{Key: "r-first", Where: "figure 7", Says: "R256 reaches an error of 5 % after 600K to 700K events only",
		Prints: "600K - 700K", Same: true,
		Ours: "likewise; no number if it is below as soon as enough places count", Unit: figure.After,
		Want: figure.AtLeast(figure.After(600_000 / figure.SlackEvents)),
		Of:   onlyRules(func(m *figure.Measured) figure.Tally { return later(m, gcc, "first") }), Why: whyWorkingSet},
	{Key: "h-stays", Where: "figure 7", Says: "H[P256]2048 stays below 5 % from 300K events on", Prints: "300K",
		Ours: "likewise, at the latest", Unit: figure.After, Want: figure.AtMost(figure.After(300_000 * figure.SlackEvents)),
		Of: ofGcc(stratified, "stays"), Why: whyWorkingSet},
	{Key: "r-stays", Where: "figure 7", Says: "R256 stays below 5 % from 7M events on only", Prints: "7M", Same: true,
		Ours: "likewise; no number if it is below as soon as enough places count", Unit: figure.After,
		Want: figure.AtLeast(figure.After(7_000_000 / figure.SlackEvents)),
		Of:   onlyRules(func(m *figure.Measured) figure.Tally { return later(m, gcc, "stays") }), Why: whyWorkingSet},
	{Key: "23", Where: "figure 7", Says: "to stay below 5 % R256 needs 23 times as many events", Prints: "about 23 times",
		Ours: "likewise, R256 to H[P256]2048, at least", Unit: figure.Times,
		Want: figure.AtLeast(figure.Times(23 / figure.Slack)),
		Of: func(m *figure.Measured, extended bool) figure.Tally {
			return quotients(later(m, gcc, "stays"), of(m, gcc, in(stratified, extended), "stays"))
		}, Why: whyWorkingSet},
	{Key: "tag-best", Where: "figure 7", Says: "for gcc the tagged compressor is the most accurate",
		Ours: "typecheck (gcc): error along the curve to that of the best other", Unit: figure.Times, Want: figure.Better,
		Of: func(m *figure.Measured, extended bool) figure.Tally {
			return quotients(of(m, gcc, in(tagged, extended), "curve"),
				least(m, gcc, "curve", random, periodic, in(stratified, extended), in(half, extended)))
		}, Why: whyTagged},
	{Key: "tag-little", Where: "figure 7", Says: "for gcc tags improve the accuracy of the stratified sampler little",
		Ours: "the same, to H[P256]2048", Unit: figure.Times, Want: figure.AtLeast(figure.Times(1 / figure.LittleFactor)),
		Of: func(m *figure.Measured, extended bool) figure.Tally {
			return toOther(m, gcc, tagged, stratified, "curve", extended)
		}, Why: whyTagged},
	{Key: "tag-3", Where: "figure 7", Says: "for gcc the overhead of tags is almost three times as large",
		Prints: "almost three times",
		Ours:   "typecheck (gcc): messages to those of H[P256]2048", Unit: figure.Times,
		Want: figure.About(3, 3, figure.Times),
		Of: func(m *figure.Measured, extended bool) figure.Tally {
			return toOther(m, gcc, tagged, stratified, "messages", extended)
		}, Why: whyTagged},
	{Key: "tag-twice", Where: "section 6", Says: "the accuracy of tags comes at twice the overhead or more",
		Prints: "twice or more",
		Ours:   "the same, each program", Unit: figure.Times, Want: figure.AtLeast(figure.Times(2)),
		Of: eachProgram(func(m *figure.Measured, p string, extended bool) figure.Tally {
			return toOther(m, p, tagged, stratified, "messages", extended)
		}), Why: whyTagged},
	{Key: "lower", Where: "figure 7", Says: "the stratified sampler always has a lower overhead than the random one",
		Ours: "typecheck (gcc): messages that H[P256]2048 has less than R256, the least along the curve", Unit: messagesOf,
		Want: figure.Above(messagesOf(0)), Of: ofGcc(stratified, "fewer-least"), Why: whyLower},
	{Key: "vanishes", Where: "figure 7", Says: "what the stratified sampler saves of the overhead vanishes in long runs",
		Ours: "typecheck (gcc): messages of H[P256]2048 to those of R256, at the end", Unit: figure.Times,
		Want: figure.Little,
		Of: func(m *figure.Measured, extended bool) figure.Tally {
			return toOther(m, gcc, stratified, random, "messages", extended)
		}, Why: whyLower},
	{Key: "half", Where: "figure 7, section 6", Says: "for gcc H[P512]2048 has the accuracy of R256 at half its overhead",
		Ours: "typecheck (gcc): error to that of R256", Unit: figure.Times,
		Want: figure.AtMost(figure.Times(figure.LittleFactor)),
		Of: func(m *figure.Measured, extended bool) figure.Tally {
			return toOther(m, gcc, half, random, "error", extended)
		}, Why: whyRates},
	{Key: "settles", Where: "section 5.4", Says: "stratified and tagged compressors come near their final error much " +
		"more quickly",
		Ours: "typecheck (gcc): events until the error stays below twice the final one, R256 to H[P256]2048 and to tag2-256-2048",
		Unit: figure.Times, Want: figure.MuchMore, Of: func(m *figure.Measured, extended bool) figure.Tally {
			return append(toOther(m, gcc, random, stratified, "settled", extended), toOther(m, gcc, random, tagged, "settled",
				extended)...)
		}, Why: whySettles},
	{Key: "perl-db", Where: "figure 8, section 6", Says: "for perl and db the overhead can be less than half at the " +
		"same accuracy",
		Prints: "more than two", Ours: "regex (perl) and sortbench (db): rate of R256 to that of H[P]2048 with the same error",
		Unit: figure.Times, Want: figure.Above(figure.Times(2)), Of: func(m *figure.Measured, extended bool) figure.Tally {
			return append(rateOf(m, figure.InRole("perl").Name, extended), rateOf(m, figure.InRole("db").Name, extended)...)
		}, Why: whyRates},
	{Key: "others", Where: "section 6", Says: "so it can for other benchmarks", Prints: "more than two",
		Ours: "how many programs beside gcc, perl and db have more than 2", Unit: programsOf,
		Want: figure.AtLeast(programsOf(2)), Of: func(m *figure.Measured, extended bool) figure.Tally {
			n := 0.0
			for _, p := range measuredPrograms(m) {
				if p.Role != "gcc" && p.Role != "perl" && p.Role != "db" && rateOf(m, p.Name, extended).Median() > 2 {
					n++
				}
			}
			return figure.Tally{n}
		}, Why: whyRates},
	{Key: "specific", Where: "section 5.4", Says: "by how much overhead can be less is specific to the benchmark",
		Ours: "the greatest of a program to the least", Unit: figure.Times, Want: figure.MuchMore,
		Of: func(m *figure.Measured, extended bool) figure.Tally {
			t := each(m, measuredPrograms(m), func(p string) figure.Tally { return rateOf(m, p, extended) })
			return figure.Tally{t.Most() / t.Least()}
		}, Why: whyRates},
	{Key: "best-random", Where: "section 6",
		Says: "stratified sampling has a better error for its overhead than random sampling",
		Ours: "error of R256 to that of H[P]2048 with as many messages, each program", Unit: figure.Times, Want: figure.Worse,
		Of: atEqual("random"), Why: whyBest},
	{Key: "best-tagged", Where: "section 6", Says: "stratified sampling has a better error for its overhead than the " +
		"tagged compressor", Ours: "error of tag2-256-2048, likewise",
		Unit: figure.Times, Want: figure.Worse, Of: atEqual("tagged"), Why: whyBest},
	{Key: "larger", Where: "figure 9", Says: "more counters are better once enough tuples have been seen",
		Ours: "error of n=4096 to that of n=512 at the end, each program", Unit: figure.Times, Want: figure.Better,
		Of: eachProgram(func(m *figure.Measured, p string, extended bool) figure.Tally {
			return toOther(m, p, ofSize(4096), ofSize(512), "error", extended)
		}), Why: whyPurity},
	{Key: "li-early", Where: "figure 9", Says: "for li fewer counters are better during the initial phase",
		Ours: "lua (li): error of n=4096 to that of n=512, mean of the first 1M loads", Unit: figure.Times,
		Want: figure.Worse,
		Of: func(m *figure.Measured, extended bool) figure.Tally {
			return early(m, figure.InRole("li").Name, windows[len(windows)-1], extended)
		}, Why: whyEarly},
	{Key: "a16-all", Where: "figure 10", Says: "a second level reduces the overhead of all benchmarks",
		Ours: "messages of R256, H[P256]2048 and tag2-256-2048 to those with A16, each program", Unit: figure.Times,
		Want: figure.Worse, Of: saved, Why: whySecond},
	{Key: "1.15", Where: "section 6", Says: "a second level reduces the overhead by 1.15 to 2.5", Prints: "1.15 and 2.5",
		Ours: "the same", Unit: figure.Times,
		Want: figure.Between(figure.Times(1.15), figure.Times(2.5)), Of: saved, Why: whySecond},
	{Key: "pronounced", Where: "figure 10", Says: "what a second level saves is pronounced for m88ksim, db and jess",
		Ours: "flate, sortbench and jsonbench: the same, to the median of the other programs", Unit: figure.Times,
		Want: figure.MuchMore, Of: func(m *figure.Measured, extended bool) figure.Tally {
			return savedToOthers(m, extended, "m88ksim", "db", "jess")
		}, Why: whyPronounced},
	{Key: "lossless", Where: "section 3.4", Says: "a second level does not affect accuracy",
		Ours: "error with A16 to that without, each program", Unit: figure.Times,
		Want: figure.Between(figure.Times(1), figure.Times(1)), Of: func(m *figure.Measured, extended bool) (t figure.Tally) {
			for _, x := range secondLevels {
				t = append(t, each(m, measuredPrograms(m), func(p string) figure.Tally {
					return toOther(m, p, x+"+A16", x, "error", extended)
				})...)
			}
			return t
		}},
	{Key: "11-error", Where: "figure 11", Says: "edges and calls together have an error below 3 % in all benchmarks",
		Prints: "less than 3%", Ours: "greatest error of a program at the end", Unit: figure.Percent,
		Want: figure.Below(figure.Percent(3)), Of: func(m *figure.Measured, extended bool) figure.Tally {
			return acrossPrograms(m, func(p string) figure.Tally { return branches(m, p, in(stratified, extended), "error") },
				figure.Tally.Most)
		}, Why: whyBranches},
	{Key: "11-negligible", Where: "figure 11", Says: "in six benchmarks of ten the error of edges and calls is negligible",
		Prints: "six",
		Ours:   "how many programs have a negligible one", Unit: programsOf, Want: figure.AtLeast(programsOf(6)),
		Of: func(m *figure.Measured, extended bool) figure.Tally {
			return acrossPrograms(m, func(p string) figure.Tally { return branches(m, p, in(stratified, extended), "error") },
				negligible)
		}, Why: whyBranches},
	{Key: "11-better", Where: "figure 11", Says: "edges and calls are significantly more accurate than values",
		Ours: "error after as many loads to that of edges and calls, each program", Unit: figure.Times, Want: figure.MuchMore,
		Of: eachProgram(func(m *figure.Measured, p string, extended bool) figure.Tally {
			spec := in(stratified, extended)
			return figure.Tally{of(m, p, spec, "as-branches").Median() / branches(m, p, spec, "error").Median()}
		}), Why: whyBranches},
	{Key: "11-overhead", Where: "figure 11", Says: "the overhead of edges and calls is below 4.5 % for all benchmarks",
		Prints: "4.5%",
		Cannot: calibrated},
	{Key: "together", Where: "abstract", Says: "several kinds of profile can be collected at the same time",
		Ours: "errors of edges and of calls to those with a compressor for each, each program", Unit: figure.Times,
		Want: figure.AtMost(figure.Times(figure.LittleFactor)), Of: func(m *figure.Measured, extended bool) (t figure.Tally) {
			for _, kind := range []string{"edges", "calls"} {
				t = append(t, each(m, measuredPrograms(m), func(p string) figure.Tally {
					return togetherToAlone(m, p, kind,
						extended)
				})...)
			}
			return t
		}, Why: whyTogether},
	{Key: "hash", Where: "section 3.5", Says: "no hash of those that were tried is more accurate than the one that is used",
		Ours: "H[P256]2048: error with the hash to that with each of two others, each program", Unit: figure.Times,
		Want: figure.AtMost(figure.Times(1)), Of: func(m *figure.Measured, extended bool) (t figure.Tally) {
			own := hashes[0]
			if extended {
				own = hashes[1]
			}
			for _, h := range hashes {
				if h != own {
					t = append(t, each(m, measuredPrograms(m), func(p string) figure.Tally {
						return quotients(of(m, p, stratified+own, "error"), of(m, p, stratified+h, "error"))
					})...)
				}
			}
			return t
		}, Why: whyHash},
	{Key: "tag-2", Where: "section 5.4", Says: "tags of 2 bits have the best error for their overhead of all tagged " +
		"compressors",
		Ours: "error times the root of the messages, to that with 1, 3, 4 and 8 bits, each program", Unit: figure.Times,
		Want: figure.AtMost(figure.Times(1)), Of: func(m *figure.Measured, extended bool) (t figure.Tally) {
			for _, bits := range tagBits {
				if ofTag(bits) != tagged {
					t = append(t, each(m, measuredPrograms(m), func(p string) figure.Tally {
						return quotients(cheaper(m, p, in(tagged, extended)), cheaper(m, p, in(ofTag(bits), extended)))
					})...)
				}
			}
			return t
		}, Why: whyTagBits},
	{Key: "filter", Where: "section 5.4", Says: "a filter of converged instructions improves the stratified sampler",
		Ours: "error behind a filter to that of H[P]2048 with as many messages, each program", Unit: figure.Times,
		Want: figure.Better, Of: atEqual("filter"), Why: whyFilter},
	{Key: "filter-faster", Where: "section 5.4", Says: "such a filter can lead to faster convergence",
		Ours: "events that H[P256]2048 needs without it, to those with it, each program with enough places",
		Unit: figure.Times,
		Want: figure.Worse, Of: func(m *figure.Measured, extended bool) figure.Tally {
			return each(m, large(m), func(p string) figure.Tally { return m.Of(p, columnOf(extended), "filter-slower") })
		}, Why: whyFilter},
	{Key: "service", Where: "section 2.2", Says: "between messages is time enough for a service thread",
		Ours: fmt.Sprintf("messages of H[P256]2048 that come before the thread is done with those before, %d cycles each, "+
			"each program",
			handling), Unit: figure.Percent, Want: figure.Small,
		Of: eachProgram(func(m *figure.Measured, p string, extended bool) figure.Tally {
			return of(m, p, in(stratified, extended), "waits")
		}), Why: whyService},
	{Key: "62", Where: "section 4.2", Says: "a tag of 1 bit takes 62 % more storage", Prints: "62%", Cannot: arithmetic},
	{Key: "36", Where: "section 3.4", Says: "a table of 4K tuples takes 36 KB, of words of 64 bits 68 KB", Prints: "36 " +
		"KB, 68 KB",
		Cannot: arithmetic},
	{Key: "reset", Where: "section 4.1", Says: "to reset counters of a tagged table nearly always lowers the accuracy",
		Cannot: "our tagged table cannot do that"},
}

// early is the mean error of a large table in a part of the stream from the beginning, to that of a small one.
func early(m *figure.Measured, program string, window uint64, extended bool) figure.Tally {
	return toOther(m, program, ofSize(4096), ofSize(512), fmt.Sprintf("until/%d", window), extended)
}

// negligible is how many errors are negligible.
func negligible(t figure.Tally) float64 {
	return t.HowMany(func(x float64) bool { return x <= figure.NoErrorShare })
}

// togetherToAlone is the error of a kind of profile that is collected with another kind to that by itself.
func togetherToAlone(m *figure.Measured, program, kind string, extended bool) figure.Tally {
	spec := in(stratified, extended)
	t := quotients(branches(m, program, spec, kind), branches(m, program, spec, kind+"-alone"))
	if t != nil && math.IsNaN(t.Median()) { // it has no such places
		return nil
	}
	return t
}

// atEqual is the error of a compressor to that of a stratified sampler with as many messages, of each program.
func atEqual(compressor string) func(*figure.Measured, bool) figure.Tally {
	return eachProgram(func(m *figure.Measured, p string, extended bool) figure.Tally {
		return m.Of(p, columnOf(extended), "equal", compressor)
	})
}
