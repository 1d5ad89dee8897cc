package core

// This file holds the beginning and the end of a profiled program: the poll
// region, the file of counts, the timer, the signal handlers, the exit hook.

import (
	"github.com/pepgo/pep/runtime/digits"
)

// What the handlers and assembly work with; set before they are installed.
var (
	region     = [2]uintptr{Base, Size}
	counts     table
	textBase   uintptr
	textSize   uintptr
	raiseStart uintptr

	traceback *uint32  // the runtime's traceback_cache
	queue     *signals // the runtime's sig

	faultCode, tickCode, deathCode uintptr     // of the Go functions that handlers call
	chained                        [65]uintptr // handlers that were there before, by signal
	zeroG                          [64]uint64  // as much of a g as compiled code looks at
)

var (
	tableName string // the .pep file, with its whole path
	tableIno  uint64 // what tells it from another file of that name
)

func start() {
	textBase = textStart()
	textSize = textEnd() - textBase
	args, env := runtimeArgs(), runtimeEnvs()
	if isWriter(args) {
		exit(writeAsChild(args))
	}
	if name := lookup(env, "PEP_WRITE"); name != "" && !privileged() {
		exit(writeFor(name))
	}
	if mode == modePage {
		if problem := mapRegion(); problem != "" {
			unprofiled(problem)
			return
		}
	}
	defer spareChunks()
	if privileged() {
		unprofiled("PEPDIR, PEPOPTS and PEP_WRITE are ignored, since the program has privileges that its user does not have")
		return
	}
	opts, problem := parseOptions(lookup(env, "PEPOPTS"))
	if problem != "" {
		unprofiled("PEPOPTS: " + problem)
		return
	}
	if problem := createTable(lookup(env, "PEPDIR"), opts); problem != "" {
		unprofiled(problem)
		return
	}
	tapOptions = opts.tapping
	if ticking() {
		if problem := readyTicks(); problem != "" {
			unlink(tableName)
			unprofiled(problem)
			return
		}
	}
	prepareWriter(env)
	installHandlers()
	atExit(finish)
	atExitOfC()
	if problem := startTaps(opts); problem != "" {
		unprofiledTaps(problem)
	}
	if ticking() {
		startTicks(opts.tick)
	}
}

func mapRegion() (problem string) {
	p, e := mmap(Base, Size, protRead, mapPrivate|mapAnonymous|mapNoreserve|mapFixedNoreplace, ^uintptr(0), 0)
	if problem := misplaced(uintptr(p), e); problem != "" {
		print("pep: mapping the poll region at ", digits.Hex(Base), ": ", problem, "; rebuild with -peppoll=flag\n")
		exit(2)
	}
	// Small pages all map the one page of zeros, so that polls take up at most 64
	// cache lines wherever they are: 1.9 ns for polls all over 1 MB, 6.1 ns with
	// huge pages. In return mprotect is slower, 23 µs a burst instead of 2 µs for
	// as many; but hot paths are few and close together.
	sys(sysMadvise, Base, Size, madvNohugepage, 0, 0, 0)
	for _, prot := range [...]uintptr{protNone, protRead} {
		if _, e := sys(sysMprotect, Base, Size, prot, 0, 0, 0); e != 0 {
			return "arming polls: mprotect: " + e.Error() + " (programs built with -peppoll=flag do without)"
		}
	}
	return ""
}

// misplaced says what is wrong with what mmap has returned for the poll region.
// Kernels before 4.17 do not know MAP_FIXED_NOREPLACE, and take the address for a
// hint: where something else is in the way, they map the region elsewhere.
func misplaced(p uintptr, e errno) (problem string) {
	switch {
	case e != 0:
		return e.Error()
	case p != Base:
		sys(sysMunmap, p, Size, 0, 0, 0, 0)
		return "something else is there"
	}
	return ""
}

// createTable makes the .pep file in PEPDIR, dir, and maps it.
func createTable(dir string, opts options) (problem string) {
	where := " (PEPDIR=" + quote(dir) + " says where)"
	if dir == "" || dir[0] != '/' {
		current, e := getcwd()
		if e != 0 {
			return "the current directory: " + e.Error() + where
		}
		dir = current + "/" + dir
	}
	if dir[len(dir)-1] != '/' {
		dir += "/"
	}
	exe := readlink("/proc/self/exe")
	pid := getpid()
	name, fd, start, e := createLive(dir, progName(exe), pid)
	if e != 0 {
		return "creating " + name + ": " + e.Error() + where
	}
	defer closeFd(fd)
	counters, streams, problem := roomWanted(opts)
	if problem != "" {
		unlink(name)
		return problem
	}
	t, problem := mapTable(fd, layoutOf(counters, streams))
	if problem != "" {
		unlink(name)
		return "making room in " + name + ": " + problem + where
	}
	info, _ := fstat(fd)
	tableName, tableIno = name, info.ino
	countIn(t, counters, streams)
	counts.fill(opts)
	counts.Pid = pid
	counts.Born = born()
	counts.Namespaces = namespaces()
	counts.Text = uint64(textBase)
	counts.Start = start
	counts.ExeLen = uint32(copy(counts.Exe[:], exe))
	counts.Build = buildHash()
	counts.publish()
	return ""
}

func installHandlers() {
	raiseStart = raisePC()
	ownPid = counts.Pid
	traceback, queue = tracebackCache(), signalQueue()
	faultCode, tickCode, deathCode = codeOf(onFault), codeOf(onTick), codeOf(onDeath)
	keepSignal(sigABRT)
	for _, sig := range deadly {
		chained[sig] = handler(sig)
		switch {
		case sig == sigSEGV && mode == modePage:
			handle(sig, faultEntryPC())
		case sig == sigBUS:
			handle(sig, busEntryPC())
		case chained[sig] > 1: // neither default nor ignored
			guard(sig)
		}
	}
	if ticking() && advanceCode == 0 {
		keepSignal(tickSignal)
		chained[tickSignal] = handle(tickSignal, tickEntryPC())
	}
	deathAction = actionOf(deathEntryPC())
	keepCrashing()
}

// finish writes the profile at a normal exit. It runs as an exit hook, while
// other goroutines may go on.
func finish() {
	if !startDying() {
		return
	}
	alone(func() {
		stopTicks()
		if mode == modePage {
			sys(sysMprotect, Base, Size, protRead, 0, 0, 0)
		}
		finishTaps()
		writeHere()
	})
}

// writeBeforeExec writes the profile when the program may be about to be replaced
// by another.
func writeBeforeExec() {
	if load32(&dying) == 0 {
		alone(func() {
			loseName()
			writeHere()
		})
	}
}

// alone runs f, which writes the profile, on a large stack and pinned to the P:
// among 1,000 goroutines that do not wait for anything a goroutine that is not
// pinned gets 10 ms of every 5 s, if there are two Ps. While it is pinned it is not
// preempted, its allocations neither start a collection nor assist in one, and a
// collection that another goroutine starts waits for it. So nothing in f may wait
// for another goroutine, but for one that is pinned too.
func alone(f func()) {
	old := setMaxStack(1 << 30) // the program may have set it to less than is needed
	procPin()
	f()
	procUnpin()
	setMaxStack(old)
}
