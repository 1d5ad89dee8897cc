package copfigures

// This file has the claims of the co-processor's paper, and what ours is beside each.

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pepgo/pep/lab/figure"
)

// Beside is the page of the paper. Our text of the paper has lost nearly all numbers; a claim without a number is one
// in words.
var Beside = figure.Beside{
	Name:    "cop",
	Title:   "The programmable co-processor beside its paper",
	Columns: figure.Rules,
	Extended: "Our rules add a victim that moves on when a replacement fails, visits that have weights and begin " +
		"short, and estimates with bounds (decision 19)",
	Runs: "seeds of the co-processor against 19 neighbouring periods and 5 phases of the simple sampler, or the 12 " +
		"programs, as the column \"ours is\" says",
	Loads:     8_000_000,
	Measure:   measure,
	Claims:    claims,
	Surprises: surprises,
	Tables:    tables,
}

// both is for quantities that the added rules do not touch.
func both(of func(m *figure.Measured) figure.Tally) func(*figure.Measured, bool) figure.Tally {
	return func(m *figure.Measured, _ bool) figure.Tally { return of(m) }
}

// measuredPrograms returns the programs that a measurement has, in the order of their working sets.
func measuredPrograms(m *figure.Measured, name ...string) (list []string) {
	for _, p := range programs {
		if m.Of(append([]string{p.Name}, name...)...) != nil {
			list = append(list, p.Name)
		}
	}
	slices.SortStableFunc(list, func(a, b string) int { return int(m.First(b, "sites") - m.First(a, "sites")) })
	return list
}

// eachToEach returns all quotients of two tallies.
func eachToEach(a, b figure.Tally) (t figure.Tally) {
	for _, x := range a {
		for _, y := range b {
			t = append(t, x/y)
		}
	}
	return t
}

// gains returns the errors of the co-processor on a program, with all seeds, to those of the samplers at equal
// overhead.
func gains(m *figure.Measured, program, part, column string) figure.Tally {
	return eachToEach(m.Of(program, part, column, "error"), m.Of(program, part, column, "simple"))
}

// gainOf is the median of gains.
func gainOf(m *figure.Measured, program, column string) float64 {
	return gains(m, program, "whole", column).Median()
}

// ofPrograms returns a number of each program.
func ofPrograms(m *figure.Measured, of func(program string) float64) (t figure.Tally) {
	for _, p := range measuredPrograms(m, "sites") {
		t = append(t, of(p))
	}
	return t
}

// toBase returns the quotient of a number of a variant and of the base machine.
func toBase(m *figure.Measured, program, variant, column, what string) float64 {
	return m.First(program, variant, column, what) / m.First(program, "base", column, what)
}

// withoutOne returns the power of x that fits y, leaving out one program after the other.
func withoutOne(x, y figure.Tally) (t figure.Tally) {
	for k := range x {
		t = append(t, exponent(slices.Delete(slices.Clone(x), k, k+1), slices.Delete(slices.Clone(y), k, k+1)))
	}
	return t
}

// bothAtOneRate returns for each phase the most programs, over all rates of the sampler, of which as many have a
// smaller error than the sampler and as many a smaller overhead.
func bothAtOneRate(m *figure.Measured, column string) (t figure.Tally) {
	list := measuredPrograms(m, "sites")
	for phase := range bandPhases {
		most := 0
		for _, rate := range samplerRates() {
			better, cheaper := 0, 0
			for _, p := range list {
				name := []string{p, "rate", fmt.Sprint(rate)}
				better += oneIf(m.Of(p, "whole", column, "error").Median() < m.Of(append(name, "error")...)[phase])
				cheaper += oneIf(m.Of(p, "whole", column, "overhead").Median() < m.Of(append(name, "overhead")...)[phase])
			}
			most = max(most, min(better, cheaper))
		}
		t = append(t, float64(most))
	}
	return t
}

