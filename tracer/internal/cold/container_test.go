//go:build linux && amd64

package cold_test

// This file looks at processes in namespaces of their own.

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/pepgo/pep/tracer/internal/targettest"
)

// In a container a session of a file sees its processes, too, which have other numbers than on the machine.
func TestAllProcessesInContainer(t *testing.T) {
	targettest.NeedRights(t)
	if out, err := exec.Command("unshare", "--pid", "--fork", "--mount-proc", "true").CombinedOutput(); err != nil {
		t.Skipf("unshare: %v: %s", err, out)
	}
	out, err := exec.Command("unshare", "--pid", "--fork", "--mount-proc", os.Args[0], "-test.v",
		"-test.run=^TestAllProcesses$").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestAllProcesses ") {
		t.Errorf("%v\n%s", err, out)
	}
}
