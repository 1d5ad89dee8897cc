// Package mapped knows the executable code that is mapped into processes: from which file it
// is, what its instructions are, and what modules want of them. Both kinds of value
// samplers, the one in the kernel and the one with ptrace, make their tuples with it.
//
//	maps, err := mapped.Read(4711)
//	files := mapped.Files{}
//	m := mapped.Find(maps, op.PC)
//	in := files.Instruction(4711, m, &op, code, want)
//	in.PC              // 0x4011a0: the address in the file
//	in.Tuple(have, w)  // what an interpreter noted, as far as a module wants it
package mapped

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pepgo/pep/machine/executable"
	"github.com/pepgo/pep/machine/image"
	"github.com/pepgo/pep/tracer/internal/interp/ops"
	"github.com/pepgo/pep/tracer/internal/values/capture"
	"github.com/pepgo/pep/tracer/internal/values/describe"
)

// A Mapping is executable memory of a process.
type Mapping struct {
	image.Mapping
	Key  string // device, inode and path
	file *file  // nil until it is needed
}

// Files are the files that have been mapped, by the key of their mappings. Processes share them.
type Files map[string]*file

// A file is an image and its instructions, which all processes share.
type file struct {
	image capture.Image
	elf   *elf.File // nil for code that is in no ELF file
	insns map[uint64]*Instruction
}

// An Instruction is one that has been decoded, and what modules want of it.
type Instruction struct {
	*capture.Instruction
	Want   capture.Want
	direct bool   // it has the target of its jump or call,
	jump   uint64 // which is this, less the address of the instruction
}

// Read reads the executable mappings of a process.
func Read(pid uint32) (maps []Mapping, err error) {
	list, err := image.Maps(int(pid))
	for _, m := range list {
		if m.Exec {
			m.Path = strings.TrimSuffix(m.Path, " (deleted)")
			maps = append(maps, Mapping{Mapping: m, Key: fmt.Sprintf("%d:%d:%s", m.Dev, m.Inode, m.Path)})
		}
	}
	return maps, err
}

// Find returns the mapping at pc, or nil.
func Find(maps []Mapping, pc uint64) *Mapping {
	for i := range maps {
		if m := &maps[i]; m.Start <= pc && pc < m.End {
			return m
		}
	}
	return nil
}

// Instruction returns the instruction whose last operation op is, or nil if it cannot be read. Want says what to note
// of one that has not been met before.
func (fs Files) Instruction(pid uint32, m *Mapping, op *ops.Op, code ops.Code,
	want func(*capture.Instruction) capture.Want) *Instruction {
	if m.file == nil {
		f := fs[m.Key]
		if f == nil || f.elf == nil { // anonymous memory differs from process to process
			f = m.open(pid)
			fs[m.Key] = f
		}
		m.file = f
	}
	f := m.file
	pc := op.PC - m.bias()
	var buf [15]byte
	now := buf[:code.ReadCode(op.PC, buf[:])]
	in := f.insns[pc]
	if in == nil || !bytes.HasPrefix(now, in.Code) { // programs change their code
		if len(now) < max(1, int(op.Len)) {
			return nil
		}
		d, err := describe.Instruction(&f.image, pc, now)
		if err != nil || op.Len != 0 && len(d.Code) != int(op.Len) { // its length is unknown if it is not interpreted
			d = describe.Unknown(&f.image, pc, append([]byte(nil), now[:max(1, op.Len)]...))
		}
		in = &Instruction{d, want(d), op.Direct(), op.Target() - op.PC}
		f.insns[pc] = in
	}
	return in
}

// open reads the file of a mapping. Memory without a file, and files that cannot be read,
// become an image without a build ID.
func (m *Mapping) open(pid uint32) *file {
	f := &file{image: capture.Image{Path: m.Path}, insns: map[uint64]*Instruction{}}
	if !strings.HasPrefix(m.Path, "/") {
		if m.Path == "" {
			f.image.Path = "[anonymous]"
		}
		return f
	}
	// The executable may have been replaced, and the process may have its own root.
	name := fmt.Sprintf("/proc/%d/root%s", pid, m.Path)
	if exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); err == nil &&
		strings.TrimSuffix(exe, " (deleted)") == m.Path {
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
	if _, id := executable.BuildIDs(f); id != nil {
		return fmt.Sprintf("%x", id)
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
func (m *Mapping) bias() uint64 {
	if m.file.elf == nil {
		return 0
	}
	for _, p := range m.file.elf.Progs {
		if p.Type == elf.PT_LOAD && m.Offset >= p.Off&^0xfff && m.Offset < p.Off+p.Filesz {
			return m.Start - (p.Vaddr + m.Offset - p.Off)
		}
	}
	return 0
}
