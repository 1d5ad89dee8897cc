//go:build !special

package main

func multiply(to, a, b *matrix) {
	for i := 0; i < a.n; i++ { // hidden: 4
		for j := 0; j < a.n; j++ { // hidden: 4
			sum := 0.0
			for k := 0; k < a.n; k++ { // hidden: 4
				sum += a.v[i*a.n+k] * b.v[k*b.n+j] // hidden: 4
			}
			to.v[i*to.n+j] = sum // hidden: 4
		}
	}
}
