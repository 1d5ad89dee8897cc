package sampler_test

import (
	"os"
	"syscall"
	"testing"

	"github.com/pepgo/pep/internal/tracer/capture"
	"github.com/pepgo/pep/internal/tracer/sampler"
)

// TestAllProcesses is VSAMP-29: it finds two programs among all processes, and their samples name their
// executables.
func TestAllProcesses(t *testing.T) {
	one, two := start(t, build(t), "forever"), start(t, build(t, "-ldflags=-s -w"), "forever")
	s := attach(t, sampler.Options{All: true})
	images := map[uint32]map[string]bool{}
	var r capture.Run
	for len(images[uint32(one.pid)]) == 0 || len(images[uint32(two.pid)]) == 0 {
		if err := s.Next(&r); err != nil {
			t.Fatal(err)
		}
		if r.PID == uint32(os.Getpid()) {
			t.Fatal("the sampler samples itself")
		}
		if r.At != nil && r.At.Image.Path != "[vdso]" {
			if images[r.PID] == nil {
				images[r.PID] = map[string]bool{}
			}
			images[r.PID][r.At.Image.BuildID] = true
		}
	}
	t.Logf("%d processes were sampled", len(images))
	for id := range images[uint32(one.pid)] {
		if id == "" || images[uint32(two.pid)][id] {
			t.Errorf("both programs have the build ID %q", id)
		}
	}
}

// TestExec samples a process that executes another program, whose code is at the same
// addresses and is not the same.
func TestExec(t *testing.T) {
	first, second := build(t), build(t, "-gcflags=-N -l")
	tg := start(t, first, "forever", second)
	s := attach(t, sampler.Options{PIDs: []int{tg.pid}})
	ids := map[string]int{}
	var order []string
	var r capture.Run
	for len(ids) < 2 || ids[order[1]] < 100 {
		if err := s.Next(&r); err != nil {
			t.Fatal(err)
		}
		if r.At == nil || r.At.Image.Path == "[vdso]" {
			continue
		}
		id := r.At.Image.BuildID
		if ids[id] == 0 {
			order = append(order, id)
		}
		if ids[id]++; ids[id] == 20 && len(order) == 1 {
			if err := tg.cmd.Process.Signal(syscall.SIGHUP); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(order) != 2 {
		t.Errorf("images %v, want two", order)
	}
	t.Logf("%v; %+v", ids, stats(t, s))
}
