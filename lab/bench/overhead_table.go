package bench

// This file makes tables of costs.

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// figures are results to compare a variant with. They are "" if the paper or the prototype
// has no such result.
type figures struct {
	paperMean, paperMax string // Bond & McKinley, MICRO 2005, §6.1 and §5.1
	prototype           string // lab/README.md: geometric mean without httpecho and without smart numbering
}

// reference returns the results to compare a variant with.
func reference(v Variant) figures {
	switch {
	case slices.Contains([]string{guidedBuild, setBuild, atomicBuild, selfBuild}, v.Build):
		return figures{}
	case v.Build == exactBuild:
		return figures{paperMean: "+92%", paperMax: "+407%"}
	case v.Build == countBuild:
		// The paper's exact edge profile (perfect, in its words) has a counter for each branch
		// outcome; cover has one for each block.
		return figures{paperMean: "+10%", paperMax: "+34%", prototype: "+61%"}
	case len(v.Env) == 1 && v.Env[0] == noTicks:
		return figures{paperMean: "+1.1%", paperMax: "+5.4%", prototype: "+5.5%"}
	case len(v.Env) == 1 && v.Env[0] == PEP.env():
		return figures{paperMean: "+1.2%", paperMax: "+4.3%"}
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

// OverheadTables returns the results as Markdown tables. Groups of which a program was not
// measured are left out.
func OverheadTables(costs []Cost, groups ...Group) string {
	if len(costs) == 0 {
		return ""
	}
	var b strings.Builder
	add := func(title, text string, t *table) { b.WriteString(section(title, text, t)) }

	add("Overhead", "User and system time: the least of all runs, divided by the least of the plain program; geometric mean and maximum over the programs. "+
		"The paper's perfect edge profile stands beside go build -cover -covermode=count of the same packages. "+
		guideText(costs)+
		"The prototype (lab/README.md) took no samples, had no smart numbering, and did not run httpecho. "+
		"The last column is from the rounds: the geometric mean of the programs' ratios to the plain program in each round, then median and "+intervals+".", overheadSummary(costs, cpu))
	add("CPU time by program", "Least of all runs, divided by that of the plain program.", leastRatios(costs, cpu, groups...))
	add("Spread of CPU time", "Median over the rounds of the ratio to the plain program in the same round, with "+intervals+".", roundIntervals(costs, cpu))
	add("Wall-clock time by program", "Least of all runs, divided by that of the plain program.", leastRatios(costs, wall, groups...))
	add("Exit", "Median time from the end of the profile until its files are written. It is part of all times above: "+exitRanges(costs)+".", exits(costs))
	add("Account", "Share of the CPU time that the profiles say sampling took: median over the rounds (greatest).", accounts(costs))
	add("Executables", "Size, divided by that of the plain executable.", sizes(costs))
	b.WriteString(instructionSection(costs))
	if costs[0].BuildTime != nil {
		add("Builds", "Packages that are instrumented cold, all others and the linked runtime warm. "+
			"The paper's counterpart is its first iteration, which compiles and runs: +1.6% on average, +4.6% at most.", buildTimes(costs))
	}
	return b.String()
}

// section is a table with a heading and a text.
func section(title, text string, t *table) string {
	return fmt.Sprintf("## %s\n\n%s\n\n%s\n", title, text, t)
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

func overheadSummary(costs []Cost, measure func(Run) float64) *table {
	t := newTable("variant", "ours, mean", "paper, mean", "ours, max", "paper, max", "prototype, mean", "by rounds")
	for v, variant := range costs[0].Variants {
		if v == 0 {
			continue
		}
		var xs []float64
		for _, c := range costs {
			xs = append(xs, c.leastRatio(v, measure))
		}
		at := argMax(xs)
		f := reference(variant)
		t.row(variant.Name, overhead(geoMean(xs)), or(f.paperMean), overhead(xs[at])+" ("+costs[at].Program+")", or(f.paperMax), or(f.prototype), interval(roundMeans(costs, v, measure)))
	}
	return t
}

// guideText says what the guide of guidedBuild is, if that was measured.
func guideText(costs []Cost) string {
	if !slices.Contains(buildsOf(costs[0].Variants), guidedBuild) {
		return ""
	}
	return "The guide has the edges of one sampled run with the same workload. "
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

func leastRatios(costs []Cost, measure func(Run) float64, groups ...Group) *table {
	columns := make([][]float64, len(costs[0].Variants)-1)
	t := perProgram(costs, "plain",
		func(c *Cost) string { return fmt.Sprintf("%.2f s", c.least(0, measure)) },
		func(c *Cost, v int) string {
			x := c.leastRatio(v, measure)
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

func roundRatios(costs []Cost, measure func(Run) float64) *table {
	return perProgram(costs, "plain, by least",
		func(c *Cost) string {
			var xs []float64
			for _, r := range c.Runs[0] {
				xs = append(xs, measure(r)/c.least(0, measure))
			}
			return spread(xs)
		},
		func(c *Cost, v int) string { return spread(c.byRound(v, measure)) })
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

func roundIntervals(costs []Cost, measure func(Run) float64) *table {
	return perProgram(costs, "plain, by least",
		func(c *Cost) string {
			var xs []float64
			for _, r := range c.Runs[0] {
				xs = append(xs, measure(r)/c.least(0, measure))
			}
			return interval(xs)
		},
		func(c *Cost, v int) string { return interval(c.byRound(v, measure)) })
}

func spread(xs []float64) string {
	s := summarize(xs)
	return ratio(s.median) + " (" + ratio(s.p25) + "–" + ratio(s.p75) + ")"
}

// medianExit returns the median time of the exit of variant v.
func (c *Cost) medianExit(v int) time.Duration {
	var xs []float64
	for _, w := range c.Written[v] {
		xs = append(xs, w.Exit.Seconds())
	}
	return time.Duration(summarize(xs).median * float64(time.Second))
}

// exitRanges says from what to what times of the exit are, and what the largest part of a
// run's wall-clock time is.
func exitRanges(costs []Cost) string {
	var list []string
	for v, variant := range costs[0].Variants {
		if !variant.writesPaths() {
			continue
		}
		var times, parts []float64
		for i := range costs {
			times = append(times, costs[i].medianExit(v).Seconds())
			parts = append(parts, times[i]/costs[i].least(v, wall))
		}
		s, worst := summarize(times), argMax(parts)
		span := milliseconds(time.Duration(s.max * float64(time.Second)))
		if low := fmt.Sprintf("%.0f", 1000*s.min); low+" ms" != span {
			span = low + " to " + span
		}
		list = append(list, fmt.Sprintf("%s with %s, at most %s of a run (%s)", span, variant.Name, percent(parts[worst]), costs[worst].Program))
	}
	return strings.Join(list, "; ")
}

func exits(costs []Cost) *table {
	return perWriter(costs, func(c *Cost, v int) string { return milliseconds(c.medianExit(v)) })
}

// accounts has what profiles say of their own cost.
func accounts(costs []Cost) *table {
	return perWriter(costs, func(c *Cost, v int) string {
		var xs []float64
		for _, w := range c.Written[v] {
			xs = append(xs, 100*w.Share)
		}
		s := summarize(xs)
		return fmt.Sprintf("%.2f%% (%.2f%%)", s.median, s.max)
	})
}

// perWriter makes a table with a row for each program. A row has a cell for each variant that
// writes a profile of paths.
func perWriter(costs []Cost, cell func(c *Cost, v int) string) *table {
	t := newTable("program")
	var shown []int
	for v, variant := range costs[0].Variants {
		if variant.writesPaths() {
			shown = append(shown, v)
			t.rows[0] = append(t.rows[0], variant.Name)
		}
	}
	for i := range costs {
		row := []string{costs[i].Program}
		for _, v := range shown {
			row = append(row, cell(&costs[i], v))
		}
		t.row(row...)
	}
	return t
}

func sizes(costs []Cost) *table {
	builds := buildsOf(costs[0].Variants)
	t := newTable(append([]string{"program", "packages"}, builds...)...)
	columns := make([][]float64, len(builds)-1)
	for _, c := range costs {
		row := []string{c.Program, fmt.Sprint(c.Packages), fmt.Sprintf("%.1f MB", float64(c.Size[plainBuild])/1e6)}
		for i, build := range builds[1:] {
			x := float64(c.Size[build]) / float64(c.Size[plainBuild])
			columns[i] = append(columns[i], x)
			row = append(row, ratio(x))
		}
		t.row(row...)
	}
	summaryRows(t, columns)
	for i := len(t.rows) - 2; i < len(t.rows); i++ { // there is one column more
		t.rows[i] = append([]string{t.rows[i][0], ""}, t.rows[i][1:]...)
	}
	return t
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

func buildTimes(costs []Cost) *table {
	t := newTable("program", "packages", "go build, CPU", "pepbuild, CPU", "ratio", "go build, wall", "pepbuild, wall", "ratio")
	var cpus, walls []float64
	for _, c := range costs {
		plain, pep := c.BuildTime["go"], c.BuildTime["pepbuild"]
		cpu, wall := pep.CPU.Seconds()/plain.CPU.Seconds(), pep.Wall.Seconds()/plain.Wall.Seconds()
		cpus, walls = append(cpus, cpu), append(walls, wall)
		t.row(c.Program, fmt.Sprint(c.Packages), seconds(plain.CPU), seconds(pep.CPU), ratio(cpu), seconds(plain.Wall), seconds(pep.Wall), ratio(wall))
	}
	t.row("geometric mean", "", "", "", ratio(geoMean(cpus)), "", "", ratio(geoMean(walls)))
	return t
}
