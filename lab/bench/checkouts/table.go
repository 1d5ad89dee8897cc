package checkouts

// This file makes tables of comparisons.

import (
	"fmt"
	"slices"

	"github.com/pepgo/pep/lab/bench/programs"
	"github.com/pepgo/pep/lab/markdown"
	"github.com/pepgo/pep/lab/stats"
)

// Tables returns Markdown of what was measured. The last of the names is that of
// the checkout that is compared with each of the others.
func Tables(names []string, rows []Compared) string {
	if len(rows) == 0 {
		return ""
	}
	summary, all := markdown.NewTable("mode", "programs"), markdown.NewTable("mode", "program")
	last := names[len(names)-1]
	all.Rows[0] = append(all.Rows[0], names...)
	for _, name := range names[:len(names)-1] {
		summary.Rows[0] = append(summary.Rows[0], last+" / "+name, "instructions")
		all.Rows[0] = append(all.Rows[0], last+" / "+name, "spread", "instructions")
	}
	for _, r := range rows {
		all.Row(r.cells()...)
	}
	for _, what := range whats(rows) {
		summary.Row(summaryCells(what, rows)...)
	}
	return markdown.Section("By mode", "Geometric means of the ratios in the next table, least and greatest in brackets.",
		summary) +
		markdown.Section("By program", "Programs: user and system CPU time with all that a program does at its end, the least of all rounds. "+
			"Benchmarks: CPU time of a process that does the operation many times, divided by how many; likewise. Ratios are of these least times; "+
			"spread is the median (quartiles) of the ratios of the rounds. "+
			fmt.Sprintf("Instructions: ratio of those executed with %d%% of the workload, under valgrind, in one thread and without ticks.", programs.SmallScale), all)
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
		instructions := markdown.None
		if r.Instructions != nil {
			instructions = markdown.Ratio(r.instructionRatio(i))
		}
		row = append(row, markdown.Ratio(r.ratio(i)), spread(rounds), instructions)
	}
	return row
}

// spread is the median with the quartiles.
func spread(xs []float64) string {
	s := stats.Summarize(xs)
	return markdown.Ratio(s.Median) + " (" + markdown.Ratio(s.P25) + "–" + markdown.Ratio(s.P75) + ")"
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
		return markdown.None
	}
	return markdown.Ratio(stats.GeoMean(xs)) + " (" + markdown.Ratio(slices.Min(xs)) + "–" + markdown.Ratio(slices.Max(xs)) + ")"
}
