// Command control runs some of its code, and not the rest. Its first argument chooses what.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sort"
	"strings"
	"sync"
)

type shape interface{ area() int }

type square struct{ side int }

type circle struct{ radius int }

func (s square) area() int { return s.side * s.side }

func (c *circle) area() int { return 3 * c.radius * c.radius }

func (s square) unused() int { return s.side }

// Map has an instance for each shape of its type arguments.
func Map[T, U any](list []T, f func(T) U) (out []U) {
	for _, x := range list {
		out = append(out, f(x))
	}
	if len(out) > 1000 {
		out = out[:1000]
	}
	return out
}

// Max is inlined.
func Max(a, b int) int {
	if a > b {
		return a
	}
	return b
}

//go:noinline
func choose(n int) string {
	switch n {
	case 0:
		return "zero"
	case 1:
		return "one"
	case 2:
		return "two"
	case 3:
		return "three"
	case 4:
		return "four"
	case 5:
		return "five"
	case 6:
		return "six"
	case 7:
		return "seven"
	case 8:
		return "eight"
	}
	return "many"
}

type node struct {
	next *node
	n    int
}

//go:noinline
func third(n *node) int {
	x := n.next
	if x.next.n > 3 {
		return 1
	}
	return 2
}

// fault has a fault that it recovers from.
func fault(n *node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("recovered: %v", r)
		}
	}()
	if third(n) == 1 {
		return errors.New("first")
	}
	return nil
}

//go:noinline
func deferred(fail bool) (n int) {
	defer func() { n++ }()
	for i := range 3 {
		defer func() { n += i }()
	}
	if fail {
		panic("deferred")
	}
	return 1
}

func caught(fail bool) (n int) {
	defer func() {
		if recover() != nil {
			n = -1
		}
	}()
	return deferred(fail)
}

//go:noinline
func bits(x uint, f float64) (n int) {
	for x != 0 {
		x &= x - 1
		n++
	}
	if f != f || f > 1e9 && x == 0 {
		n = -n
	}
	return n
}

func words(text string) map[string]int {
	count := map[string]int{}
	for _, w := range strings.Fields(text) {
		switch {
		case strings.HasPrefix(w, "#"):
			continue
		case len(w) > 10:
			w = w[:10]
		}
		count[w]++
	}
	return count
}

func parallel(n int) int {
	var wg sync.WaitGroup
	results := make(chan int, n)
	for i := range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if i%2 == 0 {
				results <- i
			} else {
				results <- -i
			}
		}()
	}
	wg.Wait()
	close(results)
	sum := 0
	for x := range results {
		sum += x
	}
	select {
	case x, ok := <-results:
		if ok {
			sum += x
		}
	default:
		sum = 0
	}
	return sum
}

func seq(n int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

func never(a, b int) int {
	if a < b {
		return Max(b, a) + 1
	}
	return len(choose(a))
}

var head *node

func work(what string) {
	shapes := []shape{square{2}, &circle{1}}
	sum := 0
	for _, s := range shapes {
		sum += s.area()
	}
	if what == "all" {
		for i := range 10 {
			fmt.Println(choose(i))
		}
		sum += caught(true) + bits(7, 1e10)
	} else {
		fmt.Println(choose(3), choose(8))
	}
	sum += Max(sum, 4) + caught(false) + bits(5, 1)
	fmt.Println(sum, Map([]int{1, 2, 3}, func(n int) string { return fmt.Sprint(n) }), Map([]string{"a"}, func(s string) int { return len(s) }))
	fmt.Println(fault(&node{}))
	head = &node{next: &node{next: head, n: sum}}
	if what == "all" {
		head.next.next = &node{n: 5}
		fmt.Println(fault(head))
	}
	keys := []string{}
	for k := range words("to be or not to be #comment") {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return keys[i] < keys[j] })
	fmt.Println(keys, parallel(4))
	for i := range seq(5) {
		if i == 3 && what != "all" {
			break
		}
		sum += i
	}
	fmt.Println(sum)
}

func main() {
	debug.SetGCPercent(-1)
	if len(os.Args) > 2 && os.Args[2] == "wait" { // works for each line that it reads
		fmt.Println("ready")
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			work(os.Args[1])
			fmt.Println("done")
		}
		return
	}
	if len(os.Args) > 5 {
		never(len(os.Args), 1)
		fmt.Println(square{1}.unused())
	}
	work(os.Args[1])
}
