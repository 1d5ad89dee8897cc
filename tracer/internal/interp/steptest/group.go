package steptest

// This file stops all threads of a process.

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/pepgo/pep/tracer/internal/proc/ptrace"
)

// A Group is all threads of a process. While they are stopped, no other thread changes
// memory that one of them reads.
type Group struct {
	pid     int
	threads map[int]*ptrace.Thread
	seized  bool // at least one thread has been seized
}

// NewGroup returns the threads of a process. Nothing is stopped yet.
func NewGroup(pid int) *Group { return &Group{pid: pid, threads: map[int]*ptrace.Thread{}} }

// Stop stops all threads of the process.
func (g *Group) Stop() error {
	stopped := map[int]bool{}
	for {
		// A thread that was not stopped yet may have started further ones.
		tids, err := g.tasks()
		if err != nil {
			return err
		}
		before := len(stopped)
		for _, tid := range tids {
			if stopped[tid] {
				continue
			}
			stopped[tid] = true
			th := g.threads[tid]
			if th == nil {
				if th, err = ptrace.Seize(tid); err != nil {
					// The kernel also refuses threads that are about to end.
					if errors.Is(err, os.ErrPermission) && !g.seized {
						return err
					}
					continue
				}
				g.threads[tid], g.seized = th, true
			}
			if err := th.Interrupt(); err != nil {
				delete(g.threads, tid)
			}
		}
		if len(stopped) == before {
			return nil
		}
	}
}

// Busiest returns the stopped thread that has run longest, or nil.
func (g *Group) Busiest() (busiest *ptrace.Thread) {
	var most uint64
	for tid, th := range g.threads {
		if ns := executed(tid); ns >= most {
			most, busiest = ns, th
		}
	}
	return busiest
}

// Continue lets all threads run.
func (g *Group) Continue() {
	for tid, th := range g.threads {
		if th.Continue() != nil {
			delete(g.threads, tid)
		}
	}
}

// Reap waits for the end of all threads but the first, after the process was killed. The
// kernel keeps a process until the tracer has done so.
func (g *Group) Reap() {
	tids, _ := g.tasks()
	for _, tid := range tids { // some have stopped at their end
		syscall.PtraceCont(tid, 0)
	}
	for _, tid := range tids {
		for tid != g.pid {
			var ws syscall.WaitStatus
			if _, err := syscall.Wait4(tid, &ws, syscall.WALL, nil); err != nil && err != syscall.EINTR || err == nil &&
				!ws.Stopped() {
				break
			}
			syscall.PtraceCont(tid, 0)
		}
	}
}

func (g *Group) tasks() (tids []int, err error) {
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", g.pid))
	for _, e := range entries {
		if tid, err := strconv.Atoi(e.Name()); err == nil {
			tids = append(tids, tid)
		}
	}
	if len(tids) == 0 && err == nil {
		err = ptrace.ErrExited
	}
	return tids, err
}

// Step executes an instruction of a stopped thread: a repeated string instruction with all its repetitions, of which
// the processor makes one at a time.
func Step(th *ptrace.Thread) error {
	for {
		pc := th.Regs.Rip
		if err := th.Step(); err != nil || th.Regs.Rip != pc {
			return err
		}
		var code [4]byte
		i := 0
		for th.ReadCode(pc, code[:]); i < 2 && code[i]&0xfe != 0xf2; i++ { // there may be a prefix in front
		}
		if i == 2 {
			return nil
		}
	}
}

// Threads returns the stopped threads.
func (g *Group) Threads() (list []*ptrace.Thread) {
	for _, th := range g.threads {
		list = append(list, th)
	}
	return list
}

// ContinueOthers lets all threads run but some.
func (g *Group) ContinueOthers(but ...*ptrace.Thread) {
	for tid, th := range g.threads {
		if !slices.Contains(but, th) && th.Continue() != nil {
			delete(g.threads, tid)
		}
	}
}

// RunTo lets a thread run until it has come to an instruction so many times, and stops it in front of that. It reports
// false, and has stopped the thread anywhere, if the thread has executed for 20 ms, or was found asleep 300 times,
// before it came there.
func RunTo(th *ptrace.Thread, pc uint64, times int) (came bool, err error) {
	if err := setBreakpoint(th.TID, pc, true); err != nil {
		return false, err
	}
	defer setBreakpoint(th.TID, 0, false)
	const longest, often = 20_000_000, 300
	began, asleep, sig := executed(th.TID), 0, 0
	for {
		if err := syscall.PtraceCont(th.TID, sig); err != nil {
			return false, err
		}
		var ws syscall.WaitStatus
		for {
			tid, err := syscall.Wait4(th.TID, &ws, syscall.WALL|syscall.WNOHANG, nil)
			if err != nil && err != syscall.EINTR {
				return false, err
			}
			if tid != 0 && err == nil {
				break
			}
			stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", th.TID))
			if _, state, _ := strings.Cut(string(stat), ") "); strings.HasPrefix(state, "S") {
				asleep++
			}
			if asleep == often || executed(th.TID) > began+longest {
				return false, th.Interrupt()
			}
			time.Sleep(100 * time.Microsecond)
		}
		if !ws.Stopped() {
			return false, ptrace.ErrExited
		}
		sig = 0
		switch {
		case uint32(ws)>>16 != 0: // an event
		case ws.StopSignal() != syscall.SIGTRAP:
			sig = int(ws.StopSignal())
		default:
			if times--; times == 0 {
				return true, syscall.PtraceGetRegs(th.TID, &th.Regs)
			}
		}
	}
}

// executed returns for how many nanoseconds a thread has executed.
func executed(tid int) (ns uint64) {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", tid))
	fmt.Sscan(string(data), &ns)
	return ns
}

// setBreakpoint sets or removes the first hardware breakpoint of a stopped thread: at an instruction.
func setBreakpoint(tid int, pc uint64, on bool) error {
	const pokeUser, debugRegisters, control = 6, 848, 7
	poke := func(register, value uintptr) error {
		if _, _, e := syscall.Syscall6(syscall.SYS_PTRACE, pokeUser, uintptr(tid), debugRegisters+8*register, value, 0,
			0); e != 0 {
			return fmt.Errorf("hardware breakpoint: %w", e)
		}
		return nil
	}
	if !on {
		return poke(control, 0)
	}
	if err := poke(0, uintptr(pc)); err != nil {
		return err
	}
	return poke(control, 1)
}
