package core

// This file decides which type descriptors may be read.

import "github.com/pepgo/pep/runtime/golink"

// mayReadType reports whether there is a type descriptor at p. Those that were
// made while another process ran are not in this one. That the process has the same
// number says nothing: in containers all have number 1.
func (n names) mayReadType(p uintptr) bool {
	ours := counts.Header != nil && n.of.Pid == counts.Pid && n.of.Start == counts.Start
	return ours || p >= golink.TypesStart() && p < golink.TypesEnd()
}
