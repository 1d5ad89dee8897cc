package steptest_test

import (
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/pepgo/pep/runtime/interp"
	"github.com/pepgo/pep/tracer/internal/interp/micro"
)

// own is the memory of this process.
type own struct{}

func (own) Load(addr uint64, width uint8) (v uint64, ok bool) {
	p := unsafe.Add(nil, addr)
	switch width {
	case 1:
		return uint64(*(*uint8)(p)), true
	case 2:
		return uint64(*(*uint16)(p)), true
	case 4:
		return uint64(*(*uint32)(p)), true
	}
	return *(*uint64)(p), true
}

func (own) ReadCode(pc uint64, buf []byte) int {
	return copy(buf, unsafe.Slice((*byte)(unsafe.Add(nil, pc)), len(buf)))
}

//go:noinline
func words(text []byte, table *[1024]uint64) (n uint64) {
	for i := 0; i < len(text); i++ {
		h := uint64(14695981039346656037)
		for i < len(text) && text[i] != ' ' {
			h = (h ^ uint64(text[i])) * 1099511628211
			i++
		}
		table[h%1024]++
		n += h & 1
	}
	return n
}

// BenchmarkMachines times windows of 6,000 instructions of the same function in both machines.
func BenchmarkMachines(b *testing.B) {
	var text []byte
	for i := range 30000 {
		text = append(text, "a word and another one, of several letters "[i%43])
	}
	table, stack, g := new([1024]uint64), make([]uint64, 4096), make([]uint64, 256)
	pc := uint64(reflect.ValueOf(words).Pointer())
	var regs [16]uint64
	regs[0], regs[3], regs[1] = uint64(uintptr(unsafe.Pointer(&text[0]))), uint64(len(text)), uint64(cap(text))
	regs[7], regs[4], regs[14] = uint64(uintptr(unsafe.Pointer(table))), uint64(uintptr(unsafe.Pointer(&stack[4000]))), uint64(uintptr(unsafe.Pointer(&g[0])))
	report := func(b *testing.B, window func() int) {
		best := 1e9
		for range b.N {
			begin := time.Now()
			steps := window()
			best = min(best, float64(time.Since(begin).Nanoseconds())/float64(steps))
		}
		b.ReportMetric(best, "min-ns/insn")
	}
	b.Run("micro", func(b *testing.B) {
		t := micro.NewTable()
		t.Add(own{}, pc, 1000)
		report(b, func() int {
			m := micro.NewMachine(regs, 0, own{})
			if why := m.Run(t, t.At(pc), 6000, nil); why != micro.Done {
				b.Fatal(why)
			}
			return m.Steps
		})
	})
	b.Run("interp", func(b *testing.B) {
		_, m, _ := newMachine(nil)
		m.Fetch = nil
		report(b, func() int {
			copy(m.R[:], regs[:])
			m.Reset(pc, 0)
			if why := m.Run(6000); why != interp.Done {
				b.Fatal(why)
			}
			return m.Steps
		})
	})
}
