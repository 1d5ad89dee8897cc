package beginnings

// This file takes profiles of programs while they run.

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/cmd/pep/snapshot"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/lab/bench/cost"
	"github.com/pepgo/pep/lab/bench/programs"
	"github.com/pepgo/pep/lab/driver"
	"github.com/pepgo/pep/lab/markdown"
)

// The first profile of a running program is taken after this CPU time, and each further one
// after as long again, or after a twelfth of the time until then, if that is longer.
const (
	firstGrowing = 20 * time.Millisecond
	nextGrowing  = 12
)

// Growing runs a build, and takes profiles of its paths from time to time. The program is stopped
// meanwhile. The last profile is that of the whole run.
func Growing(p *programs.Program, build string, env ...string) (growing [][]profile.Path, err error) {
	out, err := os.MkdirTemp(p.Work, "out")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(out)
	var stderr bytes.Buffer
	cmd := p.Command(out, build, env...)
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	growing, err = watch(cmd.Process)
	if err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		return nil, fmt.Errorf("%s, while it runs: %w", p.Exe(build), err)
	}
	if err := cmd.Wait(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", p.Exe(build), err, stderr.Bytes())
	}
	name, err := driver.Profile(out, schema.Paths)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, stderr.Bytes())
	}
	f, err := profile.Open(name)
	if err != nil {
		return nil, err
	}
	last, err := summed(f)
	return append(growing, last), err
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

// stopped returns the profile so far, of a kind as for [snapshot.Take], of a process, which it stops and continues; nil
// if the process has ended.
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

// First returns the profile of the edges of the first part of an exact run, by CPU time.
func First(p *programs.Program, share float64) (edges []byte, err error) {
	r, _, err := cost.RunVariant(p, cost.Variant{Name: "", Build: programs.Exact, Env: []string{programs.Defaults}}, 0)
	if err != nil {
		return nil, err
	}
	out, err := os.MkdirTemp(p.Work, "out")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(out)
	cmd := p.Command(out, programs.Exact, programs.Defaults)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	defer func() {
		cmd.Process.Signal(syscall.SIGKILL)
		cmd.Wait()
	}()
	for edges == nil {
		used, state, err := status(cmd.Process.Pid)
		if err != nil {
			return nil, err
		}
		if state == ended {
			return nil, fmt.Errorf("the run ended before its first %s: raise -scale", markdown.Whole(share))
		}
		if float64(used) < share*float64(r.CPU) {
			time.Sleep(time.Millisecond)
			continue
		}
		if edges, err = stopped(cmd.Process, "edges"); err != nil {
			return nil, err
		}
	}
	return edges, nil
}
