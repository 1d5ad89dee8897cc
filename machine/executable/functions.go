package executable

// This file lists the functions of a program.

import (
	"debug/elf"
	"fmt"
	"strings"

	"github.com/pepgo/pep/internal/input"
	"github.com/pepgo/pep/machine/pclntab"
)

// A Function is one of a program.
type Function struct {
	Name     string
	Size     uint64 // up to the next one
	Assembly bool
}

// Functions returns the functions of Go of an executable for linux/amd64, which may be stripped.
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
		t, err := pclntab.New(data, text.Addr, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for f := range t.All() {
			funcs = append(funcs, Function{f.Name(), f.Next - f.Entry, f.Flags&pclntab.Asm != 0})
		}
	}
	return funcs, nil
}