// largestGainMost returns, for each seed and each of the samplers, how many of the two largest working sets are among
// the two programs with the least factors.
func largestGainMost(m *figure.Measured, column string) (t figure.Tally) {
	list := measuredPrograms(m, "sites")
	for seed := range m.Of(list[0], "whole", column, "error") {
		for k := range m.Of(list[0], "whole", column, "simple") {
			gain := func(p string) float64 {
				return m.Of(p, "whole", column, "error")[seed] / m.Of(p, "whole", column, "simple")[k]
			}
			order := slices.SortedStableFunc(slices.Values(list), func(a, b string) int {
				switch x, y := gain(a), gain(b); {
				case x < y:
					return -1
				case x > y:
					return 1
				}
				return 0
			})
			n := 0
			for _, p := range order[:2] {
				n += oneIf(p == list[0] || p == list[1])
			}
			t = append(t, float64(n))
		}
	}
	return t
}

var ofTwo, ofTwelve = figure.NumberOf("programs"), figure.NumberOf("programs")

// onProgram returns gains of a program.
func onProgram(name string) func(m *figure.Measured, extended bool) figure.Tally {
	return func(m *figure.Measured, extended bool) figure.Tally {
		return gains(m, name, "whole", columnOf(extended))
	}
}

// numberLost is why some claims cannot be judged.
const numberLost = "our text of the paper has lost the number"

