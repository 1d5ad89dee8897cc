package branches

// This file follows a program through the table of actions, and compares the paths with those that the same program
// counts in exact mode.

import (
	"bufio"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pepgo/pep/format/actions"
	"github.com/pepgo/pep/format/actiontable"
	"github.com/pepgo/pep/format/branches"
	"github.com/pepgo/pep/runtime/follow"
)

// Actions joins a table for an executable. With calls it has actions for functions with one path, too.
func Actions(exe string, pkgs []branches.Package, calls bool) (*actions.Table, error) {
	symbols, err := readSymbols(exe)
	if err != nil {
		return nil, err
	}
	return actions.Link(pkgs, symbols, calls)
}

// libs are where valgrind's tools and what they are made of may be.
var (
	libs  = []string{"/usr/lib/x86_64-linux-gnu/valgrind", "/usr/lib/valgrind"}
	tools = append([]string{"/usr/libexec/valgrind"}, libs...)
)

// ErrNoTracer says that the tool cannot be built here.
var ErrNoTracer = errors.New("valgrind, its header files and gcc are not all there")

// BuildTracer compiles the tool for valgrind in source into an empty directory.
func BuildTracer(source, dir string) error {
	lib := slices.IndexFunc(libs, func(d string) bool { return exists(filepath.Join(d, "libcoregrind-amd64-linux.a")) })
	tool := slices.IndexFunc(tools, func(d string) bool { return exists(filepath.Join(d, "none-amd64-linux")) })
	gcc, err := exec.LookPath("gcc")
	if lib < 0 || tool < 0 || err != nil || !exists("/usr/include/valgrind/pub_tool_basics.h") {
		return ErrNoTracer
	}
	others, err := filepath.Glob(filepath.Join(tools[tool], "*"))
	if err != nil {
		return err
	}
	for _, o := range others {
		if err := os.Symlink(o, filepath.Join(dir, filepath.Base(o))); err != nil {
			return err
		}
	}
	args := []string{"-O2", "-m64", "-fno-stack-protector", "-fno-builtin", "-no-pie", "-fno-pie",
		"-DVGO_linux=1", "-DVGA_amd64=1", "-DVGP_amd64_linux=1", "-DVGPV_amd64_linux_vanilla=1", "-I/usr/include/valgrind",
		"-static", "-nodefaultlibs", "-nostartfiles", "-u", "_start", "-Wl,--build-id=none",
		"-Wl,-Ttext-segment=0x58000000", "-o", filepath.Join(dir, "peprows-amd64-linux"), source}
	for _, a := range []string{"coregrind", "vex", "gcc-sup"} {
		args = append(args, filepath.Join(libs[lib], "lib"+a+"-amd64-linux.a"))
	}
	if out, err := exec.Command(gcc, append(args, "-lgcc")...).CombinedOutput(); err != nil {
		return fmt.Errorf("gcc: %w\n%s", err, out)
	}
	return nil
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// A PathCount has how often paths of the source were followed to their ends, by function and number.
type PathCount map[*actions.Source]map[uint64]int64

// Follow runs a program under valgrind, with the tool in a directory, and follows it through a table.
func Follow(exe string, t *actions.Table, tracer, dir string, args ...string) (PathCount, error) {
	machines := map[uint64]*follow.Machine{} // by goroutine
	paths := map[uint32]int64{}
	slots := t.Slots()
	_, err := Trace(exe, t, tracer, dir, func(s Step) error {
		m := machines[s.G]
		if m == nil {
			m = follow.New(t.Ops, slots, follow.NewMemory(1<<12, 1<<16))
			machines[s.G] = m
		}
		m.Step(s.Depth, s.Func, s.Action)
		for _, p := range m.Ended() {
			paths[p]++
		}
		if m.Dropped > 0 || m.Forgotten > 0 {
			return errors.New("a machine has too little memory")
		}
		return nil
	}, args...)
	if err != nil {
		return nil, err
	}
	counts := PathCount{}
	for p, n := range paths {
		s, number := t.Find(p)
		if number >= s.Paths() {
			return nil, fmt.Errorf("%s: there is no path %d", s.Name, number)
		}
		if counts[s] == nil {
			counts[s] = map[uint64]int64{}
		}
		counts[s][number] += n
	}
	return counts, nil
}

// A Step is an action of the table that a program comes by.
type Step struct {
	At           uint64 // how many instructions were executed, with this one
	G            uint64 // the goroutine
	Depth        uint64 // of the stack
	Func, Action uint32 // as the table numbers them
}

// at has the rows of an instruction.
type at struct {
	fn          uint32
	rows        []actiontable.Row
	fallThrough uint64
	targets     map[int]uint64 // of a table of jumps, by index
}

// Trace runs a program under valgrind, with the tool in a directory, and calls f for each action of the table, in the order of
// execution. It returns how many instructions the program has executed.
func Trace(exe string, t *actions.Table, tracer, dir string, f func(Step) error, args ...string) (uint64, error) {
	byPC, rows, err := index(exe, t)
	if err != nil {
		return 0, err
	}
	rowsFile, out := filepath.Join(dir, "rows"), filepath.Join(dir, "trace")
	if err := os.WriteFile(rowsFile, rows, 0o666); err != nil {
		return 0, err
	}
	if out, err := exec.Command("mkfifo", out).CombinedOutput(); err != nil {
		return 0, fmt.Errorf("mkfifo: %w: %s", err, out)
	}
	defer os.Remove(out)
	// Valgrind must not execute a block in front of the branch that leads to it, and must keep the stack pointer up to date.
	flags := []string{"--tool=peprows", "--vex-guest-chase=no", "--vex-iropt-register-updates=allregs-at-each-insn",
		"--rows=" + rowsFile, "--out=" + out, exe}
	cmd := exec.Command("valgrind", append(flags, args...)...)
	cmd.Env = append(append(os.Environ(), Env...), "VALGRIND_LIB="+tracer)
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	r, err := os.Open(out)
	if err != nil {
		return 0, err
	}
	n, err := readTrace(bufio.NewReaderSize(r, 1<<20), byPC, f)
	r.Close() // so that the program ends if err is not nil
	if werr := cmd.Wait(); werr != nil && err == nil {
		err = fmt.Errorf("valgrind %s: %w: %s", exe, werr, &said)
	}
	return n, err
}

// index returns the rows of a table by the addresses of their instructions, and the file for the tool.
func index(exe string, t *actions.Table) (byPC map[uint64]*at, file []byte, err error) {
	code, err := readCode(exe)
	if err != nil {
		return nil, nil, err
	}
	byPC = map[uint64]*at{}
	for i, f := range t.Funcs {
		for _, r := range f.Rows {
			pc := f.Addr + uint64(r.PC)
			if byPC[pc] == nil {
				byPC[pc] = &at{fn: uint32(i)}
			}
			byPC[pc].rows = append(byPC[pc].rows, r)
		}
	}
	for _, pc := range slices.Sorted(maps.Keys(byPC)) {
		x := byPC[pc]
		flag := uint64(0)
		if slices.ContainsFunc(x.rows, func(r actiontable.Row) bool { return r.Way != actiontable.At }) {
			flag = 1 << 63
			size := uint64(2)
			if b, err := code.at(pc); err != nil {
				return nil, nil, err
			} else if b == 0x0f {
				size = 6
			}
			x.fallThrough = pc + size
			for _, r := range x.rows {
				if r.Way != actiontable.Jump {
					continue
				}
				target, err := code.target(pc, int(r.Index))
				if err != nil {
					return nil, nil, err
				}
				if x.targets == nil {
					x.targets = map[int]uint64{}
				}
				x.targets[int(r.Index)] = target
			}
		}
		file = binary.LittleEndian.AppendUint64(file, pc|flag)
	}
	return byPC, file, nil
}

func readTrace(r io.Reader, byPC map[uint64]*at, f func(Step) error) (uint64, error) {
	for rec := make([]byte, 40); ; {
		if _, err := io.ReadFull(r, rec); err != nil {
			return 0, err
		}
		field := func(i int) uint64 { return binary.LittleEndian.Uint64(rec[8*i:]) }
		pc, next, n := field(0), field(3), field(4)
		if pc == 0 {
			return n, nil
		}
		x := byPC[pc]
		jumped := false
		for _, row := range x.rows {
			switch row.Way {
			case actiontable.Taken:
				if next == x.fallThrough {
					continue
				}
			case actiontable.NotTaken:
				if next != x.fallThrough {
					continue
				}
			case actiontable.Jump:
				// Several entries may lead to one place, and then do the same.
				if next != x.targets[int(row.Index)] || jumped {
					continue
				}
				jumped = true
			}
			if err := f(Step{n, field(2), field(1), x.fn, row.Action}); err != nil {
				return 0, err
			}
		}
	}
}

// code is what an executable has in memory.
type code struct{ sections []section }

type section struct {
	addr uint64
	data []byte
}

func readCode(exe string) (*code, error) {
	f, err := elf.Open(exe)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c := &code{}
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_ALLOC == 0 || s.Type == elf.SHT_NOBITS {
			continue
		}
		data, err := s.Data()
		if err != nil {
			return nil, err
		}
		c.sections = append(c.sections, section{s.Addr, data})
	}
	return c, nil
}

