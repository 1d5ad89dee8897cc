package pepfile

// This file holds the header of a .pep file and the slots of the table of paths; add.go
// counts in it.

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/poll"
	"github.com/pepgo/pep/runtime/sampler"
)

const (
	Magic      = "pepdata\n"
	Version    = 19
	PageSize   = 4096
	Slots      = 1 << 15
	MaxCallers = 32
	maxProbes  = 1024 // words of the index: far more than a search goes by
)

// A Header is the first page of a .pep file. Magic is stored last: as long as it
// is zero the rest may be incomplete.
type Header struct {
	Magic   [8]byte
	Version uint32
	Mode    uint32 // of package poll
	Pid     uint32
	Slots   uint32
	Text    uint64  // address of the text segment in the program
	Tick    uint64  // ns of CPU time between ticks
	Start   uint64  // when the program started, ns since 1970
	Build   [8]byte // hash of the site tables linked into the program

	Born       uint64 // when the process began, in the unit of /proc/PID/stat; 0 if not known
	Namespaces uint64 // those that Pid and Born belong to; 0 if not known
	Counters   uint64 // exact counters
	Budget     uint64 // of the CPU time for sampling, in parts per million, for the first second at least; 0 is no limit
	Streams    uint32 // streams of taps; 0 if nothing is tapped
	Notes      uint32 // how many different notes a slot of the log of windows has place for

	ExeLen uint32
	_      uint32
	Exe    [1024]byte // the program's file

	// Fields before this one do not change any more. Stopped is in Sampler.
	sampler.Sampler

	Used      uint64 // entries in use
	Dropped   uint64 // samples that found no space
	Shortened uint64 // samples counted without some or all of their callers, or without labels, for want of space
	Truncated uint64 // samples without their outermost callers, because the stack is too deep to walk
	Detached  uint64 // when counting stopped because the file lost its space, ns since 1970; 0 if it did not
	Denied    uint32 // why sampling stopped before the program did: DeniedSleep << 16 | errno, …; 0 if it has not
	Writer    uint32 // how far the process that writes the profile has come: writerNone, …
	Log       uint64 // number of the last burst << 32 | its samples so far
	Time      uint64 // from the start of sampling to the last tick, in ns of the clock of ticks
	Spent     uint64 // what sampling has taken until then, in ns
	Slot      uint64 // of that burst in the log of bursts; too large if it has none

	Unlabelled uint64 // samples counted without labels, because these are too long or too many
	Folded     uint64 // samples with more than MaxCallers callers, of which repetitions were left out
	Erased     uint64 // likewise, of which cycles were left out, and with them perhaps functions
	Gapped     uint64 // likewise, of which those in the middle were left out: they have a Gap
	BudgetNow  uint64 // as Budget, at the last tick
	Allowed    uint64 // what sampling might have taken until then by the budget, in ns
	TickTime   uint64 // what the kernel has taken to deliver ticks until the last one, in ns; it is in Spent

	Windows Windows // of a program that samples in windows
}

// Values of Denied, in the upper 16 bits. A program may forbid system calls later (seccomp), or
// install a handler of its own past package os/signal.
const (
	DeniedSleep  = 1 // clock_nanosleep; the lower bits are its errno
	DeniedSignal = 2 // the signal in the lower bits
)

// A Key is what an entry counts. Leaf and Callers are program counters as in
// Entry.
type Key struct {
	Path    uint32             // number within the package
	PC      uint32             // of the poll, relative to Text
	Leaf    uint32             // the word at the stack top if it is in the text, else 0: see [frameless]; or Logical
	N       uint32             // callers
	Labels  uint32             // 1 + the number of the goroutine's label set, 0 for none
	Callers [MaxCallers]uint32 // return addresses, innermost first, relative to Text; or Gap
}

// Logical is in place of Leaf if PC and Callers are as runtime.Callers returns them: each of them
// stands for one frame, and those of inlined functions are among them. Otherwise a return address
// stands for all frames there.
const Logical = 1

// Gap is in place of callers in the middle that were left out.
const Gap = NoText

// An Entry is a slot of the table.
type Entry struct {
	Hash   uint64 // 0 = free
	Count  uint64
	Stands uint64 // in windows, the sum over the counts of the µs that their windows stand for
	Key
	State uint32 // EntryReady when the key is complete
}

const EntryReady = 1

// A Table is a header and its slots, in memory that is not moved or freed.
type Table struct {
	*Header
	slots unsafe.Pointer // of Slots entries
	index *Index
}

// TableAt returns the table in memory. To count paths in it takes an index.
func TableAt(p unsafe.Pointer) Table {
	return Table{(*Header)(p), unsafe.Add(p, PageSize), nil}
}

// WithIndex returns t with an index, which is empty if t is.
func (t Table) WithIndex(index *Index) Table {
	t.index = index
	return t
}

// At returns what is at an offset of the file.
func (t Table) At(offset uint64) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(t.Header), uintptr(offset))
}

func (t Table) Entry(i uint32) *Entry {
	return (*Entry)(unsafe.Add(t.slots, uintptr(i)*unsafe.Sizeof(Entry{})))
}

// Filled returns how many slots may have entries. The others are pages of the file that nobody has touched, and reading
// them takes milliseconds. If Used is damaged and too small, the entries that follow without a gap count nevertheless.
func (t Table) Filled() (n uint32) {
	for n = uint32(min(t.Used, uint64(t.Slots))); n < t.Slots && golink.Load64(&t.Entry(n).Hash) != 0; n++ {
	}
	return n
}

// Fill writes what is the same in every program. The magic is left for publish.
func (t Table) Fill(opts options.Options) {
	t.Version = Version
	t.Mode = poll.Mode
	t.Slots = SlotsOf(poll.Mode)
	t.Samples, t.Stride, t.Form = opts.Samples, opts.Stride, opts.Form
	t.Tick, t.Budget = opts.Tick, opts.Budget.First
	t.Notes = NotesOf(poll.Mode, opts.Values)
}

// Publish seals the header when it is complete, and then stores the magic, at once.
func (t Table) Publish() {
	t.seal()
	var m uint64
	for i := range len(Magic) {
		m |= uint64(Magic[i]) << (8 * i)
	}
	golink.Store64((*uint64)(unsafe.Pointer(&t.Magic)), m)
}

// SlotsOf returns how many slots there are in a mode of package poll.
func SlotsOf(mode uint32) uint32 {
	if mode == poll.Exact {
		return 0
	}
	return Slots
}

// TableSize returns the size of the header, so many slots, and the label sets and the log of
// bursts if there are any, in whole pages.
func TableSize(slots uint32) uint64 {
	if slots == 0 {
		return PageSize
	}
	return logOffset + logSize
}
