package rap

import (
	"fmt"
	"testing"
)

// code returns n points as a program's basic blocks give them: loops of a few
// blocks that run many times, one loop after another, in functions of which few
// are hot.
func code(seed uint64, n int) []uint64 {
	src := words(seed, 1.2, false)
	list := make([]uint64, 0, n)
	for len(list) < n {
		at := 0x400000 + src.next()*64
		blocks, times := 1+src.rng.IntN(12), 1+int(src.rng.ExpFloat64()*30)
		for range times {
			for b := range blocks {
				list = append(list, at+uint64(b)*16)
			}
		}
	}
	return list[:n]
}

func BenchmarkAdd(b *testing.B) {
	const n = 1 << 20
	for _, s := range []struct {
		name   string
		points []uint64
	}{
		{"wide words s=1.5", words(1, 1.5, true).points(n)},
		{"wide words s=1.1", words(1, 1.1, true).points(n)},
		{"integers s=1.1", words(1, 1.1, false).points(n)},
		{"code", code(1, n)},
		{"uniform", twoPhases(1, 2*n)[:n]},
	} {
		for _, eps := range []float64{0.01, 0.1} {
			b.Run(fmt.Sprintf("%s/eps=%g", s.name, eps), func(b *testing.B) {
				tree := newTest(b, Options{Eps: eps})
				tree.Add(s.points)
				perSecond(b, n, func() { tree.Add(s.points) })
			})
		}
	}
}
