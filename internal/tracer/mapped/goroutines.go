package mapped

import (
	"debug/elf"

	"github.com/pepgo/pep/internal/tracer/image"
)

// Goroutines says where a process keeps the numbers of its goroutines. The zero value is that
// of processes that are no Go programs.
type Goroutines struct {
	TLS  int64  // address of the pointer to the current g, less the base of FS
	Goid uint32 // offset of the number in g
}

// FindGoroutines reads the executable of a process.
func FindGoroutines(pid uint32) (p Goroutines) {
	im, err := image.OpenProcess(int(pid))
	if err != nil {
		return p
	}
	defer im.Close()
	g, err := im.Goroutine()
	if err != nil {
		return p
	}
	f, err := elf.Open(im.Process.Exe)
	if err != nil {
		return p
	}
	defer f.Close()
	return Goroutines{tls(f), uint32(g.Goid)}
}

// tls returns where the runtime of Go keeps the address of the current g, relative to the
// base of FS. In programs that the C linker has linked, other variables may be there, too.
func tls(f *elf.File) int64 {
	const usual = -8
	symbols, err := f.Symbols()
	if err != nil {
		return usual
	}
	for _, s := range symbols {
		if s.Name != "runtime.tlsg" || elf.ST_TYPE(s.Info) != elf.STT_TLS {
			continue
		}
		for _, p := range f.Progs {
			if p.Type == elf.PT_TLS {
				size := (p.Memsz + p.Align - 1) &^ (p.Align - 1)
				return int64(s.Value) - int64(size)
			}
		}
	}
	return usual
}
