package rewrite

// This file makes the names in line directives independent of where the text stands.

import (
	"bytes"
	"go/scanner"
	"go/token"
	"path/filepath"
)

// AbsoluteNames returns the text of a source file with the relative names in its line directives made
// absolute. Since Go 1.27 the compiler takes them as relative to the directory of the file that it reads,
// and rewritten text stands in another one. So
//
//	//line gram.y:100
//
// of the file /src/calc/calc.go becomes
//
//	//line /src/calc/gram.y:100
func AbsoluteNames(src []byte, file string) []byte {
	if !bytes.Contains(src, []byte("//line ")) && !bytes.Contains(src, []byte("/*line ")) {
		return src
	}
	var s scanner.Scanner
	fset := token.NewFileSet()
	tf := fset.AddFile(file, -1, len(src))
	s.Init(tf, src, nil, scanner.ScanComments)
	var out []byte
	done := 0
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return append(out, src[done:]...)
		}
		if tok != token.COMMENT {
			continue
		}
		m := lineDirective.FindStringSubmatchIndex(text)
		if m == nil || m[2] == m[3] || filepath.IsAbs(text[m[2]:m[3]]) {
			continue
		}
		begin := tf.Offset(pos)
		out = append(out, src[done:begin+m[2]]...)
		out = append(out, filepath.Join(filepath.Dir(file), text[m[2]:m[3]])...)
		done = begin + m[3]
	}
}
