//go:build linux && amd64

package probe_test

// This file traces without being root.

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pepgo/pep/internal/machinetest"
	"github.com/pepgo/pep/tracer/internal/probe"
	"github.com/pepgo/pep/tracer/internal/proc/process"
	"github.com/pepgo/pep/tracer/internal/proc/rights"
	"github.com/pepgo/pep/tracer/internal/targettest"
)

// nobody is a user without rights.
const nobody = 65534

// Two capabilities are enough, and if one is missing, the message has its name.
func TestWithoutRoot(t *testing.T) {
	if pid := os.Getenv("TEST_TRACE"); pid != "" { // the tracer
		n, _ := strconv.Atoi(pid)
		p, err := process.Open(n)
		if err != nil {
			t.Fatal(err)
		}
		s, err := probe.Attach(p, &plan(t, open(t, os.Getenv("TEST_BINARY"))).fn("main.pick", true).checked().exits().Plan,
			probe.Limits{})
		if err != nil {
			if !errors.Is(err, rights.ErrMissing) {
				err = fmt.Errorf("does not wrap ErrMissing: %w", err)
			}
			fmt.Println("error:", err)
			return
		}
		c := finish(t, s)
		fmt.Println("attached", len(c.Sites))
		return
	}
	targettest.NeedRights(t)
	user := &syscall.Credential{Uid: nobody, Gid: nobody}
	machinetest.NeedProcess(t, "as another user with some capabilities",
		&syscall.SysProcAttr{Credential: user, AmbientCaps: []uintptr{unix.CAP_BPF, unix.CAP_PERFMON}})
	// A directory and files that nobody can read.
	dir := t.TempDir()
	for d := dir; len(d) > len(os.TempDir()); d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	target, tracer := filepath.Join(dir, "target"), filepath.Join(dir, "tracer")
	copyFile(t, build(t), target)
	copyFile(t, os.Args[0], tracer)
	for _, f := range []string{target, tracer} {
		if err := os.Chmod(f, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	x := targettest.StartWith(t, &syscall.SysProcAttr{Credential: user}, target, "panics", "0")
	for _, c := range []struct {
		caps []uintptr
		want []string
	}{
		{[]uintptr{unix.CAP_BPF, unix.CAP_PERFMON}, []string{"attached 3"}},
		{[]uintptr{unix.CAP_BPF}, []string{"error: ", "lacks CAP_PERFMON:"}},
		{[]uintptr{unix.CAP_PERFMON}, []string{"error: ", "lacks CAP_BPF:"}},
		{nil, []string{"error: ", "lacks CAP_BPF and CAP_PERFMON:"}},
	} {
		cmd := exec.Command(tracer, "-test.run=^TestWithoutRoot$")
		cmd.Dir = "/"
		cmd.Env = append(os.Environ(), fmt.Sprint("TEST_TRACE=", x.Process.Pid), "TEST_BINARY="+target,
			"TMPDIR="+os.TempDir())
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: user, AmbientCaps: c.caps}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%v: %v\n%s", c.caps, err, out)
		}
		for _, want := range c.want {
			if !strings.Contains(string(out), want) {
				t.Errorf("capabilities %v: got %q, want %q in it", c.caps, out, want)
			}
		}
	}
	x.Ends()
}

// Processes of others, threads and IDs of nobody are told apart.
func TestErrorsOfProcesses(t *testing.T) {
	for pid, want := range map[int]string{
		1 << 22: "there is no such process", // the largest ID is smaller
		-1:      "no process ID",
	} {
		p, err := process.Open(pid)
		if err == nil {
			p.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: got the error %v, want %q in it", pid, err, want)
		}
	}
}
