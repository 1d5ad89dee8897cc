// Package pepfigures puts what pepbench has measured beside the claims of Bond and McKinley, "Continuous Path and Edge
// Profiling", MICRO 2005.
package pepfigures

// This file has the claims of the paper, and what ours is beside each.

import "github.com/pepgo/pep/lab/figure"

// Beside is the page of the paper.
var Beside = figure.Beside{
	Name:    "pep",
	Title:   "Path profiling beside its paper",
	Columns: [2]string{"registers and polls", "windows"},
	Extended: "Registers and polls are the paper's way: PEP(64,17) in runs of two seconds with ticks of 10 ms. " +
		"Windows are ours, and have no number where a claim is about registers or their samples",
	Runs: "layouts of the executables in each session of measurements, whose numbers are over all programs; " +
		"sampled runs of " +
		"all programs; or programs, as the column \"ours is\" says",
	Measure:   measure,
	Claims:    claims,
	Surprises: surprises,
	Tables:    tables,
}

var (
	mean     = figure.Tally.Mean
	most     = figure.Tally.Most
	programs = figure.NumberOf("programs")
)

// faster is the number of programs that take less time than another variant.
func faster(t figure.Tally) float64 { return t.HowMany(func(x float64) bool { return x < 0 }) }

// alone makes the numbers of a claim that has one column.
func alone(of func(m *figure.Measured) figure.Tally) func(*figure.Measured, bool) figure.Tally {
	return func(m *figure.Measured, _ bool) figure.Tally { return of(m) }
}

// both joins the numbers of two variants.
func both(a, b func(*figure.Measured, bool) figure.Tally) func(*figure.Measured, bool) figure.Tally {
	return func(m *figure.Measured, extended bool) figure.Tally { return append(a(m, extended), b(m, extended)...) }
}

// ofOthers is why numbers of other profilers cannot be judged.
const ofOthers = "these are numbers of other profilers in other systems, which are not here"

