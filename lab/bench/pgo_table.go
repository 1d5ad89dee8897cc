package bench

// This file makes tables of what PGO measures.

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// byLayout returns the CPU time of a variant divided by that of the plain program, the least of each in every
// layout. It is nil if the variant was not run.
func (o *Optimised) byLayout(v int) (xs []float64) {
	for layout := range min(o.Layouts, len(o.Runs[v])) {
		xs = append(xs, o.leastIn(v, layout)/o.leastIn(0, layout))
	}
	return xs
}

// leastIn returns the least CPU time of a variant in a layout.
func (o *Optimised) leastIn(v, layout int) float64 {
	least := math.Inf(1)
	for round, r := range o.Runs[v] {
		if round%o.Layouts == layout {
			least = min(least, cpu(r))
		}
	}
	return least
}

// gain is the geometric mean of byLayout, NaN if the variant was not run.
func (o *Optimised) gain(v int) float64 { return geoMean(o.byLayout(v)) }

// variant returns the number of the variant with a build; all programs have the same variants.
func (o *Optimised) variant(build string) int {
	return slices.IndexFunc(pgoVariants(), func(v Variant) bool { return v.Build == build })
}

// onTop is what branches gain on top of the CPU profile.
func (o *Optimised) onTop() float64 {
	return o.gain(o.variant(bothBuild)) / o.gain(o.variant(cpuBuild))
}

// known returns those of xs that are numbers.
func known(xs []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(xs), math.IsNaN)
}

// ratioOr formats a ratio that may be unknown.
func ratioOr(x float64) string {
	if math.IsNaN(x) {
		return none
	}
	return ratio(x)
}

// pgoCells are the cells of a program in the table of CPU time, without its name.
func pgoCells(o *Optimised) []string {
	cells := []string{fmt.Sprintf("%.2f s", o.least(0, cpu))}
	for v := range o.Variants[1:] {
		cells = append(cells, ratioOr(o.gain(v+1)))
	}
	return append(cells, ratioOr(o.onTop()))
}

// PGOTables returns the results as Markdown tables.
func PGOTables(all []Optimised) string {
	var b strings.Builder
	var measured []Optimised
	errs := ""
	for _, o := range all {
		if o.Runs != nil {
			measured = append(measured, o)
		}
		if o.Err != nil {
			errs += fmt.Sprintf("* %s: %s\n", o.Program, strings.ReplaceAll(strings.TrimSpace(o.Err.Error()), "\n", "; "))
		}
	}
	if len(measured) > 0 {
		b.WriteString(section("CPU time", "User and system time: the least of the runs of each layout, divided by the least of "+
			"the program built without a profile in this layout; geometric mean over the layouts. Below 1 the program is faster. "+
			"Branches are exact unless the name says sampled. pep pgo has both files that pep pgo -o DIR makes of a run with "+
			"default settings. Other input has branches of a run whose input is not that of the measured runs. The profiled run "+
			"is instrumented, and not optimised. On top of -pgo is the CPU profile with branches, divided by the CPU profile "+
			"alone.", gains(measured)) +
			section("Layouts", "The least and the greatest ratio of the layouts; below, the geometric means over the programs, "+
				"by layout.", layouts(measured)) +
			replaySection(measured) +
			cacheSection(measured) +
			coldSection(measured))
	}
	if errs != "" {
		b.WriteString("## Errors\n\n" + errs)
	}
	return b.String()
}

func gains(all []Optimised) *table {
	header := []string{"program"}
	for _, v := range pgoVariants() {
		header = append(header, v.Name)
	}
	t := newTable(append(header, "on top of -pgo")...)
	columns := make([][]float64, len(header)-1)
	for i := range all {
		o := &all[i]
		t.row(append([]string{o.Program}, pgoCells(o)...)...)
		for v := range columns {
			if v == len(columns)-1 {
				columns[v] = append(columns[v], o.onTop())
			} else {
				columns[v] = append(columns[v], o.gain(v+1))
			}
		}
	}
	means, least := []string{"geometric mean", ""}, []string{"least", ""}
	most, counts := []string{"greatest", ""}, []string{"programs", ""}
	for _, xs := range columns {
		xs = known(xs)
		counts = append(counts, fmt.Sprint(len(xs)))
		if len(xs) == 0 {
			xs = []float64{math.NaN()}
		}
		means, least = append(means, ratioOr(geoMean(xs))), append(least, ratioOr(slices.Min(xs)))
		most = append(most, ratioOr(slices.Max(xs)))
	}
	t.row(means...)
	t.row(least...)
	t.row(most...)
	t.row(counts...)
	return t
}