// from returns n bytes.
func (c *code) from(addr uint64, n int) ([]byte, error) {
	for _, s := range c.sections {
		if addr >= s.addr && addr-s.addr+uint64(n) <= uint64(len(s.data)) {
			return s.data[addr-s.addr:][:n], nil
		}
	}
	return nil, fmt.Errorf("there is nothing at %#x", addr)
}

func (c *code) at(pc uint64) (byte, error) {
	b, err := c.from(pc, 1)
	if err != nil {
		return 0, err
	}
	return b[0], nil
}

// target returns where an entry of a table of jumps leads to. Before the jump at pc its address is loaded: LEAQ
// table(IP), CX.
func (c *code) target(pc uint64, index int) (uint64, error) {
	const size = 7 // of LEAQ
	for at := pc - size; at > pc-40; at-- {
		b, err := c.from(at, size)
		if err != nil {
			return 0, err
		}
		if b[0]&^4 != 0x48 || b[1] != 0x8d || b[2]&0xc7 != 5 {
			continue
		}
		table := at + size + uint64(int64(int32(binary.LittleEndian.Uint32(b[3:]))))
		entry, err := c.from(table+8*uint64(index), 8)
		if err != nil {
			return 0, err
		}
		return binary.LittleEndian.Uint64(entry), nil
	}
	return 0, fmt.Errorf("no table of jumps is known for the jump at %#x", pc)
}
