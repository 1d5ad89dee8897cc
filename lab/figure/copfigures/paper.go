// Package copfigures repeats the experiments of Zilles and Sohi, "A Programmable Co-Processor for Profiling", HPCA 2001.
package copfigures

import "github.com/pepgo/pep/lab/figure"

// Paper returns the figures.
func Paper() figure.Paper {
	return figure.Paper{Prefix: "cop-", Subject: "the co-processor", Title: "Beyond the paper on the co-processor", Introduction: introduction, Figures: []figure.Figure{
		{ID: "cop-sweep", Title: "constants of value profiling (COP-35)", Experiment: errorByConstant},
		{ID: "cop-phases", Title: "a phase detector that clears masks", Experiment: masksByPhase},
		{ID: "cop-upper", Title: "a second pass for the upper halves of values (COP-34)", Experiment: upperHalves},
	}}
}

const introduction = `Experiments with the co-processor of Zilles and Sohi that go beyond their paper; the claims of the paper are in paper-cop.md.
`
