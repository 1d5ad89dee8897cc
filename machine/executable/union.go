package executable

// This file joins the site tables of programs.

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/pepgo/pep/format/wire"
)

// A Union is the site tables of several programs as those of one: of the tests of several packages of a module, say,
// each of which has the packages that it imports. A function is one if its name, file and line are.
//
//	u := NewUnion()
//	err := u.Add("lib.test", f)
//	err = u.Add("user.test", g)
//	f, err = u.File()
type Union struct {
	packages map[string]*joined
}

// A joined is a package of a Union.
type joined struct {
	*wire.Package
	files map[string]int
	funcs map[head]int // index into Funcs
	known map[head]bool
	sums  map[uint64]bool // checksums of the tables that were added, which are not added again
}

// A head is what tells functions, or what else a table has, from each other.
type head struct {
	name      string
	file      int // index into Files
	line, col int
}

// NewUnion returns the Union of no programs.
func NewUnion() *Union { return &Union{make(map[string]*joined)} }

// Add adds the tables of a program. It takes f over. If the paths of a function do not have the numbers or the
// positions that they have in a program before, the error names the function and the program.
func (u *Union) Add(program string, f *File) error {
	for i, p := range f.Packages {
		j := u.packages[p.Path]
		if j == nil {
			j = &joined{&wire.Package{Path: p.Path}, make(map[string]int), make(map[head]int), make(map[head]bool),
				make(map[uint64]bool)}
			u.packages[p.Path] = j
		}
		if j.sums[f.sums[i]] {
			continue
		}
		j.sums[f.sums[i]] = true
		if err := j.add(p); err != nil {
			return fmt.Errorf("%s: %w", program, err)
		}
	}
	return nil
}

func (j *joined) add(p *wire.Package) error {
	index := make([]int, len(p.Files)) // of the files of p in those of j
	for i, name := range p.Files {
		to, ok := j.files[name]
		if !ok {
			to = len(j.Files)
			j.files[name] = to
			j.Files = append(j.Files, name)
		}
		index[i] = to
	}
	for i := range p.Funcs {
		f := &p.Funcs[i]
		f.File = index[f.File]
		renumber(f.Blocks, index)
		if f.Source != nil {
			f.Source.File = index[f.Source.File]
			renumber(f.Source.Blocks, index)
		}
		at := head{name: f.Name, file: f.File, line: f.Line}
		k, ok := j.funcs[at]
		if !ok {
			j.funcs[at] = len(j.Funcs)
			j.Funcs = append(j.Funcs, *f)
		} else if g := &j.Funcs[k]; !reflect.DeepEqual(f.Graph, g.Graph) || !reflect.DeepEqual(f.Blocks, g.Blocks) ||
			!reflect.DeepEqual(f.Source, g.Source) {
			return fmt.Errorf("%s (%s:%d) has other paths than in the programs before: its source or the flags of the build differ; give files of one source, and remove older ones",
				f.Name, p.Files[slices.Index(index, f.File)], f.Line)
		}
	}
	for _, s := range p.Skipped {
		s.File = index[s.File]
		if s.Source != nil {
			s.Source.File = index[s.Source.File]
		}
		if at := (head{name: s.Name, file: s.File, line: s.Line}); !j.known[at] {
			j.known[at] = true
			j.Skipped = append(j.Skipped, s)
		}
	}
	for _, t := range p.Taps {
		t.File = index[t.File]
		if at := (head{fmt.Sprint("tap ", t.Tag, t.Expr), t.File, t.Line, t.Col}); !j.known[at] {
			j.known[at] = true
			j.Taps = append(j.Taps, t)
		}
	}
	return nil
}

// renumber puts new indices of files into blocks.
func renumber(blocks []wire.Block, index []int) {
	for n := range blocks {
		b := &blocks[n]
		if b.Branch != (wire.Branch{File: b.Branch.File}) {
			b.Branch.File = index[b.Branch.File]
		} else {
			b.Branch.File = 0 // there is none
		}
		for k := range b.Spans {
			b.Spans[k].File = index[b.Spans[k].File]
		}
		for k := range b.Outs {
			b.Outs[k].File = index[b.Outs[k].File]
		}
	}
}

// File returns the tables of all programs together.
func (u *Union) File() (*File, error) {
	f := &File{}
	var tables []byte
	for _, j := range u.packages {
		base := uint64(0)
		for i := range j.Funcs {
			j.Funcs[i].Base = base
			base += j.Funcs[i].Graph.N
		}
		f.Packages = append(f.Packages, j.Package)
	}
	slices.SortFunc(f.Packages, func(p, q *wire.Package) int { return cmp.Compare(p.Path, q.Path) })
	for _, p := range f.Packages {
		start := len(tables)
		tables = wire.AppendPackage(tables, p)
		f.sums = append(f.sums, sum(tables[start:]))
	}
	f.Build = wire.BuildHash(tables)
	return f, nil
}

// Bytes returns the tables as a file of site tables has them, which Open reads.
func (f *File) Bytes() ([]byte, error) {
	var tables []byte
	for _, p := range f.Packages {
		tables = wire.AppendPackage(tables, p)
	}
	return wire.Join(tables)
}
