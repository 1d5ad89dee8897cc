package gobuild

// This file shows on a terminal how far a build is. A build of all packages takes a minute
// when they are not in the cache, and the go command prints nothing meanwhile:
//
//	pepbuild: 37 packages compiled, at most 153 to do, 12s: regexp/syntax

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const (
	progressTick  = 200 * time.Millisecond
	progressAfter = 2 * time.Second // shorter builds show nothing
	progressWidth = 79              // columns at most, so that the line does not wrap
	progressEvery = 5 * time.Second // between lines that stay
	eraseLine     = "\r\x1b[K"
)

// A progress is standard error with a last line that changes. What is written to it goes
// above that line. A nil progress shows nothing.
type progress struct {
	out   io.Writer
	log   string // file to which package toolexec adds the import path of each package
	start time.Time

	// changes is whether the line changes. If not, as a program that is run may write to the same terminal, there is a new
	// line each few seconds, but only if a package was compiled since the last one: so not while the program runs.
	changes bool

	mu    sync.Mutex
	most  int  // packages, if none is in the cache; 0 before the go command builds
	shown bool // there is a line to erase
	last  time.Time
	had   int // packages when the last line was written

	end     chan struct{}
	stopped sync.Once
	done    sync.WaitGroup
}

// startProgress begins to show progress on out, in a line that changes or in lines that stay.
func startProgress(out io.Writer, changes bool) (*progress, error) {
	dir, err := os.MkdirTemp("", "pepbuild-")
	if err != nil {
		return nil, err
	}
	p := &progress{out: out, log: filepath.Join(dir, "packages"), changes: changes, start: time.Now(),
		end: make(chan struct{})}
	p.done.Go(func() {
		tick := time.NewTicker(progressTick)
		defer tick.Stop()
		for {
			select {
			case <-p.end:
				return
			case now := <-tick.C:
				p.show(now)
			}
		}
	})
	return p, nil
}

// building says that the go command builds now, at most so many packages.
func (p *progress) building(most int) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.most = most
}

// stop erases the line and ends p.
func (p *progress) stop() {
	if p == nil {
		return
	}
	p.stopped.Do(func() {
		close(p.end)
		p.done.Wait()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.erase()
		os.RemoveAll(filepath.Dir(p.log))
	})
}

// Write writes what the go command prints.
func (p *progress) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	return p.out.Write(b)
}

func (p *progress) erase() {
	if p.shown {
		io.WriteString(p.out, eraseLine)
		p.shown = false
	}
}

// show shows how far the build is.
func (p *progress) show(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	took := now.Sub(p.start)
	if took < progressAfter {
		return
	}
	text, _ := os.ReadFile(p.log)
	paths := bytes.Fields(text)
	line := fmt.Sprintf("pepbuild: %d packages compiled, at most %d to do, %v", len(paths), max(0, p.most-len(paths)),
		took.Round(time.Second))
	switch {
	case p.most == 0:
		line = fmt.Sprintf("pepbuild: preparing, %v", took.Round(time.Second))
	case len(paths) > 0:
		line += fmt.Sprintf(": %s", paths[len(paths)-1])
	}
	line = line[:min(len(line), progressWidth)]
	if p.changes {
		p.erase()
		io.WriteString(p.out, line)
		p.shown = true
		return
	}
	if now.Sub(p.last) >= progressEvery && (p.most == 0 || len(paths) > p.had) {
		p.last, p.had = now, len(paths)
		io.WriteString(p.out, line+"\n")
	}
}
