package rapfigures

// This file has the claims of the paper on range adaptive profiling, and what ours is beside each.

import (
	"fmt"
	"math"
	"strings"

	"github.com/pepgo/pep/lab/figure"
)

// Beside is the page of the paper.
var Beside = figure.Beside{
	Name:    "rap",
	Title:   "Range adaptive profiling beside its paper",
	Columns: figure.Rules,
	Extended: "Our rules add thresholds that are never below that of 1024 events, splits that are denied when no " +
		"node is left, and entries of the TCAM that move to stay in order (decision 16)",
	Runs:      "the 10 programs, two parts of a recording of each, and for code three layouts of the executable",
	Loads:     8_000_000,
	Measure:   measureAll,
	Claims:    claims,
	Surprises: surprises,
	Tables:    tables,
}

// An engine's tree with the larger error of the paper, and with the smaller one, in names of measurements.
const (
	eps10 = "10"
	eps1  = "1"
)

// eachRun returns the numbers of all runs of all programs.
func eachRun(m *figure.Measured, taps string, name ...string) (t figure.Tally) {
	for _, p := range figure.Programs {
		t = append(t, m.Of(append([]string{p.Name, taps}, name...)...)...)
	}
	return t
}

// acrossPrograms returns for each run what f makes of one number of each program.
func acrossPrograms(m *figure.Measured, f func(figure.Tally) float64, taps string, name ...string) (t figure.Tally) {
	for k := 0; ; k++ {
		var one figure.Tally
		for _, p := range figure.Programs {
			if of := m.Of(append([]string{p.Name, taps}, name...)...); k < len(of) {
				one = append(one, of[k])
			}
		}
		if one == nil {
			return t
		}
		t = append(t, f(one))
	}
}

func alike(of func(m *figure.Measured) figure.Tally) func(*figure.Measured, bool) figure.Tally {
	return func(m *figure.Measured, _ bool) figure.Tally { return of(m) }
}

// trees returns a number of the trees with an error, of each run.
func trees(taps, eps, what string) func(m *figure.Measured, extended bool) figure.Tally {
	return func(m *figure.Measured, extended bool) figure.Tally {
		return eachRun(m, taps, columnOf(extended), eps, what)
	}
}

// across returns what f makes of a number of the trees of all programs.
func across(f func(figure.Tally) float64, taps, eps, what string) func(m *figure.Measured, extended bool) figure.Tally {
	return func(m *figure.Measured, extended bool) figure.Tally {
		return acrossPrograms(m, f, taps, columnOf(extended), eps, what)
	}
}

// gcc returns a number of the trees of the program in the role of gcc.
func gcc(taps, eps, what string) func(m *figure.Measured, extended bool) figure.Tally {
	return ofProgram(figure.InRole("gcc").Name, taps, eps, what)
}

func ofProgram(name, taps, eps, what string) func(m *figure.Measured, extended bool) figure.Tally {
	return func(m *figure.Measured, extended bool) figure.Tally {
		return m.Of(name, taps, columnOf(extended), eps, what)
	}
}

// quotient returns quotients of two measurements, each of a program.
func quotient(taps string, a, b string) func(m *figure.Measured) figure.Tally {
	return func(m *figure.Measured) (t figure.Tally) {
		y := eachRun(m, taps, b)
		for i, x := range eachRun(m, taps, a) {
			t = append(t, x/y[i])
		}
		return t
	}
}

// least returns the quotient of the nodes with one option and the fewest of others, each of a program.
func least(option, one string, others ...string) func(m *figure.Measured, extended bool) figure.Tally {
	return alike(func(m *figure.Measured) (t figure.Tally) {
		for _, taps := range []string{ofValues, ofCode} {
			for i, x := range eachRun(m, taps, option, one) {
				fewest := math.Inf(1)
				for _, k := range others {
					fewest = min(fewest, eachRun(m, taps, option, k)[i])
				}
				t = append(t, x/fewest)
			}
		}
		return t
	})
}

// accuracyOf returns the average accuracy of programs with so many nodes. With the paper's rules it is that of the
// least eps whose tree always fits; a program that no eps fits has no accuracy, and so has the run.
func accuracyOf(taps string, nodes int) func(m *figure.Measured, extended bool) figure.Tally {
	return func(m *figure.Measured, extended bool) figure.Tally {
		return acrossPrograms(m, figure.Tally.Mean, taps, columnOf(extended), "nodes", fmt.Sprint(nodes))
	}
}

