// A program with interfaces, inlined and ordinary calls.
package main

import (
	"fmt"
	"os"
)

type shape interface{ area() int }

type square struct{ side int }

func (s square) area() int { return mul(s.side, s.side) }

type strip struct{ a, b int }

func (s *strip) area() int { return mul(s.a, s.b) }

func mul(a, b int) int { return a * b }

//go:noinline
func sum(list []shape) (n int) {
	for _, s := range list {
		n += s.area()
	}
	return n
}

func main() {
	fmt.Fprintln(os.Stdout, sum([]shape{square{len(os.Args)}, &strip{2, 3}}))
}
