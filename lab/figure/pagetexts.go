package figure

// This file has what the pages say of the papers and of how their figures are made. Nothing here speaks of results.

// subjects are the pages.
var subjects = []subject{
	{"strat-", "stratified sampling", "Figures of stratified sampling", stratIntroduction, true},
	{"rap-", "range adaptive profiling", "Figures of range adaptive profiling", treeIntroduction, true},
	{"cop-", "the co-processor", "Figures of the co-processor", copIntroduction, false},
}

const stratIntroduction = `All of this page is output of ` + "`figures run -page`" + `; each block begins with the command that has written it and its line in short. ` + "`make figures-strat`" + ` records the traces and runs all figures.
Estimates do not depend on the speed of the machine, and overheads are modelled: with the same traces each run has the same results. The plots are in [figures](figures).

These are the experiments of Sastry, Bodik and Smith, *Rapid Profiling via Stratified Sampling*, ISCA 2001, on the test programs that the figures name: their loads, and their edges and call targets. As in the paper
there is one processor, and the initialisation of the programs is left out. Each recording is from a run of its own: a second one has the next part of a program, and a third one has the first part once more. Each is
replayed with several seeds of hash functions and samplers. Rows are medians of all these runs with the least and the greatest. One rule, in the first line below each figure, says which rows agree with the paper; a line
"differs:" names those that do not. The figures give no reasons: tables show what could be one. [Decision 25](../../docs/decisions/0025-filter.md) is about the filters.
`

const treeIntroduction = `All of this page is output of ` + "`figures run -page`" + `; each block begins with the command that has written it and its line in short. ` + "`make figures-rap`" + ` records the traces and runs all figures.
Trees, cycles and counts do not depend on the speed of the machine: with the same traces each run has the same results. The plots are in [figures](figures).

These are the experiments of Mysore, Agrawal, Sherwood, Shrivastava and Suri, *Profiling over Adaptive Ranges*, CGO 2006, on the test programs that the figures name: values that they load, and basic blocks as
addresses in the order of their code. Each recording is from a run of its own; a second one has the next part of a program. Rows are medians of all recordings with the least and the greatest. One rule, in the first line
below each figure, says which rows agree with the paper; a line "differs:" names those that do not. The figures give no reasons: tables show what could be one.
[Decision 16](../../docs/decisions/0016-rap.md) gives the reasons for the defaults.
`

const copIntroduction = `All of this page is output of ` + "`figures run -page`" + `; each block begins with the command that has written it and its line in short. ` + "`make figures-cop`" + ` records the traces and runs all figures.
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
