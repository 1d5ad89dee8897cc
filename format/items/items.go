// Package items takes apart text such as
//
//	engine=cop(value.mc,slots=256):A16,trace="a,b.trace"
//
// at separators that stand neither between parentheses nor between quotation
// marks. Between quotation marks parentheses have no meaning.
package items

// Cut returns what is before and after the first sep, and whether there is one.
func Cut(s string, sep byte) (before, after string, found bool) {
	depth, quoted := 0, false
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == sep && depth == 0:
			return s[:i], s[i+1:], true
		case c == '(':
			depth++
		case c == ')':
			depth--
		}
	}
	return s, "", false
}

// CutPlain is Cut for text in which parentheses and quotation marks have no
// meaning.
func CutPlain(s string, sep byte) (before, after string, found bool) {
	for i := range len(s) {
		if s[i] == sep {
			return s[:i], s[i+1:], true
		}
	}
	return s, "", false
}

// Unclosed returns where a parenthesis or quotation mark is in s that has no
// counterpart, and false if there is none.
func Unclosed(s string) (at int, found bool) {
	var open []int // the parentheses around s[i], the innermost last
	quote := -1
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' && quote < 0:
			quote = i
		case c == '"':
			quote = -1
		case quote >= 0:
		case c == '(':
			open = append(open, i)
		case c == ')' && len(open) == 0:
			return i, true
		case c == ')':
			open = open[:len(open)-1]
		}
	}
	switch {
	case quote >= 0:
		return quote, true
	case len(open) > 0:
		return open[len(open)-1], true
	}
	return 0, false
}

// Unquote returns s without the quotation marks around it, if there are some.
func Unquote(s string) string {
	if n := len(s); n >= 2 && s[0] == '"' && s[n-1] == '"' {
		return s[1 : n-1]
	}
	return s
}

// Quote returns s between quotation marks.
func Quote(s string) string { return `"` + s + `"` }
