package host

// This file holds the software for the program callstack, whose nodes are calling contexts
// and the events in them.

import (
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/cop/machine"
)

// Stack is the host of calling contexts.
var Stack = &Host{Name: "stack", Check: checkStack, Read: readStack, Exact: exactStack}

const (
	stackNodes = 64 // node 0 is the root
	stackKept  = 32 // contexts that stay when the table is full, at most
)

func checkStack(m *machine.Machine) error {
	if err := checkColumns(m, "stack", 3, machine.SelectPC); err != nil {
		return err
	}
	if m.IndexWidth(0) != 6 || m.IndexWidth(1) != 6 {
		return machine.Error("I0 of " + digits.Uint(uint64(m.IndexWidth(0))) + " bits and I1 of " +
			digits.Uint(uint64(m.IndexWidth(1))) + ": the host stack wants 6 and 6")
	}
	return nil
}

// readStack sends the counts of all nodes. The context of a node is that of its parent and
// the function that was entered there. A parent has a lower number than its nodes.
func readStack(w *Window, ended bool, out *hwsim.Out) {
	var pcs [stackNodes]uint64
	var parents [stackNodes]uint8
	var contexts [stackNodes]uint64
	for i := 1; i < w.next(0, ended); i++ {
		t := tuple.Tuple{PC: w.word(0, i)}
		x := w.word(1, i)
		parent := x & (stackNodes - 1)
		pcs[i], parents[i] = t.PC, uint8(parent)
		tag := tuple.Within
		if t.Tag() == tuple.Enter {
			contexts[i] = tuple.InContext(contexts[parent], t.Site())
			tag = tuple.Context
		}
		w.count(tuple.New(tag, t.Site(), 0).PC, contexts[parent], x>>32, out)
	}
	if !ended {
		rebuildStack(w, &pcs, &parents)
	}
}

// rebuildStack makes a tree of the function that runs and its callers, without counts. If
// there are more than stackKept, those further out are left out. The root is then the
// caller of the outermost one that stays.
func rebuildStack(w *Window, pcs *[stackNodes]uint64, parents *[stackNodes]uint8) {
	var path [stackKept]int // from the function that runs outwards
	n := 0
	for i := int(w.Load(machine.IndexWindow + 1)); i != 0 && n < stackKept; i = int(parents[i]) {
		path[n] = i
		n++
	}
	var hashes [stackKept]uint64
	for i, node := range path[:n] {
		hashes[i] = w.word(2, node)
	}
	w.empty()
	for i := range n {
		node := n - i
		w.Store(machine.KeyWindow+node, hashes[i]&w.Machine.KeyMask())
		w.Store(machine.DataWindow+w.Machine.Base(0)+node, pcs[path[i]])
		w.Store(machine.DataWindow+w.Machine.Base(1)+node, uint64(node-1))
		w.Store(machine.DataWindow+w.Machine.Base(2)+node, hashes[i])
	}
	w.Store(machine.IndexWindow, uint64(n+1))
	w.Store(machine.IndexWindow+1, uint64(n))
}
