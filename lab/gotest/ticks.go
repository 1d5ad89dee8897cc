package gotest

// This file sends ticks from outside, as the timer in the program sends them, but more often. The kernel looks at timers of
// CPU time when its scheduler ticks, so short programs would hardly have any.

import (
	"debug/elf"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

const (
	betweenTicks = 300 * time.Microsecond
	tickSignal   = 62
	sentByTimer  = -2 // SI_TIMER
)

// Ticks are the ticks that a program gets.
type Ticks struct{ timer uint64 }

// TicksOf returns the ticks for an executable, which must not be position-independent.
func TicksOf(exe string) (*Ticks, error) {
	f, err := elf.Open(exe)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		return nil, err
	}
	for _, s := range symbols {
		if s.Name == "0pep/core.timerID" {
			return &Ticks{s.Value}, nil
		}
	}
	return nil, fmt.Errorf("%s has no timer for ticks: pepbuild has not built it", exe)
}

// Send sends ticks to the threads of a process that run, until stop is closed or the process has ended.
func (t *Ticks) Send(pid int, stop <-chan struct{}) {
	dir := fmt.Sprintf("/proc/%d/task", pid)
	pace := time.NewTicker(betweenTicks)
	defer pace.Stop()
	for {
		select {
		case <-stop:
			return
		case <-pace.C:
		}
		threads, err := os.ReadDir(dir)
		if err != nil || len(threads) == 0 {
			return
		}
		name := threads[rand.IntN(len(threads))].Name()
		tid, err := strconv.Atoi(name)
		stat, _ := os.ReadFile(filepath.Join(dir, name, "stat"))
		if _, rest, _ := strings.Cut(string(stat), ") "); err == nil && strings.HasPrefix(rest, "R") {
			t.send(pid, tid)
		}
	}
}

// send sends a tick to a thread. That fails if the thread has ended.
func (t *Ticks) send(pid, tid int) {
	info := struct {
		signo, errno, code, _ int32
		timer, overrun        int32
		value                 uint64
		_                     [96]byte
	}{signo: tickSignal, code: sentByTimer, value: t.timer}
	syscall.RawSyscall6(syscall.SYS_RT_TGSIGQUEUEINFO, uintptr(pid), uintptr(tid), tickSignal, uintptr(unsafe.Pointer(&info)), 0, 0)
}
