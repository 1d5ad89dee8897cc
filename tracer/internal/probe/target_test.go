//go:build linux && amd64

package probe_test

// This file runs programs to trace, and finds instructions in them by means of its own.

import (
	"bufio"
	"debug/elf"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/arch/x86/x86asm"

	"github.com/pepgo/pep/tracer/internal/exe/image"
	"github.com/pepgo/pep/tracer/internal/probe"
	"github.com/pepgo/pep/tracer/internal/proc/process"
	"github.com/pepgo/pep/tracer/internal/proc/rights"
)

// needRights skips a test if this process cannot trace.
func needRights(t *testing.T) {
	t.Helper()
	if err := rights.Check(); err != nil {
		t.Skip(err)
	}
}

// A binary is a build of testdata/target.
type binary struct {
	path    string
	symbols map[string]elf.Symbol
	file    *elf.File
}

var builds sync.Map // flags -> func() (string, error)

// build builds testdata/target, once for the same flags.
func build(t *testing.T, flags ...string) string {
	t.Helper()
	once, _ := builds.LoadOrStore(strings.Join(flags, " "), sync.OnceValues(func() (string, error) {
		dir, err := os.MkdirTemp(buildDir, "target")
		if err != nil {
			return "", err
		}
		out := filepath.Join(dir, "target")
		cmd := exec.Command("go", append(append([]string{"build", "-o", out}, flags...), "./testdata/target")...)
		cmd.Stderr = os.Stderr
		return out, cmd.Run()
	}))
	out, err := once.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var buildDir string

func TestMain(m *testing.M) {
	var err error
	if buildDir, err = os.MkdirTemp("", "probe"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(buildDir)
	os.Exit(code)
}

func open(t *testing.T, path string) *binary {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	b := &binary{path: path, file: f, symbols: map[string]elf.Symbol{}}
	symbols, err := f.Symbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		t.Fatal(err)
	}
	for _, s := range symbols {
		b.symbols[s.Name] = s
	}
	return b
}

// offset returns where an address is in the file.
func (b *binary) offset(t *testing.T, addr uint64) uint64 {
	t.Helper()
	for _, p := range b.file.Progs {
		if p.Type == elf.PT_LOAD && p.Vaddr <= addr && addr < p.Vaddr+p.Filesz {
			return addr - p.Vaddr + p.Off
		}
	}
	t.Fatalf("%#x is in no segment", addr)
	return 0
}

// An instruction is an instruction of a function.
type instruction struct {
	x86asm.Inst
	addr uint64
	code []byte
}

func (b *binary) instructions(t *testing.T, symbol string) (list []instruction) {
	t.Helper()
	s, ok := b.symbols[symbol]
	if !ok {
		t.Fatalf("%s has no symbol %s", b.path, symbol)
	}
	code := make([]byte, s.Size)
	text := b.file.Section(".text")
	if _, err := text.ReadAt(code, int64(s.Value-text.Addr)); err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(code); {
		x, err := x86asm.Decode(code[at:], 64)
		if err != nil {
			t.Fatalf("%s+%#x: %v", symbol, at, err)
		}
		list = append(list, instruction{x, s.Value + uint64(at), code[at : at+x.Len]})
		at += x.Len
	}
	return list
}

// A target is a run of testdata/target.
type target struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// run starts a target and waits until it is ready. The test ends it, if it has not ended.
func run(t *testing.T, path string, args ...string) *target {
	t.Helper()
	return runWith(t, nil, path, args...)
}

// runWith is run as another user, or in a container.
func runWith(t *testing.T, as *syscall.SysProcAttr, path string, args ...string) *target {
	t.Helper()
	x := &target{Cmd: exec.Command(path, args...)}
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
	x.out = bufio.NewReader(out)
	if err := x.Start(); err != nil {
		t.Fatal(err)
	}
	tooLong := time.AfterFunc(2*time.Minute, func() { x.Process.Kill() })
	t.Cleanup(func() {
		x.Process.Kill()
		x.Wait()
		tooLong.Stop()
	})
	x.expect(t, "ready")
	return x
}

// expect reads a line.
func (x *target) expect(t *testing.T, want string) {
	t.Helper()
	if line, err := x.out.ReadString('\n'); err != nil || line != want+"\n" {
		t.Fatalf("the target wrote %q, %v, want %q", line, err, want)
	}
}

// work lets the target do its work, and waits until it is done.
func (x *target) work(t *testing.T) {
	t.Helper()
	x.start(t)
	x.expect(t, "done")
}

func (x *target) start(t *testing.T) {
	t.Helper()
	if _, err := io.WriteString(x.in, "\n"); err != nil {
		t.Fatal(err)
	}
}

// lives checks that the target ends by itself, without an error.
func (x *target) lives(t *testing.T) {
	t.Helper()
	x.in.Close()
	if err := x.Wait(); err != nil {
		t.Errorf("the target: %v", err)
	}
}

// chosen returns the probes for a wish in a program that runs.
func chosen(t *testing.T, x *target, wish probe.Wish) *probe.Plan {
	t.Helper()
	im, err := image.OpenProcess(x.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	defer im.Close()
	plan, err := probe.Choose(im, wish)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// countsOf returns what the probes of a plan count while the program works, and checks that it
// lives without them.
func countsOf(t *testing.T, x *target, plan *probe.Plan, limits probe.Limits) *probe.Counts {
	t.Helper()
	s, err := probe.Attach(openProcess(t, x), plan, limits)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	x.work(t)
	c := finish(t, s)
	x.lives(t)
	return c
}

func openProcess(t *testing.T, x *target) *process.Process {
	t.Helper()
	p, err := process.Open(x.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}
