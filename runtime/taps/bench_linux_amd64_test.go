package taps

import (
	"math/rand/v2"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/pepfile"
)

// BenchmarkFold measures how long the engine and the table of words take for a full buffer,
// in ns per tuple: once most values are the same few, and once all values differ.
func BenchmarkFold(b *testing.B) {
	streams := map[string]func(r *rand.Rand) uint64{
		"64 values": func(r *rand.Rand) uint64 { return uint64(r.IntN(64)) },
		"skewed":    func(r *rand.Rand) uint64 { return uint64(r.ExpFloat64() * 1000) },
		"addresses": func(r *rand.Rand) uint64 { return r.Uint64() },
	}
	for name, value := range streams {
		r := rand.New(rand.NewPCG(1, 2))
		tuples := make([]tuple.Tuple, 1<<20)
		for i := range tuples {
			tuples[i] = tuple.New(tuple.Load, uint64(r.IntN(16)), value(r))
		}
		for _, opts := range []string{"engine=exact", "engine=H[P256]2048", "engine=H[P256]2048@mul",
			"engine=H[P256]2048+A16"} {
			b.Run(name+"/"+opts, func(b *testing.B) {
				finish := startTapping(b, opts)
				golink.ProcPin()
				for i := range b.N {
					at := i * pepfile.BufTuples & (len(tuples) - 1)
					sinks[0].feed(tuples[at:at+pepfile.BufTuples], 0, nil)
				}
				golink.ProcUnpin()
				b.ReportMetric(float64(b.Elapsed())/float64(b.N*pepfile.BufTuples), "ns/tuple")
				finish()
			})
		}
	}
}
