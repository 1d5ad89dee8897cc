package follow

import (
	"slices"
	"testing"

	"github.com/pepgo/pep/format/register"
)

// A program with a recursive function of two paths, which calls an inlined one of two paths in a loop:
//
//	func f(n int) {          entry: 0
//		for i := range n {   true: end, start with 1; false: end, start with 1, add 1
//			g(i)             inlined: 10; its condition adds 1; left: end
//		}
//	}                        return: end
const (
	set = register.Set
	add = register.Add
	end = register.End
)

var ops = []register.Op{
	op(set, true, 0, 0),                       // 0 entry
	op(end, false, 0, 0), op(set, true, 0, 1), // 1 true
	op(end, false, 0, 0), op(set, false, 0, 1), // 3 false
	op(add, true, 0, 1),
	op(set, true, 1, 10), // 6 inlined
	op(add, true, 1, 1),  // 7 its condition
	op(end, true, 1, 0),  // 8 left
	op(end, true, 0, 0),  // 9 return
	op(set, true, 0, 20), // 10 entry of another function
	op(end, true, 0, 0),  // 11 return
}

func op(do register.Do, last bool, slot uint16, arg uint32) register.Op {
	return register.Op{Do: do, Last: last, Slot: slot, Arg: arg}
}

var slots = []uint16{2, 1}

func steps(m *Machine, list [][3]uint64) []uint32 {
	for _, s := range list {
		m.Step(s[0], uint32(s[1]), uint32(s[2]))
	}
	return m.Ended()
}

func TestStep(t *testing.T) {
	for _, test := range []struct {
		name  string
		steps [][3]uint64 // depth, function, action
		want  []uint32
	}{
		{"a call", [][3]uint64{{8, 0, 0}, {8, 0, 1}, {8, 0, 6}, {8, 0, 7}, {8, 0, 8}, {8, 0, 3}, {8, 0, 9}},
			[]uint32{0, 11, 1, 2}},
		{"recursion", [][3]uint64{{8, 0, 0}, {8, 0, 1}, {16, 0, 0}, {16, 0, 3}, {16, 0, 9}, {8, 0, 3}, {8, 0, 9}},
			[]uint32{0, 0, 2, 1, 2}},
		{"one frame after the other", [][3]uint64{{8, 0, 0}, {16, 1, 10}, {16, 1, 11}, {16, 0, 0}, {16, 0, 3}, {16, 0, 9},
			{8, 0, 3}}, []uint32{20, 0, 2, 0}},
		{"a path ends once", [][3]uint64{{8, 0, 0}, {8, 0, 9}, {8, 0, 9}}, []uint32{0}},
		{"a panic leaves frames", [][3]uint64{{8, 0, 0}, {16, 1, 10}, {24, 0, 0}, {8, 0, 3}, {8, 0, 9}}, []uint32{0, 2}},
		{"a frame of another function at the same depth", [][3]uint64{{8, 0, 0}, {8, 1, 11}}, nil},
		{"code that has changed", [][3]uint64{{8, 0, 0}, {8, 0, 1}, {8, 0, Forget}, {8, 0, 3}, {8, 0, 1}, {8, 0, 9}},
			[]uint32{0, 2, 1}},
		{"code that has changed, behind a push", [][3]uint64{{8, 0, 0}, {16, 0, Forget}, {8, 0, 9}}, nil},
		{"a function that begins with changed code, called by another one",
			[][3]uint64{{8, 0, 0}, {12, 1, Forget}, {16, 1, 11}, {8, 0, 9}}, []uint32{0}},
		{"what began before", [][3]uint64{{8, 0, 7}, {8, 0, 8}, {8, 0, 9}, {8, 0, 1}, {8, 0, 3}}, []uint32{1}},
	} {
		m := New(ops, slots, NewMemory(8, 16))
		if got := steps(m, test.steps); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// Without space the oldest frames are forgotten, and nothing is wrong.
func TestSpace(t *testing.T) {
	m := New(ops, slots, NewMemory(2, 3))
	got := steps(m, [][3]uint64{{8, 1, 10}, {16, 0, 0}, {24, 1, 10}, {24, 1, 11}, {16, 0, 9}, {8, 1, 11}, {8, 1, 10},
		{8, 1, 11}})
	if want := []uint32{20, 20}; !slices.Equal(got, want) || m.Forgotten != 1 {
		t.Errorf("%v, forgotten %d, want %v, 1", got, m.Forgotten, want)
	}
	for range 5 {
		m.Step(8, 1, 10)
		m.Step(8, 1, 11)
	}
	if ended := m.Ended(); len(ended) != 3 || m.Dropped != 2 {
		t.Errorf("%d ends, %d dropped, want 3, 2", len(ended), m.Dropped)
	}
	m = New(ops, slots, NewMemory(1, 1))
	if ended := steps(m, [][3]uint64{{8, 0, 0}, {8, 7, 0}, {8, 0, 9}}); len(ended) > 0 {
		t.Errorf("ends %v", ended)
	}
}

// Late, no path begins, and those that have begun end. After Reset nothing is left of it.
func TestLate(t *testing.T) {
	m := New(ops, slots, NewMemory(8, 16))
	steps(m, [][3]uint64{{8, 0, 0}, {16, 1, 10}})
	m.Late = true
	got := steps(m, [][3]uint64{{16, 1, 11}, {8, 0, 1}, {8, 0, 6}, {8, 0, 8}, {8, 0, 3}, {8, 0, 9}})
	if want := []uint32{20, 0}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	m = New(ops, slots, NewMemory(8, 16))
	steps(m, [][3]uint64{{8, 0, 0}})
	m.Late = true
	m.Reset()
	if got := steps(m, [][3]uint64{{8, 0, 1}, {8, 0, 3}}); !slices.Equal(got, []uint32{1}) {
		t.Errorf("after Reset %v, want only what began after it", got)
	}
}

func TestAllocs(t *testing.T) {
	m := New(ops, slots, NewMemory(8, 16))
	if n := testing.AllocsPerRun(100, func() {
		m.Ended()
		m.Step(8, 0, 0)
		m.Step(16, 1, 10)
		m.Step(16, 1, 11)
		m.Step(8, 0, 9)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
