//go:build linux && amd64

package sampling

// This file builds programs, runs them, and samples them.

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/pepgo/pep/lab/driver"
	"github.com/pepgo/pep/tracer"
)

// An Experiment says what is common to the experiments.
type Experiment struct {
	Root   string    // directory of the module of pep
	Goroot string    // directory of the Go distribution
	Work   string    // directory for executables
	Rounds int       // of measurements of time; each has all variants once
	Scale  int       // percent of the workload of test programs
	Log    io.Writer // progress
}

// hidden builds a program of testdata/hidden.
func (e *Experiment) hidden(name string, flags ...string) (exe string, err error) {
	exe = filepath.Join(e.Work, name)
	for _, f := range flags {
		exe += f
	}
	return exe, build(filepath.Join(e.Root, "lab/sampling/testdata/hidden"), append(flags, "-o", exe, "./"+name)...)
}

func build(dir string, args ...string) error {
	_, err := driver.Tool(dir, nil, "go", append([]string{"build"}, args...)...)
	return err
}

// A way says how a program is sampled.
type way struct {
	tracer.SampleRequest                       // of a process that it does not name
	live                 bool                  // a view is made twice a second, as by peptrace values -live
	use                  func(*tracer.Sampled) // takes what it needs of the values; nil is nothing
}

// values is a request for the values of instructions.
func values(q tracer.SampleRequest) way {
	q.Modules = "operands"
	return way{SampleRequest: q}
}

// ticks reports whether the kernel's own clock interrupts.
func (w *way) ticks() bool { return w.With == "ticks" }

// Stats say what became of the interrupts, and what our program in the kernel took.
type Stats struct {
	tracer.Sampling
	tracer.Cost
}

// A run is a program that was sampled until its end.
type run struct {
	cpu    time.Duration // user and system time of the program
	own    time.Duration // of this process meanwhile, which decodes code and counts values
	attach time.Duration // of this process before, to attach
	// CPU time of this process as a part of time, after the first second of it; only if the program was killed
	steady float64
	stats  Stats
	stdout string
}

// sampled runs a program with a sampler, and if w is nil without. If last is not 0, the program
// is killed when it has used that much CPU time.
func sampled(exe string, args []string, w *way, last time.Duration) (r *run, err error) {
	// The thread that traces a process is the one that has started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var out bytes.Buffer
	cmd := exec.Command(exe, args...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	pid, waited := cmd.Process.Pid, false
	defer func() {
		if !waited {
			cmd.Process.Kill()
			cmd.Wait()
		}
	}()
	if _, err := syscall.Wait4(pid, nil, 0, nil); err != nil { // it has called exec
		return nil, err
	}
	r = &run{}
	runtime.GC() // what other runs have left does not belong to this one
	var ended func() (*tracer.Sampled, error)
	began := cpuTime()
	if w != nil {
		q := w.SampleRequest
		q.PIDs = []int{pid}
		if w.live {
			q.Screen = &tracer.Screen{W: io.Discard, Size: func() (int, int) { return 40, 120 }}
			q.Select.N = 3
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		before := began
		if ended, err = begin(ctx, q); err != nil {
			return nil, err
		}
		began = cpuTime()
		r.attach = began - before
	}
	if err := syscall.PtraceDetach(pid); err != nil {
		return nil, err
	}
	if last > 0 {
		time.Sleep(time.Second)
		second, own := time.Now(), cpuTime()
		for used := time.Duration(0); used < last && err == nil; used, err = usedBy(pid) {
			time.Sleep(100 * time.Millisecond)
		}
		if err != nil {
			return nil, err
		}
		r.steady = float64(cpuTime()-own) / float64(time.Since(second))
		cmd.Process.Kill()
	}
	err, waited = cmd.Wait(), true
	if err != nil && last == 0 {
		return nil, fmt.Errorf("%s: %w", exe, err)
	}
	r.cpu, r.stdout = cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime(), out.String()
	if w == nil {
		return r, nil
	}
	result, err := ended()
	if err != nil {
		return nil, err
	}
	defer result.Close()
	r.own = cpuTime() - began
	r.stats = Stats{result.Sampling, result.Cost}
	if w.use != nil {
		w.use(result)
	}
	return r, nil
}

// begin begins to sample. The function that it returns waits for the end.
func begin(ctx context.Context, q tracer.SampleRequest) (end func() (*tracer.Sampled, error), err error) {
	type result struct {
		*tracer.Sampled
		err error
	}
	ready, ended := make(chan struct{}), make(chan result, 1)
	go func() {
		s, err := tracer.Sample(ctx, q, func() { close(ready) })
		ended <- result{s, err}
	}()
	end = func() (*tracer.Sampled, error) { r := <-ended; return r.Sampled, r.err }
	select {
	case <-ready:
	case r := <-ended:
		if r.err != nil {
			return nil, r.err
		}
		ended <- r
	}
	return end, nil
}

// usedBy returns the CPU time of another process that has not been waited for.
func usedBy(pid int) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	var user, system int // in hundredths of a second, behind the name in brackets and eleven fields
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, fmt.Errorf("/proc/%d/stat has %d fields behind the name, want 13 or more", pid, len(fields))
	}
	if fields[0] == "Z" {
		return 0, fmt.Errorf("process %d has ended too early", pid)
	}
	if _, err := fmt.Sscan(fields[11]+" "+fields[12], &user, &system); err != nil {
		return 0, err
	}
	return time.Duration(user+system) * 10 * time.Millisecond, nil
}

// cpuTime returns the CPU time of this process.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // the arguments are right
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
