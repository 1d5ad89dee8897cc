//go:build !linux || !amd64

package core

// This file is the beginning of a profiled program on systems where core handles no
// signals: see the package comment.

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/callers"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/sys"
	"github.com/pepgo/pep/runtime/taps"
)

func start() {
	opts, problem := options.Parse(options.Lookup(golink.Envs(), "PEPOPTS"), taps.ParseEngine)
	if problem != "" {
		unprofiled("PEPOPTS: " + problem)
		return
	}
	program.Say = opts.Say
	callers.Text.Base = golink.CodeOf(start)
	counters, streams, problem := roomWanted(opts)
	if problem != "" {
		unprofiled(problem)
		return
	}
	countsMemory = make([]uint64, pepfile.LayoutOf(counters, streams, 0).Size/8) // so large, it begins on a page
	countIn(pepfile.TableAt(unsafe.Pointer(&countsMemory[0])), counters, streams)
	counts.Fill(opts)
	sec, nsec, _ := golink.TimeNow()
	counts.Start = uint64(sec)*1e9 + uint64(nsec)
	program.Counts = counts
	taps.Configure(taps.Program{Counts: counts, On: &tapping}, opts.Tapping)
	golink.AtExit(finish)
	if ticking {
		startPace(opts)
		go ticks()
	}
	if problem := taps.Start(); problem != "" {
		unprofiledTaps(problem)
	}
}

// ticks is a tick whenever it is due, by wall-clock time. As long as it sleeps, the runtime
// does not notice when all other goroutines are deadlocked.
func ticks() {
	for golink.Load32(&counts.Stopped) == 0 {
		golink.Sleep(int64(tickPace.Due) - int64(sys.CPUTime()))
		keepPace(sys.CPUTime())
		setFlag(counts.BeginBurst())
	}
}

// measureTick returns what a tick costs outside of its handler: there is no signal here.
func measureTick() uint64 { return 0 }
