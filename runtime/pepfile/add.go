package pepfile

// This file counts paths. It runs in signal handlers: it allocates nothing and
// takes no locks, and no thread waits for another. It takes sizes from the
// constants of the build and not from the header, because the memory may become
// zeros at any time (busEntry in core).

import "github.com/pepgo/pep/runtime/golink"

// Add counts k once. If the table is crowded, k loses callers.
func (t Table) Add(k *Key) {
	h := k.Hash()
	e, free := t.find(h, k)
	if e == nil && k.shorten(t.room()) {
		golink.Add64(&t.Shortened, 1)
		h = k.Hash()
		e, free = t.find(h, k)
	}
	for e == nil && free != nil {
		if golink.Cas64(&free.Hash, 0, h) {
			golink.Add64(&t.Used, 1)
			free.Key = *k
			golink.Store32(&free.State, EntryReady)
			e = free
		} else {
			e, free = t.find(h, k)
		}
	}
	if e == nil {
		golink.Add64(&t.Dropped, 1)
		return
	}
	golink.Add64(&e.Count, 1)
}

// room returns how many callers new entries may have: all until half of the
// table is used, then few. The last quarter, where linear probing begins to
// cost, is for keeping paths apart if not their callers. (go/types checking std
// fills half of the table in 4 s of CPU time; it has a third as many stacks if
// only 4 callers count, a tenth without any.)
func (t Table) room() uint32 {
	switch used := golink.Load64(&t.Used); {
	case used < Slots/2:
		return MaxCallers
	case used < Slots/4*3:
		return 4
	}
	return 0
}

// shorten drops all but the n innermost callers. It reports whether k had more.
func (k *Key) shorten(n uint32) bool {
	if k.N <= n && (n > 0 || k.Leaf == 0) {
		return false
	}
	k.N = min(k.N, n)
	if n == 0 {
		k.Leaf = 0
	}
	return true
}

// find returns k's entry, or a free entry for it, or neither.
//
// A thread takes a free entry by storing the hash, then stores the key, and then
// State. Another thread that looks for the same key in between sees the hash, but no
// key to compare, and does not wait: it takes the next free entry. So a key may have
// two entries, and readers add them up.
func (t Table) find(h uint64, k *Key) (e, free *Entry) {
	const mask = Slots - 1
	i := uint32(h) & mask
	for range maxProbes {
		e := t.Entry(i)
		switch golink.Load64(&e.Hash) {
		case 0:
			return nil, e
		case h:
			if golink.Load32(&e.State) == EntryReady && e.Key.equal(k) {
				return e, nil
			}
		}
		i = (i + 1) & mask
	}
	return nil, nil
}

// equal ignores what lies beyond the callers in use, as hash does.
func (k *Key) equal(l *Key) bool {
	if k.Path != l.Path || k.PC != l.PC || k.Leaf != l.Leaf || k.N != l.N {
		return false
	}
	for i := range min(k.N, MaxCallers) {
		if k.Callers[i] != l.Callers[i] {
			return false
		}
	}
	return true
}

// Hash is never 0. It multiplies and folds, 64 bits at a time.
func (k *Key) Hash() uint64 {
	h := Mix(uint64(k.Path)<<32|uint64(k.PC), uint64(k.Leaf)<<32|uint64(k.N))
	for i := range min(k.N, MaxCallers) {
		h = Mix(h, uint64(k.Callers[i]))
	}
	return h | 1<<63
}

func Mix(h, x uint64) uint64 {
	h = (h ^ x) * 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
	return h ^ h>>29
}