// pipeline returns a number of the hardware, code and values of each program.
func pipeline(what string) func(m *figure.Measured, extended bool) figure.Tally {
	return func(m *figure.Measured, extended bool) figure.Tally {
		var t figure.Tally
		for _, taps := range []string{ofCode, ofValues} {
			for _, eps := range []string{"1%", "10%"} {
				one := eachRun(m, taps, "pipeline", columnOf(extended), eps, what)
				if what == "stalls" { // of splits, and of merges
					for i := 0; i+1 < len(one); i += 2 {
						one[i/2] = one[i] + one[i+1]
					}
					one = one[:len(one)/2]
				}
				t = append(t, one...)
			}
		}
		return t
	}
}

// pairs returns a number of figures 9 and 10.
func pairs(f func(figure.Tally) float64, what string) func(m *figure.Measured, extended bool) figure.Tally {
	return func(m *figure.Measured, extended bool) figure.Tally {
		return acrossPrograms(m, f, "pairs", columnOf(extended), what)
	}
}

// meanOfKnown is the mean of the programs that have a number.
func meanOfKnown(t figure.Tally) float64 {
	var known figure.Tally
	for _, x := range t {
		if !math.IsNaN(x) {
			known = append(known, x)
		}
	}
	return known.Mean()
}

// triedForValues is how many properties of programs were compared with their nodes for values, after the numbers had
// been seen, until one of them was chosen: by Bonferroni's inequality chance finds one as strong that many times as
// often.
const triedForValues = 5

// whyMoreForValues says whether programs need more nodes for values the less of their loads a few values are. That was
// looked for after the numbers had been seen; if it is not so, the chance says that.
func whyMoreForValues(m *figure.Measured) string {
	var list []string
	var nodes, fifty figure.Tally
	for _, p := range figure.Programs {
		values := m.Of(p.Name, ofValues, "rules", eps10, "average").Median()
		nodes, fifty = append(nodes, values), append(fifty, m.Of(p.Name, ofValues, "fifty").Median())
		list = append(list, fmt.Sprintf("%s %.0f and %.0f", p.Name, values,
			m.Of(p.Name, ofCode, "rules", eps10, "average").Median()))
	}
	rho, chance := figure.RankCorrelation(fifty, nodes)
	chance = min(triedForValues*chance, 100)
	verdict := "so spread values are not why"
	if rho < 0 && chance < 1 {
		verdict = "so a program needs nodes for values that are spread"
	}
	return fmt.Sprintf("Nodes for values and for code: %s. The rank correlation of nodes for values with the share of loads "+
		"that the 50 most frequent values are is %.2f: %s. It is the strongest of %d that were looked for after the numbers had been seen, one of which is "+
		"as strong by chance in at most %.2f %% of random orders.", strings.Join(list, ", "), rho, verdict, triedForValues,
		chance)
}

// moreThanLoads returns by how many points misses are covered better than all loads, on average of the programs.
func moreThanLoads(kind string) func(m *figure.Measured, extended bool) figure.Tally {
	return func(m *figure.Measured, extended bool) (t figure.Tally) {
		c := columnOf(extended)
		for k := range m.Of(figure.Programs[0].Name, "pairs", c, kind) {
			var one figure.Tally
			for _, p := range figure.Programs {
				if x := m.Of(p.Name, "pairs", c, kind); k < len(x) {
					one = append(one, x[k]-m.Of(p.Name, "pairs", c, "loads")[k])
				}
			}
			t = append(t, meanOfKnown(one))
		}
		return t
	}
}

func ofGccPairs(what string) func(m *figure.Measured, extended bool) figure.Tally {
	return func(m *figure.Measured, extended bool) figure.Tally {
		return m.Of(figure.InRole("gcc").Name, "pairs", columnOf(extended), what)
	}
}

var (
	rangesOf = figure.Fraction("ranges")
	splitsOf = figure.NumberOf("splits")
	cycles   = func(x float64) figure.Value { return per(x, "cycles") }
)

// calibrated is why the cost of the hardware cannot be judged.
const calibrated = "our model of the hardware is calibrated with this number"

// ofGcc is why numbers of gcc's source and data cannot be judged.
const ofGcc = "it is a number of gcc's own source and data, and typecheck is another program"

