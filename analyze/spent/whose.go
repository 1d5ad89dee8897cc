package spent

// This file says whose a package is, and what kind of work functions of the Go runtime do.

import (
	"strings"

	"github.com/pepgo/pep/analyze/profile"
)

// An Owner is whose code a package is.
type Owner uint8

// Owners, in the order of listings: what a reader can change comes first.
const (
	MainModule Owner = iota
	Dependencies
	Std
	Runtime
)

// OwnerOf returns whose a package is. As in the go command, the first element of an import path has a dot unless the
// package is of std or of the main module.
func OwnerOf(f *profile.File, pkg string) Owner {
	first, _, _ := strings.Cut(pkg, "/")
	switch {
	case f.Own(pkg):
		return MainModule
	case ofRuntime(pkg):
		return Runtime
	case strings.Contains(first, "."):
		return Dependencies
	}
	return Std
}

// ofRuntime reports whether a package is the Go runtime or belongs to it alone. Programs import runtime/debug and the
// like, and internal/bytealg has functions of package bytes, so these are of std.
func ofRuntime(pkg string) bool {
	switch pkg {
	case "runtime", "internal/abi", "internal/chacha8rand", "internal/cpu", "internal/goarch", "internal/goos":
		return true
	}
	return strings.HasPrefix(pkg, "internal/runtime/") || strings.HasPrefix(pkg, "runtime/internal/")
}

// otherRuntime is the kind of what no prefix tells.
const otherRuntime = "other runtime"

// kinds has how the names of functions of the runtime begin that do a kind of work. What they call does the same,
// unless it is in the table, too: a collection that an allocation has to help with is no allocation.
var kinds = []struct {
	name     string
	prefixes []string
}{
	{"allocation", []string{
		"runtime.malloc", "runtime.newobject", "runtime.newarray", "runtime.makeslice", "runtime.growslice",
		"runtime.rawstring", "runtime.rawbyteslice",
		"runtime.rawruneslice", "runtime.convT", "runtime.nextFreeFast", "runtime.heapSetType",
		"runtime.memclrNoHeapPointersChunked",
		"runtime.(*mcache)", "runtime.(*mcentral)", "runtime.(*mheap)", "runtime.(*pageAlloc)", "runtime.(*pageCache)",
		"runtime.(*spanSet)", "runtime.persistentalloc",
		"runtime.(*mspan).nextFree", "runtime.(*mspan).refill", "runtime.(*mspan).writeHeapBits",
		"runtime.(*mspan).initHeapBits", "runtime.profilealloc",
	}},
	{"garbage collection", []string{
		"runtime.gc", "runtime.scan", "runtime.greyobject", "runtime.markroot", "runtime.shade", "runtime.tryDeferToSpanScan",
		"runtime.(*gc",
		"runtime.(*span", "runtime.wb", "runtime.(*wbBuf)", "runtime.bulkBarrier", "runtime.bgsweep", "runtime.sweepone",
		"runtime.deductSweepCredit",
		"runtime.(*sweepLocked)", "runtime.(*mheap).reclaim", "runtime.(*mheap).nextSpanForSweep", "runtime.bgscavenge",
		"runtime.(*scavenge",
		"runtime.(*workType)", "runtime.(*limiterEvent)", "internal/runtime/gc",
	}},
	{"scheduling", []string{
		"runtime.schedule", "runtime.findRunnable", "runtime.mcall", "runtime.park_m", "runtime.gopark", "runtime.goready",
		"runtime.ready", "runtime.gosched",
		"runtime.execute", "runtime.runq", "runtime.globrunq", "runtime.stealWork", "runtime.wakep", "runtime.startm",
		"runtime.stopm", "runtime.handoffp",
		"runtime.newproc", "runtime.goexit0", "runtime.gdestroy", "runtime.netpoll", "runtime.checkTimers", "runtime.(*timer",
		"runtime.sysmon",
		"runtime.retake", "runtime.preempt", "runtime.gopreempt", "runtime.asyncPreempt", "runtime.sem",
		"runtime.(*semaRoot)", "runtime.notetsleep",
		"runtime.entersyscall", "runtime.exitsyscall", "runtime.reentersyscall", "runtime.stopTheWorld",
		"runtime.startTheWorld",
	}},
	{"growth of stacks", []string{"runtime.morestack", "runtime.newstack", "runtime.copystack", "runtime.stackalloc",
		"runtime.stackfree"}},
	{"maps", []string{"runtime.map", "runtime.memhash", "runtime.strhash", "runtime.aeshash", "aeshash",
		"internal/runtime/maps"}},
	{"channels", []string{"runtime.chan", "runtime.select", "runtime.send", "runtime.recv", "runtime.closechan",
		"runtime.makechan", "runtime.(*hchan)"}},
	{"strings", []string{"runtime.concatstring", "runtime.slicebytetostring", "runtime.stringtoslice",
		"runtime.slicerunetostring", "runtime.decoderune"}},
	{"comparing bytes", []string{"runtime.memequal", "runtime.strequal", "runtime.cmpstring", "cmpbody", "memeqbody",
		"indexbody", "indexbytebody", "countbody"}},
	{"copying memory", []string{"runtime.memmove", "runtime.typedmemmove", "runtime.typedslicecopy", "runtime.slicecopy",
		"runtime.memclrNoHeapPointers", "runtime.duff"}},
}

// kindOf returns the kind of work of a function of the runtime: that of the longest prefix of its name, "" if there is
// none.
func kindOf(name string) (kind string) {
	longest := 0
	for _, k := range kinds {
		for _, p := range k.prefixes {
			if len(p) > longest && strings.HasPrefix(name, p) {
				kind, longest = k.name, len(p)
			}
		}
	}
	return kind
}
