package rewrite

// This file makes the names in line directives independent of where the text stands.

import (
	"go/scanner"
	"go/token"
	"path/filepath"
	"strings"
)

// absoluteNames returns the text of a source file with the relative names in its line directives made
// absolute. Since Go 1.27 the compiler takes them as relative to the directory of the file that it reads,
// and rewritten text stands in another one. So
//
//	//line gram.y:100
//
// of the file /src/calc/calc.go becomes
//
//	//line /src/calc/gram.y:100
func absoluteNames(src, file string) string {
	if !strings.Contains(src, "//line ") && !strings.Contains(src, "/*line ") {
		return src
	}
	var s scanner.Scanner
	fset := token.NewFileSet()
	tf := fset.AddFile(file, -1, len(src))
	s.Init(tf, []byte(src), nil, scanner.ScanComments)
	var out strings.Builder
	done := 0
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			out.WriteString(src[done:])
			return out.String()
		}
		if tok != token.COMMENT {
			continue
		}
		m := lineDirective.FindStringSubmatchIndex(text)
		if m == nil || m[2] == m[3] || filepath.IsAbs(text[m[2]:m[3]]) {
			continue
		}
		begin := tf.Offset(pos)
		out.WriteString(src[done : begin+m[2]])
		out.WriteString(filepath.Join(filepath.Dir(file), text[m[2]:m[3]]))
		done = begin + m[3]
	}
}
