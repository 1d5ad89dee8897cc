// Package huffman makes codes for the values of a table, and writes the table: package bitcode has the format, and
// reads it.
//
//	sizes := huffman.New(map[huffman.Number]int{5: 3, 8: 1})    // a 4 occurs three times and a 7 once
//	b = sizes.Append(b, huffman.Number.Symbol)                  // the code
//	var w huffman.Writer
//	w.Number(sizes, 5)                                          // a 4
//	b = append(b, w.Bytes...)
//
// Source: Huffman, "A Method for the Construction of Minimum-Redundancy Codes", Proceedings of the IRE, 1952.
package huffman

import (
	"cmp"
	"container/heap"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/pepgo/pep/format/bitcode"
)

// A Code has the codes of the values of an alphabet. Values that are used once are not in it: they follow the code of
// the zero value.
type Code[K cmp.Ordered] struct {
	symbols []K // the zero value stands for the values that follow
	bits    map[K]codeword
	lengths []int // how many codes have 1 bit, 2 bits and so on
}

type codeword struct {
	bits   uint32 // the first one is the highest
	length int
}

// New returns the code of values that are used so many times.
func New[K cmp.Ordered](count map[K]int) *Code[K] {
	var once K
	used := map[K]int{}
	for k, n := range count {
		if n > 1 {
			used[k] = n
		} else {
			used[once]++
		}
	}
	c := &Code[K]{bits: map[K]codeword{}, symbols: slices.SortedFunc(maps.Keys(used), func(x, y K) int {
		return cmp.Or(used[y]-used[x], cmp.Compare(x, y))
	})}
	weights := make([]int, len(c.symbols))
	for i, k := range c.symbols {
		weights[i] = used[k]
	}
	lengths := huffman(weights)
	for slices.Max(append(lengths, 0)) > bitcode.MaxCode { // flatter
		for i := range weights {
			weights[i] = weights[i]/2 + 1
		}
		lengths = huffman(weights)
	}
	slices.Sort(lengths) // as many bits for the same number of uses as before
	word := uint32(0)
	for i, k := range c.symbols {
		for len(c.lengths) < lengths[i] {
			c.lengths = append(c.lengths, 0)
			word <<= 1
		}
		c.lengths[lengths[i]-1]++
		c.bits[k] = codeword{word, lengths[i]}
		word++
	}
	return c
}

// huffman returns the lengths of codes for symbols of some weights.
func huffman(weights []int) []int {
	lengths := make([]int, len(weights))
	h := &nodes{}
	for i, w := range weights {
		*h = append(*h, node{w, []int{i}})
	}
	if heap.Init(h); len(weights) == 1 {
		lengths[0] = 1
	}
	for h.Len() > 1 {
		x, y := heap.Pop(h).(node), heap.Pop(h).(node)
		for _, i := range append(x.symbols, y.symbols...) {
			lengths[i]++
		}
		heap.Push(h, node{x.weight + y.weight, append(x.symbols, y.symbols...)})
	}
	return lengths
}

// A node of the tree has the symbols below it.
type node struct {
	weight  int
	symbols []int
}

type nodes []node

func (h nodes) Len() int { return len(h) }
func (h nodes) Less(i, j int) bool {
	return cmp.Or(h[i].weight-h[j].weight, h[i].symbols[0]-h[j].symbols[0]) < 0
}
func (h nodes) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *nodes) Push(x any)   { *h = append(*h, x.(node)) }
func (h *nodes) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

// Append appends the alphabet to b, with symbols as f writes them.
func (c *Code[K]) Append(b []byte, f func(k K) []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(c.lengths)))
	for _, n := range c.lengths {
		b = binary.AppendUvarint(b, uint64(n))
	}
	for _, k := range c.symbols {
		b = append(b, f(k)...)
	}
	return b
}

// A Writer appends bits to bytes, to the lowest of each first.
type Writer struct {
	Bytes []byte
	Bits  int // how many it has written
}

func (w *Writer) bit(x uint32) {
	if w.Bits%8 == 0 {
		w.Bytes = append(w.Bytes, 0)
	}
	w.Bytes[w.Bits/8] |= byte(x&1) << (w.Bits % 8)
	w.Bits++
}

// Literal writes bytes as they are.
func (w *Writer) Literal(b []byte) {
	for _, x := range b {
		for i := range 8 {
			w.bit(uint32(x >> i))
		}
	}
}

// Value writes the code of a value. If it is used once, it writes the code of the zero value and returns false.
func (c *Code[K]) Value(w *Writer, k K) bool {
	word, ok := c.bits[k]
	if !ok {
		var once K
		word = c.bits[once]
	}
	for i := word.length - 1; i >= 0; i-- {
		w.bit(word.bits >> i)
	}
	return ok
}

// A Number is 1 + a number of an alphabet, or 0.
type Number uint32

// Numbers is a code of numbers.
type Numbers = Code[Number]

// Signed returns the number that stands for a signed one.
func Signed(n int) Number { return Number(uint32(n)<<1^uint32(n>>63)) + 1 }

// Symbol returns the number as alphabets have it.
func (n Number) Symbol() []byte { return binary.AppendUvarint(nil, uint64(n)) }

// Number writes a number of an alphabet.
func (w *Writer) Number(c *Numbers, n Number) {
	if !c.Value(w, n) {
		w.Literal(binary.AppendUvarint(nil, uint64(n-1)))
	}
}
