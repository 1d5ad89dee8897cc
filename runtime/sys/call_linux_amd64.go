package sys

// This file holds the system calls, by their names in section 2 of the manual.

import "unsafe"

// syscall6 makes a system call.
func syscall6(num, a1, a2, a3, a4, a5, a6 uintptr) (r, errno uintptr)

// Raw makes a system call in a copy of the process, which must call nothing of the Go runtime. What the arguments point
// to must be variables.
//
//go:nosplit
func Raw(num, a1, a2, a3, a4, a5 uintptr) (r, errno uintptr) {
	return syscall6(num, a1, a2, a3, a4, a5, 0)
}

// Call keeps what its arguments point to alive and in place.
//
//go:uintptrescapes
func Call(num, a1, a2, a3, a4, a5, a6 uintptr) (r uintptr, e Errno) {
	r, err := syscall6(num, a1, a2, a3, a4, a5, a6)
	return r, Errno(err)
}

const (
	NrRead           = 0
	NrWrite          = 1
	NrClose          = 3
	NrFstat          = 5
	NrPoll           = 7
	NrLseek          = 8
	NrMmap           = 9
	NrRtSigaction    = 13
	NrRtSigprocmask  = 14
	NrIoctl          = 16
	NrPread          = 17
	NrMadvise        = 28
	NrNanosleep      = 35
	NrGetpid         = 39
	NrClone          = 56
	NrExecve         = 59
	NrWait4          = 61
	NrKill           = 62
	NrFtruncate      = 77
	NrGetcwd         = 79
	NrRename         = 82
	NrUnlink         = 87
	NrReadlink       = 89
	NrGetrusage      = 98
	NrGeteuid        = 107
	NrGetppid        = 110
	NrPrctl          = 157
	NrArchPrctl      = 158
	NrFutex          = 202
	NrGetdents64     = 217
	NrTimerCreate    = 222
	NrTimerSettime   = 223
	NrTimerDelete    = 226
	NrClockGettime   = 228
	NrClockNanosleep = 230
	NrExitGroup      = 231
	NrOpenat         = 257
	NrNewfstatat     = 262
	NrFallocate      = 285
	NrDup3           = 292
	NrPwritev        = 296
	NrPrlimit64      = 302
	NrUserfaultfd    = 323
	NrPidfdOpen      = 434
	NrCloseRange     = 436

	AtFdcwd = ^uintptr(99) // -100

	ORdonly   = 0
	OWronly   = 0x1
	ORdwr     = 0x2
	OCreat    = 0x40
	OExcl     = 0x80
	OAppend   = 0x400
	ONoctty   = 0x100
	ONonblock = 0x800
	ONofollow = 0x20000
	oCloexec  = 0x80000

	AtSymlinkNofollow = 0x100

	rlimitFsize = 1

	SigSetmask = 2

	ProtRead, ProtWrite = 1, 2

	MapShared    = 0x1
	MapPrivate   = 0x2
	MapAnonymous = 0x20
	MapNoreserve = 0x4000

	ENOENT     = 2
	ESRCH      = 3
	eINTR      = 4
	eIO        = 5
	eNXIO      = 6
	EEXIST     = 17
	eINVAL     = 22
	EFBIG      = 27
	EOPNOTSUPP = 95

	clockRealtime       = 0
	ClockProcessCPUTime = 2
	TimerAbstime        = 1
	FutexWakePrivate    = 129
)

func CString(s string) *byte {
	b := make([]byte, len(s)+1)
	copy(b, s)
	return &b[0]
}

// Open opens a file. What it creates, nobody but the user can read.
func Open(name string, flags uintptr) (fd uintptr, e Errno) {
	r, err := Call(NrOpenat, AtFdcwd, uintptr(unsafe.Pointer(CString(name))), flags|oCloexec, 0o600, 0, 0)
	return r, err
}

func Close(fd uintptr) { Call(NrClose, fd, 0, 0, 0, 0, 0) }

func Rename(from, to string) Errno {
	_, err := Call(NrRename, uintptr(unsafe.Pointer(CString(from))), uintptr(unsafe.Pointer(CString(to))), 0, 0, 0, 0)
	return err
}