var claims = []figure.Claim{
	{
		Key: "overhead-by-sites", Where: "abstract",
		Says: "time overhead is roughly proportional to the size of the instruction working set",
		Ours: "power of the sites that the cycles of overhead follow; masks stay; without one of 12 programs after the other",
		Unit: figure.Power, Want: figure.Roughly,
		Of: func(m *figure.Measured, extended bool) figure.Tally {
			return withoutOne(ofPrograms(m, func(p string) float64 { return m.First(p, "sites") }),
				ofPrograms(m, func(p string) float64 { return m.First(p, "stay", columnOf(extended), "cycles") }))
		},
		Why: func(m *figure.Measured) string { return whySites(m) },
	},
	{
		Key: "quick", Where: "abstract, figure 8", Says: "a profile converges faster than that of the simple sampler",
		Ours: fmt.Sprintf("typecheck (gcc): cycles until the error stays below %d %%, to those of samplers at equal overhead",
			reachedError), Unit: figure.Times, Want: figure.Better,
		Of: func(m *figure.Measured, extended bool) figure.Tally {
			return eachToEach(m.Of("converge", columnOf(extended), "reach"),
				m.Of("converge", columnOf(extended), "simple-reach"))
		},
		Why: whyQuick,
	},
	{
		Key: "equal-overhead", Where: "figure 8", Says: "better accuracy for the same overhead, true of other benchmarks too",
		Ours: "median error to that of samplers at equal overhead, each of 12 programs", Unit: figure.Times,
		Want: figure.Better,
		Of: func(m *figure.Measured, extended bool) figure.Tally {
			return ofPrograms(m, func(p string) float64 { return gainOf(m, p, columnOf(extended)) })
		},
		Why: whyEqual,
	},
	{
		Key: "along", Where: "figure 8", Says: "better accuracy for the same overhead over the whole curve",
		Ours: "typecheck (gcc): geometric mean along the curve of errors, to those of samplers that have had the same cycles of " +
			"overhead", Unit: figure.Times, Want: figure.Better,
		Of: func(m *figure.Measured, extended bool) figure.Tally {
			return m.Of("converge", columnOf(extended), "along")
		},
		Why: whyAlong,
	},
	{
		Key: "fades", Where: "figure 8", Says: "overhead is higher at first and drops when the frequent instructions are known",
		Ours: "overhead of the first tenth to that of the last; masks stay; each of 12 programs", Unit: figure.Times,
		Want: figure.MuchMore,
		Of: func(m *figure.Measured, extended bool) figure.Tally {
			return ofPrograms(m, func(p string) float64 {
				t := m.Of(p, "stay", columnOf(extended), "tenths")
				return t[0] / t[1]
			})
		},
	},
	{
		Key: "most-benchmarks", Where: "figure 7",
		Says: "smaller error in most benchmarks, and smaller overhead in most, than a sampler with a fixed rate",
		Ours: "of 12 programs, at the rate of the sampler that is best for this claim", Unit: ofTwelve,
		Want: figure.AtLeast(ofTwelve(7)),
		Of:   func(m *figure.Measured, extended bool) figure.Tally { return bothAtOneRate(m, columnOf(extended)) },
		Why: func(m *figure.Measured) string {
			return "The rate of the paper's sampler is lost. If one rate makes both true for a program, the co-processor is also " +
				"better at equal overhead, so the table at the end says which programs these can be."
		},
	},
	{
		Key: "largest", Where: "figure 7",
		Says: "gcc and perl, the largest working sets, gain substantially in accuracy at less overhead",
		Ours: "error to that of samplers at equal overhead, the two largest of ours", Unit: figure.Times,
		Want: figure.MuchLess,
		Of: func(m *figure.Measured, extended bool) (t figure.Tally) {
			for _, p := range largestOf(m) {
				t = append(t, gains(m, p.Name, "whole", columnOf(extended))...)
			}
			return t
		},
		Why: whyLargest,
	},
	{
		Key: "gain-most", Where: "figure 7", Says: "the two largest working sets demonstrate the co-processor best",
		Ours: "how many of them are among the two of 12 programs that gain most", Unit: ofTwo, Want: figure.AtLeast(ofTwo(2)),
		Of:  func(m *figure.Measured, extended bool) figure.Tally { return largestGainMost(m, columnOf(extended)) },
		Why: whyMost,
	},
	{
		Key: "phased-values", Where: "figure 7", Says: "gap is worse, because its values come in phases",
		Ours: "filters (gap, vpr): error to that of samplers at equal overhead", Unit: figure.Times, Want: figure.Worse,
		Of: onProgram(filters.Name), Why: whyPhased,
	},
	{
		Key: "flags", Where: "figure 7", Says: "crafty suffers because flags of 64 bits are aliased by their lower 32 bits",
		Ours: "bitboard (crafty): error to that against the true shares of the lower 32 bits", Unit: figure.Times,
		Want: figure.MuchMore,
		Of: func(m *figure.Measured, extended bool) (t figure.Tally) {
			lower := m.Of(bitboard.Name, "whole", columnOf(extended), "shares")
			for i, x := range m.Of(bitboard.Name, "whole", columnOf(extended), "error") {
				t = append(t, x/lower[i])
			}
			return t
		},
	},
	{
		Key: "simple-by-sites", Where: "figure 7",
		Says: "accuracy of the simple sampler is largely inversely proportional to the working set", Same: true,
		Ours: "power of the sites that the error follows, 1 of 1024 loads; without one of 12 programs after the other, 5 phases", Unit: figure.Power, Want: figure.Roughly,
		Of: both(func(m *figure.Measured) (t figure.Tally) {
			for phase := range bandPhases {
				t = append(t, withoutOne(ofPrograms(m, func(p string) float64 { return m.First(p, "sites") }),
					ofPrograms(m, func(p string) float64 { return m.Of(p, "rate/1024/error")[phase] }))...)
			}
			return t
		}),
		Why: whySimpleBySites,
	},
	{
		Key: "stopped", Where: "figure 7",
		Says:   "bzip and parser are less accurate because profiling has stopped, at substantially less overhead",
		Cannot: "it is about the inputs of two programs, and our text has lost how long they ran",
	},
	{
		Key: "rate-time", Where: "figure 1", Says: "a simple sampler with a faster rate converges faster", Same: true,
		Ours: "typecheck (gcc): cycles until the error stays below 20 %, 1 of 64 to 1 of 256, and 1 of 256 to 1 of 1024 loads",
		Unit: figure.Times, Want: figure.MuchLess,
		Of: both(func(m *figure.Measured) (t figure.Tally) {
			for i := range 2 {
				t = append(t, eachToEach(m.Of("rates/recorded/reach", fmt.Sprint(samplerPeriods[i])), m.Of("rates/recorded/reach",
					fmt.Sprint(samplerPeriods[i+1])))...)
			}
			return t
		}),
	},
	{
		Key: "rate-curve", Where: "figure 1", Says: "the error as a function of overhead is independent of the rate",
		Same: true,
		Ours: "typecheck (gcc): error to that of a rate four times slower, at equal overhead", Unit: figure.Times,
		Want: figure.Little,
		Of:   both(func(m *figure.Measured) figure.Tally { return m.Of("rates/recorded/apart") }),
		Why: func(m *figure.Measured) string {
			random := m.Of("rates/random/apart")
			text := fmt.Sprintf("With the same loads in random order the factors are %s", random.Text(figure.Times))
			if figure.Little.Holds(random.Median()) {
				text += ": without the phases of the program the curves are one"
			}
			return text + "."
		},
	},
	{
		Key: "diagonal", Where: "figure 6", Says: "in general the estimated shares are near the true ones",
		Ours: fmt.Sprintf("typecheck (gcc): pairs within %d points", band), Unit: figure.Percent, Want: figure.General,
		Of: func(m *figure.Measured, extended bool) figure.Tally {
			return m.Of("scatter", columnOf(extended), "near")
		},
		Why: whyDiagonal,
	},
	{
		Key: "high-shares", Where: "figure 6", Says: "high invariances are predicted accurately",
		Ours: "mean error of pairs with a true share of 90 % and more, to that of all", Unit: figure.Times,
		Want: figure.MuchLess,
		Of: func(m *figure.Measured, extended bool) figure.Tally {
			return m.Of("scatter", columnOf(extended), "high")
		},
	},
	{
		Key: "outliers", Where: "figure 6", Says: "outliers tend to be executed infrequently",
		Ours: "executions of pairs near the diagonal to those of outliers, geometric means", Unit: figure.Times,
		Want: figure.MuchMore,
		Of: func(m *figure.Measured, extended bool) figure.Tally {
			return m.Of("scatter", columnOf(extended), "outliers")
		},
		Why: whyScattered("outliers", figure.Times, figure.MuchMore),
	},
	{
		Key: "never-sampled", Where: "figure 6",
		Says: "values that were never sampled are largely those of infrequent instructions",
		Ours: "executions of all pairs to those of pairs without a sample, geometric means", Unit: figure.Times,
		Want: figure.MuchMore,
		Of: func(m *figure.Measured, extended bool) figure.Tally {
			return m.Of("scatter", columnOf(extended), "executions")
		},
	},
	{
		Key: "array-rate", Where: "figure 9",
		Says: "the rate at which profiles are captured is linear in the size of the arrays",
		Ours: "typecheck (gcc): power of the size that the samples of a profile follow", Unit: figure.Power,
		Want: figure.Linear,
		Of: func(m *figure.Measured, extended bool) figure.Tally {
			return collected(m, figure.InRole("gcc").Name, columnOf(extended), "base")
		},
		Why: whyArrays,
	},
	{
		Key: "array-accuracy", Where: "figure 10", Says: "the size of the arrays does not dramatically affect accuracy",
		Ours: "errors with arrays of half and of double the size to the base, each of 12 programs", Unit: figure.Times,
		Want: figure.Little,
		Of: func(m *figure.Measured, extended bool) figure.Tally {
			return append(ofPrograms(m, func(p string) float64 { return toBase(m, p, "half", columnOf(extended), "error") }),
				ofPrograms(m, func(p string) float64 { return toBase(m, p, "double", columnOf(extended), "error") })...)
		}, Why: whySizes,
	},
	{
		Key: "array-overhead", Where: "figure 10", Says: "smaller arrays tend to slightly lower overhead",
		Ours: "overhead with arrays of half the size to the base, each of 12 programs", Unit: figure.Times,
		Want: figure.Between(figure.Times(1/figure.LittleFactor), figure.Times(1)),
		Of: func(m *figure.Measured, extended bool) figure.Tally {
			return ofPrograms(m, func(p string) float64 { return toBase(m, p, "half", columnOf(extended), "overhead") })
		}, Why: whySizes,
	},
	{
		Key: "more-better", Where: "figure 10", Says: "in general accuracy is better with more resources",
		Ours: "errors with the base to half and with double to the base, each of 12 programs", Unit: figure.Times,
		Want: figure.Better,
		Of: func(m *figure.Measured, extended bool) figure.Tally {
			return append(ofPrograms(m, func(p string) float64 { return 1 / toBase(m, p, "half", columnOf(extended), "error") }),
				ofPrograms(m, func(p string) float64 { return toBase(m, p, "double", columnOf(extended), "error") })...)
		}, Why: whySizes,
	},
	{
		Key: "clock-accuracy", Where: "section 6",
		Says: "a slower clock of the co-processor has no substantial impact on accuracy",
		Ours: "errors at a half and a quarter of the clock to those at the whole, each of 12 programs", Unit: figure.Times,
		Want: figure.Little,
		Of:   slower("error"), Why: whyClock,
	},
	{
		Key: "clock-overhead", Where: "section 6", Says: "a slower clock has roughly equal overhead",
		Ours: "the same of overheads", Unit: figure.Times, Want: figure.Little, Of: slower("overhead"), Why: whyClock,
	},
	{
		Key: "clock-rate", Where: "section 6",
		Says: "a slower clock slows the collection of profiles in some cases, the largest working sets",
		Ours: "samples of a profile for a cycle at a quarter of the clock to those at the whole, each of the two largest to the " +
			"median of 12 programs",
		Unit: figure.Times, Want: figure.Better, Of: func(m *figure.Measured, extended bool) (t figure.Tally) {
			of := func(p string) float64 { return toBase(m, p, "clock-4", columnOf(extended), "samples") }
			for _, p := range largestOf(m) {
				t = append(t, of(p.Name)/ofPrograms(m, of).Median())
			}
			return t
		}, Why: func(m *figure.Measured) string {
			return "Samples for a cycle with a quarter of the clock to the whole, the paper's rules and ours: " +
				each(m, func(p string) string { return bothColumns(m, p, "clock-4", "samples") }) + "."
		},
	},
	{
		Key: "software-rate", Where: "section 5", Says: "sampling as often as a software profiler costs a small percentage",
		Same: true, Ours: fmt.Sprintf("overhead of 1 of %d loads, each of 12 programs", burrows), Unit: figure.Percent,
		Want: figure.Small,
		Of: both(func(m *figure.Measured) figure.Tally {
			return ofPrograms(m, func(p string) float64 { return m.First(p, "rate", fmt.Sprint(burrows), "overhead") })
		}),
	},
	{
		Key: "buffer", Where: "section 3.3", Says: "the sample buffer is sufficient",
		Ours: "error with a buffer 8 times as large to the base, each of 12 programs", Unit: figure.Times,
		Want: figure.Little,
		Of: func(m *figure.Measured, extended bool) figure.Tally {
			return ofPrograms(m, func(p string) float64 { return toBase(m, p, "buffer", columnOf(extended), "error") })
		},
		Why: func(m *figure.Measured) string {
			lost := func(variant, column string) string {
				return ofPrograms(m, func(p string) float64 { return m.First(p, variant, column, "lost") }).Text(figure.Percent)
			}
			return fmt.Sprintf("With the paper's rules the buffer loses %s of the samples that pass the filters, and one 8 times "+
				"as large %s. With our rules and a quarter of the clock the base loses %s.",
				lost("base", "rules"), lost("buffer", "rules"), lost("clock-4", "ours"))
		},
	},
	{
		Key: "transistors", Where: "table 1", Says: "approximately half a million transistors",
		Prints: "approximately half […] transistors",
		Same:   true, Ours: "the base machine", Unit: million, Want: figure.About(0.5e6, 0.5e6, million),
		Of: both(func(m *figure.Measured) figure.Tally { return m.Of("transistors/total")[:1] }),
		Why: func(m *figure.Measured) string {
			return fmt.Sprintf("It is an estimate from our sizes: with 128, 512 and 1024 slots it is %s, %s and %s.",
				million(m.Of("transistors/total")[1]).Text, million(m.Of("transistors/total")[2]).Text,
				million(m.Of("transistors/total")[3]).Text)
		},
	},
	{
		Key: "in-arrays", Where: "section 3", Says: "most of the transistors are in memory arrays", Same: true,
		Ours: "share of the arrays, 128 to 1024 slots", Unit: figure.Percent, Want: figure.Most,
		Of: both(func(m *figure.Measured) (t figure.Tally) {
			for i, x := range m.Of("transistors/arrays") {
				t = append(t, 100*x/m.Of("transistors/total")[i])
			}
			return t
		}),
	},
	{
		Key: "applications", Where: "abstract, section 4",
		Says: "edges, call stacks, memory dependences and cache conflicts are profiled by programs for the same hardware",
		Same: true, Ours: "programs of microcode that the machine takes",
		Unit: figure.NumberOf("programs"),
		Want: figure.AtLeast(figure.NumberOf("programs")(4)),
		Of: both(func(m *figure.Measured) figure.Tally {
			return figure.Tally{m.Of("applications").HowMany(func(x float64) bool { return x == 1 })}
		}),
	},
	{Key: "strongarm", Where: "section 3", Says: "the core is simpler than a StrongARM", Cannot: numberLost},
	{Key: "branch-slots", Where: "section 3.5", Says: "most branch slots are used", Cannot: numberLost},
	{Key: "handler", Where: "section 3.6", Says: "hand-written handlers take few cycles a sample",
		Cannot: "cycles of handlers are parameters of our model, and our text has lost the number"},
	{Key: "main-processor", Where: "abstract",
		Says:   "the co-processor does not significantly impact cost and speed of the main processor",
		Cannot: "it takes circuits; ours is a model of events and cycles"},
}

