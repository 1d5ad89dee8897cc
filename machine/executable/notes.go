package executable

// This file reads build IDs from the notes of an executable.

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io"
)

// Types of notes.
const (
	noteGNUBuildID = 3 // of owner GNU
	noteGoBuildID  = 4 // of owner Go
)

// maxNotes is how many bytes of notes are read.
const maxNotes = 1 << 16

// BuildIDs returns the build ID of the go command, empty if there is none, and that of the linker, nil if there is
// none. It reads the notes of segments and of sections: Go's linker writes the GNU build ID into a section that no
// segment of notes has.
func BuildIDs(f *elf.File) (goID string, gnu []byte) {
	var all []io.ReaderAt
	for _, p := range f.Progs {
		if p.Type == elf.PT_NOTE {
			all = append(all, p)
		}
	}
	for _, s := range f.Sections {
		if s.Type == elf.SHT_NOTE && s.ReaderAt != nil { // nil if it says that it is compressed
			all = append(all, s)
		}
	}
	for _, r := range all {
		b := make([]byte, maxNotes)
		n, _ := r.ReadAt(b, 0)
		for b = b[:n]; len(b) >= 12; {
			nameSize, descSize := uint64(binary.LittleEndian.Uint32(b)), uint64(binary.LittleEndian.Uint32(b[4:]))
			kind := binary.LittleEndian.Uint32(b[8:])
			b = b[12:]
			descAt := (nameSize + 3) &^ 3
			end := descAt + (descSize+3)&^3
			if descAt+descSize > uint64(len(b)) {
				break
			}
			name, desc := string(bytes.TrimRight(b[:nameSize], "\x00")), b[descAt:descAt+descSize]
			switch {
			case name == "Go" && kind == noteGoBuildID:
				goID = string(desc)
			case name == "GNU" && kind == noteGNUBuildID:
				gnu = bytes.Clone(desc)
			}
			b = b[min(end, uint64(len(b))):]
		}
	}
	return goID, gnu
}
