// Package golink connects the linked runtime to the Go runtime: it has functions and
// variables of package runtime, which it reaches by go:linkname or from assembly, atomic
// operations, and the layout of data of the Go runtime in memory.
//
//	p := golink.ProcPin()         // keep the P: no preemption from here on
//	golink.Add64(&counts[p], 1)
//	golink.ProcUnpin()
//
// The functions of linked.go and taps.go need packages that only package runtime
// may import. In tests of this module module.go and taps_none.go stand in for
// them.
package golink
