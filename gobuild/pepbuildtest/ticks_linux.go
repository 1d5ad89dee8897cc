package pepbuildtest

// This file sends programs ticks from outside, as the timer in the program sends them, but more often. The kernel looks
// at timers of CPU time when its scheduler ticks, every 4 ms or so.

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
	tickSignal   = 33
	sentByTimer  = -2  // SI_TIMER
	sysQueueInfo = 297 // rt_tgsigqueueinfo of linux/amd64
)

// SendTicks sends ticks to threads of a process that run, one after the other, from when the process handles them until
// it has ended, or stop is called. The process executes the file exe, which pepbuild has built for linux/amd64, with
// symbols, and not as position-independent code.
func SendTicks(exe string, pid int) (stop func(), err error) {
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
			end, ended := make(chan bool), make(chan bool)
			go func() {
				sendTicks(s.Value, pid, end)
				close(ended)
			}()
			return func() {
				close(end)
				<-ended
			}, nil
		}
	}
	return nil, fmt.Errorf("%s has no timer for ticks: pepbuild has not built it", exe)
}

func sendTicks(timer uint64, pid int, end <-chan bool) {
	dir := fmt.Sprintf("/proc/%d/task", pid)
	pace := time.NewTicker(betweenTicks)
	defer pace.Stop()
	for handled := false; ; {
		select {
		case <-end:
			return
		case <-pace.C:
		}
		if handled = handled || handlesTicks(pid); !handled {
			continue
		}
		threads, err := os.ReadDir(dir)
		if err != nil || len(threads) == 0 {
			return
		}
		for _, i := range rand.Perm(len(threads)) {
			name := threads[i].Name()
			stat, _ := os.ReadFile(filepath.Join(dir, name, "stat"))
			_, rest, _ := strings.Cut(string(stat), ") ")
			if tid, err := strconv.Atoi(name); err == nil && strings.HasPrefix(rest, "R") {
				sendTick(timer, pid, tid)
				break
			}
		}
	}
}

// handlesTicks reports whether a process has a handler for ticks.
func handlesTicks(pid int) bool {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(status), "SigCgt:")
	mask, err := strconv.ParseUint(strings.TrimSpace(rest[:min(len(rest), 17)]), 16, 64)
	return err == nil && mask>>(tickSignal-1)&1 != 0
}

// sendTick sends a tick to a thread. That fails if the thread has ended.
func sendTick(timer uint64, pid, tid int) {
	info := struct {
		signo, errno, code, _ int32
		timer, overrun        int32
		value                 uint64
		_                     [96]byte
	}{signo: tickSignal, code: sentByTimer, value: timer}
	syscall.RawSyscall6(sysQueueInfo, uintptr(pid), uintptr(tid), tickSignal, uintptr(unsafe.Pointer(&info)), 0, 0)
}
