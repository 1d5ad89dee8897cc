package sampler_test

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/cilium/ebpf"

	"github.com/pepgo/pep/internal/tracer/capture"
	"github.com/pepgo/pep/internal/tracer/sampler"
)

// target builds and starts a program of testdata, and waits until it is busy.
func target(t *testing.T, name string, flags ...string) (pid int, exe string) {
	t.Helper()
	exe = filepath.Join(t.TempDir(), name)
	build := exec.Command("go", append(append([]string{"build", "-o", exe}, flags...), "./testdata/"+name)...)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(exe)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid, exe
}

// attach skips the test if this process may not sample.
func attach(t *testing.T, o sampler.Options) *sampler.Sampler {
	t.Helper()
	s, err := sampler.Attach(o)
	if errors.Is(err, os.ErrPermission) || errors.Is(err, ebpf.ErrNotSupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// collect calls visit for the runs of some time.
func collect(t *testing.T, s *sampler.Sampler, d time.Duration, visit func(*capture.Run)) {
	t.Helper()
	end := time.After(d)
	go func() {
		<-end
		s.Close()
	}()
	var r capture.Run
	for s.Next(&r) == nil {
		visit(&r)
	}
}

var _ = fmt.Sprint
var _ = math.Abs
