package figure

// This file gets events from traces: of one program, or of all programs in turns.

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/hwsim/trace"
)

// ErrNoTrace is the error for a program without a trace.
var ErrNoTrace = errors.New("no such trace")

// Sites returns a function that reads the site tables of the files PROGRAM.TAPS.trace of a
// directory.
func Sites(dir string) func(program, taps string) (*trace.Sites, error) {
	return func(program, taps string) (*trace.Sites, error) {
		r, err := trace.Open(traceFile(dir, program, taps), nil)
		if err != nil {
			return nil, err
		}
		defer r.Close()
		return r.Sites, nil
	}
}

func traceFile(dir, program, taps string) string {
	return filepath.Join(dir, program+"."+taps+".trace")
}

// Files returns a source that reads the files PROGRAM.TAPS.trace of a directory. Words of
// blocks are addresses, by PROGRAM.TAPS.layout.
func Files(dir string) func(program, taps string) (replay.Source, error) {
	return func(program, taps string) (replay.Source, error) {
		name := traceFile(dir, program, taps)
		if _, err := os.Stat(name); errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("%s: %w (make figures records them)", name, ErrNoTrace)
		}
		events := func(do func(trace.Block) error) error {
			r, err := trace.Open(name, nil)
			if err != nil {
				return err
			}
			defer r.Close()
			return replay.Of(r)(do)
		}
		if kind, _, _ := strings.Cut(taps, "-"); kind == ofCode {
			return atAddresses(events, filepath.Join(dir, program+"."+taps+".layout"))
		}
		return events, nil
	}
}

// inTurns returns the events of several programs as those of one program: n events of each,
// in turns, until one of them ends. Places of different programs are different.
func inTurns(sources []replay.Source, events int) replay.Source {
	return func(do func(trace.Block) error) error {
		var all []*turns
		for _, s := range sources {
			x := newTurns(s)
			defer x.stop()
			all = append(all, x)
		}
		turn := make([]tuple.Tuple, 0, events)
		for {
			for i, x := range all {
				turn = turn[:0]
				for len(turn) < events {
					t, ok := x.next()
					if !ok {
						return x.err
					}
					t.PC ^= uint64(i) << programShift
					turn = append(turn, t)
				}
				if err := do(trace.Block{Tuples: turn}); err != nil {
					return err
				}
			}
		}
	}
}

// programShift is where the number of a program is put into a pc: below the tag,
// into the number of the package.
const programShift = 48

// turns are the events of a source, one at a time.
type turns struct {
	pull func() (trace.Block, bool)
	stop func()
	rest []tuple.Tuple // of the block that was pulled last
	err  error         // of the source
}

func newTurns(s replay.Source) *turns {
	x := &turns{}
	stopped := errors.New("stopped")
	x.pull, x.stop = iter.Pull(func(yield func(trace.Block) bool) {
		x.err = s(func(b trace.Block) error {
			if !yield(b) {
				return stopped
			}
			return nil
		})
	})
	return x
}

func (x *turns) next() (tuple.Tuple, bool) {
	for len(x.rest) == 0 {
		b, ok := x.pull()
		if !ok {
			return tuple.Tuple{}, false
		}
		x.rest = b.Tuples
	}
	t := x.rest[0]
	x.rest = x.rest[1:]
	return t, true
}
