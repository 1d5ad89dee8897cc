package torture

// This file runs programs and tells how they ended.

import (
	"regexp"
	"time"

	"github.com/pepgo/pep/lab/driver"
	"github.com/pepgo/pep/lab/gotest"
)

// A process is a run of a program that is to be started, in the directory for its profiles.
type process struct {
	driver.Process
	opts string // PEPOPTS
	raw  bool   // what it prints is not settled: whoever reads it wants the traces
}

// run runs a process to its end.
func (p *process) run() driver.Run {
	p.Env = append([]string{"PEPDIR=" + p.Dir, "PEPOPTS=" + p.opts}, p.Env...)
	r, err := p.Run()
	if err != nil {
		r.State = err.Error()
	}
	if !p.raw {
		r.Stdout, r.Stderr = settle(r.Stdout), settle(r.Stderr)
	}
	return r
}

// writer is the process of a program that makes profiles of a file of counts.
func writer(exe, dir, counts string) *process {
	return &process{Process: driver.Process{Exe: exe, Dir: dir, Env: []string{"PEP_WRITE=" + counts}, Limit: time.Minute}}
}

var (
	traces = regexp.MustCompile(`(?ms)^(runtime stack:|goroutine \d+ |PC=).*`)
	inUse  = regexp.MustCompile(`\(\d+ in use\)`)
)

// settle removes from a program's output the text that differs between two builds:
// addresses, and everything after the message of a crash.
func settle(s string) string {
	return gotest.Settle(inUse.ReplaceAllString(traces.ReplaceAllString(s, "…"), "(… in use)"))
}
