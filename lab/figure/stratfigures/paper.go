// Package stratfigures repeats the experiments of Sastry, Bodik and Smith, "Rapid Profiling via Stratified Sampling",
// ISCA 2001.
package stratfigures

import (
	"fmt"

	"github.com/pepgo/pep/lab/figure"
)

// Paper returns the figures. The first one takes as many random permutations as permutations says.
func Paper(permutations int) figure.Paper {
	onPermutations := func(env *figure.Env, res *figure.Result) error { return permutationErrors(env, res, permutations) }
	return figure.Paper{Prefix: "strat-", Subject: "stratified sampling", Title: "Figures of stratified sampling", Introduction: introduction, Dated: true, Figures: []figure.Figure{
		{ID: "strat-4", Title: "error of samplers on random permutations (STRAT-21)", Experiment: onPermutations},
		{ID: "strat-7", Title: "error and overhead of the largest working set (STRAT-22, STRAT-23)", Experiment: largestWorkingSet},
		{ID: "strat-8", Title: "errors of the other programs", Experiment: otherPrograms},
		{ID: "strat-9", Title: "sizes of the table (STRAT-24)", Experiment: tableSizes},
		{ID: "strat-10", Title: "a second level of 16 entries (STRAT-12)", Experiment: secondLevel},
		{ID: "strat-11", Title: "edges and calls in one compressor (STRAT-25)", Experiment: edgesAndCalls},
		{ID: "strat-filter", Title: "filters of places that have converged (STRAT-29)", Experiment: filtersOfPlaces},
	}}
}

// rule is what the setup of each figure says about its rows.
var rule = figure.Agreement + fmt.Sprintf("; a number of load events may be off by a factor of %d, any other number by %v, and bounds hold as they stand", figure.SlackEvents, figure.Slack)

const introduction = `All of this page is output of ` + "`figures run -page`" + `; each block begins with the command that has written it and its line in short. ` + "`make figures-strat`" + ` records the traces and runs all figures.
Estimates do not depend on the speed of the machine, and overheads are modelled: with the same traces each run has the same results. The plots are in [figures](figures).

These are the experiments of Sastry, Bodik and Smith, *Rapid Profiling via Stratified Sampling*, ISCA 2001, on the test programs that the figures name: their loads, and their edges and call targets. As in the paper
there is one processor, and the initialisation of the programs is left out. Each recording is from a run of its own: a second one has the next part of a program, and a third one has the first part once more. Each is
replayed with several seeds of hash functions and samplers. Rows are medians of all these runs with the least and the greatest. One rule, in the first line below each figure, says which rows agree with the paper; a line
"differs:" names those that do not. The figures give no reasons: tables show what could be one. [Decision 25](../../docs/decisions/0025-filter.md) is about the filters.
`
