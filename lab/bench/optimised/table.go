package optimised

// This file makes tables of what PGO measures.

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pepgo/pep/lab/bench/cost"
	"github.com/pepgo/pep/lab/bench/programs"
	"github.com/pepgo/pep/lab/markdown"
	"github.com/pepgo/pep/lab/stats"
	"github.com/pepgo/pep/lab/wrap"
)

// byLayout returns the CPU time of a variant divided by that of the plain program, the least of each in every
// layout. It is nil if the variant was not run.
func (o *Result) byLayout(v int) (xs []float64) {
	for layout := range min(o.Layouts, len(o.Runs[v])) {
		xs = append(xs, o.leastIn(v, layout)/o.leastIn(0, layout))
	}
	return xs
}

// leastIn returns the least CPU time of a variant in a layout.
func (o *Result) leastIn(v, layout int) float64 {
	least := math.Inf(1)
	for round, r := range o.Runs[v] {
		if round%o.Layouts == layout {
			least = min(least, cost.CPU(r))
		}
	}
	return least
}

// gain is the geometric mean of byLayout, NaN if the variant was not run.
func (o *Result) gain(v int) float64 { return stats.GeoMean(o.byLayout(v)) }

// variant returns the number of the variant with a build; all programs have the same variants.
func (o *Result) variant(build string) int {
	return slices.IndexFunc(variants(), func(v cost.Variant) bool { return v.Build == build })
}

// known returns those of xs that are numbers.
func known(xs []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(xs), math.IsNaN)
}

// ratioOr formats a ratio that may be unknown.
func ratioOr(x float64) string {
	if math.IsNaN(x) {
		return markdown.None
	}
	return markdown.Ratio(x)
}

// cells are the cells of a program in the table of CPU time, without its name.
func cells(o *Result) []string {
	cells := []string{fmt.Sprintf("%.2f s", o.Least(0, cost.CPU))}
	for v := range o.Variants[1:] {
		cells = append(cells, ratioOr(o.gain(v+1)))
	}
	return cells
}

// Tables returns the results as Markdown tables.
func Tables(all []Result) string {
	var b strings.Builder
	var measured []Result
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
		b.WriteString(markdown.Section("CPU time", "User and system time: the least run of each layout, divided by that of the "+
			"program built without a profile; geometric mean over the layouts. Branches are exact unless the name says sampled, "+
			"and of a run with the same input unless it says other input. pep pgo has both files that pep pgo -o DIR makes. The "+
			"profiled run has windows, and is not optimised.", gains(measured)))
		for _, text := range []string{layoutText(measured), paysText(measured), cacheText(measured), coldText(measured)} {
			if text != "" {
				b.WriteString(wrap.Text("* ", text))
			}
		}
		b.WriteByte('\n')
	}
	if errs != "" {
		b.WriteString("## Errors\n\n" + errs)
	}
	return b.String()
}

func gains(all []Result) *markdown.Table {
	header := []string{"program"}
	for _, v := range variants() {
		header = append(header, v.Name)
	}
	t := markdown.NewTable(header...)
	columns := make([][]float64, len(header)-2)
	for i := range all {
		o := &all[i]
		t.Row(append([]string{o.Program}, cells(o)...)...)
		for v := range columns {
			columns[v] = append(columns[v], o.gain(v+1))
		}
	}
	means := []string{"geometric mean", ""}
	for _, xs := range columns {
		means = append(means, ratioOr(stats.GeoMean(known(xs))))
	}
	t.Row(means...)
	return t
}

// layoutText says in which variant the layouts differ most, by their geometric means over the programs.
func layoutText(all []Result) string {
	most, name := 0., ""
	for v, variant := range variants()[1:] {
		var means []float64
		for layout := range min(all[0].Layouts, len(all[0].Runs[0])) {
			var xs []float64
			for i := range all {
				if ys := all[i].byLayout(v + 1); ys != nil {
					xs = append(xs, ys[layout])
				}
			}
			means = append(means, stats.GeoMean(xs))
		}
		if by := slices.Max(means) - slices.Min(means); by >= most {
			most, name = by, variant.Name
		}
	}
	return fmt.Sprintf("Means of the layouts differ by at most %s (%s).", markdown.Ratio(most), name)
}

