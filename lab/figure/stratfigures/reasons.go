package stratfigures

// This file says why claims differ: what other experiments show of them.

import (
	"fmt"
	"math"
	"strings"

	"github.com/pepgo/pep/hwsim/cost"
	"github.com/pepgo/pep/lab/figure"
)

// byRules prints a number with the paper's rules and with ours; once if they are the same.
func byRules(of func(extended bool) string) string {
	rules, ours := of(false), of(true)
	if rules == ours {
		return rules
	}
	return rules + " with the paper's rules and " + ours + " with ours"
}

// listed prints something of each program.
func listed(list []figure.Program, of func(program string) string) string {
	var texts []string
	for _, p := range list {
		if text := of(p.Name); text != "" {
			texts = append(texts, p.Name+" "+text)
		}
	}
	return strings.Join(texts, ", ")
}

// pair prints a number with the paper's rules and with ours.
func pair(u figure.Unit, of func(extended bool) float64) string {
	return u(of(false)).Text + " and " + u(of(true)).Text
}

func whyTwice(m *figure.Measured) string {
	small := listed(measuredPrograms(m), func(p string) string {
		if n := m.Of(p, "places").Least(); n < figure.LeastPlaces {
			return fmt.Sprintf("with %.0f", n)
		}
		return ""
	})
	if small != "" {
		small = fmt.Sprintf(" Left out, because fewer than %d places are executed 1000 times: %s.", figure.LeastPlaces, small)
	}
	return fmt.Sprintf("By program, the paper's rules and ours: %s.%s A level counts from where %[3]d places count, and "+
		"if the faster one has it after a quarter of the events; \"never\" is more than 4 times as many.",
		listed(large(m), func(p string) string {
			return pair(figure.Times, func(x bool) float64 { return of(m, p, in(stratified, x), "slower").Median() })
		}), small, figure.LeastPlaces)
}

func whyWorkingSet(m *figure.Measured) string {
	var list []string
	for _, k := range copiesOfCode {
		at := fmt.Sprintf("copies/%d", k)
		if m.Of(at, "places") == nil {
			continue
		}
		list = append(list, fmt.Sprintf("%d times (%.0f places): R256 %s, H[P256]2048 %s, factor %s", k,
			m.First(at, "places"),
			m.Of(at, random, "stays").Text(figure.After), m.Of(at, stratified, "stays").Text(figure.After),
			quotients(m.Of(at, random, "stays"), m.Of(at, stratified, "stays")).Text(figure.Times)))
	}
	begin := of(m, gcc, random, "counted")
	return fmt.Sprintf("Enough places count from %s events on; there R256 is below 5 %% in %.0f of %d runs, and it "+
		"depends on the working set how long it needs. With the code of typecheck there several times, errors stay below 5 "+
		"%% from there on (the paper's rules): %s.",
		begin.Text(figure.After), later(m, gcc, "first").HowMany(math.IsNaN), len(begin), strings.Join(list, "; "))
}

func whyStrata(m *figure.Measured) string {
	var list []string
	for _, n := range strataOfFigure4 {
		x := m.First("permutations", "strata", fmt.Sprint(n))
		list = append(list, fmt.Sprintf("with %d at %.0f (R needs %.2f times as many)", n, x,
			permuted(m, "R10", "sum", "crossing").Median()/x))
	}
	return "H[P] is at 4 %: " + strings.Join(list, ", ") + "."
}

func whyCounter(m *figure.Measured) string {
	mean := func(spec, estimator, other string) string {
		return quotients(permuted(m, spec, estimator, "mean"), permuted(m, other, "sum", "mean")).Text(figure.Times)
	}
	return fmt.Sprintf("The paper estimates by the sum of the counts. Gaps of a random sampler vary, and their sum "+
		"varies with them: CR has %s the error of P, and %s that of R. The share of the messages times the length, which "+
		"the counter knows, has %s that of P.",
		mean("CR10", "sum", "P10"), mean("CR10", "sum", "R10"), mean("CR10", "ratio", "P10"))
}

