// Package branches is the format of tables of branches: which outcomes of the source the instructions of a program
// stand for, and which values of the source they have. The compiler that pepbuild builds writes a table for each
// package, pepbuild joins them to a file for a program, and the pep command prints that. The code is that of the plain
// program, so the table is all that is needed to count outcomes in a trace of its instructions.
//
//	if a > 5 {       CMPQ AX, $5
//		f()          JLE  …         a row at this PC, "not taken": the if's condition is true
//	}                               another, "taken": it is false
//	r.Read(b)        CALL CX        a value at this PC: what r.Read calls
//
// # Format
//
// A number is an unsigned varint, as in package encoding/binary.
//
//	file       "pep branches 4\n", number of packages, packages
//	package    length in bytes, import path: text, number of strings, strings: text, number of functions, functions,
//	           length in bytes, what the outcomes do (format/actions)
//	text       length, bytes
//	string     index of a string of the package
//	position   file: string, line, column
//	function   name: string, size of the code, number of calls, calls, number of outcomes, outcomes, number of rows, rows,
//	           number of values, values
//	call       number of the call that it is in, name of the function: string, position, position of the function
//	outcome    kind (1 byte), lost (1 byte), number of the call that it is in, position
//	row        PC less that of the row before, way (1 byte), index if way is 'j', number of outcomes, their indexes
//	value      PC less that of the value before, what (1 byte), lost (1 byte), register (1 byte), elsewhere (0 or 1), width,
//	           form (1 byte), number of the call that it is in, position, expression: string, its type: string
//
// Calls have numbers from 1 on; 0 stands for the function itself.
//
// At the position of an if, a for or the word range stands whether the condition holds, at that of an operator && or ||
// whether the left operand does; what the right one does follows from both. A clause of a switch or a select is at its
// case or default, the entry of a function behind the word func, an inlined body at the call. Of a range over a
// function there is the entry of its body alone. A round of a for without a condition is at the for, a label at its
// colon, a switch that has no clause for the value at the switch. Conditions with constant values have no outcome.
//
// While a program is built, the table of a package is the member pep.branches of its archive.
package branches

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pepgo/pep/format/wire"
)

// Magic is what a file begins with.
const Magic = "pep branches 4\n"

// A Package has the functions of a package that the compiler has compiled, inlined calls and all.
type Package struct {
	Path    string
	Funcs   []Func
	Actions []byte // what outcomes do in functions of the package, as package actions reads it
}

// A Func is a function, under its name in the executable.
type Func struct {
	Name     string
	Size     uint64
	Calls    []Call
	Outcomes []Outcome
	Rows     []Row
	Values   []Value
}

// A Call is one that the compiler has inlined.
type Call struct {
	In   int // the call that this is in: 1 + index, or 0 for none
	Func string
	Pos  Pos
	Decl Pos // of the function, as the Pos of an Entry
}

// A Pos is a position in the source.
type Pos struct {
	File      string
	Line, Col int
}

func (p Pos) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col) }

// A Kind says what an outcome is.
type Kind byte

const (
	// At an if, a for or the word range: the condition holds; at an operator && or ||: the left operand does; where the
	// body of a range over a function ends: a jump has left it that leads to somewhere in the function of the loop.
	True   Kind = 'T'
	False  Kind = 'F' // it does not
	Clause Kind = 'C' // a clause of a switch or a select begins
	Entry  Kind = 'E' // the function is called
	Inline Kind = 'I' // the inlined body of Call is entered
	Leave  Kind = 'L' // it is left
	Exit   Kind = 'X' // the function returns
	Round  Kind = 'R' // a round of a for without a condition begins
	Label  Kind = 'G' // control comes to a label
	None   Kind = 'N' // a switch without a default has no clause for the value
)

var kindNames = [256]string{True: "true", False: "false", Clause: "clause", Entry: "entry", Inline: "inlined",
	Leave: "left", Exit: "return", Round: "round", Label: "label", None: "no clause"}

