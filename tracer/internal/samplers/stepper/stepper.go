// Package stepper samples the values that live, unmodified programs compute, where the kernel
// grants no BPF programs. At each tick it stops each thread that runs by ptrace, notes the values
// of the next instructions, and detaches from the thread again.
//
//	s, err := stepper.Attach(stepper.Options{PIDs: []int{4711}, Length: 4})
//	defer s.Close()
//	var run capture.Run
//	for s.Next(&run) == nil {
//		for _, t := range run.Tuples {
//			if t.Known&capture.Result != 0 {
//				fmt.Printf("%#x: %#x\n", t.Insn.PC, t.Result) // 0x4011a0: 0xc000010010
//			}
//		}
//	}
//
// An ops.Machine interprets the instructions on a copy of the registers while the thread is
// stopped: the interpretation in user mode of section 2.1.3 of Burrows and others, "Efficient and
// Flexible Value Sampling" (ASPLOS 2000), without their library in the program. The floating-point numbers
// in vector registers, which a BPF program cannot read, are known here, and string instructions do not end a run.
//
// The thread is stopped until peptrace has had a CPU several times, so this costs far more than
// package sampler: of 997 ticks a second, a busy machine with two CPUs had 190. The threads
// are chosen by what /proc says: those that run, and those that wait for a CPU. A thread
// that begins to wait in the kernel at this moment is woken by ptrace, and a few system
// calls then return EINTR; Go's runtime repeats these.
//
// Attach needs the right to trace the process: the same user, no debugger at the process, and no
// security module that forbids it, or CAP_SYS_PTRACE. Nothing stays in the program: no thread
// is traced between two ticks, and neither registers nor memory are ever written. If the sampling process
// is killed while a thread is stopped, the kernel detaches, and the thread goes on.
package stepper

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pepgo/pep/tracer/internal/proc/ptrace"
	"github.com/pepgo/pep/tracer/internal/samplers/mapped"
	"github.com/pepgo/pep/tracer/internal/samplers/period"
	"github.com/pepgo/pep/tracer/internal/values/capture"
)

// MaxLength is the length of the longest run.
const MaxLength = 256

// Options say what to sample. The zero values of parameters stand for their defaults.
type Options struct {
	PIDs []int // processes to sample

	// Interval is the mean time between the end of a tick, when all threads run again, and the
	// next tick; 1/997 s by default. However long runs take, the program goes on meanwhile.
	Interval time.Duration
	Jitter   float64 // the interval varies by up to this part of it; by default 0.125, < 0: none
	Length   int     // instructions in a run; 4 by default, as in the paper; at most MaxLength
	Skip     int     // interpret a random number of instructions up to this one first

	// Modules say of which instructions tuples are wanted, and of what, as in package sampler.
	Modules []capture.Module
}

// check fills in defaults.
func (o *Options) check() error {
	if err := period.Check(&o.Interval, &o.Jitter); err != nil {
		return fmt.Errorf("stepper: %w", err)
	}
	if o.Length == 0 {
		o.Length = 4
	}
	switch {
	case len(o.PIDs) == 0:
		return errors.New("stepper: no process is named: give PIDs")
	case o.Interval < 100*time.Microsecond:
		return fmt.Errorf("stepper: interval %v: to stop threads more often than every 100µs leaves them no time to run",
			o.Interval)
	case o.Length < 1 || o.Length > MaxLength || o.Skip < 0 || o.Skip > MaxLength:
		return fmt.Errorf("stepper: length %d, skip %d: at least 1 and 0, at most %d instructions", o.Length, o.Skip,
			MaxLength)
	}
	return nil
}

// Stats count what a sampler has done.
type Stats struct {
	Stops   uint64 // threads stopped
	Kernel  uint64 // of these, in a system call: there are no values
	Ended   uint64 // of these, threads that were ending
	Refused uint64 // threads that the kernel did not let us stop
	Runs    uint64 // stops with values
	Early   uint64 // of these, shorter than Length
}

// A Sampler samples until it is closed. It implements capture.Source.
type Sampler struct {
	options Options
	closed  chan struct{}

	mu        sync.Mutex // of all that follows; it is held while a thread is stopped
	processes []*process
	due       []thread // threads to sample at this tick
	files     mapped.Files
	stats     Stats
}

// Attach begins to sample. It stops a thread of each process once to see whether it may.
func Attach(o Options) (*Sampler, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	s := &Sampler{options: o, closed: make(chan struct{}), files: mapped.Files{}}
	for _, pid := range o.PIDs {
		p, err := newProcess(pid)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.processes = append(s.processes, p)
	}
	return s, nil
}

// try stops the first thread of a process and lets it go.
func try(pid int) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	th, err := ptrace.Seize(pid)
	if errors.Is(err, os.ErrPermission) {
		return fmt.Errorf("stepper: process %d: %w: it needs the right to trace the process: its user or CAP_SYS_PTRACE, no debugger that traces it already, "+
			"and 0 in /proc/sys/kernel/yama/ptrace_scope if that is there; a container can forbid ptrace, too", pid, err)
	}
	if err != nil {
		return fmt.Errorf("stepper: process %d: %w", pid, err)
	}
	return errors.Join(th.Interrupt(), th.Detach())
}

// Next waits for a run. It returns io.EOF when all processes have ended or the sampler is
// closed.
func (s *Sampler) Next(r *capture.Run) error {
	for {
		if err := s.wait(); err != nil {
			return err
		}
		s.mu.Lock()
		var ok bool
		var err error
		for len(s.due) > 0 && !ok && err == nil && !s.isClosed() {
			th := s.due[0]
			s.due = s.due[1:]
			ok, err = s.sample(r, th)
		}
		s.mu.Unlock()
		if ok || err != nil {
			return err
		}
	}
}

func (s *Sampler) isClosed() bool {
	select {
	case <-s.closed:
		return true
	default:
		return false
	}
}

// wait waits for the next tick, unless threads are due, and looks which threads run.
func (s *Sampler) wait() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isClosed() { // perhaps with threads due, which nobody samples any more
		return io.EOF
	}
	for len(s.due) == 0 {
		s.mu.Unlock()
		select {
		case <-time.After(period.Draw(s.options.Interval, s.options.Jitter)):
		case <-s.closed:
		}
		s.mu.Lock()
		if s.isClosed() {
			return io.EOF
		}
		alive := false
		for _, p := range s.processes {
			if !p.ended() {
				alive = true
				s.due = p.running(s.due)
			}
		}
		if !alive {
			return io.EOF
		}
	}
	return nil
}

// Lost returns 0: no run is on the way.
func (s *Sampler) Lost() uint64 { return 0 }

// Stats returns the counters.
func (s *Sampler) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stats
}

// Close ends the sampling. When it returns, no thread is traced.
func (s *Sampler) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isClosed() {
		return nil
	}
	close(s.closed)
	for _, p := range s.processes {
		unix.Close(p.fd)
	}
	s.processes = nil
	return nil
}
