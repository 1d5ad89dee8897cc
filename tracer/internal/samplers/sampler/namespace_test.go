package sampler_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pepgo/pep/internal/machinetest"
	"github.com/pepgo/pep/tracer/internal/samplers/sampler"
	"github.com/pepgo/pep/tracer/internal/values/capture"
)

// startIn starts the program table as process 1 of a PID namespace of its own, as the main program of
// a container is. The result has its number in our namespace.
func startIn(t *testing.T, exe string) int {
	t.Helper()
	cmd := exec.Command(exe, "forever")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWPID}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	if err != nil || !strings.Contains(string(status), fmt.Sprintf("NSpid:\t%d\t1\n", cmd.Process.Pid)) {
		t.Fatalf("process %d (%v) is not process 1 of a namespace:\n%s", cmd.Process.Pid, err, status)
	}
	return cmd.Process.Pid
}

// sees samples with the options until there are runs of each process, in which its threads
// have the numbers that /proc has, and in which the values of the table are loaded.
func sees(t *testing.T, o sampler.Options, pids ...int) {
	t.Helper()
	o.Interval, o.Length, o.Skip = time.Millisecond/4, 4, 15
	s := attach(t, o)
	defer s.Close()
	runs := map[int]int{}
	values := map[uint64]bool{}
	var r capture.Run
	for end := time.Now().Add(time.Minute); len(values) < 4*len(pids); {
		if time.Now().After(end) {
			t.Fatalf("processes %v: runs %v, values %v", pids, runs, values)
		}
		if err := s.Next(&r); err != nil {
			t.Fatal(err)
		}
		pid := int(r.PID)
		runs[pid]++
		if _, err := os.Stat(fmt.Sprintf("/proc/%d/task/%d", pid, r.TID)); err != nil {
			if unix.Kill(pid, 0) == nil && len(o.PIDs) > 0 {
				t.Fatalf("thread %d of process %d: %v", r.TID, pid, err)
			}
			continue // a process that has ended, of all
		}
		for i, p := range pids {
			for _, tp := range r.Tuples {
				if v := tp.Result; p == pid && tp.Known&capture.Result != 0 && tp.Insn.Memory == capture.Load &&
					(v == 11 || v == 22 || v == 33 || v == 44) {
					values[uint64(i)<<32|v] = true
				}
			}
		}
	}
	if len(o.PIDs) > 0 && len(runs) > len(pids) {
		t.Errorf("runs of %v, want only those of %v", runs, pids)
	}
	t.Logf("runs by process: %v", runs)
}

// Processes in containers have other numbers than outside. The sampler has those of its own namespace,
// whether it is in the first one or in a container.
func TestPIDNamespaces(t *testing.T) {
	exe := os.Getenv("SAMPLER_TABLE")
	if exe == "" {
		exe = build(t)
	}
	machinetest.NeedProcess(t, "in namespaces", &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWPID | unix.CLONE_NEWNS})
	mine, inner := start(t, exe, "forever").pid, startIn(t, exe)
	t.Run("named", func(t *testing.T) { sees(t, sampler.Options{PIDs: []int{mine, inner}}, mine, inner) })
	t.Run("all", func(t *testing.T) { sees(t, sampler.Options{All: true}, mine, inner) })
	if os.Getenv("SAMPLER_TABLE") != "" {
		return
	}
	t.Run("threads", func(t *testing.T) {
		sees(t, sampler.Options{PIDs: []int{mine, inner}, Threads: true}, mine, inner)
	})
	// The same once more, where the test is process 1, and the outer programs are out of sight.
	ours, err := os.Readlink("/proc/self/ns/mnt")
	if err != nil {
		t.Fatal(err)
	}
	for name, flags := range map[string]uintptr{"in a namespace": unix.CLONE_NEWPID | unix.CLONE_NEWNS,
		"with the proc of another one": unix.CLONE_NEWPID} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command("/proc/self/exe", "-test.run=^TestInsideOfPIDNamespace$", "-test.v")
			cmd.Env = append(os.Environ(), "SAMPLER_TABLE="+exe, "SAMPLER_MOUNTS="+ours)
			cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags}
			out, err := cmd.CombinedOutput()
			t.Logf("%s", out)
			if ok := flags&unix.CLONE_NEWNS != 0; ok != (err == nil) ||
				ok == strings.Contains(string(out), "/proc is that of another PID namespace") {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestInsideOfPIDNamespace is a part of TestPIDNamespaces.
func TestInsideOfPIDNamespace(t *testing.T) {
	if os.Getenv("SAMPLER_TABLE") == "" {
		t.Skip("TestPIDNamespaces runs this in a namespace")
	}
	mounts, err := os.Readlink("/proc/self/ns/mnt")
	if err != nil {
		t.Fatal(err)
	}
	if mounts == os.Getenv("SAMPLER_MOUNTS") { // /proc is that of all processes of the machine, and must stay so
		if _, err := sampler.Attach(sampler.Options{All: true}); err != nil {
			t.Fatal(err)
		}
		t.Fatal("Attach works with another namespace's /proc")
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("proc", "/proc", "proc", 0, ""); err != nil {
		t.Fatal(err)
	}
	if os.Getpid() != 1 {
		t.Fatalf("this is process %d, want 1", os.Getpid())
	}
	TestPIDNamespaces(t)
}
