//go:build linux && amd64

package tracer

// This file finds out what of a program never runs.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	report "github.com/pepgo/pep/analyze/cold"
	"github.com/pepgo/pep/machine/image"
	"github.com/pepgo/pep/tracer/internal/cold"
	"github.com/pepgo/pep/tracer/internal/proc/process"
)

// A ColdRequest says of which program to find out what never runs, and how long to look. It has one of PID, Program and
// All.
type ColdRequest struct {
	PID     int
	Program *exec.Cmd // started, and looked at from its first instruction on
	All     string    // an executable: all its processes, those that start later, too

	Scope   report.Scope  // empty is report.Modules
	Careful bool          // do not write to the memory of processes
	Out     string        // a file to add to as blocks are seen; what it has needs no probe; empty is none
	Time    time.Duration // 0 is until the context is done, or the process ends
}

// Check says what is wrong with a request.
func (q *ColdRequest) Check() error {
	given := 0
	for _, is := range []bool{q.PID != 0, q.Program != nil, q.All != ""} {
		if is {
			given++
		}
	}
	switch {
	case given == 0:
		return errors.New("which program? give a process, -p PID, an executable, -a FILE, or a program with its arguments")
	case given > 1:
		return errors.New("-p, -a and a program: give one of them")
	case q.PID < 0:
		return fmt.Errorf("-p %d: a process ID is positive", q.PID)
	case q.Time < 0:
		return fmt.Errorf("-d %v: a time cannot be negative", q.Time)
	}
	return nil
}

// Cold looks until the context is done, the time is over, or the process has ended; then the probes are gone. It calls
// ready, if that is not nil, when they are there, with their number. A program that it has started runs on: the caller
// waits for it.
func Cold(ctx context.Context, q ColdRequest, ready func(probes int)) (*report.Data, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	q.Scope = cmp.Or(q.Scope, report.Modules)
	c := &colds{ColdRequest: q}
	defer c.close()
	if err := c.open(); err != nil {
		return nil, err
	}
	err := c.attach()
	if err == nil && c.stopped != nil {
		err = c.stopped.Resume()
		c.stopped = nil
	}
	if err != nil {
		return nil, err
	}
	if ready != nil {
		ready(c.session.Probes())
	}
	if q.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, q.Time)
		defer cancel()
	}
	if err := c.watch(ctx); err != nil {
		return nil, err
	}
	return c.data, nil
}

// colds is what Cold works with.
type colds struct {
	ColdRequest
	stopped *cold.Stopped // until it runs
	process *process.Process
	image   *image.Image
	session *cold.Session
	writer  *report.Writer
	sign    coldSign
	data    *report.Data
	watched report.Watch
}

func (c *colds) close() {
	if c.session != nil {
		c.session.Detach()
	}
	c.sign.close()
	if c.stopped != nil {
		c.stopped.Kill()
	}
	if c.process != nil {
		c.process.Close()
	}
	if c.image != nil {
		c.image.Close()
	}
	if c.writer != nil {
		c.writer.Close()
	}
}

// open starts the program, if that is asked for, and opens process and executable.
func (c *colds) open() (err error) {
	if err := CheckRights(); err != nil {
		return err
	}
	if c.All != "" {
		if c.All, err = filepath.Abs(c.All); err == nil {
			c.image, err = image.Open(c.All)
		}
		return err
	}
	pid := c.PID
	if c.Program != nil {
		if c.stopped, err = cold.Start(c.Program); err != nil {
			return err
		}
		pid = c.Program.Process.Pid
	} else if debugger := tracerOf(pid); debugger != 0 {
		return fmt.Errorf("process %d: process %d debugs it: a debugger would take the probes for code; end it first", pid,
			debugger)
	}
	if c.process, err = process.Open(pid); err != nil {
		return err
	}
	c.image, err = image.OpenProcess(pid)
	return err
}

// tracerOf returns the process that debugs a process, 0 if there is none.
func tracerOf(pid int) int { return statusOf(statusOf(pid, "TracerPid"), "Tgid") } // the kernel names a thread

// statusOf returns a number in the status of a thread, 0 if there is no such thread.
func statusOf(tid int, name string) (n int) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", tid))
	_, after, _ := strings.Cut(string(status), "\n"+name+":")
	fmt.Sscan(after, &n)
	return n
}

