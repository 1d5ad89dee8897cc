// Package edit changes text by insertions, deletions and moves at byte offsets.
//
//	b := edit.New([]byte("if a && b {"))
//	b.Insert(0, "{ t := 0 != 0; ")
//	b.Replace(5, 7, "{ t = 0 == 0 }; if t && (")
//	b.String()
//
// Edits at one offset appear in the order in which they were made, before a replacement
// that begins there. The package resembles cmd/internal/edit of the Go distribution.
// Unlike that package, it can move text together with the edits within it.
package edit

import (
	"slices"
	"strings"
)

// A Buffer is a text with edits.
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

// New returns a buffer for the given text. The caller must not change that text any
// more.
func New(old []byte) *Buffer { return &Buffer{old: old} }

// Insert inserts text at offset pos.
func (b *Buffer) Insert(pos int, text string) { b.Replace(pos, pos, text) }

// Replace replaces the text from start up to end. Edits within that text are dropped,
// unless Move moves the text elsewhere.
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
func (b *Buffer) String() string {
	slices.SortStableFunc(b.edits, func(x, y edit) int {
		if x.start != y.start {
			return x.start - y.start
		}
		// An insertion comes before a replacement of the text that begins here. Of two
		// replacements the longer one comes first, because it drops the shorter one.
		if x.start == x.end || y.start == y.end {
			return min(x.end-x.start, 1) - min(y.end-y.start, 1)
		}
		return y.end - x.end
	})
	var out strings.Builder
	b.render(&out, 0, len(b.old), true)
	return out.String()
}

// render writes old[start:end] with its edits. It applies the edits at end only if
// atEnd is set; otherwise they belong to the text that follows.
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
