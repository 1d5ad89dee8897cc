package report_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/pepgo/pep/internal/tracer/capture"
	"github.com/pepgo/pep/internal/tracer/database"
	"github.com/pepgo/pep/internal/tracer/modules"
	"github.com/pepgo/pep/internal/tracer/report"
)

// gated is a source that waits in front of some runs until a test lets it go on.
type gated struct {
	capture.Source
	n    int
	gate map[int]chan struct{}
	end  error
}

func (g *gated) Next(r *capture.Run) error {
	if c := g.gate[g.n]; c != nil {
		<-c
	}
	g.n++
	err := g.Source.Next(r)
	if err == io.EOF {
		return g.end
	}
	return err
}

// Follow shows at each tick what came so far, also while the source waits, and adds each run once.
func TestFollow(t *testing.T) {
	p := program()
	list, err := modules.Parse("operands", p)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := p.Record(&b, 1, 3000, 8); err != nil {
		t.Fatal(err)
	}
	data := b.Bytes()
	open := func(end error) *gated {
		replay, err := capture.OpenReplay(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		return &gated{Source: replay, gate: map[int]chan struct{}{1000: make(chan struct{}), 2000: make(chan struct{})}, end: end}
	}
	all := func(db *database.Database) uint64 {
		n := db.Elsewhere
		for _, b := range db.Binaries() {
			n += b.Interrupts
		}
		return n
	}

	source, db, ticks := open(io.EOF), database.New(), make(chan time.Time)
	shown := make(chan uint64)
	done := make(chan error)
	go func() {
		c := db.Collector(list, database.Settings{})
		done <- report.Follow(context.Background(), source, c, ticks, func() error { shown <- all(db); return nil })
	}()
	for _, want := range []uint64{1000, 2000} {
		n := uint64(0)
		for n < want { // the source waits in front of run number want
			ticks <- time.Time{}
			n = <-shown
		}
		if n != want {
			t.Errorf("%d runs while the source waits behind %d", n, want)
		}
		close(source.gate[int(want)])
	}
	if err := <-done; err != nil || all(db) != 3000 {
		t.Errorf("%v, %d runs, want 3000", err, all(db))
	}
	direct := collected(t, p, 1, 3000, 8, "operands")
	if got, want := textOf(t, report.List(db, p, report.ListOptions{})), textOf(t, report.List(direct, p, report.ListOptions{})); len(got) < 100 || len(want) < 100 || got[len(got)-300:] != want[len(want)-300:] {
		t.Errorf("Follow has collected something else:\n%s\nwant\n%s", got, want)
	}

	broken := errors.New("broken")
	source = open(broken)
	for _, c := range source.gate {
		close(c)
	}
	if err := report.Follow(context.Background(), source, database.New().Collector(list, database.Settings{}), nil, nil); err != broken {
		t.Errorf("a broken source: got %v, want %v", err, broken)
	}
	ctx, cancel := context.WithCancel(context.Background())
	source = open(io.EOF)
	show := func() error { cancel(); return nil }
	if err := report.Follow(ctx, source, database.New().Collector(list, database.Settings{}), tick(), show); err != nil {
		t.Errorf("interrupted: %v", err)
	}
	for _, c := range source.gate {
		close(c)
	}
	if err := report.Follow(context.Background(), open(nil), database.New().Collector(list, database.Settings{}), tick(), func() error { return broken }); err != broken {
		t.Errorf("a terminal that is gone: got %v, want %v", err, broken)
	}
}

// tick returns one tick.
func tick() <-chan time.Time {
	c := make(chan time.Time, 1)
	c <- time.Time{}
	return c
}

// times is a source of runs that have nothing but times.
type times []uint64

func (s *times) Next(r *capture.Run) error {
	if len(*s) == 0 {
		return io.EOF
	}
	r.Time, *s = (*s)[0], (*s)[1:]
	return nil
}

func (*times) Lost() uint64 { return 0 }

func TestPaced(t *testing.T) {
	const ms = 1_000_000
	p := &report.Paced{Source: &times{500 * ms, 400 * ms, 900 * ms}, Speed: 10}
	began := time.Now()
	var r capture.Run
	for _, least := range []time.Duration{0, 0, 40} {
		if err := p.Next(&r); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took < least*time.Millisecond {
			t.Errorf("the run of time %d came after %v, want %v or more", r.Time, took, least*time.Millisecond)
		}
	}
	if err := p.Next(&r); err != io.EOF {
		t.Errorf("got %v, want the end", err)
	}
}
