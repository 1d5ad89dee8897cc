// Package follow keeps the path registers of a program that has none: it is told at which instructions the program
// comes by, as far as the table of actions has rows for them, and says which paths end.
//
//	m := follow.New(ops, slots, follow.NewMemory(256, 4096))
//	m.Step(depth, fn, action)      // for each row, in order
//	for _, p := range m.Ended() { count(p) }
//
// A function has a register for its own path and one for that of each inlined call. A frame of the stack is told
// apart by its depth, which is the same for all rows of a call: there is nothing to do for calls and returns. A
// machine follows one stack.
//
// Step allocates nothing, so a signal handler can use it. When the memory for frames or registers is full, the older
// ones are forgotten. A register has no value until a row sets it: of what began before, no path ends.
//
// In a window of some thousand instructions all paths have the same chance to be counted, up to a length, if those
// count that begin in its first part, and the rest of the window serves to follow them to their ends:
//
//	m.Reset()
//	// the first part: m.Step(...)
//	m.Late = true
//	// the rest: m.Step(...)
package follow

import "github.com/pepgo/pep/format/register"

// none is the value of a register that has none. No path has this number.
const none = 1<<32 - 1

// Forget is the action of code that is not that of the function, though it is in its place: the registers of the frame
// have no value any more.
const Forget = 1<<32 - 1

// A Frame is one of the stack.
type Frame struct {
	depth uint64
	fn    uint32
	regs  int // index of the first register
}

// A Machine follows one stack.
type Machine struct {
	Dropped   uint64 // paths that have ended, for which there was no space
	Forgotten uint64 // how often frames were forgotten
	Late      bool   // paths that begin now do not count

	ops    []register.Op
	slots  []uint16
	frames []Frame // the first depth of them are those of the stack
	depth  int
	regs   []uint32 // the first used of them belong to frames
	used   int
	ended  []uint32 // the first ends of them are paths
	ends   int
}

// Memory is what a machine keeps.
type Memory struct {
	Frames     []Frame
	Regs, Ends []uint32 // registers, and paths that have ended
}

// NewMemory returns memory for so many frames and registers, and for as many ends of paths as registers.
func NewMemory(frames, regs int) Memory {
	return Memory{make([]Frame, frames), make([]uint32, regs), make([]uint32, regs)}
}

// New returns a machine for a program with the given operations, whose function f has slots[f] registers.
func New(ops []register.Op, slots []uint16, memory Memory) *Machine {
	return &Machine{ops: ops, slots: slots, frames: memory.Frames, regs: memory.Regs, ended: memory.Ends}
}

// Reset forgets all frames, and Late.
func (m *Machine) Reset() { m.depth, m.used, m.Late = 0, 0, false }

// Ended returns the paths that have ended since it was called last.
func (m *Machine) Ended() []uint32 {
	n := m.ends
	m.ends = 0
	if n < 0 || n > len(m.ended) {
		return nil
	}
	return m.ended[:n]
}

// Step executes the action whose first operation is ops[action], in function fn, whose frame has the given depth: the
// deeper, the more. All indexes are compared here, so that the compiler adds no comparison that ends in a panic.
func (m *Machine) Step(depth uint64, fn, action uint32) {
	first, found := 0, false
	for i := m.depth - 1; i >= 0 && i < len(m.frames); i-- {
		f := &m.frames[i]
		if f.depth < depth {
			break
		}
		if f.depth == depth && f.fn == fn {
			first, found = f.regs, true
			break
		}
		m.depth, m.used = i, f.regs
	}
	if action == Forget {
		// Behind a push, the frame is that of the function, though it seems to be another one.
		if i := m.depth - 1; i >= 0 && i < len(m.frames) && m.frames[i].fn == fn {
			m.depth, m.used = i, m.frames[i].regs
		}
		return
	}
	if !found {
		if first, found = m.push(depth, fn); !found {
			return
		}
	}
	for i := int(action); i < len(m.ops); i++ {
		op := m.ops[i]
		n := first + int(op.Slot)
		if n < 0 || n >= m.used || n >= len(m.regs) {
			return
		}
		r := &m.regs[n]
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
	n := m.ends
	if n < 0 || n >= len(m.ended) {
		m.Dropped++
		return
	}
	m.ended[n] = path
	m.ends = n + 1
}

// push makes a frame whose registers have no value, and returns its first register. It reports whether there is space
// for it at all.
func (m *Machine) push(depth uint64, fn uint32) (first int, ok bool) {
	if int(fn) >= len(m.slots) {
		return 0, false
	}
	need := int(m.slots[fn])
	if m.depth >= len(m.frames) || m.used+need > len(m.regs) {
		m.Forgotten++
		m.depth, m.used = 0, 0
		if need > len(m.regs) {
			return 0, false
		}
	}
	i := m.depth
	if i < 0 || i >= len(m.frames) {
		return 0, false
	}
	first = m.used
	m.frames[i] = Frame{depth, fn, first}
	m.depth, m.used = i+1, first+need
	for r := first; r >= 0 && r < m.used && r < len(m.regs); r++ {
		m.regs[r] = none
	}
	return first, true
}
