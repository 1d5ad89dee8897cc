package bench

// This file makes tables of comparisons.

import (
	"fmt"
	"slices"
)

// CompareTables returns Markdown of what was measured. The last of the names is that of
// the checkout that is compared with each of the others.
func CompareTables(names []string, rows []Compared) string {
	if len(rows) == 0 {
		return ""
	}
	summary, all := newTable("mode", "programs"), newTable("mode", "program")
	last := names[len(names)-1]
	all.rows[0] = append(all.rows[0], names...)
	for _, name := range names[:len(names)-1] {
		summary.rows[0] = append(summary.rows[0], last+" / "+name, "instructions")
		all.rows[0] = append(all.rows[0], last+" / "+name, "spread", "instructions")
	}
	for _, r := range rows {
		all.row(r.cells()...)
	}
	for _, what := range whats(rows) {
		summary.row(summaryCells(what, rows)...)
	}
	return section("By mode", "Geometric means of the ratios in the next table, least and greatest in brackets.", summary) +
		section("By program", "Programs: user and system CPU time with all that a program does at its end, the least of all rounds. "+
			"Benchmarks: CPU time of a process that does the operation many times, divided by how many; likewise. Ratios are of these least times; "+
			"spread is the median (quartiles) of the ratios of the rounds. "+
			fmt.Sprintf("Instructions: ratio of those executed with %d%% of the workload, under valgrind, in one thread and without ticks.", smallScale), all)
}

// whats returns the modes and packages of rows, each once.
func whats(rows []Compared) (list []string) {
	for _, r := range rows {
		if !slices.Contains(list, r.What) {
			list = append(list, r.What)
		}
	}
	return list
}

func (r *Compared) least(i int) float64 { return slices.Min(r.Seconds[i]) }

// ratio returns that of the least times of the last checkout and checkout i.
func (r *Compared) ratio(i int) float64 { return r.least(len(r.Seconds)-1) / r.least(i) }

func (r *Compared) instructionRatio(i int) float64 {
	return float64(r.Instructions[len(r.Instructions)-1]) / float64(r.Instructions[i])
}

func (r *Compared) cells() []string {
	row := []string{r.What, r.Program}
	for i := range r.Seconds {
		row = append(row, duration(r.least(i)))
	}
	last := len(r.Seconds) - 1
	for i := range last {
		var rounds []float64
		for round, s := range r.Seconds[last] {
			rounds = append(rounds, s/r.Seconds[i][round])
		}
		instructions := none
		if r.Instructions != nil {
			instructions = ratio(r.instructionRatio(i))
		}
		row = append(row, ratio(r.ratio(i)), spread(rounds), instructions)
	}
	return row
}

// spread is the median with the quartiles.
func spread(xs []float64) string {
	s := summarize(xs)
	return ratio(s.median) + " (" + ratio(s.p25) + "–" + ratio(s.p75) + ")"
}

// duration formats seconds with three digits.
func duration(seconds float64) string {
	for _, unit := range []struct {
		name string
		of   float64
	}{{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}} {
		if seconds >= unit.of {
			return fmt.Sprintf("%.3g %s", seconds/unit.of, unit.name)
		}
	}
	return fmt.Sprintf("%.3g ns", seconds/1e-9)
}

// summaryCells is the row of a mode or package.
func summaryCells(what string, rows []Compared) []string {
	var of []Compared
	for _, r := range rows {
		if r.What == what {
			of = append(of, r)
		}
	}
	row := []string{what, fmt.Sprint(len(of))}
	for i := range len(of[0].Seconds) - 1 {
		var times, instructions []float64
		for _, r := range of {
			times = append(times, r.ratio(i))
			if r.Instructions != nil {
				instructions = append(instructions, r.instructionRatio(i))
			}
		}
		row = append(row, meanAndEnds(times), meanAndEnds(instructions))
	}
	return row
}

// meanAndEnds formats the geometric mean of ratios, the least and the greatest.
func meanAndEnds(xs []float64) string {
	if len(xs) == 0 {
		return none
	}
	return ratio(geoMean(xs)) + " (" + ratio(slices.Min(xs)) + "–" + ratio(slices.Max(xs)) + ")"
}
