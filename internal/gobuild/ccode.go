package gobuild

// This file finds packages with C code, which can do to the profile what Go code
// cannot: block signals, or take them.

import (
	"bytes"
	"os"
	"path/filepath"
)

// withC returns the import paths of the packages of the program that have C code
// and are not of the standard library.
func (b *build) withC() []string {
	var paths []string
	for _, p := range b.deps {
		if !p.Standard && len(p.CgoFiles)+len(p.SwigFiles)+len(p.SwigCXXFiles) > 0 {
			paths = append(paths, p.path())
		}
	}
	return paths
}

// callsC returns the import path of a package, not of the standard library, that
// C code is called from: with cgo, or without, as libraries do that load shared
// objects by themselves. The latter have to call the runtime's function for that,
// which takes a linkname, which takes a file of assembly. "" is none.
func (b *build) callsC() (path string, err error) {
	if with := b.withC(); len(with) > 0 {
		return with[0], nil
	}
	for _, p := range b.deps {
		if p.Standard || len(p.SFiles) == 0 {
			continue
		}
		for _, name := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				return "", err
			}
			if bytes.Contains(text, []byte(" runtime.cgocall\n")) {
				return p.path(), nil
			}
		}
	}
	return "", nil
}
