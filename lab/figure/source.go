package figure

// This file reads the recordings of programs.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

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
