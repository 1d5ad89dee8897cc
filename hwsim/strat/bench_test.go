package strat

import (
	"slices"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
)

// madeUp returns n tuples that resemble the loads of a program: few sites have most
// of the events, and few values have most of the events of a site. At about a fifth of
// the sites the words are random, similar to addresses.
func madeUp(n int) []tuple.Tuple {
	g := newPCG(7, 7)
	in := make([]tuple.Tuple, n)
	for i := range in {
		// A product of uniform numbers is small more often than large.
		site := uint64(g.below(64)) * uint64(g.below(64)) / 4
		w := uint64(g.below(8)) * uint64(g.below(8)) * uint64(g.below(8))
		if site%5 == 0 {
			w = g.next64()
		}
		in[i] = tuple.New(tuple.Load, tuple.SiteBase("bench")+site, w)
	}
	return in
}

// push measures an engine. It pushes batches of 1024 tuples, as a program does.
func push(b *testing.B, spec string, in []tuple.Tuple) {
	b.Helper()
	const batch = 1024
	e, err := Parse(spec)
	if err != nil {
		b.Fatal(err)
	}
	messages := 0
	out := hwsim.NewOut(512, func(msgs []hwsim.Message) { messages += len(msgs) })
	for b.Loop() {
		for tuples := range slices.Chunk(in, batch) {
			e.Push(tuples, out)
			out.Drain()
		}
	}
	n := float64(b.N) * float64(len(in))
	b.ReportMetric(n/b.Elapsed().Seconds()/1e6, "Mtuples/s")
}

func BenchmarkPush(b *testing.B) {
	in := madeUp(1 << 16)
	for _, spec := range []string{
		"P256", "R256", "RC256", "CR256",
		"H[P256]2048@mul", "H[P256]2048@xor", "H[P256]2048", "H[P256]2000",
		"H[P256]2048+A16", "H[CR256]2048", "tag2-256-2048", "A16", "A4096",
		"F16384-3+H[P256]2048",
	} {
		b.Run(spec, func(b *testing.B) { push(b, spec, in) })
	}
}
