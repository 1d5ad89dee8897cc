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

	countsMemory []uint64 // keeps what counts is in

	detached uint32 // always 0: there is no file that could lose its room
)

// maxChunks bounds the memory of chunks to 4 MB, which is on the heap. What
// further goroutines report is dropped, and counted.
const maxChunks = 1 << 11

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
	counters, streams, problem := roomWanted(opts)
	if problem != "" {
		unprofiled(problem)
		return
	}
	countsMemory = make([]uint64, layoutOf(counters, streams).size/8) // so large, it begins on a page
	countIn(tableAt(unsafe.Pointer(&countsMemory[0])), counters, streams)
	counts.fill(opts)
	sec, nsec, _ := timeNow()
	counts.Start = uint64(sec)*1e9 + uint64(nsec)
	tapOptions = opts.tapping
	atExit(finish)
	if mode == modeFlag || tapOptions.taps == tapsBurst {
		go ticks(int64(opts.tick))
	}
	if problem := startTaps(opts); problem != "" {
		unprofiledTaps(problem)
	}
}

// timeNow returns the time since 1970, and that of the monotonic clock; the
// runtime provides it for package time.
//
//go:linkname timeNow time.now
func timeNow() (sec int64, nsec int32, mono int64)

// ticks is a tick every ns of wall-clock time. As long as it sleeps, the runtime
// does not notice when all other goroutines are deadlocked.
func ticks(ns int64) {
	for load32(&counts.Stopped) == 0 {
		sleep(ns)
		if tapsTurn() {
			tickTaps(cpuTime())
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
	writeOrSay()
}

// writeBeforeExec writes the profile when the program may be about to be replaced
// by another.
func writeBeforeExec() {
	writeOrSay()
}

func writeOrSay() {
	if problem := writeCounts(); problem != "" {
		print("pep: ", problem, "\n")
	}
}

func writeCounts() (problem string) {
	pkgs, build, err := siteTables()
	if err != nil {
		return "no profile: " + err.Error()
	}
	name, _ := os.Executable()
	counts.ExeLen = uint32(copy(counts.Exe[:], name))
	c := counted{table: counts}
	p := c.profile(pkgs, build)
	files := append(p.Write(), c.tapFiles(p)...)
	dir := os.Getenv("PEPDIR")
	if dir == "" {
		dir = "."
	}
	stem := base(os.Args[0]) + "." + digits.Uint(uint64(os.Getpid())) + "." + digits.Uint(counts.Start)
	for _, f := range files {
		if err := writeFile(dir, stem+"."+f.Kind+".pb.gz", f.Data); err != nil {
			return "no profile: " + err.Error() + " (set PEPDIR to a directory that can be written)"
		}
	}
	return ""
}

// whyStopped: nothing that sampling takes can be denied.
func (h *header) whyStopped() string { return "" }

// writeFile writes a file that only the user can read, under a random name that is
// then exchanged.
func writeFile(dir, name string, data []byte) error {
	f, err := os.CreateTemp(dir, ".pep-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), dir+string(os.PathSeparator)+name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// mayReadType: what is named is in this process.
func (n names) mayReadType(uintptr) bool { return true }

func readFile(name string) ([]byte, error) { return os.ReadFile(name) }

// There are no files to which threads could write while they are pinned.

func openTrace() (problem string) {
	if tapOptions.trace != "" {
		return "PEPOPTS: trace= is available only on linux/amd64"
	}
	return ""
}

func openRing() (problem string) { return "PEPOPTS: deliver=ring is available only on linux/amd64" }

func (k *sink) traceBlock([]tuple.Tuple) {}
func closeTrace()                        {}
func closeRing()                         {}

// cpuTime: time in bursts is wall-clock time, as ticks are.
func cpuTime() uint64 { return uint64(nanotime()) }
