package values

// This file makes the page of values.

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pepgo/pep/lab/bench/bounds"
	"github.com/pepgo/pep/lab/bench/programs"
	"github.com/pepgo/pep/lab/markdown"
	"github.com/pepgo/pep/lab/stats"
)

// Page returns the results as Markdown.
func Page(all []Fit) string {
	if len(all) == 0 {
		return ""
	}
	text := markdown.Paragraph("A site is a line with the kind and the text of an expression. Full taps report all events: calls and "+
		"types are counted, of loads, arguments and results a random part. Sites have the weights of their events there. "+
		"Sites of addresses, which differ between builds, are in no comparison of values.") +
		rowsText(all) + topText(all) + boundsText(all) + costText(all) + "\n" +
		markdown.Section("Executions at sites with a row",
			"In percent of those of full taps. Types of x at a call of x.m are told by "+
				"the call's target, so the call's row is theirs.", rowsTable(all)) +
		markdown.Section("Windows beside full taps",
			"Points by which the share of the most frequent value is off; overlap "+
				"of the shares of values; overlap of the shares of sites; executions at sites of addresses. In brackets are the "+
				"least and the greatest of all runs.", kindsTable(all)) +
		markdown.Section("Most frequent value, by program",
			"Points by which its share is off, means of the runs.",
			topTable(all)) +
		markdown.Section("Bounds", fmt.Sprintf("Of shares from %.0f to %.1f %% at sites with more than 0.125 %% of all events, and with "+
			"%d messages of full taps if these are thinned. Values that a run has not seen at a site have no bounds in it.",
			100*leastShare, 100*mostShare, leastMessages), valueBoundsTable(all)) +
		markdown.Section("Windows and sizes", "Windows of a run with notes of all kinds, and their ratio to those of runs with notes of "+
			"calls and types alone; likewise CPU time. Profiles of a run and executables, in MB; the table of values in "+
			"percent of the plain executable.", sizesTable(all))
	if t := threadsTable(all); len(t.Rows) > 1 {
		text += markdown.Section("Threads", "Points by which the share of the most frequent value is off, by windows, with GOMAXPROCS=1, "+
			"with that of the machine, with GOMAXPROCS=8.", t)
	}
	return strings.TrimSuffix(text, "\n")
}

// points formats a share in points.
func points(share float64) string {
	if math.IsNaN(share) {
		return markdown.None
	}
	return fmt.Sprintf("%.1f", 100*share)
}

// kindWords returns the words of -peptaps that were compared.
func kindWords(all []Fit) (words []string) {
	for _, k := range all[0].Kinds {
		words = append(words, k.Kind)
	}
	return words
}

// overRuns returns the mean over runs, NaN if nothing was compared in one.
func overRuns(runs []Match, of measure) float64 {
	var xs []float64
	for _, m := range runs {
		xs = append(xs, of(m))
	}
	return stats.Mean(xs)
}

// A measure is a number of a run.
type measure func(Match) float64

// overPrograms returns the means over the runs of each program that has events of a kind, and the single runs.
func overPrograms(all []Fit, kind int, of measure) (means, runs []float64) {
	for i := range all {
		list := all[i].Kinds[kind].Windows
		if x := overRuns(list, of); !math.IsNaN(x) {
			means = append(means, x)
			for _, m := range list {
				runs = append(runs, of(m))
			}
		}
	}
	return means, runs
}

func top(m Match) float64           { return m.Top }
func valuesOverlap(m Match) float64 { return m.Values }
func sitesOverlap(m Match) float64  { return m.Sites }
func leftOut(m Match) float64       { return m.LeftOut }

func rowsText(all []Fit) string {
	var list []string
	for i, word := range kindWords(all) {
		least, sum := &all[0], 0.
		n := 0.
		for j := range all {
			if k := &all[j].Kinds[i]; k.Events > 0 {
				sum += k.WithRow
				n++
				if !(least.Kinds[i].WithRow <= k.WithRow) {
					least = &all[j]
				}
			}
		}
		lowest := markdown.Percent(least.Kinds[i].WithRow)
		list = append(list, fmt.Sprintf("%s %s (least: %s, %s)", word, markdown.Percent(sum/n), least.Program, lowest))
	}
	return itemText("Executions at sites with a row, means of programs: " + strings.Join(list, ", ") + ".")
}

func itemText(text string) string { return "* " + text + "\n" }

func topText(all []Fit) string {
	var list []string
	for i, word := range kindWords(all) {
		means, _ := overPrograms(all, i, top)
		list = append(list, word+" "+points(stats.Mean(means)))
	}
	return itemText("The share of the most frequent value is off by, in points: " + strings.Join(list, ", ") + ".")
}

func boundsText(all []Fit) string {
	var h bounds.Hits
	runs := 0
	for i := range all {
		runs += len(all[i].Noted)
		for j := range all[i].Kinds {
			h.Plus(all[i].Kinds[j].Bounds)
		}
	}
	return itemText(fmt.Sprintf("Of %d bounds of shares in %d runs by windows, %s have the true share.",
		h.All(), runs, h.Part(h.In)))
}

