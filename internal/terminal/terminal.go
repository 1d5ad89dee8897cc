// Package terminal makes text that comes out of a file fit for a terminal.
//
// Names, comments and labels in a profile, and names of files, can have any
// bytes. An escape sequence among them would change colours, move the cursor or
// type for the user; a change of the writing direction would show another order
// than there is; a line break would look like a line of the report itself.
//
//	terminal.Escape("main.f\x1b[2J") // `main.f\x1b[2J`, in characters that can be seen
package terminal

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape returns s with everything that a terminal does not simply show written
// as in a Go string: \x1b, \n, \u202e, \xff. Spaces and tabs stay; so does a
// backslash that is there already, so the result cannot always be turned back.
func Escape(s string) string {
	if strings.IndexFunc(s, special) < 0 && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || special(r) {
			quoted := strconv.Quote(s[i : i+size])
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}

// special reports whether r is to be escaped. Format characters, such as those
// that change the writing direction, are not printable in the sense of unicode.
func special(r rune) bool { return r != '\t' && !unicode.IsPrint(r) }
