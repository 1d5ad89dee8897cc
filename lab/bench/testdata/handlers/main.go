// Command handlers answers requests with two handlers, under the labels handler=a and handler=b of
// runtime/pprof, and prints how often each of them loaded each number:
//
//	a 3 120000
//
// All loads are of one tap. A request is a part of a millisecond, and has its own mixture of numbers, so loads
// of a window are not independent. Handler b needs several times as long for each load.
package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime/pprof"
	"sync"
)

const (
	workers  = 4
	requests = 1000 // of each worker
	ring     = 64   // nodes
	numbers  = 6
)

type node struct {
	n    int
	next *node
}

// walk loads the numbers of n nodes, and works after each.
//
//go:noinline
func walk(p *node, n, work int) (sum uint64) {
	for range n {
		sum += uint64(p.n)
		for range work {
			sum ^= sum << 13
			sum ^= sum >> 7
		}
		p = p.next
	}
	return sum
}

// A handler has mixtures of numbers. A request takes one of them.
type handler struct {
	name     string
	work     int
	mixtures [][]int
}

var handlers = [2]handler{
	{"a", 0, [][]int{{1, 1, 1, 2}, {2, 3}, {1, 2, 3, 4}}},
	{"b", 8, [][]int{{1, 5}, {5, 5, 5, 4}, {4}}},
}

type tally [len(handlers)][numbers]int

// answer loads the numbers of a request, and counts the loads.
func (h *handler) answer(rng *rand.Rand, count *[numbers]int) {
	mixture := h.mixtures[rng.IntN(len(h.mixtures))]
	var nodes [ring]node
	for i := range nodes {
		nodes[i] = node{mixture[rng.IntN(len(mixture))], &nodes[(i+1)%ring]}
	}
	rounds := 20 + rng.IntN(200)
	for range rounds { // bursts begin where walk is called
		walk(&nodes[0], 10*ring, h.work)
	}
	for i := range nodes {
		count[nodes[i].n] += 10 * rounds
	}
}

func main() {
	var counts [workers]tally
	var wg sync.WaitGroup
	for w := range counts {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(11, uint64(w)))
			for range requests {
				i := rng.IntN(len(handlers))
				h := &handlers[i]
				pprof.Do(context.Background(), pprof.Labels("handler", h.name), func(context.Context) { h.answer(rng, &counts[w][i]) })
			}
		})
	}
	wg.Wait()
	for i, h := range handlers {
		for n := range numbers {
			sum := 0
			for w := range counts {
				sum += counts[w][i][n]
			}
			if sum > 0 {
				fmt.Println(h.name, n, sum)
			}
		}
	}
}