func layouts(all []Optimised) *table {
	header := []string{"program"}
	for _, v := range pgoVariants()[1:] {
		header = append(header, v.Name)
	}
	t := newTable(header...)
	for _, o := range all {
		row := []string{o.Program}
		for v := range header[1:] {
			cell := none
			if xs := o.byLayout(v + 1); xs != nil {
				cell = between(ratio(slices.Min(xs)), ratio(slices.Max(xs)))
			}
			row = append(row, cell)
		}
		t.row(row...)
	}
	for layout := range min(all[0].Layouts, len(all[0].Runs[0])) {
		row := []string{fmt.Sprintf("layout %d", layout+1)}
		for v := range header[1:] {
			var xs []float64
			for _, o := range all {
				if ys := o.byLayout(v + 1); ys != nil {
					xs = append(xs, ys[layout])
				}
			}
			row = append(row, ratioOr(geoMean(xs)))
		}
		t.row(row...)
	}
	return t
}

// adaptive returns the CPU time of a profiled run and n of the program that its profile optimises, divided by
// that of as many plain runs.
func (o *Optimised) adaptive(n int) float64 {
	return (o.gain(o.variant(pollsBuild)) + float64(n)*o.gain(o.variant(sampledBuild))) / float64(n+1)
}

// replaySection has the paper's experiments in which profiles drive the compiler.
func replaySection(all []Optimised) string {
	t := newTable("", "ours", "paper")
	var names []string
	for _, o := range all {
		names = append(names, o.Program)
	}
	row := func(name, paper string, x func(o *Optimised) float64) (xs []float64) {
		for i := range all {
			xs = append(xs, x(&all[i]))
		}
		most := argMax(xs)
		t.row(name, fmt.Sprintf("%s (%s to %s, %s)",
			overhead(geoMean(xs)), overhead(slices.Min(xs)), overhead(xs[most]), names[most]), paper)
		return xs
	}
	gain := func(build string) func(o *Optimised) float64 {
		return func(o *Optimised) float64 { return o.gain(o.variant(build)) }
	}
	row("replay: sampled branches", none, gain(sampledBuild))
	row("replay: sampled branches and calls", none, gain(pepBuild))
	row("replay: exact branches", "-0.9%, beside a one-time profile", gain(branchesBuild))
	profiled := row("the profiled run", "+1.2%, at most +4.3%", gain(pollsBuild))
	for _, n := range []int{1, 9, 99} {
		paper := none
		if n == 1 {
			paper = "+1.3%, at most +3.2%"
		}
		name := fmt.Sprintf("adaptive: the profiled run and %d of the optimised program", n)
		row(name, paper, func(o *Optimised) float64 { return o.adaptive(n) })
	}
	var rebuilds, runs []float64
	never := 0
	for i := range all {
		o := &all[i]
		rebuilds = append(rebuilds, o.Rebuild.Seconds())
		runs = append(runs, o.Rebuild.Seconds()/o.least(0, cpu))
		if o.gain(o.variant(sampledBuild)) >= 1 {
			never++
		}
	}
	text := "PEP-34. Replay is as in the paper: the profile of an earlier run drives the compiler, and what is measured is " +
		"the optimised program without profiling. The paper's base has a profile, of the beginning of a run; ours has none. In " +
		"the paper's adaptive run a compiler in the virtual machine optimises the program while it runs, and profiling goes on. Go " +
		"has no such compiler: the code of a process stays as it was built. What comes nearest is a sequence of runs, of which " +
		"the first is profiled; then the program is built again with the sampled branches, and goes on without profiling. So " +
		"the paper's figure has the cost of profiling in all of its time, and of its compiler; ours has that of the first run, " +
		"and the build stands apart: "
	text += fmt.Sprintf("it took %.1f s of CPU time in the mean, as long as %.0f plain runs of this workload, with all "+
		"packages that the profile knows compiled anew, beside other builds. ", mean(rebuilds), mean(runs))
	saved := 1 - geoMean(gainsOf(all, sampledBuild))
	if lost := geoMean(profiled) - 1; saved > 0 && lost > 0 {
		text += fmt.Sprintf("By the means, an optimised run saves %s of a plain one, so %.0f of them make up for the profiled "+
			"run, and %.0f for the build.", percent(saved), math.Ceil(lost/saved), math.Ceil(mean(runs)/saved))
	} else {
		text += fmt.Sprintf("By the means, an optimised run takes %s of the time of a plain one, and the profiled one %s.",
			percent(1-saved), percent(geoMean(profiled)))
	}
	text += fmt.Sprintf(" In %d of %d programs the optimised run is not faster.", never, len(all))
	return section("Replay and adaptive", text, t)
}

