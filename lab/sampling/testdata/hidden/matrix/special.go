//go:build special

package main

func multiply(to, a, b *matrix) {
	if a.n == 4 && b.n == 4 && to.n == 4 {
		multiply4((*[16]float64)(to.v), (*[16]float64)(a.v), (*[16]float64)(b.v))
		return
	}
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

func multiply4(to, a, b *[16]float64) {
	for i := 0; i < 16; i += 4 {
		w, x, y, z := a[i], a[i+1], a[i+2], a[i+3]
		to[i] = w*b[0] + x*b[4] + y*b[8] + z*b[12]
		to[i+1] = w*b[1] + x*b[5] + y*b[9] + z*b[13]
		to[i+2] = w*b[2] + x*b[6] + y*b[10] + z*b[14]
		to[i+3] = w*b[3] + x*b[7] + y*b[11] + z*b[15]
	}
}
