package wire

// This file reads tables only as far as they are needed: a program that ends was in a few of its
// packages, and in a tenth of the functions of these. To read all tables of 150 packages takes 10 ms.

// A Lazy is a package whose table is read when it is first needed, and bodies of functions when
// each of them is.
type Lazy struct {
	Path  string
	Files []string
	Paths uint64 // as Package.Paths
	Funcs int    // how many functions Package.Funcs has

	table  []byte
	pkg    *Package
	err    error
	bodies *decoder // nil if all have been read
}

// ReadLazy reads the beginning of the table at the beginning of b, and returns the bytes
// after the table. It does not check the rest: [Lazy.Package] does.
func ReadLazy(b []byte) (l *Lazy, rest []byte, err error) {
	body, _, rest, err := cut(b)
	if err != nil {
		return nil, nil, err
	}
	d := newDecoder(body)
	l = &Lazy{table: b[:len(b)-len(rest)]}
	l.Path, l.Paths, l.Funcs, l.Files = d.front()
	if d.wrong != "" {
		return nil, nil, d.err()
	}
	return l, rest, nil
}

// Counters returns how many counters exact counts need: first one for each path, then one for the calls of
// each function.
func (l *Lazy) Counters() uint64 { return l.Paths + uint64(l.Funcs) }

// Package returns the package. Its functions lack what [Lazy.Body] reads, unless that has read it. If
// the table is wrong, Package returns a package without functions and taps, and [Wrong] has the error.
func (l *Lazy) Package() *Package {
	if l.pkg != nil {
		return l.pkg
	}
	if l.pkg, l.bodies, _, l.err = readHeads(l.table); l.err != nil {
		l.pkg = &Package{Path: l.Path, Files: l.Files}
	}
	l.table = nil
	return l.pkg
}

// Body reads the graph, the blocks and the calls of function i, unless it has read them before. If they are wrong, the
// function is without them, and [Wrong] has the error.
func (l *Lazy) Body(i int) {
	f := &l.Package().Funcs[i]
	if l.bodies == nil || f.Blocks != nil {
		return
	}
	if l.bodies.body(l.pkg, i); l.bodies.wrong != "" {
		f.Blocks, f.Graph.Nodes, f.Graph.Starts, f.Calls, f.Source = nil, nil, nil, nil, nil
		l.err = l.bodies.err()
	}
}

// Whole returns packages that are read already as Lazys.
func Whole(pkgs ...*Package) (list []*Lazy) {
	for _, p := range pkgs {
		list = append(list, &Lazy{Path: p.Path, Files: p.Files, Paths: p.Paths(), Funcs: len(p.Funcs), pkg: p})
	}
	return list
}

// Packages returns all packages, as [Lazy.Package] does. If a table is wrong, [Wrong] has the error.
func Packages(list []*Lazy) (pkgs []*Package) {
	for _, l := range list {
		pkgs = append(pkgs, l.Package())
	}
	return pkgs
}

// Wrong returns what is wrong with the first table of those read so far that is wrong, nil if all
// are right.
func Wrong(list []*Lazy) error {
	for _, l := range list {
		if l.err != nil {
			return l.err
		}
	}
	return nil
}
