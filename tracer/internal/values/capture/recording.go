package capture

// This file has recordings in files, and replays them as fast as they were made.

import (
	"bufio"
	"fmt"
	"time"

	"github.com/pepgo/pep/internal/input"
)

// A Recording is the source of a recording in a file.
type Recording struct {
	*Replay
	file *input.File
}

// OpenRecording opens a recording.
func OpenRecording(name string) (*Recording, error) {
	f, err := input.Open(name)
	if err != nil {
		return nil, err
	}
	replay, err := OpenReplay(bufio.NewReader(f))
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
	Source
	Speed float64 // 1 is as recorded

	began time.Time // when the first run came
	first uint64    // its time
}

// Next waits until it is time for the next run, and returns it.
func (p *Paced) Next(r *Run) error {
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
