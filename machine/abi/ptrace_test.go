//go:build linux && amd64

package abi

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/pepgo/pep/machine/image"
	"github.com/pepgo/pep/machine/insn"
	"github.com/pepgo/pep/machine/pclntab"
	"github.com/pepgo/pep/machine/site"
)

var (
	signatures = flag.Int("signatures", 150, "number of random signatures")
	seedFlag   = flag.Uint64("seed", 0, "seed of the random signatures (0: a random one)")
)

// Functions with random signatures find their arguments, and leave their results, where
// the Layout says. The test stops a program at their entries and returns and looks.
func TestRandomSignatures(t *testing.T) {
	seed := *seedFlag
	if seed == 0 {
		seed = rand.Uint64()
	}
	const batch = 150
	var sum tally
	for n := *signatures; n > 0; n -= batch {
		t.Logf("-seed=%d", seed)
		runSignatures(t, seed, min(n, batch), &sum)
		if t.Failed() {
			break
		}
		seed++
	}
	t.Logf("%+v", sum)
	if sum.Functions < *signatures*8/10 || sum.Params < *signatures || sum.Results < *signatures || sum.Floats == 0 ||
		sum.OnStack == 0 || sum.Called != sum.Functions {
		t.Errorf("too few of something: %+v", sum)
	}
}

// A tally counts what was compared.
type tally struct {
	Functions, Incomplete, Params, Results, InRegs, OnStack, Floats, Closures, Assembly, CheapEntries, Called int
}

