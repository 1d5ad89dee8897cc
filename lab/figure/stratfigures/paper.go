// Package stratfigures has the claims of Sastry, Bodik and Smith, "Rapid Profiling via Stratified Sampling", ISCA 2001,
// and the experiments that show ours beside them.
package stratfigures

import "github.com/pepgo/pep/lab/figure"

// Beside is the page of the paper.
var Beside = figure.Beside{
	Name:    "strat",
	Title:   "Stratified sampling beside its paper",
	Columns: figure.Rules,
	Extended: "Our rules add a hash that multiplies, counters that begin with a random number, a share of messages " +
		"times a length as the estimate of a counter, and a filter that lets one of 8 events pass (decision 25)",
	Runs: "two parts of a recording with three seeds each, the seeds alone of edges and calls, ten seeds of random " +
		"streams, or the 10 programs by their medians, as the column \"ours is\" says",
	Loads:     16_000_000,
	Measure:   measureAll,
	Claims:    claims,
	Surprises: surprises,
	Tables:    tables,
}
