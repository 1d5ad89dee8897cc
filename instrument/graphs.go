package instrument

// This file writes down the plans of the functions of a package.

import (
	"bufio"
	"fmt"
	"go/token"
	"io"

	"github.com/pepgo/pep/instrument/placement"
)

// A planned function has a plan, and the number of its path 0 within the package.
type planned struct {
	fset *token.FileSet
	plan *placement.Plan
	base uint64

	written bool // the code is in the text
}

// WriteGraphs writes the graph, the numbers and the code of each function as text, see
// [placement.Plan.Write], and why the other functions are not instrumented.
func (r *Result) WriteGraphs(w io.Writer) error {
	b := bufio.NewWriter(w)
	for _, f := range r.plans {
		fmt.Fprintf(b, "%s, %s\n", f.plan.Func.Name, f.fset.Position(f.plan.Func.Syntax.Pos()))
		fmt.Fprintf(b, "path 0 of the function is path %d of the package\n", f.base)
		if !f.written {
			fmt.Fprintf(b, "not in the text: samples of a function with one path say nothing\n")
		}
		f.plan.Write(b, f.fset)
		fmt.Fprintln(b)
	}
	for _, l := range r.Sites.Skipped {
		fmt.Fprintf(b, "%s, %s:%d\nnot instrumented: %s\n\n", l.Name, r.Sites.Files[l.File], l.Line, l.Reason)
	}
	return b.Flush()
}
