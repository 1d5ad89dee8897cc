package write

// This file makes the companion of the program: a process that writes the profile when the program must not.
//
// The program may forbid itself system calls (seccomp), and is killed then for those that a plain program does not
// make; or it has given up rights (Landlock, another user or root). It cannot find out without a system call. So it
// makes none at its end before it has asked its companion, which has all the rights that the program had at its start,
// and no filter of system calls that the program has installed since. The companion
//
//   - looks whether a thread of the program has such a filter, and if not, lets the program write the profile itself;
//   - otherwise runs the writer (child_linux_amd64.go), and lets the program wait for it;
//   - runs the writer if the program dies, or was not able to write the profile.
//
// The program does not get to see its companion: it is a child for which wait4(-1) does not wait (a child without a
// signal at its end needs __WALL or __WCLONE), has no files open, blocks all signals, and the kernel kills it when the
// program ends. It does not share the program's memory, so it does nothing but the above for a program that somebody
// else has taken over.
//
// The companion is a copy of a process with several threads, of which it has one. So its code calls no function of the
// Go runtime, needs no more stack than there is, and works on variables.

import (
	"unsafe"

	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/format/items"
	"github.com/pepgo/pep/runtime/callers"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/sys"
)

// What the companion is asked for.
const (
	AskInspect = iota // whether the program may write its profile itself; if not, the companion has it written
	AskWrite          // to have the profile written
	AskEnd            // to end
	asks              // how many there are
)

// Answers of the companion.
const (
	answerNone  = iota // there is no companion
	AnswerWrite        // nothing forbids the program to write
	AnswerDone         // the profile is written, or it has been said why not
)

// A Companion is what the program knows of its companion. Signal handlers read it.
type Companion struct {
	Asking       uintptr // address of a page for each question, or of a page of words; 0 if there is no companion
	LooksAtWords bool    // they are words: asked and answered for each, and behind them the companion's beats
	OwnMark      *uint32 // points to 1; in a copy of the process, to 0
	OwnPid       uint32
}

// workings is what the companion works with. The pointers are there to keep memory alive.
var workings struct {
	*Companion
	header  *pepfile.Header
	pid     uintptr // of the companion, in the program
	faults  uintptr // file that tells of faults
	path    *byte
	argv    []*byte
	envp    []*byte
	message []byte // if the writer does not come to its end

	null, stderr, status, tasks *byte // names of files
	exeThen, exeNow             sys.Info
	exeIsOurs                   bool
	written                     bool
}

// scratch is what the companion's system calls read and write. It is apart because the collector would scan it.
var scratch struct {
	waits  [2]pollfd
	event  [4]uint64 // struct uffd_msg
	copied [5]uint64 // struct uffdio_copy
	page   [pageSize / 4]uint32
	names  [4096]byte // struct linux_dirent64
	name   [64]byte
	text   [4096]byte
	sleep  [2]uint64
}

// A pollfd is struct pollfd of poll.
type pollfd struct {
	fd     int32
	events int16
	_      int16 // revents
}

const (
	pageSize    = 4096
	allChildren = 0x40000000 // __WALL: also those that end without a signal
)

// Start makes the companion of p.
func (c *Companion) Start(p *Program, env []string) (problem string) {
	workings.Companion, workings.header = c, p.Counts.Header
	prepareWriter(p, env)
	return c.start()
}

// prepareWriter makes what the writer needs. Its environment has no variables of
// the Go runtime, which could make it print or slow it down, and none of pep's own.
func prepareWriter(p *Program, env []string) {
	c := &workings
	c.path = sys.CString("/proc/self/exe")
	c.argv = []*byte{sys.CString(writerArg), sys.CString(p.File), sys.CString(options.Says[p.Say]), nil}
	for _, e := range env {
		if name, _, _ := items.CutPlain(e, '='); len(name) >= 2 && name[:2] == "GO" || len(name) >= 3 && name[:3] == "PEP" {
			continue
		}
		c.envp = append(c.envp, sys.CString(e))
	}
	c.envp = append(c.envp, nil)
	c.message = []byte("pep: no process could be run to write the profile; the counts are in " + p.File + "\n")
	program := "/proc/" + digits.Uint(uint64(c.header.Pid))
	c.stderr, c.tasks = sys.CString(program+"/fd/2"), sys.CString(program+"/task")
	var e sys.Errno
	c.exeThen, e = sys.Stat("/proc/self/exe", 0)
	c.exeIsOurs = e == 0 && sys.LoadedByKernel(callers.Text.Base)
}

