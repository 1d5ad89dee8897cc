// Functions with all that pepbuild inserts, and what their inlining depends on.
package main

import "sort"

func narrow(s string) (r rune, n int) {
	c := s[0]
	switch {
	case c < 0x80:
		return rune(c), 1
	case c < 0xe0 && len(s) > 1:
		return rune(c&0x1f)<<6 | rune(s[1]&0x3f), 2
	case len(s) > 2:
		return rune(c&0xf)<<12 | rune(s[1]&0x3f)<<6 | rune(s[2]&0x3f), 3
	}
	return -1, 1
}

func loop(a []int, x, y int) (n int) {
	for n < len(a) && a[n] != x && !(a[n] > y) && (a[n]&1 == 0 || x < 3) {
		n += 2
		if n > 9 && !(x > 6) || y == 2 {
			n -= 1
		}
		if !(y > 6) || y == 2 {
			n -= 1
		}
		x++
	}
	for n < len(a) {
		n++
	}
	return n
}

func few(a, b, c bool, n int) int {
	if a && b || !c {
		switch n {
		case 1:
			n += 3
		case 2:
			n += 4
		}
	} else if !a && !b {
		n++
	}
	return n
}

const debug = false

func dead(n int) int {
	if debug && n > 3 {
		println("dead", sort.Search(n, func(i int) bool { return i > 3 }), n*3)
	}
	if n > 4 {
		return 2
	}
	return 1
}

func main() {
	println(narrow("abc"))
	println(loop([]int{1, 2, 3, 4}, 2, 3), few(true, false, true, 2), dead(5))
}
