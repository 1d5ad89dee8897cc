//go:build linux && amd64

package tracer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	report "github.com/pepgo/pep/analyze/cold"
	"github.com/pepgo/pep/tracer/internal/proc/ptrace"
	"github.com/pepgo/pep/tracer/internal/targettest"
)

// startCold starts Cold and waits until the probes are there. The function that it returns waits for the end.
func startCold(t *testing.T, ctx context.Context, q ColdRequest) (wait func() *report.Data) {
	t.Helper()
	ready := make(chan bool)
	var d *report.Data
	var err error
	ended := make(chan bool)
	go func() {
		defer close(ended)
		d, err = Cold(ctx, q, func(int) { close(ready) })
	}()
	select {
	case <-ready:
	case <-ended:
		t.Fatal(err)
	}
	return func() *report.Data {
		t.Helper()
		<-ended
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
}

// While cold is at work in a process, or in all of its executable, probe refuses to be.
func TestProbeBesideCold(t *testing.T) {
	targettest.NeedRights(t)
	x := startForks(t)
	probe := func() error {
		p, err := Probe(t.Context(), ProbeRequest{PID: x.Process.Pid, Func: regexp.MustCompile(`^main\.`),
			Time: 10 * time.Millisecond}, nil)
		if err == nil {
			p.Close()
		}
		return err
	}
	for _, q := range []ColdRequest{{PID: x.Process.Pid, Scope: report.Modules}, {All: x.Path, Scope: report.Modules}} {
		ctx, cancel := context.WithCancel(t.Context())
		wait := startCold(t, ctx, q)
		if err := probe(); err == nil || !strings.Contains(err.Error(), "peptrace cold is at work there") {
			t.Errorf("beside cold: %v", err)
		}
		cancel()
		wait()
		if err := probe(); err != nil {
			t.Errorf("after cold: %v", err)
		}
	}
	x.Ends()
}

// When a debugger comes, cold ends at once, and the debugger sees the code of the file.
func TestDebuggerBesideCold(t *testing.T) {
	targettest.NeedRights(t)
	x := startForks(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	wait := startCold(t, ctx, ColdRequest{PID: x.Process.Pid, Scope: report.Modules})
	if n := targettest.Differences(t, x.Process.Pid); n < 5 {
		t.Errorf("%d bytes of the code differ from the file, want those of probes", n)
	}
	thread, err := ptrace.Seize(x.Process.Pid)
	if err != nil {
		t.Skip(err)
	}
	d := wait()
	if want := fmt.Sprintf("ended: process %d debugs it now, and would take the probes for code",
		os.Getpid()); !slices.Contains(d.Notes, want) {
		t.Errorf("notes %q, want %q", d.Notes, want)
	}
	if n := targettest.Differences(t, x.Process.Pid); n != 0 {
		t.Errorf("%d bytes of the code differ from the file", n)
	}
	if err := errors.Join(thread.Interrupt(), thread.Detach()); err != nil {
		t.Error(err)
	}
	x.Ask("grow")
	x.Ends()
}
