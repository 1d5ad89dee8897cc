package core

// This file holds the system calls, by their names in section 2 of the manual.

import "unsafe"

func syscall6(num, a1, a2, a3, a4, a5, a6 uintptr) (r, errno uintptr)

// sys keeps what its arguments point to alive and in place.
//
//go:uintptrescapes
func sys(num, a1, a2, a3, a4, a5, a6 uintptr) (r uintptr, e errno) {
	r, err := syscall6(num, a1, a2, a3, a4, a5, a6)
	return r, errno(err)
}

func faultEntry()
func tickEntry()
func busEntry()
func tickThread()
func exitEntry()
func deathEntry()
func spawn()
func restorer()

func faultEntryPC() (p uintptr)
func tickEntryPC() (p uintptr)
func busEntryPC() (p uintptr)
func tickThreadPC() (p uintptr)
func exitEntryPC() (p uintptr)
func deathEntryPC() (p uintptr)
func restorerPC() (p uintptr)
func raisePC() (p uintptr)
func textStart() (p uintptr)
func textEnd() (p uintptr)
func typesStart() (p uintptr)
func typesEnd() (p uintptr)

const (
	sysRead           = 0
	sysWrite          = 1
	sysClose          = 3
	sysFstat          = 5
	sysLseek          = 8
	sysMmap           = 9
	sysMprotect       = 10
	sysMunmap         = 11
	sysRtSigaction    = 13
	sysPread          = 17
	sysMadvise        = 28
	sysGetpid         = 39
	sysKill           = 62
	sysFtruncate      = 77
	sysGetcwd         = 79
	sysRename         = 82
	sysUnlink         = 87
	sysReadlink       = 89
	sysGeteuid        = 107
	sysPrctl          = 157
	sysFutex          = 202
	sysTimerCreate    = 222
	sysTimerSettime   = 223
	sysTimerDelete    = 226
	sysClockGettime   = 228
	sysClockNanosleep = 230
	sysExitGroup      = 231
	sysOpenat         = 257
	sysNewfstatat     = 262
	sysFallocate      = 285
	sysPrlimit64      = 302

	atFdcwd = ^uintptr(99) // -100

	oRdonly   = 0
	oWronly   = 0x1
	oRdwr     = 0x2
	oCreat    = 0x40
	oExcl     = 0x80
	oAppend   = 0x400
	oNonblock = 0x800
	oNofollow = 0x20000
	oCloexec  = 0x80000

	atSymlinkNofollow = 0x100

	rlimitFsize = 1

	prGetSeccomp = 21

	protNone, protRead, protWrite = 0, 1, 2

	mapShared         = 0x1
	mapPrivate        = 0x2
	mapAnonymous      = 0x20
	mapNoreserve      = 0x4000
	mapFixedNoreplace = 0x100000

	madvNohugepage = 15

	eNOENT     = 2
	eSRCH      = 3
	eINTR      = 4
	eIO        = 5
	eNXIO      = 6
	eEXIST     = 17
	eINVAL     = 22
	eFBIG      = 27
	eOPNOTSUPP = 95

	clockRealtime       = 0
	clockProcessCPUTime = 2
	timerAbstime        = 1
	futexWakePrivate    = 129
)

func cstring(s string) *byte {
	b := make([]byte, len(s)+1)
	copy(b, s)
	return &b[0]
}

// open opens a file. What it creates, nobody but the user can read.
func open(name string, flags uintptr) (fd uintptr, e errno) {
	r, err := sys(sysOpenat, atFdcwd, uintptr(unsafe.Pointer(cstring(name))), flags|oCloexec, 0o600, 0, 0)
	return r, err
}

func closeFd(fd uintptr) { sys(sysClose, fd, 0, 0, 0, 0, 0) }

func rename(from, to string) errno {
	_, err := sys(sysRename, uintptr(unsafe.Pointer(cstring(from))), uintptr(unsafe.Pointer(cstring(to))), 0, 0, 0, 0)
	return err
}

func unlink(name string) errno {
	_, err := sys(sysUnlink, uintptr(unsafe.Pointer(cstring(name))), 0, 0, 0, 0, 0)
	return err
}

// write writes all of b.
func write(fd uintptr, b []byte) errno {
	for len(b) > 0 {
		n, err := sys(sysWrite, fd, uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), 0, 0, 0)
		switch {
		case err == eINTR:
		case err != 0:
			return err
		default:
			b = b[n:]
		}
	}
	return 0
}

// pread fills b from offset off. It reports false after an error, and if the file
// ends before b is full.
func pread(fd uintptr, b []byte, off int64) bool {
	for len(b) > 0 {
		n, err := sys(sysPread, fd, uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), uintptr(off), 0, 0)
		switch {
		case err == eINTR:
		case err != 0 || n == 0:
			return false
		default:
			b, off = b[n:], off+int64(n)
		}
	}
	return true
}

// A fileInfo is the kernel's struct stat.
type fileInfo struct {
	dev, ino, nlink uint64
	mode, uid       uint32
	gid, _          uint32
	_               uint64
	size            int64
	_               [4]uint64
	mtime           [2]uint64
	_               [5]uint64
}

