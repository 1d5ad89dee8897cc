package sampler

import (
	"bufio"
	"crypto/sha256"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pepgo/pep/internal/tracer/capture"
	"github.com/pepgo/pep/internal/tracer/micro"
)

// A mapping is executable memory of a process.
type mapping struct {
	start, end, offset uint64
	file               string // device and inode
	path               string
	image              *file // nil until it is needed
}

// A file is an image and its instructions, which all processes share.
type file struct {
	image capture.Image
	elf   *elf.File // nil for code that is in no ELF file
	insns map[uint64]*instruction
}

// An instruction is one that has been decoded, and what the module wants of it.
type instruction struct {
	*capture.Instruction
	want capture.Want
	kind micro.Kind
	jump uint64 // target of a direct jump, less the address of the instruction
}

// readMaps reads the executable mappings of a process.
func readMaps(pid uint32) (maps []mapping, err error) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var m mapping
		var mode, device string
		var inode uint64
		fields := strings.SplitN(s.Text(), " ", 6) // the path may contain spaces
		if _, err := fmt.Sscanf(s.Text(), "%x-%x %s %x %s %d", &m.start, &m.end, &mode, &m.offset, &device, &inode); err != nil {
			return nil, fmt.Errorf("memory map of process %d: %q: %w", pid, s.Text(), err)
		}
		if !strings.Contains(mode, "x") {
			continue
		}
		if len(fields) == 6 {
			m.path = strings.TrimSuffix(strings.TrimLeft(fields[5], " "), " (deleted)")
		}
		m.file = fmt.Sprintf("%s:%d:%s", device, inode, m.path)
		maps = append(maps, m)
	}
	return maps, nil
}

// open reads the file of a mapping. Memory without a file, and files that cannot be read,
// become an image without a build ID.
func (m *mapping) open(pid uint32) *file {
	f := &file{image: capture.Image{Path: m.path}, insns: map[uint64]*instruction{}}
	if !strings.HasPrefix(m.path, "/") {
		if m.path == "" {
			f.image.Path = "[anonymous]"
		}
		return f
	}
	// The executable may have been replaced, and the process may have its own root.
	name := fmt.Sprintf("/proc/%d/root%s", pid, m.path)
	if exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); err == nil && strings.TrimSuffix(exe, " (deleted)") == m.path {
		name = fmt.Sprintf("/proc/%d/exe", pid)
	}
	r, err := os.Open(name)
	if err != nil {
		return f
	}
	defer r.Close()
	if f.elf, err = elf.NewFile(r); err != nil {
		f.elf = nil
		return f
	}
	f.image.BuildID = buildID(f.elf, r)
	return f
}

// buildID returns the GNU build ID, or a hash of the file.
func buildID(f *elf.File, r io.ReadSeeker) string {
	const header = 16 // sizes, type, "GNU\0"
	if s := f.Section(".note.gnu.build-id"); s != nil {
		if data, err := s.Data(); err == nil && len(data) > header {
			return fmt.Sprintf("%x", data[header:])
		}
	}
	h := sha256.New()
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return ""
	}
	if _, err := io.Copy(h, r); err != nil {
		return ""
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:20])
}

// bias returns what the loader has added to the addresses in the file.
func (m *mapping) bias() uint64 {
	if m.image.elf == nil {
		return 0
	}
	for _, p := range m.image.elf.Progs {
		if p.Type == elf.PT_LOAD && m.offset >= p.Off&^0xfff && m.offset < p.Off+p.Filesz {
			return m.start - (p.Vaddr + m.offset - p.Off)
		}
	}
	return 0
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
