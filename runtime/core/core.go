// Package core is what runs inside a profiled program: it counts the paths that the
// program takes, and makes pprof files of the counts when the program ends.
//
// Each build of the package counts in one way, which build tags choose:
//
//	windows  the code is that of the plain program. At a tick of CPU time the signal handler
//	         interprets what the program does next, and counts the paths that end there
//	polls    r := core.Number(number); … ; core.Poll(r) stands at the end of each path
//	exact    core.Count(&table, number) does; with -pepmode=cover, too
//	taps     no paths are counted
//
// A path has a number within its package. A poll tests a flag, which a tick of CPU time
// sets. From then on polls count their paths, and the last one of the burst clears the
// flag (package sampler).
//
// Taps report values: instrumented code calls core.Tap(pc, word). The pairs go
// through a chunk per goroutine and a buffer per P into a table of words (package taps).
//
// Counts live in a file that is mapped into the program,
// <prog>.<pid>.<start>.pep in PEPDIR (package pepfile; start is in ns since 1970),
// so a program that is killed loses next to nothing. The functions that polls and taps
// call never allocate or block, and need no P, because instrumented code also runs while
// the collector has stopped the world. The counts become files of the same stem,
// paths.pb.gz and edges.pb.gz, and for taps values.pb.gz, types.pb.gz and
// calltargets.pb.gz,
//
//   - in the program itself when main returns, or os.Exit or syscall.Exec is called;
//   - in a child when the program dies of a panic, a fatal error of the runtime, or
//     a signal. The child is the same binary, so that it can name the program
//     counters. Its arguments make it a writer (package write), and it
//     never gets as far as the first initialiser of the user's;
//   - in a process that the user starts with PEP_WRITE=<the .pep file>.
//
// A program goes on as if it were not profiled when its options are malformed,
// its directory is not writable, or it has privileges that its user does not have;
// one line on standard error says so.
//
// # Layers
//
// The files of the package are in layers. The first word of a file's name is its layer. A
// layer uses only those below it; a test of internal/policy checks that.
//
//	door     what instrumented code calls: Poll, Count, Tap, Exec. core.go is here
//	start    the beginning of a program
//	exit     its normal end
//	handler  what runs in signal handlers, and nothing else
//	state    variables that several layers share
//
// The layers are one package because they share variables with assembly and with
// instrumented code, and both can name variables of one package only. Package windows takes
// windows, and package write writes profiles.
//
// # Other systems
//
// All of the above is available only on linux/amd64. Elsewhere polls and exact counts
// work, with ticks of wall-clock time from a goroutine, counts in ordinary
// memory, and profiles at normal exits only: there is no live .pep file, no
// profile of a program that panics or is killed, and (with polls) a
// deadlock of all goroutines goes unnoticed.
//
// # How it is linked
//
// pepbuild compiles this package and the siblings it needs (sys, pepfile, report
// and so on, in an order that suits their imports) as 0pep/core
// and so on, with the text github.com/pepgo/pep/runtime/ or …/machine/ in import clauses
// replaced by 0pep/, and links them under everything that is instrumented. In
// programs with taps these are also hwsim/engines and what it imports, as
// 0pep/hwsim/…. They import the runtime, what the runtime imports, and each other:
// everything else could be instrumented. pepbuild uses
//
//   - the files that the go command chooses (go list -find -tags) with the tag
//     peplinked; pepwindows for windows; pepexact for exact counts, pepcover too if paths end at
//     decisions; peptaps for taps and engines, pepgoroutines if taps name goroutines; and peppart
//     for programs that write no profile;
//   - compile -p 0pep/NAME, with -complete where there is no assembly, and with
//     -symabis (from asm -gensymabis) where there is; asm -p 0pep/NAME;
//     -shared for both in position-independent builds; never -race and the like;
//   - link -checklinkname=0, because the assembly of package golink refers to symbols
//     of the runtime.
//
// Source: Bond and McKinley, "Continuous Path and Edge Profiling", MICRO 2005,
// for what is sampled when.
package core

import "github.com/pepgo/pep/runtime/golink"

func init() {
	if golink.Linked {
		start()
	}
}
