package main

// This file holds the usage texts, written by hand. A test runs the examples.

const usage = `pepsim runs models of profiling hardware over the events of real programs:
the loads, branches, calls … that a program built with pepbuild -peptaps reports.

Usage:

	pepsim run [flags] TRACE...        engines over traces: messages, overhead, error
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
	pepsim version                     version of pepsim
	pepsim help [command]              this text, or the flags of a command

If the program app was built with pepbuild -peptaps=all, this writes the file
app.trace of the examples: pepsim trace record -o app.trace -- ./app

TRACE may be - for the standard input, and OUT for the standard output.
With -json run, trace info and trace print print JSON, for programs.

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
	-json          table and tuples as JSON; docs/reference/json.md explains the fields
	-cycles 3.35   cycles that the program takes for an event; a message takes 30
	-n N           no more than N events; 0 is all
	-quiet         no bar with the time that a long run still takes; there is one only
	               if the standard error is a terminal

Examples:

	pepsim run -top 3 app.trace
	pepsim run -csv -engine P64 -engine 'H[P64]512+A16' app.trace
`

	recordUsage = `pepsim trace record [-o pep.trace] [[-from N] -n N] -- PROG ARGS...

Runs a program that was built with pepbuild -peptaps, with trace=FILE added to
the other settings in PEPOPTS.

	-o FILE   the trace (default pep.trace)
	-n N      interrupt the program when it has written N tuples, and end the
	          trace with them; then the trace has no names of types and
	          functions, and the program writes no profiles
	-from N   leave out the first N tuples; those of -n follow them

Examples, of a program built with pepbuild build -peptaps=loads -o prog .:

	pepsim trace record -o prog.trace -- ./prog
	pepsim trace record -n 1000000 -- ./prog -v
`

	infoUsage = `pepsim trace info [-json] TRACE

Prints where a trace comes from, its size, and how many tuples it has of each
tag and stream.

	-json   print the listing as JSON; docs/reference/json.md explains its fields

Examples:

	pepsim trace info app.trace
`

	printUsage = `pepsim trace print [flags] TRACE

Prints a trace as text, a tuple a line: stream, tag, site, word, and where the
site is in the source. Before them stand the taps of the whole program.

	-bare          tuples only; trace parse does not read this output
	-json          print the listing as JSON; docs/reference/json.md explains its fields
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

Examples:

	pepsim version
`
)
