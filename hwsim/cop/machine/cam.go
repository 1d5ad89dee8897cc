package machine

// This file holds the associative array.

// A cam searches all its slots for a key at once. The model keeps the slots whose keys
// have the same hash in a list, so it need not look at all slots.
type cam struct {
	keys   []uint64
	valid  []bool
	origin []uint64 // by slot: the PC of the event that wrote it, see OriginWindow
	first  []int16  // by hash: a slot, -1 for none
	next   []int16  // by slot
	mask   uint64   // of a key
	shift  uint8    // of a hash, for first
}

func newCam(slots, keyBits int) cam {
	c := cam{
		keys:   make([]uint64, slots),
		valid:  make([]bool, slots),
		origin: make([]uint64, slots),
		first:  make([]int16, 2*slots),
		next:   make([]int16, slots),
		mask:   1<<(keyBits-1)<<1 - 1,
		shift:  64,
	}
	for n := len(c.first); n > 1; n >>= 1 {
		c.shift--
	}
	c.clear()
	return c
}

func (c *cam) list(key uint64) *int16 { return &c.first[key*0x9e3779b97f4a7c15>>(c.shift&63)] }

// match returns the lowest valid slot that has a key, or -1 if there is none.
func (c *cam) match(key uint64) int {
	key &= c.mask
	found := -1
	for i := *c.list(key); i >= 0; i = c.next[i] {
		if c.keys[i] == key && (found < 0 || int(i) < found) {
			found = int(i)
		}
	}
	return found
}

func (c *cam) write(slot int, key uint64) {
	c.invalidate(slot)
	key &= c.mask
	l := c.list(key)
	c.keys[slot], c.valid[slot], c.next[slot] = key, true, *l
	*l = int16(slot)
}

// invalidate marks a slot so that it matches no key. Software can still read the slot's
// key.
func (c *cam) invalidate(slot int) {
	if !c.valid[slot] {
		return
	}
	c.valid[slot] = false
	p := c.list(c.keys[slot])
	for *p != int16(slot) {
		p = &c.next[*p]
	}
	*p = c.next[slot]
}

// clear invalidates all slots.
func (c *cam) clear() {
	clear(c.valid)
	for i := range c.first {
		c.first[i] = -1
	}
}

func (c *cam) copy(from *cam) {
	copy(c.keys, from.keys)
	copy(c.valid, from.valid)
	copy(c.origin, from.origin)
	copy(c.first, from.first)
	copy(c.next, from.next)
}
