package bench

// This file makes tables of costs.

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pepgo/pep/lab/wrap"
)

// figures are results to compare a variant with. They are "" if the paper has no such result.
type figures struct {
	mean, max string // Bond & McKinley, MICRO 2005, §6.1 and §5.1
}

// reference returns the results to compare a variant with.
func reference(v Variant) figures {
	switch {
	case slices.Contains([]string{guidedBuild, setBuild, atomicBuild, selfBuild}, v.Build):
		return figures{}
	case v.Build == exactBuild:
		return figures{"+92%", "+407%"}
	case v.Build == countBuild:
		// The paper's exact edge profile (perfect, in its words) has a counter for each branch
		// outcome; cover has one for each block.
		return figures{"+10%", "+34%"}
	case len(v.Env) == 1 && v.Env[0] == noTicks:
		return figures{"+1.1%", "+5.4%"}
	case len(v.Env) == 1 && v.Env[0] == PEP.env():
		return figures{"+1.2%", "+4.3%"}
	}
	return figures{}
}

// A Group is some programs whose mean is shown by itself, such as those that were measured
// before others were added.
type Group struct {
	Name     string
	Programs []string
}

// ParseGroup reads a group: "first=flate,lua".
func ParseGroup(text string) (g Group, err error) {
	name, list, ok := strings.Cut(text, "=")
	if !ok || name == "" || list == "" {
		return g, fmt.Errorf("group %q: want name=program,program", text)
	}
	return Group{name, strings.Split(list, ",")}, nil
}

// OverheadTables returns the results as Markdown: means of all variants, CPU time of each program, and a sentence about
// each of the other measures. Spread and wall-clock times are in the Go benchmark lines. Groups of which a program was not
// measured are left out.
func OverheadTables(costs []Cost, groups ...Group) string {
	if len(costs) == 0 {
		return ""
	}
	var b strings.Builder
	add := func(title, text string, t *table) { b.WriteString(section(title, text, t)) }

	add("Overhead", "User and system time: the least of all runs, divided by the least of the plain program; geometric mean and "+
		"maximum over the programs. "+buildsText(costs)+"The last column has the means of the rounds: median and "+intervals+".", overheadSummary(costs))
	add("CPU time by program", "Least of all runs, divided by that of the plain program.", leastRatios(costs, groups...))
	b.WriteString(instructionSection(costs))
	b.WriteString("## Other costs\n\n")
	for _, text := range []string{exitText(costs), accountText(costs), sizeText(costs), buildText(costs)} {
		if text != "" {
			b.WriteString(wrap.Text("* ", text))
		}
	}
	return b.String()
}

func cpu(r Run) float64  { return r.CPU.Seconds() }
func wall(r Run) float64 { return r.Wall.Seconds() }

// least returns the least of a measure over the runs of variant v.
func (c *Cost) least(v int, measure func(Run) float64) float64 {
	var xs []float64
	for _, r := range c.Runs[v] {
		xs = append(xs, measure(r))
	}
	return summarize(xs).min
}

func (c *Cost) leastRatio(v int, measure func(Run) float64) float64 {
	return c.least(v, measure) / c.least(0, measure)
}

// byRound returns the ratios of variant v to the plain program, by round.
func (c *Cost) byRound(v int, measure func(Run) float64) []float64 {
	var xs []float64
	for i, r := range c.Runs[v] {
		xs = append(xs, measure(r)/measure(c.Runs[0][i]))
	}
	return xs
}

func overheadSummary(costs []Cost) *table {
	t := newTable("variant", "ours, mean", "paper, mean", "ours, max", "paper, max", "by rounds")
	for v, variant := range costs[0].Variants {
		if v == 0 {
			continue
		}
		var xs []float64
		for _, c := range costs {
			xs = append(xs, c.leastRatio(v, cpu))
		}
		at := argMax(xs)
		f := reference(variant)
		t.row(variant.Name, overhead(geoMean(xs)), or(f.mean), overhead(xs[at])+" ("+costs[at].Program+")", or(f.max),
			interval(roundMeans(costs, v, cpu)))
	}
	return t
}

