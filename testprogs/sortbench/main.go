// Sortbench sorts, queues, groups and chains generated records with the
// standard library's generic and interface-based algorithms.
//
// It exercises unpredictable branches under comparison functions: closures,
// generic instances, sort.Interface, range-over-func iterators, maps. Hot:
// slices, sort, container/heap, internal/runtime/maps and the closures here.
package main

import (
	"cmp"
	"container/heap"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"sort"
	"strconv"
)

const (
	records = 6000 // records in each round
	rounds  = 160  // rounds at 100 percent
)

var errUsage = errors.New("usage: sortbench [percent]")

// secondInput is set if the program works on its second input.
var secondInput = os.Getenv("PEPBENCH_INPUT") == "2"

func main() {
	err := run(os.Args[1:], os.Stdout)
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	if errors.Is(err, errUsage) {
		os.Exit(2)
	}
	os.Exit(1)
}

func run(args []string, stdout io.Writer) error {
	scale, err := percent(args)
	if err != nil {
		return err
	}
	debug.SetGCPercent(400) // more time for the program, less for the collector
	rng := rand.New(rand.NewPCG(10, 11))
	sum := checksum{crc32.NewIEEE()}
	n := max(1, rounds*scale/100)
	for range n {
		people := newPeople(rng, records)
		if err := sorts(sum, people); err != nil {
			return err
		}
		groups(sum, people)
		shortestPaths(sum, newGraph(rng, records/4))
	}
	_, err = fmt.Fprintf(stdout, "sortbench: %d rounds, checksum %08x\n", n, sum.Sum32())
	return err
}

// A checksum depends on the numbers added and on their order.
type checksum struct{ hash.Hash32 }

func (c checksum) add(numbers ...int) {
	var buf [8]byte
	for _, n := range numbers {
		binary.LittleEndian.PutUint64(buf[:], uint64(n))
		c.Write(buf[:])
	}
}

type person struct {
	id    int
	name  string
	age   int
	score float64
}

func newPeople(rng *rand.Rand, n int) []person {
	people := make([]person, n)
	for i := range people {
		people[i] = person{
			id:    i,
			name:  strconv.FormatUint(rng.Uint64N(2000)*7919, 36),
			age:   rng.IntN(90),
			score: rng.NormFloat64(),
		}
		if secondInput { // ordered by age and score, and of few names
			people[i].name, people[i].age, people[i].score = people[i].name[:1], i*90/n, float64(-i)/float64(n)
		}
	}
	return people
}

// byNameAge sorts in the way of package sort.
type byNameAge []person

func (p byNameAge) Len() int      { return len(p) }
func (p byNameAge) Swap(i, j int) { p[i], p[j] = p[j], p[i] }
func (p byNameAge) Less(i, j int) bool {
	if p[i].name != p[j].name {
		return p[i].name < p[j].name
	}
	if p[i].age != p[j].age {
		return p[i].age < p[j].age
	}
	return p[i].id < p[j].id
}

// sorts puts people in order in five ways; two orders must agree.
func sorts(sum checksum, people []person) error {
	byInterface := slices.Clone(people)
	sort.Sort(byNameAge(byInterface))

	byClosure := slices.Clone(people)
	slices.SortStableFunc(byClosure, func(a, b person) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.age, b.age))
	})
	if !slices.Equal(byInterface, byClosure) {
		return errors.New("sortbench: sort.Sort and slices.SortStableFunc disagree")
	}

	byScore := slices.Clone(people)
	sort.Slice(byScore, func(i, j int) bool { return byScore[i].score > byScore[j].score })

	ages := slices.Collect(project(slices.Values(people), func(p person) int { return p.age*records + p.id }))
	slices.Sort(ages)

	merged := mergeSort(slices.Clone(people), func(a, b person) bool { return a.age < b.age })

	for i := 0; i < len(people); i += 7 {
		at, _ := slices.BinarySearch(ages, people[i].age*records)
		sum.add(byClosure[i].id, byScore[i].id, ages[i], merged[i].id, at)
	}
	return nil
}

