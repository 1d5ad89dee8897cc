package torture

// This file runs programs and tells how they ended.

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	"github.com/pepgo/pep/internal/pepbuildtest"
	"github.com/pepgo/pep/lab/gotest"
)

// A process is a run of a program that is to be started.
type process struct {
	exe  string
	args []string
	dir  string   // PEPDIR, and where it runs
	opts string   // PEPOPTS
	env  []string // more
	time time.Duration
	// The executable, if it gets ticks from outside: see pepbuildtest.SendTicks.
	ticks string

	raw bool // what it prints is not settled: whoever reads it wants the traces

	broken  bool                                  // nobody reads what it prints
	started func(p *os.Process, stdout io.Reader) // does something to it; gets what it prints meanwhile
}

// An outcome is what a run of a program showed to its user.
type outcome struct {
	state          string // how it ended
	stdout, stderr string
	took           time.Duration
	pid            int
}

// run runs a process to its end.
func (p *process) run() outcome {
	ctx, cancel := context.WithTimeout(context.Background(), p.time)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, p.exe, p.args...)
	cmd.Dir = p.dir
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Env = append(append(os.Environ(), "PEPDIR="+p.dir, "PEPOPTS="+p.opts), p.env...)
	cmd.WaitDelay = 5 * time.Second
	// The process has a group of its own, so that its children end with it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if p.started == nil && !p.broken {
		start := time.Now()
		err := cmd.Start()
		if err == nil {
			stop := p.sendTicks(cmd.Process.Pid)
			err = cmd.Wait()
			stop()
		}
		return p.ended(ctx, cmd, err, &stdout, &stderr, time.Since(start))
	}
	r, w, err := os.Pipe()
	if err != nil {
		return outcome{state: err.Error()}
	}
	defer r.Close()
	cmd.Stdout = w
	if p.broken {
		r.Close()
	}
	start := time.Now()
	err = cmd.Start()
	w.Close()
	if err != nil {
		return outcome{state: err.Error()}
	}
	defer p.sendTicks(cmd.Process.Pid)()
	copied := make(chan bool)
	go func() {
		defer close(copied)
		out := io.TeeReader(r, &stdout)
		if p.started != nil {
			p.started(cmd.Process, out)
		}
		io.Copy(io.Discard, out)
	}()
	err = cmd.Wait()
	took := time.Since(start)
	select {
	case <-copied:
	case <-time.After(5 * time.Second): // something has inherited the pipe
		r.Close()
		<-copied
	}
	return p.ended(ctx, cmd, err, &stdout, &stderr, took)
}

// sendTicks sends ticks until the caller stops it. The program has none if its table of symbols cannot be read.
func (p *process) sendTicks(pid int) (stop func()) {
	if p.ticks != "" {
		if stop, err := pepbuildtest.SendTicks(p.ticks, pid); err == nil {
			return stop
		}
	}
	return func() {}
}

func (p *process) ended(ctx context.Context, cmd *exec.Cmd, err error, stdout, stderr *bytes.Buffer, took time.Duration) outcome {
	o := outcome{stdout: stdout.String(), stderr: stderr.String(), took: took}
	if !p.raw {
		o.stdout, o.stderr = settle(o.stdout), settle(o.stderr)
	}
	switch {
	case ctx.Err() != nil:
		o.state = "timeout"
	case cmd.ProcessState != nil:
		o.state = cmd.ProcessState.String()
		o.pid = cmd.ProcessState.Pid()
	default:
		o.state = err.Error()
	}
	return o
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

// profiles returns the names of the profiles of a kind in a directory.
func profiles(dir, kind string) []string {
	names, _ := filepath.Glob(filepath.Join(dir, "*."+kind+".pb.gz"))
	return names
}
