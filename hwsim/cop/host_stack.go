package cop

// This file holds the software for the program callstack, whose nodes are calling contexts
// and the events in them.

import (
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/runtime/digits"
	"github.com/pepgo/pep/runtime/tuple"
)

const (
	stackNodes   = 64 // node 0 is the root
	stackCallers = 128
	stackKept    = 32 // contexts that stay when the table is full, at most
)

func checkStack(m *Machine) error {
	switch {
	case m.baseSize[0] != 6 || m.baseSize[1] != 6 || m.baseSize[2] != 7:
		return Error("sub-arrays of " + digits.Uint(1<<m.baseSize[0]) + ", " + digits.Uint(1<<m.baseSize[1]) + " and " + digits.Uint(1<<m.baseSize[2]) +
			" words: the host stack wants 64, 64 and 128")
	case m.indexWidth[0] != 6 || m.indexWidth[1] != 6 || m.indexWidth[4] != 7 || m.indexWidth[5] != 7:
		return Error("the index registers: the host stack wants I0 and I1 of 6 bits, I4 and I5 of 7")
	case len(m.cam.keys) < stackNodes || m.config.KeyBits < 32:
		return Error("an associative array of " + digits.Int(int64(len(m.cam.keys))) + " slots with " + digits.Int(int64(m.config.KeyBits)) +
			" bits: the host stack wants at least 64 slots with 32 bits")
	}
	return checkFields(m, "stack", SelectPC)
}

// readStack sends the counts of all nodes. The context of a node is that of its parent and
// the function that was entered there. A parent has a lower number than its nodes.
func readStack(w *window, ended bool, out *hwsim.Out) {
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
// there are more than stackKept, those further out are left out; when the functions below
// them have returned, their callers are not known.
func rebuildStack(w *window, pcs *[stackNodes]uint64, parents *[stackNodes]uint8) {
	var path [stackKept]int // from the function that runs outwards
	n := 0
	for i := int(w.load(IndexWindow + 1)); i != 0 && n < stackKept; i = int(parents[i]) {
		path[n] = i
		n++
	}
	var hashes [stackKept + 1]uint64 // of the new nodes; the root has 0
	for i := 1; i <= n; i++ {
		hashes[i] = w.load(KeyWindow + path[n-i])
	}
	w.store(CommandWindow+InvalidateAll, 0)
	w.store(CommandWindow+ClearData, 0)
	for i := 1; i <= n; i++ {
		w.store(KeyWindow+i, hashes[i])
		w.store(DataWindow+int(w.m.base[0])+i, pcs[path[n-i]])
		w.store(DataWindow+int(w.m.base[1])+i, uint64(i-1))
		w.store(DataWindow+int(w.m.base[2])+i-1, uint64(i-1)|hashes[i-1]<<32) // the caller of node i
	}
	w.store(IndexWindow, uint64(n+1))
	w.store(IndexWindow+1, uint64(n))
	w.store(IndexWindow+4, uint64(n))
	w.store(IndexWindow+5, min(w.load(IndexWindow+5), uint64(n)))
}
