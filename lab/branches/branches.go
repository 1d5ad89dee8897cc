// Package branches proves that the tables of branches are right that pepbuild build -peptable writes. It runs the plain
// program under valgrind, with a tool that writes down which rows of the table the program comes by, in order:
// testdata/tracer has it. So it counts how often each outcome of the source happened. Then it compares these counts
// with those that the same program, built with go build -cover -covermode=count, counts itself.
//
// The compiler moves and removes branches, so outcomes without a machine branch have no count: the table names them,
// and they are not compared. All others must be equal.
//
// It follows complete runs through the table of actions, too, and compares the paths with those that the program counts
// in exact mode.
package branches

import (
	"strings"

	"github.com/pepgo/pep/format/actiontable"
	"github.com/pepgo/pep/format/branches"
	"github.com/pepgo/pep/machine/executable"
)

// A Key is an outcome in the source, of all functions that the compiler has inlined it into.
type Key struct {
	Kind branches.Kind // an entry is of inlined calls, too
	Pos  branches.Pos
}

// A Count is how often an outcome happened.
type Count struct {
	N    int64
	Lost branches.Loss // a reason why N may be too small, if there is one
}

// WithRoot replaces $GOROOT in the names of files, which stands there in packages of std.
func WithRoot(pkgs []branches.Package, goroot string) {
	for _, p := range pkgs {
		for _, f := range p.Funcs {
			for i := range f.Outcomes {
				file := &f.Outcomes[i].Pos.File
				if rest, ok := strings.CutPrefix(*file, "$GOROOT"); ok {
					*file = goroot + rest
				}
			}
		}
	}
}

// Run runs a program under valgrind, with the tool in a directory, and returns the counts of the outcomes that a table
// knows.
func Run(exe string, pkgs []branches.Package, tracer, dir string, args ...string) (map[Key]Count, error) {
	program, err := executable.Linked(exe)
	if err != nil {
		return nil, err
	}
	funcs, unlike, err := branches.Link(pkgs, program)
	if err != nil {
		return nil, err
	}
	rows := map[uint64][]row{}
	var counts []int64 // by row
	for _, f := range funcs {
		for _, r := range f.Rows {
			pc := f.Addr + r.PC
			rows[pc] = append(rows[pc], row{ways[r.Way], r.Index, len(counts)})
			counts = append(counts, 0)
		}
	}
	if _, err := trace(exe, rows, tracer, dir, func(_ *moment, n int) error { counts[n]++; return nil },
		args...); err != nil {
		return nil, err
	}
	return count(pkgs, funcs, unlike, counts), nil
}

var ways = map[branches.Way]actiontable.Way{branches.At: actiontable.At, branches.Taken: actiontable.Taken,
	branches.NotTaken: actiontable.NotTaken, branches.Jump: actiontable.Jump}

// Code returns how many bytes of the functions of a program a table knows, and how many there are. The others are in
// assembly or C, or the table does not say which of several functions they are.
func Code(exe string, pkgs []branches.Package) (known, all uint64, err error) {
	program, err := executable.Linked(exe)
	if err != nil {
		return 0, 0, err
	}
	funcs, _, err := branches.Link(pkgs, program)
	for _, s := range program.Functions {
		all += s.Size
	}
	for _, f := range funcs {
		known += f.Size
	}
	return known, all, err
}

// count adds what the rows of functions were counted to their outcomes.
func count(pkgs []branches.Package, funcs []branches.Placed, unlike []branches.Symbol, rows []int64) map[Key]Count {
	entries := map[string]branches.Pos{}
	for _, p := range pkgs {
		for _, f := range p.Funcs {
			for _, o := range f.Outcomes {
				if o.Kind == branches.Entry {
					entries[f.Name] = o.Pos
				}
			}
		}
	}
	counts := map[Key]Count{}
	add := func(f *branches.Func, o branches.Outcome, n int64) {
		k := Key{o.Kind, o.Pos}
		if o.Kind == branches.Inline {
			k = Key{branches.Entry, entries[f.Calls[o.Call-1].Func]}
		}
		c := counts[k]
		c.N += n
		c.Lost = max(c.Lost, o.Lost)
		counts[k] = c
	}
	for _, f := range funcs {
		ns := make([]int64, len(f.Outcomes))
		for _, r := range f.Rows {
			for _, o := range r.Outcomes {
				ns[o] += rows[0]
			}
			rows = rows[1:]
		}
		for i, o := range f.Outcomes {
			if o.Lost != branches.Either { // the outcome itself is another one
				add(&f.Func, o, ns[i])
			}
		}
	}
	for _, s := range unlike {
		for _, p := range pkgs {
			for _, f := range p.Funcs {
				for _, o := range f.Outcomes {
					if f.Name == s.Name {
						o.Lost = branches.Twice // which of them the linker has taken, nobody knows
						add(&f, o, 0)
					}
				}
			}
		}
	}
	return counts
}
