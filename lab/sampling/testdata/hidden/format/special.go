//go:build special

package main

// number appends a number.
func (w *writer) number(n uint64) {
	if w.base != 10 {
		panic("the loop for other bases is left out here")
	}
	var text [64]byte
	i := len(text)
	for {
		i--
		text[i&63] = '0' + byte(n%10)
		if n /= 10; n == 0 {
			break
		}
	}
	w.out = append(w.out, text[i&63:]...)
}