// buildsText says what there is to know of builds, if they were measured.
func buildsText(costs []Cost) (text string) {
	builds := buildsOf(costs[0].Variants)
	if slices.Contains(builds, countBuild) {
		text = "The paper's exact edge profile stands beside go build -cover -covermode=count of the same packages. "
	}
	if slices.Contains(builds, guidedBuild) {
		text += "The guide has the edges of one sampled run with the same workload. "
	}
	return text
}

func or(s string) string {
	if s == "" {
		return none
	}
	return s
}

// perProgram makes a table with a row for each program. A row has a cell for each variant
// except the plain one.
func perProgram(costs []Cost, plain string, plainCell func(*Cost) string, cell func(c *Cost, v int) string) *table {
	header := []string{"program", plain}
	for _, v := range costs[0].Variants[1:] {
		header = append(header, v.Name)
	}
	t := newTable(header...)
	for i := range costs {
		c := &costs[i]
		row := []string{c.Program, plainCell(c)}
		for v := range c.Variants[1:] {
			row = append(row, cell(c, v+1))
		}
		t.row(row...)
	}
	return t
}

// summaryRows adds geometric mean and maximum of the columns behind the second.
func summaryRows(t *table, columns [][]float64) *table {
	means, maxima := []string{"geometric mean", ""}, []string{"maximum", ""}
	for _, xs := range columns {
		means = append(means, ratio(geoMean(xs)))
		maxima = append(maxima, ratio(xs[argMax(xs)]))
	}
	t.row(means...)
	t.row(maxima...)
	return t
}

func leastRatios(costs []Cost, groups ...Group) *table {
	columns := make([][]float64, len(costs[0].Variants)-1)
	t := perProgram(costs, "plain",
		func(c *Cost) string { return fmt.Sprintf("%.2f s", c.least(0, cpu)) },
		func(c *Cost, v int) string {
			x := c.leastRatio(v, cpu)
			columns[v-1] = append(columns[v-1], x)
			return ratio(x)
		})
	summaryRows(t, columns)
	if len(costs) > 1 {
		t.row(meanRow("mean without the worst", columns, func(xs []float64) []float64 {
			at := argMax(xs)
			return slices.Concat(xs[:at], xs[at+1:])
		})...)
	}
	for _, g := range groups {
		if at := g.in(costs); at != nil {
			t.row(meanRow("mean of "+g.Name, columns, func(xs []float64) (some []float64) {
				for _, i := range at {
					some = append(some, xs[i])
				}
				return some
			})...)
		}
	}
	return t
}

// meanRow is a row with the geometric means of some values of each column.
func meanRow(name string, columns [][]float64, some func(xs []float64) []float64) []string {
	row := []string{name, ""}
	for _, xs := range columns {
		row = append(row, ratio(geoMean(some(xs))))
	}
	return row
}

// in returns the indices of the group's programs in costs, nil if one of them is not there.
func (g Group) in(costs []Cost) (at []int) {
	for _, name := range g.Programs {
		i := slices.IndexFunc(costs, func(c Cost) bool { return c.Program == name })
		if i < 0 {
			return nil
		}
		at = append(at, i)
	}
	return at
}

// roundMeans returns the geometric means of the ratios of all programs, by round.
func roundMeans(costs []Cost, v int, measure func(Run) float64) (means []float64) {
	for round := range costs[0].Runs[v] {
		var xs []float64
		for _, c := range costs {
			xs = append(xs, c.byRound(v, measure)[round])
		}
		means = append(means, geoMean(xs))
	}
	return means
}

// medianExit returns the median time of the exit of variant v.
func (c *Cost) medianExit(v int) time.Duration {
	var xs []float64
	for _, w := range c.Written[v] {
		xs = append(xs, w.Exit.Seconds())
	}
	return time.Duration(summarize(xs).median * float64(time.Second))
}

// exitText says how long the exits of programs take, and what the largest part of a run's wall-clock time is.
func exitText(costs []Cost) string {
	list := eachWriter(costs, func(v int) string {
		var times, parts []float64
		for i := range costs {
			times = append(times, costs[i].medianExit(v).Seconds())
			parts = append(parts, times[i]/costs[i].least(v, wall))
		}
		worst := argMax(parts)
		return fmt.Sprintf("%s ms, at most %s of a run (%s)",
			between(fmt.Sprintf("%.0f", 1000*slices.Min(times)), fmt.Sprintf("%.0f", 1000*slices.Max(times))),
			percent(parts[worst]), costs[worst].Program)
	})
	if list == "" {
		return ""
	}
	return "From the end of the profile until its files are written, which is part of the times above, it takes: " + list + "."
}

