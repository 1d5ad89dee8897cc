// Package window joins the interpreter with what follows paths: it tells package interp which instructions have
// actions, and package follow which action an event of the interpreter is.
//
//	rows, err := window.New(data, text, memory, opsMemory)   // the program's table of actions; memory for rows and operations
//	code.Actions = rows.Actions
//	followed := follow.New(rows.Ops(), rows.Registers(), follow.NewMemory(256, 4096))
//	machine.Act = func(m *interp.Machine, event uint64) {
//		if fn, action, ok := rows.Event(event); ok {
//			followed.Step(top-m.R[4], fn, action)   // top is the end of the stack
//		}                                               // rows.PC(event) is the instruction
//	}
//
// The rows of a function are decoded when the interpreter first decodes some of its code. They stay in memory of a
// fixed size. When that is full, Actions refuses code until the interpreter has emptied its cache, too:
//
//	code.OnEmpty = rows.Clear
//	if rows.Full() {        // behind a window
//		code.Fill()
//	}
//
// Actions, Leave, Event, PC, Full and Clear allocate nothing and call nothing of the Go runtime, so a signal handler
// can use them. Any number of threads may call them at once, but Clear only while no window is being taken. Actions
// looks for the function first, which mostly is that of the instruction before.
package window

import (
	"unsafe"

	"github.com/pepgo/pep/format/actiontable"
	"github.com/pepgo/pep/format/register"
	"github.com/pepgo/pep/machine/interp"
	"github.com/pepgo/pep/runtime/follow"
	"github.com/pepgo/pep/runtime/golink"
)

// Rows are the rows of a program.
type Rows struct {
	table *actiontable.Table
	text  uint64
	// by number of the function: where its rows are, once it is decoded: the first << 32 | how many
	funcs     []uint64
	registers []uint16          // likewise: how many a function has
	rows      []actiontable.Row // used of them
	ops       []register.Op     // usedOps of them

	decoding uint64 // address of the Actions for which a thread decodes a function, or 0
	full     uint32
	used     int
	usedOps  int
}

// An Error says why a table is refused.
type Error string

// Error returns the reason.
func (e Error) Error() string { return string(e) }

// Limits come from the form of events, and are far above what programs have.
const (
	maxFuncs = 1 << 21
	maxRows  = 1 << 24 // of a function
	maxKept  = 1 << 20 // rows and operations that are decoded at the same time
	noteBits = 32
)

// New returns the rows of the program whose table of actions is data, and whose text section begins at an address. It
// keeps them in the memory for rows and operations that it gets.
func New(data []byte, text uint64, rows []actiontable.Row, ops []register.Op) (*Rows, error) {
	t, err := actiontable.Open(data)
	if err != nil {
		return nil, err
	}
	if t.Len() >= maxFuncs || t.Most.Rows >= maxRows {
		return nil, Error("the table of actions is too large")
	}
	if min(len(rows), maxKept) < t.Most.Rows || min(len(ops), maxKept) < t.Most.Ops {
		return nil, Error("there is too little memory for the largest function of the table of actions")
	}
	return &Rows{table: t, text: text, funcs: make([]uint64, t.Len()), registers: make([]uint16, t.Len()),
		rows: rows[:min(len(rows), maxKept)], ops: ops[:min(len(ops), maxKept)]}, nil
}

// Ops is the memory of operations. An action is an index into it.
func (r *Rows) Ops() []register.Op { return r.ops }

// Registers is the memory of the numbers of registers, by function.
func (r *Rows) Registers() []uint16 { return r.registers }

// Full reports whether there was no space for a function since New or Clear.
func (r *Rows) Full() bool { return golink.Load32(&r.full) != 0 }

// Clear frees the memory. What the interpreter has decoded must be cleared, too: its events are void.
func (r *Rows) Clear() {
	funcs := r.funcs
	for i := range funcs {
		golink.Store64(&funcs[i], 0) // the compiler would call package runtime to clear a slice
	}
	r.used, r.usedOps = 0, 0
	golink.Store32(&r.full, 0)
}

// An event is isAction | the function << 40 | the action << 20 | the row, so that nothing cold is read when it happens.
// For jumps by a table it is isJump | the function << 40 | which of its rows is the first one of the jump << 16, to
// which the interpreter adds the index in the table of jumps. For code that is not that of the function it is isChanged
// | the function << 40.
const (
	isAction  = 1 << 61
	isJump    = 1 << 62
	isChanged = isAction | isJump
)

// Actions is what interp.Code.Actions wants. Here and below all indexes are compared, so that the compiler adds no
// comparison that ends in a panic. The note is 1 + the function of the instruction before, and the index of the first
// row behind that instruction << noteBits.
func (r *Rows) Actions(pc uint64, a *interp.Actions) bool {
	fn, from := a.Note&(1<<noteBits-1)-1, a.Note>>noteBits
	if fn < 0 || pc-r.addr(fn) >= r.addr(fn+1)-r.addr(fn) {
		at := pc - r.text
		if at > 1<<32-1 {
			return true
		}
		if fn = r.table.Find(uint32(at)); fn < 0 {
			a.Note = 0
			return true
		}
		from = 0
	}
	funcs := r.funcs
	if fn < 0 || fn >= len(funcs) {
		return true
	}
	if golink.Load64(&funcs[fn]) == 0 && !r.decode(fn, a) {
		return false
	}
	if a.Changed {
		a.At = isChanged | uint64(fn)<<40
		return true
	}
	own := r.own(fn)
	at, first := uint32(pc-r.addr(fn)), golink.Load64(&funcs[fn])>>32
	i := seek(own, from, actiontable.Key(at, actiontable.At, 0))
	a.Note = i<<noteBits | (fn + 1)
	for ; i >= 0 && i < len(own) && own[i].PC == at; i++ {
		event := isAction | uint64(fn)<<40 | uint64(own[i].Action)<<20 | (first + uint64(i))
		switch own[i].Way {
		case actiontable.At:
			a.At = event
		case actiontable.Taken:
			a.Taken = event
		case actiontable.NotTaken:
			a.NotTaken = event
		default:
			a.Index = isJump | uint64(fn)<<40 | uint64(i)<<16
			return true
		}
	}
	return true
}

