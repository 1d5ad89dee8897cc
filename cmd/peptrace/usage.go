//go:build linux && amd64

package main

// This file holds the usage text of the program, and those of the commands about probes,
// written by hand. Tests run the examples.

import "github.com/pepgo/pep/internal/command"

var probeVerbs = []command.Verb{
	{Name: "probe", Usage: probeUsage, Run: runProbe, Lists: true},
	{Name: "version", Usage: versionUsage, Run: command.Version},
}

const usage = `peptrace looks into running Go programs that were built as usual, with go build.

Usage:

	peptrace probe [flags] -p PID      count calls, values, branches and lines
	peptrace cold [flags] -p PID       what of the code never runs
	peptrace values [flags] -p PID     sample which values instructions compute
	peptrace list [flags] FILE...      sampled instructions with their values
	peptrace find [flags] FILE...      sampled values that are worth specialising
	peptrace watch [flags] RECORDING   the same while a recording is replayed
	peptrace pprof -o OUT FILE...      a profile for pep values and go tool pprof
	peptrace merge -o DIR FILE...      add up databases and recordings
	peptrace version                   version of peptrace
	peptrace help [command]            this text, or the flags of a command

It needs Linux 6.6 on amd64, and root or the capabilities CAP_BPF and CAP_PERFMON
(and CAP_SYS_PTRACE for programs of other users). The program is not changed on
disk, needs no restart and no symbols, and is as before when peptrace ends, also
if it is killed. It knows what Go 1.20 to 1.27 build, and programs of other releases
if they have DWARF.

Sampled values are in databases, one for each program, which "peptrace values -o DIR"
writes, or in a recording (-record): FILE is one of these, or a directory of databases.

Examples:

	peptrace probe -p 4711 -f '^main\.' -d 1s
	peptrace values -p 4711 -d 1s -record app.recording
	peptrace find app.recording
`

// The usage of each verb; the first line is its synopsis.
const (
	probeUsage = `peptrace probe -p PID [-f regexp] [-args] [-results] [-times] [-edges] [-calls] [-at file:line[=x,y]] [-d 10s] [-limit 100000] [-values 1000] [-n 5] [-secrets] [-pprof FILE] [-json]

Attaches probes to a running program, counts in the kernel what they see, and
prints the counts when it is interrupted (SIGINT, ^C), when the time is over, or
when the program ends. Every hit counts: nothing is sampled.

	-p PID          the process
	-f regexp       count the calls of functions whose names match, and of these:
	-args           count the values of arguments
	-results        count the values of results
	-times          measure how long calls take, from entry to return; waiting counts
	-edges          count which way each conditional jump of the machine code goes, but
	                for those of bounds checks
	-calls          count calls, and to which functions they go
	-at file:line   count how often the first statement of a line begins, and the values
	                that variables in scope have then; file:line=x,y has those of x and y,
	                file:line= none; may be given several times
	-d 10s          how long; without it, until interrupted
	-limit 100000   switch off a probe that has more hits per second on one CPU; for a
	                slow probe a twentieth of that; 0 is no limit
	-values 1000    how many different values of an argument, result or variable to tell apart
	-n 5            how many of them to print; 0 is all
	-secrets        also record strings and addresses; without it, only the length of a
	                string, and whether a pointer is nil, leave the kernel
	-pprof FILE     also write the counts as a profile, for pep values and go tool pprof
	-json           print the listing as JSON; docs/reference/json.md explains its fields

A probe costs the program about 0.6 µs per hit if the kernel can emulate the
instruction under it: entries, jumps and calls of known functions. A slow probe is at
another instruction, such as the return after a call, and costs about 10 µs in a virtual machine, and
less without one. The limit keeps the cost of a probe below 6% of a CPU.

The program's DWARF says where variables are; stripped programs have none. The listing
names the variables that are in no register and no memory at a line. The compiler may
have moved an assignment of another line over the beginning of this line. A "later value"
is that of a variable that has a location only further on in the code of the line, which
may have changed it there. Probes cannot read floating-point registers, because the kernel
keeps them from BPF programs; the listing names the arguments and results there.

Calls that the compiler has inlined have no entry, and are not counted; the listing
names such functions. Calls that panic do not return. What -times measures includes the
time of probes in between.

Examples:

	peptrace probe -p 4711 -f '^main\.known$' -args -n 2
	peptrace probe -p 4711 -f '^main\.pick$' -times -edges -at main.go:52=i
	peptrace probe -p 4711 -f '^main\.' -calls -d 1s -json
`

	versionUsage = `peptrace version

Prints the version of peptrace and of the Go it was built with.

Examples:

	peptrace version
`
)
