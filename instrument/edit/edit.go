// Package edit changes text by insertions, deletions and moves at byte offsets.
//
//	b := edit.New([]byte("if a && b {"))
//	b.Insert(0, "{ t := 0 != 0; ")
//	b.Replace(5, 7, "{ t = 0 == 0 }; if t && (")
//	b.String()
//
// Edits at one offset appear in the order in which they were made, before a
// replacement that begins there. Unlike cmd/internal/edit, which it is like in
// spirit, it can move text together with the edits within it.
package edit

import (
	"slices"
	"strings"
)

// A Buffer is a text with edits that are not applied yet.
type Buffer struct {
	old   []byte
	edits []edit
}

// An edit replaces old[start:end] by text, or, if move is set, by what
// old[from:to] becomes.
type edit struct {
	start, end int
	text       string
	move       bool
	from, to   int
}

// New returns a buffer for the given text, which must not change any more.
func New(old []byte) *Buffer { return &Buffer{old: old} }

// Insert inserts text at offset pos.
func (b *Buffer) Insert(pos int, text string) { b.Replace(pos, pos, text) }

// Replace replaces the text from start up to end. Edits within are dropped,
// unless the text is moved elsewhere.
func (b *Buffer) Replace(start, end int, text string) {
	b.edits = append(b.edits, edit{start: start, end: end, text: text})
}

// Move inserts a copy of the text from start up to end, with the edits within
// it, at pos.
func (b *Buffer) Move(start, end, pos int) {
	b.edits = append(b.edits, edit{start: pos, end: pos, move: true, from: start, to: end})
}

// Changed reports whether there are edits.
func (b *Buffer) Changed() bool { return len(b.edits) > 0 }

// String returns the edited text.
func (b *Buffer) String() string { return b.Text(0, len(b.old)) }

// Text returns the text from start up to end, edited, with the insertions at both
// ends.
func (b *Buffer) Text(start, end int) string {
	slices.SortStableFunc(b.edits, func(x, y edit) int {
		if x.start != y.start {
			return x.start - y.start
		}
		// Insertions come before what replaces the text that begins here, and what
		// replaces more of it before what it drops.
		if x.start == x.end || y.start == y.end {
			return min(x.end-x.start, 1) - min(y.end-y.start, 1)
		}
		return y.end - x.end
	})
	var out strings.Builder
	b.render(&out, start, end, true)
	return out.String()
}

// render writes old[start:end] with its edits. Those at end are applied only if
// atEnd is set: they belong to what follows.
func (b *Buffer) render(out *strings.Builder, start, end int, atEnd bool) {
	at := start
	i, _ := slices.BinarySearchFunc(b.edits, start, func(e edit, pos int) int { return e.start - pos })
	for ; i < len(b.edits); i++ {
		e := b.edits[i]
		if e.start > end || e.start == end && !atEnd {
			break
		}
		if e.start < at {
			continue // within a replaced text
		}
		if e.end > end || !atEnd && e.start == start && e.end == end && e.start < e.end {
			continue // the replacement that the text is moved out of
		}
		out.Write(b.old[at:e.start])
		if e.move {
			b.render(out, e.from, e.to, false)
		}
		out.WriteString(e.text)
		at = e.end
	}
	out.Write(b.old[at:end])
}
