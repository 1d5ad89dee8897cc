package database

// This file reads what a sampler has left in files.

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"github.com/pepgo/pep/internal/input"
	"github.com/pepgo/pep/tracer/internal/values/capture"
	"github.com/pepgo/pep/tracer/internal/values/modules"
)

// Load reads files and directories of databases, and recordings, and merges them. The modules are
// those that make samples of the runs of recordings, as modules.Parse reads them, with what is known
// of the sampled programs.
func Load(files []string, list string, names modules.Resolver) (*Database, error) {
	db := New()
	for _, name := range files {
		one, err := load(name, list, names)
		if err == nil {
			err = db.Merge(one)
		}
		if err != nil {
			return nil, err
		}
	}
	return db, nil
}

// recording is how recordings begin.
const recording = "pepVRUNS"

func load(name, list string, names modules.Resolver) (*Database, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return Open(name)
	}
	f, err := input.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := bufio.NewReader(f)
	if head, _ := b.Peek(len(recording)); string(head) == recording {
		db, err := replay(b, list, names)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return db, nil
	}
	db, err := Read(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; want a database or a recording", name, err)
	}
	return db, nil
}

func replay(r io.Reader, list string, names modules.Resolver) (*Database, error) {
	source, err := capture.OpenReplay(r)
	if err != nil {
		return nil, err
	}
	parsed, err := modules.Parse(list, names)
	if err != nil {
		return nil, err
	}
	db := New()
	return db, db.Collect(source, parsed, Settings{Interval: source.Header.Interval, Comment: source.Header.Comment})
}