func Unlink(name string) Errno {
	_, err := Call(NrUnlink, uintptr(unsafe.Pointer(CString(name))), 0, 0, 0, 0, 0)
	return err
}

// Write writes all of b.
func Write(fd uintptr, b []byte) Errno {
	for len(b) > 0 {
		n, err := Call(NrWrite, fd, uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), 0, 0, 0)
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
		n, err := Call(NrPread, fd, uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), uintptr(off), 0, 0)
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

// A Info is the kernel's struct stat.
type Info struct {
	dev, Ino, nlink uint64
	Mode, Uid       uint32
	gid, _          uint32
	_               uint64
	Size            int64
	_               [4]uint64
	mtime           [2]uint64
	_               [5]uint64
}

// Same reports whether it is the same file, and was not written to in the meantime.
//
//go:nosplit
func (info *Info) Same(then *Info) bool {
	return info.dev == then.dev && info.Ino == then.Ino && info.Size == then.Size && info.mtime == then.mtime
}

const (
	TypeMask    = 0o170000 // in a fileInfo's mode
	TypeRegular = 0o100000
	TypeLink    = 0o120000
)

func Fstat(fd uintptr) (info Info, e Errno) {
	_, e = Call(NrFstat, fd, uintptr(unsafe.Pointer(&info)), 0, 0, 0, 0)
	return info, e
}

// Stat looks at a file; flags may be AtSymlinkNofollow.
func Stat(name string, flags uintptr) (info Info, e Errno) {
	_, e = Call(NrNewfstatat, AtFdcwd, uintptr(unsafe.Pointer(CString(name))), uintptr(unsafe.Pointer(&info)), flags, 0, 0)
	return info, e
}

// readProc returns the first 4096 bytes of a file of /proc.
func readProc(name string) (data []byte, e Errno) {
	fd, e := Open(name, ORdonly)
	if e != 0 {
		return nil, e
	}
	defer Close(fd)
	b := make([]byte, 4096)
	n, e := Call(NrRead, fd, uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), 0, 0, 0)
	if e != 0 {
		return nil, e
	}
	return b[:n], 0
}

// FileLimit returns how large a file the process may write. The kernel kills a
// process that goes beyond it.
func FileLimit() uint64 {
	limit := [2]uint64{^uint64(0), ^uint64(0)} // soft and hard
	Call(NrPrlimit64, 0, rlimitFsize, 0, uintptr(unsafe.Pointer(&limit)), 0, 0)
	return limit[0]
}

// Mmap returns memory that is not moved and, but for what was mapped in a wrong
// place, never unmapped.
func Mmap(addr, size, prot, flags, fd, off uintptr) (p unsafe.Pointer, e Errno) {
	r, err := Call(NrMmap, addr, size, prot, flags, fd, off)
	return *(*unsafe.Pointer)(unsafe.Pointer(&r)), err
}

func Readlink(name string) string {
	var b [4096]byte
	n, err := Call(NrReadlink, uintptr(unsafe.Pointer(CString(name))), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), 0,
		0, 0)
	if err != 0 {
		return ""
	}
	return string(b[:n])
}

// Getcwd returns the current directory. There may be none that has a name: it
// has been removed, or is outside of the process's root.
func Getcwd() (dir string, e Errno) {
	var b [4096]byte
	n, e := Call(NrGetcwd, uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), 0, 0, 0, 0)
	if e == 0 && (n < 2 || b[0] != '/') {
		e = ENOENT
	}
	if e != 0 {
		return "", e
	}
	return string(b[:n-1]), 0
}

func Getpid() uint32 {
	r, _ := Call(NrGetpid, 0, 0, 0, 0, 0, 0)
	return uint32(r)
}

func Geteuid() uint32 {
	r, _ := Call(NrGeteuid, 0, 0, 0, 0, 0, 0)
	return uint32(r)
}

// Now returns the time in ns since 1970.
func Now() uint64 {
	var ts [2]uint64
	Call(NrClockGettime, clockRealtime, uintptr(unsafe.Pointer(&ts[0])), 0, 0, 0, 0)
	return ts[0]*1e9 + ts[1]
}

func Exit(code uintptr) { Call(NrExitGroup, code, 0, 0, 0, 0, 0) }