func runSignatures(t *testing.T, seed uint64, n int, sum *tally) {
	list, source, assembly := programText(seed, n)
	dir := t.TempDir()
	for name, text := range map[string]string{"main.go": source, "asm_amd64.s": assembly,
		"go.mod": "module random\n\ngo 1.26\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	exe := filepath.Join(dir, "random")
	build := exec.Command("go", "build", "-o", exe, ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOFLAGS=", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	im, err := image.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer im.Close()
	tr := &tracee{t: t, breakpoints: map[uint64]*breakpoint{}}
	for i, s := range list {
		fn, l, ok := layout(t, im, s, sum)
		if !ok {
			continue
		}
		if want, have := s.params, l.Params; len(have) != len(want) && !(s.generic && len(have) == len(want)+1) {
			t.Errorf("%s has %d parameters, want %d: %q", s.name, len(have), len(want), want)
			continue
		}
		params := l.Params
		if s.generic {
			params = params[1:] // the dictionary
		}
		sum.Functions++
		// At the site that package site chooses, all arguments are where they were at the entry.
		entry := site.Probe{Site: site.Site{PC: fn.Entry}}
		code, err := site.Read(im, fn)
		if err != nil {
			t.Fatal(err)
		}
		if !s.assembly {
			if entry, err = code.Entry(site.ArgRegs | insn.GPR(2)); err != nil {
				t.Errorf("%s: %v", s.name, err)
				continue
			}
			if entry.Class <= site.Emulated {
				sum.CheapEntries++
			}
		}
		tr.at(entry.PC, func(m *machine) {
			m.regs.Rsp += uint64(entry.SPDelta)
			defer func() { m.regs.Rsp -= uint64(entry.SPDelta) }()
			for j, v := range params {
				compare(m, s, v, patternOf(i, j, false), sum)
				sum.Params++
			}
			if s.closure {
				sum.Closures++
				if code := m.memory(m.reg(Context), 8); binary.LittleEndian.Uint64(code) != fn.Entry {
					t.Errorf("%s: DX points to % x, want the address of the function", s.name, code)
				}
			}
		})
		if s.assembly {
			continue
		}
		for _, p := range code.Returns() {
			tr.at(p.PC, func(m *machine) {
				for k, v := range l.Results {
					compare(m, s, v, patternOf(i, k, true), sum)
					sum.Results++
				}
			})
		}
	}
	tr.run(exe)
	hits := map[string]int{}
	for _, b := range tr.breakpoints {
		if b.hit {
			fn, _ := im.FuncForPC(b.addr)
			hits[fn.Name]++
		}
	}
	for name, n := range hits {
		if n > 2 { // the entry and one return
			t.Errorf("%s: %d stops", name, n)
		}
	}
	sum.Called += len(hits)
}

// layout returns the function of a signature, and its layout.
func layout(t *testing.T, im *image.Image, s signature, sum *tally) (fn image.Function, l *Layout, ok bool) {
	found := false
	for f := range im.Functions() {
		if f.Name == s.name || s.generic && strings.HasPrefix(f.Name, s.name) {
			if s.assembly != (f.Flags&pclntab.Asm != 0) {
				continue // the wrapper of a function in assembly
			}
			fn, found = f, true
		}
	}
	if !found {
		t.Errorf("no function %s", s.name)
		return fn, nil, false
	}
	if s.assembly {
		if _, err := Of(im, fn); !errors.Is(err, ErrAssembly) {
			t.Errorf("%s: %v, want %v", s.name, err, ErrAssembly)
		}
		// The same signature in Go has the types.
		params, results, err := Values(im, im.Named(strings.Replace(s.name, "main.f", "main.g", 1))[0])
		if err != nil || len(params) != len(s.params) {
			sum.Incomplete++
			return fn, nil, false
		}
		sum.Assembly++
		return fn, Assign0(params, results), true
	}
	l, err := Of(im, fn)
	if errors.Is(err, ErrIncomplete) {
		sum.Incomplete++
		return fn, nil, false
	}
	if err != nil {
		t.Errorf("%s(%s): %v", s.name, strings.Join(s.params, ", "), err)
		return fn, nil, false
	}
	return fn, l, true
}

// compare compares the pieces of a value with their pattern.
func compare(m *machine, s signature, v Value, seed uint32, sum *tally) {
	for _, p := range v.Pieces {
		if strings.Contains(p.Path, "._") && !strings.Contains(p.Path, "._type") {
			continue // the compiler does not copy fields without name
		}
		var got []byte
		where := "the stack"
		if v.InRegs {
			sum.InRegs++
			where = p.Reg.String()
			if p.Reg.Float() {
				sum.Floats++
			}
			got = binary.LittleEndian.AppendUint64(nil, m.reg(p.Reg))[:p.Size]
		} else {
			sum.OnStack++
			got = m.memory(m.reg(4)+uint64(v.Stack+p.Offset), int(p.Size))
		}
		if want := pattern(seed, p.Offset, p.Size); !bytes.Equal(got, want) {
			m.t.Errorf("%s(%s) (%s): %s%s of type %s in %s is % x, want % x", s.name, strings.Join(s.params, ", "),
				strings.Join(s.results, ", "),
				v.Name, p.Path, v.Type.Name, where, got, want)
			return
		}
	}
}

// A tracee is a program with breakpoints, each of which stops it once.
type tracee struct {
	t           *testing.T
	breakpoints map[uint64]*breakpoint
}

type breakpoint struct {
	addr uint64
	old  [1]byte
	hit  bool
	do   func(*machine)
}

func (tr *tracee) at(addr uint64, do func(*machine)) {
	tr.breakpoints[addr] = &breakpoint{addr: addr, do: do}
}

// A machine is the state of the stopped program.
type machine struct {
	t    *testing.T
	pid  int
	regs syscall.PtraceRegs
	fp   [512]byte // as FXSAVE writes it
}

func (m *machine) reg(r Reg) uint64 {
	if r.Float() {
		return binary.LittleEndian.Uint64(m.fp[160+16*int(r-16):])
	}
	g := &m.regs
	return [...]uint64{g.Rax, g.Rcx, g.Rdx, g.Rbx, g.Rsp, g.Rbp, g.Rsi, g.Rdi, g.R8, g.R9, g.R10, g.R11, g.R12, g.R13,
		g.R14, g.R15}[r]
}

func (m *machine) memory(addr uint64, size int) []byte {
	b := make([]byte, size)
	if n, err := syscall.PtracePeekData(m.pid, uintptr(addr), b); err != nil || n != size {
		m.t.Fatalf("reading %d bytes at %#x: %v", size, addr, err)
	}
	return b
}

// run runs a program until it ends.
func (tr *tracee) run(exe string) {
	t := tr.t
	runtime.LockOSThread() // all requests must come from one thread
	defer runtime.UnlockOSThread()
	cmd := exec.Command(exe)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		if errors.Is(err, syscall.EPERM) {
			t.Skip("this system does not allow ptrace: ", err)
		}
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	defer cmd.Process.Kill()
	var ws syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &ws, 0, nil); err != nil || !ws.Stopped() {
		t.Fatalf("waiting for the start: %v, %v", ws, err)
	}
	for addr, b := range tr.breakpoints {
		if _, err := syscall.PtracePeekText(pid, uintptr(addr), b.old[:]); err != nil {
			t.Fatal(err)
		}
		if _, err := syscall.PtracePokeText(pid, uintptr(addr), []byte{0xcc}); err != nil {
			t.Fatal(err)
		}
	}
	signal := 0
	for {
		if err := syscall.PtraceCont(pid, signal); err != nil {
			t.Fatal(err)
		}
		if _, err := syscall.Wait4(pid, &ws, 0, nil); err != nil {
			t.Fatal(err)
		}
		signal = 0
		switch {
		case ws.Exited() && ws.ExitStatus() == 0:
			return
		case !ws.Stopped():
			t.Fatalf("the program ended: %v %d", ws, ws.ExitStatus())
		case ws.StopSignal() != syscall.SIGTRAP:
			signal = int(ws.StopSignal())
			continue
		}
		m := &machine{t: t, pid: pid}
		if err := syscall.PtraceGetRegs(pid, &m.regs); err != nil {
			t.Fatal(err)
		}
		const getFPRegs = 14
		if _, _, errno := syscall.Syscall6(syscall.SYS_PTRACE, getFPRegs, uintptr(pid), 0, uintptr(unsafe.Pointer(&m.fp)), 0,
			0); errno != 0 {
			t.Fatal(errno)
		}
		b := tr.breakpoints[m.regs.Rip-1]
		if b == nil {
			t.Fatalf("the program stopped at %#x", m.regs.Rip)
		}
		b.hit = true
		b.do(m)
		m.regs.Rip--
		if err := syscall.PtraceSetRegs(pid, &m.regs); err != nil {
			t.Fatal(err)
		}
		if _, err := syscall.PtracePokeText(pid, uintptr(b.addr), b.old[:]); err != nil {
			t.Fatal(err)
		}
	}
}
