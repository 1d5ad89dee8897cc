//go:build !linux || !amd64

package core

// This file holds the beginning and the end of a profiled program where there
// are no signals of ours: see the package comment.

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/wire"
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
	atExit(finish)
	if mode == modeFlag {
		go ticks(int64(opts.tick))
	}
}

// ticks is a tick every ns of wall-clock time. As long as it sleeps, the runtime
// does not notice when all other goroutines are deadlocked.
func ticks(ns int64) {
	for load32(&counts.Stopped) == 0 {
		sleep(ns)
		setFlag(counts.tick())
	}
}

// finish writes the profile. It runs as an exit hook, while other goroutines
// may go on.
func finish() {
	store32(&counts.Stopped, 1)
	if problem := writeCounts(); problem != "" {
		print("pep: ", problem, "\n")
	}
}

func writeCounts() (problem string) {
	if OpenExecutable == nil || WriteFile == nil {
		return "no profile: OpenExecutable and WriteFile of 0pep/core are not set"
	}
	name, size, readAt, err := OpenExecutable()
	if err != nil {
		return "reading the site tables: " + err.Error()
	}
	tables, build, err := wire.FindTrailer(size, func(p []byte, off int64) bool {
		n, _ := readAt(p, off) // at the end of the file there may be an error beside all bytes
		return n == len(p)
	})
	if err != nil {
		return err.Error()
	}
	pkgs, err := packages(tables)
	if err != nil {
		return err.Error()
	}
	counts.ExeLen = uint32(copy(counts.Exe[:], name))
	paths, edges := counted{table: counts}.profile(pkgs, build).Write()
	if err := WriteFile("paths.pb.gz", paths); err != nil {
		return err.Error()
	}
	if err := WriteFile("edges.pb.gz", edges); err != nil {
		return err.Error()
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
