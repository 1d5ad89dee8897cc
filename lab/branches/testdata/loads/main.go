// Loads reads memory in all forms that the language has: through pointers, from elements and variables of packages, one after
// the other, in conditions and in code that is inlined. The program does the same each time it runs.
package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"sort"
	"strings"
)

type kind int8

type point struct{ x, y int }

type base struct {
	id   uint16
	next *base
}

type item struct {
	base
	*point
	name   string
	flags  [4]bool
	list   []int32
	pair   struct{ a, b float32 }
	weight float64
	kind   kind
	fn     func(int) int
	any    any
	bits   uint64
	rest   map[string]int
}

const (
	third = 2
	shift = third + 1
)

var (
	total   int
	table   [16]int64
	words   = []string{"alpha", "beta", "γάμμα", "delta"}
	counts  = map[string]int{"alpha": 3, "beta": 4}
	enabled bool
	limits  = [...]struct{ low, high int }{{1, 5}, {2, 9}, {0, 3}}
)

func main() {
	items := make([]*item, 24)
	for i := range items {
		items[i] = &item{base: base{id: uint16(i)}, point: &point{i, -i}, name: words[i%4], list: make([]int32, i%5, 8),
			weight: float64(i) / 2, kind: kind(-i), fn: func(n int) int { return n + i }, any: i, bits: uint64(i) * 0x0101, rest: counts}
		items[i].flags[i%4] = true
		if i > 0 {
			items[i].next = &items[i-1].base
		}
	}
	for round := range 5 {
		for i, it := range items {
			sum(fields(it), pointers(it), conditions(it, i), lengths(it))
			sum(modify(it, round), constants(it), floats(it), closures(it))
			sum(inlined(it), calls(it), embedded(it), again(it))
		}
		sum(ranges(items), elements(items, round), package_(), text(words[round%4]), maps(), arrays(round))
		sum(combined([]byte(words[2]+words[0])), generic(items), generic([]string{"a", "b"}), sorted(items), sunk(items, round))
	}
	fmt.Println(total)
}

func sum(list ...int) {
	for _, n := range list {
		total += n
	}
}

//go:noinline
func fields(it *item) int {
	n := int(it.kind)
	n += int(it.id)
	if it.flags[1] {
		n++
	}
	return n + int(it.bits>>3)
}

//go:noinline
func pointers(it *item) (n int) {
	for p := it.next; p != nil; p = p.next {
		n += int(p.id)
	}
	q := &it.bits
	return n + int(*q) + it.point.x
}

//go:noinline
func conditions(it *item, i int) int {
	switch {
	case it.kind == 3:
		return 1
	case it.weight > 3 && it.bits < 100:
		return 2
	case it.next == nil || it.next.id == 7:
		return 3
	}
	if it.name == "beta" {
		return 4
	}
	switch it.id {
	case 9, 10:
		return 5
	case 11:
		return 6
	}
	return i
}

//go:noinline
func lengths(it *item) int {
	n := len(it.list)
	if cap(it.list) < 9 {
		n += len(it.name)
	}
	n += len(it.rest)
	for i := 0; i < len(it.list); i++ {
		n += int(it.list[i])
	}
	return n
}

//go:noinline
func modify(it *item, round int) int {
	it.bits++
	it.x += round
	it.weight *= 2
	table[round&15] += int64(it.id)
	it.list = append(it.list[:0], 1, 2)
	it.flags[third] = !it.flags[third]
	return int(it.list[1])
}

//go:noinline
func constants(it *item) int {
	n := 0
	if it.flags[third] {
		n++
	}
	if it.flags[shift] {
		n += 2
	}
	return n + int(table[shift-1]) + int(table[third+len(limits)])
}

//go:noinline
func floats(it *item) int {
	it.pair.a += 1.5
	return int(it.weight) + int(it.pair.a) + int(it.pair.b*2) + int(math.Sqrt(it.weight))
}

//go:noinline
func closures(it *item) int {
	n := 0
	add := func() { n += int(it.kind) }
	add()
	return n + it.fn(1)
}

func (it *item) double() int { return it.point.y * 2 }

func first(list []int32) int32 {
	if len(list) == 0 {
		return 0
	}
	return list[0]
}

//go:noinline
func inlined(it *item) int {
	return it.double() + int(first(it.list)) + strings.IndexByte(it.name, 'l')
}

//go:noinline
func use(a int, b string, c []int32, d point, e any) int {
	if e == nil {
		return 0
	}
	return a + len(b) + len(c) + d.x
}

//go:noinline
func calls(it *item) int {
	return use(it.y, it.name, it.list, *it.point, it.any)
}

//go:noinline
func embedded(it *item) int {
	p := *it.point
	return p.x + p.y + it.point.x*int(it.base.id) + (*it).x
}

//go:noinline
func again(it *item) int {
	n := it.x * it.x
	n += it.x
	it.y = n
	return n + it.y + it.x
}

//go:noinline
func ranges(items []*item) (n int) {
	for _, it := range items {
		n += int(it.id)
		for i, v := range it.list {
			n += int(v) * i
		}
		for _, f := range it.flags {
			if f {
				n++
			}
		}
	}
	for i := range limits {
		n += limits[i].high
	}
	for _, l := range limits {
		n += l.low
	}
	for _, w := range words {
		n += len(w)
	}
	return n
}

//go:noinline
func elements(items []*item, round int) (n int) {
	for i := 1; i < len(items); i++ {
		if items[i].id > items[i-1].id && items[i].flags[round&3] {
			n += int(table[i&15])
		}
	}
	grid := [3][]int{{1, 2}, {3}, {}}
	for i := range grid {
		for j := range grid[i] {
			n += grid[i][j]
		}
	}
	return n
}

//go:noinline
func package_() int {
	if enabled {
		return 1
	}
	return total + int(table[0]) + limits[1].high
}

//go:noinline
func text(s string) (n int) {
	for i := 0; i < len(s); i++ {
		if s[i] == 'a' {
			n++
		}
	}
	for _, r := range words[0] {
		n += int(r)
	}
	return n + int(words[1][2])
}

//go:noinline
func maps() (n int) {
	for k := range words {
		n += counts[words[k]]
	}
	m := map[int]int32{1: 5}
	for k, v := range m {
		n += k + int(v)
	}
	return n
}

//go:noinline
func arrays(round int) (n int) {
	var local [8]int
	for i := range local {
		local[i] = i * round
	}
	p := &local
	for i := range p {
		n += p[i]
	}
	return n + local[round&7]
}

//go:noinline
func combined(b []byte) int {
	return int(binary.LittleEndian.Uint32(b)) + int(uint16(b[5])|uint16(b[6])<<8)
}

//go:noinline
func generic[T any](list []T) (n int) {
	for i := range list {
		if any(list[i]) != nil {
			n += i
		}
	}
	return n
}

//go:noinline
func sorted(items []*item) int {
	list := append([]*item(nil), items...)
	sort.Slice(list, func(i, j int) bool { return list[i].name < list[j].name })
	return int(list[0].id)
}

//go:noinline
func sunk(items []*item, round int) (n int) {
	for _, it := range items {
		x := it.bits
		if int(it.id)%5 == round {
			n += int(x)
		}
	}
	return n
}
