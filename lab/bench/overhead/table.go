package overhead

// This file makes tables of costs.

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pepgo/pep/lab/bench/cost"
	"github.com/pepgo/pep/lab/bench/programs"
	"github.com/pepgo/pep/lab/driver"
	"github.com/pepgo/pep/lab/markdown"
	"github.com/pepgo/pep/lab/stats"
	"github.com/pepgo/pep/lab/wrap"
)

// figures are results to compare a variant with. They are "" if the paper has no such result.
type figures struct {
	mean, max string // Bond & McKinley, MICRO 2005, §6.1 and §5.1
}

// reference returns the results to compare a variant with.
func reference(v cost.Variant) figures {
	switch {
	case slices.Contains([]string{programs.Guided, programs.Set, programs.Atomic, programs.Profiled}, v.Build):
		return figures{}
	case v.Build == programs.Exact:
		return figures{"+92%", "+407%"}
	case v.Build == programs.Count:
		// The paper's exact edge profile (perfect, in its words) has a counter for each branch
		// outcome; cover has one for each block.
		return figures{"+10%", "+34%"}
	case len(v.Env) == 1 && v.Env[0] == programs.NoTicks:
		return figures{"+1.1%", "+5.4%"}
	case len(v.Env) == 1 && v.Env[0] == programs.PEP.Env():
		return figures{"+1.2%", "+4.3%"}
	}
	return figures{}
}

// Tables returns the results as Markdown: means of all variants, CPU time of each program, and a sentence about
// each of the other measures. Spread and wall-clock times are in the Go benchmark lines.
func Tables(costs []cost.Cost) string {
	if len(costs) == 0 {
		return ""
	}
	var b strings.Builder
	add := func(title, text string, t *markdown.Table) { b.WriteString(markdown.Section(title, text, t)) }

	add("Overhead", "User and system time: the least of all runs, divided by the least of the plain program; geometric mean and "+
		"maximum over the programs. "+buildsText(costs)+"The last column has the means of the rounds: median and "+stats.Intervals+
		".", overheadSummary(costs))
	add("CPU time by program", "Least of all runs, divided by that of the plain program.", leastRatios(costs))
	b.WriteString(instructionSection(costs))
	b.WriteString("## Other costs\n\n")
	for _, text := range []string{exitText(costs), accountText(costs), sizeText(costs), buildText(costs)} {
		if text != "" {
			b.WriteString(wrap.Text("* ", text))
		}
	}
	return b.String()
}

func overheadSummary(costs []cost.Cost) *markdown.Table {
	t := markdown.NewTable("variant", "ours, mean", "paper, mean", "ours, max", "paper, max", "by rounds")
	for v, variant := range costs[0].Variants {
		if v == 0 {
			continue
		}
		var xs []float64
		for _, c := range costs {
			xs = append(xs, c.LeastRatio(v, cost.CPU))
		}
		at := stats.ArgMax(xs)
		f := reference(variant)
		t.Row(variant.Name, markdown.Overhead(stats.GeoMean(xs)), markdown.Or(f.mean),
			markdown.Overhead(xs[at])+" ("+costs[at].Program+")", markdown.Or(f.max),
			stats.Interval(roundMeans(costs, v, cost.CPU)))
	}
	return t
}

// buildsText says what there is to know of builds, if they were measured.
func buildsText(costs []cost.Cost) (text string) {
	builds := cost.Builds(costs[0].Variants)
	if slices.Contains(builds, programs.Count) {
		text = "The paper's exact edge profile stands beside go build -cover -covermode=count of the same packages. "
	}
	if slices.Contains(builds, programs.Guided) {
		text += "The guide has the edges of one sampled run with the same workload. "
	}
	return text
}

