package actiontable_test

import (
	"fmt"
	"testing"

	"github.com/pepgo/pep/format/actions"
	"github.com/pepgo/pep/format/actiontable"
	"github.com/pepgo/pep/format/register"
)

// Each function is found at its address, and up to the next one; its rows are its own. A number that no function has is
// refused.
func TestFunctions(t *testing.T) {
	const text = 1 << 20
	ops := []register.Op{{Do: register.Set, Arg: 7}, {Do: register.Add, Arg: 3, Last: true},
		{Do: register.End, Last: true}}
	data, err := (&actions.Table{Ops: ops, Funcs: []actions.Placed{
		{Addr: text + 64, Firsts: []uint32{0}, Rows: []actiontable.Row{{PC: 3}, {PC: 5, Way: actiontable.Taken, Action: 2}}},
		{Addr: text + 160, Firsts: []uint32{0},
			Rows: []actiontable.Row{{PC: 90, Way: actiontable.Jump, Index: 2, Action: 2}}},
	}}).Append(nil, text)
	if err != nil {
		t.Fatal(err)
	}
	table, err := actiontable.Check(data)
	if err != nil {
		t.Fatal(err)
	}
	for addr, want := range map[uint32]int{0: -1, 63: -1, 64: 0, 159: 0, 160: 1, 1 << 30: 1} {
		if got := table.Find(addr); got != want {
			t.Errorf("at %d: function %d, want %d", addr, got, want)
		}
	}
	rows, ops := make([]actiontable.Row, table.Most.Rows), make([]register.Op, table.Most.Ops)
	for fn, want := range map[int]string{-1: "0 false", 0: "64 true [{3 0 0 0} {5 1 0 2}]", 1: "160 true [{90 3 2 0}]",
		2: "0 false"} {
		n, ok := table.Decode(fn, rows, ops)
		got := fmt.Sprint(table.Addr(fn), ok)
		if ok {
			got += fmt.Sprint(" ", rows[:n.Rows])
		}
		if got != want {
			t.Errorf("function %d: %s, want %s", fn, got, want)
		}
	}
}
