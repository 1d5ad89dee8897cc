// Package ptrace stops threads of other processes, reads their registers and memory, and
// has the processor execute their instructions one by one.
//
// Example: a busy thread is stopped, and makes ten steps.
//
//	th, err := ptrace.Seize(pid)
//	if err := th.Interrupt(); err == nil {
//		for range 10 {
//			err = th.Step()
//		}
//		fmt.Printf("%#x\n", th.Regs.Rip)
//		th.Detach()
//	}
//
// The kernel accepts requests of the tracing thread only, so the caller calls
// runtime.LockOSThread first. It also detaches when the tracing thread ends.
package ptrace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A Thread is a traced thread. Regs are its registers while it is stopped.
type Thread struct {
	TID  int
	Regs syscall.PtraceRegs

	pid     int // of its process; 0 if it is not known
	mem     *os.File
	pending []syscall.Signal // arrived while it was stepped, delivered by Continue
}

// ErrFault says that the instruction faulted, and was not executed.
var ErrFault = errors.New("the instruction faults")

// ErrExited says that the thread has ended.
var ErrExited = errors.New("the traced thread has ended")

// Start starts a program, stopped in front of its first instruction. Its memory may be
// written.
func Start(name string, args ...string) (*Thread, *exec.Cmd, error) {
	cmd := exec.Command(name, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	th := &Thread{TID: cmd.Process.Pid}
	if _, err := th.waitStatus(); err != nil {
		return nil, nil, err
	}
	if err := syscall.PtraceGetRegs(th.TID, &th.Regs); err != nil {
		return nil, nil, err
	}
	mem, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", th.TID), os.O_RDWR, 0)
	th.mem = mem
	return th, cmd, err
}

// Seize begins to trace a running thread. The thread goes on running.
func Seize(tid int) (*Thread, error) {
	pid := field(tid, "Tgid") // before the thread can execute a program, and lose its ID
	// With this option most threads stop when they end.
	if _, _, errno := syscall.Syscall6(syscall.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(tid), 0, unix.PTRACE_O_TRACEEXIT, 0,
		0); errno != 0 {
		return nil, fmt.Errorf("ptrace of thread %d: %w", tid, errno)
	}
	th := &Thread{TID: tid, pid: pid}
	var err error
	if th.mem, err = os.Open(fmt.Sprintf("/proc/%d/mem", tid)); err != nil {
		unix.PtraceInterrupt(tid)
		return nil, errors.Join(err, th.reap())
	}
	return th, nil
}

// Interrupt stops the thread and reads its registers.
func (th *Thread) Interrupt() error {
	if err := unix.PtraceInterrupt(th.TID); err != nil {
		return err
	}
	for {
		ws, err := th.waitStatus()
		if err != nil {
			return err
		}
		if uint32(ws)>>16 == unix.PTRACE_EVENT_STOP {
			return syscall.PtraceGetRegs(th.TID, &th.Regs)
		}
		// The thread stopped for a signal first. It gets the signal and then stops again.
		if err := syscall.PtraceCont(th.TID, int(ws.StopSignal())); err != nil {
			return err
		}
	}
}

// InSyscall reports whether the thread was interrupted in a system call.
func (th *Thread) InSyscall() bool { return int64(th.Regs.Orig_rax) >= 0 }

// Step executes one instruction and reads the registers. Signals that arrive meanwhile
// wait until Continue.
func (th *Thread) Step() error {
	for {
		sig, err := th.step()
		if err != nil {
			return err
		}
		if sig == syscall.SIGTRAP {
			return syscall.PtraceGetRegs(th.TID, &th.Regs)
		}
		th.pending = append(th.pending, sig)
		switch sig {
		case syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGILL, syscall.SIGFPE:
			return ErrFault // the same instruction would fault for ever
		}
	}
}

// step executes one instruction, or meets a signal that is not SIGTRAP.
func (th *Thread) step() (syscall.Signal, error) {
	for {
		if _, _, errno := syscall.Syscall6(syscall.SYS_PTRACE, unix.PTRACE_SINGLESTEP, uintptr(th.TID), 0, 0, 0,
			0); errno != 0 {
			return 0, errno
		}
		ws, err := th.waitStatus()
		if err != nil {
			return 0, err
		}
		// The kernel reports events, such as the end of an interrupt, as stops. They are
		// no steps.
		if uint32(ws)>>16 == 0 {
			return ws.StopSignal(), nil
		}
	}
}

// SetRegs writes Regs to the thread.
func (th *Thread) SetRegs() error { return syscall.PtraceSetRegs(th.TID, &th.Regs) }

// Continue lets the thread run, with the first signal that Step has met.
func (th *Thread) Continue() error { return syscall.PtraceCont(th.TID, th.signal()) }

// signal removes the first signal that a step has met, and returns it or 0.
func (th *Thread) signal() (sig int) {
	if len(th.pending) > 0 {
		sig = int(th.pending[0])
		th.pending = th.pending[1:]
	}
	return sig
}

// Detach ends the tracing of the thread. The thread runs on, with the first signal that
// a step has met. Of a thread that has ended, Detach frees what the kernel keeps for the tracer.
func (th *Thread) Detach() error {
	err := th.mem.Close()
	_, _, errno := syscall.Syscall6(syscall.SYS_PTRACE, syscall.PTRACE_DETACH, uintptr(th.TID), 0, uintptr(th.signal()), 0,
		0)
	if errno == syscall.ESRCH {
		return errors.Join(err, th.reap())
	}
	if errno != 0 {
		err = errors.Join(err, fmt.Errorf("detaching from thread %d: %w", th.TID, errno))
	}
	return err
}

// reap ends the tracing of a thread that is not stopped although it was. There are two ways
// to get there. The thread was killed: the kernel keeps the thread, and with it its process,
// until the tracer has waited for its end, before which the thread may stop once more. Or the
// thread executed a program: it has become the first thread of its process, with the ID of the
// process as its own, and is still traced, but waiting for the old ID is an error.
func (th *Thread) reap() error {
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); {
		var ws syscall.WaitStatus
		tid, err := syscall.Wait4(th.TID, &ws, syscall.WALL|syscall.WNOHANG, nil)
		switch {
		case err == syscall.EINTR:
		case (err == syscall.ECHILD || err == nil && tid == 0 && field(th.TID, "TracerPid") == 0) && th.TID != th.pid &&
			th.pid != 0:
			th.TID = th.pid
			unix.PtraceInterrupt(th.TID) // an error says that the tracer does not trace it
		case err != nil, tid != 0 && !ws.Stopped(): // somebody has reaped it, or this call has
			return nil
		case tid != 0:
			sig := 0
			if uint32(ws)>>16 == 0 {
				sig = int(ws.StopSignal()) // it is about to get this signal
			}
			syscall.Syscall6(syscall.SYS_PTRACE, syscall.PTRACE_DETACH, uintptr(th.TID), 0, uintptr(sig), 0, 0)
		case field(th.TID, "TracerPid") == 0: // the process is a child of this one, and runs
			return nil
		default:
			time.Sleep(100 * time.Microsecond)
		}
	}
	return fmt.Errorf("thread %d is neither stopped nor at its end after 5 s", th.TID)
}

