package hotlist

// This file has what the paper compares its hotlists with.

import "slices"

// A Table is the table of the most frequent values of Calder, Feller and Eustace, "Value
// Profiling", MICRO 1997: a value that has no entry replaces the least frequent one in the
// lower half of the table, and the lower half is cleared every so often, so that new values
// can rise. Its counts are at most the true ones. NewTable makes a Table.
type Table[V comparable] struct {
	entries []Entry[V] // the most frequent first; the capacity is how many it can have
	since   int        // values since the lower half was cleared
}

// ClearAfter is how many values a Table takes before it clears its lower half. Calder and
// others say that it needs tuning, and use 2000.
const ClearAfter = 2000

// NewTable returns an empty table that can have so many values, 2 or more.
func NewTable[V comparable](slots int) *Table[V] {
	return &Table[V]{entries: make([]Entry[V], 0, slots)}
}

// Add counts an occurrence of v.
func (t *Table[V]) Add(v V) {
	slots := cap(t.entries)
	if t.since++; t.since > ClearAfter {
		t.since = 0
		t.entries = t.entries[:min(len(t.entries), slots/2)]
	}
	i := slices.IndexFunc(t.entries, func(e Entry[V]) bool { return e.Value == v })
	switch {
	case i >= 0:
		t.entries[i].Count++
	case len(t.entries) < slots:
		i = len(t.entries)
		t.entries = append(t.entries, Entry[V]{v, 1})
	default:
		i = slots - 1
		t.entries[i] = Entry[V]{v, 1}
	}
	for ; i > 0 && t.entries[i-1].Count < t.entries[i].Count; i-- {
		t.entries[i-1], t.entries[i] = t.entries[i], t.entries[i-1]
	}
}

// Top returns the values with their counts, the most frequent first.
func (t *Table[V]) Top() []Entry[V] { return slices.Clone(t.entries) }