func (c *Companion) start() (problem string) {
	w := &workings
	if w.header.Born == 0 {
		return "there is no /proc"
	}
	c.OwnPid = w.header.Pid
	if problem := c.mapQuestions(); problem != "" {
		return problem
	}
	pages := questions
	c.LooksAtWords = !tellsOfFaults(pages)
	if c.LooksAtWords {
		p, e := sys.Mmap(0, pageSize, sys.ProtRead|sys.ProtWrite, sys.MapShared|sys.MapAnonymous, ^uintptr(0), 0)
		if e != 0 {
			return "mmap: " + e.Error()
		}
		pages = uintptr(p)
	}
	c.Asking = pages
	pid, e := copyProcess(0, accompany)
	if !c.LooksAtWords {
		sys.Close(w.faults)
	}
	if w.pid = pid; e != 0 {
		c.Asking = 0
		return "clone: " + e.Error()
	}
	return ""
}

// copyProcess makes a copy of the process, by clone with some flags and without a signal at its end, in which f is
// called with all signals blocked. Then f must not return.
func copyProcess(flags uintptr, f func()) (pid uintptr, e sys.Errno) {
	all, before := ^uint64(0), uint64(0)
	sys.Call(sys.NrRtSigprocmask, sys.SigSetmask, uintptr(unsafe.Pointer(&all)), uintptr(unsafe.Pointer(&before)), 8, 0, 0)
	pid, errno := sys.Raw(sys.NrClone, flags, 0, 0, 0, 0)
	if pid == 0 && errno == 0 {
		f()
	}
	sys.Call(sys.NrRtSigprocmask, sys.SigSetmask, uintptr(unsafe.Pointer(&before)), 0, 8, 0, 0)
	return pid, sys.Errno(errno)
}

// Again makes another companion when exec has failed. The .pep file is gone, so that one only says what is
// lost if the program dies.
func (c *Companion) Again() {
	if workings.pid != 0 && c.Asking == 0 {
		workings.exeIsOurs = false
		workings.message = []byte("pep: the profile lacks everything after a call of exec that failed\n")
		c.start()
	}
}

// tellsOfFaults has the kernel tell of faults in the pages for questions, and reports whether it does.
func tellsOfFaults(pages uintptr) bool {
	const (
		// O_CLOEXEC, O_NONBLOCK; the last one is permitted to everybody, since Linux 5.11
		flags, userModeOnly    = 0x80000 | 0x800, 1
		api, register, missing = 0xc018aa3f, 0xc020aa00, 1
	)
	fd, e := sys.Call(sys.NrUserfaultfd, flags|userModeOnly, 0, 0, 0, 0, 0)
	if e != 0 {
		return false
	}
	version, span := [3]uint64{0xaa}, [4]uint64{uint64(pages), asks * pageSize, missing}
	_, e = sys.Call(sys.NrIoctl, fd, api, uintptr(unsafe.Pointer(&version)), 0, 0, 0)
	if e == 0 {
		_, e = sys.Call(sys.NrIoctl, fd, register, uintptr(unsafe.Pointer(&span)), 0, 0, 0)
	}
	if e != 0 {
		sys.Close(fd)
		return false
	}
	workings.faults = fd
	return true
}

// questions is the address of the pages for questions.
var questions uintptr

// mapQuestions makes these pages, and OwnMark before them; or it empties them.
func (c *Companion) mapQuestions() (problem string) {
	const dontNeed, wipeOnFork = 4, 18 // the latter since Linux 4.14
	if questions != 0 {
		sys.Call(sys.NrMadvise, questions, asks*pageSize, dontNeed, 0, 0, 0)
		return ""
	}
	p, e := sys.Mmap(0, (1+asks)*pageSize, sys.ProtRead|sys.ProtWrite, sys.MapPrivate|sys.MapAnonymous, ^uintptr(0), 0)
	if e != 0 {
		return "mmap: " + e.Error()
	}
	if _, e := sys.Call(sys.NrMadvise, uintptr(p), pageSize, wipeOnFork, 0, 0, 0); e == 0 {
		c.OwnMark = (*uint32)(p)
		*c.OwnMark = 1
	}
	questions = uintptr(p) + pageSize
	return ""
}

