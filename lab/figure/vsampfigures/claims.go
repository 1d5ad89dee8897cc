// Package vsampfigures has the claims of Burrows et al., "Efficient and Flexible Value Sampling", ASPLOS 2000, and what
// our sampler is beside them. Package sampling measures that, but for hotlists, which see recorded loads.
package vsampfigures

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/sampling"
)

// Beside is the page of the paper.
var Beside = figure.Beside{
	Name:    "vsamp",
	Title:   "Value sampling beside its paper",
	Columns: figure.Rules,
	Extended: "Our rules have 997 interrupts a second, the default of peptrace values, in place of one each 62,000 " +
		"instructions of a processor with 500 MHz, a random skip of up to 63 instructions, and no values that " +
		"are junk by their bounds (decision 23); latencies are those of windows (decision 39)",
	Runs:      "programs, each by the least of its rounds, or what the column \"ours is\" says",
	Loads:     8_000_000,
	Measure:   measure,
	Claims:    claims,
	Surprises: surprises,
	Tables:    tables,
}

// in is the name of a setting with the paper's rules, or with those of users.
func in(key string, extended bool) string {
	if extended {
		return "ours-" + key
	}
	return key
}

// interrupts returns which part of the time of programs is spent in interrupts. A program in which no instruction was
// interpreted has no number, but with interrupts alone.
func interrupts(key string) func(m *figure.Measured, extended bool) figure.Tally {
	return func(m *figure.Measured, extended bool) figure.Tally {
		t := slices.Clone(m.Of("cost", in(key, extended), "interrupts"))
		for i, n := range m.Of("cost", in(key, extended), "steps") {
			if n == 0 && key != "alone" {
				t[i] = math.NaN()
			}
		}
		return t
	}
}

// toOther divides the time in interrupts with one setting by that with another one, of each program.
func toOther(a, b string) func(m *figure.Measured, extended bool) figure.Tally {
	return func(m *figure.Measured, extended bool) (t figure.Tally) {
		y := interrupts(b)(m, extended)
		for i, x := range interrupts(a)(m, extended) {
			t = append(t, x/y[i])
		}
		return t
	}
}

// The settings of Table 2b by the length of runs, at every 2nd interrupt; and those of Table 2c by how many interrupts
// there are to a run of twice as many instructions.
var (
	byLength = map[int]string{4: "values", 8: "length-8", 16: "length-16", 32: "length-32"}
	byEvery  = []string{"values", "every-4", "every-8", "every-16", "every-32"}
	lengths  = []int{4, 8, 16, 32}
	gaps     = []int{4, 8, 16, 32, 64} // lengths at each interrupt, of which gaps are measured
)

// slopes returns by how many points an instruction more slows each program down.
func slopes(m *figure.Measured) (t figure.Tally) {
	var x []float64
	for _, n := range lengths {
		x = append(x, float64(n))
	}
	for i := range m.Of("cost/values/interrupts") {
		var y []float64
		for _, n := range lengths {
			y = append(y, m.Of("cost", byLength[n], "interrupts")[i])
		}
		slope, _ := sampling.Fit(x, y)
		t = append(t, slope)
	}
	return t
}

// gapLine returns how much longer an instruction makes an interrupt, in ns, and which part of the variance that
// explains.
func gapLine(m *figure.Measured) (slope, r2 float64) {
	var x, y []float64
	for _, n := range gaps {
		x, y = append(x, float64(n)), append(y, m.Of("taken", fmt.Sprintf("length-%d", n), "gap").Median())
	}
	return sampling.Fit(x, y)
}

// means returns the mean over programs of each setting of Table 2c to that of the first.
func means(m *figure.Measured) (t figure.Tally) {
	for _, key := range byEvery[1:] {
		if x := m.Of("cost", key, "interrupts"); x != nil {
			t = append(t, x.Mean()/m.Of("cost", byEvery[0], "interrupts").Mean())
		}
	}
	return t
}

func onlyRules(of func(m *figure.Measured) figure.Tally) func(*figure.Measured, bool) figure.Tally {
	return func(m *figure.Measured, _ bool) figure.Tally { return of(m) }
}

// slowdown is a claim about a row of Table 2a.
func slowdown(key, says, prints, setting string, most float64, why func(m *figure.Measured) string) figure.Claim {
	return figure.Claim{Key: key, Where: "table 2a", Says: says, Prints: prints, Ours: "part of the time in interrupts",
		Unit: figure.Percent,
		Want: figure.NoMore(most, figure.Percent), Of: interrupts(setting), Why: why}
}

// rank is where the finder has an invariant, one that it does not have is behind all.
func rank(m *figure.Measured, program string) figure.Tally {
	t := m.Of("hidden", program, "rank")
	if t != nil && t[0] == 0 {
		return figure.Tally{1000}
	}
	return t
}

