package pepfigures

// This file computes the numbers of claims from what was measured.

import (
	"slices"

	"github.com/pepgo/pep/lab/figure"
)

// Variants of programs, as lines name them.
const (
	noTicks = "no_ticks"
	one     = "PEP(1,1)"
	pep     = "PEP(64,17)"
	medium  = "PEP(256,17)"
	large   = "PEP(1024,17)"
	regular = "PEP(64,17)_regular"
	windows = "windows"
	exact   = "exact_paths"
	edges   = "exact_edges"
	added   = "+plain_additions" // behind the names of exact variants
	cover   = "cover+count"
)

// workload is the workload of accuracy in the table of claims: runs of two seconds.
const workload = "100%"

// columnOf is the variant of a column.
func columnOf(extended bool) string {
	if extended {
		return windows
	}
	return pep
}

// phased is the program whose behaviour changes halfway. It was written to show what that does, and is in no mean of
// one-time profiles.
const phased = "flips"

// eachSession calls do for each session and layout with the ratios of programs that have all the variants: a row for
// each program.
func eachSession(m *figure.Measured, variants []string, do func(rows [][]float64)) {
	for _, session := range m.Below("time") {
		for k := 0; ; k++ {
			var rows [][]float64
			for _, program := range m.Below("time/" + session) {
				var row []float64
				for _, v := range variants {
					if v == plain {
						row = append(row, 1)
					} else if of := m.Of("time", session, program, v); k < len(of) {
						row = append(row, of[k])
					}
				}
				if len(row) == len(variants) {
					rows = append(rows, row)
				}
			}
			if rows == nil {
				break
			}
			do(rows)
		}
	}
}

// cost returns by how many percent a variant takes longer than another one: what f makes of programs, in each session
// and layout.
func cost(f func(figure.Tally) float64, variant, base string) func(*figure.Measured, bool) figure.Tally {
	return func(m *figure.Measured, _ bool) (t figure.Tally) {
		eachSession(m, []string{variant, base}, func(rows [][]float64) {
			var programs figure.Tally
			for _, row := range rows {
				programs = append(programs, 100*(row[0]/row[1]-1))
			}
			t = append(t, f(programs))
		})
		return t
	}
}

// overhead is the cost of a column beyond the plain program.
func overhead(f func(figure.Tally) float64) func(*figure.Measured, bool) figure.Tally {
	return func(m *figure.Measured, extended bool) figure.Tally {
		return cost(f, columnOf(extended), plain)(m, extended)
	}
}

// programsOf returns the programs with accuracies of a variant.
func programsOf(m *figure.Measured, workload, variant string) (list []string) {
	for _, p := range m.Below("accuracy/" + workload) {
		if m.Of("accuracy", workload, p, variant, "wall") != nil {
			list = append(list, p)
		}
	}
	return list
}

// accuracies returns for each run what f makes of a number of programs. All programs have a run, or it does not count.
func accuracies(m *figure.Measured, f func(figure.Tally) float64, workload, variant, unit string) (t figure.Tally) {
	list := programsOf(m, workload, variant)
	if list == nil {
		return nil
	}
	for k := 0; ; k++ {
		var programs figure.Tally
		for _, p := range list {
			of := m.Of("accuracy", workload, p, variant, unit)
			if k >= len(of) {
				return t
			}
			programs = append(programs, of[k])
		}
		t = append(t, f(programs))
	}
}

// unitOf is a unit of lines: in the paper each sample counts once.
func unitOf(metric string, extended bool) string {
	if extended {
		return metric
	}
	return "sample-" + metric
}

// accuracy is the mean of a metric of the column.
func accuracy(metric string) func(*figure.Measured, bool) figure.Tally {
	return func(m *figure.Measured, extended bool) figure.Tally {
		return accuracies(m, figure.Tally.Mean, workload, columnOf(extended), unitOf(metric, extended))
	}
}

// setting is the mean of a metric of another setting, with the paper's rules.
func setting(variant, metric string) func(*figure.Measured, bool) figure.Tally {
	return func(m *figure.Measured, _ bool) figure.Tally {
		return accuracies(m, figure.Tally.Mean, workload, variant, unitOf(metric, false))
	}
}

// ofPrograms returns for each program what f makes of the median accuracies of variants, with the paper's rules.
// Programs that lack one are left out.
func ofPrograms(m *figure.Measured, metric string, variants []string, f func(x []float64) float64) (t figure.Tally) {
	for _, p := range programsOf(m, workload, variants[0]) {
		var x []float64
		for _, v := range variants {
			if of := m.Of("accuracy", workload, p, v, unitOf(metric, false)); of != nil {
				x = append(x, of.Median())
			}
		}
		if len(x) == len(variants) {
			t = append(t, f(x))
		}
	}
	return t
}