const (
	typeMask    = 0o170000 // in a fileInfo's mode
	typeRegular = 0o100000
	typeLink    = 0o120000
)

func fstat(fd uintptr) (info fileInfo, e errno) {
	_, e = sys(sysFstat, fd, uintptr(unsafe.Pointer(&info)), 0, 0, 0, 0)
	return info, e
}

// stat looks at a file; flags may be atSymlinkNofollow.
func stat(name string, flags uintptr) (info fileInfo, e errno) {
	_, e = sys(sysNewfstatat, atFdcwd, uintptr(unsafe.Pointer(cstring(name))), uintptr(unsafe.Pointer(&info)), flags, 0, 0)
	return info, e
}

// readProc returns the first 4096 bytes of a file of /proc.
func readProc(name string) (data []byte, e errno) {
	fd, e := open(name, oRdonly)
	if e != 0 {
		return nil, e
	}
	defer closeFd(fd)
	b := make([]byte, 4096)
	n, e := sys(sysRead, fd, uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), 0, 0, 0)
	if e != 0 {
		return nil, e
	}
	return b[:n], 0
}

// fileLimit returns how large a file the process may write. The kernel kills a
// process that goes beyond it.
func fileLimit() uint64 {
	limit := [2]uint64{^uint64(0), ^uint64(0)} // soft and hard
	sys(sysPrlimit64, 0, rlimitFsize, 0, uintptr(unsafe.Pointer(&limit)), 0, 0)
	return limit[0]
}

// mmap returns memory that is not moved and, but for what was mapped in a wrong
// place, never unmapped.
func mmap(addr, size, prot, flags, fd, off uintptr) (p unsafe.Pointer, e errno) {
	r, err := sys(sysMmap, addr, size, prot, flags, fd, off)
	return *(*unsafe.Pointer)(unsafe.Pointer(&r)), err
}

func readlink(name string) string {
	var b [4096]byte
	n, err := sys(sysReadlink, uintptr(unsafe.Pointer(cstring(name))), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), 0, 0, 0)
	if err != 0 {
		return ""
	}
	return string(b[:n])
}

// getcwd returns the current directory. There may be none that has a name: it
// has been removed, or is outside of the process's root.
func getcwd() (dir string, e errno) {
	var b [4096]byte
	n, e := sys(sysGetcwd, uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), 0, 0, 0, 0)
	if e == 0 && (n < 2 || b[0] != '/') {
		e = eNOENT
	}
	if e != 0 {
		return "", e
	}
	return string(b[:n-1]), 0
}

func getpid() uint32 {
	r, _ := sys(sysGetpid, 0, 0, 0, 0, 0, 0)
	return uint32(r)
}

func geteuid() uint32 {
	r, _ := sys(sysGeteuid, 0, 0, 0, 0, 0, 0)
	return uint32(r)
}

// cpuTime returns how long all threads of the process together have run, in ns.
// It is assembly because taps call it, anywhere: what the kernel writes to is in
// its stack frame, which is neither allocated nor moved.
func cpuTime() uint64

// now returns the time in ns since 1970.
func now() uint64 {
	var ts [2]uint64
	sys(sysClockGettime, clockRealtime, uintptr(unsafe.Pointer(&ts[0])), 0, 0, 0, 0)
	return ts[0]*1e9 + ts[1]
}

func exit(code uintptr) { sys(sysExitGroup, code, 0, 0, 0, 0, 0) }

// A sigaction is the kernel's struct sigaction.
type sigaction struct {
	handler  uintptr
	flags    uint64
	restorer uintptr
	mask     uint64
}

const (
	saSiginfo  = 0x4
	saOnstack  = 0x08000000
	saNodefer  = 0x40000000
	saRestorer = 0x04000000
	saRestart  = 0x10000000
)

// actionOf is to have a signal handled by entry, with all signals blocked but
// SIGBUS, which memory of ours may raise anywhere (busEntry).
func actionOf(entry uintptr) sigaction {
	return sigaction{
		handler:  entry,
		flags:    saSiginfo | saOnstack | saRestorer | saRestart,
		restorer: restorerPC(),
		mask:     ^uint64(1 << (sigBUS - 1)),
	}
}

// handle makes entry the handler of sig, and returns the handler that was.
func handle(sig, entry uintptr) (old uintptr) {
	sa := actionOf(entry)
	if sig == sigBUS {
		sa.flags |= saNodefer
	}
	var was sigaction
	sys(sysRtSigaction, sig, uintptr(unsafe.Pointer(&sa)), uintptr(unsafe.Pointer(&was)), 8, 0, 0)
	return was.handler
}

// handler returns the handler of sig; 0 and 1 stand for default and ignored.
func handler(sig uintptr) uintptr {
	var was sigaction
	sys(sysRtSigaction, sig, 0, uintptr(unsafe.Pointer(&was)), 8, 0, 0)
	return was.handler
}
