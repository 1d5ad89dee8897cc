// Package follow keeps the path registers of a program that has none: it is told at which instructions the program comes
// by, as far as the table of actions has rows for them, and says which paths end.
//
//	m := follow.New(ops, slots, 256, 4096)
//	m.Step(depth, fn, action)      // for each row, in order
//	for _, p := range m.Ended { count(p) }
//	m.Ended = m.Ended[:0]
//
// A function has a register for its own path and one for that of each inlined call. A frame of the stack is told apart
// by its depth, which is the same for all rows of a call: there is nothing to do for calls and returns. A machine
// follows one stack.
//
// Step allocates nothing, so a signal handler can use it. When the memory for frames or registers is full, the older
// ones are forgotten. A register has no value until a row sets it: of what began before, no path ends.
//
// In a window of some thousand instructions all paths have the same chance to be counted, up to a length, if those count
// that begin in its first part, and the rest of the window serves to follow them to their ends:
//
//	m.Reset()
//	// the first part: m.Step(...)
//	m.Late = true
//	// the rest: m.Step(...)
package follow

import "github.com/pepgo/pep/format/register"

// none is the value of a register that has none. No path has this number.
const none = 1<<32 - 1

type frame struct {
	depth uint64
	fn    uint32
	regs  int // index of the first register
}

// A Machine follows one stack.
type Machine struct {
	Ended     []uint32 // the paths that have ended; the caller empties it
	Dropped   uint64   // paths for which Ended had no room
	Forgotten uint64   // how often frames were forgotten
	Late      bool     // paths that begin now do not count

	ops    []register.Op
	slots  []uint16
	frames []frame // with room for as many as there may be
	regs   []uint32
}

// New returns a machine for a program with the given operations, whose function f has slots[f] registers. There is room
// for so many frames and registers, and for as many ends of paths as registers.
func New(ops []register.Op, slots []uint16, frames, regs int) *Machine {
	return &Machine{
		Ended: make([]uint32, 0, regs), ops: ops, slots: slots,
		frames: make([]frame, 0, frames), regs: make([]uint32, 0, regs),
	}
}

// Reset forgets all frames, and Late.
func (m *Machine) Reset() { m.frames, m.regs, m.Late = m.frames[:0], m.regs[:0], false }

// Step executes the action whose first operation is ops[action], in function fn, whose frame has the given depth: the
// deeper, the more.
func (m *Machine) Step(depth uint64, fn, action uint32) {
	n := len(m.frames)
	for n > 0 && (m.frames[n-1].depth > depth || m.frames[n-1].depth == depth && m.frames[n-1].fn != fn) {
		n--
		m.regs = m.regs[:m.frames[n].regs]
	}
	m.frames = m.frames[:n]
	if n == 0 || m.frames[n-1].depth != depth {
		if !m.push(depth, fn) {
			return
		}
	}
	regs := m.regs[m.frames[len(m.frames)-1].regs:]
	for i := int(action); i < len(m.ops); i++ {
		op := m.ops[i]
		if int(op.Slot) >= len(regs) {
			return
		}
		r := &regs[op.Slot]
		switch {
		case op.Do == register.Set && m.Late:
			*r = none
		case op.Do == register.Set:
			*r = op.Arg
		case *r == none:
		case op.Do == register.Add:
			*r += op.Arg
		default:
			m.end(*r)
			*r = none
		}
		if op.Last {
			return
		}
	}
}

func (m *Machine) end(path uint32) {
	n := len(m.Ended)
	if n == cap(m.Ended) {
		m.Dropped++
		return
	}
	m.Ended = m.Ended[:n+1]
	m.Ended[n] = path
}

// push makes a frame whose registers have no value, and reports whether there is room for it at all.
func (m *Machine) push(depth uint64, fn uint32) bool {
	if int(fn) >= len(m.slots) {
		return false
	}
	need := int(m.slots[fn])
	if len(m.frames) == cap(m.frames) || len(m.regs)+need > cap(m.regs) {
		m.Forgotten++
		m.frames, m.regs = m.frames[:0], m.regs[:0]
		if cap(m.frames) == 0 || need > cap(m.regs) {
			return false
		}
	}
	first := len(m.regs)
	m.frames = m.frames[:len(m.frames)+1]
	m.frames[len(m.frames)-1] = frame{depth, fn, first}
	m.regs = m.regs[:first+need]
	for i := first; i < first+need; i++ {
		m.regs[i] = none
	}
	return true
}
