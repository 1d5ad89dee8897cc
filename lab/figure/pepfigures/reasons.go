package pepfigures

// This file has what other measurements say about claims, and the tables.

import (
	"fmt"
	"strings"

	"github.com/pepgo/pep/lab/figure"
)

// long is the workload of runs of ten seconds.
const long = "500%"

// byProgram lists a text for each program; "none" if there are none.
func byProgram(list []string, text func(p string) string) string {
	var parts []string
	for _, p := range list {
		if x := text(p); x != "" {
			parts = append(parts, p+" "+x)
		}
	}
	if parts == nil {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// percentOf is the text of a tally; "not measured" if it is empty.
func percentOf(t figure.Tally) string {
	if len(t) == 0 {
		return "not measured"
	}
	return t.Text(figure.Percent)
}

func whyCost(m *figure.Measured) string {
	executed := executed(m)
	return fmt.Sprintf("The paper's virtual machine has yieldpoints in the plain program, too, and its compiler adds to "+
		"registers of the machine; here polls and additions come on top of the plain program. Without ticks programs "+
		"execute %s "+
		"more instructions than plain ones (%d programs, valgrind). Windows insert "+
		"nothing.", percentOf(executed), len(executed))
}

// whyFaster says whether programs with instrumentation that take less time do so in each order of the functions. If the
// orders decide, as the paper presumes, none does.
func whyFaster(m *figure.Measured) string {
	var some, always []string
	layouts := 0
	for _, p := range timed(m, noTicks) {
		t := beyond(m, p, noTicks)
		layouts = max(layouts, len(t))
		switch n := int(faster(t)); {
		case n > 0 && n == len(t):
			always = append(always, p)
		case n > 0:
			some = append(some, fmt.Sprintf("%s in %d", p, n))
		}
	}
	verdict := "No program is in all of them, so the order of the functions decides, as the paper presumes, or chance"
	if always != nil {
		verdict = strings.Join(always, ", ") + " is in all of them, which their order does not explain"
	}
	return fmt.Sprintf("Each of %d layouts has the functions in another order. Below the plain time are in some of them: %s. "+
		"%s. Instrumented programs execute %s more instructions.", layouts, strings.Join(append(some, "no other"), ", "),
		verdict,
		percentOf(executed(m)))
}

// executed returns how many more instructions programs execute without ticks, in percent of those of the plain ones.
func executed(m *figure.Measured) (t figure.Tally) {
	for _, p := range m.Below("instructions") {
		t = append(t, 100*(m.First("instructions", p, "polls")-1))
	}
	return t
}

func whySamples(m *figure.Measured) string {
	say := func(v string) string { return v + " " + percentOf(cost(mean, v, noTicks)(m, false)) }
	return fmt.Sprintf("A sample here finds the callers, too, and the program writes its profiles at the end. "+
		"Beyond no ticks cost, "+
		"mean of programs: %s, %s, %s, %s, %s.",
		say(one), say("PEP(16,17)"), say(pep), say(medium), say(large))
}

func whyExact(m *figure.Measured) string {
	atomic, add := m.Of("addition/atomic").Median(), m.Of("addition/plain").Median()
	programs := byProgram(timed(m, exact), func(p string) string {
		text := fmt.Sprintf("%.0f %%", beyond(m, p, exact).Median())
		if ends, base := m.First("exact", p, "header", "ends"), m.First("seconds/settings", p, plain); ends > 0 && base > 0 {
			text += fmt.Sprintf(" and %.0f %%", ends*atomic/1e7/base)
		}
		return text
	})
	return fmt.Sprintf("A count here is an atomic addition, so that threads lose none; on this machine one takes %.0f ns, and "+
		"a plain one %.1f ns. Each program, and what the ends of its paths would take by themselves with that: %s. With plain "+
		"additions to an array, mean and worst program: %s.",
		atomic, add, programs, meanAndWorst(m, exact+added))
}

func whyEdges(m *figure.Measured) string {
	programs := byProgram(timed(m, edges), func(p string) string {
		return fmt.Sprintf("%.0f %%, %.0f %% and %.2f", beyond(m, p, edges+added).Median(), beyond(m, p, edges).Median(),
			m.First("exact", p, "join", "ends")/m.First("exact", p, "join", "decisions"))
	})
	return fmt.Sprintf("The paper increments a counter at each outcome of a branch. Here a counter stands on each edge into "+
		"a node that several edges lead to and on each way out of a function, and calls are counted, too. Plain additions "+
		"to an array can lose counts of several threads, and write no profile; the profile of edges has counts by atomic "+
		"additions, each in a call. Each program, with plain additions, with atomic ones, and counts for each decision of a "+
		"branch, without those of calls: %s. Mean and worst program with atomic additions: %s. "+
		"go build -cover -covermode=count, which counts blocks by plain additions: %s.",
		programs, meanAndWorst(m, edges), meanAndWorst(m, cover))
}

// meanAndWorst has the costs of a variant beyond the plain program.
func meanAndWorst(m *figure.Measured, variant string) string {
	return percentOf(cost(mean, variant, plain)(m, false)) + ", " + percentOf(cost(most, variant, plain)(m, false))
}

func whyBuilds(m *figure.Measured) string {
	return fmt.Sprintf("The paper's compiler compiles methods as they get hot, in runs of 11 s. Go compiles all "+
		"packages before a "+
		"program runs; here they were compiled anew, with one run of a part of the workload. CPU time of the builds "+
		"and of both, "+
		"plain, with registers and with windows: %s.", byProgram(m.Below("build"), func(p string) string {
		var cells []string
		for _, v := range []string{plain, pep, windows} {
			x := m.First("build", p, v)
			cells = append(cells, fmt.Sprintf("%.1f and %.1f s", x, x+m.First("seconds", ofBuilds, p, v)))
		}
		return strings.Join(cells, ", ")
	}))
}

// whyAccuracy says which programs are worst, and what longer runs bring.
func whyAccuracy(metric string) func(m *figure.Measured) string {
	return func(m *figure.Measured) string {
		at := func(work, v, unit string) string { return percentOf(accuracies(m, mean, work, v, unit)) }
		worst := func(v, unit string) string {
			least, name := 100., "none"
			for _, p := range programsOf(m, workload, v) {
				if x := m.Of("accuracy", workload, p, v, unit).Median(); x < least {
					least, name = x, p
				}
			}
			return fmt.Sprintf("%s, %s", name, figure.Percent(least).Text)
		}
		ticks := func(v string) string {
			var t figure.Tally
			for _, p := range programsOf(m, workload, v) {
				t = append(t, m.Of("accuracy", workload, p, v, "ticks").Median())
			}
			return t.Text(figure.NumberOf("ticks"))
		}
		text := fmt.Sprintf("The worst program is %s with registers, and %s with windows. A run has %s ticks with "+
			"registers, and %s with windows, which their budget spaces.",
			worst(pep, "sample-"+metric), worst(windows, metric), ticks(pep), ticks(windows))
		if programsOf(m, long, windows) != nil {
			text += fmt.Sprintf(" In runs of ten seconds: registers %s, windows %s.",
				at(long, pep, "sample-"+metric), at(long, windows, metric))
		}
		return text
	}
}

func whyTimer(m *figure.Measured) string {
	return "PEP(1,1) and PEP(64,17) of each program, and samples: " +
		"" + byProgram(programsOf(m, workload, one), func(p string) string {
		of := func(v, unit string) figure.Tally { return m.Of("accuracy", workload, p, v, unit) }
		return fmt.Sprintf("%.0f and %.0f %%, %.0f and %.0f", of(one, "sample-wall").Median(),
			of(pep, "sample-wall").Median(),
			of(one, "samples").Median(), of(pep, "samples").Median())
	}) + "."
}

func whySettings(m *figure.Measured) string {
	variants := []string{pep, medium, large}
	var list []string
	n := 0
	for k, v := range variants {
		var cells []string
		for _, metric := range []string{"wall", "relative", "absolute"} {
			t := ofPrograms(m, metric, variants, func(x []float64) float64 { return x[k] })
			cells, n = append(cells, percentOf(meanOf(t))), len(t)
		}
		list = append(list, v+" "+strings.Join(cells, ", "))
	}
	return fmt.Sprintf("Wall weight matching, relative and absolute overlap of the %d programs with all settings: %s.", n,
		strings.Join(list, "; "))
}

func whyStriding(m *figure.Measured) string {
	var list []string
	for _, metric := range []string{"wall", "relative", "absolute"} {
		at := func(k int) string {
			t := ofPrograms(m, metric, []string{pep, regular}, func(x []float64) float64 { return x[k] })
			return percentOf(meanOf(t))
		}
		list = append(list, at(1)+" and "+at(0))
	}
	return "Wall weight matching, relative and absolute overlap with regular strides and without: " +
		strings.Join(list, ", ") + "."
}

func whyHeaders(m *figure.Measured) string {
	return "A function has one more path for each call, from its entry to the first loop. Paths and hot ones, with " +
		"headers and " +
		"with back edges: " + byProgram(m.Below("exact"), func(p string) string {
		if m.Of("exact", p, "backedge", "ends") == nil {
			return ""
		}
		at := func(unit string) string {
			return fmt.Sprintf("%.0f and %.0f", m.First("exact", p, "header", unit), m.First("exact", p, "backedge", unit))
		}
		return at("paths") + ", " + at("hot")
	}) + "."
}

func whyOrder(m *figure.Measured) string {
	var fewer []string
	for _, p := range m.Below("instructions") {
		if m.First("instructions", p, "coldest") < m.First("instructions", p, "guided") {
			fewer = append(fewer, p)
		}
	}
	return "Instructions to those of the plain program, with additions on cold and on hot edges, and as built " +
		"without a profile: " +
		byProgram(m.Below("instructions"), func(p string) string {
			at := func(build string) float64 { return m.First("instructions", p, build) }
			return fmt.Sprintf("%.3f, %.3f and %.3f", at("guided"), at("coldest"), at("polls"))
		}) + fmt.Sprintf(". With additions on hot edges fewer are executed in %d of %d programs: %s.", len(fewer),
		len(m.Below("instructions")), strings.Join(append(fewer, "no other"), ", "))
}

func whyOneTime(m *figure.Measured) string {
	return "Function by function, a one-time profile has the counts of its first 10000 decisions or some more. " +
		"Each program: " +
		byProgram(m.Below("one-time"), func(p string) string { return percentOf(m.Of("one-time", p, "one-time")) }) +
		". " + phased + " is in neither number."
}

func whyDriven(m *figure.Measured) string {
	return "Profiles of edges are exact: of the first tenth of a run, of all of it, and of all of it with the " +
		"outcomes flipped. The compiler lays out code by them and allocates registers by them, and inlines as without. " +
		"One-time, continuous and flipped, beyond the program without a profile: " +
		byProgram(timed(m, "one-time"), func(p string) string {
			return fmt.Sprintf("%s, %s and %s", percentOf(beyond(m, p, "one-time")), percentOf(beyond(m, p, "continuous")),
				percentOf(beyond(m, p, "flipped")))
		}) + ". " + phased + ", whose behaviour changes halfway, is in both numbers."
}

func whyAdaptive(m *figure.Measured) string {
	mean := func(v string) string { return percentOf(cost(mean, v, plain)(m, false)) }
	return fmt.Sprintf("Programs of Go are compiled once, so a run is profiled, and the next one optimised, "+
		"without profiling. Beyond "+
		"the plain program: the profiled run %s, the optimised one %s with the compiler that takes outcomes of branches.",
		mean("profiled_run"), mean("branches+sampled"))
}

func whyPhased(m *figure.Measured) string {
	at := func(unit string) string { return percentOf(m.Of("one-time", phased, unit)) }
	return fmt.Sprintf("The paper has no such program. %s of the decisions are in branches whose usual outcome "+
		"changes halfway. The "+
		"one-time profile has %s; PEP(64,17) %s, windows %s. Exact profiles predict the part of the run that follows, "+
		"behind 60 %% "+
		"of it, with an overlap of %s by its first tenth, %s by all before, and %s by the part before. The program "+
		"was changed "+
		"twice after results had been seen, so it shows what can be, not what is usual.",
		at("changed"), at("one-time"), percentOf(m.Of("accuracy", workload, phased, pep, "sample-relative")),
		percentOf(m.Of("accuracy", workload, phased, windows, "relative")),
		at("next-by-first"), at("next-by-all"), at("next-by-last"))
}

func tables(m *figure.Measured) []figure.Table {
	times := figure.Table{Title: "CPU time beyond the plain program, in all sessions and layouts",
		Columns: []string{"program", "no ticks", one, "PEP(16,17)", pep, medium, large, windows, "exact paths",
			"exact edges"}}
	for _, p := range timed(m, pep) {
		row := []figure.Value{figure.Text(p)}
		for _, v := range []string{noTicks, one, "PEP(16,17)", pep, medium, large, windows, exact, edges} {
			row = append(row, figure.Text(orNone(beyond(m, p, v))))
		}
		times.Rows = append(times.Rows, row)
	}
	list := []figure.Table{times}
	for _, metric := range []struct{ name, unit string }{
		{"Wall weight matching", "wall"}, {"Relative overlap", "relative"}, {"Absolute overlap", "absolute"},
	} {
		t := figure.Table{Title: metric.name + " of each program, in runs of two seconds",
			Columns: []string{"program", pep, windows}}
		workloads := []string{workload}
		if programsOf(m, long, windows) != nil {
			workloads = append(workloads, long)
			t.Title += " and of ten"
			t.Columns = append(t.Columns, pep+", 10 s", "windows, 10 s")
		}
		for _, p := range programsOf(m, workload, pep) {
			row := []figure.Value{figure.Text(p)}
			for _, work := range workloads {
				for _, of := range [][2]string{{pep, "sample-" + metric.unit}, {windows, metric.unit}} {
					row = append(row, figure.Text(orNone(m.Of("accuracy", work, p, of[0], of[1]))))
				}
			}
			t.Rows = append(t.Rows, row)
		}
		list = append(list, t)
	}
	t := figure.Table{Title: "Relative overlap of the beginning of a run with all of it",
		Columns: []string{"program", "one-time", "first 1 %", "first 2 %", "first 5 %", "first 10 %", "first 25 " +
			"%", "first 50 %"}}
	for _, p := range m.Below("one-time") {
		row := []figure.Value{figure.Text(p)}
		for _, unit := range []string{"one-time", "first-1%", "first-2%", "first-5%", "first-10%", "first-25%", "first-50%"} {
			row = append(row, figure.Text(orNone(m.Of("one-time", p, unit))))
		}
		t.Rows = append(t.Rows, row)
	}
	return append(list, t)
}

// orNone is a cell of a table.
func orNone(t figure.Tally) string {
	if len(t) == 0 {
		return "-"
	}
	return t.Text(figure.Percent)
}
