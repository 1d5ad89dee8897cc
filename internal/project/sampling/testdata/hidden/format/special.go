//go:build special

package main

// quoted reports whether a field contains the separator.
func (w *writer) quoted(field string) bool {
	if len(w.separator) != 1 {
		panic("the loop for other separators is left out here")
	}
	for i, s := 0, w.separator[0]; i < len(field); i++ {
		if field[i] == s {
			return true
		}
	}
	return false
}