// attach puts probes on what is not known.
func (c *colds) attach() error {
	plan, err := cold.Survey(c.image, c.Scope)
	if err != nil {
		return err
	}
	c.data = report.New(plan.Program)
	if c.Out != "" {
		if c.writer, c.data, err = report.Open(c.Out, plan.Program); err != nil {
			return err
		}
	}
	known := make([]bool, len(c.data.Seen))
	for i, s := range c.data.Seen {
		known[i] = s.At != 0 || c.data.Refused[i]
	}
	target := cold.Target{Exe: c.All}
	if c.process != nil {
		target = cold.Target{PID: c.process.PID, Exe: c.process.Exe(), Bias: c.image.Bias, Started: c.image.Process.StartTime}
	}
	name := ofExecutable(c.All)
	if c.process != nil {
		name = ofProcess(c.process, c.image.Process.StartTime)
	}
	c.sign = sign(name)
	c.watched.From = time.Now().UnixMilli()
	c.session, err = cold.Attach(target, plan, known, cold.Options{Careful: c.Careful})
	if c.process != nil {
		if gone := c.process.Check(); gone != nil {
			err = gone
		}
	}
	if err != nil {
		return err
	}
	if err := c.running(); err != nil {
		return err
	}
	var refused []int
	for _, i := range c.session.Refused() {
		c.data.Refused[i] = true
		refused = append(refused, i)
	}
	if c.writer != nil && len(refused) > 0 {
		return c.writer.Refused(refused)
	}
	return nil
}

// running notes which functions were running when the probes came.
func (c *colds) running() error {
	if c.PID == 0 {
		return nil
	}
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", c.PID))
	if err != nil {
		return nil // as is said of writing to it
	}
	defer memory.Close()
	names, err := c.image.OnStacks(memory)
	if err != nil {
		c.data.Notes = append(c.data.Notes, fmt.Sprintf(
			"functions that were running when the probes came are listed as not called, because the stacks cannot be read: %v",
			err))
		return nil
	}
	if list := c.data.Began(names); c.writer != nil && len(list) > 0 {
		return c.writer.Running(list)
	}
	return nil
}

// How often what was seen goes to the file, and the time of watching.
const (
	writeEvery = 200 * time.Millisecond
	watchEvery = time.Minute
)

// watch notes what runs until there is a reason to stop, and detaches.
func (c *colds) watch(ctx context.Context) error {
	ended := ""
	noted := time.Now()
	for ended == "" {
		pause := time.NewTimer(writeEvery)
		select {
		case <-ctx.Done():
			ended = "interrupted"
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				ended = "the time was over"
			}
		case <-pause.C:
		}
		pause.Stop()
		if c.process != nil && ended == "" {
			switch err := c.process.Check(); {
			case errors.Is(err, process.ErrExited):
				ended = "the process ended"
			case errors.Is(err, process.ErrExec):
				ended = "the process executed another program"
			case err != nil:
				return err
			}
			if debugger := tracerOf(c.process.PID); debugger != 0 && ended == "" {
				ended = fmt.Sprintf("process %d debugs it now, and would take the probes for code", debugger)
			}
		}
		if err := errors.Join(c.take(), c.session.Err()); err != nil {
			return err
		}
		if time.Since(noted) >= watchEvery {
			noted = time.Now()
			if err := c.note(); err != nil {
				return err
			}
		}
	}
	err := errors.Join(c.session.Detach(), c.take(), c.note())
	c.data.Watches = append(c.data.Watches, c.watched)
	c.data.Cost = c.session.Cost()
	c.data.Notes = append(c.data.Notes, "ended: "+ended)
	if why := c.session.Careful(); why != "" {
		c.data.Notes = append(c.data.Notes, "careful mode, "+why+
			": a block cost a trap per execution until its group had a new link")
	}
	c.data.Notes = append(c.data.Notes, c.session.Differences()...)
	return errors.Join(err, c.session.Err())
}

// take notes the blocks that were hit.
func (c *colds) take() error {
	at := make(map[report.Sight][]int)
	for _, h := range c.session.Take() {
		c.data.Seen[h.Block] = h.Sight
		at[h.Sight] = append(at[h.Sight], h.Block)
	}
	if c.writer == nil {
		return nil
	}
	for s, blocks := range at {
		if err := c.writer.Sights(s, blocks); err != nil {
			return fmt.Errorf("%s: %w", c.Out, err)
		}
	}
	return nil
}

// note notes how long the program was watched.
func (c *colds) note() error {
	c.watched.To = time.Now().UnixMilli()
	if c.writer == nil {
		return nil
	}
	return c.writer.Watch(c.watched)
}
