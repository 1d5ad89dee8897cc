package executable

// This file reads the functions of an executable and their machine code.

import (
	"debug/elf"
	"fmt"

	"github.com/pepgo/pep/format/branches"
	"github.com/pepgo/pep/machine/insn"
)

// A Code is the machine code of an executable.
type Code struct {
	Addr uint64
	Text []byte
}

// ReadCode reads the machine code of an executable.
func ReadCode(name string) (*Code, error) {
	f, err := elf.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s := f.Section(".text")
	if s == nil {
		return nil, fmt.Errorf("%s has no code", name)
	}
	text, err := s.Data()
	return &Code{s.Addr, text}, err
}

// Linked returns what tables of branches are linked with: the functions of an executable, which must have symbols, and
// where their instructions begin.
func Linked(name string) (*branches.Executable, error) {
	f, err := elf.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := f.Symbols()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	x := &branches.Executable{}
	for _, s := range list {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			x.Functions = append(x.Functions, branches.Symbol{Name: s.Name, Addr: s.Value, Size: s.Size})
		}
		if s.Name == "runtime.text" {
			x.Text = s.Value
		}
	}
	if f.Machine == elf.EM_X86_64 {
		code, err := ReadCode(name)
		if err != nil {
			return nil, err
		}
		x.Begins = code.begins
	}
	return x, nil
}

// begins returns what begins at each byte of a function and behind it, or nil if the function lies elsewhere or has an
// instruction that nobody knows.
func (c *Code) begins(s branches.Symbol) []branches.Beginning {
	from := s.Addr - c.Addr
	if s.Addr < c.Addr || from > uint64(len(c.Text)) || s.Size > uint64(len(c.Text))-from {
		return nil
	}
	code := c.Text[from:][:s.Size]
	at := make([]branches.Beginning, len(code)+1)
	for pc := 0; pc < len(code); {
		in, err := insn.Decode(code[pc:], s.Addr+uint64(pc))
		if err != nil {
			return nil
		}
		at[pc] = branches.Instruction
		if in.Conditional() {
			at[pc] = branches.Conditional
		}
		pc += in.Len
	}
	at[len(code)] = branches.Instruction
	return at
}
