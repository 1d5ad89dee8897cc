package live_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/tracer/capturetest"
	"github.com/pepgo/pep/tracer/internal/values/capture"
	"github.com/pepgo/pep/tracer/internal/values/database"
	"github.com/pepgo/pep/tracer/internal/values/live"
	"github.com/pepgo/pep/tracer/internal/values/modules"
	"github.com/pepgo/pep/tracer/internal/values/report"
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

// program is a program with a value that is mostly 0.
func program() *capturetest.Program {
	p := &capturetest.Program{Functions: []capturetest.Function{
		{Name: "main.zeros", Time: 0.7, Body: []capturetest.Instruction{
			{Code: "48 8b 0c d0", Value: capturetest.Mostly(0, 0.9, capturetest.Below(4))}, // mov rcx, [rax+rdx*8]
			{Code: "48 ff c2", Value: capturetest.Counter},                                 // inc rdx
		}},
	}}
	p.Image.BuildID, p.Image.Path = "abcd", "app"
	return p
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
		return &gated{Source: replay, gate: map[int]chan struct{}{1000: make(chan struct{}), 2000: make(chan struct{})},
			end: end}
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
		done <- live.Follow(context.Background(), source, c, ticks, func() error { shown <- all(db); return nil })
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
	replay, err := capture.OpenReplay(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	again, err := modules.Parse("operands", p)
	if err != nil {
		t.Fatal(err)
	}
	direct := database.New()
	if err := direct.Collect(replay, again, database.Settings{}); err != nil {
		t.Fatal(err)
	}
	text := func(db *database.Database) string {
		var b bytes.Buffer
		if err := listing.Text(&b, report.List(db, p, report.ListOptions{})); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if d := cmp.Diff(text(direct), text(db)); len(text(direct)) < 300 || d != "" {
		t.Errorf("Follow has collected something else (-want +got):\n%s", d)
	}

	broken := errors.New("broken")
	source = open(broken)
	for _, c := range source.gate {
		close(c)
	}
	if err := live.Follow(context.Background(), source, database.New().Collector(list, database.Settings{}), nil,
		nil); err != broken {
		t.Errorf("a broken source: got %v, want %v", err, broken)
	}
	ctx, cancel := context.WithCancel(context.Background())
	source = open(io.EOF)
	show := func() error { cancel(); return nil }
	if err := live.Follow(ctx, source, database.New().Collector(list, database.Settings{}), tick(), show); err != nil {
		t.Errorf("interrupted: %v", err)
	}
	for _, c := range source.gate {
		close(c)
	}
	if err := live.Follow(context.Background(), open(nil), database.New().Collector(list, database.Settings{}), tick(),
		func() error { return broken }); err != broken {
		t.Errorf("a terminal that is gone: got %v, want %v", err, broken)
	}
}

// tick returns one tick.
func tick() <-chan time.Time {
	c := make(chan time.Time, 1)
	c <- time.Time{}
	return c
}

// Runs that wait when the context is done are added: a recording of the source has them, too.
func TestFollowAddsWhatWaits(t *testing.T) {
	p := program()
	list, err := modules.Parse("operands", p)
	if err != nil {
		t.Fatal(err)
	}
	var data bytes.Buffer
	if err := p.Record(&data, 1, 3000, 8); err != nil {
		t.Fatal(err)
	}
	replay, err := capture.OpenReplay(&data)
	if err != nil {
		t.Fatal(err)
	}
	const waiting = 600
	gate := make(chan struct{})
	source := &signalling{gated: &gated{Source: replay, gate: map[int]chan struct{}{waiting: gate}, end: io.EOF},
		at: waiting, reached: make(chan struct{})}
	defer close(gate)
	ctx, cancel := context.WithCancel(context.Background())
	ticks := make(chan time.Time, 1)
	ticks <- time.Time{}
	db := database.New()
	err = live.Follow(ctx, source, db.Collector(list, database.Settings{}), ticks, func() error {
		<-source.reached // in the queue, or added before the tick
		cancel()
		return nil
	})
	n := db.Elsewhere
	for _, b := range db.Binaries() {
		n += b.Interrupts
	}
	if err != nil || n != waiting {
		t.Errorf("%v, %d runs, want %d", err, n, waiting)
	}
}

// signalling is a source that says when run number at is asked for.
type signalling struct {
	*gated
	at      int
	reached chan struct{}
}

func (s *signalling) Next(r *capture.Run) error {
	if s.n == s.at {
		close(s.reached)
	}
	return s.gated.Next(r)
}
