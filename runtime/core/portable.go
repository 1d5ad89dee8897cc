//go:build !linux || !amd64

package core

// This file holds the beginning and the end of a profiled program where there
// are no signals of ours: see the package comment. It uses package os, so that os
// and what it imports is not instrumented there.

import (
	"os"
	"unsafe"

	"github.com/pepgo/pep/runtime/digits"
	"github.com/pepgo/pep/runtime/tuple"
)

const tickClock = "wall"

var (
	counts   table
	textBase uintptr

	exactCounts []counters
)

func start() {
	if mode == modePage {
		unprofiled("there is no page poll on this system (rebuild with -peppoll=flag)")
		return
	}
	opts, problem := parseOptions(lookup(runtimeEnvs(), "PEPOPTS"))
	if problem != "" {
		unprofiled("PEPOPTS: " + problem)
		return
	}
	textBase = codeOf(start)
	words := make([]uint64, (pageSize+slots*unsafe.Sizeof(entry{}))/8)
	counts = tableAt(unsafe.Pointer(&words[0]))
	counts.fill(opts)
	tapOptions = opts.tapping
	atExit(finish)
	if mode == modeFlag || tapOptions.taps == tapsBurst {
		go ticks(int64(opts.tick))
	}
	if problem := startTaps(opts); problem != "" {
		unprofiledTaps(problem)
	}
}

// ticks is a tick every ns of wall-clock time. As long as it sleeps, the runtime
// does not notice when all other goroutines are deadlocked.
func ticks(ns int64) {
	for load32(&counts.Stopped) == 0 {
		sleep(ns)
		if tapsTurn() {
			tickTaps()
		} else {
			setFlag(counts.tick())
		}
	}
}

// finish writes the profile. It runs as an exit hook, while other goroutines
// may go on.
func finish() {
	store32(&counts.Stopped, 1)
	finishTaps()
	if problem := writeCounts(); problem != "" {
		print("pep: ", problem, "\n")
	}
}

func writeCounts() (problem string) {
	pkgs, build, err := siteTables()
	if err != nil {
		return "no profile: " + err.Error()
	}
	name, err := os.Executable()
	if err != nil {
		name = os.Args[0] // it is for people to read
	}
	counts.ExeLen = uint32(copy(counts.Exe[:], name))
	c := counted{table: counts}
	p := c.profile(pkgs, build)
	files := append(p.Write(), c.tapFiles(p)...)
	stem := os.Getenv("PEPDIR")
	if stem != "" {
		stem += string(os.PathSeparator)
	}
	stem += base(os.Args[0]) + "." + digits.Uint(uint64(os.Getpid()))
	for _, f := range files {
		if err := os.WriteFile(stem+"."+f.Kind+".pb.gz", f.Data, 0o666); err != nil {
			return "no profile: " + err.Error() + " (set PEPDIR to a directory that can be written)"
		}
	}
	return ""
}

// newCounters returns memory for n counters of the package path.
func newCounters(path string, n uint64) uintptr {
	c := make([]uint64, n)
	exactCounts = append(exactCounts, counters{path, c}) // this also keeps c
	return uintptr(unsafe.Pointer(unsafe.SliceData(c)))
}

// sections returns the counters of every package.
func (c counted) sections() []counters { return exactCounts }

// The rest is what taps need.

var sectionMemory [][]uint64 // keeps what newSection returned

func newSection(kind uint32, size uint64) unsafe.Pointer {
	words := make([]uint64, size/8)
	sectionMemory = append(sectionMemory, words)
	return unsafe.Pointer(unsafe.SliceData(words))
}

func (c counted) tapped() (areaOf, []*stream, []*chunk) { return area, openStreams(), nil }

// mayReadType: what is named is in this process.
func (n names) mayReadType(uintptr) bool { return true }

func readFile(name string) ([]byte, error) { return os.ReadFile(name) }

// There are no files to which threads could write while they are pinned.

func openTrace() (problem string) {
	if tapOptions.trace != "" {
		return "PEPOPTS: trace= is had on linux/amd64 only"
	}
	return ""
}

func openRing() (problem string) { return "PEPOPTS: deliver=ring is had on linux/amd64 only" }

func (k *sink) traceBlock(uint32, []tuple.Tuple) {}
func closeTrace()                                {}
func closeRing()                                 {}

// Time in bursts is wall-clock time, as ticks are.

func cpuTime() uint64          { return uint64(nanotime()) }
func cpuTimeInHandler() uint64 { return cpuTime() }
