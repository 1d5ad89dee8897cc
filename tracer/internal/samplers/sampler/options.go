package sampler

import (
	"errors"
	"fmt"
	"time"

	"github.com/pepgo/pep/tracer/internal/samplers/period"
	"github.com/pepgo/pep/tracer/internal/values/capture"
)

// MaxLength is the length of the longest run.
const MaxLength = 256

// DefaultSkip is the longest skip of peptrace values. It removes the bias to slow instructions from
// loops of up to 32 instructions (docs/decisions/0023-value-samples.md has the measurement).
const DefaultSkip = 63

// Options say what to sample. The zero values of parameters stand for their defaults.
type Options struct {
	PIDs []int // processes to sample
	All  bool  // sample all processes, except this one

	// Threads attaches an event to each thread of PIDs, and to threads that they start later,
	// not one to each CPU. It pays for small processes on large machines.
	Threads bool

	// Ticks interprets at the ticks of the kernel's own clock, which interrupts each busy CPU anyway, and not at
	// interrupts for the sampler alone. Their interval is that of the kernel (TickInterval).
	Ticks bool

	Interval time.Duration // mean time between two interrupts of a CPU; 1/997 s by default
	Jitter   float64       // the interval varies by up to this part of it; by default 0.125, < 0: none
	Every    int           // interpret at every n-th interrupt; 1 by default (the paper: 2)
	Length   int           // instructions in a run; 4 by default, as in the paper; at most MaxLength

	// Skip is how many instructions are interpreted first at most, against the bias to slow
	// instructions: the sum of two random numbers up to a half of it. If the run gives up on the
	// way, it begins somewhere on the way.
	Skip int

	// Modules say of which instructions tuples are wanted, and of what: tuples have what any
	// module wants. If there is none, everything is wanted. If modules name different registers
	// of an instruction, the first one is noted.
	Modules []capture.Module

	// CountOnly counts interrupts and interprets nothing, to measure what the interrupts
	// themselves cost.
	CountOnly bool

	Ops int // operations that can be decoded at the same time, little more than one an instruction; 262,144 by default
}

// check fills in defaults.
func (o *Options) check() error {
	def := func(p *int, n int) {
		if *p == 0 {
			*p = n
		}
	}
	if o.Ticks {
		var err error
		if o.Interval, err = TickInterval(); err != nil {
			return err
		}
		o.Jitter = -1
	}
	if err := period.Check(&o.Interval, &o.Jitter); err != nil {
		return fmt.Errorf("sampler: %w", err)
	}
	def(&o.Every, 1)
	def(&o.Length, 4)
	def(&o.Ops, 1<<18)
	switch {
	case len(o.PIDs) == 0 && !o.All:
		return errors.New("sampler: no process is named: give PIDs or sample all")
	case o.Ticks && o.Threads:
		return errors.New("sampler: the kernel's ticks are those of CPUs, not of threads")
	case o.Threads && o.All:
		return errors.New("sampler: events of threads are for named processes only")
	case o.Interval < 10*time.Microsecond:
		return fmt.Errorf("sampler: interval %v: the kernel's clock ticks every 10µs at most", o.Interval)
	case o.Every < 1 || o.Length < 1 || o.Length > MaxLength || o.Skip < 0 || o.Skip > MaxLength:
		return fmt.Errorf("sampler: every %d, length %d, skip %d: at least 1, 1 and 0, at most %d instructions", o.Every,
			o.Length, o.Skip, MaxLength)
	}
	return nil
}
