package placement

import "github.com/pepgo/pep/instrument/flow"

// Loops numbers the loops of a function, by node.
func Loops(f *flow.Func) []int { return loops(f) }
