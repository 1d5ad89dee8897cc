package pepfile

// This file holds the notes of windows: which values their instructions had, and how often. The functions that calls
// went to are such values.
//
// A slot of the log of windows has a second slot for the notes of its window, which is kept or replaced together with
// the window, under the same checksum: see windows.go. The slots for notes follow the log, and are in parts, too. Most
// windows have few different notes, and a part is of sixteen, so that the parts of sixteen slots share a page.

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/poll"
)

// A NoteRecord says how often a window had a value at a site, which is the program counter of an instruction, relative
// to the text.
type NoteRecord struct {
	Site  uint32
	Count uint32
	Value uint64
}

const (
	noteRecord   = uint64(unsafe.Sizeof(NoteRecord{}))
	notePartBits = 4 // logarithm of the notes of a part
	noteOffset   = logOffset + logSize

	// FewNotes is how many different notes a slot has place for in a program whose windows note calls, and
	// MostNotes if they also note values that the run asks for.
	FewNotes  = 128
	MostNotes = 1024
)

// NotesOf returns how many different notes a slot has place for in a mode of package poll, with values of
// [options.Options].
func NotesOf(mode, values uint32) uint32 {
	switch {
	case mode != poll.Windows:
		return 0
	case values != 0:
		return MostNotes
	}
	return FewNotes
}

// notesSize returns the size of the slots for notes.
func notesSize(notes uint32) uint64 { return windowSlots * uint64(notes) * noteRecord }

// note returns a note of a slot.
func (t Table) note(slot, i uint64) *NoteRecord {
	const part = 1 << notePartBits
	i %= MostNotes
	return (*NoteRecord)(t.At(noteOffset + ((i/part*windowSlots+slot%windowSlots)*part+i%part)*noteRecord))
}

func (n *NoteRecord) sum(h uint64) uint64 {
	return Mix(Mix(h, uint64(n.Site)<<32|uint64(n.Count)), n.Value)
}
