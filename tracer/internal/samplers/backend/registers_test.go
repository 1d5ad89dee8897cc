//go:build linux && amd64

package backend_test

import (
	"bufio"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cilium/ebpf"
	"golang.org/x/arch/x86/x86asm"

	"github.com/pepgo/pep/tracer/internal/samplers/backend"
	"github.com/pepgo/pep/tracer/internal/samplers/sampler"
	"github.com/pepgo/pep/tracer/internal/values/capture"
)

// A process executes testdata/registers.
type process struct {
	pid    int
	flags  uint64
	in     io.Writer
	out    *bufio.Scanner
	values map[string]uint64 // what it has printed
	reads  map[string]int    // how often each was compared
	jumps  map[x86asm.Op]int // likewise
	loads  int               // by FS
}

// startRegisters starts the program with some flags.
func startRegisters(t *testing.T, exe string, flags uint64) *process {
	t.Helper()
	cmd := exec.Command(exe, fmt.Sprint(flags))
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
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
	scanner := bufio.NewScanner(out)
	if !scanner.Scan() || scanner.Text() != "ready" {
		t.Fatalf("the program prints %q", scanner.Text())
	}
	return &process{cmd.Process.Pid, flags, in, scanner, map[string]uint64{}, map[string]int{}, map[x86asm.Op]int{}, 0}
}

// work lets the program begin with its loop, and reads what it prints.
func (p *process) work(t *testing.T) {
	io.WriteString(p.in, "\n")
	for len(p.values) < 18 && p.out.Scan() {
		var name string
		var v uint64
		if _, err := fmt.Sscanf(p.out.Text(), "%s %v", &name, &v); err != nil {
			t.Fatalf("the program prints %q: %v", p.out.Text(), err)
		}
		p.values[name] = v
	}
	if len(p.values) != 18 {
		t.Fatalf("the program prints %v", p.values)
	}
}

// Each way to sample knows the registers, the flags and the thread's memory as they are at the interrupted
// instruction: it samples a loop that never changes a register, so at every instruction the program
// itself has said what must be there.
func TestRegistersAreThoseOfTheProgram(t *testing.T) {
	exe := filepath.Join(t.TempDir(), "registers")
	if out, err := exec.Command("go", "build", "-o", exe, "./testdata/registers").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	l := readLoop(t, exe)
	for _, with := range []string{"ebpf", "ticks", "interpret"} {
		t.Run(with, func(t *testing.T) {
			// CF, ZF and OF; PF and ZF; SF and OF: no two flags are in the same of these.
			processes := map[uint32]*process{}
			o := sampler.Options{Length: 24}
			for _, flags := range []uint64{0x841, 0x44, 0x880} {
				p := startRegisters(t, exe, flags)
				processes[uint32(p.pid)] = p
				o.PIDs = append(o.PIDs, p.pid)
			}
			if err := backend.Check(with, "operands", &o); err != nil {
				t.Fatal(err)
			}
			s, err := backend.Attach(with, o)
			if errors.Is(err, os.ErrPermission) || errors.Is(err, ebpf.ErrNotSupported) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			for _, p := range processes {
				p.work(t)
			}
			var r capture.Run
			for !enough(processes) && !t.Failed() {
				if err := s.Next(&r); err != nil {
					t.Fatal(err)
				}
				p := processes[r.PID]
				if p == nil {
					t.Errorf("a run of process %d", r.PID)
				} else if r.At != nil && l.start <= r.At.PC && r.At.PC < l.end {
					p.compare(t, l, &r)
				}
			}
		})
	}
}

// A loop is where the program has its loop and its values.
type loop struct{ start, end, sink uint64 }

