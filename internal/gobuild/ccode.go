package gobuild

// This file finds packages with C code. C code can block or handle the signals that
// sampling needs. Go code cannot.

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

// callsC returns the import path of a package outside of the standard library that
// calls C code, "" if there is none. Such a package uses cgo, or it loads shared
// objects itself: then it calls a function of the runtime by a linkname, and has a
// file of assembly for that.
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