const noLoads = "our interpreter in the kernel executes no load of the program"

const ofTheirs = "it is a number of other programs, and of another processor"

var ranks = figure.NumberOf("ranks")

var claims = []figure.Claim{
	{Key: "ten", Where: "abstract", Says: "value profiling slows programs down by approximately 10 %",
		Prints: "approximately 10%",
		Ours:   "part of the time in interrupts, with values", Unit: figure.Percent, Want: figure.NoMore(10, figure.Percent),
		Of: interrupts("values"), Why: whySlow},
	slowdown("3.9", "interrupts without values slow programs down by 3.9 %", "3.9", "alone", 3.9, whySlow),
	slowdown("10.7", "values slow programs down by 10.7 %", "10.7", "values", 10.7, whySlow),
	slowdown("12.2", "values by call site slow programs down by 12.2 %", "12.2", "values-callsites", 12.2, whySlow),
	slowdown("5.9", "vreplay slows programs down by 5.9 %", "5.9", "vreplay", 5.9, whyVreplay),
	slowdown("6.8", "vreplay by call site slows programs down by 6.8 %", "6.8", "vreplay-callsites", 6.8, whyVreplay),
	{Key: "context", Where: "section 3.4", Says: "call sites of values impose a small extra cost",
		Ours: "time in interrupts with call sites to that without", Unit: figure.Times, Want: figure.Little,
		Of: toOther("values-callsites", "values")},
	{Key: "vreplay", Where: "section 3.4", Says: "vreplay costs less than values", Ours: "time in interrupts",
		Unit: figure.Times,
		Want: figure.Better, Of: toOther("vreplay", "values"), Why: whyVreplay},
	{Key: "1", Where: "table 2b", Says: "an instruction more slows programs down by approximately 1 %", Prints: "1%",
		Same: true,
		Ours: "points of the time in interrupts, lengths 4 to 32", Unit: points, Want: figure.NoMore(1, points),
		Of:  onlyRules(slopes),
		Why: whySlope},
	{Key: "linear", Where: "table 2b", Says: "the cost increases with the length at a constant rate", Same: true,
		Ours: "R² of the time that an interrupt takes, lengths 4 to 64", Unit: part,
		Want: figure.AtLeast(part(figure.LineShare)),
		Of: onlyRules(func(m *figure.Measured) figure.Tally {
			if m.Of("taken/length-64/gap") == nil {
				return nil
			}
			_, r2 := gapLine(m)
			return figure.Tally{r2}
		}), Why: whySlope},
	{Key: "same", Where: "table 2c", Says: "the cost is roughly the same if longer runs are as much rarer", Same: true,
		Ours: "time in interrupts to that with length 4 at every 2nd, means of programs", Unit: figure.Times,
		Want: figure.Little,
		Of:   onlyRules(means)},
	{Key: "declines", Where: "table 2c", Says: "the cost declines slightly if runs are longer and rarer", Same: true,
		Ours: "length 64 at every 32nd interrupt to length 4 at every 2nd, each program", Unit: figure.Times,
		Want: figure.Better,
		Of:   onlyRules(func(m *figure.Measured) figure.Tally { return toOther("every-32", "values")(m, false) }),
		Why:  whyDeclines},
	{Key: "bias", Where: "figure 1, section 5", Says: "loads of one block have significantly different numbers of samples",
		Prints: "23278, 14559", Ours: "samples of one load of a loop to those of another one", Unit: figure.Times,
		Want: figure.MuchMore,
		Of: func(m *figure.Measured, extended bool) figure.Tally {
			if extended {
				return m.Of("bias/63")
			}
			return m.Of("bias/0")
		}, Why: whyBias},
	{Key: "unbiased", Where: "section 5", Says: "a random number of instructions before values are sampled could " +
		"eliminate this", Same: true,
		Ours: "the same, with a random skip of up to 15, 63 and 255", Unit: figure.Times, Want: figure.Little, Why: whyBias,
		Of: onlyRules(func(m *figure.Measured) (t figure.Tally) {
			for _, k := range m.Below("bias") {
				if k != "0" {
					t = append(t, m.Of("bias", k)...)
				}
			}
			return t
		})},
	{Key: "finds", Where: "section 3.1", Says: "it is straightforward to find what can be specialised", Same: true,
		Ours: "rank of the invariant that a program hides, each of three programs", Unit: ranks,
		Want: figure.AtMost(ranks(3)),
		Of: onlyRules(func(m *figure.Measured) (t figure.Tally) {
			for _, p := range m.Below("hidden") {
				t = append(t, rank(m, p)...)
			}
			return t
		})},
	{Key: "20", Where: "section 3.1", Says: "specialisation makes povray 20 % faster, and gzip 2 %", Prints: "20%, 2%",
		Same: true,
		Ours: "CPU time as it is to that specialised, three programs", Unit: figure.Times, Cannot: ofTheirs,
		Of: onlyRules(func(m *figure.Measured) (t figure.Tally) {
			for _, p := range m.Below("hidden") {
				t = append(t, m.Of("hidden", p, "gain")...)
			}
			return t
		})},
	{Key: "88", Where: "table 1", Says: "88 % of the blocks of the first cache never miss, and 3 % nearly always",
		Prints: "88%, 3%",
		Cannot: "it takes counters of misses, or a clock that is finer than a miss", Why: whyEvicted},
	{Key: "latency", Where: "section 3.3, figure 1", Says: "latencies of loads are measured, and show which of two " +
		"loads misses",
		Prints: "94.26% D, 84.91% M",
		Ours: "loads from the nearest cache of the one that hits, and from memory of the one that misses: the lesser part, " +
			"each run",
		Unit: figure.Percent, Want: figure.Most, Of: inBins(2), CannotRules: noLoads, Why: whyLatency},
	{Key: "bins", Where: "section 3.3", Says: "bins of latencies are parts of the memory, with thresholds that programs determine",
		Ours: "loads of each of three footprints that are in its bin: the least part, each run",
		Unit: figure.Percent, Want: figure.Most, Of: inBins(3), CannotRules: noLoads, Why: whyLatency},
	{Key: "hotlists", Where: "section 2.2", Same: true,
		Says: "hotlists need less memory than Calder's table for results as good: for the values of as many loads",
		Ours: "entries to those of tables with 4 to 64, each of 10 programs", Unit: figure.Times, Want: figure.Better,
		Of: onlyRules(func(m *figure.Measured) figure.Tally { return memory(covered)(m, false) }), Why: whyHotlists},
	{Key: "hotlists-shares", Where: "section 2.2",
		Says: "hotlists need less memory than Calder's table for results as good: for a share as exact",
		Ours: "the same, by the error of the share of the most frequent value", Unit: figure.Times, Want: figure.Better,
		Of: memory(off), Why: whyHotlists},
	{Key: "bounce", Where: "section 2.1.1", Says: "a second interrupt after an issue block captures values, too",
		Cannot: "it takes a counter that one family of processors has"},
}

