// Shapes has the forms of branches that the compiler treats in ways of their own.
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

type pair struct {
	name string
	n    int
}

type number interface{ ~int | ~float64 }

var sink int

func main() {
	r := uint32(1)
	next := func(n int) int {
		r = r*1664525 + 1013904223
		return int(r>>8) % n
	}
	words := strings.Fields("one two three four five six seven")
	for i := range 2000 {
		a, b := next(20), next(20)
		w := words[next(len(words))]
		compare(w, words[next(len(words))], pair{w, a}, pair{"three", b})
		logic(a, b, i)
		ranges(a, b)
		sink += table(a) + dense(a) + texts(w) + kinds(any(w), any(a), any(i > 5))
		sink += pick(a, b) + int(pick(float64(a), float64(b))) + moved(a, b, i) + moves(uint32(a), int16(b), &words[0], w)
		sink += loops(a) + jumps(a) + captured(a) + found(a) + next5(a, countdown) + rounds(a)
		if err := recovers(a); err != nil && !errors.Is(err, errSmall) {
			fmt.Println(err)
		}
		selects(a)
		operands(a, b)
		both(a)
		sink += oneOf(uint8(a), b)
		use(square(int64(len(w))))
		barrier(a, b, &pair{w, a})
		floats(float64(a)-10, float64(b))
	}
	fmt.Fprintln(os.Stderr, sink)
}

//go:noinline
func use(any) {}

// Comparisons that the compiler makes several of.
func compare(s, t string, p, q pair) {
	if s == t {
		sink++
	}
	if s != t {
		sink += 2
	}
	if !(s == t) {
		sink += 3
	} else {
		sink--
	}
	if p == q {
		sink += len(p.name)
	}
	if p != q && s == "one" {
		sink += len(q.name)
	}
	if any(s) == any(t) || s == "two" {
		sink += 5
	}
	for s != "" && s == t {
		s = s[1:]
		sink++
	}
}

func logic(a, b, i int) {
	if a > 5 && b > 5 || i%3 == 0 {
		use(a)
	} else {
		sink++
	}
	if !(a > 3 || b > 3) {
		use(b)
	}
	ok := a < b && b < 15
	if ok {
		use(ok)
	}
	if a < 10 == (b < 10) {
		sink += 7
	}
	if debug && a > 2 {
		fmt.Println("never")
	}
	if a > 17 {
	} else if b > 17 {
		sink += 9
	} else {
		sink += 10
	}
}

const debug = false

// The left operand decides whether the right one is called.
func operands(a, b int) {
	if a > 5 && right1(b) {
		sink++
	}
	if a < 3 || right2(b) {
		use(a)
	}
	ok := a > 2 && !right3(b)
	if !ok {
		sink++
	}
	for a > 0 && right4(a) {
		a -= 2
	}
	switch {
	case a > 0 || right5(b):
		use(a)
	case (b > 1 || a > 1) && right6(b):
		sink++
	}
	use(b == 2 || !(b != 3) || right7(b) && right8(b))
	if (a == b) == (b > 3) && right9(b) {
		use(b)
	}
}

func right1(n int) bool { return n > 5 }

//go:noinline
func right2(n int) bool { return n > 5 }

func right3(n int) bool { return n > 5 }

//go:noinline
func right4(n int) bool { return n > 5 }

func right5(n int) bool { return n > 15 }
func right6(n int) bool { return n > 5 }

//go:noinline
func right7(n int) bool { return n > 5 }

//go:noinline
func right8(n int) bool { return n > 9 }

//go:noinline
func right9(n int) bool { return n > 9 }

// What becomes one comparison, or conditional moves.
func ranges(a, b int) {
	if 0 <= a && a < 10 {
		use(a)
	}
	if a < 3 || a > 12 {
		use(b)
	}
	m := a
	if b > m {
		m = b
	}
	n := 1
	if a == b {
		n = 0
	}
	sink += m + n
}

// A table of values, in releases that make one.
//
//go:noinline
func table(n int) int {
	switch n {
	case 0:
		return 10
	case 1:
		return 12
	case 2:
		return 99
	case 3:
		return 12
	case 4:
		return 5
	case 5:
		return 77
	case 6:
		return 4
	case 7:
		return 31
	}
	return 0
}

