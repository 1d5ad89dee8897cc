package rap

import (
	"fmt"
	"runtime"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/pepgo/pep/format/tuple"
)

func BenchmarkAdd(b *testing.B) {
	const n = 1 << 20
	for _, s := range []struct {
		name   string
		points []uint64
	}{
		{"wide words s=1.5", words(1, 1.5, true).points(n)},
		{"wide words s=1.1", words(1, 1.1, true).points(n)},
		{"integers s=1.1", words(1, 1.1, false).points(n)},
		{"code", code(1, n)},
		{"uniform", twoPhases(1, 2*n)[:n]},
	} {
		for _, eps := range []float64{0.01, 0.1} {
			b.Run(fmt.Sprintf("%s/eps=%g", s.name, eps), func(b *testing.B) {
				tree := newTest(b, Options{Eps: eps})
				tree.Add(s.points)
				perSecond(b, n, func() { tree.Add(s.points) })
			})
			b.Run(fmt.Sprintf("%s/eps=%g/buffer", s.name, eps), func(b *testing.B) {
				buffer := NewBuffer(newTest(b, Options{Eps: eps}), 10)
				buffer.Add(s.points)
				perSecond(b, n, func() { buffer.Add(s.points) })
			})
		}
	}
}

// perSecond runs f until b has enough, and reports how many millions of events
// there are in a second of the thread's CPU time: other processes on the machine
// do not count. Each run of f is n events.
func perSecond(b *testing.B, n int, f func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := threadTime()
	for b.Loop() {
		f()
	}
	b.ReportMetric(float64(b.N)*float64(n)/(threadTime()-before).Seconds()/1e6, "Mevents/s")
	b.ReportMetric(0, "ns/op") // of wall-clock time
}

// threadTime returns the CPU time of the thread.
func threadTime() time.Duration {
	const clockThread = 3
	var t syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockThread, uintptr(unsafe.Pointer(&t)), 0)
	return time.Duration(t.Nano())
}

// An engine has as much to do for an event as its tree, and must find the root of the event.
func BenchmarkPush(b *testing.B) {
	const n = 1 << 20
	points := words(1, 1.5, true).points(n)
	in := make([]tuple.Tuple, n)
	for i, x := range points {
		in[i] = tuple.New(tuple.Load, uint64(i*i%1000+1), x)
	}
	for o, name := range overNames {
		b.Run(name, func(b *testing.B) {
			e := spec{Options: Options{Eps: 0.01}, over: over(o), places: defaultPlaces}.New(0).(*engine)
			e.Push(in, nil)
			perSecond(b, n, func() { e.Push(in, nil) })
		})
	}
	b.Run("tree", func(b *testing.B) {
		tree := newTest(b, Options{Eps: 0.01})
		tree.Add(points)
		perSecond(b, n, func() { tree.Add(points) })
	})
}
