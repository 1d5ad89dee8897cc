package strat

import (
	"testing"

	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/runtime/tuple"
)

// recorded returns n tuples as a program's loads give them: few places have
// most of the events, and most of a place's events are of few values.
func recorded(n int) []tuple.Tuple {
	g := newPCG(7, 7)
	in := make([]tuple.Tuple, n)
	for i := range in {
		// The product of uniform numbers prefers small ones.
		site := uint64(g.below(64)) * uint64(g.below(64)) / 4
		w := uint64(g.below(8)) * uint64(g.below(8)) * uint64(g.below(8))
		if site%5 == 0 {
			w = g.next64() // an address, or random data
		}
		in[i] = tuple.New(tuple.Load, tuple.SiteBase("bench")+site, w)
	}
	return in
}

func BenchmarkPush(b *testing.B) {
	in := recorded(1 << 16)
	out := make([]hwsim.Message, 0, 2*len(in))
	for _, spec := range []string{
		"P256", "R256", "RC256", "CR256",
		"H[P256]2048@mul", "H[P256]2048@xor", "H[P256]2048", "H[P256]2000",
		"H[P256]2048+A16", "H[CR256]2048", "tag2-256-2048", "A16", "A4096",
		"F16384-3+H[P256]2048",
	} {
		b.Run(spec, func(b *testing.B) {
			e, err := Parse(spec)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(16 * int64(len(in)))
			for b.Loop() {
				out = e.Push(in, out[:0])
			}
			b.ReportMetric(float64(b.N)*float64(len(in))/b.Elapsed().Seconds()/1e6, "Mtuples/s")
		})
	}
}
