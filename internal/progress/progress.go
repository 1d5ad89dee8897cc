// Package progress shows on a terminal how far a long run is, and how long it still takes.
//
//	bar := progress.New(os.Stderr, 100_000_000, false)
//	for … {
//		bar.At(events)
//	}
//	bar.End()
//
// shows a line that changes a few times in a second
//
//	[=========>                    ]  33% of 100000000 events, 1 min 24 s left
//
// and goes away at the end. The estimate takes the mean speed so far. Runs of less than a
// second show nothing, and so do all runs whose output is no terminal.
package progress

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/pepgo/pep/internal/terminal"
)

// A Bar is such a line. A nil Bar shows nothing.
type Bar struct {
	W     io.Writer
	Total uint64           // of events; 0 if nobody knows
	Now   func() time.Time // the clock

	start, last time.Time // the first call of At, and the last time that the line changed
	shown       bool
}

// New returns a bar on w, or nil if w is no terminal or quiet is true.
func New(w io.Writer, total uint64, quiet bool) *Bar {
	if quiet || !terminal.Is(w) {
		return nil
	}
	return &Bar{W: w, Total: total, Now: time.Now}
}

const (
	after = time.Second            // a shorter run shows nothing
	every = 200 * time.Millisecond // between two changes
	width = 30                     // characters of the bar
)

// At says how many events are done.
func (b *Bar) At(done uint64) {
	if b == nil {
		return
	}
	now := b.Now()
	if b.start.IsZero() {
		b.start = now
	}
	if now.Sub(b.start) < after || now.Sub(b.last) < every {
		return
	}
	b.last, b.shown = now, true
	fmt.Fprintf(b.W, "\r%s\x1b[K", b.line(done, now.Sub(b.start)))
}

// line returns the text of the line.
func (b *Bar) line(done uint64, elapsed time.Duration) string {
	if b.Total == 0 || done > b.Total {
		return fmt.Sprintf("%d events in %s", done, duration(elapsed))
	}
	share := float64(done) / float64(b.Total)
	left := "no estimate yet"
	if done > 0 {
		left = duration(time.Duration(float64(elapsed)*(1/share-1))) + " left"
	}
	n := int(share * width)
	bar := strings.Repeat("=", n) + ">" + strings.Repeat(" ", width-n)
	return fmt.Sprintf("[%s] %3d%% of %d events, %s", bar[:width], int(100*share), b.Total, left)
}

// duration returns a time as text, with the two largest units.
func duration(d time.Duration) string {
	s := int(d.Round(time.Second).Seconds())
	switch {
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	}
	return fmt.Sprintf("%d h %d min", s/3600, s/60%60)
}

// End removes the line.
func (b *Bar) End() {
	if b != nil && b.shown {
		fmt.Fprint(b.W, "\r\x1b[K")
	}
}