// million is a number of transistors.
func million(x float64) figure.Value {
	return figure.Value{Text: fmt.Sprintf("%.2fM", x/1e6), Number: x, Unit: "transistors"}
}

// slower returns a number at a half and a quarter of the clock to that at the whole.
func slower(what string) func(m *figure.Measured, extended bool) figure.Tally {
	return func(m *figure.Measured, extended bool) (t figure.Tally) {
		for _, v := range []string{"clock-2", "clock-4"} {
			t = append(t, ofPrograms(m, func(p string) float64 { return toBase(m, p, v, columnOf(extended), what) })...)
		}
		return t
	}
}

// collected returns the power of the size of the arrays that samples follow, for each seed.
func collected(m *figure.Measured, program, column, machine string) (t figure.Tally) {
	sizes := []float64{128, 256, 512}
	for seed := range m.Of(program, "collect", column, machine, "128") {
		var y []float64
		for _, s := range sizes {
			y = append(y, m.Of(program, "collect", column, machine, fmt.Sprint(s))[seed])
		}
		t = append(t, exponent(sizes, y))
	}
	return t
}

func whySites(m *figure.Measured) string {
	var list []string
	for _, p := range measuredPrograms(m, "sites") {
		list = append(list, fmt.Sprintf("%s %.0f: %.0f", p, m.First(p, "sites"), m.First(p, "stay/rules/cycles")/m.First(p,
			"sites")))
	}
	var sites, cycles figure.Tally
	for _, k := range m.Below("copies") {
		sites, cycles = append(sites, m.First("copies", k, "sites")), append(cycles, m.First("copies", k, "rules/stay"))
	}
	rare := exponent(ofPrograms(m, func(p string) float64 { return m.First(p, "sites") }), ofPrograms(m,
		func(p string) float64 { return m.First(p, "rare-timer/rules/cycles") }))
	return fmt.Sprintf("Sites, and cycles of overhead for a site with the paper's rules: %s. The timer that ends visits, "+
		"which the paper does not have, costs the same whatever the working set is: with one 8 times as rare the power is %.2f. "+
		"Of typecheck alone, whose code is there 1 to 30 times, it is %.2f (table below).",
		strings.Join(list, ", "), rare, exponent(sites, cycles))
}

