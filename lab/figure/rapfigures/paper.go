// Package rapfigures repeats the experiments of Mysore, Agrawal, Sherwood, Shrivastava and Suri, "Profiling over
// Adaptive Ranges", CGO 2006.
package rapfigures

import (
	"fmt"

	"github.com/pepgo/pep/lab/figure"
)

// Paper returns the figures.
func Paper() figure.Paper {
	return figure.Paper{Figures: []figure.Figure{
		{ID: "rap-2", Title: "nodes at worst and in fact, by b and q (RAP-12)", Experiment: nodesByOption},
		{ID: "rap-3", Title: "merges in batches and after every split (RAP-10)", Experiment: mergeBatches},
		{ID: "rap-5", Title: "hot ranges of the values that a compressor loads (RAP-13, RAP-31)", Experiment: hotValues},
		{ID: "rap-code", Title: "hot regions of code (section 4.1)", Experiment: hotCode},
		{ID: "rap-6", Title: "nodes over time, code (RAP-25)", Experiment: nodesOverTime},
		{ID: "rap-9", Title: "how wide hot ranges of values are, with caches (RAP-26)", Experiment: widthsBehindCaches},
		{ID: "rap-10", Title: "addresses of zero loads (RAP-27)", Experiment: zeroLoads},
		{ID: "rap-narrow", Title: "code with narrow operands (RAP-27)", Experiment: narrowOperands},
		{ID: "rap-edges", Title: "edges in boxes of two dimensions (RAP-28)", Experiment: edgesInBoxes},
		{ID: "rap-buffer", Title: "what the event buffer of the hardware combines (RAP-16)", Experiment: eventsToACount},
		{ID: "rap-cost", Title: "area, delay and energy of the hardware (RAP-20)", Experiment: hardwareCost},
	}}
}

// rule is what the setup of a figure says about its rows.
var rule = "a run is one recording, because trees have nothing random; " + figure.Agreement +
	"; a number may be off by a factor of " + fmt.Sprint(figure.Slack) +
	", nodes and errors that the paper states may be fewer, too, and bounds hold as they stand"
