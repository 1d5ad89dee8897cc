//go:build linux && amd64

package tracer

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"time"

	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/internal/tracer/backend"
	"github.com/pepgo/pep/internal/tracer/capture"
	"github.com/pepgo/pep/internal/tracer/database"
	"github.com/pepgo/pep/internal/tracer/live"
	"github.com/pepgo/pep/internal/tracer/modules"
	"github.com/pepgo/pep/internal/tracer/programs"
	"github.com/pepgo/pep/internal/tracer/report"
	"github.com/pepgo/pep/internal/tracer/sampler"
)

// A SampleRequest says what to sample, how long, and what to show.
type SampleRequest struct {
	Options sampler.Options    // those that have flags; Sample sets the modules
	With    string             // how, as package backend names it
	Modules string             // as modules.Parse reads them
	Binary  string             // file for names of functions, if it is not where the program ran
	Time    time.Duration      // 0 is until the context is done, or the processes end
	Live    bool               // show a view on the terminal, until q
	Record  string             // file for a recording of all runs; none if empty
	Out     string             // directory of databases to add the values to; none if empty
	List    report.ListOptions // of the listing
}

// Flags defines the flags of a request, as peptrace values has them.
func (q *SampleRequest) Flags(f *flag.FlagSet) {
	f.Func("p", "", func(text string) error {
		pid, err := strconv.Atoi(text)
		q.Options.PIDs = append(q.Options.PIDs, pid)
		return err
	})
	f.BoolVar(&q.Options.All, "a", false, "")
	f.BoolVar(&q.Options.Threads, "threads", false, "")
	f.Func("hz", "", func(text string) error {
		hz, err := strconv.ParseFloat(text, 64)
		if err == nil && (!(hz > 0) || hz > 100000) {
			err = errors.New("want interrupts per second, at most 100000")
		}
		q.Options.Interval = time.Duration(float64(time.Second) / hz)
		return err
	})
	f.IntVar(&q.Options.Every, "every", 0, "")
	f.IntVar(&q.Options.Length, "length", 0, "")
	f.StringVar(&q.With, "with", "ebpf", "")
	f.IntVar(&q.Options.Skip, "skip", sampler.DefaultSkip, "")
	f.Func("d", "", func(text string) (err error) {
		q.Time, err = time.ParseDuration(text)
		if err == nil && q.Time <= 0 {
			err = errors.New("want a time above 0")
		}
		return err
	})
	f.BoolVar(&q.Live, "live", false, "")
	f.StringVar(&q.Out, "o", "", "")
	f.StringVar(&q.Record, "record", "", "")
	f.Func("f", "", func(text string) (err error) {
		q.List.Func, err = regexp.Compile(text)
		return err
	})
	f.Func("label", "", func(text string) (err error) {
		q.List.Label, err = regexp.Compile(text)
		return err
	})
	f.IntVar(&q.List.N, "n", 3, "")
	f.BoolVar(&q.List.Secrets, "secrets", false, "")
}

// Check says what is wrong with the flags. Without -d and -live, it sets the time to 10 s.
func (q *SampleRequest) Check() error {
	switch {
	case len(q.Options.PIDs) == 0 && !q.Options.All:
		return errors.New("no process: give -p PID, or -a for all")
	case q.List.N < 0:
		return fmt.Errorf("-n %d: want a number of values, or 0 for all", q.List.N)
	}
	if err := backend.Check(q.With, q.Modules, &q.Options); err != nil {
		return err
	}
	if _, err := modules.Parse(q.Modules, programs.New(q.Binary)); err != nil {
		return fmt.Errorf("-modules: %w", err)
	}
	if q.Time == 0 && !q.Live {
		q.Time = 10 * time.Second
	}
	return nil
}

// A Sampled is what was sampled.
type Sampled struct {
	Sampling report.Sampling
	NotSaved error // why the values could not be added to databases or recorded, nil if they were

	request SampleRequest
	db      *database.Database
	names   *programs.Programs
}

// Close closes the files of programs.
func (r *Sampled) Close() { r.names.Close() }

// Listing returns the listing of the request: after a live view, the same view once more.
func (r *Sampled) Listing() listing.Listing {
	if r.request.Live {
		return r.view(r.Sampling.String())
	}
	return &report.ValuesTable{Sampling: r.Sampling, List: report.List(r.db, r.names, r.request.List)}
}

func (r *Sampled) view(head string) listing.Listing {
	l := &r.request.List
	return report.NewView(r.db, r.names, report.ViewOptions{
		Head: head, Find: report.FindOptions{Func: l.Func, Label: l.Label, N: 3, Secrets: l.Secrets}, Instructions: 30, Values: l.N,
	})
}

// Sample samples until the context is done, the time is over, all processes have ended, or
// somebody presses q in the live view. The caller closes the result.
func Sample(ctx context.Context, q SampleRequest, stdin io.Reader, stdout io.Writer) (*Sampled, error) {
	if f, ok := stdout.(*os.File); q.Live && (!ok || live.Terminal(f) == nil) {
		return nil, errors.New("values: -live: the output is not a terminal; without -live, values are printed when the time is over")
	}
	r := &Sampled{request: q, db: database.New(), names: programs.New(q.Binary)}
	if err := r.sample(ctx, stdin, stdout); err != nil {
		r.Close()
		return nil, err
	}
	if q.Out != "" {
		_, err := r.db.Save(q.Out)
		r.NotSaved = errors.Join(r.NotSaved, err)
	}
	return r, nil
}

func (r *Sampled) sample(ctx context.Context, stdin io.Reader, stdout io.Writer) (err error) {
	o := r.request.Options
	if o.Modules, err = modules.Parse(r.request.Modules, r.names); err != nil {
		return err
	}
	s, err := backend.Attach(r.request.With, o)
	if err != nil {
		return err
	}
	defer s.Close()
	if r.request.Record != "" {
		rec, err := backend.Record(s, r.request.Record, capture.Header{Interval: uint64(o.Interval), Modules: []string{r.request.Modules}})
		if err != nil {
			return err
		}
		defer func() { r.NotSaved = rec.End() }()
		s = rec
	}
	if r.request.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.request.Time)
		defer cancel()
	}
	collector := r.db.Collector(o.Modules, database.Settings{Interval: uint64(o.Interval)})
	if r.request.Live {
		err = r.watch(ctx, s, collector, stdin, stdout)
	} else {
		err = live.Follow(ctx, s, collector, nil, nil)
	}
	if err != nil {
		return err
	}
	if r.Sampling, err = s.Sampling(); err != nil {
		return err
	}
	return s.Close()
}

func (r *Sampled) watch(ctx context.Context, s capture.Source, c *database.Collector, stdin io.Reader, stdout io.Writer) error {
	ctx, stop := live.Quit(ctx, stdin)
	defer stop()
	began := time.Now()
	return live.Watch(ctx, s, c, func() listing.Listing {
		return r.view(fmt.Sprintf("values of running programs, %.0f s so far; q or ^C ends", time.Since(began).Seconds()))
	}, live.Terminal(stdout.(*os.File)))
}