// whyEqual says how much each of the added rules and each constant changes at equal overhead.
func whyEqual(m *figure.Measured) string {
	var text []string
	for _, p := range largestOf(m) {
		text = append(text, fmt.Sprintf("%s: %.2fx with the paper's rules; with one rule of ours added %s; in random order "+
			"%.2fx, and %.2fx with all of our rules",
			nameOf(p), gainOf(m, p.Name, "rules"), strings.Join(changes(m, p.Name, "added"), ", "), changed(m, p.Name, "random",
				"rules"), changed(m, p.Name, "random", "ours")))
	}
	return "Factors of the two largest working sets: " + strings.Join(text, "; ") + ". In random order a program has no " +
		"phases, and masks stay."
}

func whyLargest(m *figure.Measured) string {
	var text []string
	for _, p := range largestOf(m) {
		best := math.Inf(1)
		for _, c := range m.Below(p.Name + "/constant") {
			best = min(best, changed(m, p.Name, "constant", c))
		}
		text = append(text, fmt.Sprintf("%s: %s; the least is %.2fx", nameOf(p), strings.Join(changes(m, p.Name, "constant"),
			", "), best))
	}
	return "Our text has lost the paper's constants. The factors with the paper's rules and another constant: " +
		strings.Join(text, "; ") + "."
}

