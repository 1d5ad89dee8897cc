// Target is a program for tests: it tells what its own runtime knows about addresses.
//
// The first line of its input is the address of main.main in the executable. Each further
// line is an address; target prints the innermost function there, inlined or not, as
// "function file:line". Its first line of output is the number of its goroutine, from the
// text of a stack trace, and a sum.
package main

import (
	"bufio"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
)

type shape interface{ area() int }

type square struct{ side int }

func (s square) area() int { return mul(s.side, s.side) }

type rect struct{ w, h int }

func (r *rect) area() int { return mul(r.w, r.h) }

// mul is inlined into both methods, and these into total.
func mul(a, b int) int {
	if a < 0 {
		a = -a
	}
	return a * b
}

//go:noinline
func total(n int) (sum int) {
	for i := range n {
		s, r := square{i}, rect{i, i + 1}
		sum += s.area() + r.area()
	}
	return sum
}

//go:noinline
func largest[T int | string](list []T) (m T) {
	for _, x := range list {
		m = max(m, x)
	}
	return m
}

//go:noinline
func each(list []shape, do func(shape)) {
	defer func() { recover() }()
	for _, s := range list {
		do(s)
	}
}

func main() {
	sum := total(10) + largest([]int{1, 2}) + len(largest([]string{"a"}))
	each([]shape{square{2}, &rect{1, 2}}, func(s shape) { sum += s.area() })
	var trace [64]byte
	fmt.Println(strings.Fields(string(trace[:runtime.Stack(trace[:], false)]))[1], sum)
	in := bufio.NewScanner(os.Stdin)
	var bias uintptr
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for first := true; in.Scan(); first = false {
		var addr uintptr
		fmt.Sscan(in.Text(), &addr)
		if first {
			bias = reflect.ValueOf(main).Pointer() - addr
			continue
		}
		frames := runtime.CallersFrames([]uintptr{addr + bias + 1}) // return addresses
		f, _ := frames.Next()
		fmt.Fprintf(out, "%s %s:%d\n", f.Function, f.File, f.Line)
	}
}
