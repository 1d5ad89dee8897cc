package executable

// This file lists the functions of a program.

import (
	"debug/elf"
	"debug/gosym"
	"fmt"
	"strings"

	"github.com/pepgo/pep/internal/input"
)

// A Function is one of a program.
type Function struct {
	Name     string
	Size     uint64 // up to the next one
	Assembly bool
}

// Functions returns the functions of Go of an executable for linux, which may be stripped.
func Functions(name string) (funcs []Function, err error) {
	r, err := input.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	f, err := elf.NewFile(r.File)
	if err != nil {
		return nil, fmt.Errorf("%s: functions are known of executables for linux alone: %w", name, err)
	}
	text := f.Section(".text")
	for _, s := range f.Sections {
		if !strings.HasSuffix(s.Name, ".gopclntab") || text == nil {
			continue
		}
		data, err := s.Data()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		t, err := gosym.NewTable(nil, gosym.NewLineTable(data, text.Addr))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, f := range t.Funcs {
			file, _, _ := t.PCToLine(f.Entry)
			funcs = append(funcs, Function{f.Name, f.End - f.Entry, strings.HasSuffix(file, ".s")})
		}
	}
	return funcs, nil
}
