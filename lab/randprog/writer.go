package randprog

// This file writes two texts side by side.

import (
	"fmt"
	"strings"
)

// A writer writes the plain and the traced form of a program.
type writer struct {
	plain, traced strings.Builder
	line, col     int // of the end of plain, from 1
	indent        int
}

func newWriter() *writer { return &writer{line: 1, col: 1} }

// both adds to both forms.
func (w *writer) both(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	w.traced.WriteString(s)
	w.plain.WriteString(s)
	if i := strings.LastIndexByte(s, '\n'); i >= 0 {
		w.line += strings.Count(s, "\n")
		w.col = len(s) - i
	} else {
		w.col += len(s)
	}
}

// trace adds text to the traced form only. The text has no line break, so both forms have
// the same lines.
func (w *writer) trace(format string, args ...any) {
	fmt.Fprintf(&w.traced, format, args...)
}

// start begins a line.
func (w *writer) start() { w.both("%s", strings.Repeat("\t", w.indent)) }

// ln adds a line to both forms.
func (w *writer) ln(format string, args ...any) {
	w.start()
	w.both(format+"\n", args...)
}

// open begins a block, close ends it.
func (w *writer) open(format string, args ...any) {
	w.both(format+" {\n", args...)
	w.indent++
}

func (w *writer) close(after string) {
	w.indent--
	w.start()
	w.both("}%s", after)
}
