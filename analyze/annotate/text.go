package annotate

// This file divides source into words, for colours.

import (
	"go/scanner"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
)

// Classes of text, see Line.
const (
	keyword     = "k"
	str         = "s"
	number      = "n"
	comment     = "c"
	called      = "f"
	predeclared = "b"
)

// text returns the lines of a file, as runs of text with their class.
func (b *builder) text(name string) [][][2]string {
	if lines, ok := b.texts[name]; ok {
		return lines
	}
	text, _ := b.Source.Text(name)
	list := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	var lines [][][2]string
	if filepath.Ext(name) == ".go" {
		lines = words(list)
	} else {
		for _, line := range list {
			lines = append(lines, [][2]string{{"", line}})
		}
	}
	if b.texts == nil {
		b.texts = make(map[string][][][2]string)
	}
	b.texts[name] = lines
	return lines
}

// words divides lines of Go source into runs.
func words(list []string) [][][2]string {
	src := []byte(strings.Join(list, "\n"))
	class := make([]string, len(src)) // of each byte
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, func(token.Position, string) {}, scanner.ScanComments)
	name := -1 // where the name before this word begins
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			break
		}
		at := file.Offset(pos)
		of := ""
		switch {
		case tok == token.COMMENT:
			of = comment
		case tok == token.STRING || tok == token.CHAR:
			of = str
		case tok.IsLiteral() && tok != token.IDENT:
			of = number
		case tok.IsKeyword():
			of, text = keyword, tok.String()
		case tok == token.IDENT && types.Universe.Lookup(text) != nil:
			of = predeclared
		case tok == token.LPAREN && name >= 0:
			for i := name; i < at && class[i] == "name"; i++ {
				class[i] = called
			}
		}
		name = -1
		if tok == token.IDENT && of == "" {
			name, of = at, "name"
		}
		if of != "" {
			for i := at; i < min(at+len(text), len(src)); i++ {
				class[i] = of
			}
		}
	}
	lines := make([][][2]string, 0, len(list))
	at := 0
	for _, line := range list {
		var runs [][2]string
		for i := 0; i < len(line); {
			j := i + 1
			for j < len(line) && class[at+j] == class[at+i] {
				j++
			}
			of := class[at+i]
			if of == "name" {
				of = ""
			}
			if n := len(runs); n > 0 && runs[n-1][0] == of {
				runs[n-1][1] += line[i:j]
			} else {
				runs = append(runs, [2]string{of, line[i:j]})
			}
			i = j
		}
		lines = append(lines, runs)
		at += len(line) + 1
	}
	return lines
}

// bare reports whether a line of Go has no code of its own: nothing but comments and closing brackets.
func bare(runs [][2]string) bool {
	for _, r := range runs {
		if r[0] != comment && strings.Trim(r[1], " \t)}],;") != "" {
			return false
		}
	}
	return true
}
