//go:build count

package main

import (
	"fmt"
	"os"
)

// This file counts the values that the program was written to have mostly: one line for each.

var seen = map[int]int{}

func see(x int) int {
	seen[x]++
	return x
}

func init() {
	work(1 << 10)
	for value, n := range seen {
		fmt.Println(value, n)
	}
	os.Exit(0)
}

func (m *machine) run() {
	for pc := 0; ; pc++ {
		see(len(m.breaks))
		for _, b := range m.breaks {
			if b == pc {
				m.at = pc
				return
			}
		}
		switch in := m.code[pc]; in.op {
		case set:
			m.reg[in.a&7] = m.reg[in.b&7]
		case add:
			m.reg[in.a&7] = m.reg[in.b&7] + m.reg[in.c&7]
		case xor:
			m.reg[in.a&7] = m.reg[in.b&7] ^ m.reg[in.c&7]
		case mul:
			m.reg[in.a&7] = m.reg[in.b&7] * m.reg[in.c&7]
		case less:
			if m.reg[in.a&7] >= m.reg[in.b&7] {
				pc++
			}
		case jump:
			pc -= int(in.a) + 1
		case halt:
			m.at = pc
			return
		}
	}
}
