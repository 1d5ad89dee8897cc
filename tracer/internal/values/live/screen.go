package live

// This file writes to the terminal.

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/pepgo/pep/internal/listing"
)

// A Screen shows a listing on a terminal, and shows it again in the same lines.
//
//	screen := live.Terminal(os.Stdout)
//	for range time.Tick(time.Second) {
//		if err := screen.Show(report.Find(db, names, options)); err != nil { … }
//	}
//
// It uses three sequences that all terminals know: to move the cursor to the first line,
// to clear a line from the cursor on, and to clear all lines below. It does not clear the
// screen first, so nothing flickers. Lines that do not fit are cut, and the last line says
// how many more there are.
type Screen struct {
	W    io.Writer
	Size func() (lines, columns int) // of the terminal now; it may be resized
}

const (
	home      = "\x1b[H"
	clearLine = "\x1b[K"
	clearRest = "\x1b[J"
)

// Show shows a listing.
func (s *Screen) Show(l listing.Listing) error {
	var text bytes.Buffer
	if err := listing.Text(&text, l); err != nil {
		return err
	}
	rows, columns := s.Size()
	rows, columns = max(rows, 2), max(columns, 10)
	lines := strings.Split(strings.TrimRight(text.String(), "\n"), "\n")
	if over := len(lines) - rows; over > 0 {
		lines = append(lines[:rows-1], fmt.Sprintf("… %d more lines", over+1))
	}
	var screen bytes.Buffer
	screen.WriteString(home)
	for i, line := range lines {
		if i > 0 {
			screen.WriteString("\r\n")
		}
		screen.WriteString(cut(line, columns))
		screen.WriteString(clearLine)
	}
	screen.WriteString(clearRest)
	_, err := s.W.Write(screen.Bytes())
	return err
}

// cut cuts a line to a number of characters. Tabs count as one space.
func cut(line string, columns int) string {
	line = strings.ReplaceAll(line, "\t", " ")
	if utf8.RuneCountInString(line) <= columns {
		return line
	}
	return string([]rune(line)[:columns-1]) + "…"
}
