// Package backend chooses among the ways to capture values of live programs by name:
//
//	ebpf       package sampler: a BPF program interprets at interrupts of each CPU
//	ticks      the same at the ticks of the kernel's own clock, which interrupts anyway
//	interpret  package stepper: a thread is stopped by ptrace, and interpreted in Go
//
// For example
//
//	o := sampler.Options{PIDs: []int{4711}, Skip: 15}
//	err := backend.Check("interpret", "operands", &o) // o.Length is 4 now
//	source, err := backend.Attach("interpret", o)
//
// None takes the place of another one by itself: their costs differ too much.
package backend

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pepgo/pep/tracer/internal/interp/ops"
	"github.com/pepgo/pep/tracer/internal/samplers/sampler"
	"github.com/pepgo/pep/tracer/internal/samplers/stepper"
	"github.com/pepgo/pep/tracer/internal/values/capture"
	"github.com/pepgo/pep/tracer/internal/values/modules"
	"github.com/pepgo/pep/tracer/internal/values/report"
)

// A Source is a live source of any kind.
type Source interface {
	capture.Source
	Sampling() (report.Sampling, Cost, error) // ends the sampling, and says what it has done
	Close() error
}

// A Cost is what a program in the kernel took. Called and Time are zero unless the kernel measures BPF
// programs, which sysctl kernel.bpf_stats_enabled says.
type Cost struct {
	Steps  uint64        // instructions interpreted
	Called uint64        // how often the program was called, also for interrupts of other processes
	Time   time.Duration // how long it ran
}

// Check fills in defaults for a back end and a list of modules, and refuses options that the
// back end does not have. Vreplay has the paper's long runs, and few of them (section 3.4 of
// "Efficient and Flexible Value Sampling").
func Check(name, list string, o *sampler.Options) error {
	length, every := 4, 1
	if name == "ticks" { // there are 250 a second, mostly: as many values as by default
		length = 16
	}
	if strings.Contains(list, "vreplay") {
		length, every = modules.VreplayLength, modules.VreplayEvery
	}
	if o.Length == 0 {
		o.Length = length
	}
	switch {
	case name == "ticks" && (o.Interval != 0 || o.Threads):
		return errors.New("-hz and -threads are not for -with ticks: the kernel ticks on each CPU, as often as it was built for")
	case name == "ticks" || name == "ebpf":
		o.Ticks = name == "ticks"
		if o.Every == 0 {
			o.Every = every
		}
	case name != "interpret":
		return fmt.Errorf("-with %s: choose of ebpf, ticks, interpret", name)
	case o.All || o.Threads || o.Every != 0:
		return fmt.Errorf("-a, -threads and -every are not for -with %s, which stops the threads of single processes", name)
	}
	if o.Interval != 0 {
		return nil
	}
	o.Interval = time.Second / 997
	if !o.Ticks {
		return nil
	}
	var err error
	o.Interval, err = sampler.TickInterval()
	return err
}

// Attach begins to sample. Check has accepted the options.
func Attach(name string, o sampler.Options) (Source, error) {
	if name != "interpret" {
		s, err := sampler.Attach(o)
		if err != nil {
			return nil, err
		}
		return interrupting{s}, nil
	}
	s, err := stepper.Attach(stepper.Options{PIDs: o.PIDs, Interval: o.Interval, Jitter: o.Jitter, Length: o.Length,
		Skip: o.Skip, Modules: o.Modules})
	if err != nil {
		return nil, err
	}
	return stopping{s}, nil
}

// An interrupting source is the one with a BPF program.
type interrupting struct{ *sampler.Sampler }

func (s interrupting) Sampling() (n report.Sampling, c Cost, err error) {
	if err := s.Stop(); err != nil {
		return n, c, err
	}
	st, err := s.Stats()
	if err != nil {
		return n, c, err
	}
	n = report.Sampling{Interrupts: st.Interrupts, Kernel: st.Kernel, Passed: st.Passed, Missed: st.Missed + st.Stale,
		Runs: st.Runs, Dropped: st.Dropped, Unlabelled: st.Unlabelled}
	for _, reason := range slices.Sorted(maps.Keys(st.Stops)) {
		if reason != ops.Done {
			n.Stops = append(n.Stops, report.Stop{Reason: reason.String(), Runs: st.Stops[reason]})
		}
	}
	return n, Cost{Steps: st.Steps, Called: st.Called, Time: st.Time}, nil
}

// A stopping source is one that stops threads. Its interrupts are stops.
type stopping struct{ *stepper.Sampler }

func (s stopping) Sampling() (n report.Sampling, c Cost, err error) {
	if err := s.Close(); err != nil {
		return n, c, err
	}
	st := s.Stats()
	n = report.Sampling{Interrupts: st.Stops, Kernel: st.Kernel, Ended: st.Ended, Refused: st.Refused, Runs: st.Runs}
	if st.Early > 0 {
		n.Stops = []report.Stop{{Reason: "early", Runs: st.Early}}
	}
	return n, c, nil
}
