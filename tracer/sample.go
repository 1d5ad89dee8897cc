//go:build linux && amd64

package tracer

// This file samples values of running processes.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/tracer/internal/samplers/backend"
	"github.com/pepgo/pep/tracer/internal/samplers/sampler"
	"github.com/pepgo/pep/tracer/internal/values/capture"
	"github.com/pepgo/pep/tracer/internal/values/database"
	"github.com/pepgo/pep/tracer/internal/values/live"
	"github.com/pepgo/pep/tracer/internal/values/modules"
	"github.com/pepgo/pep/tracer/internal/values/report"
)

// DefaultSkip is the longest skip of peptrace values, in instructions.
const DefaultSkip = sampler.DefaultSkip

// A SampleRequest says what to sample, how, for how long, and where the values go.
type SampleRequest struct {
	Input
	PIDs []int // processes
	All  bool  // all processes, except this one

	// With says who finds out what instructions compute: "ebpf", which is the default, "ticks" or
	// "interpret", as in the help of peptrace values.
	With string

	Threads  bool          // interrupt threads of PIDs, not CPUs
	Interval time.Duration // mean time between two interrupts of a CPU; 0 is 1/997 s, or that of the kernel's ticks
	Every    int           // interpret at every n-th interrupt; 0 is 1, and with vreplay 128
	Length   int           // instructions to interpret; 0 is 4, with ticks 16, with vreplay 128
	Skip     int           // interpret a random number of instructions up to this one first

	// CountOnly counts interrupts and interprets nothing, to measure what the interrupts themselves
	// cost. There are no values then, and no modules.
	CountOnly bool

	Time   time.Duration // how long; 0 is until the context is done, or the processes end
	Record string        // file for a recording of all that is sampled; "" is none
	Out    string        // directory of databases to add the values to; "" is none
	Select Selection     // of Sampled.Listing, and of the screen
	Screen *Screen       // shows what was sampled so far, twice a second; nil is none
	Keys   io.Reader     // a terminal where the key q ends the sampling, if there is a screen
}

// Check says what is wrong with a request.
func (q *SampleRequest) Check() error {
	switch {
	case len(q.PIDs) == 0 && !q.All:
		return errors.New("no process: give -p PID, or -a for all")
	case q.Select.N < 0:
		return fmt.Errorf("-n %d: want a number of values, or 0 for all", q.Select.N)
	case q.CountOnly && q.With == "interpret":
		return errors.New("-with interpret has no interrupts to count")
	}
	if _, err := q.options(); err != nil || q.CountOnly {
		return err
	}
	return q.Input.Check()
}

func (q *SampleRequest) with() string { return cmp.Or(q.With, "ebpf") }

// options returns the options of the sampler, with all defaults and without modules.
func (q *SampleRequest) options() (sampler.Options, error) {
	o := sampler.Options{
		PIDs: q.PIDs, All: q.All, Threads: q.Threads, Interval: q.Interval, Every: q.Every, Length: q.Length, Skip: q.Skip,
		CountOnly: q.CountOnly,
	}
	err := backend.Check(q.with(), q.Modules, &o)
	return o, err
}

// A Cost is what the sampler's program in the kernel took: instructions that it interpreted, and, if
// sysctl kernel.bpf_stats_enabled is on, how often it was called, also for interrupts of other
// programs, and how long it ran.
type Cost = backend.Cost

// Sampled are the values that Sample has sampled.
type Sampled struct {
	*Values
	Sampling Sampling
	Cost     Cost  // zero with "interpret"
	NotSaved error // why the values could not be added to databases or recorded; nil if they were

	request SampleRequest
}

// Listing returns the listing of the request: after a live view the same view once more, and otherwise
// a ValuesTable.
func (s *Sampled) Listing() listing.Listing {
	if s.request.Screen != nil {
		return s.view(s.Sampling.String())
	}
	return &ValuesTable{Sampling: s.Sampling, List: s.List(s.request.Select)}
}

func (s *Sampled) view(head string) listing.Listing {
	find := s.request.Select.find()
	find.N = 3
	return report.NewView(s.db, s.names, report.ViewOptions{Head: head, Find: find, Instructions: 30,
		Values: s.request.Select.N})
}

// Sample samples until the context is done, the time is over, all processes have ended, or
// somebody presses q at a screen. It calls ready, if that is not nil, when the interrupts have begun.
// The caller closes the result.
func Sample(ctx context.Context, q SampleRequest, ready func()) (*Sampled, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	s := &Sampled{Values: newValues(q.Input), request: q}
	if err := s.sample(ctx, ready); err != nil {
		s.Close()
		return nil, err
	}
	if q.Out != "" {
		s.NotSaved = errors.Join(s.NotSaved, s.Save(q.Out))
	}
	return s, nil
}

func (s *Sampled) sample(ctx context.Context, ready func()) error {
	q := &s.request
	o, err := q.options()
	if err != nil {
		return err
	}
	if !q.CountOnly {
		if o.Modules, err = modules.Parse(q.Modules, s.names); err != nil {
			return err
		}
	}
	source, err := backend.Attach(q.with(), o)
	if err != nil {
		return err
	}
	defer source.Close()
	if q.Record != "" {
		recorder, err := backend.Record(source, q.Record,
			capture.Header{Interval: uint64(o.Interval), Modules: []string{q.Modules}})
		if err != nil {
			return err
		}
		defer func() { s.NotSaved = recorder.End() }()
		source = recorder
	}
	if ready != nil {
		ready()
	}
	if q.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, q.Time)
		defer cancel()
	}
	if err := s.collect(ctx, source, s.db.Collector(o.Modules,
		database.Settings{Interval: uint64(o.Interval)})); err != nil {
		return err
	}
	if s.Sampling, s.Cost, err = source.Sampling(); err != nil {
		return err
	}
	return source.Close()
}

// collect collects what the source has, and shows it meanwhile if there is a screen.
func (s *Sampled) collect(ctx context.Context, source capture.Source, c *database.Collector) error {
	if s.request.Screen != nil {
		var stop func()
		ctx, stop = live.Quit(ctx, s.request.Keys)
		defer stop()
	}
	began := time.Now()
	return live.Watch(ctx, source, c, func() listing.Listing {
		return s.view(fmt.Sprintf("values of running programs, %.0f s so far; q or ^C ends", time.Since(began).Seconds()))
	}, s.request.Screen)
}
