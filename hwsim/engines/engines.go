// Package engines is the door to everything that eats tuples: the registry of
// engines, and the language in which they are described.
//
//	spec, err := engines.Parse("H[P256]2048:A16", os.ReadFile)
//	e := spec.New(3) // the engine of stream 3
//
// A description is one engine, or a chain of them with colons between: the
// messages of each are the events of the next.
//
//	spec   = engine { ":" engine }
//	engine = name "(" [ arg { "," arg } ] ")" | name | compact
//	arg    = [ parameter "=" ] ( text | '"' text '"' )
//
// An argument without the name of a parameter is that of the first, second … of
// the engine's parameters. Commas, colons and equals signs within parentheses or
// quotation marks are part of the text around them. Compact is how package strat
// writes its compressors: H[P256]2048+A16, which is short for
// strat(H[P256]2048+A16).
//
// # To add an engine
//
// Write a package with a [hwsim.Kind], and add it to All. The tests of this
// package hold it to the promises of package hwsim; programs with taps, pepsim,
// figures and benchmarks have it then.
package engines

import (
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/code"
	"github.com/pepgo/pep/hwsim/rap"
	"github.com/pepgo/pep/hwsim/strat"
)

// All is the engines there are.
var All = Registry{
	strat.Kind,
	code.Kind,
	rap.Kind,
}

// Parse reads a description of an engine of All. Files that it names are read
// with read, which may be nil. Its errors are of type *hwsim.SyntaxError.
func Parse(text string, read hwsim.ReadFile) (*Spec, error) { return All.Parse(text, read) }
