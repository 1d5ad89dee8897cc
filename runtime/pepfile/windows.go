package pepfile

// This file holds what programs write that sample in windows: at a tick, the handler interprets some thousand
// instructions, and the paths that end in them count.
//
// The log of windows takes the place of the log of bursts. A room has a window: its length in instructions and in time, which
// loads it timed, and how often it counted which entries. As with bursts, if there have been more windows than rooms, the log has a random
// sample of them. A thread that takes a window has its room to itself unless another window of the same time has chosen
// the same room at random; a checksum tells rooms with parts of two windows, or whose thread was killed, from others.
// A room is in eight parts: the first parts of all rooms follow each other, behind them are the second ones, and so on. Most
// windows need few parts, and sixteen parts share a page. The first store to a page of a file takes long.

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
	Busy    uint64             // ticks without a window, because all interpreters were in use
	Calls   uint64             // ticks at the exit of a system call, which belong to the call
	Other   uint64             // ticks outside of Go code

	// Ticks without a window, because a fault in one could not have been handled: see beginWindow in core.
	Uncaught uint64

	// How many cycles a load takes, with the clock, from the nearest cache and from memory, as measured at the start.
	Near, Memory uint64
}

const (
	windowRoomBits = 8 // logarithm of the records of a room
	windowPartBits = 5 // and of those of a part
	windowRecord   = uint64(unsafe.Sizeof(WindowRecord{}))
	windowHeader   = uint64(unsafe.Sizeof(Window{})) / windowRecord
	windowRooms    = logSize >> windowRoomBits / windowRecord

	// Settled is how many instructions a window has behind it when its waits begin to count. Before that the program waits
	// for what the tick has displaced from its caches.
	Settled = 3000

	// WindowRecords is how many different entries a room has place for.
	WindowRecords = 1<<windowRoomBits - windowHeader
)

// A Window is the beginning of a room.
type Window struct {
	Sum     uint32 // checksum of the room; 0 if it is empty
	Records uint32
	Number  uint64 // from 1
	Time    uint64 // CPU time that its tick stands for, in ns
	Waits   uint32 // cycles that the program waits for memory and behind mispredicted branches, from Settled instructions on up to the normal length
	Memory  uint32 // of these, for memory
	Steps   uint32 // instructions, up to the normal length
	Ends    uint32 // counted ends of paths, those of Missed included
	Missed  uint32 // ends in entries for which there was no record
	Ended   uint16 // the reason of its end
	Loads   uint16 // how many of the records are loads: the first ones
}

// A WindowRecord says how often a window counted an entry; or which load it timed, and how many cycles that took. These are 0
// if the window had written to what was loaded.
type WindowRecord struct {
	Entry uint32 // 1 + its index; of a load its instruction, relative to the text
	Count uint32
}

// Claim returns the number of k's entry, which it makes if there is none, and false if there is no room. If the table is
// crowded, k loses callers, and shortened is true. Claim counts nothing.
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

// AddTo counts the entry with a number n times.
func (t Table) AddTo(i uint32, n uint64) { golink.Add64(&t.Entry(i&(Slots-1)).Count, int64(n)) }

// LogWindow keeps a window, which gets its number here, or does not.
func (t Table) LogWindow(w *Window, records []WindowRecord) {
	w.Number = golink.Add64(&t.Log, 1)
	room := w.Number - 1
	if room >= windowRooms {
		// The upper half of the product is a random number below the number of windows.
		room, _ = bits.Mul64(Mix(Mix(0, w.Number), t.Start), w.Number)
	}
	if room >= windowRooms {
		return
	}
	w.Records = uint32(min(uint64(len(records)), WindowRecords))
	header := t.Window(room)
	golink.Store32(&header.Sum, 0)
	w.Sum = 0
	*header = *w
	h := w.sum()
	for i := range records {
		if i >= int(w.Records) {
			break
		}
		h = records[i].sum(h)
		*t.windowRecord(room, uint64(i)) = records[i]
	}
	golink.Store32(&header.Sum, uint32(h>>32)|1)
}

// Window returns the beginning of a room.
func (t Table) Window(room uint64) *Window { return (*Window)(t.inRoom(room, 0)) }

// windowRecord returns a record of a room.
func (t Table) windowRecord(room, i uint64) *WindowRecord {
	return (*WindowRecord)(t.inRoom(room, windowHeader+i))
}

// inRoom returns what is at an offset of a room, in records.
func (t Table) inRoom(room, i uint64) unsafe.Pointer {
	const part = 1 << windowPartBits
	i %= 1 << windowRoomBits
	return t.At(logOffset + ((i/part*windowRooms+room%windowRooms)*part+i%part)*windowRecord)
}

// sum begins the checksum of a room, which is never 0.
func (w *Window) sum() uint64 {
	h := Mix(w.Number, w.Time)
	h = Mix(Mix(h, uint64(w.Waits)<<32|uint64(w.Memory)), uint64(w.Steps)<<32|uint64(w.Ends))
	return Mix(h, uint64(w.Missed)<<32|uint64(w.Ended)<<16|uint64(w.Loads))
}

func (r *WindowRecord) sum(h uint64) uint64 { return Mix(h, uint64(r.Entry)<<32|uint64(r.Count)) }

// LoggedWindows calls f for each window in the log that is intact, and returns how many are not. The records are good until
// f returns.
func (t Table) LoggedWindows(f func(w *Window, records []WindowRecord)) (damaged int) {
	var list [WindowRecords]WindowRecord
	for room := range min(golink.Load64(&t.Log), windowRooms) {
		w := t.Window(room)
		if w.Sum == 0 { // never written, or being written
			continue
		}
		n, h := min(uint64(w.Records), WindowRecords), w.sum()
		for i := range n {
			list[i] = *t.windowRecord(room, i)
			h = list[i].sum(h)
		}
		if n != uint64(w.Records) || uint64(w.Loads) > n || w.Sum != uint32(h>>32)|1 {
			damaged++
			continue
		}
		f(w, list[:n])
	}
	return damaged
}
