package debug

// This file prints the state of the machine.

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pepgo/pep/hwsim/cop/asm"
	"github.com/pepgo/pep/hwsim/cop/machine"
)

// print prints a part of the machine.
func (d *debugger) print(args []string) error {
	if len(args) == 0 {
		args = []string{"registers"}
	}
	switch args[0] {
	case "registers":
		d.registers()
	case "data":
		return d.array(args, d.machine.Config().Data, d.word)
	case "slots":
		return d.array(args, d.machine.Config().Slots, d.slot)
	case "buffer":
		n, capacity := d.machine.Queued()
		fmt.Fprintf(d.w, "%d of %d events; the first is %s\n", n, capacity, d.head(n))
	case "statistics":
		d.tracer.Summary()
	default:
		return d.register(args[0])
	}
	return nil
}

// files are the register files: the letter, the number of registers and the window.
var files = []struct {
	letter    string
	n, window int
}{
	{"V", 8, machine.ValueWindow}, {"I", 8, machine.IndexWindow}, {"K", 16, machine.ConstWindow},
	{"B", 4, machine.BaseWindow}, {"T", 4, machine.TargetWindow},
}

func (d *debugger) registers() {
	for _, f := range files {
		var line []string
		for i := range f.n {
			unset := uint64(0)
			if f.letter == "B" {
				unset = 1 << 16 // the first word
			}
			if x, _ := d.machine.Get(f.window + i); x != unset {
				line = append(line, fmt.Sprintf("%s%d=%s", f.letter, i, d.value(f.letter, f.window+i)))
			}
		}
		if line != nil {
			fmt.Fprintln(d.w, strings.Join(line, " "))
		}
	}
	fmt.Fprintf(d.w, "M=%#x flags=%s; other registers are 0\n", d.machine.Read(machine.SourceM), asm.Flags(d.machine))
}

// value returns what a register holds. Bases are shown as address and size, targets as
// labels.
func (d *debugger) value(letter string, register int) string {
	x, _ := d.machine.Get(register)
	switch letter {
	case "B":
		return fmt.Sprintf("%d..%d", x&0xffff, x&0xffff+x>>16-1)
	case "T":
		return d.program.Name(int(x))
	}
	return fmt.Sprintf("%#x", x)
}

func (d *debugger) register(name string) error {
	if name == "M" {
		fmt.Fprintf(d.w, "M=%#x\n", d.machine.Read(machine.SourceM))
		return nil
	}
	for _, f := range files {
		rest, ok := strings.CutPrefix(name, f.letter)
		if i, err := strconv.ParseUint(rest, 10, 8); ok && err == nil && int(i) < f.n {
			fmt.Fprintf(d.w, "%s=%s\n", name, d.value(f.letter, f.window+int(i)))
			return nil
		}
	}
	return fmt.Errorf("print %s: want registers, data, slots, buffer, statistics, or a register: V0-V7, I0-I7, K0-K15, B0-B3, T0-T3, M", name)
}

// array prints the entries of an array, or those that args select. The text of an entry is
// "" if the entry is empty; without args array leaves out such entries.
func (d *debugger) array(args []string, n int, entry func(i int) string) error {
	from, count := uint64(0), uint64(n)
	for i, p := range []*uint64{&from, &count} {
		if i+1 < len(args) {
			x, err := number(args[i+1])
			if err != nil {
				return err
			}
			*p = x
			if i == 0 {
				count = 1
			}
		}
	}
	if from >= uint64(n) {
		return fmt.Errorf("%s %d: the machine has %d", args[0], from, n)
	}
	some := false
	for i := from; i < min(from+count, uint64(n)); i++ {
		text := entry(int(i))
		if text == "" && len(args) > 1 {
			text = "empty"
		}
		if text != "" {
			fmt.Fprintf(d.w, "%5d  %s\n", i, text)
			some = true
		}
	}
	if !some {
		fmt.Fprintf(d.w, "all %d are empty\n", n)
	}
	return nil
}

func (d *debugger) word(i int) string {
	x, _ := d.machine.Get(machine.DataWindow + i)
	if x == 0 {
		return ""
	}
	return fmt.Sprintf("%#016x  value %#x, hits %d, misses %d, total %d", x, uint32(x), x>>32&255, x>>40&255, x>>48)
}

func (d *debugger) slot(i int) string {
	key, _ := d.machine.Get(machine.KeyWindow + i)
	valid, _ := d.machine.Get(machine.ValidWindow + i)
	switch {
	case valid == 1:
		return fmt.Sprintf("%#x", key)
	case key != 0:
		return fmt.Sprintf("%#x, not valid", key)
	}
	return ""
}

// head describes the event whose routine runs.
func (d *debugger) head(n int) string {
	if n == 0 {
		return "none"
	}
	read := d.machine.Read
	return fmt.Sprintf("pc=%#x value=%#x addr=%#x target=%#x class=%d", read(machine.SourcePC), read(machine.SourceValue),
		read(machine.SourceAddr), read(machine.SourceTarget), read(machine.SourceClass))
}

// list prints the program.
func (d *debugger) list(args []string) error {
	state, _ := d.machine.State()
	for a := range d.program.Code {
		mark := "  "
		if d.breaks[a] {
			mark = "* "
		}
		if state == machine.Running && a == d.machine.PC() {
			mark = mark[:1] + ">"
		}
		fmt.Fprintf(d.w, "%s%4d  %-10s %s\n", mark, a, d.program.Name(a), d.program.Source(a))
	}
	return nil
}
