package main

// This file holds the usage texts, written by hand. A test runs the examples.

const usage = `pep shows the profiles that programs built with pepbuild write:
which paths they took, and which way each branch went.

Usage:

	pep run [flags] PACKAGE            build and run a program, and show its paths in the browser
	pep test [flags] [PACKAGE...]      likewise for tests
	pep top [flags] [FILE...]          hot paths with their branches and source
	pep list [flags] FUNC [FILE]       source of functions with edge counts beside it
	pep html [flags] [FILE...]         all of it as a web page, one file
	pep serve [flags] [FILE...]        the same page in a browser
	pep cover [flags] [FILE|DIR...]    what tests never decided: branches and MC/DC
	pep cold [flags] FILE...           what never ran in production, as peptrace cold saw it
	pep values [flags] [FILE...]       values, types and call targets, of windows or taps
	pep ranges [flags] [FILE...]       hot ranges of values, addresses and code
	pep sites [flags] PROGRAM          what is profiled and tapped in a program
	pep accuracy [flags] EXACT SAMPLED how well a sampled profile agrees with an exact one
	pep pgo -o OUT [FILE...]           profiles for the compiler; pep pgo -check measures what they bring
	pep merge -o OUT FILE...           add up profiles
	pep dump [flags] FILE...           every sample as a line of text
	pep version                        version of pep
	pep help [command]                 this text, or the flags of a command

A program writes several files when it ends, app.71.T.paths.pb.gz and others, if 71 was
its process ID and T the time when it started. Give any of them, or all, of one run or of several,
as app.*.pb.gz: pep takes those that have what it needs. Without FILE pep takes the newest profile in $PEPDIR, or
else the current directory, and says which on standard error; a directory in place of FILE
stands for the newest in it. FILE may be - for the standard input. All files also open in
go tool pprof.

FUNC and -func are the name of a function as a listing has it, main.(*T).Method or
go/types.(*Named).methodIndex·p6, or else a regular expression.

On a terminal, lines are cut at its width; $COLUMNS overrides that. NO_COLOR=1 leaves out
colours. With -json the commands that list something print it as JSON, for programs.

Examples:

	pep top
	pep list main.count
	pep values app.71.values.pb.gz
`

