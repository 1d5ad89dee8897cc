package core

import (
	"strconv"
	"strings"
	"testing"
)

// BenchmarkTap measures taps in a program: with what a full buffer costs, by the
// way it is delivered and the engine, beyond a call of an empty function.
func BenchmarkTap(b *testing.B) {
	exe := newLinker(b, ",pepflag", target{}).program("taps.go", tapTables())
	for _, opts := range []string{
		"taps=off", "taps=burst", "engine=exact", "engine=H[P256]2048", "engine=H[P256]2048@mul", "engine=H[P256]2048+A16", "deliver=service", "deliver=ring,full=drop",
		"engine=exact,trace=a.trace",
	} {
		b.Run(opts, func(b *testing.B) {
			var tap, empty float64
			for range b.N {
				r := execute(b, exe, []string{"PEPOPTS=" + opts}, "bench")
				f := strings.Fields(r.stdout.String())
				if len(f) != 3 {
					b.Fatalf("%s%s", &r.stdout, &r.stderr)
				}
				t, _ := strconv.ParseFloat(f[0], 64)
				e, _ := strconv.ParseFloat(f[1], 64)
				tap, empty = tap+t, empty+e
			}
			b.ReportMetric(tap/float64(b.N), "ns/tap")
			b.ReportMetric(empty/float64(b.N), "ns/empty")
		})
	}
}
