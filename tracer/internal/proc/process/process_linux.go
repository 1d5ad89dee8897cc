// Package process names a live process so that it is not mistaken for another one.
//
// Process IDs are used again, a process can execute another program, and the file of its
// program can be replaced. A Process is told from all of these:
//
//	p, err := process.Open(4711)
//	defer p.Close()
//	img, err := image.Open(p.Exe())      // the file that runs, even if it was replaced
//	…attach probes to p.PID
//	if err := p.Check(); err != nil {    // it is no longer that process: ErrExited, ErrExec
//		…
//	}
//
// A pidfd tells whether the process still lives, and with it that its ID still means this
// process. Device, inode and time of /proc/PID/exe, and the addresses of the process's
// memory, tell whether it has executed another program.
package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

var (
	// ErrExited says that a process has ended.
	ErrExited = errors.New("the process has ended")
	// ErrExec says that a process executes another program than before.
	ErrExec = errors.New("the process has executed another program")
)

// A Process is a live process as it was when it was opened.
type Process struct {
	PID  int
	Path string // of its program, as the process sees it; ends with " (deleted)" if the file is gone

	pidfd   int
	program program
}

// A program is what tells two executions of one process apart.
type program struct {
	dev, ino uint64
	memory   string // where code, stack and environment begin
}

// Open names a process. Its errors say what the user can do about them.
func Open(pid int) (*Process, error) {
	fd, err := unix.PidfdOpen(pid, 0)
	switch {
	case errors.Is(err, unix.ESRCH):
		return nil, fmt.Errorf("process %d: there is no such process", pid)
	case errors.Is(err, unix.EINVAL):
		return nil, fmt.Errorf("process %d: this is no process ID, or the ID of a thread that is not the first of its process", pid)
	case errors.Is(err, unix.ENOSYS):
		return nil, fmt.Errorf("process %d: pidfd_open: %w: this needs Linux 5.3", pid, err)
	case err != nil:
		return nil, fmt.Errorf("process %d: pidfd_open: %w", pid, err)
	}
	p := &Process{PID: pid, pidfd: fd}
	if p.program, err = p.running(); err == nil {
		p.Path, err = os.Readlink(p.Exe())
	}
	if err != nil {
		err = p.why(err) // asks the pidfd
		unix.Close(fd)
		return nil, err
	}
	return p, nil
}

// Close forgets the process.
func (p *Process) Close() error { return unix.Close(p.pidfd) }

// Exe is a path to the program that the process runs. It works as long as the process
// lives, also if the file was replaced or deleted, or is in a container.
func (p *Process) Exe() string { return p.file("exe") }

func (p *Process) file(name string) string {
	return filepath.Join("/proc", strconv.Itoa(p.PID), name)
}

// Check returns ErrExited or ErrExec, wrapped, if the process is no longer what it was, and
// nil if it is.
func (p *Process) Check() error {
	now, err := p.running()
	// A process that ends gives up its memory first, and with it /proc/PID/exe; its pidfd
	// tells the end when the last thread is gone, which can be seconds later.
	if p.exited() || errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("process %d: %w", p.PID, ErrExited)
	}
	if err != nil {
		return p.why(err)
	}
	if now != p.program {
		return fmt.Errorf("process %d: %w", p.PID, ErrExec)
	}
	return nil
}

// Wait waits until the process has ended, or for the given time. It reports whether the
// process has ended.
func (p *Process) Wait(limit time.Duration) bool {
	fds := []unix.PollFd{{Fd: int32(p.pidfd), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, int(limit.Milliseconds()))
	return err == nil && n > 0
}

func (p *Process) exited() bool { return p.Wait(0) }

// why makes an error of /proc tell its cause.
func (p *Process) why(err error) error {
	switch {
	case p.exited():
		return fmt.Errorf("process %d: %w", p.PID, ErrExited)
	case errors.Is(err, os.ErrPermission):
		return fmt.Errorf("process %d: %w: it belongs to another user, or forbids tracing: run as its user, with the capability CAP_SYS_PTRACE, or as root", p.PID, err)
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("process %d: %w: it runs no program: a kernel thread, or it is about to end", p.PID, err)
	}
	return fmt.Errorf("process %d: %w", p.PID, err)
}

// startLimit bounds how long running waits for the kernel to start a program. The kernel
// takes well below a millisecond for that, unless it waits for a processor or a disk.
const startLimit = 10 * time.Second

// running returns the program that the process runs now. While the kernel starts a program,
// /proc/PID/exe is that program already, but its code has no address yet; running waits
// then. The code has no address either when a process that ends has given up its memory
// between the two reads; then the next read says so.
func (p *Process) running() (program, error) {
	for end := time.Now().Add(startLimit); ; time.Sleep(time.Millisecond) {
		now, err := p.readProgram()
		if err != nil || !strings.HasPrefix(now.memory, "0 ") {
			return now, err
		}
		if time.Now().After(end) {
			return program{}, fmt.Errorf("the kernel has not started its program within %v: try again later", startLimit)
		}
	}
}

func (p *Process) readProgram() (program, error) {
	var st unix.Stat_t
	if err := unix.Stat(p.Exe(), &st); err != nil {
		return program{}, &os.PathError{Op: "stat", Path: p.Exe(), Err: err}
	}
	stat, err := os.ReadFile(p.file("stat"))
	if err != nil {
		return program{}, err
	}
	memory, err := memoryOf(string(stat))
	return program{st.Dev, st.Ino, memory}, err
}

// memoryOf takes the fields startcode and startstack out of a line of /proc/PID/stat: the
// 26th and the 28th. The second field is a name in parentheses, which can have any
// character in it.
func memoryOf(stat string) (string, error) {
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) < 26 {
		return "", fmt.Errorf("/proc/PID/stat has %d fields after the name, want 26 or more", len(fields))
	}
	return fields[23] + " " + fields[25], nil
}