// addr returns where a function begins. The last function counts as 4 GB long.
func (r *Rows) addr(fn int) uint64 {
	if fn >= len(r.funcs) {
		return r.text + 1<<32
	}
	return r.text + uint64(r.table.Addr(fn))
}

// decode decodes the rows of a function. It reports false if there is no space for it, or another thread is decoding.
func (r *Rows) decode(fn int, a *interp.Actions) bool {
	if !golink.Cas64(&r.decoding, 0, addressOf(a)) {
		return false
	}
	ok := r.decodeAlone(fn)
	golink.Store64(&r.decoding, 0)
	return ok
}

// Leave says that a handler of faults has left Actions, if it has, which was called with a: the program's file, which
// has the table, could not be read.
func (r *Rows) Leave(a *interp.Actions) { golink.Cas64(&r.decoding, addressOf(a), 0) }

func addressOf(a *interp.Actions) uint64 { return uint64(uintptr(unsafe.Pointer(a))) }

func (r *Rows) decodeAlone(fn int) bool {
	rows, used, ops, usedOps := r.rows, r.used, r.ops, r.usedOps
	funcs, registers := r.funcs, r.registers
	if fn < 0 || fn >= len(funcs) || fn >= len(registers) || used < 0 || used > len(rows) || usedOps < 0 ||
		usedOps > len(ops) {
		return false
	}
	if golink.Load64(&funcs[fn]) != 0 {
		return true
	}
	rows = rows[used:]
	n, ok := r.table.Decode(fn, rows, ops[usedOps:])
	if !ok {
		golink.Store32(&r.full, 1)
		return false
	}
	for i := 0; i < n.Rows && i < len(rows); i++ {
		rows[i].Action += uint32(usedOps)
	}
	registers[fn] = uint16(n.Registers)
	r.used, r.usedOps = used+n.Rows, usedOps+n.Ops
	golink.Store64(&funcs[fn], uint64(used)<<32|uint64(n.Rows))
	return true
}

// own returns the rows of a function that is decoded.
func (r *Rows) own(fn int) []actiontable.Row {
	if fn < 0 || fn >= len(r.funcs) {
		return nil
	}
	x := golink.Load64(&r.funcs[fn])
	first, n := int(x>>32), int(uint32(x))
	if first < 0 || first > len(r.rows) {
		return nil
	}
	rows := r.rows[first:]
	if n < 0 || n > len(rows) {
		return nil
	}
	return rows[:n]
}

// seek is search for a row that is likely to be near index from.
func seek(rows []actiontable.Row, from int, k uint64) int {
	const near = 4
	if from < 0 || from > len(rows) {
		return search(rows, k)
	}
	if before := from - 1; before >= 0 && before < len(rows) && rows[before].Key() >= k {
		return search(rows, k)
	}
	for i := from; i < from+near; i++ {
		if i < 0 || i >= len(rows) || rows[i].Key() >= k {
			return i
		}
	}
	return search(rows, k)
}

// search returns the first row that has the key k or a larger one, or len(rows).
func search(rows []actiontable.Row, k uint64) int {
	lo, hi := 0, len(rows)
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		if m < 0 || m >= len(rows) {
			return hi
		}
		if rows[m].Key() < k {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// Event returns the action of an event and the function that it happens in. An entry of a table of jumps may have none.
// The action is [follow.Forget] where the code is not that of the function.
func (r *Rows) Event(event uint64) (fn, action uint32, ok bool) {
	fn = uint32(event >> 40 & (maxFuncs - 1))
	if event&isJump == 0 {
		return fn, uint32(event >> 20 & (maxKept - 1)), event&isAction != 0
	}
	if event&isChanged == isChanged {
		return fn, follow.Forget, true
	}
	own := r.own(int(fn))
	i := int(event >> 16 & (maxRows - 1))
	if i >= len(own) {
		return 0, 0, false
	}
	k := actiontable.Key(own[i].PC, actiontable.Jump, uint16(event))
	rest := own[i:]
	if i = search(rest, k); i < 0 || i >= len(rest) || rest[i].Key() != k {
		return 0, 0, false
	}
	return fn, rest[i].Action, true
}

// PC returns the instruction of an event that has an action.
func (r *Rows) PC(event uint64) uint64 {
	fn := int(event >> 40 & (maxFuncs - 1))
	i, rows := int(event&(maxKept-1)), r.rows
	if event&isJump != 0 {
		i, rows = int(event>>16&(maxRows-1)), r.own(fn)
	}
	if i < 0 || i >= len(rows) {
		return 0
	}
	return r.addr(fn) + uint64(rows[i].PC)
}
