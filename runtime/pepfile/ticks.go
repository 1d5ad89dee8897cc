package pepfile

// This file counts ticks in programs that count paths exactly, or not at all, and whose taps report
// in bursts. Such programs have no table of samples, where other programs count ticks (Table.AddTick).

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/golink"
)

const (
	tickSlots     = 4096
	maxTickProbes = 16
	ticksSize     = tickSlots * 8
	ticksOffset   = momentsOffset + WordSlots*uint64(unsafe.Sizeof(Moments{}))
)

// tick returns slot i: 1 + the block of code << 32 | the number of ticks in it. A free slot is 0.
func (a Words) tick(i uint32) *uint64 {
	return (*uint64)(unsafe.Add(unsafe.Pointer(a.WordsHeader), uintptr(ticksOffset)+uintptr(i)*8))
}

// AddTick counts a tick at a program counter, as Table.AddTick does. If there is no room, the
// tick counts as one outside of the text segment.
func (a Words) AddTick(pc uint32) {
	block := pc/tickBlock + 1
	for _, block := range [2]uint32{block, NoText/tickBlock + 1} {
		for i := range uint32(maxTickProbes) {
			slot := a.tick((block*0x9e3779b1>>20 + i) % tickSlots)
			if golink.Load64(slot) == 0 {
				golink.Cas64(slot, 0, uint64(block)<<32)
			}
			if golink.Load64(slot)>>32 == uint64(block) {
				golink.Add64(slot, 1)
				return
			}
		}
	}
}

// Ticks calls do for each block of code with ticks: with a program counter in it, or NoText, and the
// number of ticks.
func (a Words) Ticks(do func(pc uint32, n uint64)) {
	for i := range uint32(tickSlots) {
		x := golink.Load64(a.tick(i))
		block, n := uint32(x>>32), x&(1<<32-1)
		switch {
		case n == 0:
		case block == NoText/tickBlock+1:
			do(NoText, n)
		default:
			do((block-1)*tickBlock+tickBlock/2, n)
		}
	}
}
