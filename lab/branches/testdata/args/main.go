// Args has functions with all kinds of arguments and results that registers hold. Each function writes down its arguments when it
// begins, and whoever calls it writes down its results: as hexadecimal words, into the file that is the argument of the program.
package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"reflect"
	"unsafe"
)

var out *bufio.Writer

// log writes the words of values, in front of each of which is a name.
func log(what string, values ...any) {
	fmt.Fprint(out, what)
	for i := 0; i < len(values); i += 2 {
		fmt.Fprintf(out, " %s=%x", values[i], word(reflect.ValueOf(values[i+1])))
	}
	fmt.Fprintln(out)
}

func word(v reflect.Value) uint64 {
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return 1
		}
		return 0
	case reflect.String, reflect.Slice:
		return uint64(v.Len())
	case reflect.Float32:
		return uint64(math.Float32bits(float32(v.Float())))
	case reflect.Float64:
		return math.Float64bits(v.Float())
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.UnsafePointer:
		return uint64(v.Pointer())
	}
	if v.CanInt() {
		return uint64(v.Int()) & (1<<v.Type().Bits() - 1)
	}
	return v.Uint()
}

type (
	point struct{ x, y int }
	tag   struct {
		id   int32
		name string
		_    bool
		in   [1]point
	}
	small uint16
)

//go:noinline
func half(n int8, ok bool, f float64, g float32) (int16, float32) {
	log("half A", "n", n, "ok", ok, "f", f, "g", g)
	if ok {
		return int16(n) / 2, g * 2
	}
	return -1, float32(f)
}

//go:noinline
func text(s string, b []byte, p *int, m map[int]int, u uintptr) (string, []byte, *int) {
	log("text A", "len(s)", s, "len(b)", b, "p", p, "m", m, "u", u)
	return s[1:], append(b, 1), p
}

//go:noinline
func spread(p point, t tag, any any, last rune) (point, bool) {
	log("spread A", "p.x", p.x, "p.y", p.y, "t.id", t.id, "len(t.name)", t.name, "t.in[0].x", t.in[0].x, "t.in[0].y", t.in[0].y, "last", last)
	return point{p.y, p.x + int(last)}, any == nil
}

//go:noinline
func (s small) twice(k small) small {
	log("small.twice A", "s", s, "k", k)
	return s * 2 * k
}

//go:noinline
func (p *point) move(by int) bool {
	log("(*point).move A", "p", p, "by", by)
	p.x += by
	return p.x > 10
}

//go:noinline
func sum(first int64, xs ...int) (total int) {
	log("sum A", "first", first, "len(xs)", xs)
	for _, x := range xs {
		total += x
	}
	return
}

//go:noinline
func pick[T any](x, y T, n int) T {
	log("pick A", "x", x, "y", y, "n", n)
	if n > 1 {
		return x
	}
	return y
}

//go:noinline
func guarded(n int) (r int, ok bool) {
	defer func() {
		if recover() != nil {
			r -= 1000
		}
		r++
	}()
	log("guarded A", "n", n)
	r = n
	if n%3 == 0 {
		panic(n)
	}
	return n * 2, true
}

//go:noinline
func loops(n int) (r int8) {
	for i := range n { // not open-coded
		defer func() {
			if n == 3 {
				recover()
			}
			r += int8(i) + 100
		}()
	}
	log("loops A", "n", n)
	if n == 3 {
		panic(n)
	}
	return -1
}

// deep needs a stack of more than 100 KB.
//
//go:noinline
func deep(n int, x byte) byte {
	var frame [1000]byte
	log("deep A", "n", n, "x", x)
	frame[n] = x
	if n == 0 {
		return x
	}
	r := deep(n-1, x+frame[n])
	log("deep R", "", r)
	return r + frame[n]
}

//go:noinline
func bits(n uint64) (count uint8) {
	for ; n != 0; n &= n - 1 {
		count++
	}
	return count
}

//go:noinline
func many(a, b, c, d, e, _, g, h, i, j int) int {
	log("many A", "a", a, "b", b, "c", c, "d", d, "e", e, "g", g, "h", h, "i", i)
	return a + j
}

//go:noinline
func size(n int) int {
	log("size A", "n", n)
	if n < 0 { // a conditional move, and no branch, in front of the return
		n = -n
	}
	return n
}

//go:noinline
func both(n int) (int16, float32) { return half(int8(n), n > 3, 1, 2) }

//go:noinline
func visit(f func(d int32) bool) bool { return f(int32(len(os.Args))) }

func main() {
	file, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	out = bufio.NewWriter(file)
	x := 0x7fedcba987654321
	for i := range 20 {
		x = x*0x5851f42d4c957f2d + 1 // whose upper bits stay in registers
		a, b := half(int8(x), x&64 != 0, float64(i)/3, float32(i)/7)
		log("half R", "", a, "", b)
		s, bytes, p := text("abcdefghijklmnopqrstuvwxyz"[:i+1], make([]byte, i, 100), &x, map[int]int{}, uintptr(x))
		log("text R", "", s, "", bytes, "", p)
		q, ok := spread(point{i, x}, tag{int32(x), "abc"[:i%4], false, [1]point{{x, i}}}, nil, 'a'+rune(i))
		log("spread R", "", q.x, "", q.y, "", ok)
		log("small.twice R", "", small(x).twice(small(i)))
		log("(*point).move R", "", q.move(i))
		log("sum R", "", sum(int64(x), make([]int, i)...))
		log("pick R", "", pick(x, i, i))
		log("pick R", "", pick(uint8(x), uint8(i), i))
		log("pick R", "", pick(float64(x), 1, i))
		r, ok := guarded(i)
		log("guarded R", "", r, "", ok)
		log("loops R", "", loops(i%5))
		log("bits A", "n", uint64(x)) // it begins with a loop, so it cannot say so itself
		log("bits R", "", bits(uint64(x)))
		log("many R", "", many(i, x, 3, 4, 5, 6, 7, 8, 9, 10))
		log("size R", "", size(x))
		log("both A", "n", i)
		a, b = both(i)
		log("half R", "", a, "", b)
		log("both R", "", a, "", b)
		f := func(d int32) bool {
			log("main.func1 A", "d", d)
			x += i
			return x&32 == 0
		}
		log("visit A", "f", *(*uintptr)(unsafe.Pointer(&f)))
		ok = visit(f)
		log("main.func1 R", "", ok)
		log("visit R", "", ok)
	}
	done := make(chan bool)
	go func() {
		log("deep R", "", deep(120, byte(x)))
		close(done)
	}()
	<-done
	if err := out.Flush(); err != nil {
		panic(err)
	}
}
