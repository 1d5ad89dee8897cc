package main

// This file holds the usage texts, written by hand. A test runs the examples.

const usage = `pepsim runs models of profiling hardware over the events of real programs:
the loads, branches, calls … that a program built with pepbuild -peptaps reports.

Usage:

	pepsim run [flags] TRACE...        engines over traces: messages, overhead, error
	pepsim figure [flags] ID...|all    the papers' experiments, ours beside theirs
	pepsim trace record [flags] -- PROG ARGS...
	                                   run a program and write a trace of it
	pepsim trace info [flags] TRACE    summary of a trace
	pepsim trace print [flags] TRACE   a trace as text, a tuple a line
	pepsim trace parse -o OUT TEXT     a trace of such text
	pepsim trace filter -o OUT [flags] TRACE
	                                   part of a trace
	pepsim trace merge -o OUT TRACE... several traces as one
	pepsim cop asm [-o IMAGE] SOURCE   a program for the engine cop, assembled
	pepsim cop disasm IMAGE            its source
	pepsim cop trace [flags] PROGRAM TRACE
	                                   each cycle of a program over a trace
	pepsim cop step [flags] PROGRAM [TRACE]
	                                   a debugger for such programs
	pepsim cop size [-engine cop]      transistors of a co-processor
	pepsim version                     version of pepsim
	pepsim help [command]              this text, or the flags of a command

If the program app was built with pepbuild -peptaps=all, this writes the file
app.trace of the examples: pepsim trace record -o app.trace -- ./app

TRACE may be - for the standard input, and OUT for the standard output.
With -json run, figure, trace info, trace print and cop size print JSON, for programs.

Examples:

	pepsim trace info app.trace
	pepsim run -engine R64 -engine 'H[P64]512' app.trace
`

// filterFlags describes the flags that trace print and trace filter share.
const filterFlags = `	-tag tags      only tuples of these kinds, separated by commas: arg, result,
	               load, store, call, type, edge, addr, const, more, goroutine,
	               direct, return, third, op, enter, and in traces of messages
	               dep, follow, conflict, context, within
	-stream ids    only these streams, separated by commas
	-func regexp   only sites in functions whose names match
	-from N        only tuples from position N on, counted from 0
	-to N          only tuples before position N
	-n N           no more than N tuples
`

