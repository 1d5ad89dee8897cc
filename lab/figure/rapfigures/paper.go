// Package rapfigures repeats the experiments of Mysore, Agrawal, Sherwood, Shrivastava and Suri, "Profiling over Adaptive
// Ranges", CGO 2006.
package rapfigures

import (
	"fmt"

	"github.com/pepgo/pep/lab/figure"
)

// Paper returns the figures.
func Paper() figure.Paper {
	return figure.Paper{Prefix: "rap-", Subject: "range adaptive profiling", Title: "Figures of range adaptive profiling", Introduction: introduction, Dated: true, Figures: []figure.Figure{
		{ID: "rap-2", Title: "nodes at worst and in fact, by b and q (RAP-12)", Experiment: nodesByOption},
		{ID: "rap-3", Title: "merges in batches and after every split (RAP-10)", Experiment: mergeBatches},
		{ID: "rap-5", Title: "hot ranges of the values that a compressor loads (RAP-13, RAP-31)", Experiment: hotValues},
		{ID: "rap-code", Title: "hot regions of code (section 4.1)", Experiment: hotCode},
		{ID: "rap-6", Title: "nodes over time, code (RAP-25)", Experiment: nodesOverTime},
		{ID: "rap-7-code", Title: "nodes of all programs, code (RAP-22)", Experiment: nodesByProgram(ofCode, memory{most: 500, gcc: 453, mean: 450})},
		{ID: "rap-7-values", Title: "nodes of all programs, values (RAP-22)", Experiment: nodesByProgram(ofValues, memory{most: 733, parser: 203, mean: 300})},
		{ID: "rap-8-code", Title: "errors of hot regions of code (RAP-23)", Experiment: errorsByProgram(ofCode, accuracy{13.5, "gcc", 2})},
		{ID: "rap-8-values", Title: "errors of hot ranges of values (RAP-23)", Experiment: errorsByProgram(ofValues, accuracy{20, "vortex, value 0", 3.4})},
		{ID: "rap-headline", Title: "accuracy with 8 KB and 64 KB (RAP-24)", Experiment: fixedNodes},
		{ID: "rap-9", Title: "how wide hot ranges of values are, with caches (RAP-26)", Experiment: widthsBehindCaches},
		{ID: "rap-10", Title: "addresses of zero loads (RAP-27)", Experiment: zeroLoads},
		{ID: "rap-narrow", Title: "code with narrow operands (RAP-27)", Experiment: narrowOperands},
		{ID: "rap-edges", Title: "edges in boxes of two dimensions (RAP-28)", Experiment: edgesInBoxes},
		{ID: "rap-buffer", Title: "what the event buffer of the hardware combines (RAP-16)", Experiment: eventsToACount},
		{ID: "rap-throughput", Title: "cycles of the hardware for an event (RAP-19)", Experiment: cyclesOfEvents},
		{ID: "rap-cost", Title: "area, delay and energy of the hardware (RAP-20)", Experiment: hardwareCost},
	}}
}

// rule is what the setup of a figure says about its rows.
var rule = "a run is one recording, because trees have nothing random; " + figure.Agreement + "; a number may be off by a factor of " + fmt.Sprint(figure.Slack) +
	", nodes and errors that the paper states may be fewer, too, and bounds hold as they stand"

const introduction = `All of this page is output of ` + "`figures run -page`" + `; each block begins with the command that has written it and its line in short. ` + "`make figures-rap`" + ` records the traces and runs all figures.
Trees, cycles and counts do not depend on the speed of the machine: with the same traces each run has the same results. The plots are in [figures](figures).

These are the experiments of Mysore, Agrawal, Sherwood, Shrivastava and Suri, *Profiling over Adaptive Ranges*, CGO 2006, on the test programs that the figures name: values that they load, and basic blocks as
addresses in the order of their code. Each recording is from a run of its own; a second one has the next part of a program. Rows are medians of all recordings with the least and the greatest. One rule, in the first line
below each figure, says which rows agree with the paper; a line "differs:" names those that do not. The figures give no reasons: tables show what could be one.
[Decision 16](../../docs/decisions/0016-rap.md) gives the reasons for the defaults.
`
