package report

// This file shows what a source has, while its runs come.

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/pepgo/pep/internal/input"
	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/internal/tracer/capture"
	"github.com/pepgo/pep/internal/tracer/database"
)

// queue is how many runs wait while a listing is made.
const queue = 1024

// Follow adds the runs of a source to a collector until the source ends or ctx is done. It
// calls show at each tick, between two runs, even if no run comes.
func Follow(ctx context.Context, source capture.Source, c *database.Collector, ticks <-chan time.Time, show func() error) error {
	type item struct {
		run  capture.Run
		lost uint64
		err  error
	}
	items := make(chan item, queue)
	free := make(chan []capture.Tuple, queue) // memory of runs that were added
	go func() {
		for {
			var x item
			select {
			case x.run.Tuples = <-free:
			default:
			}
			x.err = source.Next(&x.run)
			x.lost = source.Lost()
			select {
			case items <- x:
			case <-ctx.Done():
				return
			}
			if x.err != nil {
				return
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticks:
			if err := show(); err != nil {
				return err
			}
		case x := <-items:
			c.Lost(x.lost)
			if x.err == io.EOF {
				return nil
			}
			if x.err == nil {
				x.err = c.Add(&x.run)
			}
			if x.err != nil {
				return x.err
			}
			select {
			case free <- x.run.Tuples[:0]:
			default:
			}
		}
	}
}

// Watch is Follow for a user: if w is a terminal, it shows a listing twice a second.
func Watch(ctx context.Context, source capture.Source, c *database.Collector, make func() listing.Listing, w io.Writer) error {
	f, ok := w.(*os.File)
	if !ok || Terminal(f) == nil {
		return Follow(ctx, source, c, nil, nil)
	}
	live := &Live{W: w, Size: Terminal(f)}
	ticker := time.NewTicker(time.Second / 2)
	defer ticker.Stop()
	defer io.WriteString(w, home+clearRest) // what the caller prints begins at the top
	return Follow(ctx, source, c, ticker.C, func() error { return live.Show(make()) })
}

// Quit returns a context that is done when ctx is, or when somebody presses q, if r is a
// terminal. The function stop sets the terminal back; call it before anything else is printed.
func Quit(ctx context.Context, r io.Reader) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	f, ok := r.(*os.File)
	if !ok {
		return ctx, cancel
	}
	restore, ok := Keys(f)
	if !ok {
		return ctx, cancel
	}
	go func() { // it may wait for a key until the program ends
		for key := make([]byte, 1); ; {
			if n, err := f.Read(key); err != nil || n == 1 && key[0] == 'q' {
				break
			}
		}
		cancel()
	}()
	return ctx, func() { cancel(); restore() }
}

// A Recording is the source of a recording in a file.
type Recording struct {
	*capture.Replay
	file *input.File
}

// OpenRecording opens a recording.
func OpenRecording(name string) (*Recording, error) {
	f, err := input.Open(name)
	if err != nil {
		return nil, err
	}
	replay, err := capture.OpenReplay(bufio.NewReader(f))
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &Recording{replay, f}, nil
}

// Close closes the file.
func (r *Recording) Close() error { return r.file.Close() }

// A Paced is a source whose runs come when they came while they were recorded, or a number
// of times as fast.
type Paced struct {
	capture.Source
	Speed float64 // 1 is as recorded

	began time.Time // when the first run came
	first uint64    // its time
}

// Next waits until it is time for the next run, and returns it.
func (p *Paced) Next(r *capture.Run) error {
	if err := p.Source.Next(r); err != nil {
		return err
	}
	if p.began.IsZero() {
		p.began, p.first = time.Now(), r.Time
	}
	// Runs of several CPUs can be out of order: then the difference is below 0.
	time.Sleep(time.Duration(float64(int64(r.Time-p.first))/p.Speed) - time.Since(p.began))
	return nil
}