func whyPeriodic(m *figure.Measured) string {
	toRandom := func(p, spec string) string {
		return quotients(of(m, p, spec, "error"), of(m, p, random, "error")).Text(figure.Times)
	}
	return fmt.Sprintf("In some other programs the period matters. Errors with a period of 256 and of 257, each to "+
		"R256: %s.", listed(measuredPrograms(m), func(p string) string {
		return toRandom(p, periodic) + " and " + toRandom(p, oddPeriod)
	}))
}

func whyTagged(m *figure.Measured) string {
	to := func(at, spec, what string, x bool) string {
		return quotients(m.Of(at, in(spec, x), what), m.Of(at, in(stratified, x), what)).Text(figure.Times)
	}
	var sizes, copies []string
	for _, spec := range []string{"tag2-256-512", tagged, "tag2-256-8192"} {
		sizes = append(sizes, fmt.Sprintf("%s: %s of the messages and %s of the error", spec,
			to(gcc, spec, "messages", false),
			to(gcc, spec, "error", false)))
	}
	for _, k := range copiesOfCode {
		at := fmt.Sprintf("copies/%d", k)
		copies = append(copies, fmt.Sprintf("%d times: %s of the messages and %s of the error", k, to(at, tagged, "messages",
			false),
			to(at, tagged, "error", false)))
	}
	return fmt.Sprintf("How many messages tags cost depends on how many tuples share an entry. To H[P256]2048 on "+
		"typecheck, the paper's rules: %s. With its code there %s. By program, messages with the paper's rules and ours: %s.",
		strings.Join(sizes, "; "),
		strings.Join(copies, "; "), listed(measuredPrograms(m), func(p string) string {
			return pair(figure.Times, func(x bool) float64 { return toOther(m, p, tagged, stratified, "messages", x).Median() })
		}))
}

func whyLower(m *figure.Measured) string {
	return fmt.Sprintf("After a 64th of the events H[P256]2048 has sent %s of the messages of R256, and at the end %s.",
		byRules(func(x bool) string { return of(m, gcc, in(stratified, x), "fewer-first").Text(figure.Times) }),
		byRules(func(x bool) string { return toOther(m, gcc, stratified, random, "messages", x).Text(figure.Times) }))
}

func whySettles(m *figure.Measured) string {
	return fmt.Sprintf("Where enough places count, errors follow a power of the events, so that the final error is no "+
		"more than that at the end: R256 %s, H[P256]2048 %s, tag2-256-2048 %s.",
		of(m, gcc, random, "power").Text(figure.Power),
		byRules(func(x bool) string { return of(m, gcc, in(stratified, x), "power").Text(figure.Power) }),
		byRules(func(x bool) string { return of(m, gcc, in(tagged, x), "power").Text(figure.Power) }))
}

func whyRates(m *figure.Measured) string {
	return fmt.Sprintf("By program, with the paper's rules and ours: %s. The slowest has a factor of %d.",
		listed(measuredPrograms(m), func(p string) string {
			return pair(figure.Times, func(x bool) float64 { return rateOf(m, p, x).Median() })
		}), rates[len(rates)-1]/256)
}

func whyBest(m *figure.Measured) string {
	other := func(kind string) string {
		return listed(measuredPrograms(m), func(p string) string {
			return pair(figure.Times, func(x bool) float64 { return m.Of(p, columnOf(x), "equal", kind).Median() })
		})
	}
	return fmt.Sprintf("R256, the paper's rules and ours: %s. tag2-256-2048: %s.", other("random"), other("tagged"))
}

func whyPurity(m *figure.Measured) string {
	return fmt.Sprintf("With more counters a tuple has more of its stratum. With 2048 a selected tuple has this share "+
		"of it, and of the stream: %s.", listed(measuredPrograms(m), func(p string) string {
		return figure.Percent(m.First(p, "purity", "table")).Text + " and " +
			figure.Percent(m.First(p, "purity", "stream")).Text
	}))
}

func whyEarly(m *figure.Measured) string {
	var list []string
	for _, w := range windows {
		greater := func(x bool) float64 {
			return each(m, measuredPrograms(m), func(p string) figure.Tally {
				return early(m, p, w,
					x)
			}).HowMany(func(x float64) bool { return x > 1 })
		}
		list = append(list, fmt.Sprintf("%s loads: lua %s, greater in %s programs", figure.Abbreviate(w),
			pair(figure.Times, func(x bool) float64 {
				return early(m, figure.InRole("li").Name, w, x).Median()
			}), pair(programsOf, greater)))
	}
	return fmt.Sprintf("In the first events, the paper's rules and ours, where counters begin with a random number: %s.",
		strings.Join(list, "; "))
}

