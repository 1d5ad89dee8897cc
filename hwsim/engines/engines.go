// Package engines has the registry of all engines, and the language that describes them.
//
//	spec, err := engines.Parse("H[P256]2048:A16", os.ReadFile)
//	e := spec.New(3) // the engine of stream 3
//
// A description names one engine, or a chain of engines with colons between them. In a
// chain the messages of each engine are the events of the next.
//
//	spec   = engine { ":" engine }
//	engine = name "(" [ arg { "," arg } ] ")" | name | compact
//	arg    = [ parameter "=" ] ( text | '"' text '"' )
//
// Arguments without the name of a parameter belong to the engine's first parameter, its
// second, and so on. Commas, colons and equals signs within parentheses or quotation
// marks separate nothing. Compact is the notation of package strat: H[P256]2048+A16 is
// short for strat(H[P256]2048+A16).
//
// # To add an engine
//
// Write a package with a [hwsim.Kind], and add the kind to All. The tests of this package
// then check that it keeps the promises of package hwsim, and programs with taps, pepsim,
// figures and benchmarks can use it.
package engines

import (
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/cache"
	"github.com/pepgo/pep/hwsim/code"
	"github.com/pepgo/pep/hwsim/cop"
	"github.com/pepgo/pep/hwsim/morton"
	"github.com/pepgo/pep/hwsim/rap"
	"github.com/pepgo/pep/hwsim/raphw"
	"github.com/pepgo/pep/hwsim/strat"
	"github.com/pepgo/pep/hwsim/where"
)

// All has all kinds of engines.
var All = Registry{
	strat.Kind,
	code.Kind,
	where.Kind,
	cache.Kind,
	morton.Kind,
	cop.Kind,
	rap.Kind,
	raphw.Kind,
}

// Parse reads a description with the engines of All. It reads the files that the
// description names with read, which may be nil. Errors are of type *hwsim.SyntaxError.
func Parse(text string, read hwsim.ReadFile) (*Spec, error) { return All.Parse(text, read) }
