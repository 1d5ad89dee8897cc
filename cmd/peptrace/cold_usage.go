//go:build linux && amd64

package main

// This file holds the usage text of the command cold, written by hand. A test runs the examples.

import (
	"github.com/pepgo/pep/cmd/peptrace/cold"
	"github.com/pepgo/pep/internal/command"
)

var coldVerbs = []command.Verb{{Name: "cold", Usage: coldUsage, Run: cold.Run, Lists: true}}

const coldUsage = `peptrace cold [-d 10m] [-pkg deps] [-o FILE] [-careful] [-n 10] [-table FILE] [-coverprofile FILE] [-lcov FILE] [-source_path dirs] [-json] -p PID | -a PROGRAM | PROGRAM [arguments]

Says what of a program never runs: packages, functions and lines, those of the main
module first, those with most code first. Each basic block has a probe that is taken away
when the block runs for the first time. From then on the block costs nothing.

It ends when it is interrupted (SIGINT, ^C), when the time is over, or when the program
ends. PROGRAM with its arguments is started and has probes from its first instruction
on; peptrace passes signals on, waits for it, and ends with its exit code.

	-p PID              a process that runs already
	-a PROGRAM          all processes of an executable, also those that start later
	-d 10m              how long; without it, until interrupted
	-pkg deps           which packages: deps, the main module and the modules that it needs;
	                      std, the standard library, too; all, also the runtime
	-o FILE             add what ran to a file, as soon as it is seen. What the file has
	                      already needs no probe: give it again when the program starts
	                      again. pep cold lists it, pep merge unites several
	-careful            write nothing to the memory of processes: slower while it lasts.
	                      peptrace chooses it where that is forbidden, and says so
	-n 10               how many functions of a package to print; 0 is all
	-table FILE         also outcomes of branches: the table that pepbuild build -peptable=FILE
	                      writes for the same sources
	-coverprofile FILE  write a profile of the mode set, for go tool cover and editors
	-lcov FILE          write a tracefile of LCOV, for genhtml and editors
	-source_path dirs   where source is, if not where it was built; dirs as in $PATH
	-json               print the listing as JSON; docs/reference/json.md explains its fields.
	                      Then the output of PROGRAM goes to standard error

A line never ran if no instruction of it did. A line that shares its instructions with
others has "no code" of its own, and nothing is said of it; so have functions of which
nothing is left where they are inlined. A function that is inlined is judged by all
bodies of it. With -table, outcomes are listed that never happened although what decides
them ran: of conditions and clauses whose lines do not say so. An outcome without a block
of its own is unknown, and counted as that. What the linker has left out is in no executable, and not listed; C code
is not either. A block that runs already when the probes come counts when it begins again;
a function that was running then is listed as that, if the process has symbols.

End debuggers and other tracers first: each takes the marks of the other for code. When a
debugger comes, cold ends, and peptrace probe refuses to begin beside it. The listing says
at the end what was not probed, and whether the code is that of the file.

Examples:

	peptrace cold -p 4711 -d 1s
	peptrace cold -p 4711 -pkg std -n 2 -o app.cold
	peptrace cold -p 4711 -d 1s -json
`
