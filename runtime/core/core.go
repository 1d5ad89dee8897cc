// Package core is what runs inside an instrumented program: it turns the polls
// that instrumented code executes into counts of paths, and the counts into
// pprof files when the program ends.
//
// Instrumented code knows a path by its number within the package and polls at
// the end of each. There are three kinds of poll, one per build of this package:
//
//	page   r := Base + number; … ; _ = *(*unsafe.Pointer)(unsafe.Pointer(r))
//	flag   core.Poll(number)
//	exact  core.Count(&table, number)
//
// A page poll is one load and no branch. The region at Base is readable until
// a tick of CPU time makes it unreadable; from then on polls fault, the address
// that faulted is the path, and the handler counts it, steps over the load and
// makes the region readable again when the burst is over (sampler.go). A flag
// poll does the same with a branch. An exact poll counts every path.
//
// Beside paths there are values: taps, calls core.Tap(pc, word) that instrumented
// code makes where it is told to. They go through a chunk per goroutine (chunk.go)
// and a buffer per P (stream.go, deliver.go) into a table of words (words.go).
//
// Counts live in a file mapped into the program, <prog>.<pid>.<start>.pep in PEPDIR
// (table.go, layout.go; start is in ns since 1970), so a program that is killed
// loses next to nothing. Nothing that polls and taps call allocates, blocks or needs
// a P: instrumented code runs while the collector has stopped the world, too, and
// elsewhere. They become files of the same stem, paths.pb.gz and edges.pb.gz, and
// those of taps values.pb.gz, types.pb.gz and calltargets.pb.gz,
//
//   - in the program itself when main returns, or os.Exit or syscall.Exec is called;
//   - in a child when it dies of a panic, a fatal error of the runtime, or a
//     signal. The child is the same binary, so that it can name the program
//     counters, started with arguments that make it a writer
//     (writer_linux_amd64.go), and never comes as far as the first initialiser of
//     the user's;
//   - in a process that the user starts with PEP_WRITE=<the .pep file>.
//
// A program goes on as if it were not profiled when its options are malformed,
// its directory is not writable, or it has privileges that its user does not have;
// one line on standard error says so.
//
// # Where there are no signals of ours
//
// All of the above is available only on linux/amd64. Elsewhere the flag poll and the exact
// poll work, with ticks of wall-clock time from a goroutine, counts in ordinary
// memory, and profiles at normal exits only: there is no live .pep file, no
// profile of a program that panics or is killed, and (with flag polls) a
// deadlock of all goroutines goes unnoticed.
//
// # How it is linked
//
// pepbuild compiles this package and the siblings it needs (pdag, wire,
// pprofenc, report and so on, in an order that suits their imports) as 0pep/core
// and so on, with the text github.com/pepgo/pep/runtime/ in import clauses
// replaced by 0pep/, and links them under everything that is instrumented. In
// programs with taps these are also hwsim/engines and what it imports, as
// 0pep/hwsim/…. So they import nothing that could be instrumented: the runtime,
// what the runtime imports, and each other. It takes
//
//   - the files that the go command chooses (go list -find -tags) with the tag
//     peplinked, pepflag or pepexact for those kinds of poll, and peptaps for taps
//     and engines;
//   - compile -p 0pep/NAME, with -complete where there is no assembly, and with
//     -symabis (from asm -gensymabis) where there is; asm -p 0pep/NAME;
//     -shared for both in position-independent builds; never -race and the like;
//   - link -checklinkname=0, for what crash_linux_amd64.s refers to in the runtime.
//
// Source: Bond and McKinley, "Continuous Path and Edge Profiling", MICRO 2005,
// for what is sampled when; the poll page is ours.
package core

// The poll region: instrumented code holds Base + path number in its path
// registers. Below 2^31, so that addresses are 32-bit immediates.
const (
	Base = 0x6000_0000
	Size = 1 << 28
)

// Kinds of poll; the kind of this build is the constant mode.
const (
	modePage = iota
	modeFlag
	modeExact
)

var modeNames = [...]string{modePage: "page poll", modeFlag: "flag poll", modeExact: "exact"}

// off says that the program runs without a profile.
var off bool

func init() {
	if linked {
		start()
	}
}

// unprofiledTaps tells the user why taps report nothing.
func unprofiledTaps(problem string) {
	tapOptions.taps = tapsOff
	print("pep: ", problem, "; taps report nothing\n")
}

// unprofiled tells the user why the program runs as if it were not instrumented.
func unprofiled(problem string) {
	off = true
	print("pep: ", problem, "; running without a profile\n")
}
