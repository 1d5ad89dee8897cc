package truth

// This file runs programs under perf record.

import (
	"bufio"
	"bytes"
	"debug/elf"
	"debug/gosym"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pepgo/pep/lab/driver"
)

func (l *Lab) perf(exe string, args []string) (m Measured, err error) {
	code, err := readCode(exe)
	if err != nil {
		return m, err
	}
	data := filepath.Join(l.Work, "perf.data")
	period := strconv.Itoa(l.Seconds * 1e9 / l.Samples) // ns
	r, err := driver.Tool("", nil, "perf", append([]string{"record", "-q", "-e", "cpu-clock", "-c", period, "-g", "-o", data, "--",
		exe}, args...)...)
	if err != nil {
		return m, err
	}
	if m.Truth, err = readSaid(r.Stdout); err != nil {
		return m, err
	}
	if r, err = driver.Tool("", nil, "perf", "script", "-i", data, "-F", "ip,sym,dso"); err != nil {
		return m, err
	}
	m.Time, m.N, err = code.places([]byte(r.Stdout))
	return m, err
}

// A code knows the functions of a program.
type code struct {
	exe       string
	bytes     []byte // of the file
	low, high uint64 // of the code of Go
	table     *gosym.Table
	at        map[string]uint64 // symbols
}

func readCode(exe string) (*code, error) {
	f, err := elf.Open(exe)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		return nil, err
	}
	c := &code{exe: exe, at: map[string]uint64{}}
	if c.bytes, err = os.ReadFile(exe); err != nil {
		return nil, err
	}
	for _, s := range symbols {
		c.at[s.Name] = s.Value
		switch s.Name {
		case "runtime.text":
			c.low = s.Value
		case "runtime.etext":
			c.high = s.Value
		}
	}
	section := f.Section(".gopclntab")
	if c.low >= c.high || section == nil {
		return nil, fmt.Errorf("%s is no program of Go with symbols", exe)
	}
	lines, err := section.Data()
	if err != nil {
		return nil, err
	}
	c.table, err = gosym.NewTable(nil, gosym.NewLineTable(lines, c.low))
	return c, err
}

// places counts the samples in what perf script prints, by function or kind of code. A sample is a list of program
// counters with names and files, the innermost one first, and an empty line. In the kernel, the program's own counter
// is behind those of the kernel. What the kernel does in a system call is of the kind of these, and all else counts
// where it interrupts the program, as with the signals of timers. The instruction behind a system call belongs to the
// call.
func (c *code) places(script []byte) (counts map[string]float64, n int, err error) {
	counts = map[string]float64{}
	inCall, place := false, ""
	lines := bufio.NewScanner(bytes.NewReader(append(script, '\n')))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		ip, name, _ := strings.Cut(strings.TrimSpace(lines.Text()), " ")
		file := ""
		if i := strings.LastIndex(name, " ("); i >= 0 {
			name, file = name[:i], strings.TrimSuffix(name[i+2:], ")")
		}
		if ip == "" {
			if place != "" {
				counts[place]++
				n++
			}
			inCall, place = false, ""
			continue
		}
		pc, err := strconv.ParseUint(ip, 16, 64)
		if err != nil {
			return nil, 0, fmt.Errorf("perf script prints %q", lines.Text())
		}
		const kernel = 1 << 63
		switch {
		case pc >= kernel:
			inCall = inCall || strings.Contains(name, "do_syscall_64") || strings.Contains(name, "entry_SYSCALL_64")
			if place == "" {
				place = "kernel" // unless there is a counter of the program
			}
		case place == "" || place == "kernel":
			if place = c.place(name, file); place != outside && (inCall || c.behindCall(pc)) {
				place = systemCalls
			}
		}
	}
	return counts, n, lines.Err()
}

// behindCall reports whether an instruction, at an offset in the file as perf prints it, is the one behind a system
// call: an interrupt that comes while the kernel is about to leave waits until it has left.
func (c *code) behindCall(offset uint64) bool {
	return 2 <= offset && offset < uint64(len(c.bytes)) && c.bytes[offset-2] == 0x0f && c.bytes[offset-1] == 0x05
}

// place returns the function, or the kind of code, that a symbol of a file is.
func (c *code) place(name, file string) string {
	pc, ok := c.at[name]
	if file != c.exe || !ok || pc < c.low || pc >= c.high {
		return outside
	}
	source, _, f := c.table.PCToLine(pc)
	switch {
	case f == nil:
		return outside
	case strings.HasSuffix(source, ".s"):
		return assembly
	}
	return f.Name
}