// Wait waits for the companion's end, which the program has asked it for.
func (c *Companion) Wait() {
	const interrupted = 4
	c.Asking = 0
	for {
		if _, e := sys.Call(sys.NrWait4, workings.pid, 0, allChildren, 0, 0, 0); e != interrupted {
			return
		}
	}
}

// accompany is the companion.
//
//go:nosplit
func accompany() {
	const deathSignal, dumpable, kill = 1, 4, 9
	// the kernel does not send it from a program that has become another user
	sys.Raw(sys.NrPrctl, deathSignal, kill, 0, 0, 0)
	sys.Raw(sys.NrPrctl, dumpable, 0, 0, 0, 0) // nobody but root may look into this process
	closeFiles()
	c := &workings
	if c.LooksAtWords {
		lookAtWords()
	}
	const in, ms, pageFault = 1, 1000, 0x12
	program, errno := sys.Raw(sys.NrPidfdOpen, uintptr(c.OwnPid), 0, 0, 0, 0)
	wait := ^uintptr(0)
	if errno != 0 { // a filter forbids it
		program, wait = wait, ms
	}
	scratch.waits = [2]pollfd{{fd: int32(c.faults), events: in}, {fd: int32(program), events: in}}
	for {
		endWithProgram()
		sys.Raw(sys.NrPoll, uintptr(unsafe.Pointer(&scratch.waits)), uintptr(len(scratch.waits)), wait, 0, 0)
		n, errno := sys.Raw(sys.NrRead, c.faults, uintptr(unsafe.Pointer(&scratch.event)), unsafe.Sizeof(scratch.event), 0, 0)
		if n != unsafe.Sizeof(scratch.event) || errno != 0 {
			continue
		}
		if scratch.event[0]&0xff == pageFault {
			at := uintptr(scratch.event[2]) &^ (pageSize - 1)
			scratch.page[0] = answer((at - c.Asking) / pageSize) // if the companion ends, the kernel answers with zeros
			const copyPage, wake, exists = 0xc028aa03, 0x8010aa02, 17
			scratch.copied = [5]uint64{uint64(at), uint64(uintptr(unsafe.Pointer(&scratch.page))), pageSize}
			if _, errno := sys.Raw(sys.NrIoctl, c.faults, copyPage, uintptr(unsafe.Pointer(&scratch.copied)), 0,
				0); errno == exists {
				// a signal has interrupted the thread that waits: it has asked again
				scratch.copied = [5]uint64{uint64(at), pageSize}
				sys.Raw(sys.NrIoctl, c.faults, wake, uintptr(unsafe.Pointer(&scratch.copied)), 0, 0)
			}
		}
	}
}

// endWithProgram ends the companion if the program has ended.
//
//go:nosplit
func endWithProgram() {
	if pid, _ := sys.Raw(sys.NrGetppid, 0, 0, 0, 0, 0); pid != uintptr(workings.OwnPid) {
		sys.Raw(sys.NrExitGroup, 0, 0, 0, 0, 0)
	}
}

// closeFiles closes all files but that which tells of faults. Otherwise the other ends of pipes would not see that the
// program has closed its ones.
//
//go:nosplit
func closeFiles() {
	const last, most = 1<<32 - 1, 4096
	keep := uintptr(last)
	if !workings.LooksAtWords {
		keep = workings.faults
	}
	if keep > 0 {
		if _, errno := sys.Raw(sys.NrCloseRange, 0, keep-1, 0, 0, 0); errno != 0 { // before Linux 5.9
			for fd := uintptr(0); fd < most; fd++ {
				if fd != keep {
					sys.Raw(sys.NrClose, fd, 0, 0, 0, 0)
				}
			}
			return
		}
	}
	if keep < last {
		sys.Raw(sys.NrCloseRange, keep+1, last, 0, 0, 0)
	}
}

