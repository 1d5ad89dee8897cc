// Phases does one kind of work in the first half of its run and another kind, by the same functions, in the
// second.
//
// It exercises profiles that follow a program: branches that nearly always go one way in the first half go
// the other way in the second, and other functions are hot. Hot: (*machine).step, (*tree).insert, median.
package main

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"runtime/debug"
	"strconv"
)

// rounds is the number of rounds of both halves together at 100 percent.
const rounds = 7500

var errUsage = errors.New("usage: phases [percent]")

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
	sum := crc32.NewIEEE()
	n := max(2, rounds*scale/100)
	m := &machine{seed: 1}
	for i := range n {
		late := i >= n/2
		m.run(late)
		var t tree
		size := 1500
		if late {
			size = 300
		}
		for range size {
			t.insert(m.random(late))
		}
		fmt.Fprintln(sum, m.acc, t.depth(), median(m.memory[:], late))
	}
	_, err = fmt.Fprintf(stdout, "phases: %d rounds, checksum %08x\n", n, sum.Sum32())
	return err
}

// A machine executes random instructions.
type machine struct {
	seed   uint32
	acc    uint32
	memory [256]uint32
}

// random returns ascending numbers in the second half, but for every eighth.
func (m *machine) random(late bool) uint32 {
	if late && m.acc%8 != 0 {
		m.acc++
		return m.acc
	}
	m.seed = m.seed*1664525 + 1013904223
	m.acc ^= m.seed >> 9
	return m.seed >> 8
}

// run executes instructions: arithmetic in the first half, memory in the second.
func (m *machine) run(late bool) {
	for range 20_000 {
		m.seed = m.seed*1664525 + 1013904223
		op := m.seed >> 28
		if late {
			op ^= 8
		}
		m.step(op|m.seed>>30&1, m.seed>>8)
	}
}

func (m *machine) step(op, arg uint32) {
	switch {
	case op < 5:
		m.acc += arg
	case op < 8:
		if arg&15 == 0 {
			m.acc = 0
		} else {
			m.acc ^= arg << 3
		}
	case op < 12:
		m.memory[arg%256] = m.acc
	case op < 15:
		if v := m.memory[arg%256]; v > m.acc {
			m.acc = v
		} else {
			m.memory[arg%256]++
		}
	default:
		m.acc = m.memory[m.acc%256]
	}
}

// A tree is a binary search tree. Ascending numbers make it a list.
type tree struct {
	root *node
}

type node struct {
	left, right *node
	key         uint32
}

func (t *tree) insert(key uint32) {
	at := &t.root
	for *at != nil {
		switch n := *at; {
		case key < n.key:
			at = &n.left
		case key > n.key:
			at = &n.right
		default:
			return
		}
	}
	*at = &node{key: key}
}

func (t *tree) depth() int { return t.root.depth() }

func (n *node) depth() int {
	if n == nil {
		return 0
	}
	return 1 + max(n.left.depth(), n.right.depth())
}

// median returns the median of numbers, found by insertion in the second half and by Hoare's selection in the first.
func median(list []uint32, late bool) uint32 {
	a := append([]uint32(nil), list...)
	if late {
		for i := range a {
			for j := i; j > 0 && a[j] < a[j-1]; j-- {
				a[j], a[j-1] = a[j-1], a[j]
			}
		}
		return a[len(a)/2]
	}
	low, high := 0, len(a)-1
	for low < high {
		pivot, i, j := a[(low+high)/2], low, high
		for i <= j {
			for a[i] < pivot {
				i++
			}
			for a[j] > pivot {
				j--
			}
			if i <= j {
				a[i], a[j] = a[j], a[i]
				i++
				j--
			}
		}
		switch {
		case len(a)/2 <= j:
			high = j
		case len(a)/2 >= i:
			low = i
		default:
			return a[len(a)/2]
		}
	}
	return a[low]
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
