//go:build withc

package main

// With the tag withc, the program has C code, and is linked dynamically.

// static int twice(int x) { return 2 * x; }
import "C"

func init() {
	if C.twice(3) != 6 {
		panic("C computes wrongly")
	}
}
