package gobuild

// This file shows on a terminal how far a build is. A build of all packages takes a minute
// when they are not in the cache, and the go command prints nothing meanwhile:
//
//	pepbuild: 37 packages instrumented, at most 153 to do, 12s: regexp/syntax

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
	eraseLine     = "\r\x1b[K"
)

// A progress is standard error with a last line that changes. What is written to it goes
// above that line.
type progress struct {
	out   io.Writer
	log   string // file to which package toolexec adds the import path of each package
	most  int    // packages, if none is in the cache
	start time.Time

	mu    sync.Mutex
	shown bool // there is a line to erase

	end  chan struct{}
	done sync.WaitGroup
}

// startProgress begins to show progress on out.
func startProgress(out io.Writer, most int) (*progress, error) {
	dir, err := os.MkdirTemp("", "pepbuild-")
	if err != nil {
		return nil, err
	}
	p := &progress{out: out, log: filepath.Join(dir, "packages"), most: most, start: time.Now(), end: make(chan struct{})}
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

// stop erases the line and ends p.
func (p *progress) stop() {
	close(p.end)
	p.done.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	os.RemoveAll(filepath.Dir(p.log))
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
	text, err := os.ReadFile(p.log)
	if err != nil { // nothing is instrumented yet
		return
	}
	paths := bytes.Fields(text)
	if len(paths) == 0 {
		return
	}
	line := fmt.Sprintf("pepbuild: %d packages instrumented, at most %d to do, %v: %s",
		len(paths), max(0, p.most-len(paths)), took.Round(time.Second), paths[len(paths)-1])
	p.erase()
	io.WriteString(p.out, line[:min(len(line), progressWidth)])
	p.shown = true
}
