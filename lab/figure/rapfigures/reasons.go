package rapfigures

// This file says what the experiments show of why the buffer, frequent values and misses of caches are not as in the
// paper.

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/pepgo/pep/lab/figure"
)

// combined is what the paper's buffer combines to a count.
const combined = 10

// entriesFor returns with how many entries the buffer combines so many events of a program, on a line between the two
// sizes around them; NaN if no size combines as few, or as many.
func entriesFor(m *figure.Measured, program string, events float64) float64 {
	before := math.NaN()
	for i, n := range bufferSizes {
		of := m.First(program, ofCode, "buffer", fmt.Sprint(n))
		if before <= events && events <= of {
			from := float64(bufferSizes[i-1])
			return from + (float64(n)-from)*(events-before)/(of-before)
		}
		before = of
	}
	return math.NaN()
}

func whyBuffer(m *figure.Measured) string {
	var factors, blocks, entries figure.Tally
	for _, p := range figure.Programs {
		factors = append(factors, m.First(p.Name, ofCode, "pipeline/rules/1%/combined"))
		blocks = append(blocks, m.First(p.Name, ofCode, "busy"))
		entries = append(entries, entriesFor(m, p.Name, combined))
	}
	at := func(p figure.Program, n int) float64 { return m.First(p.Name, ofCode, "buffer", fmt.Sprint(n)) }
	last := bufferSizes[len(bufferSizes)-1]
	rho, chance := figure.RankCorrelation(blocks, factors)
	verdict := "so the size of the executed code is not shown to be why"
	if rho < 0 && chance < 1 {
		verdict = "so the size of the executed code is why: the more there is, the fewer events are combined"
	}
	some := entries.HowMany(func(x float64) bool { return !math.IsNaN(x) })
	return fmt.Sprintf("Events to a count with %d, 1024 and %d entries, and the blocks that have 99 %% of the events: %s. The "+
		"rank correlation of these blocks with what 1024 entries combine is %.2f, and %.2f %% of random orders have one as "+
		"strong: %s. In %.0f of %d programs %d events are combined with another number of entries, %s.",
		bufferSizes[0], last, byProgram(func(p figure.Program) string {
			return fmt.Sprintf("%.1f, %.0f, %.0f and %.0f", at(p, bufferSizes[0]), at(p, 1024), at(p, last),
				m.First(p.Name, ofCode, "busy"))
		}), rho, chance, verdict, some, len(figure.Programs), combined, entries.Text(figure.NumberOf("entries")))
}

func whyTop(m *figure.Measured) string {
	of := func(name string) figure.Tally { return eachRun(m, ofValues, name) }
	firstHolds, fiftyHolds := figure.About(20, 40, figure.Percent).Holds, figure.About(40, 40, figure.Percent).Holds
	runs, all := float64(len(of("first"))), of("first").HowMany(firstHolds)
	// cures says whether a single value has as much as in the paper in enough runs, or in most of those that do not agree,
	// with a change.
	cures := func(change, name string) string {
		n := of(name).HowMany(firstHolds)
		verdict := "so " + change + " are not why"
		switch {
		case n > all && figure.Enough(n, runs):
			verdict = "so " + change + " are why a single value has less"
		case n-all > (runs-all)/2:
			verdict = "so " + change + " are why a single value has less in most of the others"
		}
		return fmt.Sprintf("%s, which agrees in %.0f of %.0f runs, of all loads in %.0f: %s",
			of(name).Text(figure.Percent), n, runs, all, verdict)
	}
	// Of a piece 50 values never have less than of all loads on average, so that it must be more than a little.
	pieces, longer := of("piece-fifty"), figure.Tally{}
	for i, x := range of("fifty") {
		longer = append(longer, pieces[i]/x)
	}
	length := "so the length of a stream is not why 50 values have more"
	if figure.Enough(longer.HowMany(func(x float64) bool { return x > figure.LittleFactor }), runs) {
		length = "so 50 values have less the longer a stream is"
	}
	mixed := m.First("mixed/fifty")
	mixture := "so it is not why that ours are single programs"
	if fiftyHolds(mixed) {
		mixture = "so they have as much as in the paper if more code loads them"
	}
	return fmt.Sprintf("The most frequent value, and 50 of them: %s. Among values below 2^32, which addresses of the heap and "+
		"of stacks are not, a single one has %s. In pieces of %d loads it has %s. There 50 values have %s, %s of what they "+
		"have in all of the loads: %s. Among the loads of all programs together a single value has %s, and 50 have %s: %s.",
		byProgram(func(p figure.Program) string {
			return fmt.Sprintf("%.0f %% and %.0f %%", m.Of(p.Name, ofValues, "first").Median(),
				m.Of(p.Name, ofValues, "fifty").Median())
		}), cures("addresses", "narrow-first"), pieceOfLoads, cures("long streams", "piece-first"),
		pieces.Text(figure.Percent),
		longer.Text(figure.Times), length, figure.Percent(m.First("mixed/first")).Text, figure.Percent(mixed).Text, mixture)
}