// accountText says what profiles say of their own cost.
func accountText(costs []Cost) string {
	list := eachWriter(costs, func(v int) string {
		var xs []float64
		for _, c := range costs {
			var shares []float64
			for _, w := range c.Written[v] {
				shares = append(shares, w.Share)
			}
			xs = append(xs, summarize(shares).median)
		}
		return fmt.Sprintf("%.2f%% to %.2f%%", 100*slices.Min(xs), 100*slices.Max(xs))
	})
	if list == "" {
		return ""
	}
	return "Profiles say that sampling took this part of the CPU time: " + list + "."
}

// eachWriter lists a text for each variant that writes a profile of paths.
func eachWriter(costs []Cost, text func(v int) string) string {
	var list []string
	for v, variant := range costs[0].Variants {
		if variant.writesPaths() {
			list = append(list, variant.Name+" "+text(v))
		}
	}
	return strings.Join(list, "; ")
}

// sizeText says how large executables are.
func sizeText(costs []Cost) string {
	var list []string
	for _, build := range buildsOf(costs[0].Variants)[1:] {
		var xs []float64
		for _, c := range costs {
			xs = append(xs, float64(c.Size[build])/float64(c.Size[plainBuild]))
		}
		list = append(list, fmt.Sprintf("%s %s (%s)", build, ratio(geoMean(xs)), ratio(slices.Max(xs))))
	}
	return "Size of executables, divided by that of the plain one, mean (greatest): " + strings.Join(list, ", ") + "."
}

// buildText says how long builds take; "" if that was not measured.
func buildText(costs []Cost) string {
	if costs[0].BuildTime == nil {
		return ""
	}
	var cpus, walls []float64
	for _, c := range costs {
		plain, pep := c.BuildTime["go"], c.BuildTime["pepbuild"]
		cpus, walls = append(cpus, pep.CPU.Seconds()/plain.CPU.Seconds()), append(walls, pep.Wall.Seconds()/plain.Wall.Seconds())
	}
	return fmt.Sprintf("pepbuild takes %s (%s) of the CPU time of go build, mean (greatest), and %s of its wall-clock time, with "+
		"instrumented packages cold and all others warm. In the paper a first iteration, which compiles and runs, takes 1.6%% more "+
		"(4.6%%).", ratio(geoMean(cpus)), ratio(slices.Max(cpus)), ratio(geoMean(walls)))
}

// instructionSection is "" if instructions were not to be counted.
func instructionSection(costs []Cost) string {
	if costs[0].Instructions == nil && costs[0].Skipped == nil {
		return ""
	}
	return section("Instructions", fmt.Sprintf("Executed for %d percent of the workload (%d%% less %d%%), under valgrind and without ticks, divided by the instructions of the plain program. Least of all runs.",
		largeScale-smallScale, largeScale, smallScale), instructions(costs))
}

func instructions(costs []Cost) *table {
	builds := slices.DeleteFunc(buildsOf(costs[0].Variants), func(b string) bool { return b == selfBuild })
	t := newTable(append([]string{"program"}, builds...)...)
	columns := make([][]float64, len(builds)-1)
	for _, c := range costs {
		if c.Skipped != nil {
			row := []string{c.Program, "skipped: " + c.Skipped.Error()}
			for range columns {
				row = append(row, none)
			}
			t.row(row...)
			continue
		}
		row := []string{c.Program, fmt.Sprintf("%.0f M", float64(c.Instructions[plainBuild])/1e6)}
		for i, build := range builds[1:] {
			x := float64(c.Instructions[build]) / float64(c.Instructions[plainBuild])
			columns[i] = append(columns[i], x)
			row = append(row, ratio(x))
		}
		t.row(row...)
	}
	if len(columns[0]) == 0 {
		return t
	}
	return summaryRows(t, columns)
}
