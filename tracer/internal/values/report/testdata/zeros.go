package main

// The source of the program in tests of listings. Nobody compiles it.

func zeros(list []int, f func(int)) (n int) {
	for i := range list {
		if list[i] == 0 {
			n = peek(list)
			n ^= list[n]
			f(n)
		}
	}
	return n
}
