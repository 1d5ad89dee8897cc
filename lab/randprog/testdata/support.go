package main

// This file supports random programs. It has their random numbers, which each goroutine
// draws for itself, and values of all types.

import (
	"fmt"
	"iter"
	"sync"
	"unsafe"
)

var seedOfProgram uint64 = 0

// rounds is how often each function is called from main in each goroutine.
const rounds = 100

// A P has the data of one goroutine of the program.
type P struct {
	state uint64
	fuel  int // calls left until functions return at once
	sum   int
	words [12]int
	at    uintptr // where words is
}

type (
	M        struct{}
	V        struct{}
	G[E any] struct{}
)

func main() {
	ps := make([]*P, 3)
	var wg sync.WaitGroup
	for i := range ps {
		p := &P{state: seedOfProgram*0x9e3779b97f4a7c15 + uint64(i) + 1}
		p.at = uintptr(unsafe.Pointer(&p.words)) // main keeps p, and no P is on a stack
		for i := range p.words {
			p.words[i] = i
		}
		ps[i] = p
		wg.Go(func() {
			for r := range rounds {
				for _, f := range tops {
					p.fuel = 60
					p.safe(func() { p.sum += f(p, r, p.rand(7), 3) })
				}
			}
		})
	}
	wg.Wait()
	for _, p := range ps {
		fmt.Println(p.sum, p.state)
	}
	atExit()
}

var atExit = func() {}

func (p *P) safe(f func()) {
	defer func() {
		if r := recover(); r != nil {
			p.sum += len(fmt.Sprint(r))
		}
	}()
	f()
}

func (p *P) next(k *int, n int) bool { *k++; return *k < n }

func (p *P) rand(n int) int {
	p.state ^= p.state << 13
	p.state ^= p.state >> 7
	p.state ^= p.state << 17
	return int(p.state>>33) % n
}

func (p *P) coin(n int) bool { return p.rand(n) == 0 }
func (p *P) test(x int) bool { return (x^p.rand(2))&1 == 0 }

// stop reports whether it was called too often, so that functions must return at once.
func (p *P) stop() bool {
	p.fuel--
	return p.fuel < 0
}

func (p *P) wait(f func()) {
	done := make(chan bool)
	go func() {
		defer close(done)
		p.safe(f)
	}()
	<-done
}

func (p *P) apply(f func(int) int, x int) int { return f(x) }

func (p *P) pointer(n int) *int {
	if p.coin(n) {
		return nil
	}
	return &p.sum
}

func (p *P) any(x int) any {
	switch p.rand(7) {
	case 0:
		return "text"
	case 1:
		return []int{x}
	case 2:
		return nil
	case 3:
		return fmt.Errorf("error %d", x)
	case 4:
		return p
	case 5:
		return true
	}
	return x
}

func (p *P) text() string { return "añb日"[:[]int{0, 1, 3, 4, 7}[p.rand(5)]] }

// single returns a map of at most one element, because larger maps have no fixed order.
func (p *P) single(x int) map[int]int {
	if p.coin(3) {
		return nil
	}
	return map[int]int{x: p.rand(9)}
}

func (p *P) channel(n int) chan int {
	c := make(chan int, n)
	for i := range n {
		c <- i
	}
	close(c)
	return c
}

// chans returns two channels. One of them is ready: c1 to receive from, or c2 to send to. If
// none is true, it may be that neither is ready.
func (p *P) chans(none bool) (c1, c2 chan int) {
	c1, c2 = make(chan int, 1), make(chan int, 1)
	switch n := p.rand(3); {
	case n == 0 && none:
		c2 <- 1
	case n <= 1:
		c1 <- p.rand(9)
		c2 <- 1
	}
	return c1, c2
}

func (p *P) seq(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

func (p *P) seq2(n int) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for i := range n {
			if !yield(i, p.rand(9)) {
				return
			}
		}
	}
}

func (p *P) seq0(n int) func(func() bool) {
	return func(yield func() bool) {
		for range n {
			if !yield() {
				return
			}
		}
	}
}
