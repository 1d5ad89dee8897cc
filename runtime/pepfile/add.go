package pepfile

// This file counts paths. It runs in signal handlers: it allocates nothing and
// takes no locks, and no thread waits for another. It takes sizes from the
// constants of the build and not from the header, because the memory may become
// zeros at any time (busEntry in core).

import "github.com/pepgo/pep/runtime/golink"

// Add counts k once and returns its entry, nil if there is no space. If the table is
// crowded, k loses callers.
func (t Table) Add(k *Key) *Entry {
	e, shortened := t.claim(k)
	if shortened {
		golink.Add64(&t.Shortened, 1)
	}
	if e != nil {
		golink.Add64(&e.Count, 1)
	} else {
		golink.Add64(&t.Dropped, 1)
	}
	return e
}

// TickPath is in place of a path's number in entries that count ticks, and CallPath in those of ticks in system calls.
// No path has them, because packages have fewer.
const (
	TickPath = 1<<32 - 1
	CallPath = TickPath - 1
)

// OfTicks reports whether an entry with k counts ticks.
func (k *Key) OfTicks() bool { return k.Path >= CallPath }

// NoText is in place of a program counter that is not in the text segment.
const NoText = 1<<32 - 1

// tickBlock is how many bytes of code share an entry for ticks without callers. It is how the linker aligns functions,
// so none shares a block with another one.
const tickBlock = 32

// AddTick counts n ticks that have interrupted the program at k.PC, with the callers that are known. When half of the
// table is used, they lose their callers, and when three quarters are, they get no new entries. (In a second of CPU
// time there are 100 ticks and 6400 samples, and entries are for samples.)
func (t Table) AddTick(k *Key, n uint64) {
	var e *Entry
	most := t.mostCallers()
	if most < MaxCallers {
		k.N, k.Leaf = 0, 0
		if k.PC != NoText {
			k.PC = k.PC - k.PC%tickBlock + tickBlock/2
		}
	}
	if most > 0 {
		e, _ = t.claim(k)
	} else {
		e, _ = t.find(k.Hash(), k)
	}
	if e != nil {
		golink.Add64(&e.Count, int64(n))
	}
}

// claim returns the entry of k, and makes one if there is none. It returns nil if there is
// no space. If the table is crowded, k loses callers, and shortened is true.
func (t Table) claim(k *Key) (e *Entry, shortened bool) {
	h := k.Hash()
	e, at := t.find(h, k)
	if e == nil && k.shorten(t.mostCallers()) {
		shortened = true
		h = k.Hash()
		e, at = t.find(h, k)
	}
	if e == nil {
		e = t.make(h, k, at)
	}
	return e, shortened
}

// mostCallers returns how many callers new entries may have: all until half of the
// table is used, then few, and no labels. The last quarter, where linear probing begins to
// cost, is for keeping paths apart if not their callers. (go/types checking std
// fills half of the table in 4 s of CPU time; it has a third as many stacks if
// only 4 callers count, a tenth without any.)
func (t Table) mostCallers() uint32 {
	switch used := golink.Load64(&t.Used); {
	case used < Slots/2:
		return MaxCallers
	case used < Slots/4*3:
		return 4
	}
	return 0
}

// shorten drops all but the n innermost callers, and the labels unless n is MaxCallers. It
// reports whether k had more.
func (k *Key) shorten(n uint32) bool {
	if k.N <= n && (n > 0 || k.Leaf == 0) && (n == MaxCallers || k.Labels == 0) {
		return false
	}
	if n < MaxCallers {
		k.Labels = 0
	}
	k.N = min(k.N, n)
	if n == 0 {
		k.Leaf = 0
	}
	return true
}

// An Index says where in the table a key's entry is. It is not in the file, because only the program looks for
// entries. The table has them in the order in which they came: at places that follow from hashes, each new one would be
// in a page of its own, and the first store to a page of a file takes as long as some 10,000 instructions.
type Index [2 * Slots]uint32

// A word of the index is 0 or 1 + the number of an entry, below the upper half of its hash's upper half.
const numberBits = 16

// find returns k's entry, or nil and the number of the word of the index where the search ended.
//
// A thread makes a new entry complete before it stores its number in the index. Two threads that come upon the same key
// may both make an entry: readers add them up.
func (t Table) find(h uint64, k *Key) (e *Entry, at uint32) {
	at = uint32(h)
	for range maxProbes {
		w := golink.Load32(t.word(at))
		if w == 0 {
			break
		}
		if e := t.Entry(w&(1<<numberBits-1) - 1); w>>numberBits == uint32(h>>48) && golink.Load64(&e.Hash) == h &&
			e.Key.Equal(k) {
			return e, at
		}
		at++
	}
	return nil, at
}

// make makes an entry of k, whose hash is h, and puts it into the index at the first free word from at on. It returns
// nil if the table is full.
func (t Table) make(h uint64, k *Key, at uint32) *Entry {
	number := golink.Add64(&t.Used, 1) // 1 + the entry's number
	if number > Slots {
		golink.Add64(&t.Used, -1)
		return nil
	}
	e := t.Entry(uint32(number - 1))
	golink.Store64(&e.Hash, h)
	e.Key = *k
	golink.Store32(&e.State, EntryReady)
	for range maxProbes {
		if golink.Cas32(t.word(at), 0, uint32(h>>48)<<numberBits|uint32(number)) {
			break
		}
		at++
	}
	return e
}

func (t Table) word(at uint32) *uint32 { return &t.index[at%uint32(len(t.index))] }

// Equal reports whether two keys are the same. It ignores what lies beyond the callers in use, as
// Hash does.
func (k *Key) Equal(l *Key) bool {
	if k.Path != l.Path || k.PC != l.PC || k.Leaf != l.Leaf || k.N != l.N || k.Labels != l.Labels {
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
	h := Mix(uint64(k.Path)<<32|uint64(k.PC), uint64(k.Leaf)<<32|uint64(k.Labels)<<8|uint64(k.N))
	for i := range min(k.N, MaxCallers) {
		h = Mix(h, uint64(k.Callers[i]))
	}
	return h | 1<<63
}

func Mix(h, x uint64) uint64 {
	h = (h ^ x) * 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
	return h ^ h>>29
}