// perProgram makes a table with a row for each program. A row has a cell for each variant
// except the plain one.
func perProgram(costs []cost.Cost, plain string, plainCell func(*cost.Cost) string,
	cell func(c *cost.Cost, v int) string) *markdown.Table {
	header := []string{"program", plain}
	for _, v := range costs[0].Variants[1:] {
		header = append(header, v.Name)
	}
	t := markdown.NewTable(header...)
	for i := range costs {
		c := &costs[i]
		row := []string{c.Program, plainCell(c)}
		for v := range c.Variants[1:] {
			row = append(row, cell(c, v+1))
		}
		t.Row(row...)
	}
	return t
}

// summaryRows adds geometric mean and maximum of the columns behind the second.
func summaryRows(t *markdown.Table, columns [][]float64) *markdown.Table {
	means, maxima := []string{"geometric mean", ""}, []string{"maximum", ""}
	for _, xs := range columns {
		means = append(means, markdown.Ratio(stats.GeoMean(xs)))
		maxima = append(maxima, markdown.Ratio(xs[stats.ArgMax(xs)]))
	}
	t.Row(means...)
	t.Row(maxima...)
	return t
}

func leastRatios(costs []cost.Cost) *markdown.Table {
	columns := make([][]float64, len(costs[0].Variants)-1)
	t := perProgram(costs, "plain",
		func(c *cost.Cost) string { return fmt.Sprintf("%.2f s", c.Least(0, cost.CPU)) },
		func(c *cost.Cost, v int) string {
			x := c.LeastRatio(v, cost.CPU)
			columns[v-1] = append(columns[v-1], x)
			return markdown.Ratio(x)
		})
	summaryRows(t, columns)
	if len(costs) > 1 {
		t.Row(meanRow("mean without the worst", columns, func(xs []float64) []float64 {
			at := stats.ArgMax(xs)
			return slices.Concat(xs[:at], xs[at+1:])
		})...)
	}
	return t
}

// meanRow is a row with the geometric means of some values of each column.
func meanRow(name string, columns [][]float64, some func(xs []float64) []float64) []string {
	row := []string{name, ""}
	for _, xs := range columns {
		row = append(row, markdown.Ratio(stats.GeoMean(some(xs))))
	}
	return row
}

// roundMeans returns the geometric means of the ratios of all programs, by round.
func roundMeans(costs []cost.Cost, v int, measure func(driver.Run) float64) (means []float64) {
	for round := range costs[0].Runs[v] {
		var xs []float64
		for _, c := range costs {
			xs = append(xs, c.ByRound(v, measure)[round])
		}
		means = append(means, stats.GeoMean(xs))
	}
	return means
}

// medianExit returns the median time of the exit of variant v.
func medianExit(c *cost.Cost, v int) time.Duration {
	var xs []float64
	for _, w := range c.Written[v] {
		xs = append(xs, w.Exit.Seconds())
	}
	return time.Duration(stats.Summarize(xs).Median * float64(time.Second))
}

// exitText says how long the exits of programs take, and what the largest part of a run's wall-clock time is.
func exitText(costs []cost.Cost) string {
	list := eachWriter(costs, func(v int) string {
		var times, parts []float64
		for i := range costs {
			times = append(times, medianExit(&costs[i], v).Seconds())
			parts = append(parts, times[i]/costs[i].Least(v, cost.Wall))
		}
		worst := stats.ArgMax(parts)
		return fmt.Sprintf("%s ms, at most %s of a run (%s)",
			markdown.Between(fmt.Sprintf("%.0f", 1000*slices.Min(times)), fmt.Sprintf("%.0f", 1000*slices.Max(times))),
			markdown.Percent(parts[worst]), costs[worst].Program)
	})
	if list == "" {
		return ""
	}
	return "From the end of the profile until its files are written, which is part of the times above, it takes: " + list +
		"."
}

