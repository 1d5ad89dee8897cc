// Package live shows what a source of runs has, while its runs come.
//
//	screen := live.Terminal(os.Stdout)
//	c := db.Collector(modules, settings)
//	err := live.Watch(ctx, source, c, func() listing.Listing { return report.Find(db, names, options) }, screen)
//
// adds runs to a database until the source ends, and shows what the finder finds twice a second.
package live

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/tracer/internal/values/capture"
	"github.com/pepgo/pep/tracer/internal/values/database"
)

// queue is how many runs wait while a listing is made.
const queue = 1024

// Follow adds the runs of a source to a collector until the source ends or ctx is done. It
// calls show at each tick, between two runs, even if no run comes. Of the runs that the source has returned
// by then it leaves out one at most, so that a recording of the source has the same.
func Follow(ctx context.Context, source capture.Source, c *database.Collector, ticks <-chan time.Time,
	show func() error) error {
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
			if x.err != nil || ctx.Err() != nil {
				return
			}
		}
	}()
	add := func(x item) error {
		c.Lost(x.lost)
		if x.err == nil {
			x.err = c.Add(&x.run)
		}
		if x.err == nil {
			select {
			case free <- x.run.Tuples[:0]:
			default:
			}
		}
		return x.err
	}
	for {
		var err error
		select {
		case <-ctx.Done():
			// On a busy machine many runs wait.
			for err == nil {
				select {
				case x := <-items:
					err = add(x)
				default:
					return nil
				}
			}
		case <-ticks:
			err = show()
		case x := <-items:
			err = add(x)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// Watch is Follow for a user: it shows a listing twice a second, on a screen that is not nil.
func Watch(ctx context.Context, source capture.Source, c *database.Collector, make func() listing.Listing,
	screen *Screen) error {
	if screen == nil {
		return Follow(ctx, source, c, nil, nil)
	}
	ticker := time.NewTicker(time.Second / 2)
	defer ticker.Stop()
	defer io.WriteString(screen.W, home+clearRest) // what the caller prints begins at the top
	return Follow(ctx, source, c, ticker.C, func() error { return screen.Show(make()) })
}

// Quit returns a context that is done when ctx is, or when somebody presses q, if r is a
// terminal. The function stop sets the terminal back; call it before anything else is printed.
func Quit(ctx context.Context, r io.Reader) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	f, ok := r.(*os.File)
	if !ok {
		return ctx, cancel
	}
	restore, ok := keys(f)
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
