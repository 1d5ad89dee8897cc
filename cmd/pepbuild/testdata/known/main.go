// Command known loads known numbers of words, in phases and in turns, and prints how often. The
// time between two loads is 1 ns to 1 ms.
package main

import "fmt"

type node struct{ n int }

// spin takes about a ns a round.
//
//go:noinline
func spin(s, rounds int) int {
	for i := range rounds {
		s = s*3 ^ i
	}
	return s
}

//go:noinline
func fast(p *node) (s int) {
	for i := range 100 {
		s = s*3 ^ i + p.n
	}
	return s
}

//go:noinline
func brisk(p *node) (s int) {
	for i := range 100 {
		s = (s*3^i)*5 ^ (s >> 3) + p.n
	}
	return s
}

//go:noinline
func slow(p *node) int { return spin(p.n, 100) }

//go:noinline
func rare(p *node) int { return spin(p.n, 1_000_000) }

//go:noinline
func often(p *node) (s int) {
	for i := range 100 {
		s = s*3 ^ i + p.n
	}
	return s
}

//go:noinline
func seldom(p *node) int { return spin(p.n, 200) }

// A query goes through rows. Six of 11 steps take little time.
type step struct{ kind int }

//go:noinline
func run(query []*step, row int) int {
	for _, s := range query {
		switch s.kind {
		case 0:
			row = row*3 ^ 1
		case 1:
			row = spin(row, 60)
		default:
			row = spin(row, 900)
		}
	}
	return row
}

func main() {
	p, sum := &node{3}, 0
	for range 3_000_000 {
		sum += fast(p)
	}
	for range 1_500_000 {
		sum += brisk(p)
	}
	for range 5_000_000 {
		sum += slow(p)
	}
	for range 500 {
		sum += rare(p)
	}
	for range 500_000 {
		sum += often(p) + seldom(p) + seldom(p) + seldom(p) + seldom(p) + seldom(p)
	}
	query := []*step{{0}, {0}, {0}, {0}, {0}, {0}, {1}, {1}, {1}, {2}, {2}}
	for row := range 250_000 {
		sum += run(query, row)
	}
	if sum == 0 {
		fmt.Println("sum 0")
	}
	fmt.Println("fast 300_000_000\nbrisk 150_000_000\nslow 5_000_000\nrare 500\noften 50_000_000\nseldom 2_500_000")
	fmt.Println("run=0 1_500_000\nrun=1 750_000\nrun=2 500_000")
}
