package debug

// This file holds the commands of the debugger.

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim/trace"
)

// A command of the debugger. Its function gets the words behind its name.
type command struct {
	name, short, args, help string
	run                     func(d *debugger, args []string) error
}

var commands []command

func init() { // help refers to the list
	commands = []command{
		{"step", "s", "[N]", "execute N microinstructions (1)",
			func(d *debugger, args []string) error { return d.goOn(steps, args) }},
		{"routine", "r", "[N]", "go on to the end of the routine, or of N routines",
			func(d *debugger, args []string) error { return d.goOn(routine, args) }},
		{"interrupt", "i", "", "go on until the machine interrupts",
			func(d *debugger, args []string) error { return d.goOn(interrupt, args) }},
		{"run", "c", "", "go on to a breakpoint, or until there are no further events",
			func(d *debugger, args []string) error { return d.goOn(theEnd, args) }},
		{"break", "b", "[WHERE]", "stop before WHERE: a label, label+N or an address; without WHERE list the breakpoints",
			(*debugger).breakpoint},
		{"delete", "d", "WHERE", "remove a breakpoint", (*debugger).remove},
		{"sample", "", "TAG SITE WORD [WORD [WORD]]",
			"the next event, such as sample load 5 0x7; further words belong to the same sample", (*debugger).sample},
		{"print", "p", "WHAT [FROM [N]]", "registers, data, slots, buffer, statistics, or one register such as V0, I3, K1, B0, T2, M", (*debugger).print},
		{"list", "l", "", "the microinstructions; a star marks breakpoints, an arrow the next one", (*debugger).list},
		{"help", "h", "", "these commands", (*debugger).help},
		{"quit", "q", "", "end", func(d *debugger, args []string) error { d.quit = true; return nil }},
	}
}

// command runs a line. An empty line is no command.
func (d *debugger) command(line string) error {
	words := strings.Fields(line)
	if len(words) == 0 || strings.HasPrefix(words[0], "#") {
		return nil
	}
	for _, c := range commands {
		if words[0] != c.name && (words[0] != c.short || c.short == "") {
			continue
		}
		if most := len(strings.Fields(c.args)); len(words)-1 > most {
			return fmt.Errorf("%s: too many words: want %s", line, strings.TrimSpace(c.name+" "+c.args))
		}
		return c.run(d, words[1:])
	}
	return fmt.Errorf("there is no command %s: help lists the commands", words[0])
}

// goOn sets a goal.
func (d *debugger) goOn(g goal, args []string) error {
	d.count = 1
	if len(args) > 0 {
		n, err := number(args[0])
		if err != nil || n == 0 {
			return fmt.Errorf("%s: want a number from 1", args[0])
		}
		d.count = n
	}
	d.goal = g
	return nil
}

func number(text string) (uint64, error) {
	n, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: want a number, such as 12 or 0x1f", text)
	}
	return n, nil
}

// address returns the address that a user names: label, label+N or N.
func (d *debugger) address(text string) (int, error) {
	label, plus, _ := strings.Cut(text, "+")
	base, known := d.program.Label[label]
	if !known {
		base, plus = 0, text
	}
	n := uint64(0)
	if plus != "" {
		var err error
		if n, err = number(plus); err != nil {
			return 0, fmt.Errorf("there is no label %s: labels are %s", label,
				strings.Join(slices.Sorted(maps.Keys(d.program.Label)), ", "))
		}
	}
	if n >= uint64(len(d.program.Code)-base) {
		return 0, fmt.Errorf("%s: the program has addresses below %d", text, len(d.program.Code))
	}
	return base + int(n), nil
}

func (d *debugger) breakpoint(args []string) error {
	if len(args) == 0 {
		for _, a := range slices.Sorted(maps.Keys(d.breaks)) {
			fmt.Fprintf(d.w, "%5d  %s\n", a, d.program.Name(a))
		}
		return nil
	}
	a, err := d.address(args[0])
	if err != nil {
		return err
	}
	d.breaks[a] = true
	fmt.Fprintf(d.w, "breakpoint at %s, address %d\n", d.program.Name(a), a)
	return nil
}

func (d *debugger) remove(args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("delete: want the breakpoint to remove; break lists them")
	}
	a, err := d.address(args[0])
	switch {
	case err != nil:
		return err
	case !d.breaks[a]:
		return fmt.Errorf("%s: there is no breakpoint; break lists them", args[0])
	}
	delete(d.breaks, a)
	return nil
}

func (d *debugger) sample(args []string) error {
	if len(args) < 3 {
		return fmt.Errorf("sample: want a tag, a site and a word, such as sample load 5 0x7")
	}
	tag, err := trace.ParseTag(args[0])
	if err != nil {
		return err
	}
	site, err := number(args[1])
	if err != nil {
		return err
	}
	if site>>56 != 0 {
		return fmt.Errorf("%s: want a site below 2^56", args[1])
	}
	var words []tuple.Tuple
	for i, text := range args[2:] {
		w, err := number(text)
		if err != nil {
			return err
		}
		words = append(words, tuple.New([]tuple.Tag{tag, tuple.More, tuple.Third}[i], site, w))
	}
	d.typed = append(d.typed, words...)
	return nil
}

func (d *debugger) help(args []string) error {
	for _, c := range commands {
		name := c.name
		if c.short != "" {
			name += ", " + c.short
		}
		fmt.Fprintf(d.w, "%-14s %-28s %s\n", name, c.args, c.help)
	}
	return nil
}