func points(x float64) figure.Value {
	return figure.Value{Text: fmt.Sprintf("%.3f points", x), Number: x, Unit: "percent"}
}

func part(x float64) figure.Value {
	return figure.Value{Text: strconv.FormatFloat(x, 'f', 3, 64), Number: x, Unit: "ratio"}
}

func whySlow(m *figure.Measured) string {
	at := func(key, what string) float64 { return m.Of("taken", key, what).Median() }
	share := func(key string) float64 { return at(key, "hz") * at(key, "gap") / 1e7 }
	own := func(key string) float64 { return at(key, "hz") * at(key, "kernel") / 1e7 }
	return fmt.Sprintf("An interrupt that does nothing but count takes a program %.0f ns here, and our program in the "+
		"kernel %.0f ns of these. At the paper's rate the interrupts alone are %.2f %% of the time of a program that reads "+
		"the clock, and with values %.2f %%, of which our program takes %.2f %%; at 997 a second %.2f %% and %.2f %%, of "+
		"which it takes %.2f %%.", at("alone", "gap"),
		at("alone", "kernel"),
		share("alone"), share("values"), own("values"), share("ours-alone"), share("ours-values"), own("ours-values"))
}

func whyVreplay(m *figure.Measured) string {
	missed := func(key string) string { return m.Of("cost", key, "missed").Text(figure.Percent) }
	return fmt.Sprintf("vreplay interprets one of 128 interrupts, and programs are too short for that: of these interrupts "+
		"%s at the paper's rate, and %s at 997 a second, are at code that is not decoded yet. So its cost is that of "+
		"interrupts alone.", missed("vreplay"), missed("ours-vreplay"))
}

func whyDeclines(m *figure.Measured) string {
	var t figure.Tally
	for i, x := range m.Of("cost/every-32/kernel") {
		t = append(t, x/m.Of("cost/values/kernel")[i])
	}
	return fmt.Sprintf("Our program in the kernel takes %s of the time that it takes with length 4; the interrupts "+
		"themselves are as many, and most of it.", t.Text(figure.Times))
}

func whySlope(m *figure.Measured) string {
	slope, r2 := gapLine(m)
	return fmt.Sprintf("An instruction makes an interrupt %.1f ns longer (R² = %.3f), of %.0f ns with four of them.",
		slope, r2,
		m.Of("taken/length-4/gap").Median())
}

