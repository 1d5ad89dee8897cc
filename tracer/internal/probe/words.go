//go:build linux && amd64

package probe

// This file finds the words of arguments and results.

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pepgo/pep/machine/abi"
	"github.com/pepgo/pep/machine/image"
	"github.com/pepgo/pep/machine/insn"
	"github.com/pepgo/pep/machine/site"
)

// maxWords is how many words of a site are recorded.
const maxWords = 24

// stackPointer is the number of SP in instructions.
const stackPointer = 4

// A value is a word of an argument, result or variable, before it is known at which
// instruction.
type value struct {
	Word
	onStack bool  // it is in memory, or its address is, on the stack of the function:
	stack   int64 // so many bytes above SP at the entry
}

// A piece is a part of a variable, as package abi divides it: a word without a name, or
// the reason why there is none.
type piece struct {
	value
	lost string
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
		c.skip(code.Fn.Name, "further arguments",
			"the program is stripped of DWARF: only those in registers that the function uses are known")
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
		list = append(list, value{Word: Word{Name: w.Reg.String(), Type: fmt.Sprintf("%d bytes", w.Size), Reg: uint8(w.Reg),
			Size: uint8(w.Size), As: as}})
	}
	return list
}

const vectorRegister = "it is in a floating-point register, which a probe cannot read; -at reads it at a line where it is in memory"

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
		w := walker{pieces: pieces(v)}
		w.walk(name, v.Type)
		for _, m := range w.missing {
			c.skip(fn, what+" "+m.name, m.reason)
		}
		if len(all)+len(w.list) > maxWords {
			c.skip(fn, what+" "+name, fmt.Sprintf("a probe records at most %d words", maxWords))
			continue
		}
		all = append(all, w.list...)
	}
	return all
}

// pieces returns the pieces of an argument or a result.
func pieces(v abi.Value) (list []piece) {
	for _, p := range v.Pieces {
		x := piece{value: value{Word: Word{Size: size(p)}}}
		switch {
		case !v.InRegs:
			x.Memory, x.onStack, x.stack = true, true, v.Stack+p.Offset
		case p.Reg.Float():
			x.lost = vectorRegister
		default:
			x.Reg = uint8(p.Reg)
		}
		list = append(list, x)
	}
	return list
}

// size returns the size of a piece, and 0 for those that no word has.
func size(p abi.Piece) uint8 {
	switch p.Size {
	case 1, 2, 4, 8:
		return uint8(p.Size)
	}
	return 0
}

// A walker goes through a type in the order of its pieces.
type walker struct {
	pieces  []piece
	list    []value
	missing []struct{ name, reason string }
}

// next adds the next piece as a word, and reports whether there is one.
func (w *walker) next(name, typ string, as As) bool {
	if len(w.pieces) == 0 {
		return false
	}
	p := w.pieces[0]
	w.pieces = w.pieces[1:]
	if p.lost != "" {
		w.missing = append(w.missing, struct{ name, reason string }{name, p.lost})
	}
	if p.Size == 0 || p.lost != "" {
		return false
	}
	p.Name, p.Type, p.As = name, typ, as
	w.list = append(w.list, p.value)
	return true
}

// leave passes over the next piece.
func (w *walker) leave() { w.pieces = w.pieces[min(1, len(w.pieces)):] }

func (w *walker) walk(name string, t *abi.Type) {
	switch t.Kind {
	case abi.String:
		text := w.next(name, t.Name, Text)
		if !w.next("len("+name+")", "int", Signed) && text { // a text needs its length
			w.list = w.list[:len(w.list)-1]
		}
	case abi.Slice:
		w.leave()
		w.next("len("+name+")", "int", Signed)
		w.next("cap("+name+")", "int", Signed)
	case abi.Any:
		w.next(name, t.Name, Dynamic)
		w.leave()
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
		if v.onStack {
			if spDelta < 0 {
				continue
			}
			v.Reg, v.Disp = stackPointer, int32(v.stack+int64(spDelta))
		}
		at = append(at, v.Word)
	}
	return at
}
