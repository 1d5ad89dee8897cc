package trace_test

import (
	"slices"
	"testing"

	"github.com/pepgo/pep/format/trace"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim/tracetest"
)

const benchTuples = 1 << 20

func BenchmarkAppendBlock(b *testing.B) {
	for _, bench := range []struct {
		name  string
		funcs int
	}{{"small", 10}, {"middle", 100}, {"large", 1000}} {
		b.Run(bench.name, func(b *testing.B) {
			tuples := tracetest.New(1, bench.funcs).Events(make([]tuple.Tuple, benchTuples))
			dst := make([]byte, 0, trace.MaxBlockBytes)
			size := 0
			b.SetBytes(16 * benchTuples)
			b.ReportAllocs()
			for b.Loop() {
				size = 0
				for block := range slices.Chunk(tuples, trace.MaxBlock) {
					size += len(trace.AppendBlock(dst, 1, block))
				}
			}
			b.ReportMetric(float64(size)/benchTuples, "bytes/tuple")
			b.ReportMetric(float64(b.N)*benchTuples/1e6/b.Elapsed().Seconds(), "Mtuples/s")
		})
	}
}

func BenchmarkDecodeBlock(b *testing.B) {
	tuples := tracetest.New(1, 100).Events(make([]tuple.Tuple, trace.MaxBlock))
	_, body, _, err := trace.Next(trace.AppendBlock(nil, 1, tuples))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(16 * trace.MaxBlock)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := trace.DecodeBlock(tuples[:0], body); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*trace.MaxBlock/1e6/b.Elapsed().Seconds(), "Mtuples/s")
}
