package vsampfigures

// This file has what the page says of latencies of loads.

import (
	"fmt"
	"strings"

	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/lab/figure"
)

// footprints are the loads of the program latencies, each with the bin of what it loads from. The first one hits, and
// the second one misses.
var footprints = []struct{ load, bin string }{{"near", "near-cache"}, {"far", "memory"}, {"middle", "far-cache"}}

// inBins returns for each run which part of the loads is in the bin of its footprint: the least of the first n loads.
func inBins(n int) func(m *figure.Measured, extended bool) figure.Tally {
	return func(m *figure.Measured, _ bool) (t figure.Tally) {
		for run := range m.Of("latency/near/near-cache") {
			least := 100.
			for _, x := range footprints[:n] {
				least = min(least, m.Of("latency", x.load, x.bin)[run])
			}
			t = append(t, least)
		}
		return t
	}
}

func whyLatency(m *figure.Measured) string {
	of := func(load, what string, u figure.Unit) string { return m.Of("latency", load, what).Text(u) }
	return fmt.Sprintf("Windows of programs that are built for them time loads (decision 39). In a loop with a load from "+
		"128 MB and one from 2 KB, both at random, %s of the first are from memory, and the program waits %s s for it; %s of "+
		"the second are from the nearest cache, and it waits %s s. In a loop through half as much memory again as the second "+
		"cache has, %s are from a farther cache, and it waits %s s; %s are from memory, since other programs use the last "+
		"cache, too.",
		of("far", "memory", figure.Percent), of("far", "wait", seconds), of("near", "near-cache", figure.Percent),
		of("near", "wait", seconds), of("middle", "far-cache", figure.Percent), of("middle", "wait", seconds),
		of("middle", "memory", figure.Percent))
}

func seconds(x float64) figure.Value {
	return figure.Value{Text: fmt.Sprintf("%.2f", x), Number: x, Unit: "seconds"}
}

// latencyTable has the loads by where they are from.
func latencyTable(m *figure.Measured) figure.Table {
	t := figure.Table{Title: "Latencies of loads, timed in windows", Columns: []string{"load"}}
	t.Columns = append(append(t.Columns, schema.Latencies[:]...), "timed", "waits, s")
	for _, x := range footprints {
		row := []figure.Value{figure.Text(x.load)}
		for _, bin := range schema.Latencies {
			row = append(row, figure.Text(m.Of("latency", x.load, strings.ReplaceAll(bin, " ", "-")).Text(figure.Percent)))
		}
		t.Rows = append(t.Rows, append(row, figure.Text(m.Of("latency", x.load, "timed").Text(figure.NumberOf("loads"))),
			figure.Text(m.Of("latency", x.load, "wait").Text(seconds))))
	}
	return t
}
