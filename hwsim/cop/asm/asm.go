// Package asm is the assembler and disassembler for the co-processor of package cop. It
// can also trace a program while it runs.
//
//	p, err := asm.Assemble("count.s", `
//	        .sample pc value
//	        .entry  load hits        # where the routine for loads begins
//	        .const  K1 1
//	hits:   add V0, V0, K1 ; inc I0  # one microinstruction, two operations
//	        if isat goto full        # I0 has wrapped to 0
//	        done                     # the next event
//	full:   interrupt
//	`)
//	err = machine.Load(p.Image)
//	fmt.Print(p.Listing())
//
// # Lines
//
// A line is a directive or one microinstruction. A microinstruction consists of
// operations with semicolons between them, which all happen in one cycle. A line may
// begin with labels. A comment begins with #.
//
// The main ALU has mov, add, sub, adds (which saturates), and, or, xor, not, shl1,
// shr1, shr8, cmp and rand. The destination comes first, one of V0 to V7. Without a
// destination only the other operations of the line can use the result. Operands are
// V0-V7, K0-K15, I0-I7, M, and fields of the event: pc, value, addr, insn, target,
// class, event, op, ra, rb.
//
//	add V1, V0, K2    adds V1, V1, value    cmp V0, K1    rand V3, K0    shr8 V1, insn
//
// The index ALU has inc, dec, sinc, sdec (which saturate), mov, clr and set:
//
//	inc I0    sdec I1, I2    mov I1, I0    clr I3    set I2    set I2, V0
//
// The data array has rd, wr, dinc, dsinc (which saturates) and dclr. An address is a
// base register or'ed with an index register. Fields of a word are value (bits 0 to
// 31), hits (32 to 39), misses (40 to 47), total (48 to 63) and high (32 to 63). After
// rd, dinc and dsinc, M has the result.
//
//	rd B0|I0    dsinc B0|I1.hits    wr B0|I0.value, value    wr B0|I0
//
// The associative array has match, write and inval, with an index register for the slot:
//
//	match I0    match I0, V1    write I0    inval I0
//
// If no key is given, the key is the PC of the event. Other keys, and the values that
// wr and set store, come from the main ALU. If it does nothing else in this line, they
// can be any operand. Otherwise they are the result of the main ALU: it is called
// result, and wr and set use it if no value is given.
//
// The branch is one of
//
//	goto where    if predicate goto where    if !predicate goto where    done    interrupt
//
// with the predicates eq, lt, gt, hit, isat, msat, dsat and empty. The target is a
// label at most 15 instructions ahead or 16 back, +N or -N instructions, T0 to T3,
// done, or interrupt. A branch without a predicate is predicted to be taken, a branch
// with a predicate not to be taken. A likely or unlikely behind the branch overrides
// this.
//
// # Directives
//
// Numbers are decimal or hexadecimal (0x1f), or names that .equ has defined before.
//
//	.host samples            what software does with the results
//	.equ NAME 16             a name for a number
//	.const K0 31             .value V0 0        .index I0 5     registers at the start
//	.width I0 7              bits of an index register, 1 to 16
//	.base B0 128 64          the sub-array of 64 words at 128
//	.target T0 label         a label for far branches
//	.entry load store label  the routine of these classes: names of tags, numbers, or all
//	.filter load             which classes are profiled, if not those with an entry
//	.sample pc value         which fields the sample buffer has: pc value addr insn target event
//	.match 1 0x3 0x2         the filter of PCs: number of the hash, mask, match
//	.mask 2                  the number of the hash for the filter with a bit for each PC
//	.seed 7                  the shift register
//	.store 0x10005 3         any other store to the window
package asm

import (
	"fmt"
	"strings"

	"github.com/pepgo/pep/hwsim/cop/machine"
)

// A Program is an assembled program.
type Program struct {
	Image *machine.Image
	Code  []Code         // microinstructions by address
	Label map[string]int // addresses

	name string
}

// Code is a microinstruction and the source line that it comes from.
type Code struct {
	Instr machine.Instr
	Line  int // from 1
	Text  string
}

// An Error is an error at a position of the source.
type Error struct {
	File         string
	Line, Column int // from 1; the column in bytes
	Text         string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Text)
}

// Errors are all errors of a source: at most one for each line and each label.
type Errors []*Error

func (e Errors) Error() string {
	var lines []string
	for _, x := range e {
		lines = append(lines, x.Error())
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the errors, so that commands print each in a line of its own.
func (e Errors) Unwrap() (list []error) {
	for _, x := range e {
		list = append(list, x)
	}
	return list
}

// Assemble translates a source. The errors use the name, and are of type Errors.
func Assemble(name, source string) (*Program, error) {
	a := &assembler{
		Program: &Program{name: name, Label: map[string]int{}},
		equ:     map[string]uint64{},
		stores:  map[int]uint64{},
		at:      map[int]position{},
	}
	for i, text := range strings.Split(source, "\n") {
		a.line(i+1, text)
	}
	a.finish()
	if len(a.errors) > 0 {
		return nil, a.errors
	}
	return a.Program, nil
}

// assembler is the state of Assemble.
type assembler struct {
	*Program
	errors Errors
	equ    map[string]uint64
	host   string
	stores map[int]uint64   // values by register
	at     map[int]position // positions of these stores in the source
	extra  []machine.Store  // stores of .store
	uses   []use            // uses of labels

	classes uint32 // classes that have an entry
}

type position struct{ line, column int }

// A use of a label, by the branch of an instruction or for a register.
type use struct {
	position
	label    string
	address  int // address of the instruction, -1 for none
	register int
}

// fail is the type of the panics with which parsing of a line ends.
type fail struct{ *Error }

func (a *assembler) fail(p position, format string, args ...any) {
	panic(fail{&Error{a.name, p.line, p.column, fmt.Sprintf(format, args...)}})
}

// try calls f. If f panics with a fail, try keeps the error.
func (a *assembler) try(f func()) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case fail:
			a.errors = append(a.errors, x.Error)
		default:
			panic(x)
		}
	}()
	f()
}

