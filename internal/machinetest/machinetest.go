//go:build linux

// Package machinetest skips tests that need more than a machine, or this process on it, gives them. It tries, because
// settings and user IDs do not say what works: root in a container may be refused what a user elsewhere may do.
//
//	machinetest.NeedProcess(t, "in a PID namespace", &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID})
package machinetest

import (
	"os/exec"
	"syscall"
	"testing"
)

// NeedProcess skips a test if no process with these attributes can be started.
func NeedProcess(t testing.TB, what string, as *syscall.SysProcAttr) {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", "-test.run=^$")
	cmd.Dir, cmd.SysProcAttr = "/", as
	if err := cmd.Start(); err != nil {
		t.Skipf("no process can be started %s: %v", what, err)
	}
	cmd.Process.Kill() // a traced process waits
	cmd.Wait()
}
