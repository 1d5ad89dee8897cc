package sampler

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
	"unsafe"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"github.com/pepgo/pep/tracer/internal/samplers/period"
)

// events are the clocks that interrupt: one for each CPU, or one for each thread.
type events struct {
	mu    sync.Mutex
	fds   []int
	links []link.Link
}

// open starts the clocks and attaches the program.
func (e *events) open(prog *ebpf.Program, o *Options) error {
	if o.Threads {
		for _, pid := range o.PIDs {
			tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
			if err != nil || len(tasks) == 0 {
				return fmt.Errorf("sampler: there is no process %d", pid)
			}
			for _, task := range tasks {
				tid, _ := strconv.Atoi(filepath.Base(task))
				if err := e.add(prog, o, tid, -1); err != nil && !errors.Is(err, unix.ESRCH) {
					return err
				}
			}
		}
		return nil
	}
	cpus, err := online()
	if err != nil {
		return err
	}
	for _, cpu := range cpus {
		if err := e.add(prog, o, -1, cpu); err != nil && !errors.Is(err, unix.ENODEV) {
			return err
		}
	}
	return nil
}

func (e *events) add(prog *ebpf.Program, o *Options, tid, cpu int) error {
	attr := unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_CPU_CLOCK,
		Sample: uint64(period.Draw(o.Interval, o.Jitter)), Bits: unix.PerfBitDisabled}
	attr.Size = uint32(unsafe.Sizeof(attr))
	if o.Threads {
		attr.Bits |= unix.PerfBitInherit
	}
	fd, err := unix.PerfEventOpen(&attr, tid, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return missing("a clock event (perf_event_open)", "CAP_PERFMON", err)
	}
	e.fds = append(e.fds, fd)
	l, err := link.AttachRawLink(link.RawLinkOptions{Target: fd, Program: prog, Attach: ebpf.AttachPerfEvent})
	if err != nil {
		return missing("attaching to a clock event", "CAP_PERFMON", err)
	}
	e.links = append(e.links, l)
	return unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_ENABLE, 0)
}

// redraw gives each clock a new period. The kernel begins a new interval when the
// period changes, and so loses half an interval on average. So the periods change
// rarely: about every 200 intervals, which loses a quarter of a percent of the samples.
func (e *events) redraw(o *Options) {
	if o.Jitter == 0 {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, fd := range e.fds {
		ns := uint64(period.Draw(o.Interval, o.Jitter))
		unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.PERF_EVENT_IOC_PERIOD, uintptr(unsafe.Pointer(&ns)))
	}
}

func (e *events) close() (err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, l := range e.links {
		err = errors.Join(err, l.Close())
	}
	for _, fd := range e.fds {
		err = errors.Join(err, unix.Close(fd))
	}
	e.links, e.fds = nil, nil
	return err
}

// every returns how often the periods change.
func (o *Options) redrawEvery() time.Duration { return max(200*o.Interval, 50*time.Millisecond) }

// fetchEvery returns how often runs are fetched from a buffer of some bytes, so that it is at most
// an eighth full even if all runs have their whole length. At most 100 ms: users wait for the
// first values.
func (o *Options) fetchEvery(buffer int) time.Duration {
	cpus := runtime.NumCPU()
	if all, err := online(); err == nil {
		cpus = len(all)
	}
	run := headerSize + o.Length*tupleSize
	fills := time.Duration(buffer/run/cpus*o.Every) * o.Interval
	return min(max(fills/8, time.Millisecond), 100*time.Millisecond)
}

// online returns the numbers of the CPUs that are switched on.
func online() (cpus []int, err error) {
	const name = "/sys/devices/system/cpu/online"
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	for part := range strings.SplitSeq(strings.TrimSpace(string(data)), ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		a, err1 := strconv.Atoi(first)
		b, err2 := strconv.Atoi(last)
		if err := errors.Join(err1, err2); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for cpu := a; cpu <= b; cpu++ {
			cpus = append(cpus, cpu)
		}
	}
	return cpus, nil
}

// missing explains an error of the kernel: which capability or feature it asks for.
func missing(what, capability string, err error) error {
	switch {
	case errors.Is(err, os.ErrPermission):
		return fmt.Errorf("sampler: %s: %w: it needs %s (or root); /proc/sys/kernel/perf_event_paranoid and a container can forbid it, too", what, err, capability)
	case errors.Is(err, ebpf.ErrNotSupported):
		return fmt.Errorf("sampler: %s: %w: it needs Linux 5.17 with CONFIG_BPF_EVENTS and BTF", what, err)
	}
	return fmt.Errorf("sampler: %s: %w", what, err)
}