// The usage of each verb; the first line is its synopsis.
const (
	runUsage = `pepsim run [-engine SPEC]... [-profiles NAME] [-top 10] [-csv|-json] [-cycles 3.35] [-n N] [-quiet] TRACE...

Runs engines over traces of one program, one trace after the other. Each stream
has an engine of its own. For each kind of engine it prints the messages that it
sends to software, the modelled overhead, the storage with words of 32 bits, and
the error against the exact profile of the same events: when the error was first
below 5%, and from when on it stayed there. The error is computed over the tuples
that have 10% or more of the events of their site, at sites with 1000 events or
more of which 40% or more are in such tuples. For engines that model a pipeline,
such as raphw, it also prints cycles, stalls and lost events.

	-engine SPEC   an engine, such as R256, P256, H[P256]2048, tag2-256-2048,
	               H[P256]2048+A16, or several with colons between, each of
	               which takes the messages of the one before: H[P256]2048:A16;
	               default R256 and H[P256]2048.
	               rap(eps=1%,over=words) finds hot ranges of words in software,
	               raphw(eps=1%,over=words,buffer=1024) in modelled hardware.
	               cop(program=NAME) runs microcode in a modelled co-processor:
	               edges, targets, follow, deps, conflicts and callstack are
	               built in, and pepsim cop asm makes others.
	               Engines for the front of a chain select or change events:
	                 where(first=0,pass=second)
	                                samples whose words are in ranges, or one word
	                 cache(32K,ways=8,line=64)
	                                loads that miss, with -peptaps=pairs
	                 code(LAYOUT)   addresses of code in the place of words
	                 morton(site=0..23,first=0..31)
	                                one word of several numbers, for rap(b=4)
	               The packages below hwsim have all parameters
	-profiles NAME write what the engine found to pprof files NAME.values.pb.gz,
	               NAME.deps.pb.gz and so on, as the program would have: for pep and
	               go tool pprof
	-top 10        how many of the hottest tuples to print; 0 for none
	-csv           the table as comma-separated values, and no tuples
	-json          table and tuples as JSON; docs/formats.md explains the fields
	-cycles 3.35   cycles that the program takes for an event; a message takes 30
	-n N           no more than N events; 0 is all
	-quiet         no bar with the time that a long run still takes; there is one only
	               if the standard error is a terminal

Examples:

	pepsim run -top 3 app.trace
	pepsim run -csv -engine P64 -engine 'H[P64]512+A16' app.trace
`

	figureUsage = `pepsim figure [-json] [-traces DIR] [-o DIR] [-page FILE] [-n N] [-permutations N] [-seed 1] [-seeds 10] [-cycles 3.35] ID...|all

Repeats experiments of the papers and prints ours beside theirs. IDs that begin
with strat are those of Sastry, Bodik and Smith, ISCA 2001:

	strat-4    error of samplers on random permutations
	strat-7    error and overhead of the largest working set
	strat-8    errors of the other programs
	strat-9    sizes of the table
	strat-10   a second level of 16 entries
	strat-11   edges and calls in one compressor
	strat-filter   filters of places that have converged

IDs that begin with rap are those of Mysore, Agrawal, Sherwood, Shrivastava and
Suri, CGO 2006:

	rap-2            nodes at worst and in fact, by children and merge interval
	rap-3            merges in batches and after every split
	rap-5            hot ranges of the values that a compressor loads
	rap-code         hot regions of code
	rap-6            nodes over time
	rap-7-code       nodes of all programs, code
	rap-7-values     nodes of all programs, values
	rap-8-code       errors of hot regions of code
	rap-8-values     errors of hot ranges of values
	rap-headline     accuracy with 500 and 4096 nodes
	rap-9            how wide hot ranges of values are, with caches
	rap-10           addresses of zero loads
	rap-narrow       code with narrow operands
	rap-edges        edges in boxes of two dimensions
	rap-buffer       what the event buffer of the hardware combines
	rap-throughput   cycles of the hardware for an event, and stalls
	rap-cost         area, delay and energy of the hardware

IDs that begin with cop are those of Zilles and Sohi, HPCA 2001, and two that go
beyond it:

	cop-table1   structures and transistors of the co-processor
	cop-1        simple sampler: error over time and overhead, three rates
	cop-6        estimated and true shares of values
	cop-7        error and overhead of all programs
	cop-8        error over time and overhead
	cop-long     figure 7 over windows of long recordings
	cop-remedies parameters of the value profiler at equal overhead
	cop-9        arrays of half, base and double size: figures 9 and 10
	cop-clock    slower co-processors
	cop-rate     the simple sampler at the rate of software
	cop-sweep    constants of value profiling
	cop-upper    a second pass for the upper halves of values
	cop-phases   a phase detector that clears masks

All but strat-4, rap-cost and cop-table1 need traces of the test programs:
PROGRAM.loads.trace, PROGRAM.calls.trace, PROGRAM.pairs.trace,
PROGRAM.ops.trace, and PROGRAM.blocks.trace with PROGRAM.blocks.layout; strat
and rap use further recordings if they are there, PROGRAM.loads-2.trace and so on;
make figures records them.

	-json              print tables, rows and the points of the plots as JSON;
	                   docs/formats.md explains the fields
	-traces DIR        where they are (default build/traces)
	-o DIR             where plots go, as SVG, and the points of rap-6, as CSV
	                   (default docs/figures)
	-page FILE         also write a page about the figures, which are those of one
	                   paper, in Markdown: what they are, what they show in
	                   short, and the figures; those that FILE has and that do
	                   not run stay as they are; without an error only
	-n N               loads, blocks, or words of samples of a program (default
	                   16000000); of edges and calls for strat, and of loads for
	                   strat-10 and rap-throughput, a quarter
	-permutations N    of strat-4, of all seeds together (default 2500)
	-seed 1            of strat-4, of all engines, and of the random points of rap-2
	-seeds 10          with how many seeds, from -seed on, strat replays a recording,
	                   and of the random points of rap-2
	-cycles 3.35       cycles that a program takes for an event; a message takes 30

Examples:

	pepsim figure -o plots -permutations 5 strat-4
	pepsim figure -json -o plots -permutations 5 strat-4
`

	recordUsage = `pepsim trace record [-o pep.trace] [[-from N] -n N] -- PROG ARGS...

Runs a program that was built with pepbuild -peptaps, with trace=FILE added to
the other settings in PEPOPTS.

	-o FILE   the trace (default pep.trace)
	-n N      interrupt the program when it has written N tuples, and end the
	          trace with them; then the trace has no names of types and
	          functions, and the program writes no profiles
	-from N   leave out the first N tuples; those of -n follow them
`

	infoUsage = `pepsim trace info [-json] TRACE

Prints where a trace comes from, its size, and how many tuples it has of each
tag and stream.

	-json   print the listing as JSON; docs/formats.md explains its fields

Examples:

	pepsim trace info app.trace
`

	printUsage = `pepsim trace print [flags] TRACE

Prints a trace as text, a tuple a line: stream, tag, site, word, and where the
site is in the source. Before them stand the taps of the whole program.

	-bare          tuples only; trace parse does not read this output
	-json          print the listing as JSON; docs/formats.md explains its fields
` + filterFlags + `
Examples:

	pepsim trace print -bare -n 3 words.trace
	pepsim trace print -tag call,type -func '^main\.' words.trace
`

	parseUsage = `pepsim trace parse -o OUT TEXT

Writes a trace from the text that trace print prints. The text has the taps of the
site tables and no more, so the trace has a build of its own.

	-o OUT   file to write

Examples:

	pepsim trace parse -o new.trace words.txt
`

	filterUsage = `pepsim trace filter -o OUT [flags] TRACE

Writes the tuples of a trace that all of the flags select.

	-o OUT         file to write
` + filterFlags + `
Examples:

	pepsim trace filter -n 1000 -o head.trace app.trace
	pepsim trace filter -tag load -from 500 -to 1500 -o part.trace app.trace
`

	mergeUsage = `pepsim trace merge -o OUT [-differ] TRACE...

Joins traces, in the order given. Streams get new numbers. Sites keep theirs, so
all traces must be of one build.

	-o OUT    file to write
	-differ   builds may differ; where they have the same package, sites are
	          named as in the first trace that has it

Examples:

	pepsim trace merge -o twice.trace app.trace app.trace
`

	versionUsage = `pepsim version

Prints the version of pepsim and of the Go it was built with.
`
)
