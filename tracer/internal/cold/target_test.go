//go:build linux && amd64

package cold_test

// This file runs programs to look at.

import (
	"os"
	"os/exec"
	"testing"

	report "github.com/pepgo/pep/analyze/cold"
	"github.com/pepgo/pep/machine/image"
	"github.com/pepgo/pep/tracer/internal/cold"
	"github.com/pepgo/pep/tracer/internal/targettest"
)

func TestMain(m *testing.M) { targettest.Main(m) }

// watch runs a program from its first instruction on and returns which blocks were seen.
func watch(t *testing.T, path string, scope report.Scope, o cold.Options, args ...string) []bool {
	t.Helper()
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	stopped, err := cold.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	s, plan, _ := attach(t, cmd.Process.Pid, scope, o)
	if err := stopped.Resume(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%s: %v", path, err)
	}
	return seen(t, s, plan)
}

// attach puts probes into a process.
func attach(t *testing.T, pid int, scope report.Scope, o cold.Options) (*cold.Session, *cold.Plan, *image.Image) {
	t.Helper()
	im, err := image.OpenProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { im.Close() })
	plan, err := cold.Survey(im, scope)
	if err != nil {
		t.Fatal(err)
	}
	s, err := cold.Attach(cold.Target{PID: pid, Exe: im.Process.Exe, Bias: im.Bias, Started: im.Process.StartTime}, plan,
		nil, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Detach() })
	return s, plan, im
}

// seen detaches and returns which blocks were seen.
func seen(t *testing.T, s *cold.Session, plan *cold.Plan) []bool {
	t.Helper()
	if err := s.Detach(); err != nil {
		t.Error(err)
	}
	if err := s.Err(); err != nil {
		t.Error(err)
	}
	list := make([]bool, len(plan.Places))
	for _, h := range s.Take() {
		list[h.Block] = true
	}
	return list
}
