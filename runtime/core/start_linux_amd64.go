package core

// This file holds the beginning and the end of a profiled program: the poll
// region, the file of counts, the timer, the signal handlers, the exit hook.

import (
	"unsafe"

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

	// writer is the path, argv and envp for execve, and what to say if that
	// does not work. Its memory is kept by writerMemory.
	writer       [5]uintptr
	writerMemory struct {
		path       *byte
		argv, envp []*byte
		message    []byte
	}
)

var (
	tableName string // the .pep file, with its whole path
	timerID   int32
)

// tickSignal is a real-time signal that neither Go nor the C library uses. If a
// program does (SIGRTMAX-2), it gets those that do not come from a timer.
const tickSignal = 62

func start() {
	env := runtimeEnvs()
	textBase = textStart()
	textSize = textEnd() - textBase
	if name := lookup(env, "PEP_WRITE"); name != "" {
		exit(writeFrom(name))
	}
	if mode == modePage {
		mapRegion()
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
	prepareWriter(env)
	installHandlers()
	atExit(finish)
	if problem := startTaps(opts); problem != "" {
		unprofiledTaps(problem)
	}
	if ticking() {
		startTimer(opts.tick)
	}
}

func mapRegion() {
	_, e := mmap(Base, Size, protRead, mapPrivate|mapAnonymous|mapNoreserve|mapFixedNoreplace, ^uintptr(0), 0)
	if e != 0 {
		print("pep: mapping the poll region at ", digits.Hex(Base), ": ", e.Error(), "; rebuild with -peppoll=flag\n")
		exit(2)
	}
	// Small pages all map the one page of zeros, so that polls take up at most 64
	// cache lines wherever they are: 1.9 ns for polls all over 1 MB, 6.1 ns with
	// huge pages. In return mprotect is slower, 23 µs a burst instead of 2 µs for
	// as many; but hot paths are few and close together.
	sys(sysMadvise, Base, Size, madvNohugepage, 0, 0, 0)
}

// createTable makes the .pep file in dir and maps it. Its room on disk is taken
// at once: a signal handler that finds the disk full would die of SIGBUS.
func createTable(dir string, opts options) (problem string) {
	exe := readlink("/proc/self/exe")
	given := dir
	if dir == "" || dir[0] != '/' {
		dir = getcwd() + "/" + dir
	}
	if dir[len(dir)-1] != '/' {
		dir += "/"
	}
	pid := getpid()
	stem := dir + base(exe) + "." + digits.Uint(uint64(pid))
	tableName = stem + ".pep"
	fd, e := open(tableName, oRdwr|oCreat|oExcl)
	for n := uint64(2); e == eEXIST && n < 100; n++ { // from an earlier process of this number
		tableName = stem + "-" + digits.Uint(n) + ".pep"
		fd, e = open(tableName, oRdwr|oCreat|oExcl)
	}
	if e != 0 {
		return "creating " + tableName + ": " + e.Error() + " (PEPDIR=" + quote(given) + " says where)"
	}
	defer closeFd(fd)
	size := uintptr(tableSize(slotsOf(mode)))
	if _, e = sys(sysFallocate, fd, 0, 0, size, 0, 0); e == eOPNOTSUPP {
		_, e = sys(sysFtruncate, fd, size, 0, 0, 0, 0)
	}
	var p unsafe.Pointer
	if e == 0 {
		p, e = mmap(0, size, protRead|protWrite, mapShared, fd, 0)
	}
	if e != 0 {
		unlink(tableName)
		return "making room in " + tableName + ": " + e.Error() + " (PEPDIR=" + quote(given) + " says where)"
	}
	counts = tableAt(p)
	counts.fill(opts)
	counts.Pid = pid
	counts.Text = uint64(textBase)
	counts.Start = now()
	counts.ExeLen = uint32(copy(counts.Exe[:], exe))
	counts.Build = buildHash()
	counts.seal()
	return ""
}

// prepareWriter makes what execve needs to run this binary as the writer.
// Variables that would make the child's Go runtime talk or crawl are left out.
func prepareWriter(env []string) {
	w := &writerMemory
	w.path = cstring("/proc/self/exe")
	w.argv = []*byte{w.path, nil}
	for _, e := range env {
		if len(e) > 2 && e[:2] == "GO" {
			continue
		}
		w.envp = append(w.envp, cstring(e))
	}
	w.envp = append(w.envp, cstring("PEP_WRITE="+tableName), nil)
	w.message = []byte("pep: /proc/self/exe cannot be run to write the profile; the counts are in " + tableName + "\n")
	writer = [5]uintptr{
		uintptr(unsafe.Pointer(w.path)),
		uintptr(unsafe.Pointer(&w.argv[0])),
		uintptr(unsafe.Pointer(&w.envp[0])),
		uintptr(unsafe.Pointer(&w.message[0])),
		uintptr(len(w.message)),
	}
}

func installHandlers() {
	raiseStart = raisePC()
	traceback, queue = tracebackCache(), signalQueue()
	faultCode, tickCode, deathCode = codeOf(onFault), codeOf(onTick), codeOf(onDeath)
	for _, sig := range deadly {
		chained[sig] = handler(sig)
		switch {
		case sig == sigSEGV && mode == modePage:
			handle(sig, faultEntryPC())
		case chained[sig] > 1: // neither default nor ignored
			handle(sig, deathEntryPC())
		}
	}
	if ticking() {
		chained[tickSignal] = handle(tickSignal, tickEntryPC())
	}
	keepCrashing()
}

// ticking reports whether anything is sampled at ticks.
func ticking() bool { return mode != modeExact || tapOptions.taps == tapsBurst }

// startTimer makes the kernel send tickSignal after every ns of CPU time that
// the process uses, on all threads together.
func startTimer(ns uint64) {
	type sigevent struct {
		value         uint64
		signo, notify int32
		_             [12]uint32
	}
	ev := sigevent{signo: tickSignal}
	_, e := sys(sysTimerCreate, clockProcessCPUTime, uintptr(unsafe.Pointer(&ev)), uintptr(unsafe.Pointer(&timerID)), 0, 0, 0)
	if e == 0 {
		sec, nsec := ns/1e9, ns%1e9
		spec := [4]uint64{sec, nsec, sec, nsec}
		_, e = sys(sysTimerSettime, uintptr(timerID), 0, uintptr(unsafe.Pointer(&spec)), 0, 0, 0)
	}
	if e != 0 {
		unprofiled("making a timer: " + e.Error())
	}
}

// finish writes the profile at a normal exit. It runs as an exit hook, while
// other goroutines may go on.
func finish() {
	if !startDying() {
		return
	}
	finishTaps()
	if ticking() {
		sys(sysTimerDelete, uintptr(timerID), 0, 0, 0, 0, 0)
	}
	if mode == modePage {
		sys(sysMprotect, Base, Size, protRead, 0, 0, 0)
	}
	writeFrom(tableName)
}