var claims = []figure.Claim{
	{Key: "98", Where: "abstract", Says: "8 KB, 500 nodes, give hot code regions with an average accuracy of 98 %",
		Prints: "8k bytes, 98 %", Ours: "accuracy of hot regions of code, average of programs, 500 nodes",
		Unit: figure.Percent,
		Want: figure.AtLeast(figure.Percent(98)), Of: accuracyOf(ofCode, 500), Why: whyFits},
	{Key: "99.73", Where: "section 6", Says: "64 KB, 4096 nodes, give 99.73 %", Prints: "64k bytes, 99.73 %",
		Ours: "the same, 4096 nodes", Unit: figure.Percent, Want: figure.AtLeast(figure.Percent(99.73)),
		Of: accuracyOf(ofCode, 4096)},
	{Key: "eps", Where: "section 2.2", Says: "the estimate of a range is never off by more than eps of all events",
		Prints: "1 %", Ours: "greatest error of a hot range in percent of the stream, eps 1 %, code and values",
		Unit: figure.Percent,
		Want: figure.AtMost(figure.Percent(1)), Of: func(m *figure.Measured, extended bool) figure.Tally {
			return append(trees(ofCode, eps1, "of-stream")(m, extended), trees(ofValues, eps1, "of-stream")(m, extended)...)
		}},
	{Key: "lower-bound", Where: "section 4.3", Says: "the count of a range is a lower bound, so a hot node is hot",
		Ours: "greatest count of a hot range less its true count, eps 10 %, code and values", Unit: figure.Fraction("events"),
		Want: figure.AtMost(figure.Fraction("events")(0)), Of: func(m *figure.Measured, extended bool) figure.Tally {
			return append(trees(ofCode, eps10, "over")(m, extended), trees(ofValues, eps10, "over")(m, extended)...)
		}},
	{Key: "all-hot", Where: "section 4.3",
		Says: "RAP always identifies all hot ranges with the greatest precision possible",
		Ours: "hot ranges of an exact count of all ranges that the tree has, eps 1 %, each program, code and values",
		Unit: figure.Percent,
		Want: figure.AtLeast(figure.Percent(100)), Of: func(m *figure.Measured, extended bool) figure.Tally {
			return append(eachRun(m, ofCode, "exact", columnOf(extended)), eachRun(m, ofValues, "exact", columnOf(extended))...)
		}, Why: whyHot},
	{Key: "b", Where: "section 3.1, figure 2", Says: "a branching factor of 4 is a good trade of memory and depth",
		Prints: "4", Same: true, Ours: "most nodes with 4 children to the fewer of 8 and 16, eps 1 %, code and values",
		Unit: figure.Times,
		Want: figure.AtMost(figure.Times(1)), Of: least("b", "4", "8", "16"), Why: whyBranching},
	{Key: "q", Where: "section 3.1, figure 2", Says: "doubling the interval between merges needs the least memory",
		Prints: "q = 2", Same: true, Ours: "most nodes with q=2 to the fewest with 3, 4 and 8, eps 1 %, code and values",
		Unit: figure.Times,
		Want: figure.AtMost(figure.Times(1)), Of: least("q", "2", "3", "4", "8")},
	{Key: "1000", Where: "section 3.1", Says: "in the common case there are 1000 times fewer nodes than at worst",
		Prints: "a factor of 1000", Ours: "worst case to the average of nodes, eps 1 %, code and values", Unit: figure.Times,
		Want: figure.About(1000, 1000, figure.Times), Why: whyThousand,
		Of: func(m *figure.Measured, extended bool) figure.Tally {
			return append(trees(ofCode, eps1, "worst-case")(m, extended), trees(ofValues, eps1, "worst-case")(m, extended)...)
		}},
	{Key: "384k", Where: "section 3.1, figure 3", Says: "at worst there are 384k nodes, eps 1 %",
		Prints: "384k; labels 256000, 384000", Same: true, Ours: "the bound before a merge, by the paper's formulas",
		Unit: nodes, Want: figure.About(384_000, 384_000, nodes),
		Of: alike(func(m *figure.Measured) figure.Tally { return m.Of("theory/before-merge") }),
		Why: func(m *figure.Measured) string {
			return fmt.Sprintf("For an eps of 0.1 %% the formulas give %.0f after a merge and %.0f before it.",
				m.First("theory/after-merge-0.1"), m.First("theory/before-merge-0.1"))
		}},
	{Key: "6400", Where: "section 3.3", Says: "there are at most 6400 splits in an interval", Prints: "6400",
		Ours: "most splits between two merges, eps 1 %, code and values", Unit: splitsOf, Want: figure.AtMost(splitsOf(6400)),
		Of: func(m *figure.Measured, extended bool) figure.Tally {
			return append(trees(ofCode, eps1, "splits")(m, extended), trees(ofValues, eps1, "splits")(m, extended)...)
		}},
	{Key: "batches", Where: "section 3.3", Says: "2^32 events need 22 batches of merges, 2^64 need 54", Prints: "22, 54",
		Same: true, Ours: "batches of 2^32 and of 2^64 events", Unit: figure.Fraction("batches"),
		Of: alike(func(m *figure.Measured) figure.Tally {
			return figure.Tally{m.First("theory/batches-32"), m.First("theory/batches-64")}
		}), Cannot: "it follows from the definition of the schedule"},
	{Key: "buffer", Where: "section 3.3", Says: "a buffer of 1k combines 10 events of code", Prints: "1k, a factor of 10",
		Ours: "events to a count, code, each program", Unit: figure.Times, Want: figure.About(10, 10, figure.Times),
		Of: func(m *figure.Measured, extended bool) figure.Tally {
			return eachRun(m, ofCode, "pipeline", columnOf(extended), "1%/combined")
		}, Why: whyBuffer},
	{Key: "4-cycles", Where: "section 3.4", Says: "an event takes 4 cycles on average", Prints: "4 cycles",
		Ours: "cycles of the busy pipeline for a count, splits and merges among them; buffer of 1k, no split denied, code and " +
			"values, eps 1 and 10 %", Unit: cycles, Want: figure.About(4, 4, cycles),
		Of: pipeline("cycles"), Why: whyCycles},
	{Key: "stalls", Where: "section 3.3", Says: "stalls for splits and merges are small and bounded",
		Ours: "the same: stalls in percent of the cycles", Unit: figure.Percent, Want: figure.FewStalls,
		Of: pipeline("stalls"), Why: whyCycles},
	{Key: "seven", Where: "section 4.1", Says: "gcc has seven regions of code with more than 10 %", Prints: "seven",
		Ours: "hot regions of typecheck (gcc), eps 1 %", Unit: rangesOf, Want: figure.About(7, 7, rangesOf),
		Of: gcc(ofCode, eps1, "hot"), Why: func(m *figure.Measured) string {
			return fmt.Sprintf("With an eps of 10 %% there are %s, and %s with merges of leaves alone.",
				gcc(ofCode, eps10, "hot")(m, false).Text(rangesOf), eachOf(m, ofCode, "gcc", "leaf", "hot").Text(rangesOf))
		}},
	{Key: "top-value", Where: "section 4.1", Says: "a single value is 20 to 40 % of all loads", Prints: "20% to 40%",
		Same: true, Ours: "the most frequent value, each program", Unit: figure.Percent,
		Want: figure.About(20, 40, figure.Percent),
		Of:   alike(func(m *figure.Measured) figure.Tally { return eachRun(m, ofValues, "first") }), Why: whyTop},
	{Key: "fifty", Where: "section 6", Says: "the 50 most frequent values might cover 40 %", Prints: "40%", Same: true,
		Ours: "each program", Unit: figure.Percent, Want: figure.About(40, 40, figure.Percent),
		Of: alike(func(m *figure.Measured) figure.Tally { return eachRun(m, ofValues, "fifty") }), Why: whyTop},
	{Key: "gzip", Where: "figure 5", Says: "values of gzip have 7 hot ranges", Prints: "7; 13.6 %, 16.7 %, 30.3 %",
		Ours: "flate (gzip), eps 1 %", Unit: rangesOf, Want: figure.About(7, 7, rangesOf),
		Of: ofProgram("flate", ofValues, eps1, "hot"), Why: func(m *figure.Measured) string {
			return fmt.Sprintf("An inner merge removes a range whose own count is small, and it is hot no more; with merges of "+
				"leaves alone there are %s (eps 10 %%).", m.Of("flate", ofValues, "reading/leaf/hot").Text(rangesOf))
		}},
	{Key: "saw-tooth", Where: "figure 6", Says: "each merge reduces the nodes rapidly",
		Ours: "merges with fewer nodes behind them, code, eps 10 %", Unit: figure.Percent,
		Want: figure.AtLeast(figure.Percent(100)), Of: trees(ofCode, eps10, "drops"), Why: func(m *figure.Measured) string {
			return fmt.Sprintf("With our rules it is %s: the first merge is after 1024 events, and all splits before it had "+
				"its threshold.", trees(ofCode, eps10, "drops")(m, true).Text(figure.Percent))
		}},
	{Key: "far-less", Where: "figure 6", Says: "the number of nodes is far less than at worst",
		Ours: "worst case to the most nodes, code, eps 10 %", Unit: figure.Times,
		Want: figure.AtLeast(figure.Times(figure.FarLessFactor)), Why: whyFarLess,
		Of: func(m *figure.Measured, extended bool) (t figure.Tally) {
			most := trees(ofCode, eps10, "most")(m, extended)
			average := trees(ofCode, eps10, "average")(m, extended)
			for i, x := range trees(ofCode, eps10, "worst-case")(m, extended) {
				t = append(t, x*average[i]/most[i])
			}
			return t
		}},
	{Key: "500", Where: "figure 7", Says: "500 nodes are enough for code with an eps of 10 %", Prints: "500",
		Ours: "most nodes of any program", Unit: nodes, Want: figure.NoMore(500, nodes),
		Of: across(figure.Tally.Most, ofCode, eps10, "most"), Why: whyNodes(ofCode)},
	{Key: "453", Where: "figure 7", Says: "gcc needs at most 453 nodes", Prints: "453",
		Ours: "typecheck (gcc), code, eps 10 %", Unit: nodes, Want: figure.NoMore(453, nodes), Of: gcc(ofCode, eps10, "most"),
		Why: whyNodes(ofCode)},
	{Key: "733", Where: "figure 7", Says: "values need at most 733 nodes", Prints: "733 (parser)",
		Ours: "most nodes of any program, eps 10 %", Unit: nodes, Want: figure.NoMore(733, nodes),
		Of: across(figure.Tally.Most, ofValues, eps10, "most"), Why: whyNodes(ofValues)},
	{Key: "203", Where: "figure 7", Says: "the program with most values has 203 nodes on average", Prints: "203 (parser)",
		Ours: "greatest average of any program, values, eps 10 %", Unit: nodes, Want: figure.NoMore(203, nodes),
		Of: across(figure.Tally.Most, ofValues, eps10, "average"), Why: whyNodes(ofValues)},
	{Key: "300", Where: "section 4.2", Says: "values need 300 nodes on average for 99 %", Prints: "300, 99%",
		Ours: "average of programs, eps 10 %", Unit: nodes, Want: figure.NoMore(300, nodes),
		Of: across(figure.Tally.Mean, ofValues, eps10, "average"), Why: func(m *figure.Measured) string {
			return fmt.Sprintf("The accuracy of these trees is %s.", minus100(across(figure.Tally.Mean, ofValues, eps10,
				"mean-error")(m, false)).Text(figure.Percent))
		}},
	{Key: "450", Where: "section 4.2", Says: "code needs 450 nodes on average", Prints: "450",
		Ours: "average of programs, eps 10 %", Unit: nodes, Want: figure.NoMore(450, nodes),
		Of: across(figure.Tally.Mean, ofCode, eps10, "average")},
	{Key: "values-less", Where: "section 4.2", Says: "values use less memory than code",
		Ours: "average of nodes for values to that for code, eps 10 %, each program", Unit: figure.Times, Want: figure.Better,
		Of: func(m *figure.Measured, extended bool) (t figure.Tally) {
			for _, p := range figure.Programs {
				code := m.Of(p.Name, ofCode, columnOf(extended), eps10, "average")
				for k, x := range m.Of(p.Name, ofValues, columnOf(extended), eps10, "average") {
					t = append(t, x/code[k])
				}
			}
			return t
		}, Why: whyMoreForValues},
	{Key: "13.5", Where: "figure 8", Says: "the greatest error of a region of code is 13.5 %", Prints: "13.5 % (gcc)",
		Ours: "any program, eps 10 %", Unit: figure.Percent, Want: figure.NoMore(13.5, figure.Percent),
		Of: across(figure.Tally.Most, ofCode, eps10, "error"), Why: whyGreatest},
	{Key: "3.1", Where: "figure 8", Says: "the second greatest of gcc is 3.1 %", Prints: "3.1 %",
		Ours: "typecheck (gcc), code, eps 10 %", Unit: figure.Percent, Want: figure.NoMore(3.1, figure.Percent),
		Of: gcc(ofCode, eps10, "second")},
	{Key: "2", Where: "figure 8", Says: "the average error of code is about 2 %", Prints: "about 2 %",
		Ours: "average of programs, eps 10 %", Unit: figure.Percent, Want: figure.NoMore(2, figure.Percent),
		Of: across(figure.Tally.Mean, ofCode, eps10, "mean-error")},
	{Key: "20", Where: "figure 8", Says: "the greatest error of a range of values is around 20 %",
		Prints: "around 20 % (vortex)", Ours: "any program, eps 10 %", Unit: figure.Percent,
		Want: figure.NoMore(20, figure.Percent), Of: across(figure.Tally.Most, ofValues, eps10, "error")},
	{Key: "10-of-stream", Where: "section 4.3", Says: "this is less than 10 % of the stream", Prints: "less than 10 %",
		Ours: "greatest of any program", Unit: figure.Percent, Want: figure.Below(figure.Percent(10)),
		Of: across(figure.Tally.Most, ofValues, eps10, "of-stream")},
	{Key: "3.4", Where: "figure 8", Says: "the average error of values is 3.4 %", Prints: "3.4 %",
		Ours: "average of programs, eps 10 %", Unit: figure.Percent, Want: figure.NoMore(3.4, figure.Percent),
		Of: across(figure.Tally.Mean, ofValues, eps10, "mean-error")},
	{Key: "negligible", Where: "figure 8", Says: "with an eps of 1 % the error of values is negligible",
		Ours: "greatest error of a range, any program", Unit: figure.Percent, Want: figure.NoError,
		Of: across(figure.Tally.Most, ofValues, eps1, "error")},
	{Key: "56", Where: "figure 9", Says: "hot ranges at most 2^16 wide cover 56 % of the DL1 misses", Prints: "about 56 %",
		Ours: "average of programs", Unit: figure.Percent, Want: figure.About(56, 56, figure.Percent),
		Of: pairs(meanOfKnown, "dl1"), Why: whyMisses},
	{Key: "misses-local", Where: "figure 9", Says: "misses have more value locality than all loads",
		Ours: "coverage of DL1 misses by ranges at most 2^16 wide less that of loads, points, average of programs",
		Unit: figure.Percent, Want: figure.Above(figure.Percent(0)), Of: moreThanLoads("dl1"), Why: whyMisses},
	{Key: "flow.c", Where: "section 4.4", Says: "one file of gcc has 38.7 % of the narrow operations",
		Prints: "38.7 % (flow.c)", Same: true, Ours: "hottest file of typecheck (gcc)", Unit: figure.Percent,
		Want: figure.About(38.7, 38.7, figure.Percent),
		Of:   alike(func(m *figure.Measured) figure.Tally { return m.Of("narrow/file") }), Cannot: ofGcc},
	{Key: "propagate", Where: "section 4.4", Says: "one procedure of it has 31 %", Prints: "31 % (propagate_block)",
		Same: true, Ours: "its hottest function", Unit: figure.Percent, Want: figure.About(31, 31, figure.Percent),
		Of: alike(func(m *figure.Measured) figure.Tally { return m.Of("narrow/function") }), Cannot: ofGcc},
	{Key: "block", Where: "section 4.4", Says: "one block of that has 6.4 %", Prints: "6.4 %", Same: true,
		Ours: "its hottest line", Unit: figure.Percent, Want: figure.About(6.4, 6.4, figure.Percent),
		Of: alike(func(m *figure.Measured) figure.Tally { return m.Of("narrow/line") }), Cannot: ofGcc},
	{Key: "zero-nodes", Where: "figure 10", Says: "three hot nodes have the addresses of zero loads",
		Prints: "16.9 %, 54.6 %, 13.7 %", Ours: "hot nodes of typecheck (gcc)", Unit: rangesOf,
		Want: figure.About(3, 3, rangesOf), Of: ofGccPairs("zero-nodes"), Cannot: ofGcc, Why: whyZeros},
	{Key: "68.3", Where: "figure 10", Says: "one range has 68.3 % of all zero loads", Prints: "68.3 %",
		Ours: "hottest range of typecheck (gcc), with those inside", Unit: figure.Percent,
		Want: figure.About(68.3, 68.3, figure.Percent), Of: ofGccPairs("zero-hottest"), Cannot: ofGcc, Why: whyZeros},
	{Key: "38", Where: "section 4.4", Says: "a load there is zero in 38 %", Prints: "about 38 %", Ours: "typecheck (gcc)",
		Unit: figure.Percent, Want: figure.About(38, 38, figure.Percent), Of: ofGccPairs("zero-often"), Cannot: ofGcc,
		Why: whyZeros},
	{Key: "area", Where: "section 3.4", Says: "4096 entries take 24.73 mm²", Prints: "24.73 mm²", Cannot: calibrated},
	{Key: "tcam", Where: "section 3.4", Says: "a lookup in the TCAM takes 7 ns, an access to the counters 1.26 ns",
		Prints: "7 ns, 1.26 ns", Cannot: calibrated},
	{Key: "energy", Where: "section 3.4", Says: "an event takes 1.272 nJ", Prints: "1.272 nJ", Cannot: calibrated},
	{Key: "400", Where: "section 3.4", Says: "400 nodes take more than 10 times less area and power",
		Prints: "a factor of 10",
		Cannot: "in our model area and energy are in proportion to the entries, so it follows from the definition"},
}

