//go:build linux && amd64

package backend

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/pepgo/pep/tracer/internal/values/capture"
)

// A Recorder is a source that also writes its runs to a file. Only its user can read the file: it has
// values of the program.
type Recorder struct {
	Source
	mu   sync.Mutex // the source can still be asked for a run when the recording ends
	w    *capture.Writer
	file *os.File
}

// Record begins a recording of a source in a file. The header says what the recording is of.
func Record(s Source, name string, h capture.Header) (*Recorder, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("-record: %w", err)
	}
	return &Recorder{Source: s, w: capture.NewWriter(f, h), file: f}, nil
}

// Next records the run that it returns.
func (r *Recorder) Next(run *capture.Run) error {
	if err := r.Source.Next(run); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.w != nil {
		r.w.Write(run, r.Source.Lost())
	}
	return nil
}

// End completes the file.
func (r *Recorder) End() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := errors.Join(r.w.Close(), r.file.Close())
	r.w = nil
	if err != nil {
		err = fmt.Errorf("-record: %w", err)
	}
	return err
}