// The usage of each verb; the first line is its synopsis.
const (
	runUsage = `pep run [-o FILE] [-no_browser] [-text] [flags of pepbuild] PACKAGE [arguments]

Builds a program with pepbuild and runs it. When it ends, also by ctrl-C, pep shows the paths
that it took as a page in the browser: source with counts, the outcomes of branches, hot paths.
The program has pep's standard streams, and pep ends with its exit status.

The program, its profiles and the page are in a directory of their own, which pep prints.
Flags that are not listed here are those of pepbuild, as -flag or -flag=value.

	-o FILE       write the page to FILE, and do not open it
	-no_browser   do not open the page
	-text         print the hot paths, as pep top does, and write no page

Examples, in a module:

	pep run .
	pep run -text -tags=demo ./cmd/app -n 10
	pep run golang.org/x/tools/cmd/goimports -l .
`

	testUsage = `pep test [-o FILE] [-no_browser] [-text] [flags of pepbuild] [PACKAGE...] [test flags]

Is pep run for the tests of packages: it runs pepbuild test, and shows a page for the tests of
each package. With -pepmode=cover it shows one page for all, with what they never decided.

	-o FILE       write the page to FILE, and do not open it
	-no_browser   do not open the page
	-text         print the hot paths, as pep top does, and write no page

Examples, in a module:

	pep test ./parser
	pep test -pepmode=cover ./...
	pep test -text -run=TestLarge ./parser
`

	topUsage = `pep top [-n 10] [-by path|func|pkg|line] [-count] [-func name] [-runtime] [-pprof FILE] [-source_path dirs] [-v] [-json] -p PID | [FILE...]

Prints the hot paths of paths profiles, hottest first: share of the program, its 95%
bounds, count, and the branches in order with their source. Shares are of the branch
flow, the counts times the branches on the path. Counts of sampled profiles are
estimates in 1/1000 samples. Several files are added up. With -p it shows what a program
that was built with pepbuild, and that still runs, has counted so far.

With -by it prints functions, packages or lines with the sums of their paths. The count of
a line is how often paths ran through it, and its flow is that of the branches on it. The
bounds of sums are wider than needed, because the samples of paths depend on each other.

Profiles by windows are of all packages. For these pep top first says where the time was: in
the main module, dependencies and std, in the Go runtime by kinds of work and for which
functions of the main module, in system calls and the like. Then come paths, functions and
packages of the main module, and those of dependencies and std, by the time in them with
what they called (cum); own is the time in the code itself. In other profiles, the column
time is the share of clock ticks that interrupted the function's own code.

Samples have the labels that the program has given its goroutines with pprof.Do.
For the paths under one of them:

	go tool pprof -proto -output=one.pb.gz -tagfocus=handler=/users app.71.paths.pb.gz
	pep top one.pb.gz

	-p PID              the process, in place of files
	-n 10               how many paths; 0 is all
	-by path            what has a row: path, func, pkg or line
	-count              order by count, and show shares of the count
	-func name          only paths of this function; or a regular expression
	-runtime            list paths of the Go runtime, too, between those of std; -func
	                    finds them anyway
	-pprof FILE         write the lines that all paths ran through as a profile, for the
	                    source view: go tool pprof -http=: FILE, or -list
	-source_path dirs   where source is, if not where it was built; dirs as in $PATH
	-v                  print all that the profile says of how it was taken
	-json               print the listing as JSON; docs/reference/json.md explains its fields

Examples:

	pep top -n 3
	pep top -by func app.71.paths.pb.gz
	pep top -pprof lines.pb.gz app.71.paths.pb.gz
	pep top -count -func '^main\.' app.71.paths.pb.gz app.72.paths.pb.gz
	pep top -json -n 0 app.71.paths.pb.gz
`

	listUsage = `pep list [-program FILE] [-source_path dirs] [-json] FUNC [FILE...]

Prints the source of the function with the name FUNC, or of those whose names match it
as a regular expression. Beside a line stands how often it ran, and beneath it its
branches, a caret under each, with the count and share of every outcome; the operands of
&& and || are branches, too. Where no sample is, it says "ran" if what samples show proves
that, and else "-". Counts are made to fit each other: what goes into a loop comes out of
it. -json has them as they were sampled, too. Shares in sampled profiles have 95% bounds;
never seen is not never. Behind the branches stand the functions that an indirect call went
to, and the types that an interface had, if the run has such profiles; -json has all of them.

	-program FILE       the profiled program, if it is not where it ran: what it could have
	                    done is in it
	-source_path dirs   where source is, if not where it was built; dirs as in $PATH
	-json               print the listing as JSON; docs/reference/json.md explains its fields

Examples:

	pep list main.count
	pep list main.count·p1 app.71.edges.pb.gz
	pep list -source_path lib:/usr/src 'main\.' app.71.edges.pb.gz
`

	htmlUsage = `pep html [-o FILE] [-program FILE] [-source_path dirs] [FILE...]

Writes a web page with all that a run knows: functions by their time, or by flow if the
profile is not of all packages, their source with counts, every outcome of every branch, the
hottest paths, the control-flow graph, callers, and values of windows or taps. FILE is any file
of a run; pep finds those beside it by their names. Several runs are added up, of several
programs as pep merge does. Of programs that were built with -pepmode=cover it has what is
missing, functions with most first, and a table of each decision: what its conditions were,
and what would show that they decide.

The page is one file that loads nothing, so it can be kept and sent. It has the
source of the functions that ran.

	-o FILE             where to write; default PROGRAM.html beside the first file; - is
	                    the standard output
	-program FILE       the profiled program, if it is not where it ran: its graphs are in it
	-source_path dirs   where source is, if not where it was built; dirs as in $PATH

Examples:

	pep html app.71.paths.pb.gz
	pep html -o run.html exact.70.paths.pb.gz
`

	serveUsage = `pep serve [-http=localhost:0] [-no_browser] [-program FILE] [-source_path dirs] [FILE...]

Opens the page of pep html in a browser, and serves it until ctrl-C. It answers only
those who name the address that it listens on.

	-http localhost:0   address to listen on; port 0 is any that is free
	-no_browser         print where the page is, and open no browser
	-program FILE       the profiled program, if it is not where it ran: its graphs are in it
	-source_path dirs   where source is, if not where it was built; dirs as in $PATH

Examples (until ctrl-C):

	pep serve
	pep serve -http=localhost:8080 -no_browser app.71.paths.pb.gz
`

	coverUsage = `pep cover [-mcdc=masking|unique] [-lcov FILE] [-coverprofile FILE] [-fail-under GOALS] [-tests] [-generated] [-source_path dirs] [-json] [FILE|DIR...]

Prints what runs of programs or tests that were built with pepbuild -pepmode=cover executed and
decided: of each package the share of statements, of outcomes of branches, and of conditions
that were shown to decide on their own (MC/DC), then for each function what is missing.

A condition of a decision, such as b in a && (b || c), is shown if it was once true and once
false, and no other condition masked it: a was true and c false. With -mcdc=unique the two
executions must not differ in any other condition that both evaluated. What is missing is
shown as values of conditions that would show it.

Each value of a case is an outcome, as in case 1, 2:, unless a value has a call, an index or a
literal of a composite type. What a constant decides is no goal: conditions and branches that
are constant, conditions that a constant keeps from being evaluated or from deciding, and those in
code that never runs. These and what else is not counted are named at the end, with the reason.

Profiles of several programs, as of the tests of several packages, are joined by function, file
and line. A directory stands for all profiles in it; without any it is $PEPDIR or else the
current one. Functions of tests and of generated files are left out. Where //line directives
name a grammar or a template that is there, its lines are shown.

	-mcdc masking       which MC/DC: masking or unique
	-lcov FILE          write a tracefile of LCOV, for genhtml and editors
	-coverprofile FILE  write a profile for go tool cover and editors
	-fail-under GOALS   fail if less is covered: branch:80,mcdc:60; also function and statement
	-tests              functions of tests, too
	-generated          functions of generated files, too
	-source_path dirs   where source is, if not where it was built; dirs as in $PATH
	-json               print the listing as JSON; docs/reference/json.md explains its fields

Examples, in a module:

	PEPDIR=cover pepbuild test -pepmode=cover ./... && pep cover cover
	pep cover -lcov=lcov.info -fail-under=branch:80,mcdc:60 cover
`

	coldUsage = `pep cold [-n 10] [-table FILE] [-coverprofile FILE] [-lcov FILE] [-source_path dirs] [-json] FILE...

Prints what never ran, of files that peptrace cold -o has written: packages with their
functions and lines, those of the main module first. Several files are united: a line
never ran if no file has seen it. The listing is about the program of the first file; of
another build, the functions count that are equal, and pep says how much that is.

	-n 10               how many functions of a package; 0 is all
	-table FILE         also outcomes of branches: the table that pepbuild build -peptable=FILE
	                      writes for the same sources
	-coverprofile FILE  write a profile of the mode set, for go tool cover and editors
	-lcov FILE          write a tracefile of LCOV, for genhtml and editors
	-source_path dirs   where source is, if not where it was built; dirs as in $PATH
	-json               print the listing as JSON; docs/reference/json.md explains its fields

Examples:

	pep cold app.cold
	pep cold -n 0 -coverprofile=app.cover app.cold
`

	valuesUsage = `pep values [-n 5] [-func name] [-specialise] [-events 1000] [-share 80] [-source_path dirs] [-json] [FILE...]

Prints what windows or taps have noted: the functions that indirect calls went to,
the types of interfaces, and what is loaded, passed and returned if the run had
PEPOPTS=values=loads,args,results. First it lists those that are worth specialising: one
value is so frequent that code for this value alone may be faster. Addresses, outcomes of
branches and stored values are not listed there. If several taps of a function have
the same expression and value, only the one with most events is.

Then it lists for each tap the most frequent values (or types, or functions that were
called) with their share and count. Taps with most events come first; by windows, those
of the main module, and taps with less than 0.1% of the events are listed with -n 0 only.
Several files of one kind are added up, and each kind has a listing. Of a loads file, which
programs with windows write, it lists from which cache each instruction has loaded, or from
memory; those come first for which the program waited longest, and those with less
than 0.1% of its waits are listed with -n 0 only.

If not every event was counted, counts are estimates, with bounds beside them.
If the messages of the engine come at random, the true number is within the
bound with 95% confidence; stratified engines do better. The bound of a count is
1.96*count/sqrt(messages), that of a share p of a tap with M messages
1.96*sqrt(p*(1-p)/M), or 3/M if p is 0 or 1. Taps whose shares may be anything,
such as 100% of a single event, are listed with -n 0 only.

	-n 5                how many values of a tap; 0 is all, of all taps
	-func name          only taps in this function; or a regular expression
	-specialise         only what is worth specialising
	-events 1000        worth specialising: taps with at least so many events
	-share 80           of which at least this percentage, less the bound, is one value
	-source_path dirs   where source is, if not where it was built; dirs as in $PATH
	-json               print the listing as JSON; docs/reference/json.md explains its fields

Examples:

	pep values -n 2
	pep values -specialise -events 100 app.71.values.pb.gz
	pep values -func '^main\.' -share 50 app.71.calltargets.pb.gz
`

	rangesUsage = `pep ranges [-phi 10] [-cover 50,80,95] [-func name] [-site regexp] [-svg FILE] [-pprof FILE] [-program FILE] [-json] [FILE...]

Prints hot ranges of the code, by a profile of edges: which package, file, function or
part of a function decides how often, whatever the program was built with.

Of a profile of values it prints hot ranges of memory, by the addresses of loads: name it
if the run has both. Build with pepbuild build -pepvalues=all, and run with

	PEPOPTS=values=addresses

These counts are estimates, and their ranges have no bounds. Ranges of other values need
taps, and an engine that counts ranges, for instance one of

	PEPOPTS='engine=rap(eps=1%)'             values of each tap
	PEPOPTS='engine=rap(eps=1%,over=words)'  values of all taps of a kind together
	PEPOPTS='engine=code:rap(over=words)'    taps, by the address of their code

A range is hot if it has at least 10% of all events without the hot ranges in it. The
events of a profile of edges are the branches that were executed. Hot ranges are indented
below those that they are in. For each:

	share     its share of all events of the file, without hot ranges in it
	within    its share with all that is in it: of an engine, never more than the true one
	at most   the true share is at most that
	95%       the true share of a profile by samples is within these bounds with a
	          probability of 95%; deviations of branches add up, however these depend on
	          each other
	events    the number of events that within is; branches of a profile of edges, loads

Below stand the narrowest ranges that hold half of the events, 80% and 95%.

	-phi 10             percentage of all events that makes a range hot
	-cover 50,80,95     percentages of a source's events to find narrowest ranges for
	-func name          of code, only ranges in this function, or in those that match it as
	                    a regular expression; else only taps in such functions
	-site regexp        only taps whose line in the listing matches: 'load n'
	-svg FILE           draw the tree as an SVG picture, for a browser
	-pprof FILE         write it as a profile whose stacks are nested ranges, for
	                    go tool pprof -http=: FILE
	-program FILE       the profiled program, for names of addresses, if it is not
	                    where it ran
	-json               print the listing as JSON; docs/reference/json.md explains its fields

Examples:

	pep ranges -svg app.svg app.71.edges.pb.gz
	pep ranges -phi 20 -site 'addr' app.72.values.pb.gz
`

	sitesUsage = `pep sites [-all] [-func name] [-layout] [-json] PROGRAM|TABLE|FILE...

Prints what is instrumented in a program that pepbuild has built: for each
package how many functions are profiled, with how many paths; the functions
that were skipped, with the reason; and how many taps there are of each kind.
The file taps.txt that pepbuild -pepdump writes says which expressions have no
tap, and why.

It also lists functions that the compiler inlines in the plain program but not in
this one, because instrumentation makes them too big: calls of them cost more, and
values that they return may have to be allocated. pepbuild estimates this by the
compiler's rules. Of 42 such functions in five packages of std the estimate finds
34, and it names 15 others.

In place of the program, its profiles may be given: they say which it was.

Of a table of branches that pepbuild build -peptable=TABLE has written, it prints how
many outcomes of the source the branches of the plain program stand for, and how many
cannot be counted because the compiler has removed their branches. With -all or -func
it lists at which instructions outcomes happen, for example where a jump is "taken".
"true" at the position of an if, for or range says that the condition holds, at that of
an operator && or || that the left operand does, and where the body of a range over
a function ends that a jump has left it.

It also prints of how many functions the outcomes tell all paths, and why not of the
others. Each outcome is listed with what it does to the number of the path, or to that
of an inlined call: "=4" begins a path with 4, "+1" adds 1, and "end" ends the path.

	-all           list every function that is profiled, and every tap
	-func name     only this function and its taps; or a regular expression
	-layout        write the addresses of all taps in the order of the code, for
	               pepsim run -engine 'code(FILE):…'; linux/amd64, stripped or not
	-json          print the listing as JSON; docs/reference/json.md explains its fields

Examples:

	pep sites app
	pep sites -all -func '^main\.is' app
	pep sites -func main.pick pick.table
`

	accuracyUsage = `pep accuracy [-json] EXACT... SAMPLED...

Compares a sampled profile with an exact one of the same source, by the
metrics of the PEP paper. The arguments are files of an exact run, and then files of a
sampled one: one of each is enough, because pep finds the others by their names.

	Wall weight matching   share of the hot paths' flow that the sampled profile finds
	relative overlap       how well it shows the bias of each branch
	absolute overlap       how well it shows the frequency of each branch outcome

	-json   print the listing as JSON; docs/reference/json.md explains its fields

Examples:

	pep accuracy exact.70.paths.pb.gz app.71.paths.pb.gz
`

	pgoUsage = `pep pgo -o OUT [-n 10] [-cut 95] [-source_path dirs] [-json] [FILE...] | -check [-rounds N] [-json] [flags of pepbuild] PACKAGE [arguments]

Makes a profile for go build -pgo=OUT of sampled paths, or of call targets, and
prints the heaviest calls in it. The compiler inlines larger functions where a
call is hot, and calls the most frequent method of an interface directly: that of the
call targets beside paths by windows, which also know methods without branches. As a
file default.pgo in the directory of package main it works without the flag.

A call of a function weighs what the function executed: each path the number of
its lines. Calls that execute more than 50 lines on average are left out: inlining
them saves little, and may cost time. So are deferred calls, which the compiler does not
inline, and calls without a line in the source that calls anything; the listing names
the latter. Several files of one kind are added up.

	-o OUT              file to write; of a directory, default.pgo and default.edges.pb.gz in it:
	                    pepbuild build -pepopt=auto uses both, and finds the second one as go
	                    build finds the first; exact profiles have no calls, and make that alone
	-n 10               how many calls to print; 0 is all
	-cut 95             inline the calls that have this percentage of the weight, and
	                    most weight for each line that was executed of the called function;
	                    more lets the code grow beyond caches
	-source_path dirs   where source is, if not where it was built; dirs as in $PATH
	-json               print the listing as JSON; docs/reference/json.md explains its fields

With -check it makes nothing, and measures what the profiles in the directory of PACKAGE bring:
it builds the program plain, with default.pgo, with default.edges.pb.gz (pepbuild -pepopt=auto) and
with both, each in three random layouts, and runs the twelve programs by turns with the arguments.
The listing has, for each build, the ratio of its CPU time to that of the plain program: the median
of the rounds, and an interval. The three intervals have the true medians with 95 % confidence,
for this input on this machine. A round runs all four builds in one layout.

The program has to end by itself, and to take 20 ms of CPU time at least. All its runs read the
same input, from a file (< FILE) or none. What the builds print on standard output in a first run
is compared. Flags that are not listed here are those of pepbuild, as -flag or -flag=value: -pgo=FILE
and -pepopt=FILES name profiles that are elsewhere, and -ldflags are kept.

	-check              measure
	-rounds N           how many rounds; without it a minute's, and 12 at least

Examples, in a module:

	pep pgo -check ./cmd/app -n 10 < input

Examples:

	pep pgo -o default.pgo app.71.paths.pb.gz
	pep pgo -o . app.71.paths.pb.gz
`

	mergeUsage = `pep merge -o OUT FILE...

Adds up profiles of one kind, such as paths: of the kind that the name of OUT says, if files of
several are named. Those of several programs are joined by function,
file and line if the site tables of all programs can be read: programs built with -pepmode=cover
write them beside their profiles; of others the program's file has them, while it is where it ran.
Then their tables are written beside OUT, which must be named like x.paths.pb.gz. Other commands
that take several files join them in the same way. Files of
peptrace cold are united, also those of several builds: see pep help cold.

	-o OUT   file to write

Examples:

	pep merge -o all.paths.pb.gz app.71.paths.pb.gz app.72.paths.pb.gz
	pep merge -o all.cold app.cold
`

	dumpUsage = `pep dump [-json] FILE...

Prints every sample of a profile as a line of key=value pairs, for grep and for
comparisons. The order depends on the content alone. Several files are printed one after the
other.

	-json   print the listing as JSON; docs/reference/json.md explains its fields

Examples:

	pep dump app.71.paths.pb.gz
`

	versionUsage = `pep version

Prints the version of pep and of the Go it was built with.

Examples:

	pep version
`
)
