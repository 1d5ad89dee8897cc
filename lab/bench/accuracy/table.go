package accuracy

// This file makes tables of accuracy.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pepgo/pep/lab/bench/programs"
	"github.com/pepgo/pep/lab/markdown"
	"github.com/pepgo/pep/lab/stats"
)

// A metric is a column of Match, with the paper's averages over its programs by
// setting (Bond & McKinley, MICRO 2005, §6.3 and §6.4).
type metric struct {
	name  string
	of    func(Match) float64
	paper map[programs.Setting]string
}

var metrics = []metric{
	{"Wall weight matching", func(m Match) float64 { return m.Wall },
		map[programs.Setting]string{{Samples: 1, Stride: 1}: "53%", programs.PEP: "94%"}},
	{"relative overlap", func(m Match) float64 { return m.Relative },
		map[programs.Setting]string{programs.PEP: "96%"}},
	{"absolute overlap", func(m Match) float64 { return m.Absolute },
		map[programs.Setting]string{programs.PEP: "83%", {Samples: 256, Stride: 17}: "87%", {Samples: 1024, Stride: 17}: "88%"}},
}

// Tables returns the results as Markdown: means of all settings, and each program with the first two settings.
func Tables(fits []Fit) string {
	if len(fits) == 0 {
		return ""
	}
	var b strings.Builder
	add := func(title, text string, t *markdown.Table) { b.WriteString(markdown.Section(title, text, t)) }
	add("Accuracy", "Mean (least–greatest) over the programs of the median over their runs. "+runsText(fits),
		accuracySummary(fits))
	add("By program", "Median over the runs, in percent.", byProgram(fits))
	b.WriteString(markdown.Paragraph(worstText(fits)))
	return b.String()
}

// over returns the values of a metric over the runs with setting i.
func (f *Fit) over(i int, m metric) stats.Summary {
	var xs []float64
	for _, run := range f.Samples[i] {
		xs = append(xs, m.of(run))
	}
	return stats.Summarize(xs)
}

// medians returns the medians of a metric with setting i, by program.
func medians(fits []Fit, i int, m metric) []float64 {
	var xs []float64
	for _, f := range fits {
		xs = append(xs, f.over(i, m).Median)
	}
	return xs
}

func accuracySummary(fits []Fit) *markdown.Table {
	t := markdown.NewTable("setting")
	for _, m := range metrics {
		t.Rows[0] = append(t.Rows[0], m.name, "paper")
	}
	for i, s := range fits[0].Settings {
		row := []string{s.String()}
		for _, m := range metrics {
			xs := medians(fits, i, m)
			least, most := markdown.Percent(slices.Min(xs)), markdown.Percent(slices.Max(xs))
			row = append(row, markdown.Percent(stats.Mean(xs))+" ("+markdown.Between(least, most)+")",
				markdown.Or(m.paper[s]))
		}
		t.Row(row...)
	}
	return t
}

// shown are the settings that the table by program has.
func shown(fits []Fit) int { return min(2, len(fits[0].Settings)) }

func byProgram(fits []Fit) *markdown.Table {
	t := markdown.NewTable("program")
	var cells []func(f Fit) float64
	for _, m := range metrics {
		for i, s := range fits[0].Settings[:shown(fits)] {
			head := s.String()
			if i == 0 {
				head = m.name + ": " + head
			}
			t.Rows[0] = append(t.Rows[0], head)
			cells = append(cells, func(f Fit) float64 { return f.over(i, m).Median })
		}
	}
	sums := make([]float64, len(cells))
	for _, f := range fits {
		row := []string{f.Program}
		for k, cell := range cells {
			sums[k] += cell(f)
			row = append(row, fmt.Sprintf("%.1f", 100*cell(f)))
		}
		t.Row(row...)
	}
	row := []string{"mean"}
	for _, sum := range sums {
		row = append(row, fmt.Sprintf("%.1f", 100*sum/float64(len(fits))))
	}
	t.Row(row...)
	return t
}

