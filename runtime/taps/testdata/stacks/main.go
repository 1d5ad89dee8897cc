// Program stacks calls functions in many ways. Where it calls checkpoint, it prints what
// the Go runtime says of the stack: number, then its own functions, the outermost first.
package main

import (
	"errors"
	"fmt"
	"runtime"
	"sort"
	"strings"
	"sync"
)

var (
	lock  sync.Mutex
	count int
)

//go:noinline
func checkpoint(n int) int {
	pcs := make([]uintptr, 100)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	var list []string
	for {
		f, more := frames.Next()
		if strings.HasPrefix(f.Function, "main.") && !strings.Contains(f.Function, "-range") {
			list = append([]string{strings.ReplaceAll(f.Function, "[...]", "")}, list...)
		}
		if !more {
			break
		}
	}
	lock.Lock()
	fmt.Println(n, strings.Join(list, " "))
	lock.Unlock()
	return n
}

//go:noinline
func next() int {
	lock.Lock()
	defer lock.Unlock()
	count++
	return count
}

func here() int { return checkpoint(next()) }

type tree struct{ left, right *tree }

func (t *tree) walk(depth int) int {
	if t == nil {
		return 0
	}
	if depth == 0 {
		return here()
	}
	return t.left.walk(depth-1) + t.right.walk(depth-1)
}

type shape interface{ area(x int) (int, error) }

type square int

func (s square) area(x int) (int, error) { return int(s) * here() * x, nil }

type wrapped struct{ shape }

func sum[T any](list []T, f func(T) int) (n int) {
	for _, x := range list {
		n += f(x)
	}
	return
}

func fib(n int) int {
	if n < 2 {
		here()
		return n
	}
	return fib(n-1) + fib(n-2)
}

//go:noinline
func fails(n int) int {
	if n == 0 {
		panic(errors.New("on purpose"))
	}
	return fails(n-1) + here()
}

//go:noinline
func recovers() (err error) {
	defer func() {
		err, _ = recover().(error)
		here() // with the frames that panic
	}()
	return fmt.Errorf("%d", fails(3))
}

//go:noinline
func index(list []int, i int) int { return list[i] + here() }

//go:noinline
func cleans(x int) (y int) {
	defer func() { y += here() }()
	defer here()
	if x > 1 {
		return fib(2)
	}
	y = x
	return
}

//go:noinline
func bounds() (r any) {
	defer func() { r = recover() }()
	return index([]int{1, 2}, here()+1000)
}

func pairs(yield func(int, string) bool) {
	here()
	_ = yield(1, "a") && yield(2, "b") && yield(3, "c")
	here()
}

//go:noinline
func ranges(stop int) string {
	for i, s := range pairs {
		here()
		if i == 2 {
			continue
		}
		if i >= stop {
			return s
		}
	}
	here()
	return ""
}

//go:noinline
func exits(wg *sync.WaitGroup) {
	defer wg.Done()
	here()
	leaves(4)
}

//go:noinline
func leaves(n int) int {
	if n == 0 {
		here()
		runtime.Goexit()
	}
	return leaves(n-1) + 1
}

//go:noinline
func labels(n int) bool {
	switch {
	case n == 0:
		return here() > 0 && n == 0
	case n > 5:
		goto end
	}
	for i := range n {
		if i == 3 {
			goto end
		}
		here()
	}
	return labels(0)
end:
	return !labels(1) || here() > 0
}

func main() {
	t := &tree{&tree{&tree{}, &tree{}}, &tree{&tree{}, nil}}
	fmt.Println(t.walk(2) > 0)
	for _, s := range []shape{square(2), wrapped{square(3)}, &wrapped{square(4)}} {
		n, err := s.area(here())
		fmt.Println(n > 0, err)
	}
	fmt.Println(sum([]string{"a", "b"}, func(s string) int { return len(s) * here() }) > 0)
	list := []int{3, 1, 2}
	sort.Slice(list, func(i, j int) bool { here(); return list[i] < list[j] })
	fmt.Println(list, fib(5), recovers(), cleans(1) > 0, cleans(2) > 0, bounds() != nil, labels(2), labels(7))
	for stop := range 5 {
		fmt.Printf("%q\n", ranges(stop))
	}
	var wg sync.WaitGroup
	for i := range 300 { // more than there is time for one chunk each
		wg.Add(1)
		go func() {
			defer wg.Done()
			fib(i % 4)
			runtime.Gosched()
			here()
		}()
		if i%10 == 0 {
			wg.Add(1)
			go exits(&wg)
			wg.Wait()
		}
	}
	wg.Wait()
	here()
}