// changed is the median factor of a change.
func changed(m *figure.Measured, program, kind, change string) float64 {
	return eachToEach(m.Of(program, kind, change, "error"), m.Of(program, kind, change, "simple")).Median()
}

func changes(m *figure.Measured, program, kind string) (list []string) {
	for _, c := range m.Below(program + "/" + kind) {
		list = append(list, fmt.Sprintf("%s %.2fx", c, changed(m, program, kind, c)))
	}
	return list
}

func whySimpleBySites(m *figure.Measured) string {
	var list []string
	for _, p := range measuredPrograms(m, "sites") {
		list = append(list, fmt.Sprintf("%s %.0f: %s", p, m.First(p, "sites"), figure.Percent(m.Of(p,
			"rate/1024/error").Median()).Text))
	}
	var sites, errs figure.Tally
	for _, p := range measuredPrograms(m, "sites") {
		if p != bitboard.Name {
			sites, errs = append(sites, m.First(p, "sites")), append(errs, m.Of(p, "rate/1024/error").Median())
		}
	}
	return fmt.Sprintf("Sites and errors of 1 of 1024 loads: %s. Without bitboard, whose flags no profiler of 32 bits tells "+
		"apart, the errors follow the power %.2f.", strings.Join(list, ", "), exponent(sites, errs))
}