// paysText says after how many optimised runs a profiled run and the build have paid. Go has no compiler in the
// program, so what comes nearest to the paper's adaptive runs is a profiled run, a build, and runs of the optimised
// program.
func paysText(all []Result) string {
	var rebuilds, runs []float64
	never := 0
	for i := range all {
		o := &all[i]
		rebuilds = append(rebuilds, o.Rebuild.Seconds())
		runs = append(runs, o.Rebuild.Seconds()/o.Least(0, cost.CPU))
		if o.gain(o.variant(sampledBuild)) >= 1 {
			never++
		}
	}
	text := fmt.Sprintf("A build with sampled branches took %.1f s of CPU time in the mean, as long as %.0f plain runs of this "+
		"workload. ", stats.Mean(rebuilds), stats.Mean(runs))
	saved := 1 - stats.GeoMean(gainsOf(all, sampledBuild))
	profiled := stats.GeoMean(gainsOf(all, programs.Windows))
	if lost := profiled - 1; saved > 0 && lost > 0 {
		text += fmt.Sprintf("By the means, an optimised run saves %s of a plain one, so %.0f of them make up for the profiled "+
			"run, and %.0f for the build.", markdown.Percent(saved), math.Ceil(lost/saved), math.Ceil(stats.Mean(runs)/saved))
	} else {
		text += fmt.Sprintf("By the means, an optimised run takes %s of the time of a plain one, and the profiled one %s.",
			markdown.Percent(1-saved), markdown.Percent(profiled))
	}
	return text + fmt.Sprintf(" In %d of %d programs the optimised run is not faster.", never, len(all))
}

// gainsOf returns the ratios of a build that all programs have.
func gainsOf(all []Result, build string) (xs []float64) {
	for i := range all {
		xs = append(xs, all[i].gain(all[i].variant(build)))
	}
	return xs
}

// cacheText is "" if nothing was counted.
func cacheText(all []Result) string {
	builds := []string{cpuBuild, branchesBuild, bothBuild}
	columns := make([][]float64, 2*len(builds))
	counted, skipped := 0, ""
	for _, o := range all {
		if o.Skipped != nil {
			skipped += fmt.Sprintf(" %s was not counted: %v.", o.Program, o.Skipped)
		}
		if o.Instructions == nil || o.Skipped != nil {
			continue
		}
		counted++
		for i, b := range builds {
			for k, counts := range []map[string]int64{o.Instructions, o.Misses} {
				x := math.NaN() // of a few misses, or fewer with more work, there is no ratio
				if counts[programs.Plain] >= 1000 && counts[b] > 0 {
					x = float64(counts[b]) / float64(counts[programs.Plain])
				}
				columns[2*i+k] = append(columns[2*i+k], x)
			}
		}
	}
	if counted == 0 {
		return strings.TrimSpace(skipped)
	}
	var list []string
	for i, name := range []string{"with a CPU profile", "with branches", "with both"} {
		list = append(list, fmt.Sprintf("%s %s and %s", name, ratioOr(stats.GeoMean(known(columns[2*i]))),
			ratioOr(stats.GeoMean(known(columns[2*i+1])))))
	}
	return fmt.Sprintf("Instructions of %d programs, and how many of them the first cache of instructions did not have "+
		"(cachegrind), divided by those of the plain program, geometric means: %s.%s", counted, strings.Join(list, ", "),
		skipped)
}

// coldText is "" if no builds were timed.
func coldText(all []Result) string {
	var xs []float64
	for _, o := range all {
		if o.Builds != nil {
			xs = append(xs, cost.CPU(o.Builds["pepbuild"])/cost.CPU(o.Builds["go"]))
		}
	}
	if xs == nil {
		return ""
	}
	return fmt.Sprintf("Builds of %d programs with an empty cache with -pepopt take %s of the CPU time of go build; "+
		"geometric mean.", len(xs), markdown.Ratio(stats.GeoMean(xs)))
}
