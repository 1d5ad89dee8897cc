// Package doors has the names of the functions and types of package core that
// instrumented code uses. Package rewrite writes these names into the text of a program.
//
//	fmt.Sprintf("%s.%s(%s)", core, doors.Poll, "7")   // "_pep_core.Poll(7)"
//
// A test of internal/policy compares them with the names that core exports.
package doors

// Ends of paths.
const (
	Poll   = "Poll"   // func(Number)
	Count  = "Count"  // func(*Table, Number): in place of a poll, with exact counts
	Number = "Number" // uint32: the number of a path within its package
	Table  = "Table"  // struct{ Path string; N uint64 }: the counters of a package

	Increment = "Increment" // func(*uint64): in place of Count, to measure what an atomic addition costs
)

// Steps of paths within expressions, with exact counts. All return 0.
const (
	Counted   = "Counted"   // func(*Table, Number) Number
	Added     = "Added"     // func(*Number, Number) Number
	Restarted = "Restarted" // func(*Number, Number) Number
)

// Taps.
const (
	Tap     = "Tap"     // func(pc, word uint64)
	TapCase = "TapCase" // func(pc, word uint64) bool

	// Samples of several words.
	Tap2     = "Tap2"     // func(pc, word, more uint64)
	Tap3     = "Tap3"     // func(pc, word, more, third uint64)
	Tap2Case = "Tap2Case" // func(pc, word, more uint64) bool
	Tap3Case = "Tap3Case" // func(pc, word, more, third uint64) bool
)

// Functions that make a word of a value.
const (
	BoolWord   = "BoolWord"
	F64Word    = "F64Word"
	F32Word    = "F32Word"
	StringWord = "StringWord"
	SliceWord  = "SliceWord"
	PtrWord    = "PtrWord"
	RefWord    = "RefWord"
	TypeWord   = "TypeWord"
	FuncWord   = "FuncWord"
)

// Types to convert their arguments to.
const (
	U64    = "U64"
	F64    = "F64"
	F32    = "F32"
	Bool   = "Bool"
	String = "String"
	Ptr    = "Ptr"
)

// Exec wraps syscall.Exec and its like.
const Exec = "Exec"
