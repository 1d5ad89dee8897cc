package executable

// This file finds the addresses of a program's taps in its code. Package format/layout
// explains the constants that it looks for.

import (
	"cmp"
	"debug/elf"
	"fmt"
	"io"
	"slices"

	"github.com/pepgo/pep/format/layout"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/internal/input"
)

// A Place is an address at which code of a tap stands.
type Place struct {
	Addr    uint64 // of the instruction that loads PC, as in the executable's symbol table
	PC      uint64 // of the tap's tuples: tag and site
	Package *wire.Package
	Tap     *wire.Tap
}

// A Layout has the taps of a program in the order of their code.
type Layout struct {
	Build  [8]byte
	Places []Place
	Absent int // taps without code: the linker or the compiler found that they are never reached
}

// ReadLayout finds the taps of f, whose executable r is. It knows executables of
// linux/amd64.
func ReadLayout(r io.ReaderAt, f *File) (*Layout, error) {
	e, err := elf.NewFile(r)
	if err != nil {
		return nil, fmt.Errorf("layouts can be read only from executables for linux/amd64: %w", err)
	}
	if e.Machine != elf.EM_X86_64 {
		return nil, fmt.Errorf("layouts can be read only from executables for linux/amd64, and this one is for %s", e.Machine)
	}
	taps := map[uint64]Place{}
	for _, p := range f.Packages {
		base := tuple.SiteBase(p.Path)
		for i := range p.Taps {
			pc := tuple.New(tuple.Tag(p.Taps[i].Tag), base+uint64(i), 0).PC
			taps[pc] = Place{PC: pc, Package: p, Tap: &p.Taps[i]}
		}
	}
	l := &Layout{Build: f.Build}
	found := map[uint64]bool{}
	for _, s := range e.Sections {
		if s.Type != elf.SHT_PROGBITS || s.Flags&elf.SHF_EXECINSTR == 0 {
			continue
		}
		code, err := s.Data()
		if err != nil {
			return nil, fmt.Errorf("section %s: %w", s.Name, err)
		}
		known := func(pc uint64) bool { return taps[pc].Tap != nil }
		layout.Find(code, s.Addr, known, func(addr, pc uint64) {
			p := taps[pc]
			p.Addr = addr
			l.Places = append(l.Places, p)
			found[pc] = true
		})
	}
	l.Absent = len(taps) - len(found)
	slices.SortFunc(l.Places, func(a, b Place) int { return cmp.Compare(a.Addr, b.Addr) })
	return l, nil
}

// WriteTo writes the layout as text, which package hwsim/code reads: a line for each place,
// with the address, the PC, and after # the tap, for human readers.
//
//	pep layout 1 build 27a9630f5c4e04e8
//	0x47a1c0 0x3ea90e208000003 # load p.next main.go:5:9 main.f
func (l *Layout) WriteTo(w io.Writer) (n int64, err error) {
	line := func(format string, args ...any) {
		if err == nil {
			var k int
			k, err = fmt.Fprintf(w, format+"\n", args...)
			n += int64(k)
		}
	}
	line("pep layout 1 build %x", l.Build)
	for _, p := range l.Places {
		line("%#x %#x # %s %s %s:%d:%d %s", p.Addr, p.PC, tuple.Tag(p.Tap.Tag), p.Tap.Expr, p.Package.Files[p.Tap.File],
			p.Tap.Line, p.Tap.Col, p.Tap.Func)
	}
	return n, err
}

// OpenLayout finds the taps in the code of an executable.
func OpenLayout(name string) (*Layout, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	r, err := input.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	l, err := ReadLayout(r.File, f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return l, nil
}