func minus100(t figure.Tally) (list figure.Tally) {
	for _, x := range t {
		list = append(list, 100-x)
	}
	return list
}

// eachOf returns a number of other readings of the program in a role.
func eachOf(m *figure.Measured, taps, role, reading, what string) figure.Tally {
	return m.Of(figure.InRole(role).Name, taps, "reading", reading, what)
}

func whyFits(m *figure.Measured) string {
	fit := func(name string) (n int, not []string) {
		for _, p := range figure.Programs {
			if t := m.Of(p.Name, ofCode, name); t.HowMany(math.IsNaN) > 0 {
				not = append(not, p.Name)
			}
		}
		return len(figure.Programs) - len(not), not
	}
	n, not := fit("rules/nodes/500")
	start, _ := fit("ours/fits/500")
	return fmt.Sprintf("With the paper's rules a tree has 500 nodes if it never needs more, so eps is the least of 0.1 to 50 "+
		"%% whose tree "+
		"fits; with ours eps is 10 %%, and further splits are denied. An eps fits in %d of %d programs, not in %s; with "+
		"thresholds "+
		"that are never below that of 1024 events, and no split denied, in %d.", n, len(figure.Programs), strings.Join(not,
		", "), start)
}

// byProgram lists a text for each program.
func byProgram(text func(p figure.Program) string) string {
	var list []string
	for _, p := range figure.Programs {
		list = append(list, p.Name+" "+text(p))
	}
	return strings.Join(list, ", ")
}

