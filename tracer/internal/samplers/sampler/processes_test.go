package sampler_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pepgo/pep/tracer/internal/samplers/sampler"
	"github.com/pepgo/pep/tracer/internal/values/capture"
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

// TestProgramsForOtherMachines refuses a 32-bit program: decoded as 64-bit code, its
// instructions would be others, and their values wrong.
func TestProgramsForOtherMachines(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module spin\n",
		"main.go": "package main\n\nfunc main() {\n\tprintln(\"runs\")\n\tfor {\n\t}\n}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	compile := exec.Command("go", "build", "-o", "spin", ".")
	compile.Dir, compile.Env = dir, append(os.Environ(), "GOARCH=386", "CGO_ENABLED=0")
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	spin := exec.Command(filepath.Join(dir, "spin"))
	stderr, err := spin.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := spin.Start(); err != nil {
		t.Skip("this kernel runs no 32-bit programs: ", err)
	}
	defer spin.Wait()
	defer spin.Process.Kill()
	if _, err := io.ReadFull(stderr, make([]byte, len("runs"))); err != nil {
		t.Skip("a 32-bit program ends here before it says anything: ", err)
	}
	s, err := sampler.Attach(sampler.Options{PIDs: []int{spin.Process.Pid}})
	if err == nil {
		s.Close()
		t.Fatal("Attach to a 32-bit program works")
	}
	if strings.Contains(err.Error(), "CAP_") {
		t.Skip(err)
	}
	if !strings.Contains(err.Error(), "EM_386") {
		t.Error(err)
	}
	// Among all processes, it has no runs.
	tg := start(t, build(t), "forever")
	s = attach(t, sampler.Options{All: true})
	var r capture.Run
	for seen := 0; seen < 200; {
		if err := s.Next(&r); err != nil {
			t.Fatal(err)
		}
		if int(r.PID) == spin.Process.Pid {
			t.Fatal("the 32-bit program has a run")
		}
		if int(r.PID) == tg.pid {
			seen++
		}
	}
}
