package wire

// This file reads tables only when they are needed: a program that ends was in a few of its
// packages, and to read the tables of 150 takes 10 ms.

// A Lazy is a package whose table is read when it is first needed.
type Lazy struct {
	Path  string
	Files []string
	Paths uint64 // as Package.Paths

	table []byte
	pkg   *Package
	err   error
}

// ReadLazy reads the beginning of the table at the beginning of b, and returns the bytes
// after the table. It does not check the rest: [Lazy.Package] does.
func ReadLazy(b []byte) (l *Lazy, rest []byte, err error) {
	body, _, rest, err := cut(b)
	if err != nil {
		return nil, nil, err
	}
	d := &decoder{s: string(body), room: maxRatio*len(body) + minRoom}
	l = &Lazy{Path: d.str(), table: b[:len(b)-len(rest)]}
	d.path, l.Paths = l.Path, d.uvarint()
	l.Files = d.files()
	if d.wrong != "" {
		return nil, nil, d.err()
	}
	return l, rest, nil
}

// Package returns the package. If its table is wrong, that is a package without functions
// and taps, and [Wrong] has the error.
func (l *Lazy) Package() *Package {
	if l.pkg == nil {
		if l.pkg, _, l.err = ReadPackage(l.table); l.err != nil {
			l.pkg = &Package{Path: l.Path, Files: l.Files}
		}
		l.table = nil
	}
	return l.pkg
}

// Whole returns packages that are read already as Lazys.
func Whole(pkgs ...*Package) (list []*Lazy) {
	for _, p := range pkgs {
		list = append(list, &Lazy{Path: p.Path, Files: p.Files, Paths: p.Paths(), pkg: p})
	}
	return list
}

// Packages returns all packages. If a table is wrong, [Wrong] has the error.
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
