package sampler

// This file samples at the kernel's own ticks, which interrupt each CPU that is busy anyway.

import (
	"fmt"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"
)

// TickInterval returns the time between two of the kernel's ticks, which the kernel was built
// with: 4 ms with CONFIG_HZ=250.
func TickInterval() (time.Duration, error) {
	var res unix.Timespec
	// The coarse clocks move at ticks.
	if err := unix.ClockGetres(unix.CLOCK_MONOTONIC_COARSE, &res); err != nil {
		return 0, fmt.Errorf("sampler: the interval of the kernel's ticks: %w", err)
	}
	return time.Duration(res.Nano()), nil
}

// openTicks attaches the programs to the beginnings and the ends of the kernel's timers.
func (e *events) openTicks(programs ...*ebpf.Program) error {
	for _, prog := range programs {
		l, err := link.AttachTracing(link.TracingOptions{Program: prog})
		if err != nil {
			return missing("attaching to the kernel's ticks", "CAP_PERFMON", err)
		}
		e.links = append(e.links, l)
	}
	return nil
}
