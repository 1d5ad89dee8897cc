package image

// This file finds the code of a source line.

import (
	"path"
	"strings"

	"github.com/pepgo/pep/machine/pclntab"
)

// A LineCode is code of a source line.
type LineCode struct {
	Function Function // that contains the code
	Range    pclntab.Range
	Frame    pclntab.Frame // the function of the source line, which is inlined into Function if Frame.Inlined
}

// LineCode returns the code of a line, in the order of addresses. The compiler may make
// several ranges of a line, in one function or, by inlining, in many. The file is a name
// without directory, or the last elements of a path: "lex.go", "parse/lex.go".
func (im *Image) LineCode(file string, line int) (list []LineCode) {
	match := func(name string) bool { return matchFile(file, name) }
	for f := range im.funcs.All() {
		if !f.HasFile(match) {
			continue
		}
		for r, at := range f.Lines() {
			if at.Line != line || !match(at.File) {
				continue
			}
			fn := im.function(f)
			if r.End = min(r.End, fn.End); r.Start < r.End {
				list = append(list, LineCode{fn, r, f.Frames(r.Start)[0]})
			}
		}
	}
	return list
}

// matchFile reports whether name ends in the elements of pattern.
func matchFile(pattern, name string) bool {
	pattern = path.Clean(pattern)
	return name == pattern || strings.HasSuffix(name, "/"+strings.TrimPrefix(pattern, "/"))
}
