package core

// This file holds the table of what polled taps saw, behind that of the paths.
// It works as that does: what is said there of writers and readers holds here.

import "unsafe"

// A tapKey is what an entry of the table counts.
type tapKey struct {
	W     uint64
	PC    uint32 // of the tap's comparison, relative to Text
	Index uint32 // of the tap in its package
}

type tapEntry struct {
	Hash  uint64 // 0 = free
	Count uint64
	tapKey
	State uint32 // entryReady when the key can be read
	_     uint32
}

func (t table) tapEntry(i uint64) *tapEntry {
	base := unsafe.Add(t.slots, uintptr(t.Slots)*unsafe.Sizeof(entry{}))
	return (*tapEntry)(unsafe.Add(base, uintptr(i)*unsafe.Sizeof(tapEntry{})))
}

// addTap counts k once.
func (t table) addTap(k *tapKey) {
	h := mix(mix(k.W, uint64(k.PC)), uint64(k.Index)) | 1<<63
	mask := t.TapSlots - 1
	for i, probes := h&mask, uint64(0); probes < maxProbes; i, probes = (i+1)&mask, probes+1 {
		e := t.tapEntry(i)
		if load64(&e.Hash) == 0 && cas64(&e.Hash, 0, h) {
			e.tapKey = *k
			store32(&e.State, entryReady)
			add64(&e.Count, 1)
			return
		}
		if load64(&e.Hash) == h && load32(&e.State) == entryReady && e.tapKey == *k {
			add64(&e.Count, 1)
			return
		}
	}
	add64(&t.TapsLost, 1)
}
