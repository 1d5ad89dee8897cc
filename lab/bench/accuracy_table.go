package bench

// This file makes tables of accuracy.

import (
	"fmt"
	"slices"
	"strings"
)

// A metric is a column of Match, with the paper's averages over its programs by
// setting (Bond & McKinley, MICRO 2005, §6.3 and §6.4).
type metric struct {
	name  string
	of    func(Match) float64
	paper map[Setting]string
}

var metrics = []metric{
	{"Wall weight matching", func(m Match) float64 { return m.Wall },
		map[Setting]string{{Samples: 1, Stride: 1}: "53%", PEP: "94%"}},
	{"relative overlap", func(m Match) float64 { return m.Relative },
		map[Setting]string{PEP: "96%"}},
	{"absolute overlap", func(m Match) float64 { return m.Absolute },
		map[Setting]string{PEP: "83%", {Samples: 256, Stride: 17}: "87%", {Samples: 1024, Stride: 17}: "88%"}},
}

// whole formats a ratio as a percentage without decimals.
func whole(ratio float64) string { return fmt.Sprintf("%.0f%%", 100*ratio) }

// AccuracyTables returns the results as Markdown tables.
func AccuracyTables(fits []Fit) string {
	if len(fits) == 0 {
		return ""
	}
	var b strings.Builder
	section := func(title, text string, t *table) {
		fmt.Fprintf(&b, "## %s\n\n%s\n\n%s\n", title, text, t)
	}
	section("Accuracy", "Mean (least–greatest) over the programs of the median over their runs.", accuracySummary(fits))
	if lines := targets(fits); len(lines) > 0 {
		fmt.Fprintf(&b, "%s\n", strings.Join(lines, ""))
	}
	for _, m := range metrics {
		section(strings.ToUpper(m.name[:1])+m.name[1:]+" by program", "Median (least–greatest) over the runs.", byProgram(fits, m))
	}
	section("Samples", "Median over the runs, and samples that were dropped in any of them.", sampleCounts(fits))
	first := fits[0].Settings[0]
	section("What weights bring", fmt.Sprintf("%s: the same runs, if each sample counts once, and with the weights of bursts (runtime/weigh). Wall weight matching, relative and absolute overlap: "+
		"median of the runs, and all runs added up.", first), weights(fits))
	section("Too few samples, or the wrong ones?", fmt.Sprintf("%s: median of the runs, all runs added up, and the function whose share of branch flow is then farthest off. "+
		"Ticks are equally far apart in time, so functions whose paths take long have a larger share of the samples than of the paths. Weights correct for that as far as gaps are known. "+
		"Relative overlap does not show this bias, because it compares the outcomes of each branch with each other.", first), together(fits))
	section("Programs", "Exact profiles: paths that were taken, hot ones among them (more than 0.125% of branch flow), ends of paths.", exacts(fits))
	return b.String()
}

// over returns the values of a metric over the runs with setting i.
func (f *Fit) over(i int, m metric) summary {
	var xs []float64
	for _, run := range f.Samples[i] {
		xs = append(xs, m.of(run))
	}
	return summarize(xs)
}

// medians returns the medians of a metric with setting i, by program.
func medians(fits []Fit, i int, m metric) []float64 {
	var xs []float64
	for _, f := range fits {
		xs = append(xs, f.over(i, m).median)
	}
	return xs
}

func accuracySummary(fits []Fit) *table {
	t := newTable("setting")
	for _, m := range metrics {
		t.rows[0] = append(t.rows[0], m.name, "paper")
	}
	for i, s := range fits[0].Settings {
		row := []string{s.String()}
		for _, m := range metrics {
			xs := medians(fits, i, m)
			row = append(row, percent(mean(xs))+" ("+between(percent(slices.Min(xs)), percent(slices.Max(xs)))+")", or(m.paper[s.withoutTick()]))
		}
		t.row(row...)
	}
	return t
}

// targets checks the means against the targets of the specification (spec/pep.md §14).
func targets(fits []Fit) (lines []string) {
	means := make(map[Setting][]float64) // at the default tick
	for i, s := range fits[0].Settings {
		if s.Tick != 0 && s.Tick != defaultTick {
			continue
		}
		s = s.withoutTick()
		means[s] = nil
		for _, m := range metrics {
			means[s] = append(means[s], mean(medians(fits, i, m)))
		}
	}
	line := func(id, text string, met bool) {
		verdict := "met"
		if !met {
			verdict = "not met"
		}
		lines = append(lines, fmt.Sprintf("* %s, %s: %s\n", id, text, verdict))
	}
	const wall, relative, absolute = 0, 1, 2
	pep, timer := means[PEP], means[Setting{Samples: 1, Stride: 1}]
	medium, large := means[Setting{Samples: 256, Stride: 17}], means[Setting{Samples: 1024, Stride: 17}]
	if pep != nil {
		line("PEP-27", "Wall weight matching of PEP(64,17) 90% or more", pep[wall] >= 0.90)
		if timer != nil {
			line("PEP-27", fmt.Sprintf("20 points more than PEP(1,1) or more (%.1f)", 100*(pep[wall]-timer[wall])), pep[wall]-timer[wall] >= 0.20)
		}
		line("PEP-28", "relative overlap of PEP(64,17) 94% or more", pep[relative] >= 0.94)
		if medium != nil && large != nil {
			line("PEP-29", "absolute overlap grows from 64 to 256 to 1024 samples", pep[absolute] < medium[absolute] && medium[absolute] < large[absolute])
		}
	}
	return lines
}

