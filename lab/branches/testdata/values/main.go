// Values has calls of functions that are values and of methods of interfaces, and all forms of expressions and statements that look at
// the type of an interface. Each of those that have the mark "looks" looks at one type when its line is executed. With the mark "looks, if x is
// not nil" it does so unless it is nil, as one of 14 things is: then the compiler knows.
package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
)

type shape interface{ area() float64 }

type named interface {
	shape
	name() string
}

type (
	square struct{ a float64 }
	circle struct{ r float64 }
	rect   struct{ a, b float64 }
	point  struct{}
)

func (s square) area() float64  { return s.a * s.a }
func (c *circle) area() float64 { return 3 * c.r * c.r }
func (r rect) area() float64    { return r.a * r.b }
func (r rect) name() string     { return "rect" }
func (point) area() float64     { return 0 }

type box struct {
	content any
	shape   shape
}

var (
	shapes  = []shape{square{1}, &circle{2}, rect{3, 4}, point{}, nil, square{5}}
	things  = []any{1, "a", nil, 2.5, square{2}, &circle{3}, rect{1, 2}, []byte("b"), int8(3), uint(4), struct{}{}, strings.NewReader("c"), &bytes.Buffer{}, io.EOF}
	global  any
	sum     int
	boxes   []*box
	written io.Writer = io.Discard
)

func main() {
	for _, s := range shapes {
		boxes = append(boxes, &box{shape: s})
	}
	for i, x := range things {
		boxes = append(boxes, &box{content: x, shape: shapes[i%len(shapes)]})
	}
	for range 7 {
		for _, x := range things {
			global = x
			assertions(x)
			small(x)
			large(x)
			interfaces(x)
			mixed(x)
			known(x)
			sum += generic[int](x) + generic[string](x) + generic[io.Reader](x) + genericSwitch[int, square](x) + genericSwitch[*circle, error](x)
			func() {
				defer func() { recover() }()
				must(x)
			}()
			inlined()
		}
		for _, s := range shapes {
			ofShape(s)
			func() {
				defer func() { recover() }()
				mustShape(s)
			}()
			func() {
				defer func() { recover() }()
				mustRect(s)
			}()
			sum += genericShape[square](s) + genericShape[*circle](s)
			if s != nil {
				calls(s.area, s)
			}
		}
		for _, b := range boxes {
			fields(b)
		}
	}
	fmt.Fprintln(os.Stderr, sum)
}

//go:noinline
func assertions(x any) {
	n, ok := x.(int) // looks
	sum += n
	if ok {
		sum++
	}
	if s, ok := x.(string); ok { // looks
		sum += len(s)
	}
	if _, ok := x.(shape); ok { // looks
		sum++
	}
	if r, ok := x.(io.Reader); ok { // looks
		sum += int(reads(r))
	}
	_, ok = x.(*circle) // looks
	if !ok {
		sum++
	}
	b, _ := x.([]byte) // looks
	sum += len(b)
	if _, ok := x.(any); ok { // the compiler knows whether x is nil
		sum++
	}
}

//go:noinline
func reads(r io.Reader) int64 {
	w, _ := r.(io.WriterTo) // looks
	if w != nil {
		return 1
	}
	return 0
}

//go:noinline
func must(x any) {
	sum += x.(int) // looks
	sum++
}

//go:noinline
func mustShape(s shape) {
	sum += int(s.(named).area()) // looks
}

//go:noinline
func mustRect(s shape) {
	sum += int(s.(rect).a) // looks
}

//go:noinline
func small(x any) {
	switch x.(type) { // looks
	case int:
		sum++
	case string, float64:
		sum += 2
	}
	switch v := x.(type) { // looks, if x is not nil
	case nil:
		sum += 3
	case square:
		sum += int(v.a)
	}
	switch x.(type) { // looks
	default:
		sum += 4
	case *circle:
	}
}

//go:noinline
func large(x any) {
	switch v := x.(type) { // looks
	case int:
		sum += v
	case string:
		sum += len(v)
	case float64:
		sum += int(v)
	case square:
		sum += int(v.a)
	case *circle:
		sum += int(v.r)
	case rect:
		sum += int(v.b)
	case []byte:
		sum += len(v)
	case int8:
		sum += int(v)
	case uint:
		sum += int(v)
	case struct{}:
		sum++
	}
}

//go:noinline
func interfaces(x any) {
	switch v := x.(type) { // looks
	case io.Reader:
		sum++
		_ = v
	case error:
		sum += 2
	case shape:
		sum += int(v.area())
	}
}

//go:noinline
func mixed(x any) {
	switch v := x.(type) { // looks
	case int, string:
		sum++
	case io.WriterTo:
		sum += 2
	case rect:
		sum += int(v.a)
	case any:
		sum += 3
	}
}

// known has types that are known not to be nil.
//
//go:noinline
func known(x any) {
	if x == nil {
		return
	}
	if _, ok := x.(shape); ok { // looks
		sum++
	}
	switch x.(type) { // looks
	case int, square, rect:
		sum++
	case string:
		sum += 2
	}
}

//go:noinline
func ofShape(s shape) {
	switch s := s.(type) { // looks
	case square:
		sum += int(s.a)
	case named:
		sum += len(s.name())
	case *circle:
		sum++
	}
	if _, ok := s.(rect); ok { // looks
		sum++
	}
	if s != nil {
		if _, ok := s.(named); ok { // looks
			sum += 2
		}
		x := any(s)
		if _, ok := x.(io.Reader); ok { // looks
			sum += 3
		}
	}
	_, ok := s.(any) // the compiler knows whether s is nil
	if ok {
		sum++
	}
}

//go:noinline
func fields(b *box) {
	if _, ok := b.content.(int); ok { // looks
		sum++
	}
	if _, ok := b.shape.(*circle); ok { // looks
		sum++
	}
	if _, ok := global.(string); ok { // looks
		sum++
	}
	switch b.content.(type) { // looks
	case string:
		sum++
	case io.Reader:
		sum += 2
	}
}

func isInt(x any) bool {
	_, ok := x.(int) // looks
	return ok
}

//go:noinline
func inlined() {
	for range 3 {
		if isInt(global) {
			sum++
		}
	}
	if isInt(global) || isInt(boxes[0].content) {
		sum++
	}
}

//go:noinline
func generic[T any](x any) int {
	_, ok := x.(T) // looks
	if ok {
		return 1
	}
	return 0
}

//go:noinline
func genericShape[T shape](s shape) int {
	if t, ok := s.(T); ok { // looks
		return int(t.area())
	}
	return 0
}

//go:noinline
func genericSwitch[T, U any](x any) int {
	switch x.(type) { // looks
	case T:
		return 1
	case U:
		return 2
	case string:
		return 3
	}
	return 0
}

//go:noinline
func calls(f func() float64, s shape) {
	sum += int(f())
	sum += int(s.area())
	defer f()
	defer s.area()
	done := make(chan bool)
	go func(g func() float64) {
		g()
		done <- true
	}(f)
	<-done
	for _, h := range []func() float64{f, s.area, square{2}.area} {
		sum += int(h())
	}
	fmt.Fprint(written, "x")
}