func whySecond(m *figure.Measured) string {
	median := func(of func(p string) figure.Tally) string {
		return each(m, measuredPrograms(m), of).Text(figure.Times)
	}
	return fmt.Sprintf("A periodic sampler in a stratum sends a tuple with a share of one in n after n messages, again "+
		"and again, and 16 entries have lost it if n is more. Of the programs R256 saves %s, H[P256]2048 %s, and "+
		"H[R256]2048, whose strata are random, %s; H[P256]2048 with 64 entries saves %s. 16 entries that kept the most "+
		"frequent tuples would save %s of all events. By program: table below.",
		median(func(p string) figure.Tally { return savedOf(m, p, random, false) }),
		median(func(p string) figure.Tally { return savedOf(m, p, stratified, false) }),
		median(func(p string) figure.Tally { return savedOf(m, p, randomStrata, false) }),
		median(func(p string) figure.Tally { return savedWith64(m, p, false) }),
		median(func(p string) figure.Tally { return savedAtBest(m, p) }))
}

func savedWith64(m *figure.Measured, p string, extended bool) figure.Tally {
	return toOther(m, p, stratified, stratified+"+A64", "messages", extended)
}

// savedAtBest is by which factor entries that keep the most frequent tuples of the stream would reduce messages.
func savedAtBest(m *figure.Measured, p string) (t figure.Tally) {
	for _, x := range m.Of(p, "top") {
		t = append(t, 100/(100-x))
	}
	return t
}

func whyPronounced(m *figure.Measured) string {
	var list []string
	for _, role := range []string{"m88ksim", "db", "jess"} {
		p := figure.InRole(role)
		list = append(list, fmt.Sprintf("%s %s, where the most frequent 16 tuples have %s", p, savedToOthers(m, false,
			role).Text(figure.Times),
			m.Of(p.Name, "top").Text(figure.Percent)))
	}
	return "It depends on how much few tuples have of the stream, and that is another thing in other programs. With the " +
		"paper's rules: " +
		strings.Join(list, "; ") + "."
}

func whyBranches(m *figure.Measured) string {
	return fmt.Sprintf("Errors of edges and calls, the paper's rules and ours: %s. With four times the messages, "+
		"H[P64]2048, %s programs have a negligible one: what is left is the number of messages.",
		listed(measuredPrograms(m), func(p string) string {
			return pair(figure.Percent, func(x bool) float64 { return branches(m, p, in(stratified, x), "error").Median() })
		}), byRules(func(x bool) string {
			return acrossPrograms(m, func(p string) figure.Tally { return branches(m, p, in(ofRate(64), x), "error") },
				negligible).Text(programsOf)
		}))
}

func whyTogether(m *figure.Measured) string {
	kind := func(kind string) string {
		return listed(measuredPrograms(m), func(p string) string {
			if togetherToAlone(m, p, kind, false) == nil || togetherToAlone(m, p, kind, true) == nil {
				return ""
			}
			spec := func(x bool) string {
				return togetherToAlone(m, p, kind, x).Text(figure.Times) + " of " + branches(m, p, in(stratified, x),
					kind+"-alone").Text(figure.Percent)
			}
			return spec(false) + " and " + spec(true)
		})
	}
	return fmt.Sprintf("Edges, the paper's rules and ours: %s. Calls: %s.", kind("edges"), kind("calls"))
}

func whyHash(m *figure.Measured) string {
	toTable := func(name func(p string) figure.Tally, of func(p string) figure.Tally) string {
		return each(m, measuredPrograms(m), func(p string) figure.Tally {
			return quotients(name(p),
				of(p))
		}).Text(figure.Times)
	}
	errors := func(hash string) func(p string) figure.Tally {
		return func(p string) figure.Tally { return of(m, p, stratified+hash, "error") }
	}
	shares := func(hash string) func(p string) figure.Tally {
		return func(p string) figure.Tally { return m.Of(p, "purity", "table"+hash) }
	}
	return fmt.Sprintf("To the paper's hash, a multiplication has an error of %s, and a tuple has %s as much of its "+
		"stratum; the paper's hash without random bytes has %s and %s. By program: table below.",
		toTable(errors("@mul"), errors("")), toTable(shares("-mul"), shares("")), toTable(errors("@xor"), errors("")),
		toTable(shares("-xor"), shares("")))
}

