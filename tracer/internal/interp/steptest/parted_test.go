package steptest_test

// This file measures how often windows part from what the thread then does.

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/pepgo/pep/machine/interp"
	"github.com/pepgo/pep/tracer/internal/interp/steptest"
	"github.com/pepgo/pep/tracer/internal/proc/ptrace"
)

// windowTime is how long a handler interprets a window. Meanwhile the other threads run.
const windowTime = 100 * time.Microsecond

// A parting is a place in the second half of a window where the thread is stopped.
type parting struct {
	moment
	times int // that the thread comes by there, up to then
}

// TestParted takes windows of programs with several threads. Then the other threads run for as long as a handler takes
// for a window, and after that the thread runs, too, at full speed, up to a breakpoint in the second half of the
// window. It has parted if it does not come by there, or its registers differ. The shares are in lab/results/truth.md.
// A program with one thread parts for signals and other threads of the Go runtime alone.
func TestParted(t *testing.T) {
	most := *windowsFlag
	if testing.Short() {
		most = min(most, 20)
	}
	threads := filepath.Join(t.TempDir(), "threads")
	if out, err := exec.Command("go", "build", "-o", threads, "./testdata/threads").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	bitboard := build(t, "bitboard")
	needBreakpoints(t, bitboard)
	for _, test := range []struct {
		name string
		args []string
		high float64 // more is wrong
	}{
		{"bitboard", []string{bitboard}, .15}, // if one in a hundred parts, seven of 40 do once in five million runs
		{"httpecho", []string{build(t, "httpecho")}, .9},
		{"channel", []string{threads, "channel"}, .9},
		{"mutex", []string{threads, "mutex"}, .9},
	} {
		t.Run(test.name, func(t *testing.T) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			var p parted
			for p.count < most && !t.Failed() {
				p.process(t, test.args, most)
			}
			t.Logf("parted: %s: %d of %d windows, %d of them did not come by; %d others left out", test.name, p.parted, p.count,
				p.missed, p.left)
			if float64(p.parted) > test.high*float64(p.count) {
				t.Errorf("%.0f%% of the windows part at most if nothing is wrong", 100*test.high)
			}
		})
	}
}

// needBreakpoints skips a test if hardware breakpoints do not stop threads, as in some virtual machines: a thread
// executes an instruction, gets its registers back, and runs to where it has just been.
func needBreakpoints(t *testing.T, exe string) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.Command(exe)
	must(t, cmd.Start())
	group := steptest.NewGroup(cmd.Process.Pid)
	defer func() {
		cmd.Process.Kill()
		group.Reap()
		cmd.Wait()
	}()
	for {
		if err := group.Stop(); errors.Is(err, os.ErrPermission) {
			t.Skip("ptrace is not allowed: ", err)
		} else {
			must(t, err)
		}
		if th := group.Busiest(); !th.InSyscall() {
			before := th.Regs
			must(t, steptest.Step(th))
			next := th.Regs.Rip
			th.Regs = before
			must(t, th.SetRegs())
			if came, err := steptest.RunTo(th, next, 1); err != nil || !came {
				t.Skipf("hardware breakpoints do not stop threads on this machine (%v)", err)
			}
			return
		}
		group.Continue()
		time.Sleep(time.Millisecond)
	}
}

type parted struct{ count, parted, missed, left int }

func (p *parted) process(t *testing.T, args []string, most int) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "GODEBUG=asyncpreemptoff=1")
	must(t, cmd.Start())
	group := steptest.NewGroup(cmd.Process.Pid)
	defer func() {
		cmd.Process.Kill()
		group.Reap()
		cmd.Wait()
	}()
	time.Sleep(50 * time.Millisecond)
	for p.count < most && !t.Failed() {
		time.Sleep(time.Duration(rand.IntN(4000)) * time.Microsecond)
		if err := group.Stop(); errors.Is(err, os.ErrPermission) {
			t.Skip("ptrace is not allowed: ", err)
		} else if err != nil {
			return // the process has ended
		}
		if len(group.Threads()) == 0 {
			return // they have ended
		}
		running := slices.DeleteFunc(group.Threads(), (*ptrace.Thread).InSyscall)
		if len(running) == 0 {
			group.Continue()
			continue
		}
		th := running[rand.IntN(len(running))]
		calm(t, th)
		at, ok := partingOf(t, th)
		if !ok {
			p.left++
		}
		monitor := monitorOf(group)
		group.ContinueOthers(th, monitor)
		if ok && !p.window(th, at) || th.Continue() != nil || monitor != th && monitor.Continue() != nil {
			return
		}
	}
}

// monitorOf returns the thread of the Go runtime that asks goroutines to let go of their thread: the one that the
// runtime makes first. It would ask because the thread has been stopped for so long.
func monitorOf(group *steptest.Group) *ptrace.Thread {
	list := group.Threads()
	slices.SortFunc(list, func(a, b *ptrace.Thread) int { return a.TID - b.TID })
	return list[min(1, len(list)-1)]
}

// window lets a thread run up to a place, behind the other threads. It returns false if the process has ended.
func (p *parted) window(th *ptrace.Thread, at parting) bool {
	for start := time.Now(); time.Since(start) < windowTime; {
	}
	came, err := steptest.RunTo(th, at.pc, at.times)
	if err != nil {
		return false
	}
	p.count++
	if !came {
		p.missed++
	}
	if !came || th.General() != at.regs {
		p.parted++
	}
	return true
}

// partingOf interprets a window instruction by instruction, and chooses the place in its second half that it has come
// by least often.
func partingOf(t *testing.T, th *ptrace.Thread) (at parting, ok bool) {
	const least, longest = 300, 200 // steps; times that the thread stops
	code, m, mem := newMachine(th)
	code.Exact = true
	mem.set(t, m)
	var all []moment
	for m.Steps < *lengthFlag && m.Run(1) == interp.Done {
		all = append(all, state(m))
	}
	times := map[uint64]int{th.Regs.Rip: 1}
	for i, x := range all {
		times[x.pc]++
		if n := times[x.pc]; i >= len(all)/2 && (at.times == 0 || n <= at.times) {
			at = parting{x, n}
		}
	}
	if at.pc == th.Regs.Rip {
		at.times-- // it is there already
	}
	return at, len(all) >= least && 0 < at.times && at.times <= longest
}
