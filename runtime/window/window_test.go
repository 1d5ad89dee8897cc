package window

import (
	"testing"

	"github.com/pepgo/pep/runtime/interp"
)

var (
	funcs = []Func{{100, 50, 6}, {150, 10, 0}, {200, 20, 3}}
	rows  = []Row{
		{4, At, 0, 1}, {8, Taken, 0, 2}, {8, NotTaken, 0, 3}, {12, At, 0, 4}, {12, Jump, 1, 5}, {12, Jump, 3, 6},
		{0, At, 0, 7}, {2, NotTaken, 0, 8}, {9, Jump, 0, 9},
	}
)

func TestRows(t *testing.T) {
	r, err := New(funcs, rows)
	if err != nil {
		t.Fatal(err)
	}
	type found struct {
		fn, action uint32
		ok         bool
	}
	none := found{}
	for _, test := range []struct {
		pc                  uint64
		at, taken, notTaken found
		index               [5]found
	}{
		{pc: 99}, {pc: 100}, {pc: 104, at: found{0, 1, true}}, {pc: 105}, {pc: 149}, {pc: 150}, {pc: 154}, {pc: 160},
		{pc: 108, taken: found{0, 2, true}, notTaken: found{0, 3, true}},
		{pc: 112, at: found{0, 4, true}, index: [5]found{1: {0, 5, true}, 3: {0, 6, true}}},
		{pc: 200, at: found{2, 7, true}}, {pc: 202, notTaken: found{2, 8, true}}, {pc: 209, index: [5]found{0: {2, 9, true}}},
		{pc: 220}, {pc: 1 << 40}, {pc: 104, at: found{0, 1, true}},
	} {
		var a interp.Actions
		if !r.Actions(test.pc, &a) {
			t.Errorf("%d is refused", test.pc)
		}
		event := func(e uint64) found {
			if e == 0 {
				return none
			}
			fn, action, ok := r.Event(e)
			return found{fn, action, ok}
		}
		if event(a.At) != test.at || event(a.Taken) != test.taken || event(a.NotTaken) != test.notTaken {
			t.Errorf("%d: %v, %v, %v, want %v, %v, %v", test.pc, event(a.At), event(a.Taken), event(a.NotTaken),
				test.at, test.taken, test.notTaken)
		}
		if (a.Index != 0) != (test.index != [5]found{}) {
			t.Errorf("%d: jumps have event %d", test.pc, a.Index)
		}
		for i, want := range test.index {
			if a.Index == 0 {
				break
			}
			if fn, action, ok := r.Event(a.Index + uint64(i)); (found{fn, action, ok}) != want {
				t.Errorf("%d, entry %d: %d, %d, %v, want %v", test.pc, i, fn, action, ok, want)
			}
		}
	}
	if _, _, ok := r.Event(0); ok {
		t.Error("0 is an event")
	}
	if _, _, ok := r.Event(isJump | 1<<60); ok {
		t.Error("a jump without a row has an action")
	}
	var a interp.Actions
	if n := testing.AllocsPerRun(10, func() { r.Actions(112, &a); r.Event(a.Index + 3); r.Event(a.At) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestRefused(t *testing.T) {
	for _, test := range []struct {
		name  string
		funcs []Func
		rows  []Row
	}{
		{"functions overlap", []Func{{100, 50, 0}, {149, 10, 0}}, nil},
		{"not in order", []Func{{200, 50, 0}, {100, 50, 0}}, nil},
		{"too few rows", []Func{{100, 50, 2}}, rows[:1]},
		{"too many rows", []Func{{100, 50, 1}}, rows[:2]},
		{"twice the same", []Func{{100, 50, 2}}, []Row{{4, At, 0, 1}, {4, At, 0, 2}}},
		{"rows not in order", []Func{{100, 50, 2}}, []Row{{4, Taken, 0, 1}, {4, At, 0, 2}}},
		{"a row behind the function", []Func{{100, 50, 1}}, []Row{{50, At, 0, 1}}},
		{"no such way", []Func{{100, 50, 1}}, []Row{{4, 4, 0, 1}}},
	} {
		if _, err := New(test.funcs, test.rows); err == nil {
			t.Errorf("%s: no error", test.name)
		}
	}
}
