// Command phases alternates between loops that wait for memory and loops that do not, each for some 30 ms:
//
//	phases SECONDS LOOP...
package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"truth/clock"
)

const bytes = 128 << 20

type node struct {
	next *node
	_    [56]byte
}

var (
	nodes []node
	words []uint64
	index []uint32
	at    *node
	where uint32
	sum   uint64
)

// chase loads from memory an address that it loads from memory next.
//
//go:noinline
func chase(n int) {
	p := at
	for range n {
		p = p.next
	}
	at = p
}

// chaseIndex does the same with indices.
//
//go:noinline
func chaseIndex(n int) {
	i := where
	for range n {
		i = index[i]
	}
	where = i
}

// random loads from random addresses. The processor does several loads at once.
//
//go:noinline
func random(n int) {
	x, s := uint64(1), sum
	for range n {
		x = x*6364136223846793005 + 1442695040888963407
		s += words[x>>40%uint64(len(words))]
	}
	sum = s
}

// search looks up random keys in a sorted list, with 25 rounds of loops for each.
//
//go:noinline
func search(n int) {
	x, s := sum|1, uint64(0)
	for range n / 25 {
		x = x*6364136223846793005 + 1442695040888963407
		key, low, high := x>>40, 0, len(words)
		for low < high {
			middle := (low + high) / 2
			if words[middle] < key {
				low = middle + 1
			} else {
				high = middle
			}
		}
		s += uint64(low)
	}
	sum = s ^ x
}

// stream loads one word after the other.
//
//go:noinline
func stream(n int) {
	s := sum
	for n > 0 {
		part := words[:min(n, len(words))]
		for _, w := range part {
			s += w
		}
		n -= len(part)
	}
	sum = s
}

// branches has a branch that nobody can predict.
//
//go:noinline
func branches(n int) {
	x, a, b := sum|1, uint64(1), uint64(2)
	for range n {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		if x&1 == 0 {
			a = a*3 + x
		} else {
			b = b*5 ^ x
		}
	}
	sum = a ^ b
}

// arithmetic has nothing to wait for.
//
//go:noinline
func arithmetic(n int) {
	x, y, z := sum|1, uint64(3), uint64(5)
	for i := range uint64(n) {
		x += i ^ y
		y = y<<1 + i
		z ^= i + 7
		if i&1023 == 0 {
			z += x
		}
	}
	sum = x ^ y ^ z
}

func main() {
	setup()
	clock.Alternate(30*time.Millisecond,
		clock.Loop{Name: "chase", Do: chase, Share: 1}, clock.Loop{Name: "chaseIndex", Do: chaseIndex, Share: 1},
		clock.Loop{Name: "random", Do: random, Share: 1}, clock.Loop{Name: "search", Do: search, Share: 1},
		clock.Loop{Name: "stream", Do: stream, Share: 1}, clock.Loop{Name: "branches", Do: branches, Share: 1},
		clock.Loop{Name: "arithmetic", Do: arithmetic, Share: 1})
	fmt.Fprintln(os.Stderr, sum, where, at == nil)
}

// setup makes a random cycle of all nodes, and one of all indices.
func setup() {
	nodes, index, words = make([]node, bytes/64), make([]uint32, bytes/4), make([]uint64, bytes/8)
	order := rand.Perm(len(nodes))
	for i, k := range order {
		nodes[k].next = &nodes[order[(i+1)%len(order)]]
	}
	at = &nodes[order[0]]
	const per = 16 // indices in a line of the cache: one of them is used
	for i, k := range order {
		index[k*per] = uint32(order[(i+1)%len(order)] * per)
	}
	where = uint32(order[0] * per)
	for i := range words {
		words[i] = uint64(i)
	}
}
