// Package terminal makes text that comes out of a file fit for a terminal, and says what a terminal can
// show.
//
// Names, comments and labels in a profile, and names of files, can have any
// bytes. An escape sequence among them could change colours, move the cursor or type
// for the user. A character that changes the writing direction could show things in
// another order. A line break would look like a new line of the report.
//
//	terminal.Escape("main.f\x1b[2J") // `main.f\x1b[2J`, in characters that can be seen
package terminal

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape returns s with all characters that a terminal does not simply show written
// as in a Go string: \x1b, \n, \u202e, \xff. Spaces and tabs stay. So do backslashes:
// the result does not tell \x1b of s from an escaped character.
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