func dense(n int) int {
	switch n {
	case 0:
		sink++
	case 1, 2:
		sink += 2
		fallthrough
	case 3:
		return texts("two")
	case 4:
		return texts("six")
	case 5:
	case 6:
		use(n)
	case 7:
		return n
	case 8:
		sink += 8
	case 9, 10, 11:
		return texts("nine")
	default:
		sink--
	}
	return 1
}

func texts(s string) int {
	switch s {
	case "one", "two":
		return len(s)
	case "three":
		sink++
	case "four", "five", "nine":
		sink--
	case "six":
		return 9
	default:
		sink += 2
	}
	switch {
	case len(s) > 3 && s[0] == 'f':
		return 1
	case s == "seven":
		return 2
	}
	return 0
}

func kinds(values ...any) (n int) {
	for _, v := range values {
		switch v := v.(type) {
		case string:
			n += len(v)
		case int:
			if v > 10 {
				n++
			}
		case fmt.Stringer, error:
			n += 100
		default:
			n--
		}
		if s, ok := v.(string); ok && s != "one" {
			n++
		}
	}
	return n
}

func pick[T number](a, b T) T {
	if a > b {
		return twice(a)
	}
	return twice(b)
}

func twice[T number](a T) T {
	if a > 4 {
		return a + a
	}
	return 2
}

func loops(n int) int {
	sum := 0
	for i := 0; i < n; i++ {
		if i == 7 {
			continue
		}
		sum += i
	}
	for i := range n {
		sum ^= i
	}
	for range 3 {
		sum++
	}
	for _, c := range "añb" {
		if c > 100 {
			sum++
		}
	}
	for k, v := range map[int]int{1: 2, 3: 4} {
		sum += k * v
	}
	for {
		if sum > 50 {
			break
		}
		sum += 11
	}
outer:
	for i := range 4 {
		for j := range 4 {
			if i+j == n {
				break outer
			}
			if j > i {
				continue outer
			}
			sum++
		}
	}
	for v := range countdown(n) {
		if v == 3 {
			break
		}
		sum += v
	}
	return sum
}

func countdown(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for n > 0 {
			if !yield(n) {
				return
			}
			n--
		}
	}
}

func jumps(n int) int {
	i := 0
again:
	if i < n {
		i += 3
		goto again
	}
	return i
}

// Each round has a variable of its own.
func captured(n int) (sum int) {
	var fs []func() int
	for i := 0; i < n; i++ {
		fs = append(fs, func() int { i++; return i })
	}
	for _, f := range fs {
		sum += f()
	}
	return sum
}

var errSmall = errors.New("small")

func recovers(n int) (err error) {
	defer func() {
		if x := recover(); x != nil {
			err = errSmall
		}
	}()
	if n < 3 {
		panic(n)
	}
	if n > 10 {
		defer use(n)
	}
	return nil
}

func selects(n int) {
	c := make(chan int, 1)
	if n > 5 {
		c <- n
	}
	select {
	case v := <-c:
		sink += v
	default:
		sink++
	}
	d := make(chan int, 1)
	if n > 7 { // one of the two is ready
		d <- 1
		c <- n
	}
	select {
	case v := <-d:
		sink += v
	case c <- 1:
		if len(c) > 1 {
			sink++
		}
	}
	select {
	case c <- 2:
		sink++
	case <-d:
		sink--
	default:
		sink += 2
	}
}

func floats(x, y float64) {
	if x == y {
		use(x)
	}
	if x != y {
		sink++
	}
	if x < 0 {
		use(y)
	} else if x >= y {
		sink--
	}
}

// One comparison says how often both hold, and nothing else.
//
//go:noinline
func both(a int) {
	if a >= 5 && a < 10 { // merged
		use(a)
	}
}

var squares [256]any

// Where it is inlined, the compiler proves that the second condition does not hold, so both ways of the first one do the same.
func square(i int64) any {
	if n := 256 + i; n >= 0 && n < 256 { // proven
		return squares[n]
	}
	return i
}

func low(a uint8) uint8 { return a & 15 }

// The constants differ by a bit, so the compiler makes one comparison of the first two conditions.
//
//go:noinline
func oneOf(a uint8, b int) (n int) {
	for ; low(a) == 3 || low(a) == 7; a += uint8(b&3) + 1 {
		n++
	}
	if low(a) != 4 && low(a) != 12 && b > 2 {
		n += 5
	}
	if b&1 == 0 || b == 9 || b == 11 {
		use(n)
	}
	return n
}