func readLoop(t *testing.T, exe string) (l loop) {
	f, err := elf.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		switch s.Name {
		case "main.loop.abi0":
			// In front of it are instructions that load the registers.
			code := make([]byte, s.Size)
			text := f.Section(".text")
			if _, err := text.ReadAt(code, int64(s.Value-text.Addr)); err != nil {
				t.Fatal(err)
			}
			const first = "\xff\x35" // PUSH of memory
			at := strings.Index(string(code), first)
			if at < 0 {
				t.Fatal("the loop does not begin with PUSH")
			}
			l.start, l.end = s.Value+uint64(at), s.Value+s.Size
		case "main.values":
			l.sink = s.Value + s.Size - 8
		}
	}
	if l.start == 0 || l.sink == 0 {
		t.Fatal("the program lacks a symbol")
	}
	return l
}

// jumps are those of the loop.
var jumps = []x86asm.Op{x86asm.JO, x86asm.JNO, x86asm.JB, x86asm.JAE, x86asm.JE, x86asm.JNE, x86asm.JS, x86asm.JNS,
	x86asm.JP, x86asm.JNP}

// enough reports whether everything was compared in both processes.
func enough(processes map[uint32]*process) bool {
	const times = 20
	for _, p := range processes {
		for name := range p.values {
			if p.reads[name] < times {
				return false
			}
		}
		for _, op := range jumps {
			if p.jumps[op] < times {
				return false
			}
		}
		if p.loads < times {
			return false
		}
	}
	return true
}

// compare compares a run that began in the loop.
func (p *process) compare(t *testing.T, l loop, r *capture.Run) {
	check := func(what, name string, got uint64) {
		p.reads[name]++
		if want := p.values[name]; got != want {
			t.Errorf("%s: %#x, want %#x of %s", what, got, want, name)
		}
	}
	if r.Goid != 1 {
		t.Errorf("the loop is in goroutine %d, want 1", r.Goid)
	}
	for i, tp := range r.Tuples {
		x, err := x86asm.Decode(tp.Insn.Code, 64)
		if err != nil {
			t.Fatal(err)
		}
		what := fmt.Sprintf("process with the flags %#x, %#x %v", p.flags, tp.Insn.PC, x)
		if i == 0 && tp.Insn != r.At {
			t.Errorf("%s: the run began at %#x", what, r.At.PC)
		}
		source, isRegister := x.Args[1].(x86asm.Reg)
		memory, isLoad := x.Args[1].(x86asm.Mem)
		switch {
		case x.Op == x86asm.MOV && isRegister:
			const all = capture.Result | capture.Second | capture.Addr
			if tp.Known&all != all || tp.Result != tp.Second || tp.Addr != l.sink {
				t.Errorf("%s: known are %b, the result %#x, the operand %#x, the address %#x, want %#x", what, tp.Known, tp.Result,
					tp.Second, tp.Addr, l.sink)
			}
			name := source.String()
			if source <= x86asm.RDI {
				name = strings.TrimPrefix(name, "R")
			}
			check(what, name, tp.Result)
			if i == 0 {
				check(what+", the top of the stack", "top", r.TopOfStack)
				check(what+", the word behind the frame", "behind", r.BehindFrame)
			}
		case x.Op == x86asm.MOV && isLoad && memory.Segment == x86asm.FS:
			check(what, "R13", tp.Result)
			p.loads++
		case tp.Insn.Flow == capture.Branch:
			p.jumps[x.Op]++
			if want := p.taken(x.Op); tp.Known&capture.Taken == 0 || tp.Taken != want {
				t.Errorf("%s: taken %v, want %v", what, tp.Taken, want)
			}
		}
	}
}

// taken reports whether the flags of the process make a jump, by the processor's manual.
func (p *process) taken(op x86asm.Op) bool {
	bits := map[x86asm.Op]struct {
		bit   int
		value uint64
	}{
		x86asm.JB: {0, 1}, x86asm.JAE: {0, 0}, x86asm.JP: {2, 1}, x86asm.JNP: {2, 0}, x86asm.JE: {6, 1}, x86asm.JNE: {6, 0},
		x86asm.JS: {7, 1}, x86asm.JNS: {7, 0}, x86asm.JO: {11, 1}, x86asm.JNO: {11, 0},
	}
	return p.flags>>bits[op].bit&1 == bits[op].value
}
