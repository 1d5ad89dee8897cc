package core

// This file holds what keeps functions inlinable that instrumented code calls core
// from. A call that is not inlined takes most of the compiler's budget for a
// function that is, and inlined ones take what is in them. Counters of coverage
// are free: an assignment to an element of one is not looked at, nor is its right
// side. So
//
//	func F(x T) { free[0] = f(x) }
//	func f(x T) none { …; return none{} }
//
// make F cost no more than its arguments, whatever f does. There is nothing to
// store in an element of free. That it is a counter is said by the -coveragecfg
// with which this package is compiled; see internal/linked.

type none = struct{}

var free [1]none
