// Package golink is what the linked runtime borrows from Go's: functions and
// variables of package runtime that it reaches by go:linkname or from assembly,
// atomic operations, and the layout of what the runtime has in memory.
//
//	p := golink.ProcPin()         // keep the P: no preemption from here on
//	golink.Add64(&counts[p], 1)
//	golink.ProcUnpin()
//
// The functions of linked.go and taps.go need packages that only package runtime
// may import. In tests of this module module.go and taps_none.go stand in for
// them.
package golink