// field returns a number in the status of a thread, 0 if the thread has ended.
func field(tid int, name string) (n int) {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", tid))
	_, after, _ := strings.Cut(string(data), "\n"+name+":")
	fmt.Sscan(after, &n)
	return n
}

// Read reads memory of the thread, and Write writes it.
func (th *Thread) Read(addr uint64, buf []byte) error {
	_, err := th.mem.ReadAt(buf, int64(addr))
	return err
}

func (th *Thread) Write(addr uint64, buf []byte) error {
	_, err := th.mem.WriteAt(buf, int64(addr))
	return err
}

// ReadCode implements ops.Code.
func (th *Thread) ReadCode(pc uint64, buf []byte) int {
	n, _ := th.mem.ReadAt(buf, int64(pc))
	return n
}

// Load reads a number of width bytes, 1, 2, 4 or 8. It returns false if they cannot be read.
func (th *Thread) Load(addr uint64, width uint8) (v uint64, ok bool) {
	var buf [8]byte
	if n, _ := th.mem.ReadAt(buf[:width], int64(addr)); n < int(width) {
		return 0, false
	}
	for i := range width {
		v |= uint64(buf[i]) << (8 * i)
	}
	return v, true
}

// Vectors returns the lower 64 bits of the vector registers X0 to X15, and the register MXCSR.
func (th *Thread) Vectors() (low [16]uint64, control uint32, err error) {
	// The area of FXSAVE has MXCSR in byte 24, and 16 bytes of each register from byte 160 on.
	var area [512]byte
	if _, _, errno := syscall.Syscall6(syscall.SYS_PTRACE, syscall.PTRACE_GETFPREGS, uintptr(th.TID), 0,
		uintptr(unsafe.Pointer(&area)), 0, 0); errno != 0 {
		return low, 0, fmt.Errorf("vector registers of thread %d: %w", th.TID, errno)
	}
	for i := range low {
		low[i] = binary.LittleEndian.Uint64(area[160+16*i:])
	}
	return low, binary.LittleEndian.Uint32(area[24:]), nil
}

// General returns the general registers in the numbering of the processor.
func (th *Thread) General() [16]uint64 {
	r := &th.Regs
	return [16]uint64{r.Rax, r.Rcx, r.Rdx, r.Rbx, r.Rsp, r.Rbp, r.Rsi, r.Rdi, r.R8, r.R9, r.R10, r.R11, r.R12, r.R13,
		r.R14, r.R15}
}

// SetGeneral changes Regs. SetRegs makes the change effective.
func (th *Thread) SetGeneral(g [16]uint64) {
	r := &th.Regs
	for i, p := range []*uint64{&r.Rax, &r.Rcx, &r.Rdx, &r.Rbx, &r.Rsp, &r.Rbp, &r.Rsi, &r.Rdi, &r.R8, &r.R9, &r.R10,
		&r.R11, &r.R12, &r.R13, &r.R14, &r.R15} {
		*p = g[i]
	}
}

// waitStatus waits until the thread stops. A wait that blocks could block for ever: the first
// thread of a process that another thread ends becomes a zombie, and is reported as dead
// only when all others have been waited for.
func (th *Thread) waitStatus() (ws syscall.WaitStatus, err error) {
	for begin := time.Now(); ; {
		var tid int
		tid, err = syscall.Wait4(th.TID, &ws, syscall.WALL|syscall.WNOHANG, nil)
		if err == syscall.EINTR {
			continue
		}
		if err == syscall.ECHILD {
			return ws, ErrExited // or it has executed a program: Detach looks
		}
		if err != nil || tid != 0 {
			break
		}
		if time.Since(begin) < time.Millisecond {
			syscall.Syscall(syscall.SYS_SCHED_YIELD, 0, 0, 0)
			continue
		}
		if th.zombie() {
			return ws, ErrExited
		}
		time.Sleep(100 * time.Microsecond)
	}
	if err == nil && (!ws.Stopped() || uint32(ws)>>16 == unix.PTRACE_EVENT_EXIT) {
		err = ErrExited
	}
	return ws, err
}

// zombie reports whether the thread has ended.
func (th *Thread) zombie() bool {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", th.TID))
	_, state, _ := strings.Cut(string(data), ") ")
	return err != nil || strings.HasPrefix(state, "Z") || strings.HasPrefix(state, "X")
}
