//go:build !special && !count

package main

func multiply(to, a, b *matrix) {
	for i := 0; i < a.n; i++ {
		for j := 0; j < a.n; j++ {
			sum := 0.0
			for k := 0; k < a.n; k++ {
				sum += a.v[i*a.n+k] * b.v[k*b.n+j]
			}
			to.v[i*to.n+j] = sum
		}
	}
}
