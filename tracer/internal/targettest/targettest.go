//go:build linux && amd64

// Package targettest runs programs to trace, for tests.
//
//	func TestMain(m *testing.M) { targettest.Main(m) }
//
//	targettest.NeedRights(t)
//	x := targettest.Start(t, targettest.Build(t, "./testdata/target"), "busy") // until it writes "ready"
//	…attach to x.Process.Pid
//	x.Work()                                        // writes a line to it, and waits for "done"
//	n := targettest.Differences(t, x.Process.Pid)   // probes that are left
//	x.Ends()                                        // it does so when its standard input ends
package targettest

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/pepgo/pep/machine/executable"
	"github.com/pepgo/pep/machine/image"
	"github.com/pepgo/pep/tracer/internal/proc/rights"
)

// NeedRights skips a test if this process cannot trace.
func NeedRights(t testing.TB) {
	t.Helper()
	if err := rights.Check(); err != nil {
		t.Skip(err)
	}
}

var builds sync.Map // package and flags -> func() (string, error)

// Main runs the tests, and removes what Build has built.
func Main(m *testing.M) {
	code := m.Run()
	builds.Range(func(_, build any) bool {
		if out, err := build.(func() (string, error))(); err == nil {
			os.RemoveAll(filepath.Dir(out))
		}
		return true
	})
	os.Exit(code)
}

// Build builds a package, once for the same flags.
func Build(t testing.TB, pkg string, flags ...string) string {
	t.Helper()
	once, _ := builds.LoadOrStore(pkg+" "+strings.Join(flags, " "), sync.OnceValues(func() (string, error) {
		dir, err := os.MkdirTemp("", "target")
		if err != nil {
			return "", err
		}
		out := filepath.Join(dir, filepath.Base(pkg))
		cmd := exec.Command("go", append(append([]string{"build", "-o", out}, flags...), pkg)...)
		cmd.Stderr = os.Stderr
		return out, cmd.Run()
	}))
	out, err := once.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A Target is a process that works when it is asked to.
type Target struct {
	*exec.Cmd
	Out *bufio.Reader // what it writes

	t       testing.TB
	in      io.WriteCloser
	tooLong *time.Timer // kills it
}

// tooLong is how long a process may live.
const tooLong = 2 * time.Minute

// Start starts a program and waits until it is ready. The end of the test ends it.
func Start(t testing.TB, path string, args ...string) *Target {
	t.Helper()
	return StartWith(t, nil, path, args...)
}

// StartWith is Start as another user, or in a container.
func StartWith(t testing.TB, as *syscall.SysProcAttr, path string, args ...string) *Target {
	t.Helper()
	x := &Target{Cmd: exec.Command(path, args...), t: t}
	x.SysProcAttr = as
	x.Stderr = os.Stderr
	var err error
	if x.in, err = x.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := x.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	x.Out = bufio.NewReader(out)
	if err := x.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	x.tooLong = time.AfterFunc(tooLong, func() { x.Process.Kill() })
	t.Cleanup(func() {
		x.Process.Kill()
		x.Wait()
		x.tooLong.Stop()
	})
	x.Expect("ready")
	return x
}

// Ask writes a line to the process.
func (x *Target) Ask(what string) {
	x.t.Helper()
	if _, err := io.WriteString(x.in, what+"\n"); err != nil {
		x.t.Fatal(err)
	}
}

// Expect reads up to a line, and returns what was ahead of it.
func (x *Target) Expect(want string) string {
	x.t.Helper()
	var text strings.Builder
	for {
		line, err := x.Out.ReadString('\n')
		if err != nil {
			x.t.Fatalf("the target wrote %q, and then %v", text.String()+line, err)
		}
		if line == want+"\n" {
			return text.String()
		}
		text.WriteString(line)
	}
}

// Work lets the process work once, and returns what it wrote.
func (x *Target) Work() string {
	x.t.Helper()
	x.Ask("")
	return x.Expect("done")
}

// Ends checks that the process ends by itself, without an error.
func (x *Target) Ends() {
	x.t.Helper()
	x.in.Close()
	if err := x.Wait(); err != nil {
		x.t.Errorf("the target: %v", err)
	}
}

// KillTracers starts tracers of the process, n times, and kills each at a random time while it attaches and detaches
// and the process works. The process must go on working, and nothing of the tracers may be left. A tracer is a run of a
// test of this executable with more environment: it writes a line, and then attaches and detaches for ever.
func (x *Target) KillTracers(n int, latest time.Duration, test string, env ...string) {
	x.t.Helper()
	during := 0
	for i := range n {
		tracer := exec.Command(os.Args[0], "-test.run=^"+test+"$")
		tracer.Env = append(os.Environ(), env...)
		tracer.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		out, err := tracer.StdoutPipe()
		if err != nil {
			x.t.Fatal(err)
		}
		if err := tracer.Start(); err != nil {
			x.t.Fatal(err)
		}
		lines := bufio.NewReader(out)
		if line, err := lines.ReadString('\n'); err != nil {
			x.t.Fatalf("the tracer wrote %q, and then %v", line, err)
		}
		x.tooLong.Reset(tooLong)
		x.Ask("")
		after := rand.N(latest)
		time.Sleep(after)
		syscall.Kill(-tracer.Process.Pid, syscall.SIGKILL) // as shells and timeout(1) do
		left := Differences(x.t, x.Process.Pid)
		if left > 0 {
			during++
		}
		said, _ := io.ReadAll(lines)
		if err := tracer.Wait(); fmt.Sprint(err) != "signal: killed" {
			x.t.Fatalf("the tracer ended before it was killed: %v\n%s", err, said)
		}
		x.Expect("done")
		for end := time.Now().Add(20 * time.Second); left > 0 &&
			time.Now().Before(end); left = Differences(x.t, x.Process.Pid) {
			time.Sleep(10 * time.Millisecond)
		}
		if left > 0 {
			x.t.Fatalf("kill %d, after %v: %d bytes of the code differ from the file", i, after, left)
		}
		x.Work()
	}
	x.t.Logf("%d tracers were killed, %d of them while probes were there", n, during)
}

// Differences returns how many bytes of the code of a process are not as in its file.
func Differences(t testing.TB, pid int) (n int) {
	t.Helper()
	im, err := image.OpenProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	defer im.Close()
	code, err := executable.ReadCode(im.Process.Exe)
	if err != nil {
		t.Fatal(err)
	}
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		t.Fatal(err)
	}
	defer mem.Close()
	memory := make([]byte, len(code.Text))
	if _, err := mem.ReadAt(memory, int64(code.Addr+im.Bias)); err != nil {
		t.Fatal(err)
	}
	for i := range memory {
		if code.Text[i] != memory[i] {
			n++
		}
	}
	return n
}
