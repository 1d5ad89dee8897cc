package machine_test

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/pepgo/pep/hwsim/cop/coptest"
	"github.com/pepgo/pep/hwsim/cop/machine"
)

// BenchmarkInstructions reports how many microinstructions are simulated in a second of CPU time, of two
// programs: the sampler, and a routine that uses all parts of the machine at once.
//
//	go test ./hwsim/cop/machine -run '^$' -bench Instructions
func BenchmarkInstructions(b *testing.B) {
	for _, program := range []struct{ name, source string }{
		{"sampler", coptest.Source(b, "sampler")},
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
			m := load(b, machine.Config{Buffer: 1 << 16}, program.source)
			r := rand.New(rand.NewPCG(1, 1))
			samples := make([]machine.Sample, 1024)
			for i := range samples {
				samples[i] = machine.Sample{PC: uint64(r.ExpFloat64() * 20), Value: r.Uint64N(2), Class: 3}
			}
			first := m.Stats()
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			before := coptest.ThreadTime()
			for b.Loop() {
				_, now := m.State()
				for i := range samples {
					m.Offer(now, samples[i])
				}
				for m.Run(1<<62) == machine.Interrupted {
					m.Resume(0)
				}
			}
			seconds := (coptest.ThreadTime() - before).Seconds()
			b.ReportMetric(float64(m.Stats().Instrs-first.Instrs)/seconds/1e6, "Minstr/s")
			b.ReportMetric(float64(m.Stats().Done-first.Done)/seconds/1e6, "Msamples/s")
			b.ReportMetric(0, "ns/op") // of wall-clock time
		})
	}
}
