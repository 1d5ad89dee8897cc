//go:build linux && amd64

package probe

// This file finds the words of arguments and results.

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pepgo/pep/internal/tracer/abi"
	"github.com/pepgo/pep/internal/tracer/image"
	"github.com/pepgo/pep/internal/tracer/insn"
	"github.com/pepgo/pep/internal/tracer/site"
)

// maxWords is how many words of a site are recorded.
const maxWords = 24

// stackPointer is the number of SP in instructions.
const stackPointer = 4

// A value is a word of an argument or result, before it is known at which instruction.
type value struct {
	Word
	stack int64 // if it is in memory: bytes above SP at the entry of the function
}

// values are those of a function.
type values struct {
	params, results []value
	need            insn.RegSet // registers that must be as they were at the entry
}

// values finds the arguments and results that are asked for, and says which are missing.
func (c *chooser) values(code *site.Code) (v values) {
	if !c.Args && !c.Results {
		return v
	}
	name := code.Fn.Name
	l, err := abi.Of(c.im, code.Fn)
	if errors.Is(err, image.ErrStripped) || errors.Is(err, image.ErrNoEntry) {
		if c.Results {
			c.skip(name, "results", "the program is stripped of DWARF, which says where they are")
		}
		if c.Args {
			v.params = c.stripped(code)
		}
	} else if err != nil {
		c.skip(name, "values", strings.TrimPrefix(err.Error(), "arguments of "+name+": "))
		return v
	} else {
		if c.Args {
			v.params = c.described(name, "arg", l.Params)
		}
		if c.Results {
			v.results = c.described(name, "result", l.Results)
		}
	}
	for _, p := range v.params {
		if !p.Memory {
			v.need |= insn.GPR(int(p.Reg))
		}
	}
	return v
}

// stripped returns the arguments that code without DWARF tells: registers.
func (c *chooser) stripped(code *site.Code) (list []value) {
	l := abi.Stripped(code)
	if !l.Known {
		c.skip(code.Fn.Name, "arguments", "the program is stripped of DWARF, and the function does not save its arguments")
		return nil
	}
	if !l.Complete {
		c.skip(code.Fn.Name, "further arguments", "the program is stripped of DWARF: only those in registers that the function uses are known")
	}
	for _, w := range l.Words {
		as := Unknown
		if w.Size < 8 { // too small for an address
			as = Signed
		}
		if w.Reg.Float() {
			c.skip(code.Fn.Name, "arg in "+w.Reg.String(), vectorRegister)
			continue
		}
		list = append(list, value{Word: Word{Name: w.Reg.String(), Type: fmt.Sprintf("%d bytes", w.Size), Reg: uint8(w.Reg), Size: uint8(w.Size), As: as}})
	}
	return list
}

const vectorRegister = "it is in a floating-point register, which a probe cannot read"

// described returns the words of arguments or results with types.
func (c *chooser) described(fn, what string, list []abi.Value) (all []value) {
	for i, v := range list {
		name := v.Name
		if name == "" || name == "_" || strings.HasPrefix(name, "~") {
			name = fmt.Sprintf("#%d", i+1)
		}
		if name == ".dict" { // of generic functions
			continue
		}
		w := walker{value: v, pieces: v.Pieces}
		w.walk(name, v.Type)
		for _, x := range w.floats {
			c.skip(fn, what+" "+x, vectorRegister)
		}
		if len(all)+len(w.list) > maxWords {
			c.skip(fn, what+" "+name, fmt.Sprintf("a probe records at most %d words", maxWords))
			continue
		}
		all = append(all, w.list...)
	}
	return all
}

// A walker goes through a type in the order of its pieces.
type walker struct {
	value  abi.Value
	pieces []abi.Piece
	list   []value
	floats []string // names of what is in vector registers
}

// next adds the next piece as a word.
func (w *walker) next(name, typ string, as As) {
	if len(w.pieces) == 0 {
		return
	}
	p := w.pieces[0]
	w.pieces = w.pieces[1:]
	if p.Size != 1 && p.Size != 2 && p.Size != 4 && p.Size != 8 {
		return
	}
	if w.value.InRegs && p.Reg.Float() {
		w.floats = append(w.floats, name)
		return
	}
	x := value{Word: Word{Name: name, Type: typ, Size: uint8(p.Size), As: as}}
	if w.value.InRegs {
		x.Reg = uint8(p.Reg)
	} else {
		x.Memory, x.stack = true, w.value.Stack+p.Offset
	}
	w.list = append(w.list, x)
}

// leave passes over the next piece.
func (w *walker) leave() { w.pieces = w.pieces[min(1, len(w.pieces)):] }

func (w *walker) walk(name string, t *abi.Type) {
	switch t.Kind {
	case abi.String:
		w.next(name, t.Name, Text)
		w.next("len("+name+")", "int", Signed)
	case abi.Slice:
		w.leave()
		w.next("len("+name+")", "int", Signed)
		w.next("cap("+name+")", "int", Signed)
	case abi.Interface:
		w.next(name, t.Name, Itab)
		w.leave()
	case abi.Struct:
		for _, f := range t.Fields {
			w.walk(name+"."+f.Name, f.Type)
		}
	case abi.Array:
		for i := range t.Len {
			if len(w.pieces) == 0 {
				break
			}
			w.walk(fmt.Sprintf("%s[%d]", name, i), t.Elem)
		}
	case abi.Complex:
		w.next("real("+name+")", "float", Float)
		w.next("imag("+name+")", "float", Float)
	default:
		w.next(name, t.Name, kinds[t.Kind])
	}
}

// kinds says how values of a kind are read. Kinds that are missing are numbers.
var kinds = map[abi.Kind]As{abi.Bool: Bool, abi.Int: Signed, abi.Float: Float, abi.Pointer: Pointer}

// words returns where values are at an instruction, given how far SP is below its value at
// the entry.
func words(list []value, spDelta int) (at []Word) {
	for _, v := range list {
		if v.Memory {
			if spDelta < 0 {
				continue
			}
			v.Reg, v.Disp = stackPointer, int32(v.stack+int64(spDelta))
		}
		at = append(at, v.Word)
	}
	return at
}