// gainsOf returns the ratios of a build that all programs have.
func gainsOf(all []Optimised, build string) (xs []float64) {
	for i := range all {
		xs = append(xs, all[i].gain(all[i].variant(build)))
	}
	return xs
}

// cacheSection is "" if nothing was counted.
func cacheSection(all []Optimised) string {
	builds := []string{cpuBuild, branchesBuild, bothBuild}
	t := newTable("program", "instructions, plain", "misses", "instructions, CPU profile", "misses",
		"instructions, branches", "misses", "instructions, both", "misses")
	columns := make([][]float64, 2*len(builds))
	skipped := ""
	for _, o := range all {
		if o.Skipped != nil {
			skipped += fmt.Sprintf(" %s was not counted: %v.", o.Program, o.Skipped)
		}
		if o.Instructions == nil || o.Skipped != nil {
			continue
		}
		row := []string{o.Program,
			fmt.Sprintf("%.0f M", float64(o.Instructions[plainBuild])/1e6),
			fmt.Sprintf("%.2f M", float64(o.Misses[plainBuild])/1e6)}
		for i, b := range builds {
			for k, counts := range []map[string]int64{o.Instructions, o.Misses} {
				x := math.NaN() // of a few misses, or fewer with more work, there is no ratio
				if counts[plainBuild] >= 1000 && counts[b] > 0 {
					x = float64(counts[b]) / float64(counts[plainBuild])
				}
				columns[2*i+k] = append(columns[2*i+k], x)
				row = append(row, ratioOr(x))
			}
		}
		t.row(row...)
	}
	if len(t.rows) == 1 && skipped == "" {
		return ""
	}
	means := []string{"geometric mean", "", ""}
	for _, xs := range columns {
		means = append(means, ratioOr(geoMean(known(xs))))
	}
	t.row(means...)
	return section("Instructions", fmt.Sprintf("Executed for %d percent of the workload (%d%% less %d%%), under valgrind and "+
		"without ticks, and how many of them the first cache of instructions did not have (I1 of cachegrind), divided by those of "+
		"the plain program, in the linker's own layout.%s", largeScale-smallScale, largeScale, smallScale, skipped), t)
}

// coldSection is "" if no builds were timed.
func coldSection(all []Optimised) string {
	t := newTable("program", "go build", "pepbuild build -pepopt", "ratio")
	var xs []float64
	for _, o := range all {
		if o.Builds == nil {
			continue
		}
		plain, opt := cpu(o.Builds["go"]), cpu(o.Builds["pepbuild"])
		xs = append(xs, opt/plain)
		t.row(o.Program, fmt.Sprintf("%.2f s", plain), fmt.Sprintf("%.2f s", opt), ratio(opt/plain))
	}
	if xs == nil {
		return ""
	}
	t.row("geometric mean", "", "", ratio(geoMean(xs)))
	return section("Build time", "CPU time of builds whose cache is empty, so that they compile all packages; least of two. "+
		"The compiler of pepbuild has been built before.", t)
}
