package cop_test

import (
	"math/rand/v2"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/cop"
)

// BenchmarkInstructions reports how many microinstructions are simulated in a second of CPU time, of two
// programs: the sampler, and a routine that uses all parts of the machine at once.
//
//	go test ./hwsim/cop -run '^$' -bench Instructions
func BenchmarkInstructions(b *testing.B) {
	for _, program := range []struct{ name, source string }{
		{"sampler", sourceOf(b, "sampler")},
		{"all", `
			.sample pc value
			.entry  all look
			.const  K0 3
			.width  I0 8
		look:	match I0 ; cmp value, V0
			add V1, V1, K0 ; inc I1 ; dsinc B0|I0.total ; if !hit goto new
			mov V0, value ; dinc B0|I0.hits ; if eq goto done likely
			done
		new:	mov I2, I1 ; write I1 ; wr B0|I1, value
			done`},
	} {
		b.Run(program.name, func(b *testing.B) {
			m := load(b, cop.Config{Buffer: 1 << 16}, program.source)
			r := rand.New(rand.NewPCG(1, 1))
			samples := make([]cop.Sample, 1024)
			for i := range samples {
				samples[i] = cop.Sample{PC: uint64(r.ExpFloat64() * 20), Value: r.Uint64N(2), Class: 3}
			}
			first := m.Stats()
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			before := threadTime()
			for b.Loop() {
				_, now := m.State()
				for i := range samples {
					m.Offer(now, samples[i])
				}
				for m.Run(1<<62) == cop.Interrupted {
					m.Resume(0)
				}
			}
			seconds := (threadTime() - before).Seconds()
			b.ReportMetric(float64(m.Stats().Instrs-first.Instrs)/seconds/1e6, "Minstr/s")
			b.ReportMetric(float64(m.Stats().Done-first.Done)/seconds/1e6, "Msamples/s")
			b.ReportMetric(0, "ns/op") // of wall-clock time
		})
	}
}

// BenchmarkValues reports how many samples the engine of value profiling takes in a second of CPU time, with
// the loads that the partitions leave out. No load is masked.
//
//	go test ./hwsim/cop -run '^$' -bench Values
func BenchmarkValues(b *testing.B) {
	for _, sites := range []int{100, 3000} {
		b.Run(strconv.Itoa(sites), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			zipf := rand.NewZipf(r, 1.1, 1, uint64(sites-1))
			in := loads(1<<16, func(int) (uint64, uint64) { site := zipf.Uint64(); return site, r.Uint64N(1 + site%5*site%5) })
			e := newEngine(b, "program=values,near=60,far=60,least=1048576,times=1048576")
			out := hwsim.NewOut(512, func([]hwsim.Message) {})
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			before := threadTime()
			for b.Loop() {
				e.Push(in, out)
			}
			seconds := (threadTime() - before).Seconds()
			taken, _ := e.(hwsim.Controlled).Load(cop.SampleWindow + cop.AcceptedEvents)
			b.ReportMetric(float64(taken)/seconds/1e6, "Msamples/s")
			b.ReportMetric(float64(taken)/float64(b.N*len(in)), "taken/event")
			b.ReportMetric(0, "ns/op") // of wall-clock time
		})
	}
}

// threadTime returns the CPU time of the thread: other processes on the machine do not
// count.
func threadTime() time.Duration {
	const clockThread = 3
	var t syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockThread, uintptr(unsafe.Pointer(&t)), 0)
	return time.Duration(t.Nano())
}
