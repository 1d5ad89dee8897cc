// Package window joins the interpreter with what follows paths: it tells package interp which instructions have
// actions, and package follow which action an event of the interpreter is.
//
//	rows, err := window.New(funcs, list)            // of the program's table of actions
//	code.Actions = rows.Actions
//	machine.Act = func(m *interp.Machine, event uint64) {
//		if fn, action, ok := rows.Event(event); ok {
//			followed.Step(top-m.R[4], fn, action)   // top is the end of the stack
//		}
//	}
//
// Actions and Event allocate nothing and call nothing of the Go runtime, so a signal handler can use them. Actions
// looks for the function first, which mostly is that of the instruction before.
package window

import "github.com/pepgo/pep/runtime/interp"

// A Func is a function of the program.
type Func struct {
	Addr uint64
	Size uint32
	Rows uint32 // how many of the rows are its own; they follow those of the function before
}

// A Row says that an action happens when an instruction is executed in a way.
type Row struct {
	PC     uint32 // from the beginning of the function
	Way    Way
	Index  uint16 // of Jump: the entry of the table of jumps
	Action uint32
}

// A Way is how an instruction is executed.
type Way uint16

// Ways.
const (
	At       Way = iota // in any way
	Taken               // a branch that is taken
	NotTaken            // a branch that is not
	Jump                // a jump by a table, to one of its entries
)

// Rows are the rows of a program. Only one machine at a time may use them.
type Rows struct {
	funcs  []Func
	firsts []uint32 // the first row of each function
	rows   []Row
	last   int // the function of the last instruction
}

// An Error says why rows are refused.
type Error string

// Error returns the reason.
func (e Error) Error() string { return string(e) }

// Limits come from the form of events, and are far above what programs have.
const (
	maxFuncs = 1 << 21
	maxRows  = 1 << 26
)

// New keeps the functions of a program, in order of their addresses, and all rows, those of a function in order of
// PC, way and index.
func New(funcs []Func, rows []Row) (*Rows, error) {
	r := &Rows{funcs: funcs, rows: rows, firsts: make([]uint32, len(funcs))}
	if len(funcs) >= maxFuncs || len(rows) >= maxRows {
		return nil, Error("the table of actions is too large")
	}
	first, end := uint64(0), uint64(0)
	for i, f := range funcs {
		if f.Addr < end {
			return nil, Error("functions of the table of actions are not in order, or overlap")
		}
		end = f.Addr + uint64(f.Size)
		r.firsts[i] = uint32(first)
		if first += uint64(f.Rows); first > uint64(len(rows)) {
			return nil, Error("the table of actions has fewer rows than its functions")
		}
		own := rows[first-uint64(f.Rows) : first]
		for j, x := range own {
			if x.PC >= f.Size || x.Way > Jump || j > 0 && own[j-1].key() >= x.key() {
				return nil, Error("rows of the table of actions are not in order")
			}
		}
	}
	if first != uint64(len(rows)) {
		return nil, Error("the table of actions has more rows than its functions")
	}
	return r, nil
}

// Compare orders rows of a function by PC, way and index.
func Compare(a, b Row) int {
	switch {
	case a.key() < b.key():
		return -1
	case a.key() > b.key():
		return 1
	}
	return 0
}

// key is larger for later rows.
func (x *Row) key() uint64 { return key(x.PC, x.Way, uint64(x.Index)) }

func key(pc uint32, way Way, index uint64) uint64 { return uint64(pc)<<18 | uint64(way)<<16 | index }

// An event is isAction | the function << 32 | the action, or for jumps by a table isJump | the index of the jump's
// first row << 16, to which the interpreter adds the index in the table of jumps.
const (
	isAction = 1 << 61
	isJump   = 1 << 62
)

// Actions is what interp.Code.Actions wants. Here and below all indexes are compared, so that the compiler adds no
// comparison that ends in a panic.
func (r *Rows) Actions(pc uint64, a *interp.Actions) bool {
	fn, f := r.function(pc)
	if f == nil || fn < 0 || fn >= len(r.firsts) {
		return true
	}
	first := int(r.firsts[fn])
	end := first + int(f.Rows)
	at := uint32(pc - f.Addr)
	for i := r.search(first, end, key(at, At, 0)); i >= 0 && i < end && i < len(r.rows) && r.rows[i].PC == at; i++ {
		event := isAction | uint64(fn)<<32 | uint64(r.rows[i].Action)
		switch r.rows[i].Way {
		case At:
			a.At = event
		case Taken:
			a.Taken = event
		case NotTaken:
			a.NotTaken = event
		default:
			a.Index = isJump | uint64(i)<<16
			return true
		}
	}
	return true
}

// function returns the function at pc, or nil.
func (r *Rows) function(pc uint64) (int, *Func) {
	if n := r.last; n >= 0 && n < len(r.funcs) {
		if f := &r.funcs[n]; pc-f.Addr < uint64(f.Size) {
			return n, f
		}
	}
	lo, hi := 0, len(r.funcs)
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		if m < 0 || m >= len(r.funcs) {
			return 0, nil
		}
		if r.funcs[m].Addr <= pc {
			lo = m + 1
		} else {
			hi = m
		}
	}
	n := lo - 1
	if n < 0 || n >= len(r.funcs) {
		return 0, nil
	}
	f := &r.funcs[n]
	if pc-f.Addr >= uint64(f.Size) {
		return 0, nil
	}
	r.last = n
	return n, f
}

// search returns the first row from lo on, before hi, that has the key k or a larger one; or hi.
func (r *Rows) search(lo, hi int, k uint64) int {
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		if m < 0 || m >= len(r.rows) {
			return hi
		}
		if r.rows[m].key() < k {
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
	i := int(event &^ isJump >> 16)
	if i >= len(r.rows) {
		return 0, 0, false
	}
	lo, hi := 0, len(r.firsts)
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		if m < 0 || m >= len(r.firsts) {
			return 0, 0, false
		}
		if int(r.firsts[m]) <= i {
			lo = m + 1
		} else {
			hi = m
		}
	}
	end := len(r.rows)
	if lo >= 0 && lo < len(r.firsts) {
		end = int(r.firsts[lo])
	}
	k := key(r.rows[i].PC, Jump, event&0xffff)
	if i = r.search(i, end, k); i < 0 || i >= end || i >= len(r.rows) || r.rows[i].key() != k {
		return 0, 0, false
	}
	return uint32(lo - 1), r.rows[i].Action, true
}