func byProgram(fits []Fit, m metric) *table {
	t := newTable("program")
	for _, s := range fits[0].Settings {
		t.rows[0] = append(t.rows[0], s.String())
	}
	for _, f := range fits {
		row := []string{f.Program}
		for i := range f.Settings {
			s := f.over(i, m)
			row = append(row, percent(s.median)+" ("+between(percent(s.min), percent(s.max))+")")
		}
		t.row(row...)
	}
	means := []string{"mean"}
	for i := range fits[0].Settings {
		means = append(means, percent(mean(medians(fits, i, m))))
	}
	t.row(means...)
	return t
}

func sampleCounts(fits []Fit) *table {
	t := newTable("program", "ticks")
	for _, s := range fits[0].Settings {
		t.rows[0] = append(t.rows[0], s.String())
	}
	t.rows[0] = append(t.rows[0], "dropped")
	for _, f := range fits {
		var dropped int64
		samples := func(m Match) float64 { return float64(m.Samples) }
		row := []string{f.Program, fmt.Sprintf("%.0f", f.over(0, metric{of: func(m Match) float64 { return float64(m.Ticks) }}).median)}
		for i, runs := range f.Samples {
			row = append(row, fmt.Sprintf("%.0f", f.over(i, metric{of: samples}).median))
			for _, run := range runs {
				dropped += run.Dropped
			}
		}
		t.row(append(row, fmt.Sprint(dropped))...)
	}
	return t
}

func together(fits []Fit) *table {
	t := newTable("program", "samples", "Wall", "all runs", "relative", "all runs", "absolute", "all runs", "farthest off", "exact", "sampled")
	for _, f := range fits {
		row := []string{f.Program, fmt.Sprint(f.Together.Samples)}
		for _, m := range metrics {
			row = append(row, percent(f.over(0, m).median), percent(m.of(f.Together)))
		}
		t.row(append(row, f.Worst.Func, percent(f.Worst.Exact), percent(f.Worst.Sampled))...)
	}
	return t
}

func weights(fits []Fit) *table {
	t := newTable("program")
	for _, what := range []string{"Wall", "relative", "absolute"} {
		t.rows[0] = append(t.rows[0], what+", samples", "weighed", "all runs, samples", "weighed")
	}
	sums := make([]float64, 4*len(metrics))
	for _, f := range fits {
		row := []string{f.Program}
		for i, m := range metrics {
			plain := Fit{Samples: f.Unweighed}
			for j, x := range []float64{plain.over(0, m).median, f.over(0, m).median, m.of(f.UnweighedTogether), m.of(f.Together)} {
				row = append(row, percent(x))
				sums[4*i+j] += x
			}
		}
		t.row(row...)
	}
	row := []string{"mean"}
	for _, sum := range sums {
		row = append(row, percent(sum/float64(len(fits))))
	}
	t.row(row...)
	return t
}

func exacts(fits []Fit) *table {
	t := newTable("program", "functions", "skipped", "paths", "hot", "path ends", "branches per path")
	for _, f := range fits {
		e := f.Exact
		t.row(f.Program, fmt.Sprint(e.Funcs), fmt.Sprint(e.Skipped), fmt.Sprint(e.Paths), fmt.Sprint(e.Hot),
			fmt.Sprintf("%.1f M", float64(e.Ends)/1e6), fmt.Sprintf("%.2f", float64(e.Flow)/float64(e.Ends)))
	}
	return t
}

// TruncationTables returns Markdown that compares where paths are cut: the same
// programs and settings, measured with truncation at loop headers and at back
// edges (spec/pep.md §3.1).
func TruncationTables(header, backedge []Fit) string {
	if len(header) == 0 || len(header) != len(backedge) {
		return ""
	}
	first := header[0].Settings[0]
	t := newTable("program", "paths, header", "back edge", "hot, header", "back edge", "ends, header", "back edge",
		"Wall, header", "back edge", "relative, header", "back edge")
	for i, h := range header {
		e := backedge[i]
		t.row(h.Program, fmt.Sprint(h.Exact.Paths), fmt.Sprint(e.Exact.Paths), fmt.Sprint(h.Exact.Hot), fmt.Sprint(e.Exact.Hot),
			fmt.Sprintf("%.1f M", float64(h.Exact.Ends)/1e6), fmt.Sprintf("%.1f M", float64(e.Exact.Ends)/1e6),
			percent(h.over(0, metrics[0]).median), percent(e.over(0, metrics[0]).median),
			percent(h.over(0, metrics[1]).median), percent(e.over(0, metrics[1]).median))
	}
	row := []string{"mean", "", "", "", "", "", ""}
	for _, m := range metrics[:2] {
		row = append(row, percent(mean(medians(header, 0, m))), percent(mean(medians(backedge, 0, m))))
	}
	t.row(row...)
	return fmt.Sprintf("## Truncation at headers and at back edges\n\nPaths that were taken, hot ones, ends of paths in the exact profile, and accuracy of %s. "+
		"The paper cuts at headers, because its yieldpoints are there. A function then has one more path for each call: from the entry to the first loop.\n\n%s\n", first, t)
}
