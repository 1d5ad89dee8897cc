package report

// This file finds the site table and the function of a sample.

import "github.com/pepgo/pep/format/wire"

type tables struct {
	pkgs   []*wire.Lazy
	byPath map[string]*wire.Lazy
	byFile map[string][]*wire.Lazy // nil until ofFile makes it: profiles of windows rarely ask for a file
}

func index(pkgs []*wire.Lazy) tables {
	t := tables{pkgs: pkgs, byPath: make(map[string]*wire.Lazy, len(pkgs))}
	for _, p := range pkgs {
		t.byPath[p.Path] = p
	}
	return t
}

// ofFile returns the packages that a file is compiled into: p and its test variants, for example.
func (t *tables) ofFile(name string) []*wire.Lazy {
	if t.byFile == nil {
		t.byFile = make(map[string][]*wire.Lazy)
		for _, p := range t.pkgs {
			for _, f := range p.Files {
				t.byFile[f] = append(t.byFile[f], p)
			}
		}
	}
	return t.byFile[name]
}

// find returns the package and the function whose path s counts, or nils. It reads the
// function's body.
//
// Several packages may have the file. The right one has a function with the sample's number in that file, or with some
// positions in other files than its own. If that is true of more than one package, a package whose function has the
// name of the frame is better than one whose import path begins that name.
func (t *tables) find(frames []Frame, s *Sample) (*wire.Package, *wire.Func) {
	if s.Package != "" {
		l := t.byPath[s.Package]
		if l == nil {
			return nil, nil
		}
		return withBody(l, function(l.Package(), s.Number))
	}
	if len(s.Stack) == 0 {
		return nil, nil
	}
	frame := &frames[s.Stack[0]]
	var pkg *wire.Lazy
	fn, best := -1, -1
	for _, l := range t.ofFile(frame.File) {
		p := l.Package()
		i := function(p, s.Number)
		if i < 0 || !p.Funcs[i].Elsewhere && p.Files[p.Funcs[i].File] != frame.File {
			continue
		}
		fit := 0
		switch {
		case p.Funcs[i].Name == frame.Func:
			fit = 2
		case hasPrefix(frame.Func, p.Path+"."):
			fit = 1
		}
		if fit > best {
			pkg, fn, best = l, i, fit
		}
	}
	if fn < 0 {
		// The compiler keeps a relative name of a //line directive as it is, so that the frame does not
		// have the name of the table.
		if l := t.byPath[unescaped(packageOf(frame.Func))]; l != nil {
			pkg, fn = l, function(l.Package(), s.Number)
		}
	}
	return withBody(pkg, fn)
}

// called returns the package and the function of c, or nils. It reads the function's body.
func (t *tables) called(c *Call) (*wire.Package, *wire.Func) {
	l := t.byPath[c.Package]
	if l == nil || c.Func >= len(l.Package().Funcs) {
		return nil, nil
	}
	return withBody(l, c.Func)
}

// withBody returns a package and its function i, with its body; nils if i is below 0.
func withBody(l *wire.Lazy, i int) (*wire.Package, *wire.Func) {
	if i < 0 {
		return nil, nil
	}
	l.Body(i)
	return l.Package(), &l.Package().Funcs[i]
}

// function returns the index of the function of p that has the path with the given number, or -1.
func function(p *wire.Package, number uint64) int {
	lo, hi := 0, len(p.Funcs) // Funcs[:lo] begin at or below number, Funcs[hi:] above
	for lo < hi {
		mid := (lo + hi) / 2
		if p.Funcs[mid].Base <= number {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return -1
	}
	if f := &p.Funcs[lo-1]; number-f.Base >= f.Graph.N {
		return -1
	}
	return lo - 1
}

func hasPrefix(s, prefix string) bool { return len(s) >= len(prefix) && s[:len(prefix)] == prefix }