// lookAtWords answers questions that are in words. A program that is young is likely to end soon.
//
//go:nosplit
func lookAtWords() {
	const shortest, longest = 200_000, 20_000_000 // ns
	words := (*[2*asks + 1]uint32)(golink.At(workings.Asking))
	wait := uint64(shortest)
	for {
		endWithProgram()
		pause(wait)
		for i := range uintptr(asks) {
			if golink.Load32(&words[2*i]) != 0 && golink.Load32(&words[2*i+1]) == answerNone {
				golink.Store32(&words[2*i+1], answer(i))
			}
		}
		wait = min(wait+wait/64, longest)
	}
}

// pause waits for some ns.
//
//go:nosplit
func pause(ns uint64) {
	scratch.sleep = [2]uint64{0, ns}
	sys.Raw(sys.NrNanosleep, uintptr(unsafe.Pointer(&scratch.sleep)), 0, 0, 0, 0)
}

// answer does what the program asks for.
//
//go:nosplit
func answer(what uintptr) uint32 {
	c := &workings
	if what == AskEnd {
		if c.LooksAtWords {
			golink.Store32(&(*[2 * asks]uint32)(golink.At(c.Asking))[2*AskEnd+1], AnswerDone)
		}
		sys.Raw(sys.NrExitGroup, 0, 0, 0, 0, 0)
	}
	if c.written {
		return AnswerDone
	}
	if what == AskInspect && !confined() {
		return AnswerWrite
	}
	c.written = true
	if !runWriter() {
		if fd, errno := sys.Raw(sys.NrOpenat, sys.AtFdcwd, uintptr(unsafe.Pointer(c.stderr)), stderrFlags, 0, 0); errno == 0 {
			sys.Raw(sys.NrWrite, fd, uintptr(unsafe.Pointer(&c.message[0])), uintptr(len(c.message)), 0, 0)
			sys.Raw(sys.NrClose, fd, 0, 0, 0, 0)
		}
	}
	return AnswerDone
}

// stderrFlags are to open the program's standard error: it may be a pipe that nobody reads, or a terminal.
const stderrFlags = sys.OWronly | sys.OAppend | sys.ONonblock | sys.ONoctty

// runWriter runs the writer, and reports whether that has come to its end, or the program has written the profile
// meanwhile: one that exits on one thread and dies on another.
//
//go:nosplit
func runWriter() bool {
	c := &workings
	if _, errno := sys.Raw(sys.NrNewfstatat, sys.AtFdcwd, uintptr(unsafe.Pointer(c.path)),
		uintptr(unsafe.Pointer(&c.exeNow)), 0, 0); errno != 0 ||
		!c.exeIsOurs || !c.exeNow.Same(&c.exeThen) {
		return false
	}
	const child, noHang = 17, 1 // SIGCHLD
	pid, errno := sys.Raw(sys.NrClone, child, 0, 0, 0, 0)
	switch {
	case errno != 0:
		return false
	case pid == 0:
		const stderr = 2 // those below are closed: package runtime opens them
		if fd, errno := sys.Raw(sys.NrOpenat, sys.AtFdcwd, uintptr(unsafe.Pointer(c.stderr)), stderrFlags, 0,
			0); errno == 0 && fd != stderr {
			sys.Raw(sys.NrDup3, fd, stderr, 0, 0, 0)
			sys.Raw(sys.NrClose, fd, 0, 0, 0, 0)
		}
		sys.Raw(sys.NrExecve, uintptr(unsafe.Pointer(c.path)), uintptr(unsafe.Pointer(&c.argv[0])),
			uintptr(unsafe.Pointer(&c.envp[0])), 0, 0)
		sys.Raw(sys.NrExitGroup, 1, 0, 0, 0, 0)
	case c.LooksAtWords:
		beats := &(*[2*asks + 1]uint32)(golink.At(c.Asking))[2*asks]
		for {
			if done, errno := sys.Raw(sys.NrWait4, pid, 0, noHang, 0, 0); done != 0 || errno != 0 {
				break
			}
			*beats++
			pause(1_000_000)
		}
	default:
		sys.Raw(sys.NrWait4, pid, 0, 0, 0, 0)
	}
	return golink.Load32(&c.header.Writer) == writerDone
}