func (k Kind) String() string { return kindNames[k] }

// An Outcome is one of the source.
type Outcome struct {
	Kind Kind
	Lost Loss
	Call int // as Call.In
	Pos  Pos
}

// A Loss says why the compiler cannot count an outcome: rows count too little, or there are none. Zero stands for no
// loss. Of Either rows count too much.
//
//	if 0 <= x && x < n    one comparison: where it holds, a row has "true" of && and "true" of if. Where it does not, another row has
//	                      "false" of if. It also has "true" of &&, as Either: the second condition may have failed, or the first.
type Loss byte

const (
	NoBranch Loss = 1 + iota // the compiler's front end has made no branch of it
	Twice                    // two statements have the same outcome at the same position
	Selected                 // a conditional move stands for the branch, and no instruction says which way it goes
	Merged                   // one comparison stands for two
	Dropped                  // both ways do the same
	NoPlace                  // no instruction stands for it
	Either                   // where its rows say so, it may happen, or another outcome in its stead
	// of a load: the compiler has the value, because it is constant, or was stored or loaded before
	Known
	Unneeded // of a load: nobody needs the value
	Combined // of a load: one instruction loads several values
	Moved    // of a load: the value is loaded where it is needed, and not wherever the source has it
)

var lossNames = []string{"", "no branch", "twice", "conditional move", "merged", "dropped", "no instruction", "either",
	"known", "unneeded", "combined", "moved"}

func (l Loss) String() string { return lossNames[l] }

// Joined reports whether the loss is that one comparison stands for two.
func (l Loss) Joined() bool { return l == Merged || l == Either }

// A Way says how an instruction is executed.
type Way byte

const (
	At       Way = '@' // in any way
	Taken    Way = 't' // a conditional jump jumps, or a conditional move or set finds that its condition holds
	NotTaken Way = 'n' // it does not
	Jump     Way = 'j' // the jump leads to an entry of its table
)

var wayNames = [256]string{At: "at", Taken: "taken", NotTaken: "not taken", Jump: "jump"}

func (w Way) String() string { return wayNames[w] }

// A Row says that outcomes happen when an instruction is executed in a way.
type Row struct {
	PC       uint64 // from the beginning of the function
	Way      Way
	Index    int // of Jump: the entry of the table
	Outcomes []int
}

// A Value says that an instruction has a value of the source.
type Value struct {
	PC        uint64 // from the beginning of the function
	What      What
	Lost      Loss  // not 0: no instruction has it where Call and Pos are, or not all code there
	Reg       uint8 // which register, as package valuetable has them
	Width     int   // in bytes
	Form      wire.Kind
	Call      int  // as Call.In
	Elsewhere bool // the instruction is in another inlined call
	Pos       Pos
	Expr      string
	Type      string // of Expr, or of what Expr is the length of; of the method of an interface that of the interface
}

// A What says what a value is, and where.
type What byte

const (
	Called What = 'C' // where the instruction, a call through a register or memory, goes; Expr is what is called
	TypeOf What = 'T' // Reg is the address of the type that Expr has, or nil
	ItabOf What = 'I' // Reg is the address of its itab, or nil
	Loaded What = 'L' // the instruction reads it from memory
	Passed What = 'A' // Reg has an argument before the instruction
	Result What = 'R' // Reg has a result before the instruction
)

var whatNames = [256]string{Called: "call", TypeOf: "type", ItabOf: "itab", Loaded: "load", Passed: "argument",
	Result: "result"}

func (w What) String() string { return whatNames[w] }

// Join makes a file of tables of packages, as the compiler writes them, and of what their outcomes do.
func Join(tables, actions [][]byte) []byte {
	b := binary.AppendUvarint([]byte(Magic), uint64(len(tables)))
	for i, t := range tables {
		b = append(binary.AppendUvarint(b, uint64(len(t))), t...)
		b = append(binary.AppendUvarint(b, uint64(len(actions[i]))), actions[i]...)
	}
	return b
}

