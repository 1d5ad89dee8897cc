// Package backend chooses among the ways to capture values of live programs by name:
//
//	ebpf       package sampler: a BPF program interprets at each tick of a CPU's clock
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
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pepgo/pep/internal/tracer/capture"
	"github.com/pepgo/pep/internal/tracer/micro"
	"github.com/pepgo/pep/internal/tracer/modules"
	"github.com/pepgo/pep/internal/tracer/report"
	"github.com/pepgo/pep/internal/tracer/sampler"
	"github.com/pepgo/pep/internal/tracer/stepper"
)

// A Source is a live source of any kind.
type Source interface {
	capture.Source
	Sampling() (report.Sampling, error) // ends the sampling, and says what it has done
	Close() error
}

// Check fills in defaults for a back end and a list of modules, and refuses options that the
// back end does not have. Vreplay has the paper's long runs, and few of them (section 3.4 of
// "Efficient and Flexible Value Sampling").
func Check(name, list string, o *sampler.Options) error {
	length, every := 4, 1
	if strings.Contains(list, "vreplay") {
		length, every = modules.VreplayLength, modules.VreplayEvery
	}
	if o.Length == 0 {
		o.Length = length
	}
	switch {
	case name == "ebpf":
		if o.Every == 0 {
			o.Every = every
		}
	case name != "interpret":
		return fmt.Errorf("-with %s: choose of ebpf, interpret", name)
	case o.All || o.Threads || o.Every != 0:
		return fmt.Errorf("-a, -threads and -every are for -with ebpf: -with %s stops the threads of single processes", name)
	}
	return nil
}

// Attach begins to sample. Check has accepted the options.
func Attach(name string, o sampler.Options) (Source, error) {
	if name == "ebpf" {
		s, err := sampler.Attach(o)
		if err != nil {
			return nil, err
		}
		return interrupting{s}, nil
	}
	s, err := stepper.Attach(stepper.Options{PIDs: o.PIDs, Interval: o.Interval, Jitter: o.Jitter, Length: o.Length, Skip: o.Skip, Modules: o.Modules})
	if err != nil {
		return nil, err
	}
	return stopping{s}, nil
}

// An interrupting source is the one with a BPF program.
type interrupting struct{ *sampler.Sampler }

func (s interrupting) Sampling() (n report.Sampling, err error) {
	if err := s.Stop(); err != nil {
		return n, err
	}
	st, err := s.Stats()
	if err != nil {
		return n, err
	}
	n = report.Sampling{Interrupts: st.Interrupts, Kernel: st.Kernel, Passed: st.Passed, Missed: st.Missed + st.Stale, Runs: st.Runs, Dropped: st.Dropped, Unlabelled: st.Unlabelled}
	for _, reason := range slices.Sorted(maps.Keys(st.Stops)) {
		if reason != micro.Done {
			n.Stops = append(n.Stops, report.Stop{Reason: reason.String(), Runs: st.Stops[reason]})
		}
	}
	return n, nil
}

// A stopping source is one that stops threads. Its interrupts are stops.
type stopping struct{ *stepper.Sampler }

func (s stopping) Sampling() (n report.Sampling, err error) {
	if err := s.Close(); err != nil {
		return n, err
	}
	st := s.Stats()
	n = report.Sampling{Interrupts: st.Stops, Kernel: st.Kernel, Ended: st.Ended, Refused: st.Refused, Runs: st.Runs}
	if st.Early > 0 {
		n.Stops = []report.Stop{{Reason: "early", Runs: st.Early}}
	}
	return n, nil
}
