package driver

// This file runs programs and measures them.

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/pepgo/pep/gobuild/pepbuildtest"
)

// A Process is a run of a program that is to be started.
type Process struct {
	Exe   string
	Name  string // of the program, as it sees it; "" is Exe
	Args  []string
	Dir   string        // where it runs; "" is the working directory
	Env   []string      // beside that of this process
	Limit time.Duration // after which it is killed, with its children; 0 is none
	// The executable, if it gets ticks from outside: see pepbuildtest.SendTicks.
	Ticks string

	Broken  bool                                  // nobody reads what it prints
	Started func(p *os.Process, stdout io.Reader) // does something to it; gets what it prints meanwhile
}

// A Run is one process that has ended.
type Run struct {
	CPU            time.Duration // user and system time of all threads, and of children waited for
	Wall           time.Duration
	Stdout, Stderr string
	Code           int    // exit code
	State          string // how it ended: "exit status 0", "signal: killed"; "timeout" after the limit
	Pid            int
}

// Run runs a process to its end. However it ends, that is no error.
func (p *Process) Run() (r Run, err error) {
	ctx := context.Background()
	if p.Limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, p.Limit)
		defer cancel()
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, p.Exe, p.Args...)
	if p.Name != "" {
		cmd.Args[0] = p.Name
	}
	cmd.Dir = p.Dir
	cmd.Env = append(os.Environ(), p.Env...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if p.Limit > 0 {
		cmd.WaitDelay = 5 * time.Second
		// The process has a group of its own, so that its children end with it.
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	}
	var out, in *os.File // of a pipe from the program
	copied := make(chan bool)
	if p.Started != nil || p.Broken {
		if out, in, err = os.Pipe(); err != nil {
			return r, err
		}
		defer out.Close()
		cmd.Stdout = in
	}
	if p.Broken {
		out.Close()
	}
	began := time.Now()
	err = cmd.Start()
	if in != nil {
		in.Close()
	}
	if err != nil {
		return r, err
	}
	stop := p.sendTicks(cmd.Process.Pid)
	if in == nil {
		close(copied)
	} else {
		go func() {
			defer close(copied)
			text := io.TeeReader(out, &stdout)
			if p.Started != nil {
				p.Started(cmd.Process, text)
			}
			io.Copy(io.Discard, text)
		}()
	}
	err = cmd.Wait()
	r.Wall = time.Since(began)
	stop()
	select {
	case <-copied:
	case <-time.After(5 * time.Second): // something has inherited the pipe
		out.Close()
		<-copied
	}
	r.Stdout, r.Stderr = stdout.String(), stderr.String()
	r.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	r.Code, r.State = cmd.ProcessState.ExitCode(), cmd.ProcessState.String()
	r.Pid = cmd.ProcessState.Pid()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		r.State, err = "timeout", nil
	case errors.As(err, &exit), errors.Is(err, exec.ErrWaitDelay):
		err = nil
	}
	return r, err
}

// sendTicks sends ticks until the caller stops it. The program has none if its table of symbols cannot be read.
func (p *Process) sendTicks(pid int) (stop func()) {
	if p.Ticks != "" {
		if stop, err := pepbuildtest.SendTicks(p.Ticks, pid); err == nil {
			return stop
		}
	}
	return func() {}
}

// Same returns an error that says how r differs from a run of the plain program, or nil.
func (r Run) Same(plain Run) error {
	switch {
	case r.Code != plain.Code:
		return fmt.Errorf("exit code %d, plain program %d", r.Code, plain.Code)
	case r.Stdout != plain.Stdout:
		return fmt.Errorf("prints %q, plain program %q", r.Stdout, plain.Stdout)
	}
	return nil
}

// Start runs a program in dir to its end. An exit code other than 0 is no error; the
// caller looks at Code. It is an error if the program says on standard error that it
// runs without a profile, because the measurement would then be of something else, unless it was built
// to have none.
func Start(dir string, env []string, exe string, args ...string) (Run, error) {
	r, err := (&Process{Exe: exe, Args: args, Dir: dir, Env: env}).Run()
	if err != nil {
		return r, err
	}
	for line := range strings.Lines(r.Stderr) {
		if strings.HasPrefix(line, "pep: ") && !strings.HasPrefix(line, "pep: built with -pepwithout") {
			return r, fmt.Errorf("%s: %s", filepath.Base(exe), strings.TrimSpace(line))
		}
	}
	return r, nil
}

// Tool runs a command that must succeed, such as a build.
func Tool(dir string, env []string, exe string, args ...string) (Run, error) {
	r, err := (&Process{Exe: exe, Args: args, Dir: dir, Env: env}).Run()
	if err == nil && r.Code != 0 {
		err = errors.New(r.State)
	}
	if err != nil {
		return r, fmt.Errorf("%s %s in %s: %w\n%s%s", exe, strings.Join(args, " "), cmp.Or(dir, "."), err,
			r.Stdout[max(0, len(r.Stdout)-2000):], r.Stderr)
	}
	return r, nil
}

// CPUTime returns the CPU time of this process.
func CPUTime() (time.Duration, error) {
	var u syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), err
}
