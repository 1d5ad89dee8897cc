//go:build linux && amd64

package tracer

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	report "github.com/pepgo/pep/analyze/cold"
	"github.com/pepgo/pep/machine/image/imagetest"
	"github.com/pepgo/pep/tracer/internal/proc/ptrace"
	"github.com/pepgo/pep/tracer/internal/targettest"
)

func TestMain(m *testing.M) { targettest.Main(m) }

// startForks starts a program that does what it reads.
func startForks(t *testing.T) *targettest.Target {
	t.Helper()
	return targettest.Start(t, targettest.Build(t, "./internal/cold/testdata/forks"))
}

// A process that executes another program is not looked at any more, and nothing of it is left in the other.
func TestColdEnds(t *testing.T) {
	targettest.NeedRights(t)
	for what, want := range map[string]string{"exec": "ended: the process executed another program",
		"time": "ended: the time was over", "": "ended: interrupted", "end": "ended: the process ended"} {
		cmd := startForks(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		q := ColdRequest{PID: cmd.Process.Pid, Scope: report.Modules}
		if what == "time" {
			q.Time = 300 * time.Millisecond
		}
		d, err := Cold(ctx, q, func(int) {
			switch what {
			case "exec":
				cmd.Ask("exec")
			case "end":
				cmd.Process.Kill()
			case "":
				cancel()
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(d.Notes, want) {
			t.Errorf("%s: notes %q, want %q", what, d.Notes, want)
		}
		if what == "exec" {
			if path, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", cmd.Process.Pid)); !strings.HasSuffix(path, "/cat") &&
				!strings.Contains(path, "coreutils") {
				t.Errorf("the process runs %s", path)
			}
		}
	}
}

// A process that is debugged is refused: the debugger would take probes for code.
func TestColdBesideDebugger(t *testing.T) {
	targettest.NeedRights(t)
	cmd := startForks(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	thread, err := ptrace.Seize(cmd.Process.Pid)
	if err != nil {
		t.Skip(err)
	}
	defer func() {
		if thread.Interrupt() == nil {
			thread.Detach()
		}
	}()
	_, err = Cold(t.Context(), ColdRequest{PID: cmd.Process.Pid, Scope: report.Modules}, nil)
	if want := fmt.Sprintf("process %d debugs it", os.Getpid()); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got the error %v, want %q", err, want)
	}
}

// Programs are looked at from the first instruction on however they are built, also with C code.
func TestColdVariants(t *testing.T) {
	targettest.NeedRights(t)
	for _, v := range imagetest.Variants {
		t.Run(v.Name, func(t *testing.T) {
			cmd := exec.Command(v.Build(t, filepath.Join("..", "machine", "image", "testdata", "target")))
			cmd.Stdin = strings.NewReader("0\n")
			d, err := Cold(t.Context(), ColdRequest{Program: cmd, Scope: report.Modules}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
			table := report.NewTable(d, 0)
			state := map[string]string{}
			for _, f := range table.Packages[0].Functions {
				state[f.Name] = f.State
			}
			if state["main.main"] != "ran" || state["main.total"] != "ran" || state["main.mul"] != "ran" || table.Ran < 20 ||
				table.Ran == table.Blocks || !table.Cost.TextSame {
				t.Errorf("%d of %d blocks ran; functions: %v", table.Ran, table.Blocks, state)
			}
		})
	}
}
