package image

// This file has the symbols of an executable, which stripped ones do not have.

import (
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"slices"
	"sort"
)

// ErrStripped means that the executable has no symbols or no DWARF, which a method needs.
var ErrStripped = errors.New("the executable is stripped")

// A Symbol is a name of the symbol table.
type Symbol struct {
	Name string // "main.hash.abi0": the suffix is only in the symbol table
	Addr uint64
	Size uint64 // 0 if the table does not say it; sizes of functions include padding
	Func bool   // code, not data
}

// Symbols returns the symbol table in the order of addresses. Without one the error
// wraps [ErrStripped].
func (im *Image) Symbols() ([]Symbol, error) { return im.symbols() }

func (im *Image) readSymbols() ([]Symbol, error) {
	raw, err := im.elf.Symbols()
	if errors.Is(err, elf.ErrNoSymbols) || err == nil && len(raw) == 0 {
		return nil, fmt.Errorf("symbols: %w", ErrStripped)
	}
	if err != nil {
		return nil, fmt.Errorf("symbols: %w", err)
	}
	var list []Symbol
	for _, s := range raw {
		kind := elf.ST_TYPE(s.Info)
		if s.Section == elf.SHN_UNDEF || s.Name == "" || kind != elf.STT_FUNC && kind != elf.STT_OBJECT &&
			kind != elf.STT_NOTYPE {
			continue
		}
		fn := kind == elf.STT_FUNC
		if i := int(s.Section); kind == elf.STT_NOTYPE && i < len(im.elf.Sections) {
			fn = im.elf.Sections[i].Flags&elf.SHF_EXECINSTR != 0
		}
		list = append(list, Symbol{s.Name, s.Value, s.Size, fn})
	}
	slices.SortStableFunc(list, func(a, b Symbol) int { return cmp.Compare(a.Addr, b.Addr) })
	return list, nil
}

// Mapped reports whether the kernel maps a part of the file, or zeros behind it, at an address.
func (im *Image) Mapped(addr uint64) bool {
	return slices.ContainsFunc(im.elf.Progs, func(p *elf.Prog) bool {
		return p.Type == elf.PT_LOAD && addr-p.Vaddr < p.Memsz
	})
}

// Symbol returns the symbol at an address, with those that the linker has for types and itabs.
// Without a symbol table it returns the function or the section there.
func (im *Image) Symbol(addr uint64) (name string, offset uint64) {
	if name := im.typeSymbol(addr); name != "" {
		return name, 0
	}
	list, _ := im.symbols()
	i := sort.Search(len(list), func(i int) bool { return list[i].Addr > addr }) - 1
	for ; i >= 0; i-- {
		s := list[i]
		if s.Size == 0 && s.Addr != addr { // a mark such as runtime.etext
			if list[max(i-1, 0)].Addr+list[max(i-1, 0)].Size > addr {
				continue
			}
			break
		}
		if addr == s.Addr || addr-s.Addr < s.Size {
			return s.Name, addr - s.Addr
		}
		break
	}
	if f, ok := im.FuncForPC(addr); ok {
		return f.Name, addr - f.Entry
	}
	if s := im.Section(addr); s != "" {
		for _, sec := range im.elf.Sections {
			if sec.Name == s {
				return s, addr - sec.Addr
			}
		}
	}
	return "", 0
}

// Lookup returns the symbol with a name. Without a symbol table the error wraps
// [ErrStripped].
func (im *Image) Lookup(name string) (Symbol, error) {
	list, err := im.symbols()
	if err != nil {
		return Symbol{}, err
	}
	i := slices.IndexFunc(list, func(s Symbol) bool { return s.Name == name })
	if i < 0 {
		return Symbol{}, fmt.Errorf("no symbol %s", name)
	}
	return list[i], nil
}