func whyThousand(m *figure.Measured) string {
	return "Factors for code and for values: " + byProgram(func(p figure.Program) string {
		return fmt.Sprintf("%.0f and %.0f", m.Of(p.Name, ofCode, "rules", eps1, "worst-case").Median(), m.Of(p.Name, ofValues,
			"rules", eps1, "worst-case").Median())
	}) + fmt.Sprintf(". The paper's worst case of 384k would make them %.0f times as large.",
		384_000/m.First("theory/before-merge"))
}

func whyFarLess(m *figure.Measured) string {
	return "Most nodes, and the most after 2^20 events: " + byProgram(func(p figure.Program) string {
		at := func(what string) string { return nodes(m.Of(p.Name, ofCode, "rules", eps10, what).Median()).Text }
		return at("most") + " and " + at("later")
	}) + fmt.Sprintf("; at worst %.0f. If thresholds start where they are after 2^20 events, the most nodes are %s.",
		m.First("theory/before-merge-10"), eachRun(m, ofCode, "reading/start-2^20/most").Text(nodes))
}

func whyGreatest(m *figure.Measured) string {
	return "The greatest of each program, in all runs: " + byProgram(func(p figure.Program) string {
		return figure.Percent(m.Of(p.Name, ofCode, "rules", eps10, "error").Most()).Text
	}) + "."
}

