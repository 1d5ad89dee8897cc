//go:build linux && amd64

package tracer

// This file probes running processes.

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/pepgo/pep/machine/image"
	"github.com/pepgo/pep/tracer/internal/probe"
	"github.com/pepgo/pep/tracer/internal/probe/table"
	"github.com/pepgo/pep/tracer/internal/proc/process"
	"github.com/pepgo/pep/tracer/internal/proc/rights"
)

// Bounds of the values that are counted of an argument, result or variable.
const (
	DefaultValues = probe.DefaultValues
	MaxValues     = probe.MaxValues
)

// ErrMissing is wrapped by errors that say which right or which feature of the kernel is missing.
var ErrMissing = rights.ErrMissing

// CheckRights returns an error that wraps ErrMissing if this process cannot probe others.
func CheckRights() error { return rights.Check() }

// A ProbeRequest says what to count in which process, and how long.
type ProbeRequest struct {
	PID int

	Func    *regexp.Regexp // count the calls of the functions whose names match; nil is none
	Args    bool           // count the values of their arguments
	Results bool           // count the values of their results
	Times   bool           // measure how long their calls take, on the clock
	Edges   bool           // count which way their conditional jumps go
	Calls   bool           // count which functions they call
	Lines   []Line         // count how often these lines are reached, and the values of variables there

	// hits per second of a probe on one CPU: more switch it off, and of a slow probe a twentieth of them; 0 is no limit
	Limit  uint64
	Values uint // different values to tell apart; 0 is DefaultValues
	// record pointers and strings as they are; without it, whether they are nil and how long they are
	Secrets bool
	Time    time.Duration // 0 is until the context is done, or the process ends
}

// A Line is a line of the source.
type Line struct {
	File string   // with or without directories: "main.go"
	Line int      // the first is 1
	All  bool     // count the values of all variables that are in scope
	Vars []string // count the values of these variables
}

// Check says what is wrong with a request.
func (q *ProbeRequest) Check() error {
	switch {
	case q.PID <= 0:
		return errors.New("which process? give its ID: -p PID")
	case q.Func == nil && len(q.Lines) == 0:
		return errors.New("what should be probed? give functions, -f regexp, or lines, -at file.go:12")
	case q.Func == nil && (q.Args || q.Results || q.Times || q.Edges || q.Calls):
		return errors.New("-args, -results, -times, -edges and -calls are about functions: give them too, -f regexp")
	case q.Time < 0:
		return fmt.Errorf("-d %v: a time cannot be negative", q.Time)
	case q.Values > MaxValues:
		return fmt.Errorf("-values %d: want 1 to %d", q.Values, MaxValues)
	}
	return nil
}

// wish returns what package probe chooses sites by.
func (q *ProbeRequest) wish() probe.Wish {
	w := probe.Wish{Func: q.Func, Args: q.Args, Results: q.Results, Times: q.Times, Edges: q.Edges, Calls: q.Calls}
	for _, l := range q.Lines {
		w.Lines = append(w.Lines, probe.Position(l))
	}
	return w
}

// Probed is what was counted.
type Probed struct {
	im     *image.Image
	plan   *probe.Plan
	counts *probe.Counts
	run    table.Run
}

// Probe counts until the context is done, the time is over, or the process has ended. It calls ready,
// if that is not nil, when the probes are there, with their number. The caller closes the result.
func Probe(ctx context.Context, q ProbeRequest, ready func(probes int)) (*Probed, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	p, err := process.Open(q.PID)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	im, err := image.OpenProcess(q.PID)
	if err != nil {
		return nil, err
	}
	r := &Probed{im: im}
	if err := r.probe(ctx, p, q, ready); err != nil {
		im.Close()
		return nil, err
	}
	return r, nil
}

func (r *Probed) probe(ctx context.Context, p *process.Process, q ProbeRequest, ready func(probes int)) (err error) {
	if r.plan, err = probe.Choose(r.im, q.wish()); err != nil {
		return fmt.Errorf("process %d, %s: %w", p.PID, p.Path, err)
	}
	if err := noCold(p, r.im.Process.StartTime); err != nil {
		return err
	}
	s, err := probe.Attach(p, r.plan, probe.Limits{Hits: q.Limit, Values: q.Values, Secrets: q.Secrets})
	if err != nil {
		return err
	}
	defer s.Close()
	if ready != nil {
		ready(len(r.plan.Sites))
	}
	if q.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, q.Time)
		defer cancel()
	}
	r.run = table.Run{Process: p.PID, Program: p.Path, BuildID: fmt.Sprintf("%x", r.im.GNUID),
		Began: time.Now().UnixNano(), Secrets: q.Secrets}
	if r.run.Ended, err = s.Watch(ctx); err != nil {
		return err
	}
	if s.Stepped() {
		r.run.Notes = append(r.run.Notes, "this kernel steps over instructions that peptrace takes for emulated: hits are slow, and -limit bounds their time less than it should")
	}
	r.run.Duration = time.Now().UnixNano() - r.run.Began
	r.counts, err = s.Read()
	r.plan.Skipped = append(r.plan.Skipped, s.Refused()...)
	return err
}

// A ProbeTable lists the counts. Its method Profile returns them as a profile for pep values and go tool
// pprof, in gzip.
type ProbeTable = table.Table

// Table lists the counts, with at most n values of a site; 0 is all.
func (r *Probed) Table(n int) *ProbeTable {
	return table.New(r.plan, r.counts, r.run, table.Of(r.im), n)
}

// Close closes the executable, which has the names.
func (r *Probed) Close() error { return r.im.Close() }
