package figure

// This file reads the recordings of programs.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

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

// Layouts returns a function that names the files PROGRAM.TAPS.layout of a directory.
func Layouts(dir string) func(program, taps string) string {
	return func(program, taps string) string { return filepath.Join(dir, program+"."+taps+".layout") }
}

// Files returns a source that reads the files PROGRAM.TAPS.trace of a directory.
func Files(dir string) func(program, taps string) (replay.Source, error) {
	return func(program, taps string) (replay.Source, error) {
		name := traceFile(dir, program, taps)
		if _, err := os.Stat(name); errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("%s: %w (make figures records them)", name, ErrNoTrace)
		}
		return func(do func(trace.Block) error) error {
			r, err := trace.Open(name, nil)
			if err != nil {
				return err
			}
			defer r.Close()
			return replay.Of(r)(do)
		}, nil
	}
}

// FirstTuples calls do with the first tuples of a source, at most so many.
func FirstTuples(source replay.Source, most uint64, do func(stream uint32, tuples []tuple.Tuple)) error {
	enough := errors.New("enough")
	err := source(func(b trace.Block) error {
		n := tuple.Whole(b.Tuples, int(min(most, uint64(len(b.Tuples)))))
		do(b.Stream, b.Tuples[:n])
		if most -= uint64(n); n < len(b.Tuples) || most == 0 {
			return enough
		}
		return nil
	})
	if err == enough {
		return nil
	}
	return err
}

// Behind returns the events of a source behind n events, from a whole sample on.
func Behind(source replay.Source, n uint64) replay.Source {
	return func(do func(trace.Block) error) error {
		skip, began := n, false
		return source(func(b trace.Block) error {
			if skip >= uint64(len(b.Tuples)) {
				skip -= uint64(len(b.Tuples))
				return nil
			}
			b.Tuples = b.Tuples[skip:]
			if skip = 0; !began {
				first := slices.IndexFunc(b.Tuples, func(t tuple.Tuple) bool { return t.Tag().Further() == 0 })
				if first < 0 {
					return nil
				}
				b.Tuples, began = b.Tuples[first:], true
			}
			return do(b)
		})
	}
}

// EachPart calls do with the parts of a recording, each as long as the others, and with an environment that ends each
// of them.
func (env *Env) EachPart(parts uint64, source replay.Source, do func(env *Env, source replay.Source) error) error {
	part := *env
	part.Loads /= parts
	for k := range parts {
		if err := do(&part, Behind(source, k*part.Loads)); err != nil {
			return err
		}
	}
	return nil
}

// copySlice is how many events each copy of the code has in turn.
const copySlice = 20_000

// Copies returns the events of a program whose code is there k times: each slice of the events belongs to another one
// of the copies, which have sites of their own.
func Copies(source replay.Source, k uint64) replay.Source {
	return func(do func(trace.Block) error) error {
		n := uint64(0)
		return source(func(b trace.Block) error {
			list := slices.Clone(b.Tuples)
			for i := range list {
				list[i].PC ^= (n / copySlice % k * 0x9E3779B1 & 0xffffffff) << 24 // another package with the same sites
				n++
			}
			b.Tuples = list
			return do(b)
		})
	}
}