var last *pair

// The store needs a write barrier, which makes several blocks of the one in front of the branch.
//
//go:noinline
func barrier(a, b int, p *pair) {
	last = p
	if a > b {
		use(a)
	} else {
		sink++
	}
}

// Jumps leave the bodies of ranges over functions.

func found(n int) int {
	for v := range countdown(n) {
		if v%7 == 6 {
			return v
		}
		if v == 4 {
			return -v
		}
		sink++
	}
	return n
}

//go:noinline
func next5(n int, seq func(int) func(func(int) bool)) int {
	sum := 0
	if n > 10 {
		sum--
	}
	for v := range seq(n) {
		if v == 5 {
			return sum
		}
		sum += v
	}
	return sum + n
}

func rounds(n int) int {
	sum := 0
outer:
	for i := range n {
		for v := range countdown(i) {
			if v == 3 {
				continue outer
			}
			sum++
		}
		sum += 10
	}
	return sum
}

// Conditional moves. In lines that end with move, an instruction says which way the branch went, and in those that end with untold
// none does. So it is with branches of which the compiler makes truth values.

func moved(a, b, i int) int {
	n := steps(a, b) + loaded(a, i) + either(a, b) + headed(a, b) + clauses(a, b) + nested(a, b)
	n += larger(b, i) + within(i, 30, 120) + ordered(a, b, i) + late(b, i) + stored(&pair{n: a}, b)
	if occurs(a, b) != known(i) {
		n++
	}
	return n
}

//go:noinline
func steps(a, b int) int {
	n := a
	if a > b { // move
		n++
	}
	if !(a < 7) { // move
		n -= b
	}
	if b == 11 { // move
		n <<= 1
	}
	return n
}

var odd = [4]bool{1: true, 3: true}

//go:noinline
func loaded(a, i int) int {
	n := a
	if odd[i&3] { // move
		n = 5
	}
	if odd[a&3] { // untold: it is added
		i++
	}
	return n + i
}

//go:noinline
func either(a, b int) int {
	if a != 3 { // move
		a = b
	} else {
		a = 9
	}
	return a
}

//go:noinline
func headed(a, b int) (n int) {
	for k := range 3 {
		if a < k { // move
			a = k + b
		}
		n += a
	}
	return n
}

//go:noinline
func clauses(a, b int) int {
	switch {
	case a > 8: // move
		b = 3
	default:
		b = a
	}
	return b
}

//go:noinline
func nested(a, b int) int {
	n := b
	if a > 4 { // move
		if b > a { // untold: it is a move in both ways of the outer branch
			n = a
		}
	}
	return n
}

func larger(a, b int) int {
	m := a
	if b > m { // move
		m = b
	}
	return m
}

func within(n, low, high int) int {
	if n < low { // move
		n = low
	}
	if n > high { // move
		n = high
	}
	return n
}

// The second move stands in front of the first one, which needs what the inlined call returns.
func ordered(a, b, i int) int {
	n, k := i, a
	if larger(a, i) > b { // move
		n = 7
	}
	if b > 9 { // untold: a path would end between the two
		k = i
	}
	return n ^ k
}

// The store needs a write barrier, behind which the moves are.
//
//go:noinline
func stored(p *pair, b int) int {
	last = p
	n := b
	if p.n > b { // move
		n = 2
	}
	return n + larger(p.n, 12)
}

// The branch sets a value to what its condition is, or that.
//
//go:noinline
func occurs(a, b int) bool {
	found := b > 5
	for k := range 3 {
		if a == k+b { // move
			found = true
		}
	}
	return found
}

//go:noinline
func known(i int) bool {
	is := i > 40
	if odd[i&3] { // untold: the value is there before
		is = true
	}
	return is
}

// The call is in front of the move.
func late(a, b int) int {
	n := either(a, b)
	if n > 6 { // move
		n = b
	}
	return n
}

//go:noinline
func moves(a uint32, b int16, p *string, s string) int {
	c := uint32(3)
	if a >= 7 { // move
		c = a
	}
	d := b
	if b < 4 { // move
		d = int16(c)
	}
	q := &s
	if a != c { // move
		q = p
	}
	e := uint64(a)
	if float64(a) > float64(b) { // move
		e = 9
	}
	f := e
	if float32(a) == float32(b) { // untold: two moves
		f = 4
	}
	use(q)
	return int(c) + int(d) + int(e+f)
}
