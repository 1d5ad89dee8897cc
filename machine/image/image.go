// Package image reads the executable of a Go program for linux/amd64, from a file or from
// a running process: its functions, inlined calls, source lines, symbols, and where a
// goroutine keeps its number.
//
//	im, err := image.OpenProcess(4711)
//	defer im.Close()
//	fn, ok := im.FuncForPC(im.FromProcess(0x55d0c04a1c0e))
//	fn.Name                   // "main.(*parser).next"
//	fn.Frames(pc)             // main.isSpace at lex.go:12, inlined into main.(*parser).next at parse.go:88
//	im.FileOffset(fn.Entry)   // for a uprobe
//	vars, err := im.Variables(fn, pc)
//	vars[0].At(pc)            // in a register or on the stack, as DWARF says
//	im.Lost()                 // what a stripped executable does not tell
//
// All addresses are those of the executable's own tables, unless a name says Process. A
// process adds [Image.Bias] to them, which differs from 0 in position-independent
// executables.
//
// The package finds the functions in the table that the runtime uses (package pclntab), so it
// works for stripped executables, and for programs linked by the C linker. C functions are
// not in this table: [Image.Symbol] names them if the executable has symbols. Shared objects
// are named (see [Process.Mapping]) and not read.
//
// An Image keeps the function table in memory, and reads code, symbols and DWARF when
// they are asked for. Damaged files give errors. Methods may be called concurrently.
package image

import (
	"bytes"
	"debug/buildinfo"
	"debug/dwarf"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync"

	"github.com/pepgo/pep/machine/executable"
	"github.com/pepgo/pep/machine/pclntab"
)

// An Image is an executable.
type Image struct {
	Path      string // as the user named it, or that of the process
	GoVersion string // "go1.26.8"; empty if the executable does not say it
	BuildInfo *debug.BuildInfo
	GoBuildID string // the go command's build ID, empty if there is none
	GNUID     []byte // the linker's build ID, nil if there is none
	PIE       bool   // the kernel chooses the addresses
	Process   *Process
	// Bias is what the process adds to addresses of the executable; 0 for files.
	Bias uint64

	r      io.ReaderAt
	closer io.Closer
	elf    *elf.File
	module module
	funcs  *pclntab.Table

	relocated func() []relocation
	symbols   func() ([]Symbol, error)
	dwarf     func() (*dwarf.Data, error)
	layouts   func() ([]release, error)
	goroutine func() (Goroutine, error)
	units     unitCache
	types     struct {
		sync.Mutex
		of map[uint64]Type // what Dynamic has found
	}
}

// Open reads the executable in a file.
func Open(name string) (*Image, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file, so not an executable")
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	im, err := New(io.NewSectionReader(f, 0, info.Size()))
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	im.Path, im.closer = name, f
	return im, nil
}

// New reads an executable. The Image keeps r.
func New(r *io.SectionReader) (*Image, error) {
	f, err := elf.NewFile(r)
	if err != nil {
		return nil, fmt.Errorf("not an ELF executable: %w", err)
	}
	if f.Machine != elf.EM_X86_64 || f.Class != elf.ELFCLASS64 || f.Data != elf.ELFDATA2LSB {
		return nil, fmt.Errorf("executable for %s, want one for linux/amd64", f.Machine)
	}
	if f.Type != elf.ET_EXEC && f.Type != elf.ET_DYN {
		return nil, fmt.Errorf("ELF file of type %s, want an executable", f.Type)
	}
	im := &Image{r: r, elf: f, PIE: f.Type == elf.ET_DYN}
	if info, err := buildinfo.Read(r); err == nil {
		im.GoVersion, im.BuildInfo = info.GoVersion, info
	}
	im.GoBuildID, im.GNUID = executable.BuildIDs(f)
	im.relocated = sync.OnceValue(im.sortedRelocations)
	im.dwarf = sync.OnceValues(im.readDWARF)
	im.layouts = sync.OnceValues(im.possibleReleases)
	if err := im.findModule(); err != nil {
		if im.GoVersion != "" {
			err = fmt.Errorf("built by %s: %w", im.GoVersion, err)
		}
		return nil, err
	}
	im.symbols = sync.OnceValues(im.readSymbols)
	im.goroutine = sync.OnceValues(im.findGoroutine)
	return im, nil
}

// Close closes the file. Methods that read it return errors afterwards.
func (im *Image) Close() error {
	if im.closer == nil {
		return nil
	}
	return im.closer.Close()
}

// segment returns the part of the file that is loaded at addr.
func (im *Image) segment(addr uint64) (*elf.Prog, bool) {
	for _, p := range im.elf.Progs {
		if p.Type == elf.PT_LOAD && addr >= p.Vaddr && addr-p.Vaddr < p.Filesz {
			return p, true
		}
	}
	return nil, false
}

// FileOffset returns where in the file the byte at addr is.
func (im *Image) FileOffset(addr uint64) (uint64, error) {
	p, ok := im.segment(addr)
	if !ok {
		return 0, fmt.Errorf("address %#x is not in the file", addr)
	}
	return addr - p.Vaddr + p.Off, nil
}

// ReadAddr reads the bytes that the file has for an address. The bytes of variables are
// their initial values; those that the runtime linker relocates are missing.
func (im *Image) ReadAddr(b []byte, addr uint64) error {
	p, ok := im.segment(addr)
	if !ok || uint64(len(b)) > p.Filesz-(addr-p.Vaddr) {
		return fmt.Errorf("%d bytes at address %#x are not in the file", len(b), addr)
	}
	if _, err := p.ReadAt(b, int64(addr-p.Vaddr)); err != nil {
		return fmt.Errorf("reading %d bytes at address %#x: %w", len(b), addr, err)
	}
	return nil
}

// chunk is how much data reads at once, so that a wrong size in a damaged file does not
// make it take more memory than there is file.
const chunk = 1 << 20

// data returns the bytes from start to end.
func (im *Image) data(start, end uint64) ([]byte, error) {
	p, ok := im.segment(start)
	if !ok || end < start || end-p.Vaddr > p.Filesz {
		return nil, fmt.Errorf("addresses %#x to %#x are not in the file", start, end)
	}
	r := io.NewSectionReader(p, int64(start-p.Vaddr), int64(end-start))
	if end-start <= chunk {
		b := make([]byte, end-start)
		_, err := io.ReadFull(r, b)
		return b, err
	}
	var buf bytes.Buffer
	if off, err := im.FileOffset(end - 1); err == nil { // all of it is there
		if _, err := im.r.ReadAt(make([]byte, 1), int64(off)); err == nil {
			buf.Grow(int(end-start) + bytes.MinRead)
		}
	}
	if _, err := buf.ReadFrom(r); err != nil {
		return nil, err
	}
	if uint64(buf.Len()) != end-start {
		return nil, fmt.Errorf("addresses %#x to %#x: the file ends after %d bytes: %w", start, end, buf.Len(),
			io.ErrUnexpectedEOF)
	}
	return buf.Bytes(), nil
}

// Section returns the name of the ELF section that contains addr, or "".
func (im *Image) Section(addr uint64) string {
	for _, s := range im.elf.Sections {
		if s.Flags&elf.SHF_ALLOC != 0 && s.Flags&elf.SHF_TLS == 0 && addr >= s.Addr && addr-s.Addr < s.Size {
			return s.Name
		}
	}
	return ""
}
