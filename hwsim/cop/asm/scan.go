package asm

// This file divides lines into tokens.

import (
	"strconv"
	"strings"
)

// A token is a name, a number, or a punctuation mark.
type token struct {
	text   string
	column int // counted from 1
}

// scan returns the tokens of a line. A byte that begins no token is a token by itself.
func scan(text string) (tokens []token) {
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '#':
			return tokens
		case c == ' ' || c == '\t' || c == '\r':
			i++
			continue
		}
		n := 1
		if isWord(c) {
			for i+n < len(text) && isWord(text[i+n]) {
				n++
			}
		}
		tokens = append(tokens, token{text[i : i+n], i + 1})
		i += n
	}
	return tokens
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isName(s string) bool {
	return s != "" && isWord(s[0]) && (s[0] < '0' || s[0] > '9')
}

// A scanner reads the tokens of a line one after another.
type scanner struct {
	a      *assembler
	line   int
	tokens []token
	last   token
}

func (s *scanner) at(t token) position { return position{s.line, t.column} }

// here returns the position of the next token, or the position behind the last one.
func (s *scanner) here() position {
	if len(s.tokens) > 0 {
		return s.at(s.tokens[0])
	}
	return position{s.line, s.last.column + max(len(s.last.text), 1)}
}

func (s *scanner) next() token {
	t := s.tokens[0]
	s.tokens, s.last = s.tokens[1:], t
	return t
}

// peek returns the text of the next token, "" at the end of the line.
func (s *scanner) peek() string {
	if len(s.tokens) == 0 {
		return ""
	}
	return s.tokens[0].text
}

// accept skips the next token if it has the given text, and reports whether it did.
func (s *scanner) accept(text string) bool {
	if s.peek() != text {
		return false
	}
	s.next()
	return true
}

func (s *scanner) expect(text string) {
	if !s.accept(text) {
		s.want(strconv.Quote(text))
	}
}

// want reports an error at the next token.
func (s *scanner) want(what string) {
	found := "the end of the line"
	if len(s.tokens) > 0 {
		found = strconv.Quote(s.tokens[0].text)
	}
	s.a.fail(s.here(), "want %s, found %s", what, found)
}

// name reads a word.
func (s *scanner) name(what string) token {
	if !isName(s.peek()) {
		s.want(what)
	}
	return s.next()
}

// number reads a number from least to most, or a name for such a number.
func (s *scanner) number(what string, least, most uint64) uint64 {
	n, ok := s.a.equ[s.peek()]
	if !ok {
		var err error
		text := s.peek()
		base := 10
		if hex, ok := strings.CutPrefix(text, "0x"); ok {
			text, base = hex, 16
		}
		if n, err = strconv.ParseUint(text, base, 64); err != nil {
			s.want(what)
		}
	}
	if n < least || n > most {
		s.a.fail(s.here(), "%s: want %s from %d to %d", s.peek(), what, least, most)
	}
	s.next()
	return n
}

// register reads a register of a file that has n registers.
func (s *scanner) register(file string, n uint64) int {
	i, ok := isRegister(s.peek(), file, n)
	if !ok {
		s.want(file + "0 to " + file + strconv.FormatUint(n-1, 10))
	}
	s.next()
	return i
}

// isRegister returns the number of a register, and reports whether text names one.
func isRegister(text, file string, n uint64) (int, bool) {
	rest, ok := strings.CutPrefix(text, file)
	i, err := strconv.ParseUint(rest, 10, 8)
	return int(i), ok && err == nil && i < n && rest == strconv.FormatUint(i, 10)
}
