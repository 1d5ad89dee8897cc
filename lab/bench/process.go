package bench

// This file runs programs and measures them.

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A Run is one process that has ended.
type Run struct {
	CPU    time.Duration // user and system time of all threads, and of children waited for
	Wall   time.Duration
	Stdout string
	Code   int // exit code
}

// same returns an error that says how r differs from a run of the plain program, or nil.
func (r Run) same(plain Run) error {
	switch {
	case r.Code != plain.Code:
		return fmt.Errorf("exit code %d, plain program %d", r.Code, plain.Code)
	case r.Stdout != plain.Stdout:
		return fmt.Errorf("prints %q, plain program %q", r.Stdout, plain.Stdout)
	}
	return nil
}

// start runs a program in dir to its end. An exit code other than 0 is no error; the
// caller looks at Code. It is an error if the program says on standard error that it
// runs without a profile, because the measurement would then be of something else, unless it was built
// to have none.
func start(dir string, env []string, exe string, args ...string) (Run, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(exe, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	began := time.Now()
	err := cmd.Run()
	r := Run{Wall: time.Since(began), Stdout: stdout.String()}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return r, err
	}
	r.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	r.Code = cmd.ProcessState.ExitCode()
	for line := range strings.Lines(stderr.String()) {
		if strings.HasPrefix(line, "pep: ") && !strings.HasPrefix(line, "pep: built with -pepwithout") {
			return r, fmt.Errorf("%s: %s", filepath.Base(exe), strings.TrimSpace(line))
		}
	}
	return r, nil
}

// tool runs a command that must succeed, such as a build.
func tool(dir string, env []string, exe string, args ...string) (Run, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(exe, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	began := time.Now()
	if err := cmd.Run(); err != nil {
		return Run{}, fmt.Errorf("%s %s in %s: %w\n%s", filepath.Base(exe), args[0], dir, err, stderr.Bytes())
	}
	return Run{
		CPU:    cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(),
		Wall:   time.Since(began),
		Stdout: stdout.String(),
	}, nil
}
