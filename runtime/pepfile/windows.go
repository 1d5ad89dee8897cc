package pepfile

// This file holds what programs write that sample in windows: at a tick, the handler interprets some thousand
// instructions, and the paths that end in them count.
//
// The log of windows takes the place of the log of bursts. A slot has a window: its length in instructions and in time,
// which loads it timed, and how often it counted which entries. Beside it are the values that the window has noted:
// notes.go. Windows go to the slots in turn. If there have been more windows than slots, each slot has one of those
// that came to it, drawn by the time that they stand for: a window takes the slot with the probability that its time
// has in the sum of theirs. So the window that is in the slot stands for that sum, whatever the times are. For example,
// of windows that stand for 10, 20 and 30 ms the second one takes the slot with 2/3, and the third one with 1/2. Then
// each has been left with its part of 60 ms: the first one with 1/3 · 1/2 = 1/6. (One reservoir for all slots could not
// do that: windows that fill it first are in it for certain, however short their times.)
//
// A thread that takes a window has its slot to itself unless another window comes to the slot before it is done, some
// thousand windows later; a checksum tells slots with parts of two windows, or whose thread was killed, from others. A
// slot is in eight parts: the first parts of all slots follow each other, behind them are the second ones, and so on.
// Most windows need few parts, and sixteen parts share a page. The first store to a page of a file takes long.

import (
	"math/bits"
	"unsafe"

	"github.com/pepgo/pep/runtime/golink"
)

// WindowEnds is how many reasons there are for the end of a window.
const WindowEnds = 16

// Windows are the numbers of windows in a program, and of ticks without one.
type Windows struct {
	Ended   [WindowEnds]uint64 // windows, by the reason of their end, as package interp numbers them
	Steps   uint64             // instructions in all of them
	Long    uint64             // windows that went on behind their normal length
	Thrown  uint64             // windows dropped because they came to a fatal error, which the program did not
	Changed uint64             // windows that met code that is not the executable's
	Squares uint64             // sum of the squares of the µs that windows stand for
	Busy    uint64             // ticks without a window, because all interpreters were in use
	Calls   uint64             // ticks at the exit of a system call, which belong to the call
	Other   uint64             // ticks outside of Go code

	// Ticks without a window, because a fault in one could not have been handled: see beginWindow in core.
	Uncaught uint64

	// How many cycles a load takes, with the clock, from the nearest cache and from memory, as measured at the start.
	Near, Memory uint64
}

const (
	windowSlotBits = 8 // logarithm of the records of a slot
	windowPartBits = 5 // and of those of a part
	windowRecord   = uint64(unsafe.Sizeof(WindowRecord{}))
	windowHeader   = uint64(unsafe.Sizeof(Window{})) / windowRecord
	windowSlots    = logSize >> windowSlotBits / windowRecord

	// Settled is how many instructions a window has behind it when its waits begin to count. Before that the program waits
	// for what the tick has displaced from its caches.
	Settled = 3000

	// WindowRecords is how many different entries a slot has place for.
	WindowRecords = 1<<windowSlotBits - windowHeader
)

// A Window is the beginning of a slot.
type Window struct {
	Sum     uint32 // checksum of the slot; 0 if it is empty
	Records uint32
	Number  uint64 // from 1
	Time    uint64 // CPU time that its tick stands for, in ns
	Stands  uint64 // sum of the times of all windows that have come to the slot
	// cycles that the program waits for memory and behind mispredicted branches, from Settled instructions on up to the
	// normal length
	Waits   uint32
	Memory  uint32 // of these, for memory
	Steps   uint32 // instructions, up to the normal length
	Ends    uint32 // counted ends of paths, those of Missed included
	Missed  uint32 // ends in entries for which there was no record
	Ended   uint16 // the reason of its end
	Loads   uint16 // how many of the records are loads: the first ones
	Notes   uint32 // how many different notes it has: see notes.go
	Unnoted uint32 // values without a note, for want of space
}

// A WindowRecord says how often a window counted an entry; or which load it timed, and how many cycles that took. These
// are 0 if the window had written to what was loaded.
type WindowRecord struct {
	Entry uint32 // 1 + its index; of a load its instruction, relative to the text
	Count uint32
}

// Claim returns the number of k's entry, which it makes if there is none, and false if there is no space. If the table
// is crowded, k loses callers, and shortened is true. Claim counts nothing.
func (t Table) Claim(k *Key) (i uint32, shortened, ok bool) {
	e, shortened := t.claim(k)
	if e == nil {
		return 0, shortened, false
	}
	return t.number(e), shortened, true
}

