package sampler

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/pepgo/pep/tracer/internal/interp/ops"
)

// Stats count what the program in the kernel has done, over all CPUs.
type Stats struct {
	Interrupts uint64 // clock interrupts of sampled processes
	Kernel     uint64 // of these, in the kernel: nothing is interpreted there
	Passed     uint64 // of these, not interpreted because of Options.Every
	Missed     uint64 // of these, at code that was not decoded yet
	Stale      uint64 // of these, at code that has changed since
	Runs       uint64 // of these, interpreted
	Steps      uint64 // instructions interpreted
	Tuples     uint64 // noted in runs
	Dropped    uint64 // runs for which the buffer had no space
	Unlabelled uint64 // runs of goroutines whose labels could not be read
	Full       uint64 // misses that could not be decoded because Options.Ops operations are

	Stops map[ops.Stop]uint64 // why runs ended; Done is the end of their length

	// Recursion is how many interrupts the kernel did not pass to the program because
	// another BPF program was running on the CPU.
	Recursion uint64

	// Time is how long the program has run, Called how often. With Options.Ticks it is called at all
	// timers of the kernel, and Time has another one, too. They are 0 unless the statistics
	// of BPF are on (EnableTimes, or sysctl kernel.bpf_stats_enabled).
	Time   time.Duration
	Called uint64
}

// EnableTimes makes the kernel measure all BPF programs, which takes some of their time, until
// the result is closed.
func EnableTimes() (io.Closer, error) {
	c, err := ebpf.EnableStats(uint32(unix.BPF_STATS_RUN_TIME))
	if err != nil {
		return nil, missing("statistics of BPF programs", "CAP_SYS_ADMIN", err)
	}
	return c, nil
}

// Numbers of counters in sampler.c. The others are in the order of Stats.
const (
	countMissed  = 3
	countStale   = 4
	countDropped = 7
	countUnread  = 8
	countStops   = 9 // first of the reasons to stop
)

// counter returns the sum of a counter over all CPUs.
func (s *Sampler) counter(i int) (sum uint64, err error) {
	var cpus []uint64
	if err := s.objs.Counters.Lookup(uint32(i), &cpus); err != nil {
		return 0, fmt.Errorf("sampler: counters: %w", err)
	}
	for _, n := range cpus {
		sum += n
	}
	return sum, nil
}

// Stats returns the counters.
func (s *Sampler) Stats() (st Stats, err error) {
	count := func(i int) uint64 {
		n, e := s.counter(i)
		err = errors.Join(err, e)
		return n
	}
	for i, p := range []*uint64{&st.Interrupts, &st.Kernel, &st.Passed, &st.Missed, &st.Stale, &st.Steps, &st.Tuples,
		countDropped: &st.Dropped, countUnread: &st.Unlabelled} {
		*p = count(i)
	}
	st.Stops = map[ops.Stop]uint64{}
	for _, stop := range ops.Stops() {
		if n := count(countStops + int(stop)); n > 0 {
			st.Stops[stop] = n
			st.Runs += n
		}
	}
	s.mu.Lock()
	st.Full = s.full
	st.Unlabelled += s.lostLabels
	s.mu.Unlock()
	if stats, e := s.program.Stats(); e == nil {
		st.Recursion, st.Time, st.Called = stats.RecursionMisses, stats.Runtime, stats.RunCount
	}
	if s.before != nil {
		if stats, e := s.before.Stats(); e == nil {
			st.Time += stats.Runtime
		}
	}
	return st, err
}
