//go:build linux && amd64

// Package tracer looks into running Go programs that were built as usual.
//
//	q := tracer.ProbeRequest{PID: 4711, Wish: wish}
//	result, err := tracer.Probe(ctx, q, func(probes int) { … })
//	listing.Text(os.Stdout, result.Table(5))
package tracer

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pepgo/pep/internal/tracer/image"
	"github.com/pepgo/pep/internal/tracer/probe"
	"github.com/pepgo/pep/internal/tracer/probe/table"
	"github.com/pepgo/pep/internal/tracer/process"
)

// A ProbeRequest says what to trace, and how long.
type ProbeRequest struct {
	PID    int
	Wish   probe.Wish
	Limits probe.Limits
	Time   time.Duration // 0 is until the context is done, or the process ends
}

// Flags defines the flags of a request, as peptrace probe has them.
func (q *ProbeRequest) Flags(f *flag.FlagSet) {
	f.IntVar(&q.PID, "p", 0, "")
	f.Func("f", "", func(text string) (err error) {
		q.Wish.Func, err = regexp.Compile(text)
		return err
	})
	f.BoolVar(&q.Wish.Args, "args", false, "")
	f.BoolVar(&q.Wish.Results, "results", false, "")
	f.BoolVar(&q.Wish.Times, "times", false, "")
	f.BoolVar(&q.Wish.Edges, "edges", false, "")
	f.BoolVar(&q.Wish.Calls, "calls", false, "")
	f.Func("at", "", q.addLine)
	f.DurationVar(&q.Time, "d", 0, "")
	f.Uint64Var(&q.Limits.Hits, "limit", 100_000, "")
	f.UintVar(&q.Limits.Values, "values", probe.DefaultValues, "")
	f.BoolVar(&q.Limits.Secrets, "secrets", false, "")
}

// addLine adds a line that is written as file.go:12, or with variables as file.go:12=x,y.
// Without an equals sign all variables are recorded, and with nothing behind it none.
func (q *ProbeRequest) addLine(text string) error {
	at, vars, some := strings.Cut(text, "=")
	file, line, _ := strings.Cut(at, ":")
	n, err := strconv.Atoi(line)
	if err != nil || n < 1 || file == "" {
		return errors.New("want file.go:12, or file.go:12=x,y with variables")
	}
	p := probe.Position{File: file, Line: n, All: !some}
	if vars != "" {
		p.Vars = strings.Split(vars, ",")
	}
	if slices.Contains(p.Vars, "") {
		return errors.New("a name is missing: want file.go:12=x,y")
	}
	q.Wish.Lines = append(q.Wish.Lines, p)
	return nil
}

// Check says what is wrong with the flags.
func (q *ProbeRequest) Check() error {
	w := &q.Wish
	switch {
	case q.PID <= 0:
		return errors.New("which process? give its ID: -p PID")
	case w.Func == nil && len(w.Lines) == 0:
		return errors.New("what should be probed? give functions, -f regexp, or lines, -at file.go:12")
	case w.Func == nil && (w.Args || w.Results || w.Times || w.Edges || w.Calls):
		return errors.New("-args, -results, -times, -edges and -calls are about functions: give them too, -f regexp")
	case q.Time < 0:
		return fmt.Errorf("-d %v: a time cannot be negative", q.Time)
	case q.Limits.Values < 1 || q.Limits.Values > probe.MaxValues:
		return fmt.Errorf("-values %d: want 1 to %d", q.Limits.Values, probe.MaxValues)
	}
	return nil
}

// A Probed is what was counted.
type Probed struct {
	im     *image.Image
	plan   *probe.Plan
	counts *probe.Counts
	run    table.Run
}

// Probe traces until the context is done, the time is over, or the process has ended. It
// calls ready when the probes are there. The caller closes the result.
func Probe(ctx context.Context, q ProbeRequest, ready func(probes int)) (*Probed, error) {
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
	if r.plan, err = probe.Choose(r.im, q.Wish); err != nil {
		return fmt.Errorf("process %d, %s: %w", p.PID, p.Path, err)
	}
	s, err := probe.Attach(p, r.plan, q.Limits)
	if err != nil {
		return err
	}
	defer s.Close()
	ready(len(r.plan.Sites))
	if q.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, q.Time)
		defer cancel()
	}
	r.run = table.Run{Process: p.PID, Program: p.Path, BuildID: fmt.Sprintf("%x", r.im.GNUID), Began: time.Now().UnixNano(), Secrets: q.Limits.Secrets}
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

// Table lists the counts, with at most n values of a site; 0 is all.
func (r *Probed) Table(n int) *table.Table {
	return table.New(r.plan, r.counts, r.run, table.Of(r.im), n)
}

// Close closes the executable, which has the names.
func (r *Probed) Close() error { return r.im.Close() }
