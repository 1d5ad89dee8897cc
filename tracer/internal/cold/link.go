//go:build linux && amd64

package cold

// This file makes and closes links of the kernel's.

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A link is a set of probes, as a file descriptor: the kernel takes them away when it is closed.
//
// A process that was killed with SIGKILL can do nothing more to the memory of others. If that happens while it attaches
// or detaches, the kernel can neither go on nor take back what it has done: traps stay in the program, and cost it time
// for ever. So a child with the same file descriptors does it, which goes on.
type link struct{ fd uintptr }

// uprobeMulti is the part of union bpf_attr for links of uprobes.
type uprobeMulti struct {
	program, target, kind, flags   uint32
	path, offsets, counts, cookies uintptr
	n, more, pid, _                uint32
}

// newLink puts a probe on each offset of a file. The pid is that of a process, or 0 for all.
func newLink(program int, path string, offsets, cookies []uint64, pid int) (link, error) {
	const create, kind = 28, 48 // BPF_LINK_CREATE, BPF_TRACE_UPROBE_MULTI
	name, err := syscall.BytePtrFromString(path)
	if err != nil {
		return link{}, err
	}
	a := &uprobeMulti{
		program: uint32(program), kind: kind, path: uintptr(unsafe.Pointer(name)), offsets: uintptr(unsafe.Pointer(&offsets[0])),
		cookies: uintptr(unsafe.Pointer(&cookies[0])), n: uint32(len(offsets)), pid: uint32(pid),
	}
	var pinner runtime.Pinner // or it might be on the stack, which moves
	pinner.Pin(a)
	defer pinner.Unpin()
	fd, err := inChild(unix.SYS_BPF, create, uintptr(unsafe.Pointer(a)), unsafe.Sizeof(*a))
	runtime.KeepAlive(name)
	runtime.KeepAlive(offsets)
	runtime.KeepAlive(cookies)
	return link{fd}, err
}

func (l link) close() error {
	_, err := inChild(unix.SYS_CLOSE, l.fd, 0, 0)
	return err
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

// forkCall makes a child that makes a system call, writes its result and error number to a pipe, and ends. The child has
// one thread of many, so it does nothing else, and no signal handler runs in it.
//
//go:norace
//go:noinline
func forkCall(pipe, trap, a1, a2, a3 uintptr) (pid uintptr, errno syscall.Errno) {
	const setMask = 2
	all, old, answer := ^uint64(0), uint64(0), [2]uintptr{}
	syscall.RawSyscall6(unix.SYS_RT_SIGPROCMASK, setMask, uintptr(unsafe.Pointer(&all)), uintptr(unsafe.Pointer(&old)), 8, 0, 0)
	pid, _, errno = syscall.RawSyscall6(unix.SYS_CLONE, unix.CLONE_FILES|uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if pid == 0 && errno == 0 {
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