// meanOf is the mean over programs, as a single number; nil if there are none.
func meanOf(t figure.Tally) figure.Tally {
	if t == nil {
		return nil
	}
	return figure.Tally{t.Mean()}
}

// gains returns how much of what is missing to 100 % other settings bring.
func gains(metric string, settings ...string) func(*figure.Measured, bool) figure.Tally {
	return func(m *figure.Measured, _ bool) (t figure.Tally) {
		for _, v := range settings {
			both := func(k int) figure.Tally {
				return meanOf(ofPrograms(m, metric, []string{pep, v}, func(x []float64) float64 { return x[k] }))
			}
			if few, many := both(0), both(1); few != nil {
				t = append(t, 100*(many[0]-few[0])/(100-few[0]))
			}
		}
		return t
	}
}

// steps returns the lesser of the two steps of absolute overlap from 64 to 256 and to 1024 samples, means of programs.
func steps(m *figure.Measured, _ bool) figure.Tally {
	at := func(k int) figure.Tally {
		return meanOf(ofPrograms(m, "absolute", []string{pep, medium, large}, func(x []float64) float64 { return x[k] }))
	}
	a, b, c := at(0), at(1), at(2)
	if a == nil {
		return nil
	}
	return figure.Tally{min(b[0]-a[0], c[0]-b[0])}
}

// oneTime returns a number of one-time profiles of each program but the phased one.
func oneTime(m *figure.Measured, unit string) (t figure.Tally) {
	for _, p := range m.Below("one-time") {
		if p != phased {
			t = append(t, m.First("one-time", p, unit))
		}
	}
	return t
}

// ordered returns by how many points of the plain program's instructions additions on hot edges cost more than those on
// cold ones, of each program.
func ordered(m *figure.Measured) (t figure.Tally) {
	for _, p := range m.Below("instructions") {
		t = append(t, 100*(m.First("instructions", p, "coldest")-m.First("instructions", p, "guided")))
	}
	return t
}

// seconds returns the CPU time of building and running a variant, or of building alone, of each program that was built.
func seconds(m *figure.Measured, variant string, run bool) (t figure.Tally) {
	for _, p := range m.Below("build") {
		x := m.First("build", p, variant)
		if run {
			x += m.First("seconds", ofBuilds, p, variant)
		}
		t = append(t, x)
	}
	return t
}

// builds returns by how many percent building a column and running it takes longer.
func builds(m *figure.Measured, extended, run bool) (t figure.Tally) {
	base := seconds(m, plain, run)
	for i, x := range seconds(m, columnOf(extended), run) {
		t = append(t, 100*(x/base[i]-1))
	}
	return t
}

// adaptive returns the time of a profiled run and one of the program that its branches optimise, in percent beyond two
// plain runs.
func adaptive(f func(figure.Tally) float64) func(*figure.Measured, bool) figure.Tally {
	return func(m *figure.Measured, _ bool) (t figure.Tally) {
		eachSession(m, []string{"profiled_run", "branches+sampled"}, func(rows [][]float64) {
			var programs figure.Tally
			for _, row := range rows {
				programs = append(programs, 100*((row[0]+row[1])/2-1))
			}
			t = append(t, f(programs))
		})
		return t
	}
}

// bulk returns which share of the cost of exact paths is that of counting them, of each program: all but that of
// registers and polls.
func bulk(m *figure.Measured, _ bool) (t figure.Tally) {
	for _, p := range timed(m, exact) {
		if registers := beyond(m, p, noTicks); registers != nil {
			all := beyond(m, p, exact).Median()
			t = append(t, 100*(all-registers.Median())/all)
		}
	}
	return t
}

// beyond returns how much longer than the plain program a variant of one program takes, in all sessions and layouts.
func beyond(m *figure.Measured, program, variant string) (t figure.Tally) {
	for _, session := range m.Below("time") {
		for _, x := range m.Of("time", session, program, variant) {
			t = append(t, 100*(x-1))
		}
	}
	return t
}

// timed are the programs with times of a variant.
func timed(m *figure.Measured, variant string) (list []string) {
	for _, session := range m.Below("time") {
		for _, p := range m.Below("time/" + session) {
			if !slices.Contains(list, p) && m.Of("time", session, p, variant) != nil {
				list = append(list, p)
			}
		}
	}
	return list
}
