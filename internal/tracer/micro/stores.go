package micro

// StoreSlots is how many stores a machine remembers. The kernel's machine has as many.
const StoreSlots = 16

// A storeBuffer holds the stores of the interpreted instructions, oldest first. Memory
// itself stays as it is.
type storeBuffer struct {
	slot [StoreSlots]store
	n    int
}

type store struct {
	addr, value uint64
	width       uint8 // up to 64 for stores of unknown vectors
	known       bool
}

// put adds a store. There must be room.
func (b *storeBuffer) put(addr, value uint64, width uint8, known bool) {
	b.slot[b.n] = store{addr, value, width, known}
	b.n++
}

func (b *storeBuffer) full() bool { return b.n == StoreSlots }

// load looks for the newest store that overlaps the bytes. A load of bytes that all come
// from this store gets its value. If some come from elsewhere, the load is unknown: the
// processor would join bytes of two stores.
func (b *storeBuffer) load(addr uint64, width uint8) (value uint64, found, known bool) {
	for i := b.n - 1; i >= 0; i-- {
		s := &b.slot[i]
		if addr >= s.addr+uint64(s.width) || s.addr >= addr+uint64(width) {
			continue
		}
		if !s.known || addr < s.addr || addr+uint64(width) > s.addr+uint64(s.width) {
			return 0, true, false
		}
		return s.value >> (8 * (addr - s.addr)) & mask(width), true, true
	}
	return 0, false, false
}