func whyMisses(m *figure.Measured) string {
	of := func(p figure.Program, kind string) float64 { return m.Of(p.Name, "pairs/rules", kind).Median() }
	var covered, smalls, more, moreSmall figure.Tally
	for _, p := range figure.Programs {
		if x := of(p, "dl1"); !math.IsNaN(x) {
			covered, smalls = append(covered, x), append(smalls, of(p, "small/dl1"))
			more = append(more, x-of(p, "loads"))
			moreSmall = append(moreSmall, of(p, "small/dl1")-of(p, "small/loads"))
		}
	}
	var list, agree, local []string
	for _, c := range otherCaches {
		average, more := pairs(meanOfKnown, c)(m, false), moreThanLoads(c)(m, false)
		list = append(list, fmt.Sprintf("%s %s and %s points", c, average.Text(figure.Percent), more.Text(signed)))
		runs := float64(len(average))
		if figure.Enough(average.HowMany(figure.About(56, 56, figure.Percent).Holds), runs) {
			agree = append(agree, c)
		}
		if figure.Enough(more.HowMany(func(x float64) bool { return x > 0 }), runs) {
			local = append(local, c)
		}
	}
	cache := "so the cache is not why"
	if agree != nil || local != nil {
		cache = fmt.Sprintf("so the share agrees with %s, and misses have more locality with %s",
			cmp.Or(strings.Join(agree, ", "), "none"), cmp.Or(strings.Join(local, ", "), "none"))
	}
	say := func(a, b figure.Tally, if1, else1 string) string {
		rho, chance := figure.RankCorrelation(a, b)
		text := else1
		if rho > 0 && chance < 1 {
			text = if1
		}
		return fmt.Sprintf("%.2f (%.2f %% of random orders have one as strong): %s", rho, chance, text)
	}
	percent := func(p figure.Program, kind string) string { return figure.Percent(of(p, kind)).Text }
	return fmt.Sprintf("All loads, DL1 and DL2 misses of each program, and the exact share of loads and of DL1 misses that "+
		"are below 2^16: %s. DL1 is %s, DL2 %s; the paper does not state its caches. Less than %d misses count as none. With "+
		"other caches hot ranges cover, and more than of loads: %s; %s. The rank correlation of what they cover of DL1 misses "+
		"with the share of values below 2^16 is %s. That of the differences to loads is %s.",
		byProgram(func(p figure.Program) string {
			return fmt.Sprintf("%s, %s and %s, %s and %s", percent(p, "loads"), percent(p, "dl1"), percent(p, "dl2"),
				percent(p, "small/loads"), percent(p, "small/dl1"))
		}), dl1, dl2, leastMisses, strings.Join(list, ", "), cache,
		say(covered, smalls, "so the share is that of programs whose misses load so many small numbers",
			"so small numbers are not shown to be why the share differs"),
		say(more, moreSmall, "so misses have more locality in programs in which more of them load small numbers",
			"so small numbers are not shown to be why locality differs"))
}

// signed is a number of points with its sign.
func signed(x float64) figure.Value {
	return figure.Value{Text: fmt.Sprintf("%+.2f", x), Number: x, Unit: "percent"}
}