func whyTagBits(m *figure.Measured) string {
	var list []string
	for _, bits := range tagBits {
		to := func(what string) string {
			return each(m, measuredPrograms(m), func(p string) figure.Tally {
				return quotients(of(m, p, ofTag(bits), what), of(m, p, tagged, what))
			}).Text(figure.Times)
		}
		if ofTag(bits) != tagged {
			list = append(list, fmt.Sprintf("%d: %s of the messages, %s of the error", bits, to("messages"), to("error")))
		}
	}
	return "Bits of tags, each to 2 bits, the programs with the paper's rules: " + strings.Join(list, "; ") + "."
}

func whyFilter(m *figure.Measured) string {
	all := measuredPrograms(m)
	return fmt.Sprintf("The filter saves messages, and so does a lower rate. With it %s of the messages are left, and "+
		"the error is %s times that without. By program, at as many messages, the paper's rules and ours: %s.",
		byRules(func(x bool) string {
			return each(m, all, func(p string) figure.Tally {
				return quotients(of(m, p, filter(x), "messages"), of(m, p, in(stratified, x), "messages"))
			}).Text(figure.Times)
		}), byRules(func(x bool) string {
			return each(m, all, func(p string) figure.Tally {
				return quotients(of(m, p, filter(x), "error"), of(m, p, in(stratified, x), "error"))
			}).Text(figure.Times)
		}), listed(all, func(p string) string {
			return pair(figure.Times, func(x bool) float64 { return m.Of(p, columnOf(x), "equal", "filter").Median() })
		}))
}

func whyService(m *figure.Measured) string {
	at := func(spec, what string, u figure.Unit) string {
		return each(m, measuredPrograms(m), func(p string) figure.Tally { return of(m, p, spec, what) }).Text(u)
	}
	both := func(spec, what string, u figure.Unit) string {
		return byRules(func(x bool) string { return at(in(spec, x), what, u) })
	}
	return fmt.Sprintf("A load takes %.2f cycles here, as in the model of overhead. Of R256 %s of the messages come too "+
		"early, and at most %s wait; of H[P256]2048 %s, and at most %s wait; with A16 behind it %s come too early. So a "+
		"queue has to be there, and counters that begin together are full together: by program, with the paper's rules "+
		"and ours, %s.",
		cost.Default.PerEvent, at(random, "waits", figure.Percent), at(random, "queue", messagesOf), both(stratified, "waits",
			figure.Percent),
		both(stratified, "queue", messagesOf), both(stratified+"+A16", "waits", figure.Percent),
		listed(measuredPrograms(m), func(p string) string {
			return pair(figure.Percent, func(x bool) float64 { return of(m, p, in(stratified, x), "waits").Median() })
		}))
}

