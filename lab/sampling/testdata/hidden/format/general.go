//go:build !special && !count

package main

// number appends a number.
func (w *writer) number(n uint64) {
	var text [64]byte
	i := len(text)
	for {
		i--
		text[i&63] = digits[n%w.base]
		if n /= w.base; n == 0 {
			break
		}
	}
	w.out = append(w.out, text[i&63:]...)
}
