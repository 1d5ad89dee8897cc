package image

// This file finds the function table of the program and the runtime's description of it,
// runtime.firstmoduledata, without section headers and symbols if they are missing.

import (
	"cmp"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pepgo/pep/internal/input"
	"github.com/pepgo/pep/machine/pclntab"
)

// A module is what the linker told the runtime about the program.
type module struct {
	table       uint64 // address of the function table
	addr        uint64 // of the moduledata, 0 if it was not found
	text, etext uint64
	types       uint64 // start of the type descriptors, 0 if unknown
	etypes      uint64 // their end
	gofunc      uint64 // go:func.*, 0 if unknown
	tableEnd    uint64
	mapType     uint64 // size of abi.MapType
}

// findModule sets im.module and im.funcs.
func (im *Image) findModule() error {
	var broken error
	for addr := range im.tables {
		header := make([]byte, pclntab.HeaderSize)
		if err := im.ReadAddr(header, addr); err != nil {
			broken = err
			continue
		}
		h, err := pclntab.ReadHeader(header)
		if err != nil {
			broken = err
			continue
		}
		if err := im.useTable(addr, h); err != nil {
			broken = err
			continue
		}
		return nil
	}
	if broken != nil {
		return broken
	}
	return fmt.Errorf("not a Go program: %w", pclntab.ErrNotTable)
}

// tables returns the addresses at which there may be a function table: the sections for
// it, or else all places in the file that look like one.
func (im *Image) tables(yield func(addr uint64) bool) {
	for _, s := range im.elf.Sections {
		if strings.HasSuffix(s.Name, ".gopclntab") && s.Type == elf.SHT_PROGBITS && !yield(s.Addr) {
			return
		}
	}
	for _, p := range im.elf.Progs {
		if p.Type != elf.PT_LOAD {
			continue
		}
		for off, err := range input.Find(p, pclntab.Magic) {
			if at := p.Vaddr + uint64(off); err == nil && at%8 == 0 && !yield(at) {
				return
			}
		}
	}
}

// useTable reads the table at addr, and the module that names it.
func (im *Image) useTable(addr uint64, h pclntab.Header) error {
	m, found, err := im.findModuleData(addr, h)
	if err != nil {
		return err
	}
	if !found {
		// Without the module, older releases tell the start of the text in the header.
		m = module{table: addr, text: h.TextStart}
		if m.text == 0 {
			return errors.New("no runtime.firstmoduledata as the release has it, so the start of the code is unknown")
		}
	}
	if m.tableEnd == 0 {
		p, ok := im.segment(addr)
		if !ok {
			return fmt.Errorf("function table at %#x is not in the file", addr)
		}
		m.tableEnd = p.Vaddr + p.Filesz
	}
	data, err := im.data(addr, m.tableEnd)
	if err != nil {
		return fmt.Errorf("function table: %w", err)
	}
	var gofunc []byte
	switch {
	case m.gofunc >= addr && m.gofunc < m.tableEnd: // since Go 1.26
		gofunc = data[m.gofunc-addr:]
	case m.gofunc != 0:
		// It is in the read-only data, and its size is nowhere. In most programs the
		// function table follows.
		p, ok := im.segment(m.gofunc)
		if ok {
			end := p.Vaddr + p.Filesz
			if m.gofunc < addr && addr < end {
				end = addr
			}
			for _, s := range im.elf.Sections {
				if s.Flags&elf.SHF_ALLOC != 0 && m.gofunc >= s.Addr && m.gofunc-s.Addr < s.Size {
					end = min(end, s.Addr+s.Size)
				}
			}
			if gofunc, err = im.data(m.gofunc, end); err != nil {
				return fmt.Errorf("inline trees: %w", err)
			}
		} else {
			m.gofunc = 0
		}
	}
	im.module = m
	im.funcs, err = pclntab.New(data, m.text, gofunc)
	return err
}

// findModuleData finds the moduledata that names the table at addr. Its section or
// symbol is not needed: it begins with the address of the table.
func (im *Image) findModuleData(table uint64, h pclntab.Header) (m module, ok bool, err error) {
	list, err := im.layouts()
	if err != nil {
		return m, false, err
	}
	for at := range im.pointersTo(table) {
		for _, r := range list {
			words, err := im.words(at, r.module.size())
			if err != nil {
				continue
			}
			if m, ok := im.moduleOf(table, at, words, r, h); ok {
				return m, true, nil
			}
		}
	}
	return m, false, nil
}

