package interp

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestFMA(t *testing.T) {
	r := rand.New(rand.NewPCG(rand.Uint64(), 0))
	number := func() uint64 {
		switch r.IntN(7) {
		case 0:
			return r.Uint64()
		case 1:
			return math.Float64bits(r.NormFloat64())
		case 2:
			return r.Uint64()&(1<<63|1<<52-1) | uint64(r.IntN(4))<<52 // subnormal, and the smallest
		case 3:
			return r.Uint64()&(1<<63|1<<52-1) | uint64(0x7fc+r.IntN(4))<<52
		case 5: // subnormal, with any number of bits
			return r.Uint64()>>(12+r.IntN(52)) | r.Uint64()&(1<<63)
		case 4:
			return r.Uint64()&(1<<63) | uint64(r.IntN(0x7ff))<<52 | uint64(r.IntN(3))
		}
		return math.Float64bits(float64(r.IntN(20) - 10))
	}
	for range 2_000_000 {
		x, y, z := number(), number(), number()
		if r.IntN(3) == 0 { // nearly the same size as the product, or exactly
			p := math.Float64frombits(x) * math.Float64frombits(y)
			z = math.Float64bits(-p) + uint64(r.IntN(3)) - 1
		}
		got, want := fma64(x, y, z), math.Float64bits(math.FMA(math.Float64frombits(x), math.Float64frombits(y),
			math.Float64frombits(z)))
		if got != want && !(isNaN64(got) && isNaN64(want)) {
			t.Fatalf("%#x * %#x + %#x: got %#x, want %#x", x, y, z, got, want)
		}
	}
}

func TestSqrt(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	list := []uint64{0, 1, 2, 3, 4, 1<<52 - 1, 1 << 52, 1<<52 + 1, exponent64 - 1, exponent64, 1 << 63, 1<<63 | 1}
	for range 1 << 17 {
		x := r.Uint64()
		root := float64(r.Uint32() >> (r.Uint32() & 31))
		list = append(list, x, x&(1<<52-1)>>(x>>58), 0x3ff<<52+x>>11, math.Float64bits(root*root))
	}
	for _, x := range list {
		if isNaN64(x) {
			continue
		}
		for _, x := range []uint64{x, x + 1, x - 1} {
			if want := math.Float64bits(math.Sqrt(math.Float64frombits(x))); !isNaN64(x) && sqrt64(x) != want {
				t.Fatalf("the root of %#x is %#x, want %#x", x, sqrt64(x), want)
			}
		}
	}
}
