package abi

// This file says what remains without DWARF.

import (
	"github.com/pepgo/pep/machine/insn"
	"github.com/pepgo/pep/machine/pclntab"
	"github.com/pepgo/pep/machine/site"
)

// A StrippedLayout is what code and function table say about a function's arguments,
// without DWARF. Types and names are lost, and so is everything about results in
// registers. Functions that check the stack size (85% of those of the Go distribution)
// save the arguments that they use where the stack grows, so the registers and sizes of
// these are known.
type StrippedLayout struct {
	// Words are the parts of arguments in registers that the function uses, in the order of
	// the arguments.
	Words []Word
	// Known reports whether the function saves its arguments. Otherwise there are no Words.
	Known bool
	// Complete reports whether Words are all arguments: none is unused or on the stack, and
	// neither is a result.
	Complete bool
	// FrameSize is the size of arguments and results on the stack and of the spill area, in
	// bytes, and -1 if it is unknown.
	FrameSize int64
	// ABI0 means that the function is written in assembly and has its arguments on the
	// stack; some functions of the runtime in assembly do use registers.
	ABI0 bool
}

// A Word is a part of an argument in a register.
type Word struct {
	Reg   Reg
	Stack int64 // its room in the spill area, in bytes above SP at the entry
	Size  int64 // in bytes
}

// Stripped returns what is known about the arguments of a function without DWARF.
func Stripped(c *site.Code) StrippedLayout {
	l := StrippedLayout{FrameSize: int64(c.Fn.Args), ABI0: c.Fn.Flags&pclntab.Asm != 0}
	if c.Fn.Args == pclntab.ArgsUnknown {
		l.FrameSize = -1
	}
	spills, ok := c.Spills()
	if !ok || l.ABI0 {
		return l
	}
	l.Known, l.Complete = true, true
	end := int64(returnAddress)
	for _, s := range spills {
		if align(end, s.Size) != s.Offset {
			l.Complete = false
		}
		end = s.Offset + s.Size
		l.Words = append(l.Words, Word{Reg(s.Reg), s.Offset, s.Size})
	}
	if align(end, 8) != returnAddress+l.FrameSize {
		l.Complete = false
	}
	return l
}

// Regs returns the registers of the words.
func (l StrippedLayout) Regs() (s insn.RegSet) {
	for _, w := range l.Words {
		s |= w.Reg.Set()
	}
	return s
}
