package branches

// This file runs programs under valgrind, and reads which rows of a table they come by.

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

	"github.com/pepgo/pep/format/actiontable"
)

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

// Env has what makes runs of a program alike. Valgrind 3.19 does not know RDTSCP.
var Env = []string{"GODEBUG=asyncpreemptoff=1,cpu.rdtscp=off", "GOMAXPROCS=1", "GOGC=off"}

// A row is one of a table.
type row struct {
	way   actiontable.Way
	index int // of Jump
	n     int // the caller's number
}

// A moment is one at which a program executes an instruction that has rows.
type moment struct {
	at       uint64 // how many instructions were executed, with this one
	g, depth uint64 // the goroutine, and the depth of its stack
}

// An instruction is one that has rows.
type instruction struct {
	rows    []row
	behind  uint64         // of a branch: the address of what follows
	targets map[int]uint64 // of a table of jumps, by index
	moves   bool           // it is CMOVcc or SETcc
}

// What the tool writes down of an instruction: the address of the next one, or whether a condition holds, whose code is
// at a bit.
const (
	wantNext      = 1 << 63
	wantCondition = 1 << 62
	conditionBit  = 56
)

// trace runs a program under valgrind, with the tool in a directory, and calls f each time that what a row says
// happens, in order. It returns how many instructions the program has executed.
func trace(exe string, rows map[uint64][]row, tracer, dir string, f func(m *moment, n int) error,
	args ...string) (uint64, error) {
	byPC, file, err := instructions(exe, rows)
	if err != nil {
		return 0, err
	}
	rowsFile, out := filepath.Join(dir, "rows"), filepath.Join(dir, "trace")
	if err := os.WriteFile(rowsFile, file, 0o666); err != nil {
		return 0, err
	}
	if out, err := exec.Command("mkfifo", out).CombinedOutput(); err != nil {
		return 0, fmt.Errorf("mkfifo: %w: %s", err, out)
	}
	defer os.Remove(out)
	// Valgrind must not execute a block in front of the branch that leads to it, and must keep registers and flags up to
	// date.
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
	if werr := cmd.Wait(); werr != nil && (err == nil || errors.Is(err, io.EOF)) {
		err = fmt.Errorf("valgrind %s: %w: %s", exe, werr, &said)
	}
	return n, err
}

// instructions returns the instructions that have rows, by their addresses, and the file for the tool.
func instructions(exe string, rows map[uint64][]row) (byPC map[uint64]*instruction, file []byte, err error) {
	code, err := readCode(exe)
	if err != nil {
		return nil, nil, err
	}
	byPC = map[uint64]*instruction{}
	for _, pc := range slices.Sorted(maps.Keys(rows)) {
		x := &instruction{rows: rows[pc]}
		byPC[pc] = x
		want := uint64(0)
		if slices.ContainsFunc(x.rows, func(r row) bool { return r.way != actiontable.At }) {
			if want, err = x.decode(code, pc); err != nil {
				return nil, nil, err
			}
		}
		file = binary.LittleEndian.AppendUint64(file, pc|want)
	}
	return byPC, file, nil
}

// decode reads an instruction whose rows say more than that it is executed, and returns what is wanted of it.
func (x *instruction) decode(c *code, pc uint64) (want uint64, err error) {
	at := pc
	next := func() (b byte) {
		if err == nil {
			b, err = c.at(at)
			at++
		}
		return b
	}
	b := next()
	for b == 0x66 || b&0xf0 == 0x40 { // prefixes
		b = next()
	}
	size := uint64(2)
	if b == 0x0f {
		switch b = next(); b >> 4 {
		case 4, 9:
			x.moves = true
			return wantCondition | uint64(b&15)<<conditionBit, err
		}
		size = 6
	}
	x.behind = pc + size
	for _, r := range x.rows {
		if r.way != actiontable.Jump || err != nil {
			continue
		}
		if x.targets == nil {
			x.targets = map[int]uint64{}
		}
		x.targets[r.index], err = c.target(pc, r.index)
	}
	return wantNext, err
}

// readTrace reads what the tool writes.
func readTrace(r io.Reader, byPC map[uint64]*instruction, f func(m *moment, n int) error) (uint64, error) {
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
		taken := next != x.behind
		if x.moves {
			taken = next != 0
		}
		jumped := false
		for _, row := range x.rows {
			switch row.way {
			case actiontable.Taken:
				if !taken {
					continue
				}
			case actiontable.NotTaken:
				if taken {
					continue
				}
			case actiontable.Jump:
				// Several entries may lead to one place, and then do the same.
				if next != x.targets[row.index] || jumped {
					continue
				}
				jumped = true
			}
			if err := f(&moment{n, field(2), field(1)}, row.n); err != nil {
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
