package interp

// This file holds the state of a window.

// A Machine interprets the code of one thread. Its memory is fixed, some 340 KB; the caller allocates
// it once, where it likes.
type Machine struct {
	// R are the registers: 0 to 15 those of the processor in the order of their encoding, then those
	// that rZero and its neighbours name. SetSegments sets the bases of FS and GS.
	R [256]uint64

	// Vectors are the vector registers: 0 to 31 those of the processor, the others are temporary.
	Vectors [64][8]uint64
	MXCSR   uint32

	// PC is where the window begins and, after Run, where it ended: the next instruction, or the one
	// that was not interpreted. After a Fault it is the first instruction of the piece of the fault.
	PC    uint64
	Steps int // instructions interpreted since Reset

	// Returned is the highest address at which a RET has found where to return to, since somebody set it to 0. A frame
	// of the stack whose return address is at a higher one has not returned in the meantime, nor have its callers.
	Returned uint64

	// TSC is the processor's time when the window begins. RDTSC and RDTSCP read it, plus a cycle for each instruction
	// since: what they would read now is the time of the interpreter, which goes by ten times as fast. If it is 0, they
	// end windows.
	TSC uint64

	// Act is called for each event, with its number, and with LoadEvent. The stack pointer is m.R[4]. It must be set if
	// Code.Actions or Time is.
	Act func(m *Machine, event uint64)

	// Fetch returns where the LineSize bytes at the address addr can be read, 0 if they cannot. The
	// bytes there must not change before the next Reset. Without Fetch the machine reads the memory of
	// its own process.
	Fetch func(addr uint64) (at uint64)

	// Time loads a byte from an address and returns how many cycles that takes, Quick if the byte is in the nearest cache.
	// If it is nil, Waits returns 0, and no loads are chosen.
	Time   func(addr uint64) uint64
	Quick  uint64
	meter  waitMeter
	choice chooser

	// Notes is memory for what the machine notes, and Noted says how many notes there are since Reset. Those for which
	// there is no room are counted only.
	Notes []Note
	Noted int

	predict predictor

	code    *Code
	inside  bool // Run runs, or a handler has left it
	stop    Stop
	repeats uint32
	fresh   int    // instructions decoded since Reset
	window  uint32 // number of the window, which no other machine has; 0 before Run
	changed bool   // the window has met code that is not what was built
	d       decoder

	// Flags are kept as what they were computed from: see flags.go.
	fk, fs uint8
	fa, fb uint64

	// The memory: see memory.go.
	near  [nearSize]near
	dir   [dirSize]dirEntry
	taken [dirSize / 64]uint64 // a bit for each entry of dir, which is cold: most lines need no look at it
	used  uint64               // lines
	lines [maxLines][LineSize]byte
}

// Init prepares a machine that is zero.
func (m *Machine) Init(c *Code) { m.code, m.d.c, m.d.m = c, c, m }

// Reset begins a window at pc, with these flags. The caller has set the registers, or does so now.
func (m *Machine) Reset(pc, flags uint64) {
	m.Leave()
	m.PC, m.Steps, m.stop, m.repeats, m.fresh, m.window, m.changed = pc, 0, Done, 0, 0, 0, false
	m.R[rZero], m.Returned, m.Noted = 0, 0, 0
	m.meter.forget()
	m.setFlags(flags)
	m.forget()
}

// Leave says that a handler has left Run. Reset does so, too; but until then the machine counts as running, so that
// nobody can empty the cache of decoded code.
func (m *Machine) Leave() {
	if m.inside {
		m.inside = false
		m.code.leave()
	}
}

// Changed reports whether the window has met code that is not what was built: see [Text].
func (m *Machine) Changed() bool { return m.changed }

// Actions are what the machine calls Code.Actions with.
func (m *Machine) Actions() *Actions { return &m.d.acts }

// SetSegments sets the bases of FS and GS.
func (m *Machine) SetSegments(fs, gs uint64) { m.R[rFS], m.R[rGS] = fs, gs }

// Segment returns the base of FS.
func (m *Machine) Segment() uint64 { return m.R[rFS] }

// Masks are the mask registers K0 to K7.
func (m *Machine) Masks() *[8]uint64 { return (*[8]uint64)(m.R[rMask : rMask+8]) }

// Flags returns the arithmetic flags as the processor has them, without AF. Behind a call or a return they may
// be older ones, because nobody looks at them there; with Code.Exact they never are.
func (m *Machine) Flags() uint64 { return m.flags() }
