// Package window joins the interpreter with what follows paths: it tells package interp which instructions have
// actions, and package follow which action an event of the interpreter is.
//
//	rows, err := window.New(data, text, 1<<16, 1<<17)   // the program's table of actions; memory for rows and operations
//	code.Actions = rows.Actions
//	followed := follow.New(rows.Ops(), rows.Registers(), 256, 4096)
//	machine.Act = func(m *interp.Machine, event uint64) {
//		if fn, action, ok := rows.Event(event); ok {
//			followed.Step(top-m.R[4], fn, action)   // top is the end of the stack
//		}
//	}
//
// The rows of a function are decoded when the interpreter first decodes some of its code. They stay in memory of a fixed
// size. When that is full, Actions refuses code, and windows end with interp.Refused:
//
//	if rows.Full() {        // between two windows
//		code.Clear()
//		rows.Clear()
//	}
//
// Actions, Event, Full and Clear allocate nothing and call nothing of the Go runtime, so a signal handler can use them.
// Actions looks for the function first, which mostly is that of the instruction before.
package window

import (
	"github.com/pepgo/pep/format/actiontable"
	"github.com/pepgo/pep/format/register"
	"github.com/pepgo/pep/runtime/interp"
)

// Rows are the rows of a program. Any number of machines may use them at once.
type Rows struct {
	funcs  []Func
	firsts []uint32 // the first row of each function
	rows   []Row
}

// decoded says where the rows of a function are. It has none if there are 0.
type decoded struct{ first, n uint32 }

// An Error says why a table is refused.
type Error string

// Error returns the reason.
func (e Error) Error() string { return string(e) }

// Limits come from the form of events, and are far above what programs have.
const (
	maxFuncs = 1 << 21
	maxRows  = 1 << 24 // of a function
)

// New returns the rows of the program whose table of actions is data, and whose text section begins at an address. It
// makes memory for so many rows and operations, of 12 and 8 bytes.
func New(data []byte, text uint64, rows, ops int) (*Rows, error) {
	t, err := actiontable.Open(data)
	if err != nil {
		return nil, err
	}
	if t.Len() >= maxFuncs || t.Most.Rows >= maxRows {
		return nil, Error("the table of actions is too large")
	}
	if rows < t.Most.Rows || ops < t.Most.Ops {
		return nil, Error("there is too little memory for the largest function of the table of actions")
	}
	return &Rows{table: t, text: text, funcs: make([]decoded, t.Len()), registers: make([]uint16, t.Len()),
		rows: make([]actiontable.Row, rows), ops: make([]register.Op, ops), last: -1}, nil
}

// Ops is the memory of operations. An action is an index into it.
func (r *Rows) Ops() []register.Op { return r.ops }

// Registers is the memory of the numbers of registers, by function.
func (r *Rows) Registers() []uint16 { return r.registers }

// Full reports whether there was no room for a function since New or Clear.
func (r *Rows) Full() bool { return r.full }

// Clear frees the memory. What the interpreter has decoded must be cleared, too: its events are void.
func (r *Rows) Clear() {
	for i := range r.funcs {
		r.funcs[i] = decoded{}
	}
	r.used, r.usedOps, r.full, r.last, r.lo, r.hi = 0, 0, false, -1, 0, 0
}

// An event is isAction | the function << 32 | the action, or for jumps by a table isJump | the function << 40 | which
// of its rows is the first one of the jump << 16, to which the interpreter adds the index in the table of jumps.
const (
	isAction = 1 << 61
	isJump   = 1 << 62
)

// Actions is what interp.Code.Actions wants. Here and below all indexes are compared, so that the compiler adds no
// comparison that ends in a panic. The note is the function of the instruction before.
func (r *Rows) Actions(pc uint64, a *interp.Actions) bool {
	fn, f := r.function(pc, a.Note)
	if f == nil || fn < 0 || fn >= len(r.firsts) {
		return true
	}
	first := int(r.firsts[fn])
	end := first + int(f.Rows)
	a.Note = fn
	at := uint32(pc - f.Addr)
	for i := r.search(first, end, key(at, At, 0)); i >= 0 && i < end && i < len(r.rows) && r.rows[i].PC == at; i++ {
		event := isAction | uint64(fn)<<32 | uint64(r.rows[i].Action)
		switch r.rows[i].Way {
		case At:
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

// function returns the function at pc, or nil. It looks at the function near first.
func (r *Rows) function(pc uint64, near int) (int, *Func) {
	if n := near; n >= 0 && n < len(r.funcs) {
		if f := &r.funcs[n]; pc-f.Addr < uint64(f.Size) {
			return n, f
		}
	}
	fn := r.table.Find(uint32(at))
	if fn < 0 || fn >= len(r.funcs) {
		return true
	}
	if r.funcs[fn].n == 0 && !r.decode(fn) {
		return false
	}
	r.last, r.lo, r.hi = fn, r.text+uint64(r.table.Addr(fn)), r.text+1<<32
	if fn+1 < len(r.funcs) {
		r.hi = r.text + uint64(r.table.Addr(fn+1))
	}
	return n, f
}

func (r *Rows) decode(fn int) bool {
	rows, used, ops, usedOps := r.rows, r.used, r.ops, r.usedOps
	if used < 0 || used > len(rows) || usedOps < 0 || usedOps > len(ops) {
		return false
	}
	rows = rows[used:]
	n, ok := r.table.Decode(fn, rows, ops[usedOps:])
	if !ok {
		r.full = true
		return false
	}
	for i := 0; i < n.Rows && i < len(rows); i++ {
		rows[i].Action += uint32(usedOps)
	}
	if funcs, registers := r.funcs, r.registers; fn >= 0 && fn < len(funcs) && fn < len(registers) {
		registers[fn], funcs[fn] = uint16(n.Registers), decoded{uint32(used), uint32(n.Rows)}
	}
	r.used, r.usedOps = used+n.Rows, usedOps+n.Ops
	return true
}

// own returns the rows of a function that is decoded.
func (r *Rows) own(fn int) []actiontable.Row {
	if fn < 0 || fn >= len(r.funcs) {
		return nil
	}
	first, n := int(r.funcs[fn].first), int(r.funcs[fn].n)
	if first < 0 || first > len(r.rows) {
		return nil
	}
	rows := r.rows[first:]
	if n < 0 || n > len(rows) {
		return nil
	}
	return rows[:n]
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

// Event returns the action of an event, and the function that it happens in. An entry of a table of jumps may have
// none.
func (r *Rows) Event(event uint64) (fn, action uint32, ok bool) {
	if event&isJump == 0 {
		return uint32(event >> 32 & (maxFuncs - 1)), uint32(event), event&isAction != 0
	}
	fn = uint32(event >> 40 & (maxFuncs - 1))
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