// number returns the number of an entry.
func (t Table) number(e *Entry) uint32 {
	return uint32((uintptr(unsafe.Pointer(e)) - uintptr(t.slots)) / unsafe.Sizeof(Entry{}))
}

// AddTo counts the entry with a number n times, in a window that stands for a time in ns.
func (t Table) AddTo(i uint32, n, time uint64) {
	e := t.Entry(i & (Slots - 1))
	golink.Add64(&e.Stands, int64(n*(time/1e3)))
	golink.Add64(&e.Count, int64(n))
}

// LogWindow keeps a window, which gets its number here, or does not.
func (t Table) LogWindow(w *Window, records []WindowRecord, notes []NoteRecord) {
	w.Number = golink.Add64(&t.Log, 1)
	golink.Add64(&t.Windows.Squares, int64((w.Time/1e3)*(w.Time/1e3)))
	slot := (w.Number - 1) % windowSlots
	header := t.Window(slot)
	stands := golink.Add64(&header.Stands, int64(w.Time))
	// The upper half of the product is a random number below what the slot stands for.
	if at, _ := bits.Mul64(Mix(Mix(0, w.Number), t.Start), stands); at >= w.Time && w.Number > windowSlots {
		return
	}
	w.Records = uint32(min(uint64(len(records)), WindowRecords))
	w.Notes = min(uint32(len(notes)), t.Notes)
	for i := int(w.Notes); i >= 0 && i < len(notes); i++ {
		w.Unnoted += notes[i].Count
	}
	golink.Store32(&header.Sum, 0)
	w.Sum, w.Stands = 0, stands
	*header = *w
	h := w.sum()
	for i := range records {
		if i >= int(w.Records) {
			break
		}
		h = records[i].sum(h)
		*t.windowRecord(slot, uint64(i)) = records[i]
	}
	for i := range notes {
		if i >= int(w.Notes) {
			break
		}
		h = notes[i].sum(h)
		*t.note(slot, uint64(i)) = notes[i]
	}
	golink.Store32(&header.Sum, uint32(h>>32)|1)
}

// Window returns the beginning of a slot.
func (t Table) Window(slot uint64) *Window { return (*Window)(t.inSlot(slot, 0)) }

// windowRecord returns a record of a slot.
func (t Table) windowRecord(slot, i uint64) *WindowRecord {
	return (*WindowRecord)(t.inSlot(slot, windowHeader+i))
}

// inSlot returns what is at an offset of a slot, in records.
func (t Table) inSlot(slot, i uint64) unsafe.Pointer {
	const part = 1 << windowPartBits
	i %= 1 << windowSlotBits
	return t.At(logOffset + ((i/part*windowSlots+slot%windowSlots)*part+i%part)*windowRecord)
}

// sum begins the checksum of a slot, which is never 0.
func (w *Window) sum() uint64 {
	h := Mix(w.Number, w.Time)
	h = Mix(Mix(h, uint64(w.Waits)<<32|uint64(w.Memory)), uint64(w.Steps)<<32|uint64(w.Ends))
	h = Mix(h, uint64(w.Missed)<<32|uint64(w.Ended)<<16|uint64(w.Loads))
	return Mix(h, uint64(w.Notes)<<32|uint64(w.Unnoted))
}

func (r *WindowRecord) sum(h uint64) uint64 { return Mix(h, uint64(r.Entry)<<32|uint64(r.Count)) }

// LoggedWindows calls f for each window in the log that is intact, and returns how many are not. The records and the
// notes are good until f returns.
func (t Table) LoggedWindows(f func(w *Window, records []WindowRecord, notes []NoteRecord)) (damaged int) {
	var list [WindowRecords]WindowRecord
	notes := make([]NoteRecord, min(t.Notes, MostNotes))
	for slot := range min(golink.Load64(&t.Log), windowSlots) {
		w := t.Window(slot)
		if w.Sum == 0 { // never written, or being written
			continue
		}
		n, h := min(uint64(w.Records), WindowRecords), w.sum()
		for i := range n {
			list[i] = *t.windowRecord(slot, i)
			h = list[i].sum(h)
		}
		noted := min(w.Notes, uint32(len(notes)))
		for i := range noted {
			notes[i] = *t.note(slot, uint64(i))
			h = notes[i].sum(h)
		}
		if n != uint64(w.Records) || noted != w.Notes || uint64(w.Loads) > n || w.Stands < w.Time ||
			w.Sum != uint32(h>>32)|1 {
			damaged++
			continue
		}
		f(w, list[:n], notes[:noted])
	}
	return damaged
}