func whyHot(m *figure.Measured) string {
	return fmt.Sprintf("Merges of inner ranges remove a range whose own count is small, although those inside are heavy. "+
		"With merges of leaves alone %s are found (code) and %s (values).",
		eachRun(m, ofCode, "exact/leaf").Text(figure.Percent), eachRun(m, ofValues, "exact/leaf").Text(figure.Percent))
}

func whyBranching(m *figure.Measured) string {
	return fmt.Sprintf("At worst it is so by the formulas: %.0f, %.0f, %.0f and %.0f nodes with 2, 4, 8 and 16 children. In "+
		"programs 2 children need %s of the nodes of 4 (code) and %s (values), for twice the depth.",
		m.First("theory/b/2"), m.First("theory/b/4"), m.First("theory/b/8"), m.First("theory/b/16"), quotient(ofCode,
			"b/2", "b/4")(m).Text(figure.Times), quotient(ofValues, "b/2", "b/4")(m).Text(figure.Times))
}

func whyCycles(m *figure.Measured) string {
	say := func(kind string) string {
		var t figure.Tally
		for _, taps := range []string{ofCode, ofValues} {
			for _, eps := range []string{"1%", "10%"} {
				t = append(t, eachRun(m, taps, "pipeline", kind, eps, "cycles")...)
			}
		}
		return t.Text(cycles)
	}
	events := figure.Tally{}
	for _, taps := range []string{ofCode, ofValues} {
		events = append(events, eachRun(m, taps, "pipeline/rules/1%/cycles-event")...)
	}
	return fmt.Sprintf("The 4 cycles without splits and merges are a parameter. The buffer combines events and leaves few "+
		"counts to share the cost of splits: without it a count takes %s. If entries move to stay in order, as with our rules, "+
		"it takes %s; with 4096 entries, where splits are denied, %s. For an event that enters the buffer there are %s (eps 1 "+
		"%%).",
		say("no-buffer"), say("ours"), say("4096"), events.Text(cycles))
}

