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

// put adds a store, and returns false if there is no room. It replaces a store to the
// same bytes, as long as no later one overlaps them, so that loops with few variables in
// memory can be followed for long.
func (b *storeBuffer) put(addr, value uint64, width uint8, known bool) bool {
	for i := b.n - 1; i >= 0; i-- {
		s := &b.slot[i]
		if s.addr == addr && s.width == width {
			s.value, s.known = value, known
			return true
		}
		if s.overlaps(addr, width) {
			break
		}
	}
	if b.n == StoreSlots {
		return false
	}
	b.slot[b.n] = store{addr, value, width, known}
	b.n++
	return true
}

func (s *store) overlaps(addr uint64, width uint8) bool {
	return addr < s.addr+uint64(s.width) && s.addr < addr+uint64(width)
}

// load looks for the newest store that overlaps the bytes. A load of bytes that all come
// from this store gets its value. If some come from elsewhere, the load is unknown: the
// processor would join bytes of two stores.
func (b *storeBuffer) load(addr uint64, width uint8) (value uint64, found, known bool) {
	for i := b.n - 1; i >= 0; i-- {
		s := &b.slot[i]
		if !s.overlaps(addr, width) {
			continue
		}
		if !s.known || addr < s.addr || addr+uint64(width) > s.addr+uint64(s.width) {
			return 0, true, false
		}
		return s.value >> (8 * (addr - s.addr)) & mask(width), true, true
	}
	return 0, false, false
}