// Read reads a file.
func Read(data []byte) (pkgs []Package, err error) {
	rest, ok := strings.CutPrefix(string(data), Magic)
	if !ok {
		return nil, errors.New("this is no table of branches: pepbuild build -peptable=FILE writes one")
	}
	r := &reader{text: rest}
	for range r.count() {
		pkg, err := ReadPackage(r.bytes(), nil)
		if err != nil {
			return nil, err
		}
		pkg.Actions = []byte(r.bytes())
		pkgs = append(pkgs, pkg)
	}
	if r.bad || r.text != "" {
		return nil, errDamaged
	}
	return pkgs, nil
}

var errDamaged = errors.New("the table of branches is damaged, or another version of pepbuild has written it")

// ReadPackage reads the table of a package, as the compiler writes it: all of its functions, or if wanted is not nil,
// those for whose names it is true.
func ReadPackage(table string, wanted func(name string) bool) (p Package, err error) {
	r := &reader{text: table}
	p.Path = r.bytes()
	for range r.count() {
		r.strings = append(r.strings, r.bytes())
	}
	var f Func // memory for one after the other
	for range r.count() {
		r.function(&f)
		if wanted == nil || wanted(f.Name) {
			p.Funcs = append(p.Funcs, f.clone())
		}
	}
	if r.bad || r.text != "" {
		return Package{}, errDamaged
	}
	return p, nil
}

// A Symbol is a function of an executable.
type Symbol struct {
	Name       string
	Addr, Size uint64
}

// A Placed is a function at its address.
type Placed struct {
	Addr uint64
	Func
}

// Link returns the functions of an executable. Several functions of a table may have the same name: packages inline
// different calls in the same instance of a generic function, and closures of inlined functions have the name that they
// have outside. Of these it takes those with the size of the function in the executable, and if these differ, those
// with branches where its machine code has branches. Where functions still differ, or the code is not known, nobody
// knows which is there, so the function is left out, and in unlike. It is an error if none has the size: then the table
// is of another program.
func Link(pkgs []Package, exe *Executable) (funcs []Placed, unlike []Symbol, err error) {
	byName := map[string][]*Func{}
	for _, p := range pkgs {
		for i := range p.Funcs {
			f := &p.Funcs[i]
			byName[f.Name] = append(byName[f.Name], f)
		}
	}
	for _, s := range exe.Functions {
		named := byName[s.Name]
		if named == nil { // assembly or C
			continue
		}
		var fit []*Func
		for _, f := range named {
			if f.Size == s.Size && !slices.ContainsFunc(fit, f.equal) {
				fit = append(fit, f)
			}
		}
		if len(fit) == 0 {
			return nil, nil, fmt.Errorf("%s has %d bytes in the executable, and another size in the table of branches: the table is of another program", s.Name, s.Size)
		}
		if len(fit) > 1 {
			fit = exe.fitting(fit, s)
		}
		switch len(fit) {
		case 1:
			funcs = append(funcs, Placed{s.Addr, *fit[0]})
		default:
			unlike = append(unlike, s)
		}
	}
	return funcs, unlike, nil
}

func (f *Func) equal(g *Func) bool {
	return f.Size == g.Size && slices.Equal(f.Calls, g.Calls) && slices.Equal(f.Outcomes, g.Outcomes) &&
		slices.Equal(f.Values, g.Values) &&
		slices.EqualFunc(f.Rows, g.Rows, func(a, b Row) bool {
			return a.PC == b.PC && a.Way == b.Way && a.Index == b.Index && slices.Equal(a.Outcomes, b.Outcomes)
		})
}

// A reader reads numbers and texts. When something is wrong it returns zeros from there on.
type reader struct {
	text    string
	bad     bool
	strings []string
}

func (r *reader) fail() {
	r.bad, r.text = true, ""
}

func (r *reader) number() uint64 {
	n := uint64(0)
	for i := 0; i < len(r.text) && i < binary.MaxVarintLen64; i++ {
		c := r.text[i]
		n |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			r.text = r.text[i+1:]
			return n
		}
	}
	r.fail()
	return 0
}