// whyNodes says how many nodes trees need in what the paper leaves open.
func whyNodes(taps string) func(m *figure.Measured) string {
	return func(m *figure.Measured) string {
		var list []string
		for _, x := range otherReadings {
			if taps == ofValues && strings.HasPrefix(x.name, "32bits") {
				continue
			}
			most := func(what string) float64 {
				return acrossPrograms(m, figure.Tally.Most, taps, "reading", x.name, what).Median()
			}
			list = append(list, fmt.Sprintf("%s %.0f and %.0f", x.name, most("most"), most("later")))
		}
		return fmt.Sprintf("After 2^20 events the most nodes of any program are %s. The paper leaves open the base of the "+
			"logarithm and the number of points; the most nodes, and those after 2^20 events, are then: %s. (log4: thresholds by "+
			"the height "+
			"of the tree; 32bits: 2^32 points; start: thresholds never below those after 2^20 events.)",
			acrossPrograms(m, figure.Tally.Most, taps, "rules", eps10, "later").Text(nodes), strings.Join(list, ", "))
	}
}

func whyZeros(m *figure.Measured) string {
	var list []string
	for _, p := range figure.Programs {
		at := func(what string) string { return figure.Percent(m.Of(p.Name, "pairs/rules", what).Median()).Text }
		list = append(list, fmt.Sprintf("%s %.1f, %s and %s", p.Name, m.Of(p.Name, "pairs/rules/zero-nodes").Median(),
			at("zero-hottest"), at("zero-often")))
	}
	return "Hot nodes, share of the hottest, and zeros among the loads there: " + strings.Join(list, ", ") + "."
}

