package stratfigures

// This file makes one recording of those of all programs, which take turns.

import (
	"errors"
	"fmt"
	"iter"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/hwsim/trace"
	"github.com/pepgo/pep/lab/figure"
)

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

// programShift is the lowest bit of the number of a program in a pc: it is below the tag, in the number of the package.
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

// turn is how many events of a program follow each other where programs take turns.
const turn = 1000

// replayInTurns replays the first recordings of all programs in turns, and then the second ones. The paper selected
// gcc for its large working set, and none of our programs alone has as many places as all of them together.
func replayInTurns(env *figure.Env, res *figure.Result, specs []string) (list []*figure.Batch, err error) {
	all := map[string][]replay.Source{} // by recording
	err = env.EachRecording(res, figure.Programs, "loads", func(o figure.Origin, source replay.Source) error {
		all[o.Recording] = append(all[o.Recording], source)
		return nil
	})
	if err != nil {
		return nil, err
	}
	programs := 0
	for _, recording := range figure.Recordings[:2] {
		sources := all[recording]
		if programs == 0 {
			programs = len(sources)
		}
		if len(sources) < programs {
			continue
		}
		b := &figure.Batch{Origin: figure.Origin{Program: figure.Program{Name: fmt.Sprintf("%d programs", programs)}, Recording: recording}, Engines: specs}
		if b.Results, err = env.Replay(inTurns(sources, turn), env.Loads, specs); err != nil {
			return nil, err
		}
		last := b.Results[0][0]
		res.Describe("in turns: %s: turns of %d events, %s events in all; errors of %d tuples at %d places", b, turn, figure.Abbreviate(last.Events), last.Error.Tuples, last.Error.Places)
		list = append(list, b)
	}
	return list, nil
}
