//go:build linux && amd64

package cold_test

// This file runs programs to look at.

import (
	"bufio"
	"bytes"
	"debug/elf"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	report "github.com/pepgo/pep/analyze/cold"
	"github.com/pepgo/pep/tracer/internal/cold"
	"github.com/pepgo/pep/tracer/internal/exe/image"
	"github.com/pepgo/pep/tracer/internal/exe/image/imagetest"
	"github.com/pepgo/pep/tracer/internal/proc/rights"
)

// needRights skips a test if this process cannot trace.
func needRights(t *testing.T) {
	t.Helper()
	if err := rights.Check(); err != nil {
		t.Skip(err)
	}
}

var (
	builds   sync.Map // flags -> func() (string, error)
	buildDir string
)

func TestMain(m *testing.M) {
	var err error
	if buildDir, err = os.MkdirTemp("", "cold"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(buildDir)
	os.Exit(code)
}

// build builds a program below testdata, once for the same flags.
func build(t *testing.T, name string, flags ...string) string {
	t.Helper()
	once, _ := builds.LoadOrStore(name+strings.Join(flags, " "), sync.OnceValues(func() (string, error) {
		dir, err := os.MkdirTemp(buildDir, name)
		if err != nil {
			return "", err
		}
		out := filepath.Join(dir, name)
		cmd := exec.Command("go", append(append([]string{"build", "-o", out}, flags...), "./testdata/"+name)...)
		cmd.Stderr = os.Stderr
		return out, cmd.Run()
	}))
	out, err := once.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// goProgram builds a program of the Go distribution. Probes are in all processes of a file, so it is not the one that
// others run.
func goProgram(t *testing.T, name string) string {
	t.Helper()
	return imagetest.Go(t, name)
}

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
	s, err := cold.Attach(cold.Target{PID: pid, Exe: im.Process.Exe, Bias: im.Bias, Started: im.Process.StartTime}, plan, nil, o)
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

// A target is a process that works when it is asked to.
type target struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func start(t *testing.T, path string, args ...string) *target {
	t.Helper()
	x := &target{Cmd: exec.Command(path, args...)}
	var err error
	if x.in, err = x.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := x.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	x.out = bufio.NewReader(out)
	if err := x.Start(); err != nil {
		t.Fatal(err)
	}
	tooLong := time.AfterFunc(time.Minute, func() { x.Process.Kill() })
	t.Cleanup(func() {
		x.Process.Kill()
		x.Wait()
		tooLong.Stop()
	})
	x.expect(t, "ready")
	return x
}

// expect reads up to a line, and returns what was ahead of it.
func (x *target) expect(t *testing.T, want string) string {
	t.Helper()
	var text strings.Builder
	for {
		line, err := x.out.ReadString('\n')
		if err != nil {
			t.Fatalf("the target wrote %q, and then %v", text.String(), err)
		}
		if line == want+"\n" {
			return text.String()
		}
		text.WriteString(line)
	}
}

// work lets the target work once, and returns what it wrote.
func (x *target) work(t *testing.T) string {
	t.Helper()
	if _, err := io.WriteString(x.in, "\n"); err != nil {
		t.Fatal(err)
	}
	return x.expect(t, "done")
}

// ends checks that the target ends without an error.
func (x *target) ends(t *testing.T) {
	t.Helper()
	x.in.Close()
	if err := x.Wait(); err != nil {
		t.Errorf("the target: %v", err)
	}
}

// differences returns how many bytes of the code of a process are not as in its file.
func differences(t *testing.T, pid int) (n int) {
	t.Helper()
	im, err := image.OpenProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	defer im.Close()
	f, err := elf.Open(im.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := f.Section(".text")
	file, err := s.Data()
	if err != nil {
		t.Fatal(err)
	}
	mem, err := os.Open(filepath.Join(filepath.Dir(im.Process.Exe), "mem"))
	if err != nil {
		t.Fatal(err)
	}
	defer mem.Close()
	memory := make([]byte, len(file))
	if _, err := mem.ReadAt(memory, int64(s.Addr+im.Bias)); err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(file, memory) {
		return 0
	}
	for i := range file {
		if file[i] != memory[i] {
			n++
		}
	}
	return n
}