func whyBias(m *figure.Measured) string {
	text := "Of 16 instructions of a loop, one loads from memory that is in no cache. More samples to fewer of two " +
		"loads, by how many instructions a random skip has at most:"
	for i, k := range []string{"0", "15", "63", "255"} {
		if i > 0 {
			text += ","
		}
		text += " " + k + ": " + m.Of("bias", k).Text(figure.Times)
	}
	return text + "."
}

func whyEvicted(m *figure.Measured) string {
	return fmt.Sprintf("A walk over a first cache is longer behind an interrupt, by this part of what it is longer if "+
		"all lines are evicted: without a sampler %s, with interrupts alone at the paper's rate %s, with values %s.",
		m.Of("evicted/none").Text(figure.Percent),
		m.Of("evicted/alone").Text(figure.Percent), m.Of("evicted/values").Text(figure.Percent))
}

// names are settings as tables have them.
var names = []struct{ key, name string }{
	{"alone", "interrupts alone"}, {"values", "length 4, every 2nd interrupt"},
	{"values-callsites", "values by call site"},
	{"vreplay", "vreplay: length 128, every 128th"}, {"vreplay-callsites", "vreplay by call site"},
	{"length-8", "length 8, every 2nd"}, {"length-16", "length 16, every 2nd"}, {"length-32", "length 32, every 2nd"},
	{"every-4", "length 8, every 4th"}, {"every-8", "length 16, every 8th"}, {"every-16", "length 32, every 16th"},
	{"every-32", "length 64, every 32nd"}, {"ours-alone", "997 Hz, interrupts alone"}, {"ours-values", "997 Hz, length 4"},
	{"ours-values-callsites", "997 Hz, values by call site"}, {"ours-vreplay", "997 Hz, vreplay"},
	{"ours-vreplay-callsites", "997 Hz, vreplay by call site"}, {"ours-252-Hz", "252 Hz, length 64"},
	{"ours-ticks", "the kernel's ticks, length 16"}, {"length-4", "length 4, every interrupt"}, {"length-64", "length " +
		"64, every interrupt"},
	{"none", "no sampler"},
}

// tables are what the page ends with.
func tables(m *figure.Measured) []figure.Table {
	costs := figure.Table{Title: "Cost for programs: medians, with the least and the greatest",
		Columns: []string{"setting",
			"in interrupts",
			"of it in our program in the kernel", "CPU time", "instructions an interrupt", "not decoded yet"}}
	taken := figure.Table{Title: "What an interrupt takes from a program that reads the clock",
		Columns: []string{"setting",
			"interrupts a second",
			"ns", "of it in our program in the kernel", "gaps, of the program's time", "our process", "with a live view"}}
	for _, x := range names {
		if of := func(what string) figure.Tally { return m.Of("cost", x.key, what) }; of("cpu") != nil {
			costs.Rows = append(costs.Rows, []figure.Value{figure.Text(x.name),
				figure.Text(of("interrupts").Text(figure.Percent)),
				figure.Text(of("kernel").Text(figure.Percent)), figure.Text(of("cpu").Text(figure.Percent)),
				figure.Text(fmt.Sprintf("%.2f", of("steps").Median())), figure.Text(of("missed").Text(figure.Percent))})
		}
	}
	for _, x := range names {
		of := func(what string) figure.Tally { return m.Of("taken", x.key, what) }
		if of("gap") == nil {
			continue
		}
		name := x.name
		if n := len("length-"); len(x.key) > n && x.key[:n] == "length-" {
			name = fmt.Sprintf("length %s, every interrupt", x.key[n:])
		}
		row := []figure.Value{figure.Text(name)}
		for _, what := range []string{"hz", "gap", "kernel"} {
			row = append(row, figure.Text(of(what).Text(figure.NumberOf("ns"))))
		}
		row = append(row, figure.Text(of("part").Text(figure.Percent)))
		for _, what := range []string{"own", "own-live"} {
			row = append(row, figure.Percent(of(what).Median()))
		}
		taken.Rows = append(taken.Rows, row)
	}
	hidden := figure.Table{Title: "Hidden invariants", Columns: []string{"program", "rank", "share of the samples",
		"samples", "CPU time to that specialised"}}
	for _, p := range m.Below("hidden") {
		hidden.Rows = append(hidden.Rows, []figure.Value{figure.Text(p),
			figure.Count(int(m.First("hidden", p, "rank")), "ranks"),
			figure.Percent(m.First("hidden", p, "share")), figure.Count(int(m.First("hidden", p, "samples")), "samples"),
			figure.Times(m.First("hidden", p, "gain"))})
	}
	return []figure.Table{costs, taken, hidden, latencyTable(m), hotlistTable(m)}
}
