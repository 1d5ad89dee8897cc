package terminal

// This file says what a terminal can show.

import (
	"io"
	"os"
	"strconv"
	"unicode"

	"golang.org/x/term"
)

// Is reports whether w is a terminal.
func Is(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// A Screen says how text looks where it goes. On the zero Screen lines have any length, and no colour.
type Screen struct {
	Width  int // columns of a line, 0 if there is no limit
	Colour bool
}

// ScreenOf returns the screen of w. The variable COLUMNS is its width whatever w is, and else a terminal
// has one. A terminal has colours unless NO_COLOR is set or TERM is dumb.
func ScreenOf(w io.Writer, getenv func(string) string) (s Screen) {
	if Is(w) {
		s.Width, _, _ = term.GetSize(int(w.(*os.File).Fd())) // 0 if it has none, as on a serial line
		s.Colour = getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
	}
	if n, err := strconv.Atoi(getenv("COLUMNS")); err == nil && n > 0 {
		s.Width = n
	}
	return s
}

// tab is how many columns apart tab stops are.
const tab = 8

// End returns the column behind a character that begins in a column, counted from 0.
func End(column int, r rune) int {
	switch {
	case r == '\t':
		return column/tab*tab + tab
	case r < 0x300:
		return column + 1
	case unicode.In(r, unicode.Mn, unicode.Me):
		return column
	case unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana) || 0x3000 <= r && r <= 0x303f ||
		0xff01 <= r && r <= 0xff60 || 0x1f300 <= r && r <= 0x1faff:
		return column + 2
	}
	return column + 1
}