func whyArrays(m *figure.Measured) string {
	p := figure.InRole("gcc").Name
	return fmt.Sprintf("The buffer loses %s, %s and %s of the samples with the three sizes (the paper's rules). A "+
		"co-processor 16 times as fast has %s with the paper's rules and %s with ours, and if it never masks "+
		"a load %s and %s.",
		figure.Percent(m.First(p, "half/rules/lost")).Text, figure.Percent(m.First(p, "base/rules/lost")).Text,
		figure.Percent(m.First(p, "double/rules/lost")).Text,
		collected(m, p, "rules", "fast").Text(figure.Power), collected(m, p, "ours", "fast").Text(figure.Power),
		collected(m, p, "rules", "unmasked").Text(figure.Power), collected(m, p, "ours", "unmasked").Text(figure.Power))
}

// each lists a text of each program, from the largest working set on.
func each(m *figure.Measured, text func(p string) string) string {
	var list []string
	for _, p := range measuredPrograms(m, "sites") {
		list = append(list, p+" "+text(p))
	}
	return strings.Join(list, ", ")
}

// bothColumns writes a factor of a variant to the base with the paper's rules and with ours.
func bothColumns(m *figure.Measured, p, variant, what string) string {
	return fmt.Sprintf("%.2f and %.2f", toBase(m, p, variant, "rules", what), toBase(m, p, variant, "ours", what))
}

// whyQuick says against how many samplers each seed is faster, with the paper's rules. If the seeds say different
// things, the verdict is one of chance.
func whyQuick(m *figure.Measured) string {
	simple := m.Of("converge/rules/simple-reach")
	var list []string
	most := 0.
	for _, x := range m.Of("converge/rules/reach") {
		n := simple.HowMany(func(y float64) bool { return x < y })
		list = append(list, fmt.Sprintf("%.0f", n))
		most += float64(oneIf(10*n >= 8*float64(len(simple))))
	}
	verdict := "all seeds say the same"
	if 0 < most && most < float64(len(list)) {
		verdict = "chance decides, since the seeds do not say the same"
	}
	return fmt.Sprintf("With the paper's rules the seeds are faster than %s of %d samplers: %s.", strings.Join(list, ", "),
		len(simple), verdict)
}

func whyAlong(m *figure.Measured) string {
	p := figure.InRole("gcc").Name
	return fmt.Sprintf("It compares early errors of one with later errors of the other. At the end, when both have seen the "+
		"same loads, the factors are %.2fx with the paper's rules and %.2fx with ours.", gainOf(m, p, "rules"), gainOf(m, p,
		"ours"))
}