var claims = []figure.Claim{
	{Key: "1.2", Where: "abstract, section 6.1, figure 6", Says: "PEP(64,17) costs 1.2 % on average", Prints: "1.2%",
		Ours: "CPU time beyond that of the plain program, mean of programs; each session and layout", Unit: figure.Percent,
		Want: figure.NoMore(1.2, figure.Percent), Of: overhead(mean), Why: whyCost},
	{Key: "4.3", Where: "abstract, section 6.1, figure 6", Says: "PEP(64,17) costs at most 4.3 %", Prints: "4.3%",
		Ours: "the same, the worst program", Unit: figure.Percent, Want: figure.NoMore(4.3, figure.Percent),
		Of:  overhead(most),
		Why: whyCost},
	{Key: "1.1", Where: "section 6.1, figure 6", Says: "instrumentation alone costs 1.1 % on average", Prints: "1.1%",
		Only: true,
		Ours: "registers and polls without ticks, mean of programs", Unit: figure.Percent,
		Want: figure.NoMore(1.1, figure.Percent), Of: cost(mean, noTicks, plain), Why: whyCost},
	{Key: "5.4", Where: "section 6.1, figure 6", Says: "instrumentation alone costs at most 5.4 %", Prints: "5.4%",
		Only: true,
		Ours: "the same, the worst program", Unit: figure.Percent, Want: figure.NoMore(5.4, figure.Percent),
		Of: cost(most, noTicks, plain), Why: whyCost},
	{Key: "timer", Where: "section 6.1, figure 6", Says: "one sample at a tick adds no overhead that can be detected",
		Only: true,
		Ours: "PEP(1,1) beyond no ticks, mean of programs", Unit: figure.Percent, Want: figure.Small,
		Of: cost(mean, one, noTicks), Why: whySamples},
	{Key: "0.1", Where: "section 6.1, figure 6", Says: "PEP(64,17) adds 0.1 %", Prints: "0.1%", Only: true,
		Ours: "PEP(64,17) beyond no ticks, mean of programs", Unit: figure.Percent, Want: figure.NoMore(0.1, figure.Percent),
		Of: cost(mean, pep, noTicks), Why: whySamples},
	{Key: "others-add", Where: "section 6.1, figure 6", Says: "other sampling configurations add 0.8 to 2.3 % on average",
		Prints: "0.8-2.3%", Only: true, Ours: "PEP(256,17) and PEP(1024,17) beyond no ticks, mean of programs",
		Unit: figure.Percent, Want: figure.About(0.8, 2.3, figure.Percent),
		Of: both(cost(mean, medium, noTicks), cost(mean, large, noTicks)), Why: whySamples},
	{Key: "faster", Where: "section 6.1, figure 6", Says: "some programs take less time with instrumentation", Only: true,
		Ours: "registers and polls without ticks, programs below the plain time", Unit: programs,
		Want: figure.AtLeast(programs(1)), Of: cost(faster, noTicks, plain), Why: whyFaster},
	{Key: "bulk", Where: "section 3.2",
		Says: "counting is the bulk of the cost of exact paths, and the registers are not", Only: true,
		Ours: "share of counting in that cost, each program", Unit: figure.Percent, Want: figure.Most, Of: bulk},
	{Key: "92", Where: "section 5.1", Says: "exact paths cost 92 % on average", Prints: "92%", Only: true,
		Ours: "exact paths, mean of programs", Unit: figure.Percent, Want: figure.NoMore(92, figure.Percent),
		Of: cost(mean, exact, plain), Why: whyExact},
	{Key: "407", Where: "section 5.1", Says: "exact paths cost at most 407 %", Prints: "8 to 407%", Only: true,
		Ours: "the same, the worst program", Unit: figure.Percent, Want: figure.NoMore(407, figure.Percent),
		Of: cost(most, exact, plain), Why: whyExact},
	{Key: "10", Where: "section 5.1", Says: "exact edges cost 10 % on average", Prints: "10%", Only: true,
		Ours: "counters of edges, plain additions, mean of programs", Unit: figure.Percent,
		Want: figure.NoMore(10, figure.Percent), Of: cost(mean, edges+added, plain), Why: whyEdges},
	{Key: "34", Where: "section 5.1", Says: "exact edges cost at most 34 %", Prints: "0 to 34%", Only: true,
		Ours: "the same, the worst program", Unit: figure.Percent, Want: figure.NoMore(34, figure.Percent),
		Of: cost(most, edges+added, plain), Why: whyEdges},
	{Key: "1.6", Where: "section 6.2, figure 7", Says: "compiling and running cost 1.6 % on average", Prints: "1.6%",
		Ours: "CPU time of a build with an empty cache and one run, mean of programs", Unit: figure.Percent,
		Want: figure.NoMore(1.6, figure.Percent), Of: func(m *figure.Measured, extended bool) figure.Tally {
			return meanOf(builds(m, extended, true))
		}, Why: whyBuilds},
	{Key: "4.6", Where: "section 6.2, figure 7", Says: "compiling and running cost at most 4.6 %", Prints: "4.6%",
		Ours: "the same, each program", Unit: figure.Percent, Want: figure.NoMore(4.6, figure.Percent),
		Of: func(m *figure.Measured, extended bool) figure.Tally { return builds(m, extended, true) }, Why: whyBuilds},
	{Key: "compiling", Where: "section 6.2", Says: "as a percentage, more is added to compiling than to running",
		Ours: "that of the build less that of the run, points, each program", Unit: figure.Points,
		Want: figure.Above(figure.Points(0)), Of: func(m *figure.Measured, extended bool) (t figure.Tally) {
			built := builds(m, extended, false)
			for i, p := range m.Below("build") {
				run := m.First("seconds", ofBuilds, p, columnOf(extended)) / m.First("seconds", ofBuilds, p, plain)
				t = append(t, built[i]-100*(run-1))
			}
			return t
		}, Why: whyBuilds},
	{Key: "94", Where: "abstract, section 6.3, figure 8", Says: "PEP(64,17) has 94 % path profile accuracy", Prints: "94%",
		Ours: "Wall weight matching, mean of programs, each run", Unit: figure.Percent,
		Want: figure.AtLeast(figure.Percent(94)),
		Of:   accuracy("wall"), Why: whyAccuracy("wall")},
	{Key: "53", Where: "section 6.3, figure 8", Says: "timer-based sampling has 53 %", Prints: "53%", Only: true,
		Ours: "PEP(1,1), likewise", Unit: figure.Percent, Want: figure.About(53, 53, figure.Percent),
		Of: setting(one, "wall"), Why: whyTimer},
	{Key: "not-sufficient", Where: "section 6.3, figure 8", Says: "timer-based sampling is not sufficient for hot paths",
		Only: true,
		Ours: "PEP(64,17) above PEP(1,1), each program", Unit: figure.Points, Want: figure.NotEnough,
		Of: alone(func(m *figure.Measured) figure.Tally {
			return ofPrograms(m, "wall", []string{pep, one}, func(x []float64) float64 { return x[0] - x[1] })
		}), Why: whyTimer},
	{Key: "higher-rates", Where: "section 6.3, figure 8", Says: "higher sampling rates improve paths a little", Only: true,
		Ours: "what PEP(256,17) and PEP(1024,17) bring of what PEP(64,17) lacks to 100 %, means of programs",
		Unit: figure.Percent,
		Want: figure.SmallGain, Of: gains("wall", medium, large), Why: whySettings},
	{Key: "96", Where: "abstract, section 6.4, figure 9", Says: "PEP(64,17) has 96 % edge profile accuracy", Prints: "96%",
		Ours: "relative overlap, mean of programs, each run", Unit: figure.Percent, Want: figure.AtLeast(figure.Percent(96)),
		Of: accuracy("relative"), Why: whyAccuracy("relative")},
	{Key: "higher-edges", Where: "section 6.4, figure 9", Says: "more samples show edges slightly more accurately",
		Only: true,
		Ours: "as for paths", Unit: figure.Percent, Want: figure.SmallGain, Of: gains("relative", medium, large),
		Why: whySettings},
	{Key: "two-points", Where: "section 6.4", Says: "beside counters of edges, accuracy falls by only 2 %",
		Prints: "2%; 96% to 94%",
		Cannot: "what differs in the paper are loop headers without a yieldpoint, and all headers here have a poll, so " +
			"that counters of edges say what exact paths say"},
	{Key: "83", Where: "section 6.4", Says: "PEP(64,17) has 83 % absolute overlap", Prints: "83%",
		Ours: "mean of programs, each run", Unit: figure.Percent, Want: figure.AtLeast(figure.Percent(83)),
		Of: accuracy("absolute"), Why: whyAccuracy("absolute")},
	{Key: "87", Where: "section 6.4", Says: "PEP(256,17) has 87 % absolute overlap", Prints: "87%", Only: true,
		Ours: "likewise", Unit: figure.Percent, Want: figure.AtLeast(figure.Percent(87)), Of: setting(medium, "absolute"),
		Why: whySettings},
	{Key: "88", Where: "section 6.4", Says: "PEP(1024,17) has 88 % absolute overlap", Prints: "88%", Only: true,
		Ours: "likewise", Unit: figure.Percent, Want: figure.AtLeast(figure.Percent(88)), Of: setting(large, "absolute"),
		Why: whySettings},
	{Key: "steps", Where: "section 6.4", Says: "absolute overlap grows from 64 to 256 to 1024 samples",
		Prints: "83%, 87%, 88%",
		Only:   true, Ours: "the lesser of the two steps, means of programs", Unit: figure.Points,
		Want: figure.Above(figure.Points(0)), Of: steps, Why: whySettings},
	{Key: "lower", Where: "section 6.4", Says: "absolute overlap is lower than relative overlap", Prints: "83%, 96%",
		Ours: "relative less absolute, mean of programs, each run", Unit: figure.Points, Want: figure.Above(figure.Points(0)),
		Of: func(m *figure.Measured, extended bool) (t figure.Tally) {
			absolute := accuracy("absolute")(m, extended)
			for i, x := range accuracy("relative")(m, extended) {
				t = append(t, x-absolute[i])
			}
			return t
		}},
	{Key: "headers", Where: "section 3.2",
		Says: "that paths end at headers and not at back edges makes a minor difference", Same: true,
		Ours: "ends of paths with headers to those with back edges, each program", Unit: figure.Times, Want: figure.Little,
		Of: alone(func(m *figure.Measured) (t figure.Tally) {
			for _, p := range m.Below("exact") {
				if back := m.Of("exact", p, "backedge", "ends"); back != nil {
					t = append(t, m.First("exact", p, "header", "ends")/back[0])
				}
			}
			return t
		}), Why: whyHeaders},
	{Key: "hot-edges", Where: "section 3.4", Says: "overhead increases if additions are on hot edges", Only: true,
		Ours: "instructions with additions on hot edges less those with additions on cold ones, points of the plain " +
			"program's, " +
			"each program whose instructions do not vary; both know an exact profile", Unit: figure.Points,
		Want: figure.Above(figure.Points(0)),
		Of:   alone(ordered), Why: whyOrder},
	{Key: "1.4", Where: "section 3.4", Says: "that is only 1.4 %", Prints: "1.4%, 1.1% to 2.5%", Only: true,
		Ours: "the same, mean of programs", Unit: figure.Points, Want: figure.NoMore(1.4, figure.Points),
		Of: alone(func(m *figure.Measured) figure.Tally { return meanOf(ordered(m)) }), Why: whyOrder},
	{Key: "97", Where: "section 6.5", Says: "one-time edge profiles have 97 % on average", Prints: "97%", Same: true,
		Ours: "relative overlap with the whole run, mean of programs", Unit: figure.Percent,
		Want: figure.AtLeast(figure.Percent(97)), Of: alone(func(m *figure.Measured) figure.Tally {
			return meanOf(oneTime(m, "one-time"))
		}), Why: whyOneTime},
	{Key: "86", Where: "section 6.5", Says: "one-time edge profiles have 86 % at worst", Prints: "86%", Same: true,
		Ours: "the same, the worst program", Unit: figure.Percent, Want: figure.AtLeast(figure.Percent(86)),
		Of: alone(func(m *figure.Measured) figure.Tally {
			if t := oneTime(m, "one-time"); t != nil {
				return figure.Tally{t.Least()}
			}
			return nil
		}), Why: whyOneTime},
	{Key: "0.9", Where: "section 6.5, figure 10",
		Says:   "programs that a continuous profile optimises are 0.9 % faster than with a one-time profile",
		Prints: "0.9%", Only: true,
		Ours: "time with the one-time profile beyond that with the continuous one, pepbuild build -pepopt, mean of programs",
		Unit: figure.Percent, Want: figure.About(0.9, 0.9, figure.Percent), Of: cost(mean, "one-time", "continuous"),
		Why: whyDriven},
	{Key: "flipped", Where: "section 6.5, figure 10", Says: "flipped profiles make programs significantly slower",
		Only: true,
		Ours: "time with the flipped profile beyond that with the continuous one, pepbuild build -pepopt, mean of programs",
		Unit: figure.Percent, Want: figure.Above(figure.Percent(0)), Of: cost(mean, "flipped", "continuous"), Why: whyDriven},
	{Key: "1.3", Where: "section 6.5, figure 11", Says: "profiling and optimising by it cost 1.3 % on average",
		Prints: "1.3%", Only: true,
		Ours: "a profiled run and one of the program that its branches optimise, beyond two plain runs, mean of programs",
		Unit: figure.Percent, Want: figure.NoMore(1.3, figure.Percent), Of: adaptive(mean), Why: whyAdaptive},
	{Key: "3.2", Where: "section 6.5, figure 11", Says: "profiling and optimising by it cost at most 3.2 %",
		Prints: "3.2%", Only: true,
		Ours: "the same, the worst program", Unit: figure.Percent, Want: figure.NoMore(3.2, figure.Percent),
		Of: adaptive(most), Why: whyAdaptive},
	{Key: "outweigh", Where: "section 6.5", Says: "the costs outweigh the benefit", Only: true,
		Ours: "the same, mean of programs", Unit: figure.Percent, Want: figure.Above(figure.Percent(0)), Of: adaptive(mean),
		Why: whyAdaptive},
	{Key: "phased", Where: "section 6.5", Says: "programs with phased behaviour may benefit more from continuous profiles",
		Ours: "relative overlap of " + phased + ", whose behaviour changes halfway, above that of its one-time " +
			"profile, each run",
		Unit: figure.Points, Want: figure.Benefit, Of: func(m *figure.Measured, extended bool) (t figure.Tally) {
			for _, x := range m.Of("accuracy", workload, phased, columnOf(extended), unitOf("relative", extended)) {
				t = append(t, x-m.First("one-time", phased, "one-time"))
			}
			return t
		}, Why: whyPhased},
	{Key: "striding", Where: "section 4.4",
		Says: "striding between samples costs more than to stride before the first alone",
		Only: true, Ours: "regular PEP(64,17) beyond PEP(64,17), mean of programs", Unit: figure.Percent,
		Want: figure.Above(figure.Percent(0)), Of: cost(mean, regular, pep), Why: whyStriding},
	{Key: "striding-gain", Where: "section 4.4", Says: "striding between samples brings little accuracy", Only: true,
		Ours: "what it brings of what PEP(64,17) lacks to 100 % Wall weight matching, means of programs",
		Unit: figure.Percent,
		Want: figure.AtMost(figure.Percent(figure.GainShare)), Of: gains("wall", regular), Why: whyStriding},
	{Key: "ppp", Where: "section 2.2", Says: "PEP costs less than practical path profiling, with about the same accuracy",
		Prints: "1.2% vs. 5%, 94% vs. 95%", Cannot: ofOthers},
	{Key: "ball-larus", Where: "sections 2.2, 3.1", Says: "Ball and Larus's paths and edges cost 31 and 16 % on average",
		Prints: "31%, 16%; perl 73%, gcc 97%", Cannot: ofOthers},
	{Key: "sampled", Where: "section 2.3", Says: "sampled profilers cost 1 to 4.9 %",
		Prints: "DCPI 1-3%, Arnold-Ryder 4.9%, 1.4%", Cannot: ofOthers},
	{Key: "hardware", Where: "section 2.4", Says: "profilers in hardware cost 0.4 to 4.6 %, and have 88 and 90 %",
		Prints: "0.4-4.6%; 0.5%, above 90%; 1%, 88%", Cannot: ofOthers},
}