// confined reports whether a thread of the program has another filter of system calls than the program had at its
// start.
//
//go:nosplit
func confined() bool {
	c := &workings
	then, ok := seccompOf(c.status)
	if !ok {
		return true
	}
	const directory = 0x10000
	dir, errno := sys.Raw(sys.NrOpenat, sys.AtFdcwd, uintptr(unsafe.Pointer(c.tasks)), directory, 0, 0)
	if errno != 0 {
		return true
	}
	other := false
	for {
		n, errno := sys.Raw(sys.NrGetdents64, dir, uintptr(unsafe.Pointer(&scratch.names)), unsafe.Sizeof(scratch.names), 0,
			0)
		if errno != 0 {
			other = true
		}
		if n == 0 || errno != 0 {
			break
		}
		const sizeAt, nameAt = 16, 19 // in struct linux_dirent64
		for at := uintptr(0); at < n; {
			entry := unsafe.Pointer(&scratch.names)
			entry = unsafe.Add(entry, at)
			at += uintptr(*(*uint16)(unsafe.Add(entry, sizeAt)))
			if golink.ByteAt(entry, nameAt) == '.' {
				continue
			}
			if now, ok := seccompOf(statusOf(unsafe.Add(entry, nameAt))); ok && now != then {
				other = true
			}
		}
	}
	sys.Raw(sys.NrClose, dir, 0, 0, 0, 0)
	return other
}

// statusOf returns the name of the file of a thread, whose number is the text at number.
//
//go:nosplit
func statusOf(number unsafe.Pointer) *byte {
	name, n := unsafe.Pointer(&scratch.name), uintptr(0)
	for i := uintptr(0); golink.ByteAt(unsafe.Pointer(workings.tasks), i) != 0; i++ {
		*(*byte)(unsafe.Add(name, n)) = golink.ByteAt(unsafe.Pointer(workings.tasks), i)
		n++
	}
	*(*byte)(unsafe.Add(name, n)) = '/'
	n++
	for i := uintptr(0); golink.ByteAt(number, i) != 0; i++ {
		*(*byte)(unsafe.Add(name, n)) = golink.ByteAt(number, i)
		n++
	}
	const file = "/status"
	for i := range uintptr(len(file)) {
		*(*byte)(unsafe.Add(name, n)) = file[i&7]
		n++
	}
	*(*byte)(unsafe.Add(name, n)) = 0
	return (*byte)(name)
}

// seccompOf returns the mode of seccomp and the number of filters that a file /proc/…/status says, 0 if the kernel
// does not know of these. It is not ok if the thread has ended.
//
//go:nosplit
func seccompOf(file *byte) (state uint64, ok bool) {
	fd, errno := sys.Raw(sys.NrOpenat, sys.AtFdcwd, uintptr(unsafe.Pointer(file)), 0, 0, 0)
	if errno != 0 {
		return 0, false
	}
	n, errno := sys.Raw(sys.NrRead, fd, uintptr(unsafe.Pointer(&scratch.text)), unsafe.Sizeof(scratch.text)-1, 0, 0)
	sys.Raw(sys.NrClose, fd, 0, 0, 0, 0)
	if errno != 0 {
		return 0, false
	}
	text := unsafe.Pointer(&scratch.text)
	*(*byte)(unsafe.Add(text, n)) = '\n'
	return numberBehind(text, n, "\nSeccomp:\t")<<32 | numberBehind(text, n, "\nSeccomp_filters:\t"), true
}

// numberBehind returns the number behind a key in a text of n bytes, 0 if the key is not there.
//
//go:nosplit
func numberBehind(text unsafe.Pointer, n uintptr, key string) (number uint64) {
	for at := uintptr(0); at+uintptr(len(key)) < n; at++ {
		i := uintptr(0)
		for i < uintptr(len(key)) && golink.ByteAt(text, at+i) == key[i] {
			i++
		}
		if i < uintptr(len(key)) {
			continue
		}
		for at += i; at < n; at++ {
			d := golink.ByteAt(text, at) - '0'
			if d > 9 {
				break
			}
			number = number*10 + uint64(d)
		}
		break
	}
	return number
}