func whyMost(m *figure.Measured) string {
	return "Factors with the paper's rules and with ours: " + each(m, func(p string) string {
		return fmt.Sprintf("%.2f and %.2f", gainOf(m, p, "rules"), gainOf(m, p, "ours"))
	}) + "."
}

func whyPhased(m *figure.Measured) string {
	at := func(variant, column string) string {
		return figure.Percent(m.First(filters.Name, variant, column, "error")).Text
	}
	return fmt.Sprintf("Errors with the paper's rules and with ours: %s and %s, and %s and %s if masks are never cleared.",
		at("base", "rules"), at("base", "ours"), at("stay", "rules"), at("stay", "ours"))
}

func whySizes(m *figure.Measured) string {
	return "Errors with half the arrays to the base, the paper's rules and ours: " + each(m,
		func(p string) string { return bothColumns(m, p, "half", "error") }) +
		"; overheads: " + each(m, func(p string) string { return bothColumns(m, p, "half", "overhead") }) + "."
}

func whyClock(m *figure.Measured) string {
	lost := func(variant string) string {
		return ofPrograms(m, func(p string) float64 { return m.First(p, variant, "ours", "lost") }).Text(figure.Percent)
	}
	return fmt.Sprintf("A slower co-processor loses more samples: %s with the whole clock, %s with a half, %s with a quarter "+
		"(our rules). Errors with a quarter to the whole, the paper's rules and ours: %s.",
		lost("base"), lost("clock-2"), lost("clock-4"), each(m, func(p string) string {
			return bothColumns(m, p, "clock-4",
				"error")
		}))
}

func tables(m *figure.Measured) []figure.Table {
	t := figure.Table{Title: "Error of the co-processor to that of 95 simple samplers with the same overhead",
		Columns: []string{
			"program", "sites", "rules", "loads", "error", "overhead", "simple, 1 of about", "its error", "factor", "least",
			"greatest",
		}}
	for _, p := range measuredPrograms(m, "sites") {
		for _, c := range columns {
			for _, part := range []string{"whole", "part"} {
				errs := m.Of(p, part, c.name, "error")
				if errs == nil {
					continue
				}
				name := map[string]string{"rules": "paper", "ours": "ours"}[c.name]
				t.Rows = append(t.Rows, slices.Concat([]figure.Value{
					figure.Text(p), figure.Count(int(m.First(p, "sites")), "sites"), figure.Text(name),
					figure.Text(map[string]string{"whole": "all", "part": "a quarter"}[part]),
					figure.Text(errs.Text(figure.Percent)), figure.Percent(m.Of(p, part, c.name, "overhead").Median()),
					figure.Count(int(m.First(p, part, c.name, "period")), "loads"),
					figure.Text(m.Of(p, part, c.name, "simple").Text(figure.Percent)),
				}, gains(m, p, part, c.name).Spread(figure.Factor)))
			}
		}
	}
	sizes := figure.Table{Title: "Working sets: the loads of typecheck, its code there 1 to 30 times", Columns: []string{
		"copies", "sites", "pairs", "rules", "error", "overhead", "simple with that", "factor",
		"cycles of overhead if masks stay",
	}}
	for _, k := range copiesOfCode {
		at := fmt.Sprintf("copies/%d", k)
		for _, c := range columns {
			if m.Of(at, "sites") == nil {
				continue
			}
			name := map[string]string{"rules": "paper", "ours": "ours"}[c.name]
			sizes.Rows = append(sizes.Rows, []figure.Value{
				figure.Count(k, "copies"), figure.Count(int(m.First(at, "sites")), "sites"), figure.Count(int(m.First(at, "pairs")),
					"pairs"), figure.Text(name),
				figure.Percent(m.First(at, c.name, "error")), figure.Percent(m.First(at, c.name, "overhead")), figure.Text(m.Of(at,
					c.name, "simple").Text(figure.Percent)),
				figure.Text(eachToEach(m.Of(at, c.name, "error"), m.Of(at, c.name, "simple")).Text(figure.Factor)),
				figure.Count(int(m.First(at, c.name, "stay")), "cycles"),
			})
		}
	}
	return []figure.Table{t, sizes}
}