func tables(m *figure.Measured) []figure.Table {
	var list []figure.Table
	for _, taps := range []string{ofCode, ofValues} {
		t := figure.Table{Title: "Nodes and errors of each program: " + what(taps),
			Columns: []string{"program", "rules", "eps", "most nodes", "after 2^20 events", "average", "hot ranges",
				"greatest error", "average error"}}
		for _, p := range figure.Programs {
			for _, c := range columns {
				for _, eps := range []string{eps10, eps1} {
					of := func(what string, u figure.Unit) figure.Value {
						return figure.Text(m.Of(p.Name, taps, c.name, eps, what).Text(u))
					}
					name := map[string]string{"rules": "paper", "ours": "ours"}[c.name]
					t.Rows = append(t.Rows, []figure.Value{figure.Text(p.String()), figure.Text(name), figure.Text(eps + " %"),
						of("most", nodes), of("later", nodes), of("average", nodes),
						of("hot", rangesOf), of("error", figure.Percent), of("mean-error", figure.Percent)})
				}
			}
		}
		list = append(list, t)
	}
	t := figure.Table{Title: "Accuracy by the number of nodes, average of programs",
		Columns: []string{"nodes", "bytes of 16 a node", "code, paper's rules", "code, ours", "values, paper's rules",
			"values, ours"}}
	for _, n := range nodeCaps {
		row := []figure.Value{figure.Count(n, "nodes"), memoryOf(n, paperNode)}
		for _, taps := range []string{ofCode, ofValues} {
			for _, extended := range []bool{false, true} {
				row = append(row, figure.Text(accuracyOf(taps, n)(m, extended).Text(figure.Percent)))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return append(list, t)
}
