// Package abi says in which registers and stack slots a compiled Go function finds its
// arguments, and where its caller finds the results.
//
//	l, err := abi.Of(im, fn)              // func(p *T, s string, f float64) (int, error)
//	l.Params[1].Name                      // "s"
//	l.Params[1].Pieces                    // [{.str 0 8 BX} {.len 8 8 CX}]
//	l.Params[2].Pieces                    // [{"" 0 8 X0}]
//	l.Results[1].Pieces                   // [{.tab 0 8 BX} {.data 8 8 CX}], when the function returns
//
// The rules are those of Go's ABIInternal for amd64 (cmd/compile/abi-internal.md in the Go
// tree), which all compiled functions use since Go 1.17:
//
//   - Arguments are assigned one after the other, the receiver first; in instantiations of
//     generic functions the dictionary follows the receiver, or is the first argument. The
//     results are assigned in the same way, from the first register on.
//   - A value goes to registers if all of its parts find one: a part for each integer and
//     pointer (AX BX CX DI SI R8 R9 R10 R11), and for each float (X0 to X14). A string has two
//     parts, a slice three, an interface two, a complex number two floats. Structs have the
//     parts of their fields, those named _ too. An array of length 1 has the parts of its
//     element, an empty one none, and longer arrays do not go to registers.
//   - If one part finds no register, the whole value goes to the stack, and later values
//     may use the registers that are left. Values without size are on the stack.
//   - Stack slots begin above the return address, each aligned for its type; results begin
//     at a multiple of 8 after the arguments. Then comes the spill area: for each argument in
//     registers room where the function can store it.
//   - A closure finds the address of its variables in DX.
//
// Functions in assembly use ABI0: everything is on the stack. For stripped executables see
// [Stripped].
package abi

import (
	"fmt"

	"github.com/pepgo/pep/machine/insn"
)

// A Reg is a register: 0 to 15 are the general registers in the processor's order, 16 to
// 31 are X0 to X15. 1<<Reg is its [insn.RegSet].
type Reg uint8

// Set returns the set of the register alone.
func (r Reg) Set() insn.RegSet { return 1 << r }

// String returns the name that Go's assembler has for the register.
func (r Reg) String() string { return r.Set().String() }

// Float reports whether the register is a vector register, which holds floats.
func (r Reg) Float() bool { return r >= 16 }

// Ints are the registers for integers and pointers, in the order of their use, Floats are
// those for floats. Closures have the address of their variables in Context.
var (
	Ints   = []Reg{0, 3, 1, 7, 6, 8, 9, 10, 11} // AX BX CX DI SI R8 R9 R10 R11
	Floats = []Reg{16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30}
)

// Context is the register in which a closure finds the address of its variables.
const Context Reg = 2 // DX

// A Kind is what the bits of a value mean.
type Kind uint8

// Kinds of types.
const (
	Bool Kind = iota
	Int
	Uint
	Float
	Complex
	Pointer // also unsafe.Pointer, maps, channels and functions
	String
	Slice
	Any       // an interface without methods
	Interface // one with methods
	Struct
	Array
)

// String returns the kind in Go's words.
func (k Kind) String() string {
	return [...]string{"bool", "int", "uint", "float", "complex", "pointer", "string", "slice", "empty interface",
		"interface", "struct", "array"}[k]
}

// A Type is as much of a Go type as the ABI needs.
type Type struct {
	Name        string
	Kind        Kind
	Size, Align int64
	// Fields are the fields of structs, and the words of strings, slices and interfaces.
	Fields []Field
	// Elem and Len are those of arrays.
	Elem *Type
	Len  int64
}

// A Field is a part of a struct.
type Field struct {
	Name   string
	Offset int64
	Type   *Type
}

// A Piece is the part of a value that is in one register, or, in memory, the part that
// would be.
type Piece struct {
	Path   string // ".next.len": the fields that lead to it; empty for values of one part
	Offset int64  // in the value, in bytes
	Size   int64  // in bytes; higher bits of the register are undefined
	Kind   Kind   // Bool, Int, Uint, Float or Pointer
	Reg    Reg    // if the value is in registers
}

// A Value is an argument or a result, and where it is.
type Value struct {
	Name string // "~r0" and the like for results without one, "" if unknown
	Type *Type
	// InRegs reports whether the value is in the registers of its Pieces.
	InRegs bool
	Pieces []Piece
	// Stack is where the value is, in bytes above SP at the entry of the function (there SP
	// points to the return address, so the first slot is at 8). For arguments in registers
	// it is their room in the spill area, which the function may or may not use, and for
	// results in registers -1.
	Stack int64
}

