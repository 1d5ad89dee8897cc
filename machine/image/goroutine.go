package image

// This file says where the runtime keeps what is known about a goroutine.

import "debug/elf"

// A Goroutine has offsets of fields in runtime.g and runtime.m, in bytes. In Go code, R14
// is the address of the current g, and so is the word at FS-8.
type Goroutine struct {
	// Fields of runtime.g.
	StackLo, StackHi int64 // bounds of the stack; StackHi - SP names a frame even if the stack moves
	M                int64 // address of the runtime.m that runs the goroutine
	Goid             int64 // number of the goroutine
	Labels           int64 // pprof labels, see LabelList
	// Fields of runtime.m.
	Curg   int64 // address of the g whose code m runs, while SP is on another stack
	Procid int64 // number of the thread, in the PID namespace of the process
	// LabelList says what Labels points to: since Go 1.24 a slice of pairs of strings, sorted
	// by key, before that a map.
	LabelList bool
	Source    string // "DWARF", or the release from whose table the offsets are
}

// Goroutine returns where the fields are. It takes the offsets from DWARF, and for
// stripped executables from a table of releases. For releases that are not in the table
// there is an error.
func (im *Image) Goroutine() (Goroutine, error) { return im.goroutine() }

// TLS returns where the runtime of Go keeps the address of the current g, relative to the
// base of FS. In programs that the C linker has linked, other variables may be there, too.
func (im *Image) TLS() int64 {
	const usual = -8
	symbols, err := im.elf.Symbols()
	if err != nil {
		return usual
	}
	for _, s := range symbols {
		if s.Name != "runtime.tlsg" || elf.ST_TYPE(s.Info) != elf.STT_TLS {
			continue
		}
		for _, p := range im.elf.Progs {
			if p.Type == elf.PT_TLS {
				size := (p.Memsz + p.Align - 1) &^ (p.Align - 1)
				return int64(s.Value) - int64(size)
			}
		}
	}
	return usual
}
