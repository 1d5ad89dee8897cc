package branches

// This file reads executables, and tells functions of one name apart by their machine code.

import (
	"debug/elf"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/arch/x86/x86asm"
)

// An Executable has the functions of a program. Its code may be unknown.
type Executable struct {
	Functions []Symbol
	Text      uint64 // the address of runtime.text

	addr uint64 // of code
	code []byte
}

// ReadExecutable reads an executable, which must have symbols.
func ReadExecutable(name string) (*Executable, error) {
	f, err := elf.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := f.Symbols()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	x := &Executable{}
	for _, s := range list {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			x.Functions = append(x.Functions, Symbol{s.Name, s.Value, s.Size})
		}
		if s.Name == "runtime.text" {
			x.Text = s.Value
		}
	}
	if text := f.Section(".text"); text != nil && f.Machine == elf.EM_X86_64 {
		x.addr = text.Addr
		if x.code, err = text.Data(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return x, nil
}

// Code returns the machine code of a function, or nil if it is not amd64's or lies elsewhere.
func (x *Executable) Code(s Symbol) []byte {
	at := s.Addr - x.addr
	if s.Addr < x.addr || at > uint64(len(x.code)) || s.Size > uint64(len(x.code))-at {
		return nil
	}
	return x.code[at:][:s.Size]
}

// fitting returns those of several functions that may have the code: see fits. One of them has it, so a function that fits alone is
// that one. If nobody knows the code, or x86asm does not know an instruction of it, all are returned.
func fitting(funcs []*Func, code []byte) []*Func {
	at := instructions(code)
	if code == nil || at == nil {
		return funcs
	}
	return slices.DeleteFunc(slices.Clone(funcs), func(f *Func) bool { return !f.fits(at) })
}

// What begins at a byte of machine code.
const (
	nothing = iota
	instruction
	conditional // an instruction that jumps, moves or sets something on a condition
)

// instructions returns what begins at each byte of code and behind it, or nil if x86asm does not know an instruction.
func instructions(code []byte) []byte {
	at := make([]byte, len(code)+1)
	for pc := 0; pc < len(code); {
		inst, err := x86asm.Decode(code[pc:], 64)
		if err != nil {
			return nil
		}
		at[pc] = instruction
		if name := inst.Op.String(); name != "JMP" && (name[0] == 'J' || strings.HasPrefix(name, "CMOV") || strings.HasPrefix(name, "SET")) {
			at[pc] = conditional
		}
		pc += inst.Len
	}
	at[len(code)] = instruction
	return at
}

// fits reports whether all rows are where they can be: those of ways of a branch at instructions with a condition, and others at the
// beginning of an instruction.
func (f *Func) fits(at []byte) bool {
	return !slices.ContainsFunc(f.Rows, func(r Row) bool {
		least := byte(instruction)
		if r.Way == Taken || r.Way == NotTaken {
			least = conditional
		}
		return r.PC >= uint64(len(at)) || at[r.PC] < least
	})
}
