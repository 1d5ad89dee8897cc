package sampler

import (
	"errors"
	"fmt"
	"time"

	"github.com/pepgo/pep/internal/tracer/micro"
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
	Dropped    uint64 // runs for which the buffer had no room
	Full       uint64 // misses that could not be decoded because Options.Ops instructions are

	Stops map[micro.Stop]uint64 // why runs ended; Done is the end of their length

	// Recursion is how many interrupts the kernel did not pass to the program because
	// another BPF program was running on the CPU.
	Recursion uint64

	// Time is how long the program has run, Called how often. They are 0 unless the statistics
	// of BPF are on (sysctl kernel.bpf_stats_enabled).
	Time   time.Duration
	Called uint64
}

// Stats returns the counters.
func (s *Sampler) Stats() (st Stats, err error) {
	counter := func(i int) (sum uint64) {
		var cpus []uint64
		if e := s.objs.Counters.Lookup(uint32(i), &cpus); e != nil {
			err = errors.Join(err, fmt.Errorf("sampler: counters: %w", e))
		}
		for _, n := range cpus {
			sum += n
		}
		return sum
	}
	for i, p := range []*uint64{&st.Interrupts, &st.Kernel, &st.Passed, &st.Missed, &st.Stale, &st.Steps, &st.Tuples, &st.Dropped} {
		*p = counter(i)
	}
	const stops = 8 // first of the reasons in sampler.c
	st.Stops = map[micro.Stop]uint64{}
	for _, stop := range micro.Stops() {
		if n := counter(stops + int(stop)); n > 0 {
			st.Stops[stop] = n
			st.Runs += n
		}
	}
	s.mu.Lock()
	st.Full = s.full
	s.mu.Unlock()
	if stats, e := s.objs.Sample.Stats(); e == nil {
		st.Recursion, st.Time, st.Called = stats.RecursionMisses, stats.Runtime, stats.RunCount
	}
	return st, err
}