// runsText says how many ticks and samples a run has, and how many samples were dropped in all.
func runsText(fits []Fit) string {
	span := func(i int, of func(Match) float64) string {
		xs := medians(fits, i, metric{of: of})
		return markdown.Between(fmt.Sprintf("%.0f", slices.Min(xs)), fmt.Sprintf("%.0f", slices.Max(xs)))
	}
	var list []string
	var dropped int64
	for i, s := range fits[0].Settings {
		list = append(list, s.String()+" "+span(i, func(m Match) float64 { return float64(m.Samples) }))
		for _, f := range fits {
			for _, run := range f.Samples[i] {
				dropped += run.Dropped
			}
		}
	}
	return fmt.Sprintf("A run has %s ticks with %s. Samples of a run: %s; dropped in all runs: %d.",
		span(0, func(m Match) float64 { return float64(m.Ticks) }), fits[0].Settings[0], strings.Join(list, ", "), dropped)
}

// worstText names the programs with the least accuracy, and says of the one with the least absolute overlap whether
// samples are too few, or the wrong ones.
func worstText(fits []Fit) string {
	worst := func(i int, m metric) *Fit {
		xs := medians(fits, i, m)
		return &fits[slices.Index(xs, slices.Min(xs))]
	}
	var least []string
	for i, s := range fits[0].Settings[:shown(fits)] {
		var names []string
		for _, m := range metrics {
			names = append(names, worst(i, m).Program)
		}
		least = append(least, strings.Join(names, ", ")+" with "+s.String())
	}
	absolute := metrics[len(metrics)-1]
	f := worst(0, absolute)
	return fmt.Sprintf("The least have: %s. With all runs of %s with %s added up its absolute overlap is %s; then %s is farthest off, "+
		"with %s of the branch flow in place of %s. Ticks are equally far apart in time, so functions whose paths take long have "+
		"more of the samples than of the paths. Relative overlap does not show this bias: it compares the outcomes of each branch.",
		strings.Join(least, "; "), f.Program, f.Settings[0], markdown.Percent(absolute.of(f.Together)), f.Worst.Func,
		markdown.Percent(f.Worst.Sampled), markdown.Percent(f.Worst.Exact))
}

// TruncationTables returns Markdown that compares where paths are cut: the same
// programs and settings, measured with truncation at loop headers and at back
// edges (spec/pep.md §3.1).
func TruncationTables(header, backedge []Fit) string {
	if len(header) == 0 || len(header) != len(backedge) {
		return ""
	}
	first := header[0].Settings[0]
	t := markdown.NewTable("program", "paths, header", "back edge", "hot, header", "back edge", "ends, header", "back edge",
		"Wall, header", "back edge", "relative, header", "back edge")
	for i, h := range header {
		e := backedge[i]
		t.Row(h.Program, fmt.Sprint(h.Exact.Paths), fmt.Sprint(e.Exact.Paths), fmt.Sprint(h.Exact.Hot),
			fmt.Sprint(e.Exact.Hot),
			fmt.Sprintf("%.1f M", float64(h.Exact.Ends)/1e6), fmt.Sprintf("%.1f M", float64(e.Exact.Ends)/1e6),
			markdown.Percent(h.over(0, metrics[0]).Median), markdown.Percent(e.over(0, metrics[0]).Median),
			markdown.Percent(h.over(0, metrics[1]).Median), markdown.Percent(e.over(0, metrics[1]).Median))
	}
	row := []string{"mean", "", "", "", "", "", ""}
	for _, m := range metrics[:2] {
		row = append(row, markdown.Percent(stats.Mean(medians(header, 0, m))),
			markdown.Percent(stats.Mean(medians(backedge, 0, m))))
	}
	t.Row(row...)
	return fmt.Sprintf("## Truncation at headers and at back edges\n\nPaths that were taken, hot ones, ends of paths in the exact profile, and accuracy of %s. "+
		"The paper cuts at headers, because its yieldpoints are there. A function then has one more path for each call: from the entry to the first loop.\n\n%s\n", first, t)
}
