package bench

// This file takes profiles of programs while they run.

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/cmd/pep/snapshot"
)

// The first profile of a running program is taken after this CPU time, and each further one
// after as long again, or after a twelfth of the time until then, if that is longer.
const (
	firstGrowing = 20 * time.Millisecond
	nextGrowing  = 12
)

// growing runs a build, and takes profiles of its paths from time to time. The program is stopped
// meanwhile. The last profile is that of the whole run.
func (p *program) growing(build string, env ...string) (growing [][]profile.Path, err error) {
	out, err := os.MkdirTemp(p.work, "out")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(out)
	var stderr bytes.Buffer
	cmd := p.command(out, build, env...)
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	growing, err = watch(cmd.Process)
	if err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		return nil, fmt.Errorf("%s, while it runs: %w", p.exe(build), err)
	}
	if err := cmd.Wait(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", p.exe(build), err, stderr.Bytes())
	}
	names, err := filepath.Glob(filepath.Join(out, "*.paths.pb.gz"))
	if err != nil || len(names) != 1 {
		return nil, fmt.Errorf("%d paths profiles of one run, want 1: %s", len(names), stderr.Bytes())
	}
	f, err := profile.Open(names[0])
	if err != nil {
		return nil, err
	}
	last, err := summed(f)
	return append(growing, last), err
}

// command is a run of a build that writes its profiles to a directory.
func (p *program) command(out, build string, env ...string) *exec.Cmd {
	cmd := exec.Command(p.exe(build), p.scale())
	cmd.Dir = out
	cmd.Env = append(os.Environ(), append(env, "PEPDIR="+out)...)
	return cmd
}

// watch takes profiles of a process until it ends.
func watch(p *os.Process) (growing [][]profile.Path, err error) {
	for next := firstGrowing; ; {
		used, state, err := status(p.Pid)
		if err != nil || state == ended {
			return growing, err
		}
		if used < next {
			time.Sleep(min(next-used, 5*time.Millisecond))
			continue
		}
		data, err := stopped(p, "paths")
		if err != nil || data == nil {
			return growing, err
		}
		f, err := profile.Parse("snapshot.paths.pb.gz", bytes.NewReader(data))
		if err != nil {
			return growing, err
		}
		paths, err := summed(f)
		if err != nil {
			return growing, err
		}
		growing = append(growing, paths)
		next = used + max(firstGrowing, used/nextGrowing)
	}
}

// Letters of states of processes.
const (
	ended = 'Z' // it has not been waited for
	halts = 'T'
)

// stopped returns the profile so far, of a kind as for [snapshot.Take], of a process, which it stops and continues; nil if
// the process has ended.
func stopped(p *os.Process, kind string) ([]byte, error) {
	if err := p.Signal(syscall.SIGSTOP); errors.Is(err, os.ErrProcessDone) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer p.Signal(syscall.SIGCONT)
	for {
		_, state, err := status(p.Pid)
		if err != nil || state == ended {
			return nil, err
		}
		if state == halts {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return snapshot.Take(p.Pid, kind)
}

func summed(f *profile.File) ([]profile.Path, error) {
	paths, err := f.Paths()
	return profile.SumPaths(paths), err
}

// status returns the CPU time of a process, in steps of 10 ms, and the letter of its state.
func status(pid int) (used time.Duration, state byte, err error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0, err
	}
	// The name, in parentheses, may contain anything.
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(fields) < 13 {
		return 0, 0, fmt.Errorf("/proc/%d/stat: %d fields behind the name, want 13", pid, len(fields))
	}
	var ticks int64
	for _, f := range fields[11:13] { // user and system time
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return 0, 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond, fields[0][0], nil
}