// mergeSort sorts s stably and returns it.
func mergeSort[T any](s []T, less func(a, b T) bool) []T {
	if len(s) < 2 {
		return s
	}
	left := mergeSort(slices.Clone(s[:len(s)/2]), less)
	right := mergeSort(s[len(s)/2:], less)
	for i := range s {
		// The right half is never overtaken: it is at the end of s.
		if len(left) == 0 {
			break
		}
		if len(right) > 0 && less(right[0], left[0]) {
			s[i], right = right[0], right[1:]
		} else {
			s[i], left = left[0], left[1:]
		}
	}
	return s
}

// project and keep are the usual stages of an iterator pipeline.
func project[T, U any](seq iter.Seq[T], f func(T) U) iter.Seq[U] {
	return func(yield func(U) bool) {
		for v := range seq {
			if !yield(f(v)) {
				return
			}
		}
	}
}

func keep[T any](seq iter.Seq[T], ok func(T) bool) iter.Seq[T] {
	return func(yield func(T) bool) {
		for v := range seq {
			if ok(v) && !yield(v) {
				return
			}
		}
	}
}

func groupBy[K comparable, V any](seq iter.Seq[V], key func(V) K) map[K][]V {
	groups := make(map[K][]V)
	for v := range seq {
		k := key(v)
		groups[k] = append(groups[k], v)
	}
	return groups
}

// groups gathers people in maps with keys of three types.
func groups(sum checksum, people []person) {
	adults := keep(slices.Values(people), func(p person) bool { return p.age >= 18 })
	byAge := groupBy(adults, func(p person) int { return p.age })
	for _, age := range slices.Sorted(maps.Keys(byAge)) {
		oldest := slices.MaxFunc(byAge[age], func(a, b person) int { return cmp.Compare(a.score, b.score) })
		sum.add(age, len(byAge[age]), oldest.id)
	}

	byName := groupBy(slices.Values(people), func(p person) string { return p.name })
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		sum.add(len(byName[name]), byName[name][0].id)
	}

	type cell struct{ decade, half int }
	cells := groupBy(slices.Values(people), func(p person) cell { return cell{p.age / 10, int(p.score * 2)} })
	maps.DeleteFunc(cells, func(_ cell, in []person) bool { return len(in) < 3 })
	sum.add(len(cells))
}

// A graph holds the edges out of each node.
type graph [][]edge

type edge struct{ to, length int }

func newGraph(rng *rand.Rand, nodes int) graph {
	g := make(graph, nodes)
	for from := range g {
		g[from] = make([]edge, 6)
		for i := range g[from] {
			g[from][i] = edge{rng.IntN(nodes), 1 + rng.IntN(100)}
		}
	}
	return g
}

// A frontier is the priority queue of Dijkstra's algorithm.
type frontier []visit

type visit struct{ node, distance int }

func (f frontier) Len() int           { return len(f) }
func (f frontier) Less(i, j int) bool { return f[i].distance < f[j].distance }
func (f frontier) Swap(i, j int)      { f[i], f[j] = f[j], f[i] }
func (f *frontier) Push(v any)        { *f = append(*f, v.(visit)) }
func (f *frontier) Pop() any {
	last := len(*f) - 1
	v := (*f)[last]
	*f = (*f)[:last]
	return v
}

// shortestPaths adds up the distances of all nodes from node 0.
func shortestPaths(sum checksum, g graph) {
	distances := map[int]int{0: 0}
	queue := frontier{{0, 0}}
	total := 0
	for len(queue) > 0 {
		v := heap.Pop(&queue).(visit)
		if v.distance > distances[v.node] {
			continue // a shorter way was found after this one was queued
		}
		total += v.distance
		for _, e := range g[v.node] {
			d := v.distance + e.length
			if known, ok := distances[e.to]; !ok || d < known {
				distances[e.to] = d
				heap.Push(&queue, visit{e.to, d})
			}
		}
	}
	sum.add(len(distances), total)
}

// percent returns the scale that the command line asks for.
func percent(args []string) (int, error) {
	if len(args) == 0 {
		return 100, nil
	}
	p, err := strconv.ParseUint(args[0], 10, 16) // 16 bits: the product with any workload fits
	if err != nil || p == 0 || len(args) > 1 {
		return 0, fmt.Errorf("%w: bad arguments %q", errUsage, args)
	}
	return int(p), nil
}