// accountText says what profiles say of their own cost.
func accountText(costs []cost.Cost) string {
	list := eachWriter(costs, func(v int) string {
		var xs []float64
		for _, c := range costs {
			var shares []float64
			for _, w := range c.Written[v] {
				shares = append(shares, w.Share)
			}
			xs = append(xs, stats.Summarize(shares).Median)
		}
		return fmt.Sprintf("%.2f%% to %.2f%%", 100*slices.Min(xs), 100*slices.Max(xs))
	})
	if list == "" {
		return ""
	}
	return "Profiles say that sampling took this part of the CPU time: " + list + "."
}

// eachWriter lists a text for each variant that writes a profile of paths.
func eachWriter(costs []cost.Cost, text func(v int) string) string {
	var list []string
	for v, variant := range costs[0].Variants {
		if variant.WritesPaths() {
			list = append(list, variant.Name+" "+text(v))
		}
	}
	return strings.Join(list, "; ")
}

// sizeText says how large executables are.
func sizeText(costs []cost.Cost) string {
	var list []string
	for _, build := range cost.Builds(costs[0].Variants)[1:] {
		var xs []float64
		for _, c := range costs {
			xs = append(xs, float64(c.Size[build])/float64(c.Size[programs.Plain]))
		}
		list = append(list, fmt.Sprintf("%s %s (%s)", build, markdown.Ratio(stats.GeoMean(xs)), markdown.Ratio(slices.Max(xs))))
	}
	return "Size of executables, divided by that of the plain one, mean (greatest): " + strings.Join(list, ", ") + "."
}

// buildText says how long builds take; "" if that was not measured.
func buildText(costs []cost.Cost) string {
	if costs[0].BuildTime == nil {
		return ""
	}
	var cpus, walls []float64
	for _, c := range costs {
		plain, pep := c.BuildTime["go"], c.BuildTime["pepbuild"]
		cpus, walls = append(cpus, pep.CPU.Seconds()/plain.CPU.Seconds()),
			append(walls, pep.Wall.Seconds()/plain.Wall.Seconds())
	}
	return fmt.Sprintf("pepbuild takes %s (%s) of the CPU time of go build, mean (greatest), and %s of its wall-clock time, with "+
		"instrumented packages cold and all others warm. In the paper a first iteration, which compiles and runs, takes 1.6%% more "+
		"(4.6%%).", markdown.Ratio(stats.GeoMean(cpus)), markdown.Ratio(slices.Max(cpus)), markdown.Ratio(stats.GeoMean(walls)))
}

// instructionSection is "" if instructions were not to be counted.
func instructionSection(costs []cost.Cost) string {
	if costs[0].Instructions == nil && costs[0].Skipped == nil {
		return ""
	}
	return markdown.Section("Instructions", fmt.Sprintf(
		"Executed for %d percent of the workload (%d%% less %d%%), under valgrind and without ticks, divided by the instructions of the plain program. Least of all runs.",
		programs.LargeScale-programs.SmallScale, programs.LargeScale, programs.SmallScale), instructions(costs))
}

func instructions(costs []cost.Cost) *markdown.Table {
	builds := slices.DeleteFunc(cost.Builds(costs[0].Variants), func(b string) bool { return b == programs.Profiled })
	t := markdown.NewTable(append([]string{"program"}, builds...)...)
	columns := make([][]float64, len(builds)-1)
	for _, c := range costs {
		if c.Skipped != nil {
			row := []string{c.Program, "skipped: " + c.Skipped.Error()}
			for range columns {
				row = append(row, markdown.None)
			}
			t.Row(row...)
			continue
		}
		row := []string{c.Program, fmt.Sprintf("%.0f M", float64(c.Instructions[programs.Plain])/1e6)}
		for i, build := range builds[1:] {
			x := float64(c.Instructions[build]) / float64(c.Instructions[programs.Plain])
			columns[i] = append(columns[i], x)
			row = append(row, markdown.Ratio(x))
		}
		t.Row(row...)
	}
	if len(columns[0]) == 0 {
		return t
	}
	return summaryRows(t, columns)
}
