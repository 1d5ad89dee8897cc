// Package copfigures repeats the experiments of Zilles and Sohi, "A Programmable Co-Processor for Profiling", HPCA
// 2001.
package copfigures

import "github.com/pepgo/pep/lab/figure"

// Paper returns the figures.
func Paper() figure.Paper {
	return figure.Paper{Figures: []figure.Figure{
		{ID: "cop-sweep", Title: "constants of value profiling (COP-35)", Experiment: errorByConstant},
		{ID: "cop-phases", Title: "a phase detector that clears masks", Experiment: masksByPhase},
		{ID: "cop-upper", Title: "a second pass for the upper halves of values (COP-34)", Experiment: upperHalves},
	}}
}
