package core

// This file keeps functions inlinable that call core. The inliner charges a function
// for every call in it: a call that is not inlined takes most of the budget, and an
// inlined call costs what is in it. It does not look at assignments to counters of
// coverage, nor at their right sides. So
//
//	func F(x T) { uncharged[0] = f(x) }
//	func f(x T) none { …; return none{} }
//
// make F cost no more than its arguments, whatever f does. An element of uncharged
// has no bytes, so nothing is stored. The file for -coveragecfg with which pepbuild
// compiles this package says that uncharged is a counter: see gobuild/internal/linked.

type none = struct{}

var uncharged [1]none

// A package with counters must have a function that initialises its variables: the compiler has its
// hook there, and fails without. No other variable of this package needs one on all systems.
var _ = initialised()

//go:noinline
func initialised() none { return none{} }
