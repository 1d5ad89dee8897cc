//go:build linux && amd64

package uprobe

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"syscall"
	"unsafe"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// A Link is a set of probes.
type Link struct {
	fds []uintptr // the kernel takes the probes away when they are closed
}

// Attach puts a probe on each offset of an executable. The program gets the cookie of the probe that was hit. The pid
// is that of a process, or 0 for all processes. Attach leaves out instructions that the kernel refuses to probe, and
// those in whose place the process has other code, and returns their indices; but without a pid neither is known.
func Attach(program *ebpf.Program, path string, offsets, cookies []uint64, pid int) (l *Link, refused []int,
	err error) {
	const errRefused = syscall.Errno(524) // the kernel's ENOTSUPP: there is such an instruction
	if pid != 0 {
		refused = changed(path, offsets, pid)
	}
	var at, with []uint64
	var which []int // the offsets that are left
	for i := range offsets {
		if _, ok := slices.BinarySearch(refused, i); !ok {
			at, with, which = append(at, offsets[i]), append(with, cookies[i]), append(which, i)
		}
	}
	l = &Link{}
	var attach func(from, to int) error
	attach = func(from, to int) error {
		if from == to {
			return nil
		}
		fd, err := create(program.FD(), path, at[from:to], with[from:to], pid)
		switch {
		case err == nil:
			l.fds = append(l.fds, fd)
			return nil
		case !errors.Is(err, errRefused):
			return err
		case to-from == 1:
			refused = append(refused, which[from])
			return nil
		}
		middle := (from + to) / 2
		if err := attach(from, middle); err != nil {
			return err
		}
		return attach(middle, to)
	}
	if err := attach(0, len(at)); err != nil {
		return nil, nil, errors.Join(err, l.Close())
	}
	slices.Sort(refused)
	return l, refused, nil
}

// Close takes the probes away.
func (l *Link) Close() (err error) {
	for _, fd := range l.fds {
		_, e := inChild(unix.SYS_CLOSE, fd, 0, 0)
		err = errors.Join(err, e)
	}
	l.fds = nil
	return err
}

// attributes is the part of union bpf_attr for links of uprobes.
type attributes struct {
	program, target, kind, flags   uint32
	path, offsets, counts, cookies uintptr
	n, more, pid, _                uint32
}

// create makes a link of the kernel's.
func create(program int, path string, offsets, cookies []uint64, pid int) (fd uintptr, err error) {
	const create, kind = 28, 48 // BPF_LINK_CREATE, BPF_TRACE_UPROBE_MULTI
	name, err := syscall.BytePtrFromString(path)
	if err != nil {
		return 0, err
	}
	a := &attributes{
		program: uint32(program), kind: kind, path: uintptr(unsafe.Pointer(name)),
		offsets: uintptr(unsafe.Pointer(&offsets[0])),
		cookies: uintptr(unsafe.Pointer(&cookies[0])), n: uint32(len(offsets)), pid: uint32(pid),
	}
	var pinner runtime.Pinner // what is pinned is not on the stack, which moves
	defer pinner.Unpin()
	pinner.Pin(a)
	pinner.Pin(name)
	pinner.Pin(&offsets[0])
	pinner.Pin(&cookies[0])
	return inChild(unix.SYS_BPF, create, uintptr(unsafe.Pointer(a)), unsafe.Sizeof(*a))
}

// inChild makes a system call in a child with the same file descriptors.
//
//go:norace
func inChild(trap, a1, a2, a3 uintptr) (result uintptr, err error) {
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
		return 0, err
	}
	defer unix.Close(pipe[0])
	defer unix.Close(pipe[1])
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	pid, errno := forkCall(uintptr(pipe[1]), trap, a1, a2, a3)
	if errno != 0 {
		return 0, fmt.Errorf("making a child: %w", errno)
	}
	var answer [2]uintptr
	b := unsafe.Slice((*byte)(unsafe.Pointer(&answer)), unsafe.Sizeof(answer))
	n, err := read(pipe[0], b)
	for {
		var status unix.WaitStatus
		if _, err := unix.Wait4(int(pid), &status, 0, nil); !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil || n != len(b) {
		return 0, fmt.Errorf("a child that attaches or detaches has ended: %d bytes, %v", n, err)
	}
	if answer[1] != 0 {
		return 0, syscall.Errno(answer[1])
	}
	return answer[0], nil
}

func read(fd int, b []byte) (n int, err error) {
	for {
		if n, err = unix.Read(fd, b); !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

// forkCall makes a child that makes a system call, writes its result and error number to a pipe, and ends. The child
// has one thread of many, so it does nothing else, and no signal handler runs in it.
//
//go:norace
//go:noinline
func forkCall(pipe, trap, a1, a2, a3 uintptr) (pid uintptr, errno syscall.Errno) {
	const setMask = 2
	all, old, answer := ^uint64(0), uint64(0), [2]uintptr{}
	syscall.RawSyscall6(unix.SYS_RT_SIGPROCMASK, setMask, uintptr(unsafe.Pointer(&all)), uintptr(unsafe.Pointer(&old)), 8,
		0, 0)
	pid, _, errno = syscall.RawSyscall6(unix.SYS_CLONE, unix.CLONE_FILES|uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if pid == 0 && errno == 0 {
		syscall.RawSyscall(unix.SYS_SETSID, 0, 0, 0) // out of the group, which may be killed
		r, _, e := syscall.RawSyscall(trap, a1, a2, a3)
		answer[0], answer[1] = r, uintptr(e)
		syscall.RawSyscall(unix.SYS_WRITE, pipe, uintptr(unsafe.Pointer(&answer)), unsafe.Sizeof(answer))
		for {
			syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
	}
	syscall.RawSyscall6(unix.SYS_RT_SIGPROCMASK, setMask, uintptr(unsafe.Pointer(&old)), 0, 8, 0, 0)
	return pid, errno
}