// A Layout is where a function's arguments and results are.
type Layout struct {
	Params, Results []Value
	// ABI0 means that everything is on the stack.
	ABI0 bool
	// Regs are the registers of the arguments, without that of a closure.
	Regs insn.RegSet
	// StackSize is how many bytes of arguments and results are on the stack, SpillSize how
	// many of the spill area follow.
	StackSize, SpillSize int64
}

// returnAddress is the size of what is at SP at the entry of a function.
const returnAddress = 8

// Assign places arguments, the receiver first, and results.
func Assign(params, results []Value) *Layout {
	return assign(params, results, Ints, Floats)
}

// Assign0 places arguments and results on the stack, as for functions in assembly.
func Assign0(params, results []Value) *Layout {
	l := assign(params, results, nil, nil)
	l.ABI0 = true
	return l
}

func assign(params, results []Value, ints, floats []Reg) *Layout {
	l := &Layout{}
	var stack, spill int64
	a := assigner{ints, floats}
	for _, v := range params {
		v.Pieces, v.InRegs = a.value(v.Type)
		if v.InRegs {
			v.Stack = slot(&spill, v.Type)
			for _, p := range v.Pieces {
				l.Regs |= p.Reg.Set()
			}
		} else {
			v.Stack = returnAddress + slot(&stack, v.Type)
		}
		l.Params = append(l.Params, v)
	}
	stack = align(stack, 8)
	a = assigner{ints, floats}
	for _, v := range results {
		v.Pieces, v.InRegs = a.value(v.Type)
		v.Stack = -1
		if !v.InRegs {
			v.Stack = returnAddress + slot(&stack, v.Type)
		}
		l.Results = append(l.Results, v)
	}
	l.StackSize, l.SpillSize = align(stack, 8), align(spill, 8)
	for i := range l.Params {
		if p := &l.Params[i]; p.InRegs {
			p.Stack += returnAddress + l.StackSize
		}
	}
	return l
}

// slot takes room for a value of a type.
func slot(offset *int64, t *Type) int64 {
	at := align(*offset, t.Align)
	*offset = at + t.Size
	return at
}

func align(n, to int64) int64 {
	if to < 1 {
		to = 1
	}
	return (n + to - 1) / to * to
}

// An assigner has the registers that are left.
type assigner struct{ ints, floats []Reg }

// value assigns registers to a value, or reports that it goes to the stack.
func (a *assigner) value(t *Type) (pieces []Piece, inRegs bool) {
	pieces, ok := Pieces(t)
	if !ok || t.Size == 0 {
		return pieces, false
	}
	rest := *a
	placed := make([]Piece, len(pieces))
	for i, p := range pieces {
		from := &rest.ints
		if p.Kind == Float {
			from = &rest.floats
		}
		if len(*from) == 0 {
			return pieces, false
		}
		p.Reg, *from = (*from)[0], (*from)[1:]
		placed[i] = p
	}
	*a = rest
	return placed, true
}

// maxPieces bounds the parts of a value. More than there are registers are of no use.
const maxPieces = 64

// Pieces returns the parts of a value of a type. It returns false if the value cannot be
// in registers; then the parts are some of them, for values in memory.
func Pieces(t *Type) ([]Piece, bool) {
	var list []Piece
	fits := pieces(t, "", 0, &list)
	if len(list) == maxPieces {
		fits = false
	}
	return list, fits
}

func pieces(t *Type, path string, offset int64, list *[]Piece) (fits bool) {
	add := func(path string, offset, size int64, kind Kind) {
		if len(*list) < maxPieces {
			*list = append(*list, Piece{Path: path, Offset: offset, Size: size, Kind: kind})
		}
	}
	switch t.Kind {
	case Complex:
		add(path+".real", offset, t.Size/2, Float)
		add(path+".imag", offset+t.Size/2, t.Size/2, Float)
	case Array:
		for i := range min(t.Len, maxPieces) {
			pieces(t.Elem, fmt.Sprintf("%s[%d]", path, i), offset+i*t.Elem.Size, list)
		}
		if t.Len == 1 {
			var again []Piece
			return pieces(t.Elem, path, offset, &again)
		}
		return t.Len == 0
	case String, Slice, Any, Interface, Struct:
		fits = true
		for _, f := range t.Fields {
			if !pieces(f.Type, path+"."+f.Name, offset+f.Offset, list) {
				fits = false
			}
		}
		return fits
	default:
		add(path, offset, t.Size, t.Kind)
	}
	return true
}
