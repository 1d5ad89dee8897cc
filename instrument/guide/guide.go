// Package guide has what a profile says of the functions of a package, and finds the
// functions and branches in the source at hand.
//
// A profile of edges that was made when f began on line 10 says
//
//	Func{Name: "f", File: "x.go", Line: 10, Branches: []Branch{
//		{Line: 12, Col: 5, Kind: "if", Outcomes: map[string]float64{"true": 3, "false": 997}},
//	}}
//
// If f begins on line 14 of x.go today, the branch should be an "if" at 16:5. [Package.Apply]
// looks for it there, and writes 3 and 997 to the two edges of its node. If there is no such
// branch, the function has changed: its edges stay without a measured count, and package
// placement guesses.
//
// A CPU profile says how many samples each line of f has. See lines.go for what that says of
// branches.
//
// The package does not read profiles: package gobuild does, and passes a Package as JSON to
// each process that instruments one.
package guide

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
	"strings"

	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/instrument/flow"
)

// A Package is what a profile says of a package.
type Package struct {
	Funcs []*Func
}

// A Func is what a profile says of a function: Branches or Lines.
type Func struct {
	Name string // the linker's, without the package: "(*T).Read", "main.func1"
	File string // its base name
	Line int    // of func when the profile was made; 0 if the profile does not say

	Branches []Branch `json:",omitempty"`
	Lines    []Line   `json:",omitempty"`
}

// A Branch has the counts of a branch.
type Branch struct {
	File      string `json:",omitempty"` // its base name; empty if it is that of the function
	Line, Col int
	Kind      string             // as in wire.Branch
	Outcomes  map[string]float64 // executions, or samples, by the name in wire.Out
}

// A Line has the samples of a line of a CPU profile.
type Line struct {
	Line    int
	Samples float64
}

// A Match says how well a profile fits the source.
type Match struct {
	Funcs, FuncsOf int // functions of the profile that the source has
	// with Lines those of these functions whose edges got counts; else those of the profile that the source has
	Branches, BranchesOf int
	Counts, CountsOf     float64 // executions or samples of these branches or lines
	Lines                bool    // the profile is one of CPU time
}

// Add adds the match of another package.
func (m *Match) Add(n Match) {
	m.Funcs, m.FuncsOf = m.Funcs+n.Funcs, m.FuncsOf+n.FuncsOf
	m.Branches, m.BranchesOf = m.Branches+n.Branches, m.BranchesOf+n.BranchesOf
	m.Counts, m.CountsOf = m.Counts+n.Counts, m.CountsOf+n.CountsOf
	m.Lines = m.Lines || n.Lines
}

// String says how well a profile fits, in a line.
func (m Match) String() string {
	share := 100.0
	if m.CountsOf > 0 {
		share = 100 * m.Counts / m.CountsOf
	}
	if m.Lines {
		return fmt.Sprintf("the source has %d of the %d functions that have %d samples or more, with %.1f%% of these; they tell the hot way at %d of %d branches",
			m.Funcs, m.FuncsOf, MinSamples, share, m.Branches, m.BranchesOf)
	}
	return fmt.Sprintf("the source has %d of its %d functions and %d of its %d branches, with %.1f%% of its counts",
		m.Funcs, m.FuncsOf, m.Branches, m.BranchesOf, share)
}

// A Source is a function of the source at hand.
type Source struct {
	*flow.Func
	Blocks []wire.Block // of its nodes
}

// Apply writes the counts of p to the edges of the functions of a package with the given import
// path. Files are the names that blocks have indices of. Functions without nodes are found, but have no branches.
func (p *Package) Apply(path string, fset *token.FileSet, files []string, funcs []Source) (m Match) {
	sources := map[string][]Source{}
	for _, s := range funcs {
		name := key(Name(path, s.Name), fset.Position(s.Syntax.Pos()).Filename)
		sources[name] = append(sources[name], s)
	}
	for _, f := range p.Funcs {
		m.FuncsOf++
		for _, b := range f.Branches {
			m.BranchesOf++
			for _, n := range b.Outcomes {
				m.CountsOf += n
			}
		}
		for _, l := range f.Lines {
			m.Lines = true
			m.CountsOf += l.Samples
		}
		s, ok := f.in(sources[key(f.Name, f.File)], fset)
		if !ok {
			continue
		}
		m.Funcs++
		shift := 0
		if f.Line != 0 {
			shift = line(fset, s) - f.Line
		}
		if len(f.Lines) > 0 {
			f.estimate(s, shift, fset, &m)
		} else {
			f.count(s, shift, files, &m)
		}
	}
	return m
}

// Name returns the name of a function without its package. The linker writes dots in the last
// element of an import path as %2e.
func Name(path, name string) string {
	if rest, ok := strings.CutPrefix(name, path+"."); ok {
		return rest
	}
	slash := strings.LastIndex(path, "/")
	escaped := path[:slash+1] + strings.ReplaceAll(path[slash+1:], ".", "%2e")
	return strings.TrimPrefix(name, escaped+".")
}

func key(name, file string) string { return name + " " + filepath.Base(file) }

// line returns the line of the function's func or for.
func line(fset *token.FileSet, s Source) int {
	if decl, ok := s.Syntax.(*ast.FuncDecl); ok {
		return fset.Position(decl.Type.Func).Line
	}
	return fset.Position(s.Syntax.Pos()).Line
}

// in returns the function of the source that is f. Of several with the name, such as _, it is
// the one on the same line.
func (f *Func) in(list []Source, fset *token.FileSet) (Source, bool) {
	if len(list) == 1 {
		return list[0], true
	}
	for _, s := range list {
		if line(fset, s) == f.Line {
			return s, true
		}
	}
	return Source{}, false
}

// count writes the counts of the branches to the edges of s, which begins shift lines further
// down than when the profile was made.
func (f *Func) count(s Source, shift int, files []string, m *Match) {
	for _, b := range f.Branches {
		line := b.Line + shift
		if b.File != "" { // lines of another file do not move with the function
			line = b.Line
		}
		at := wire.Branch{Kind: b.Kind, Line: line, Col: b.Col}
		nodes, ok := branchNodes(s, at, cmp.Or(b.File, f.File), files)
		if !ok {
			continue
		}
		found, used := false, map[string]bool{}
		for _, i := range nodes {
			block := s.Blocks[i]
			for j, e := range s.Nodes[i].Out {
				if count, ok := b.Outcomes[block.Outs[j].Outcome]; ok {
					found = true
					used[block.Outs[j].Outcome] = true
					e.Measured = count
				}
			}
		}
		if found {
			m.Branches++
		}
		for outcome := range used {
			m.Counts += b.Outcomes[outcome]
		}
	}
}

// branchNodes returns the nodes of s whose branch stands in a file with the given base name, where at says. It reports
// false if files of several folders have such a branch: the profile does not say which is meant.
func branchNodes(s Source, at wire.Branch, base string, files []string) (nodes []int, ok bool) {
	for i, n := range s.Nodes {
		branch := s.Blocks[i].Branch
		if at.File = branch.File; len(n.Out) < 2 || branch != at || filepath.Base(files[branch.File]) != base {
			continue
		}
		if len(nodes) > 0 && s.Blocks[nodes[0]].Branch.File != branch.File {
			return nil, false
		}
		nodes = append(nodes, i)
	}
	return nodes, true
}
