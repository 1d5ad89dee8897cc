//go:build linux

// Package summaries compares package hwsim/rap with other summaries of streams. It is
// a module of its own, so that no other module needs the libraries.
//
//	cd lab/bench/summaries && go test -bench . -benchtime 1x
//
// Each library takes the same events in one process, one after the other, in
// several rounds. Times are CPU time of the thread; the table has the median and
// the extremes of the rounds, and the heap that a filled summary keeps.
package summaries

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/DataDog/sketches-go/ddsketch"
	"github.com/caio/go-tdigest/v4"
	"github.com/pepgo/pep/hwsim/rap"
	boom "github.com/tylertreat/BoomFilters"
)

// A summary is an empty summary that takes points. keep holds its data.
type summary struct {
	name string
	new  func() (add func(points []uint64), keep any)
}

func tree(o rap.Options) func() (func([]uint64), any) {
	return func() (func([]uint64), any) {
		t, err := rap.New(o)
		if err != nil {
			panic(err)
		}
		return func(points []uint64) { t.Add(points) }, t
	}
}

func buffered(o rap.Options) func() (func([]uint64), any) {
	return func() (func([]uint64), any) {
		t, err := rap.New(o)
		if err != nil {
			panic(err)
		}
		b := rap.NewBuffer(t, 12)
		return func(points []uint64) { b.Add(points); b.Settle() }, b
	}
}

var all = []summary{
	{"rap, eps 1 %", tree(rap.Options{Eps: 0.01})},
	{"rap, eps 10 %", tree(rap.Options{Eps: 0.1})},
	{"rap, eps 1 %, buffer of 4096", buffered(rap.Options{Eps: 0.01})},
	{"rap, eps 10 %, 500 nodes", tree(rap.Options{Eps: 0.1, Nodes: 500})},
	{"map[uint64]uint64, exact", func() (func([]uint64), any) {
		m := map[uint64]uint64{}
		return func(points []uint64) {
			for _, x := range points {
				m[x]++
			}
		}, m
	}},
	{"BoomFilters TopK, 100 of 1 %", func() (func([]uint64), any) {
		s := boom.NewTopK(0.01, 0.01, 100)
		return bytesOf(func(b []byte) { s.Add(slices.Clone(b)) }), s // it keeps the slice
	}},
	{"BoomFilters CountMinSketch, 1 %", func() (func([]uint64), any) {
		s := boom.NewCountMinSketch(0.01, 0.01)
		return bytesOf(func(b []byte) { s.Add(b) }), s
	}},
	{"DDSketch, 1 % of the value", func() (func([]uint64), any) {
		s, err := ddsketch.NewDefaultDDSketch(0.01)
		if err != nil {
			panic(err)
		}
		return func(points []uint64) {
			for _, x := range points {
				s.Add(float64(x))
			}
		}, s
	}},
	{"t-digest, compression 100", func() (func([]uint64), any) {
		s, err := tdigest.New(tdigest.Compression(100))
		if err != nil {
			panic(err)
		}
		return func(points []uint64) {
			for _, x := range points {
				s.Add(float64(x))
			}
		}, s
	}},
}

func bytesOf(add func([]byte)) func([]uint64) {
	var b [8]byte
	return func(points []uint64) {
		for _, x := range points {
			binary.LittleEndian.PutUint64(b[:], x)
			add(b[:])
		}
	}
}

const (
	events = 1 << 20
	rounds = 7
)

func BenchmarkSideBySide(b *testing.B) {
	for _, s := range []struct {
		name   string
		points []uint64
	}{
		{"values", values(1)},
		{"wide values", wide(2)},
		{"code", code(3)},
	} {
		b.Run(s.name, func(b *testing.B) {
			for b.Loop() {
				compare(b, s.points)
			}
			b.ReportMetric(0, "ns/op") // the table has what counts
		})
	}
}

func compare(b *testing.B, points []uint64) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	type result struct {
		rates []float64
		heap  uint64
		add   func([]uint64)
		keep  any
	}
	results := make([]result, len(all))
	for i, s := range all {
		before := heap()
		results[i].add, results[i].keep = s.new()
		results[i].add(points) // not measured: the start
		results[i].heap = heap() - before
	}
	for range rounds {
		for i := range results {
			r := &results[i]
			before := threadTime()
			r.add(points)
			r.rates = append(r.rates, float64(len(points))/(threadTime()-before).Seconds()/1e6)
		}
	}
	var t strings.Builder
	fmt.Fprintf(&t, "%-32s %28s %10s\n", "", "million events/s (extremes)", "heap, KB")
	for i, r := range results {
		slices.Sort(r.rates)
		fmt.Fprintf(&t, "%-32s %10.1f (%6.1f - %6.1f) %10.1f\n", all[i].name, r.rates[len(r.rates)/2], r.rates[0],
			r.rates[len(r.rates)-1], float64(r.heap)/1024)
		runtime.KeepAlive(r.keep)
	}
	fmt.Print("\n", t.String()) // b.Log cuts it off
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// threadTime returns the CPU time of the thread.
func threadTime() time.Duration {
	const clockThread = 3
	var t syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockThread, uintptr(unsafe.Pointer(&t)), 0)
	return time.Duration(t.Nano())
}

// values are small integers. The frequency of the integer with rank k is proportional to
// 1/k^1.3.
func values(seed uint64) []uint64 {
	z := rand.NewZipf(rand.New(rand.NewPCG(seed, 0)), 1.3, 1, 1<<16-1)
	list := make([]uint64, events)
	for i := range list {
		list[i] = z.Uint64()
	}
	return list
}

// wide are words from the whole range of words. Their frequencies are those of values.
func wide(seed uint64) []uint64 {
	r := rand.New(rand.NewPCG(seed, 1))
	words := make([]uint64, 1<<16)
	for i := range words {
		words[i] = r.Uint64()
	}
	list := values(seed)
	for i, k := range list {
		list[i] = words[k]
	}
	return list
}

// code are addresses of basic blocks: loops of up to 12 blocks that run 30 times on
// average, in 65,536 functions, few of which are hot.
func code(seed uint64) []uint64 {
	r := rand.New(rand.NewPCG(seed, 2))
	z := rand.NewZipf(r, 1.2, 1, 1<<16-1)
	list := make([]uint64, 0, events)
	for len(list) < events {
		at := 0x400000 + z.Uint64()*64
		blocks, times := 1+r.IntN(12), 1+int(r.ExpFloat64()*30)
		for range times {
			for b := range blocks {
				list = append(list, at+uint64(b)*16)
			}
		}
	}
	return list[:events]
}
