package values_test

import (
	"math/rand/v2"
	"runtime"
	"strconv"
	"testing"

	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/cop/coptest"
	"github.com/pepgo/pep/hwsim/cop/machine"
)

// BenchmarkValues reports how many samples the engine of value profiling takes in a second of CPU time, with
// the loads that the partitions leave out. No load is masked.
//
//	go test ./hwsim/cop/values -run '^$' -bench Values
func BenchmarkValues(b *testing.B) {
	for _, sites := range []int{100, 3000} {
		b.Run(strconv.Itoa(sites), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			zipf := rand.NewZipf(r, 1.1, 1, uint64(sites-1))
			in := loads(1<<16, func(int) (uint64, uint64) { site := zipf.Uint64(); return site, r.Uint64N(1 + site%5*site%5) })
			e := coptest.New(b, "program=values,near=60,far=60,least=1048576,times=1048576")
			out := hwsim.NewOut(512, func([]hwsim.Message) {})
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			before := coptest.ThreadTime()
			for b.Loop() {
				e.Push(in, out)
			}
			seconds := (coptest.ThreadTime() - before).Seconds()
			taken, _ := e.(hwsim.Controlled).Load(machine.SampleWindow + machine.AcceptedEvents)
			b.ReportMetric(float64(taken)/seconds/1e6, "Msamples/s")
			b.ReportMetric(float64(taken)/float64(b.N*len(in)), "taken/event")
			b.ReportMetric(0, "ns/op") // of wall-clock time
		})
	}
}
