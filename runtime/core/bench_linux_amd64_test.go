package core

import (
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/poll"
)

// BenchmarkTap measures how much longer a tap in a program takes than a call of an empty
// function. The time includes the tap's share of a full buffer, which depends on the
// engine and on the way of delivery.
func BenchmarkTap(b *testing.B) {
	exe := newLinker(b, "", target{}).program("taps.go", tapTables())
	for _, opts := range []string{
		"taps=off", "engine=exact", "engine=H[P256]2048", "engine=H[P256]2048@mul", "engine=H[P256]2048+A16",
		"deliver=service",
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

// BenchmarkSample measures what becomes of a poll that is a sample, once with the log
// of bursts and once without it. The callers and the two readings of the clock are not in it.
func BenchmarkSample(b *testing.B) {
	for _, log := range []bool{false, true} {
		b.Run("log="+strconv.FormatBool(log), func(b *testing.B) {
			words := make([]uint64, pepfile.TableSize(pepfile.SlotsOf(poll.Mode))/8)
			saved := counts
			defer func() { counts = saved }()
			counts = pepfile.TableAt(unsafe.Pointer(&words[0])).WithIndex(new(pepfile.Index))
			counts.Fill(options.Default)
			for i := range b.N {
				if counts.Idle() {
					counts.BeginBurst()
				}
				k := pepfile.Key{Path: uint32(i % 16), PC: 1000}
				take, _ := counts.Poll()
				if !take {
					continue
				}
				if e := counts.Add(&k); log {
					counts.LogSample(e)
				}
			}
		})
	}
}
