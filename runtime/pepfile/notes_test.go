package pepfile_test

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/pepfile/pepfiletest"
	"github.com/pepgo/pep/runtime/poll"
)

// notesOf returns the notes of the windows in the log, by number, and how many values have no note.
func notesOf(f pepfile.Table) (notes map[uint64][]pepfile.NoteRecord, unnoted map[uint64]uint32, damaged int) {
	notes, unnoted = map[uint64][]pepfile.NoteRecord{}, map[uint64]uint32{}
	damaged = f.LoggedWindows(func(w *pepfile.Window, _ []pepfile.WindowRecord, list []pepfile.NoteRecord) {
		notes[w.Number], unnoted[w.Number] = slices.Clone(list), w.Unnoted
	})
	return notes, unnoted, damaged
}

// noteOf returns notes that no other window has.
func noteOf(window uint64, n int) (list []pepfile.NoteRecord) {
	for i := range n {
		list = append(list, pepfile.NoteRecord{Site: uint32(i), Count: uint32(window) + 1, Value: window<<32 | uint64(i)})
	}
	return list
}

// All windows have their notes, up to the size of the slots, and their records. Values without a note are counted.
func TestSlotsForNotes(t *testing.T) {
	for _, slot := range []uint32{0, 1, pepfile.FewNotes, pepfile.MostNotes} {
		f := pepfiletest.Noted(slot)
		const windows = 1024
		records := make([]pepfile.WindowRecord, pepfile.WindowRecords)
		for i := range uint64(windows) {
			records[0].Entry = uint32(i)
			f.LogWindow(&pepfile.Window{Unnoted: 5}, records, noteOf(i, int(slot)+int(i%3)))
		}
		notes, unnoted, damaged := notesOf(f)
		if len(notes) != windows || damaged != 0 {
			t.Fatalf("%d windows, %d damaged", len(notes), damaged)
		}
		for i := range uint64(windows) {
			if want := uint32(5 + i%3*(i+1)); !slices.Equal(notes[i+1], noteOf(i, int(slot))) || unnoted[i+1] != want {
				t.Fatalf("window %d: %d notes, want %d; %d values without, want %d", i+1, len(notes[i+1]), slot, unnoted[i+1], want)
			}
		}
		if _, all, _ := logged(f); all[7][0].Entry != 7 {
			t.Error("notes are where records are")
		}
	}
}

// A window that takes the slot of another one takes the slot of its notes, too.
func TestNotesAreThoseOfTheWindow(t *testing.T) {
	f := pepfiletest.Noted(pepfile.FewNotes)
	for i := range uint64(5000) {
		f.LogWindow(&pepfile.Window{Time: 1e6}, nil, noteOf(i, int(i%17)))
	}
	notes, _, damaged := notesOf(f)
	if len(notes) != 1024 || damaged != 0 {
		t.Fatalf("%d windows, %d damaged", len(notes), damaged)
	}
	late := 0
	for number, list := range notes {
		if !slices.Equal(list, noteOf(number-1, int((number-1)%17))) {
			t.Errorf("window %d has the notes %v", number, list)
		}
		if number > 1024 {
			late++
		}
	}
	if late < 500 {
		t.Errorf("%d windows are later than the first 1024", late)
	}
}

// Each flipped bit of a note, and of how many there are, is noticed.
func TestDamagedNotes(t *testing.T) {
	const n = 20 // in two parts
	f := pepfiletest.Noted(pepfile.FewNotes)
	list := noteOf(0x1234, n)
	f.LogWindow(&pepfile.Window{Time: 1e6, Unnoted: 3}, nil, list)
	w := f.Window(0)
	parts := []struct {
		p    unsafe.Pointer
		size uintptr
	}{{unsafe.Pointer(&w.Notes), 4}, {unsafe.Pointer(&w.Unnoted), 4}}
	begin := unsafe.Pointer(unsafe.SliceData(pepfiletest.Bytes(f)))
	for i, found := uintptr(0), 0; found < n; i += 8 { // where the notes are
		if r := (*pepfile.NoteRecord)(unsafe.Add(begin, i)); *r == list[found] {
			parts = append(parts, struct {
				p    unsafe.Pointer
				size uintptr
			}{unsafe.Pointer(r), unsafe.Sizeof(*r)})
			found++
		}
	}
	for _, part := range parts {
		for i := range part.size {
			for bit := range 8 {
				p := (*byte)(unsafe.Add(part.p, i))
				*p ^= 1 << bit
				notes, _, damaged := notesOf(f)
				*p ^= 1 << bit
				if len(notes) != 0 || damaged != 1 {
					t.Fatalf("bit %d of byte %d: %d windows, %d damaged", bit, i, len(notes), damaged)
				}
			}
		}
	}
	if _, _, damaged := notesOf(f); damaged != 0 {
		t.Error("the file is not as it was")
	}
}

// Programs whose windows note nothing have no space for notes.
func TestSizeOfModes(t *testing.T) {
	for _, x := range []struct{ mode, values, want uint32 }{
		{poll.Windows, 0, pepfile.FewNotes}, {poll.Windows, 1, pepfile.MostNotes}, {poll.Exact, 0, 0}, {poll.Mode, 0, 0},
	} {
		if got := pepfile.NotesOf(x.mode, x.values); got != x.want {
			t.Errorf("mode %d, values %d: slot for %d notes, want %d", x.mode, x.values, got, x.want)
		}
	}
	with, without := pepfile.LayoutOf(3, 2, 100), pepfile.LayoutOf(3, 2, 0)
	if with.Counters-without.Counters != 1024*100*16 || with.Size-without.Size != 1024*100*16 {
		t.Errorf("layouts %+v and %+v", with, without)
	}
}
