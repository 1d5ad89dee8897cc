package main

// This file holds the usage texts, written by hand. A test runs the examples.

const usage = `figures repeats the experiments of the papers, and prints ours beside theirs.

Usage:

	figures run [flags] ID...|all   experiments: tables, verdicts and plots
	figures paper [flags] NAME...   the claims of a paper, and ours beside them
	figures size [-engine cop]      transistors of a co-processor
	figures version                 version of figures
	figures help [command]          this text, or the flags of a command

Run it in the folder lab of the source of pep, as make figures does:

	go run ./cmd/figures run all
`

// The usage of each verb; the first line is its synopsis.
const (
	runUsage = `figures run [-json] [-traces DIR] [-o DIR] [-loads N] [-branches N] [-seed 1] [-seeds 10] [-cycles 3.35] ID...|all

Repeats experiments of the papers and prints ours beside theirs. IDs that begin
with rap are about Mysore, Agrawal, Sherwood, Shrivastava and Suri, CGO 2006:

	rap-2            nodes at worst and in fact, by children and merge interval
	rap-3            merges in batches and after every split
	rap-5            hot ranges of the values that a compressor loads
	rap-code         hot regions of code
	rap-6            nodes over time
	rap-9            how wide hot ranges of values are, with caches
	rap-10           addresses of zero loads
	rap-narrow       code with narrow operands
	rap-edges        edges in boxes of two dimensions
	rap-buffer       what the event buffer of the hardware combines
	rap-cost         area, delay and energy of the hardware

IDs that begin with cop go beyond Zilles and Sohi, HPCA 2001:

	cop-sweep    constants of value profiling
	cop-upper    a second pass for the upper halves of values
	cop-phases   a phase detector that clears masks

All but rap-cost need traces of the test programs: PROGRAM.loads.trace,
PROGRAM.calls.trace, PROGRAM.pairs.trace, PROGRAM.ops.trace, and
PROGRAM.blocks.trace with PROGRAM.blocks.layout; rap uses further recordings if
they are there, PROGRAM.loads-2.trace and so on; make figures records them.

	-json              print tables, rows and the points of the plots as JSON;
	                   package figure explains the members
	-traces DIR        where they are (default ../build/traces)
	-o DIR             where plots go, as SVG, and the points of rap-6, as CSV
	                   (default results/figures)
	-loads N           how many events of a recording of loads, blocks, pairs or ops
	                   are run (default 16000000); a pair is two events, and an
	                   operation three; cop-sweep takes a quarter
	-branches N        how many of a recording of calls, which are edges and calls
	                   (default 4000000)
	-seed 1            of engines, and of the random points of rap-2
	-seeds 10          how many seeds the random points of rap-2 have, from -seed on
	-cycles 3.35       cycles that a program takes for an event; a message takes 30

Examples:

	figures run -o plots rap-cost
	figures run -json -o plots rap-cost
`

	paperUsage = `figures paper [-again] [-traces DIR] [-lines DIR] [-numbers DIR] [-o DIR] [-loads N] [-seed 1] NAME...

Writes the page of a paper, DIR/paper-NAME.md: each claim with ours beside it, and what
surprised. cop is Zilles and Sohi, HPCA 2001, rap is Mysore, Agrawal, Sherwood,
Shrivastava and Suri, CGO 2006, strat is Sastry, Bodik and Smith, ISCA 2001, vsamp is
Burrows and others, ASPLOS 2000, and pep is Bond and McKinley, MICRO 2005. cop, rap and
strat take minutes, and traces that make paper-NAME records; vsamp reads traces, too,
samples live programs, and needs the rights of peptrace values; pep takes what make
paper-pep has measured. The numbers are written to a file NAME.txt, and details to NAME.md
beside it: how each claim is measured, ranges of runs, why ours differs, tables.

	-again        make the page of the numbers that were written before
	-traces DIR   where traces are, as for figures run (default ../build/traces)
	-lines DIR    where pepbench has written lines for pep (default ../build/pep)
	-numbers DIR  where numbers and details go (default ../build/papers)
	-o DIR        where the page goes (default results)
	-loads N      how many events of a recording are run (default 8000000, of strat
	              16000000)
	-seed 1       of random orders

Examples:

	figures paper -again -numbers papers cop
`

	sizeUsage = `figures size [-json] [-engine cop]

Estimates how many transistors a co-processor needs in hardware: those of its memory
arrays, register files and units.

	-engine cop   the co-processor, as for pepsim run
	-json         print the listing as JSON; package transistors explains the members

Examples:

	figures size
	figures size -engine 'cop(slots=512,microcode=256)'
`

	versionUsage = `figures version

Prints the version of figures and of the Go it was built with.

Examples:

	figures version
`
)