// tables are what the page ends with.
func tables(m *figure.Measured) []figure.Table {
	programs := figure.Table{Title: "Compressors by program: errors at the end, and the random and the tagged one to " +
		"H[P256]2048", Columns: []string{
		"program", "places", "rules", random, "P256", stratified, half, tagged, "messages of tags", "R256 needs", "rate at " +
			"R256's error",
		"R256 at as many messages", "tags at as many messages"}}
	second := figure.Table{Title: "By which factor a second level of 16 entries reduces messages", Columns: []string{
		"program", "the most frequent 16 tuples have", "rules", random, stratified, tagged, randomStrata, stratified + ", " +
			"64 entries"}}
	hash := figure.Table{Title: "Hashes: the error of H[P256]2048, and the share of a selected tuple in its stratum",
		Columns: []string{
			"program", "error, paper's", "mul", "xor", "share, paper's", "mul", "xor"}}
	service := figure.Table{Title: fmt.Sprintf("Messages that a service thread with %d cycles for each cannot handle at "+
		"once, and the most that wait", handling),
		Columns: []string{"program", "rules", random, stratified, tagged, stratified + "+A16"}}
	for _, p := range measuredPrograms(m) {
		for _, x := range []bool{false, true} {
			name := []figure.Value{figure.Text(p.String()), figure.NumberOf("places")(m.Of(p.Name, "places").Median()),
				figure.Text(rulesName(x))}
			row := name
			for _, spec := range converging {
				row = append(row, figure.Text(of(m, p.Name, in(spec, x), "error").Text(figure.Percent)))
			}
			for _, t := range []figure.Tally{toOther(m, p.Name, tagged, stratified, "messages", x), slowerOf(m, p.Name, x),
				rateOf(m, p.Name, x),
				m.Of(p.Name, columnOf(x), "equal", "random"), m.Of(p.Name, columnOf(x), "equal", "tagged")} {
				row = append(row, figure.Text(t.Text(figure.Times)))
			}
			programs.Rows = append(programs.Rows, row)
			row = []figure.Value{name[0], figure.Text(m.Of(p.Name, "top").Text(figure.Percent)), name[2]}
			for _, spec := range append(secondLevels, randomStrata) {
				text := "the same"
				if !x || spec == stratified || spec == tagged {
					text = savedOf(m, p.Name, spec, x).Text(figure.Times)
				}
				row = append(row, figure.Text(text))
			}
			second.Rows = append(second.Rows, append(row, figure.Text(savedWith64(m, p.Name, x).Text(figure.Times))))
			row = []figure.Value{name[0], name[2]}
			for _, spec := range []string{random, stratified, tagged, stratified + "+A16"} {
				row = append(row, figure.Text(fmt.Sprintf("%s; %.0f", figure.Percent(m.First(p.Name, in(spec, x), "waits")).Text,
					m.First(p.Name, in(spec, x), "queue"))))
			}
			service.Rows = append(service.Rows, row)
		}
		row := []figure.Value{figure.Text(p.String())}
		for _, h := range hashes {
			row = append(row, figure.Text(of(m, p.Name, stratified+h, "error").Text(figure.Percent)))
		}
		for _, h := range []string{"table", "table-mul", "table-xor"} {
			row = append(row, figure.Percent(m.First(p.Name, "purity", h)))
		}
		hash.Rows = append(hash.Rows, row)
	}
	sets := figure.Table{Title: "Working sets: the loads of typecheck, its code there 1 to 30 times",
		Columns: []string{"copies", "places", "rules",
			random, stratified, tagged, "messages of tags", "R256 stays below 5 % from", stratified + " from", "R256 needs",
			"share of a tuple in its stratum"}}
	for _, k := range copiesOfCode {
		at := fmt.Sprintf("copies/%d", k)
		for _, x := range []bool{false, true} {
			row := []figure.Value{figure.Count(k, "copies"), figure.NumberOf("places")(m.First(at, "places")),
				figure.Text(rulesName(x))}
			for _, spec := range []string{random, stratified, tagged} {
				row = append(row, figure.Text(m.Of(at, in(spec, x), "error").Text(figure.Percent)))
			}
			share := "table"
			if x {
				share = "table-mul"
			}
			sets.Rows = append(sets.Rows, append(row,
				figure.Text(quotients(m.Of(at, in(tagged, x), "messages"),
					m.Of(at, in(stratified, x), "messages")).Text(figure.Times)),
				figure.Text(m.Of(at, random, "stays").Text(figure.After)), figure.Text(m.Of(at, in(stratified, x),
					"stays").Text(figure.After)),
				figure.Text(m.Of(at, in(stratified, x), "slower").Text(figure.Times)),
				figure.Percent(m.First(at, "purity", share))))
		}
	}
	return []figure.Table{programs, sets, second, hash, service}
}

// slowerOf is how many times as many events R256 needs; nothing of a program with too few places.
func slowerOf(m *figure.Measured, program string, extended bool) figure.Tally {
	if m.Of(program, "places").Least() < figure.LeastPlaces {
		return figure.Tally{math.NaN()}
	}
	return m.Of(program, in(stratified, extended), "slower")
}

func rulesName(extended bool) string {
	if extended {
		return "ours"
	}
	return "paper"
}
