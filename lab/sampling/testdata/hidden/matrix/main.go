// Command matrix multiplies square matrices of any size. 97 of 100 have the size 4.
//
//	matrix          # some seconds of work, then a checksum
//	matrix forever
package main

import (
	"fmt"
	"os"
)

type matrix struct {
	n int
	v []float64 // row by row
}

func newMatrix(n, seed int) *matrix {
	m := &matrix{n, make([]float64, n*n)}
	for i := range m.v {
		seed = (seed*1103515245 + 12345) & (1<<31 - 1)
		m.v[i] = float64(seed>>16&15) / 16
	}
	return m
}

func work(times int) (sum float64) {
	var from, to []*matrix
	for i := range 200 {
		n := 4
		if i%33 == 32 {
			n = 2 + i/33%6
		}
		from, to = append(from, newMatrix(n, i)), append(to, newMatrix(n, -i))
	}
	for range times {
		for i, m := range from {
			m.times(m, to[i])
			sum += to[i].v[0]
		}
	}
	return sum
}

func (m *matrix) times(a, to *matrix) { multiply(to, m, a) }

func main() {
	fmt.Println("ready")
	for len(os.Args) > 1 {
		work(1 << 12)
	}
	fmt.Println("matrix", work(30_000))
}
