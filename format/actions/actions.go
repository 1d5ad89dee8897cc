// Package actions says what the outcomes of a program's branches do to path registers. Nothing in the program keeps
// these registers: whoever follows its instructions does, for example an interpreter.
//
// For each function of the source the instrumenter writes down which outcome does what:
//
//	for i < n {     true: the path so far ends, the next one starts with 1
//	}               false: the path so far ends, the next one starts with 2
//
// The compiler's table of branches says at which instruction of which function that happens, in the function itself or
// in one that it is inlined into. [Table.Place] makes the actions of instructions of the two: this row ends a path of
// the third inlined call and adds 4 to the register of the function.
package actions

import (
	"github.com/pepgo/pep/format/branches"
	"github.com/pepgo/pep/format/register"
	"github.com/pepgo/pep/format/wire"
)

// A Package has what outcomes do in the functions of a package.
type Package struct {
	Path  string
	Sites *wire.Package // what path numbers mean
	Funcs []Func
}

// A Func is a function of the source.
type Func struct {
	Name      string
	Decl      branches.Pos
	WhyUntold string        // why no code can tell its paths, if the source shows that
	Site      int           // index of the function in the site table; -1 if it has no path numbers
	Enter     []register.Op // what a call does
	Events    []Event
}

// An Event is what an outcome does to the register of the function. Returns have none: they end a path.
type Event struct {
	Kind      branches.Kind
	Line, Col int
	Ops       []register.Op

	// Nodes of the graph at which a path goes on in another way if the outcome happens. If the outcome cannot be seen,
	// nobody can tell paths apart that go through these.
	Nodes []int

	// Vital says that without the outcome all paths of the function may get wrong numbers.
	Vital bool
}