// moduleOf takes the words at an address for the moduledata of a release that names the table. It returns
// false if they cannot be.
func (im *Image) moduleOf(table, at uint64, words []uint64, r release, h pclntab.Header) (m module, ok bool) {
	w := r.module
	m = module{
		table: table, addr: at, text: words[w.text], etext: words[w.etext],
		types: words[w.types], etypes: words[w.etypes], gofunc: words[w.gofunc],
		// Since Go 1.26 the slice includes go:func.*, before that it ends there.
		tableEnd: words[w.functions] + words[w.functions+1],
		mapType:  r.mapType,
	}
	p, ok := im.segment(table)
	ok = ok && words[0] == table && m.tableEnd >= table && m.tableEnd-p.Vaddr <= p.Filesz &&
		words[w.names] == table+h.Names && words[w.functions] == table+h.Functions &&
		words[w.index] == table+h.Functions && words[w.index+1] == h.Funcs+1 &&
		m.text <= m.etext && m.types < m.etypes && im.Mapped(m.types) && im.Mapped(m.etypes-1) && im.Mapped(m.gofunc)
	return m, ok
}

// pointersTo returns the addresses of words that point to target, in the file or after
// relocation.
func (im *Image) pointersTo(target uint64) func(yield func(at uint64) bool) {
	return func(yield func(at uint64) bool) {
		if im.PIE {
			for r := range im.relative {
				if r.value == target && !yield(r.at) {
					return
				}
			}
		}
		word := binary.LittleEndian.AppendUint64(nil, target)
		for _, p := range im.elf.Progs {
			if p.Type != elf.PT_LOAD || p.Flags&elf.PF_W == 0 {
				continue
			}
			for off, err := range input.Find(p, string(word)) {
				if at := p.Vaddr + uint64(off); err == nil && at%8 == 0 && !yield(at) {
					return
				}
			}
		}
	}
}

// words returns n words at addr, as they are after relocation.
func (im *Image) words(addr uint64, n int) ([]uint64, error) {
	b := make([]byte, 8*n)
	if err := im.ReadAddr(b, addr); err != nil {
		return nil, err
	}
	list := make([]uint64, n)
	for i := range list {
		list[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	all := im.relocated()
	i, _ := slices.BinarySearchFunc(all, addr, func(r relocation, at uint64) int { return cmp.Compare(r.at, at) })
	for ; i < len(all) && all[i].at < addr+8*uint64(n); i++ {
		if (all[i].at-addr)%8 == 0 {
			list[(all[i].at-addr)/8] = all[i].value
		}
	}
	return list, nil
}

// Words returns n words that the process has at an address of the executable: those of
// the file, with relocations, but without the bias.
func (im *Image) Words(addr uint64, n int) ([]uint64, error) {
	if n > chunk {
		return nil, fmt.Errorf("%d words at %#x: at most %d can be read at once", n, addr, chunk)
	}
	return im.words(addr, n)
}

// sortedRelocations returns the relocations in the order of their addresses.
func (im *Image) sortedRelocations() []relocation {
	if !im.PIE {
		return nil
	}
	list := slices.Collect(im.relative)
	slices.SortFunc(list, func(a, b relocation) int { return cmp.Compare(a.at, b.at) })
	return list
}

// A relocation says that the word at an address is the bias plus value.
type relocation struct{ at, value uint64 }

// relative returns the relocations of position-independent executables that need no
// symbol.
func (im *Image) relative(yield func(relocation) bool) {
	at, err1 := im.elf.DynValue(elf.DT_RELA)
	size, err2 := im.elf.DynValue(elf.DT_RELASZ)
	if err1 != nil || err2 != nil || len(at) == 0 || len(size) == 0 {
		return
	}
	const entry = 24
	p, ok := im.segment(at[0])
	if !ok {
		return
	}
	n := min(size[0], p.Filesz-(at[0]-p.Vaddr))
	buf := make([]byte, entry<<10)
	for off := uint64(0); off+entry <= n; off += uint64(len(buf)) {
		b := buf[:min(uint64(len(buf)), n-off)]
		if _, err := p.ReadAt(b, int64(at[0]-p.Vaddr+off)); err != nil {
			return
		}
		for ; len(b) >= entry; b = b[entry:] {
			if elf.R_X86_64(binary.LittleEndian.Uint32(b[8:])) == elf.R_X86_64_RELATIVE &&
				!yield(relocation{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[16:])}) {
				return
			}
		}
	}
}