func costText(all []Fit) string {
	var windows, cpu, turns []float64
	for i := range all {
		f := &all[i]
		windows = append(windows, f.ratio(func(r RunSize) float64 { return r.Windows }))
		cpu = append(cpu, f.ratio(func(r RunSize) float64 { return r.CPU }))
		for j := range f.Noted {
			turns = append(turns, f.Noted[j].Windows/f.Plain[j].Windows)
		}
	}
	return itemText(fmt.Sprintf("Windows of a run with notes of all kinds: %s of those with notes of calls and types alone, "+
		"mean of programs; %s in single turns. CPU time: %s.",
		markdown.Ratio(stats.GeoMean(windows)),
		markdown.Between(markdown.Ratio(slices.Min(turns)), markdown.Ratio(slices.Max(turns))),
		markdown.Ratio(stats.GeoMean(cpu))))
}

// ratio returns the mean with notes of all kinds divided by that of calls and types alone.
func (f *Fit) ratio(of func(RunSize) float64) float64 {
	return meanOf(f.Noted, of) / meanOf(f.Plain, of)
}

func meanOf(runs []RunSize, of func(RunSize) float64) float64 {
	var xs []float64
	for _, r := range runs {
		xs = append(xs, of(r))
	}
	return stats.Mean(xs)
}

func rowsTable(all []Fit) *markdown.Table {
	t := markdown.NewTable(append([]string{"program"}, kindWords(all)...)...)
	for i := range all {
		row := []string{all[i].Program}
		for _, k := range all[i].Kinds {
			row = append(row, points(k.WithRow))
		}
		t.Row(row...)
	}
	return t
}

func kindsTable(all []Fit) *markdown.Table {
	t := markdown.NewTable("kind", "top share", "values", "sites", "addresses")
	for i, word := range kindWords(all) {
		row := []string{word}
		for _, of := range []measure{top, valuesOverlap, sitesOverlap, leftOut} {
			means, runs := overPrograms(all, i, of)
			if len(means) == 0 {
				row = append(row, markdown.None)
				continue
			}
			row = append(row, points(stats.Mean(means))+" ("+markdown.Between(points(slices.Min(runs)), points(slices.Max(runs)))+")")
		}
		t.Row(row...)
	}
	return t
}

func topTable(all []Fit) *markdown.Table {
	t := markdown.NewTable(append([]string{"program"}, kindWords(all)...)...)
	for i := range all {
		row := []string{all[i].Program}
		for j := range all[i].Kinds {
			row = append(row, points(overRuns(all[i].Kinds[j].Windows, top)))
		}
		t.Row(row...)
	}
	return t
}

func valueBoundsTable(all []Fit) *markdown.Table {
	t := markdown.NewTable("kind", "bounds", "true share in them", "by program", "below", "above", "values not seen")
	for i, word := range kindWords(all) {
		var h bounds.Hits
		var shares []float64
		unseen := 0
		for j := range all {
			k := &all[j].Kinds[i]
			h.Plus(k.Bounds)
			unseen += k.Unseen
			if n := k.Bounds.All(); n > 0 {
				shares = append(shares, float64(k.Bounds.In)/float64(n))
			}
		}
		if len(shares) == 0 {
			continue
		}
		programs := markdown.Between(markdown.Percent(slices.Min(shares)), markdown.Percent(slices.Max(shares)))
		t.Row(word, fmt.Sprint(h.All()), h.Part(h.In), programs, h.Part(h.Below), h.Part(h.Above), fmt.Sprint(unseen))
	}
	return t
}

func sizesTable(all []Fit) *markdown.Table {
	t := markdown.NewTable("program", "windows", "ratio", "CPU time", "profiles", "executables: plain", "windows", "table")
	mb := func(n float64) string { return fmt.Sprintf("%.1f", n/1e6) }
	count := func(r RunSize) float64 { return r.Windows }
	cpu := func(r RunSize) float64 { return r.CPU }
	bytes := func(r RunSize) float64 { return float64(r.Bytes) }
	for i := range all {
		f := &all[i]
		plain := float64(f.Size[programs.Plain])
		t.Row(f.Program, fmt.Sprintf("%.0f", meanOf(f.Noted, count)), markdown.Ratio(f.ratio(count)), markdown.Ratio(f.ratio(cpu)),
			mb(meanOf(f.Noted, bytes)), mb(plain), mb(float64(f.Size[programs.Windows])),
			markdown.Percent(float64(f.Table)/plain))
	}
	return t
}

func threadsTable(all []Fit) *markdown.Table {
	t := markdown.NewTable("program", "kind", "1", "machine's", "8")
	for i := range all {
		f := &all[i]
		if f.Few == nil {
			continue
		}
		for j := range f.Kinds {
			row := []string{f.Program, f.Kinds[j].Kind}
			for _, k := range []KindFit{f.Few.One[j], f.Kinds[j], f.Few.Eight[j]} {
				row = append(row, points(overRuns(k.Windows, top)))
			}
			t.Row(row...)
		}
	}
	return t
}
