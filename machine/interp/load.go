package interp

// This file chooses loads for the caller to time. It counts the loads of all windows of a machine in their order.
// Between a chosen load and the next one are 64 to 191 others, each number with the same probability. So each load has
// the same chance, one in 128.5, whatever the code around it is like; and of 65 loads in a row one is chosen at most.
//
// Loads are the operands in memory that instructions read. What POP, RET, LEAVE and string instructions read is not
// among them, nor what is under a mask, where the address may be one that the program does not read.
//
// A piece has the number of its loads, so others than the chosen one cost a subtraction for each piece. In the piece of
// the chosen one, the operations before it are executed as a copy, with an event behind them. What the interpreter has
// loaded so far is what the program would have loaded, and it times the load before it executes it.
//
// So a load takes what it would take in the program, but for four things. The first store to 256 bytes copies them, so
// loads from there are not timed and are a bin of their own, "written". The tick and the handler have emptied the
// nearer caches, which some of the first loads of a window notice. The handler looks at the frames of callers. And one
// load of 128 that the weights would look at has just been timed, and is in the nearest cache.

import "unsafe"

const (
	leastSkip = 64 // loads between chosen ones, at least: pieces hardly have more
	skipBits  = 7  // logarithm of how many different numbers there are
	never     = 1 << 30
	goBack    = 1 << 32 // of kStop: go on at the chosen load
)

// LoadEvent is the event before a load that was chosen, for TimeLoad.
const LoadEvent = 1 << 63

// A chooser has the state of the choice.
type chooser struct {
	until  int32  // loads before the chosen one
	random uint64 // a linear congruential generator
	piece  uint64 // address of the chosen load's piece
	op     uint64 // and of its operation
}

// Seed sets what the choice of loads begins with.
func (m *Machine) Seed(random uint64) {
	m.choice.random = random*6364136223846793005 + 1442695040888963407
	m.choice.until = int32(m.choice.random >> (64 - skipBits))
}

// choose chooses a load of the piece at the address p, and returns the address of the operations before it, which end
// with an event and go back. Without Time it chooses none.
func (m *Machine) choose(p uint64) (first uint64) {
	c := &m.choice
	first = p + opSize64
	if m.Time == nil {
		c.until = never
		return first
	}
	before := c.until + int32(pieceOf(p).loads) // loads of the piece before the chosen one
	c.random = c.random*6364136223846793005 + 1442695040888963407
	c.until += 1 + leastSkip + int32(c.random>>(64-skipBits))
	c.piece = p
	to := uint64(uintptr(unsafe.Pointer(&m.d.ops))) // nothing is decoded within a piece
	for at := first; ; at += opSize64 {
		o := opAt(at)
		if o.isLoad() {
			if before == 0 {
				c.op = at
				break
			}
			before--
		}
		if o.ends() {
			return first
		}
		*opAt(to) = *o
		to += opSize64
	}
	*opAt(to) = op{k: kAct, imm: LoadEvent}
	*opAt(to + opSize64) = op{k: kStop, imm: goBack}
	return uint64(uintptr(unsafe.Pointer(&m.d.ops)))
}

// ends reports whether an operation is the last one of its piece.
func (o *op) ends() bool { return o.k == kStop || o.k >= kJcc && o.k <= kCallR }

// TimeLoad times the load that was chosen, with longWait cycles at most. Act calls it for LoadEvent, and at no other
// time. The load is of the instruction at pc. If the window has written to the LineSize bytes around the address,
// cycles is 0: what the program would wait for them is not known, though it mostly has them in the nearest cache.
// TimeLoad reports false if the load is about to fault, and if there is code about it that is not what was built.
func (m *Machine) TimeLoad() (pc, cycles uint64, ok bool) {
	o := opAt(m.choice.op)
	pc = pieceOf(m.choice.piece).pc + uint64(o.l0)
	a := m.R[o.b] + m.R[o.i]*uint64(o.sh) + uint64(o.disp)
	switch {
	case a < 4096 || a >= 1<<47 || pieceOf(m.choice.piece).changed:
		return pc, 0, false
	case m.Wrote(a):
		return pc, 0, true
	}
	return pc, min(max(m.Time(a), 1), longWait), true
}

// isLoad reports whether an operation is one of the loads that are counted. Where the instruction is in the piece is
// then in l0.
func (o *op) isLoad() bool {
	return o.k >= kLd64 && o.k <= kLdS32 || o.k == kVLd || o.k == kVLd16
}

// countLoads counts the loads among operations of the piece that is decoded, and notes where their instruction is.
func (d *decoder) countLoads(from uint64) (n uint16) {
	for ; from < d.op; from += opSize64 {
		if o := opAt(from); o.isLoad() {
			o.l0 = uint32(d.pc - d.start)
			n++
		}
	}
	return n
}

func opAt(at uint64) *op { return (*op)(unsafe.Add(nil, at)) }
