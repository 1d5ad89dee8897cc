package branches

// This file follows a program through the table of actions, and compares the paths with those that the same program
// counts in exact mode.

import (
	"errors"
	"fmt"

	"github.com/pepgo/pep/format/actions"
	"github.com/pepgo/pep/format/branches"
	"github.com/pepgo/pep/machine/executable"
	"github.com/pepgo/pep/runtime/follow"
)

// Actions joins a table for an executable. With calls it has actions for functions with one path, too.
func Actions(exe string, pkgs []branches.Package, calls bool) (*actions.Table, error) {
	program, err := executable.Linked(exe)
	if err != nil {
		return nil, err
	}
	return actions.Link(pkgs, program, calls)
}

// A PathCount has how often paths of the source were followed to their ends, by function and number.
type PathCount map[*actions.Source]map[uint64]int64

// Follow runs a program under valgrind, with the tool in a directory, and follows it through a table.
func Follow(exe string, t *actions.Table, tracer, dir string, args ...string) (PathCount, error) {
	machines := map[uint64]*follow.Machine{} // by goroutine
	paths := map[uint32]int64{}
	slots := t.Slots()
	_, err := Trace(exe, t, tracer, dir, func(s Step) error {
		m := machines[s.G]
		if m == nil {
			m = follow.New(t.Ops, slots, follow.NewMemory(1<<12, 1<<16))
			machines[s.G] = m
		}
		m.Step(s.Depth, s.Func, s.Action)
		for _, p := range m.Ended() {
			paths[p]++
		}
		if m.Dropped > 0 || m.Forgotten > 0 {
			return errors.New("a machine has too little memory")
		}
		return nil
	}, args...)
	if err != nil {
		return nil, err
	}
	counts := PathCount{}
	for p, n := range paths {
		s, number := t.Find(p)
		if number >= s.Paths() {
			return nil, fmt.Errorf("%s: there is no path %d", s.Name, number)
		}
		if counts[s] == nil {
			counts[s] = map[uint64]int64{}
		}
		counts[s][number] += n
	}
	return counts, nil
}

// A Step is an action of the table that a program comes by.
type Step struct {
	At           uint64 // how many instructions were executed, with this one
	G            uint64 // the goroutine
	Depth        uint64 // of the stack
	Func, Action uint32 // as the table numbers them
}

// Trace runs a program under valgrind, with the tool in a directory, and calls f for each action of the table, in the
// order of execution. It returns how many instructions the program has executed.
func Trace(exe string, t *actions.Table, tracer, dir string, f func(Step) error, args ...string) (uint64, error) {
	rows := map[uint64][]row{}
	var steps []Step // by row
	for i, fn := range t.Funcs {
		for _, r := range fn.Rows {
			pc := fn.Addr + uint64(r.PC)
			rows[pc] = append(rows[pc], row{r.Way, int(r.Index), len(steps)})
			steps = append(steps, Step{Func: uint32(i), Action: r.Action})
		}
	}
	return trace(exe, rows, tracer, dir, func(m *moment, n int) error {
		s := steps[n]
		s.At, s.G, s.Depth = m.at, m.g, m.depth
		return f(s)
	}, args...)
}
