// Package copfigures repeats the experiments of Zilles and Sohi, "A Programmable Co-Processor for Profiling", HPCA 2001.
package copfigures

import "github.com/pepgo/pep/lab/figure"

// Paper returns the figures.
func Paper() figure.Paper {
	return figure.Paper{Prefix: "cop-", Subject: "the co-processor", Title: "Figures of the co-processor", Introduction: introduction, Figures: []figure.Figure{
		{ID: "cop-table1", Title: "structures and transistors of the co-processor (COP-32)", Experiment: transistorsBySize, Sentence: aboutSize},
		{ID: "cop-1", Title: "simple sampler: error over time and overhead, three rates (COP-28)", Experiment: errorBySamplerRate, Sentence: aboutRates},
		{ID: "cop-8", Title: "error over time and overhead (COP-30)", Experiment: errorOverTime, Sentence: aboutCurves},
		{ID: "cop-6", Title: "estimated and true shares of values (section 5.2)", Experiment: valueScatter, Sentence: aboutScatter},
		{ID: "cop-7", Title: "error and overhead of all programs (COP-29)", Experiment: errorByProgram, Sentence: aboutPrograms},
		{ID: "cop-long", Title: "figure 7 over windows of long recordings (COP-29)", Experiment: errorByWindow, Sentence: aboutLong},
		{ID: "cop-remedies", Title: "parameters at equal overhead, the two largest working sets (COP-29, COP-35)", Experiment: errorByParameters, Sentence: aboutRemedies},
		{ID: "cop-sweep", Title: "constants of value profiling (COP-35)", Experiment: errorByConstant, Sentence: aboutSweep},
		{ID: "cop-9", Title: "arrays of half, base and double size (COP-31)", Experiment: errorByArraySize, Sentence: aboutArrays},
		{ID: "cop-clock", Title: "slower co-processors (COP-31)", Experiment: errorByClock, Sentence: aboutClock},
		{ID: "cop-phases", Title: "a phase detector that clears masks", Experiment: masksByPhase, Sentence: aboutPhases},
		{ID: "cop-upper", Title: "a second pass for the upper halves of values (COP-34)", Experiment: upperHalves, Sentence: aboutUpper},
		{ID: "cop-rate", Title: "the simple sampler at the rate of software", Experiment: softwareRate, Sentence: aboutRate},
	}}
}

const introduction = `All of this page is output of ` + "`figures run -page`" + `; each block begins with the command that has written it and its line in short. ` + "`make figures-cop`" + ` records the traces and runs all figures.
Estimates and cycles do not depend on the speed of the machine: with the same traces each run has the same results. The plots are in [figures](figures).

These are the experiments of Zilles and Sohi, *A Programmable Co-Processor for Profiling*, HPCA 2001, on twelve test programs.
Our text of the paper has lost all numbers, so the column "paper" has its statements. A line "differs:" marks each result of ours that does not agree, with
numbers of the same run. Cycles and drops are results of models: of
[package clock](../../hwsim/clock/clock.go) for the main processor, of the machine, and of the handlers' parameters ([decision 18](../../docs/decisions/0018-coprocessor.md),
[19](../../docs/decisions/0019-value-profiling.md)). They are no measurements.

What is compared:

* **Error** is the root of the mean square error of the estimated shares, weighted with executions, over the pairs of a load and a value that have at
  least 10 % of a load with at least 1000 executions. The complete profile of the same loads is the truth. The least share and the least number are ours.
* **The simple sampler** takes one of N loads, and interrupts when 128 samples are full. The co-processor keeps 32 bits of a value, so the sampler's
  values are cut to 32 bits, too.
* **The co-processor** runs ` + "`program=values`" + ` with the defaults of decision 19, and memory for all records.
* **A factor** is the error of the co-processor divided by that of the simple sampler with the same overhead. Below 1 the co-processor is better.
* **Random order** means the same loads, shuffled. This removes the phases of a program and leaves everything else.
`
