//go:build !special

package main

// quoted reports whether a field contains the separator.
func (w *writer) quoted(field string) bool {
	for i := range len(field) {
		n := 0
		for n < len(w.separator) && i+n < len(field) && field[i+n] == w.separator[n] { // hidden: 1 0x2c
			n++
		}
		if n == len(w.separator) { // hidden: 1
			return true
		}
	}
	return false
}
