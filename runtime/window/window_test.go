package window

import (
	"testing"

	"github.com/pepgo/pep/format/actions"
	"github.com/pepgo/pep/format/actiontable"
	"github.com/pepgo/pep/format/register"
	"github.com/pepgo/pep/machine/interp"
	"github.com/pepgo/pep/runtime/follow"
)

const text = 64

// program has two functions with actions. Action i sets register 0 to 10 + i; action 5 has two operations.
func program(t testing.TB) []byte {
	t.Helper()
	set := func(n uint32, last bool) register.Op { return register.Op{Do: register.Set, Last: last, Arg: 10 + n} }
	const (
		at, taken, notTaken, jump = actiontable.At, actiontable.Taken, actiontable.NotTaken, actiontable.Jump
	)
	row := func(pc uint32, way actiontable.Way, index uint16, action uint32) actiontable.Row {
		return actiontable.Row{PC: pc, Way: way, Index: index, Action: action}
	}
	table := &actions.Table{
		Ops: []register.Op{set(0, true), set(1, true), set(2, true), set(3, true), set(4, true), set(5, false),
			{Do: register.End, Last: true}, set(6, true), set(7, true),
			{Do: register.Set, Last: true, Slot: 1, Arg: 3}},
		Funcs: []actions.Placed{
			{Addr: text + 36, Firsts: []uint32{5}, Rows: []actiontable.Row{
				row(4, at, 0, 1), row(8, taken, 0, 2), row(8, notTaken, 0, 3),
				row(12, at, 0, 4), row(12, jump, 1, 5), row(12, jump, 3, 7)}},
			{Addr: text + 136, Firsts: []uint32{0, 2},
				Rows: []actiontable.Row{row(0, at, 0, 8), row(2, notTaken, 0, 2), row(9, jump, 0, 9)}},
		},
	}
	data, err := table.Append(nil, text)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A found action is in a function; arg is that of its first operation.
type found struct {
	fn  uint32
	arg uint32
	ok  bool
}

// at returns the address of an event's instruction, where there is an action.
func (r *Rows) at(e uint64) uint64 {
	if _, _, ok := r.Event(e); !ok {
		return 0
	}
	return r.PC(e)
}

func (r *Rows) find(e uint64) found {
	fn, action, ok := r.Event(e)
	if !ok {
		return found{}
	}
	return found{fn, r.Ops()[action].Arg, true}
}

func TestRows(t *testing.T) {
	r, err := New(program(t), text, make([]actiontable.Row, 9), make([]register.Op, 10))
	if err != nil {
		t.Fatal(err)
	}
	for _, clear := range []bool{false, false, true} {
		if clear {
			r.Clear()
		}
		testRows(t, r)
	}
	if n := r.Registers(); n[0] != 1 || n[1] != 2 {
		t.Errorf("registers %d, want 1, 2", n)
	}
	if action := r.funcs[0] >> 32; r.Ops()[r.rows[action+4].Action+1].Do != register.End ||
		!r.Ops()[r.rows[action+4].Action+1].Last {
		t.Errorf("the last operation is %+v", r.Ops()[6])
	}
	if _, _, ok := r.Event(0); ok {
		t.Error("0 is an event")
	}
	if _, _, ok := r.Event(isJump | 7<<40); ok {
		t.Error("a jump without a row has an action")
	}
	// Code that is not that of the function has no action but one to forget the function's frame.
	for _, pc := range []uint64{text + 40, text + 44, text + 48, text + 60} {
		a := interp.Actions{Changed: true}
		ok := r.Actions(pc, &a)
		fn, action, event := r.Event(a.At)
		if !ok || !event || fn != 0 || action != follow.Forget || a.Taken|a.NotTaken|a.Index != 0 {
			t.Errorf("changed code at %d: %v, function %d, action %d, %v, of %+v", pc-text, ok, fn, action, event, a)
		}
	}
	a := interp.Actions{Changed: true}
	if r.Actions(text, &a); a.At != 0 {
		t.Errorf("changed code outside of functions has event %#x", a.At)
	}
	a = interp.Actions{}
	if n := testing.AllocsPerRun(10, func() {
		r.Clear()
		r.Actions(text+48, &a)
		r.Event(a.Index + 3)
		r.Event(a.At)
		r.PC(a.At)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func testRows(t *testing.T, r *Rows) {
	t.Helper()
	for _, test := range []struct {
		pc                  uint64
		at, taken, notTaken found
		index               [5]found
	}{
		{pc: 0}, {pc: text - 1}, {pc: text}, {pc: text + 35}, {pc: text + 36}, {pc: text + 41}, {pc: text + 135},
		{pc: text + 40, at: found{0, 11, true}},
		{pc: text + 44, taken: found{0, 12, true}, notTaken: found{0, 13, true}},
		{pc: text + 136, at: found{1, 17, true}},
		{pc: text + 48, at: found{0, 14, true}, index: [5]found{1: {0, 15, true}, 3: {0, 16, true}}},
		{pc: text + 138, notTaken: found{1, 12, true}}, {pc: text + 145, index: [5]found{0: {1, 3, true}}},
		{pc: text + 200}, {pc: 1 << 40}, {pc: text + 1<<32 + 40}, {pc: text + 40, at: found{0, 11, true}},
	} {
		var a interp.Actions
		if !r.Actions(test.pc, &a) {
			t.Errorf("%d is refused", test.pc)
		}
		if r.find(a.At) != test.at || r.find(a.Taken) != test.taken || r.find(a.NotTaken) != test.notTaken {
			t.Errorf("%d: %v, %v, %v, want %v, %v, %v", test.pc, r.find(a.At), r.find(a.Taken), r.find(a.NotTaken),
				test.at, test.taken, test.notTaken)
		}
		for _, e := range []uint64{a.At, a.Taken, a.NotTaken, a.Index + 1} {
			if pc := r.at(e); pc != 0 && pc != test.pc {
				t.Errorf("%d: an event at %d", test.pc, pc)
			}
		}
		if (a.Index != 0) != (test.index != [5]found{}) {
			t.Errorf("%d: jumps have event %d", test.pc, a.Index)
		}
		for i, want := range test.index {
			if a.Index == 0 {
				break
			}
			if got := r.find(a.Index + uint64(i)); got != want {
				t.Errorf("%d, entry %d: %v, want %v", test.pc, i, got, want)
			}
		}
	}
}

// Without space code is refused until the memory is cleared.
func TestFull(t *testing.T) {
	r, err := New(program(t), text, make([]actiontable.Row, 6), make([]register.Op, 9))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		var a interp.Actions
		if !r.Actions(text+36, &a) || r.Full() {
			t.Error("the first function has no space")
		}
		if r.Actions(text+136, &a) || !r.Full() {
			t.Error("the second function has space")
		}
		if !r.Actions(text+40, &a) || r.find(a.At) != (found{0, 11, true}) {
			t.Error("the first function is lost")
		}
		r.Clear()
		if !r.Actions(text+138, &a) || r.Full() || r.find(a.NotTaken) != (found{1, 12, true}) {
			t.Error("the second function has no space")
		}
		r.Clear()
	}
}

// If a fault has ended a thread's decoding, others decode when the thread says so, and not before.
func TestLeftWhileDecoding(t *testing.T) {
	r, err := New(program(t), text, make([]actiontable.Row, 9), make([]register.Op, 10))
	if err != nil {
		t.Fatal(err)
	}
	var left, other interp.Actions
	r.decoding = addressOf(&left)
	r.Leave(&other)
	if r.Actions(text+36, &other) {
		t.Error("two threads decode at once")
	}
	r.Leave(&left)
	if !r.Actions(text+36, &other) {
		t.Error("nobody decodes any more")
	}
}

func TestRefused(t *testing.T) {
	data := program(t)
	for _, test := range []struct {
		name      string
		data      []byte
		rows, ops int
	}{
		{"no table", nil, 100, 100},
		{"part of a table", data[:len(data)-1], 100, 100},
		{"no space for rows", data, 5, 100},
		{"no space for operations", data, 100, 6},
	} {
		if _, err := New(test.data, text, make([]actiontable.Row, test.rows), make([]register.Op, test.ops)); err == nil {
			t.Errorf("%s: no error", test.name)
		}
	}
}

// seek finds the same row as search, wherever it begins.
func TestSeek(t *testing.T) {
	var rows []actiontable.Row
	for pc := uint32(3); pc < 60; pc += 1 + pc%5 {
		for way := range actiontable.Way(pc % 3) {
			rows = append(rows, actiontable.Row{PC: pc, Way: way})
		}
	}
	for from := -1; from <= len(rows)+1; from++ {
		for pc := range uint32(64) {
			k := actiontable.Key(pc, actiontable.At, 0)
			if got, want := seek(rows, from, k), search(rows, k); got != want {
				t.Fatalf("PC %d from %d of %d rows: row %d, want %d", pc, from, len(rows), got, want)
			}
		}
	}
}