// count reads a number of things, each of which takes a byte at least.
func (r *reader) count() int { return r.below(len(r.text) + 1) }

// below reads a number below n.
func (r *reader) below(n int) int {
	x := r.number()
	if x >= uint64(n) {
		r.fail()
		return 0
	}
	return int(x)
}

func (r *reader) bytes() string {
	n := r.count()
	if n > len(r.text) {
		r.fail()
		return ""
	}
	s := r.text[:n]
	r.text = r.text[n:]
	return s
}

func (r *reader) byte() byte {
	if r.text == "" {
		r.fail()
		return 0
	}
	b := r.text[0]
	r.text = r.text[1:]
	return b
}

func (r *reader) str() string {
	if i := r.below(len(r.strings)); i < len(r.strings) {
		return r.strings[i]
	}
	r.fail()
	return ""
}

func (r *reader) pos() Pos {
	return Pos{r.str(), r.below(1<<31 - 1), r.below(1<<31 - 1)}
}

// function reads a function into f, whose memory it takes.
func (r *reader) function(f *Func) {
	f.Name, f.Size = r.str(), r.number()
	f.Calls, f.Outcomes = f.Calls[:0], f.Outcomes[:0]
	for i := range r.count() {
		f.Calls = append(f.Calls, Call{r.below(i + 1), r.str(), r.pos(), r.pos()})
	}
	for range r.count() {
		o := Outcome{Kind(r.below(256)), Loss(r.below(len(lossNames))), r.below(len(f.Calls) + 1), r.pos()}
		if kindNames[o.Kind] == "" {
			r.fail()
		}
		f.Outcomes = append(f.Outcomes, o)
	}
	r.rows(f)
	r.values(f)
}

// values reads the values of a function into f, whose memory it takes.
func (r *reader) values(f *Func) {
	f.Values = f.Values[:0]
	pc := uint64(0)
	for range r.count() {
		pc += r.number()
		v := Value{PC: pc, What: What(r.byte()), Lost: Loss(r.byte()), Reg: r.byte(), Elsewhere: r.below(2) == 1,
			Width: r.below(256),
			Form:  wire.Kind(r.byte()), Call: r.below(len(f.Calls) + 1), Pos: r.pos(), Expr: r.str(), Type: r.str()}
		if whatNames[v.What] == "" || int(v.Lost) >= len(lossNames) {
			r.fail()
		}
		f.Values = append(f.Values, v)
	}
}

// rows reads the rows of a function into f, whose memory it takes.
func (r *reader) rows(f *Func) {
	pc, n := uint64(0), r.count()
	f.Rows = slices.Grow(f.Rows[:0], n)[:n]
	for i := range f.Rows {
		row := &f.Rows[i]
		pc += r.number()
		row.PC, row.Way, row.Index, row.Outcomes = pc, 0, 0, row.Outcomes[:0]
		row.Way = Way(r.byte())
		if wayNames[row.Way] == "" {
			r.fail()
		}
		if row.Way == Jump {
			row.Index = r.below(1<<31 - 1)
		}
		for range r.count() {
			row.Outcomes = append(row.Outcomes, r.below(len(f.Outcomes)))
		}
	}
}

// clone returns f in memory of its own.
func (f *Func) clone() Func {
	c := Func{f.Name, f.Size, append([]Call(nil), f.Calls...), append([]Outcome(nil), f.Outcomes...),
		append([]Row(nil), f.Rows...),
		append([]Value(nil), f.Values...)}
	n := 0
	for _, row := range f.Rows {
		n += len(row.Outcomes)
	}
	indexes := make([]int, 0, n)
	for i, row := range f.Rows {
		begin := len(indexes)
		indexes = append(indexes, row.Outcomes...)
		if c.Rows[i].Outcomes = nil; len(indexes) > begin {
			c.Rows[i].Outcomes = indexes[begin:len(indexes):len(indexes)]
		}
	}
	return c
}
