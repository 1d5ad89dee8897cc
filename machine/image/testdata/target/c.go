//go:build withc

package main

// static int twice(int x) { return 2 * x; }
import "C"

func init() {
	if C.twice(2) != 4 {
		panic("C cannot count")
	}
}