func (a *assembler) line(number int, text string) {
	a.try(func() {
		s := &scanner{a: a, line: number, tokens: scan(text)}
		for len(s.tokens) > 1 && s.tokens[1].text == ":" {
			t := s.next()
			if !isName(t.text) {
				a.fail(s.at(t), "%q is no label: want a letter, and then letters, digits and underscores", t.text)
			}
			if _, target := isRegister(t.text, "T", 4); target || t.text == "done" || t.text == "interrupt" {
				a.fail(s.at(t), "branches to %s go elsewhere: want another label", t.text)
			}
			if _, ok := a.Label[t.text]; ok {
				a.fail(s.at(t), "label %s is there already", t.text)
			}
			a.Label[t.text] = len(a.Code)
			s.next()
		}
		switch {
		case len(s.tokens) == 0:
		case s.tokens[0].text == ".":
			s.directive()
		default:
			s.instruction(text)
		}
	})
}

// finish resolves labels and builds the image.
func (a *assembler) finish() {
	for _, u := range a.uses {
		a.try(func() { a.resolve(u) })
	}
	end := position{1, 1}
	if n := len(a.Code); n > 0 {
		end.line = a.Code[n-1].Line
	}
	a.try(func() {
		switch n := len(a.Code); {
		case n == 0:
			a.fail(end, "there are no microinstructions")
		case !a.Code[n-1].Instr.Always():
			a.fail(end, "the program ends without a branch that is always taken: want done, interrupt or goto")
		case a.classes == 0:
			a.fail(end, "no .entry says where the routine of a class begins")
		}
	})
	if classes, ok := a.stores[machine.SampleWindow+machine.FilterClasses]; !ok {
		a.stores[machine.SampleWindow+machine.FilterClasses] = uint64(a.classes)
	} else if left := uint32(classes) &^ a.classes; left != 0 && a.classes != 0 {
		a.try(func() {
			a.fail(a.at[machine.SampleWindow+machine.FilterClasses], "the filter accepts class %s, which has no .entry",
				classNames(left)[0])
		})
	}
	a.Image = &machine.Image{Host: a.host}
	for _, window := range order {
		a.image(window)
	}
	for i, c := range a.Code {
		a.Image.Stores = append(a.Image.Stores, machine.Store{Register: machine.MicrocodeWindow + i, Value: c.Instr.Encode()})
	}
	a.Image.Stores = append(a.Image.Stores, a.extra...)
}

// order is the order of the windows in an image. Widths come before the indexes that
// they cut off.
var order = []int{machine.SampleWindow, machine.WidthWindow, machine.ConstWindow, machine.ValueWindow,
	machine.IndexWindow, machine.BaseWindow, machine.TargetWindow, machine.EntryWindow}

// image appends to the image those stores whose registers lie in the window.
func (a *assembler) image(window int) {
	for register := window; register < window+machine.NumClasses; register++ {
		if value, ok := a.stores[register]; ok {
			a.Image.Stores = append(a.Image.Stores, machine.Store{Register: register, Value: value})
		}
	}
}

func (a *assembler) resolve(u use) {
	to, ok := a.Label[u.label]
	if !ok {
		a.fail(u.position, "there is no label %s", u.label)
	}
	if to == len(a.Code) {
		a.fail(u.position, "no microinstruction follows label %s", u.label)
	}
	if u.address < 0 {
		a.stores[u.register] = uint64(to)
		return
	}
	offset := to - u.address
	if offset < -16 || offset > 15 {
		a.fail(u.position, "%s is %+d microinstructions away, and branches reach from -16 to 15: use .target and T0 to T3",
			u.label, offset)
	}
	a.Code[u.address].Instr.Offset = int8(offset)
}

// Listing returns the program; each line has its address and its word.
func (p *Program) Listing() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d microinstructions, %d stores to load it\n", p.name, len(p.Code), len(p.Image.Stores))
	fmt.Fprintf(&b, "addr  word              line  source\n")
	used := 0
	for i, c := range p.Code {
		fmt.Fprintf(&b, "%4d  %016x  %4d  %s\n", i, c.Instr.Encode(), c.Line, strings.TrimRight(c.Text, " \t\r"))
		if c.Instr.Branches() {
			used++
		}
	}
	if n := len(p.Code); n > 0 {
		fmt.Fprintf(&b, "%d of %d branch slots are used (%d%%)\n", used, n, 100*used/n)
	}
	return b.String()
}
