package core

// This file holds the table of counts: the layout of a .pep file and the way
// entries get into it.
//
// A .pep file of a sampled program, which PEP_WRITE reads, is, little-endian,
//
//	offset 0         a header (the Go type below, whose layout a test pins)
//	offset 4096      Slots entries of 168 bytes, an open-addressed hash table
//	then             what exact counts and taps need (layout.go)
//
// An entry whose State is entryReady counts one (path, program counter,
// callers). Several entries may have the same key, when threads came upon a new
// key at the same time: readers add them up. Program counters are relative to
// Text, the start of the text segment, so that they mean the same in another
// process of the same binary.
//
// A file of exact counts has no slots.
//
// Writers are signal handlers: they allocate nothing, take no locks and never
// wait for each other. They take sizes from the constants of the build and not
// from the header: the memory may become zeros at any time (bus_linux_amd64.go).

import "unsafe"

const (
	magic      = "pepdata\n"
	version    = 4
	pageSize   = 4096
	slots      = 1 << 15
	maxCallers = 32
	maxProbes  = 1024 // before an entry is dropped: some 10 µs, in a signal handler
)

// A header is the first page of a .pep file. Magic is stored last: as long as it
// is zero the rest may be incomplete.
type header struct {
	Magic   [8]byte
	Version uint32
	Mode    uint32 // modePage, modeFlag or modeExact
	Pid     uint32
	Slots   uint32
	Text    uint64  // address of the text segment in the program
	Tick    uint64  // ns of CPU time between ticks
	Start   uint64  // when the program started, ns since 1970
	Build   [8]byte // hash of the site tables linked into the program

	Born       uint64 // when the process began, in the unit of /proc/PID/stat; 0 if not known
	Namespaces uint64 // those that Pid and Born belong to; 0 if not known
	Counters   uint64 // exact counters
	Streams    uint32 // streams of taps; 0 if nothing is tapped

	ExeLen uint32
	Exe    [1024]byte // the program's file

	// What comes before Stopped, which is in here, does not change any more.
	sampler

	Used      uint64 // entries in use
	Dropped   uint64 // samples that found no room
	Shortened uint64 // samples counted without some or all of their callers, for want of room
	Truncated uint64 // samples with more than maxCallers callers
	Unknown   uint64 // polls of a form that pollLen does not know: not counted
	Detached  uint64 // when counting stopped because the file lost its room, ns since 1970; 0 if it did not
	Denied    uint32 // a system call that was denied, so that sampling stopped: see denied
	Writer    uint32 // how far the process that writes the profile has come: writerNone, …
}

// A key is what an entry counts. Leaf and Callers are program counters as in
// Entry.
type key struct {
	Path    uint32             // number within the package
	PC      uint32             // of the poll, relative to Text
	Leaf    uint32             // the word at the stack top if it is in the text, else 0: see [frameless]
	N       uint32             // callers
	Callers [maxCallers]uint32 // return addresses, innermost first, relative to Text
}

// An entry is a slot of the table.
type entry struct {
	Hash  uint64 // 0 = free
	Count uint64
	key
	State uint32 // entryReady when the key can be read
	_     uint32 // so that Hash and Count are aligned on 32-bit systems too
}

const entryReady = 1

// A table is a header and its slots, in memory that is not moved or freed.
type table struct {
	*header
	slots unsafe.Pointer // of Slots entries
}

func tableAt(p unsafe.Pointer) table {
	return table{(*header)(p), unsafe.Add(p, pageSize)}
}

func (t table) entry(i uint32) *entry {
	return (*entry)(unsafe.Add(t.slots, uintptr(i)*unsafe.Sizeof(entry{})))
}

// add counts k once. If the table is crowded, k loses callers.
func (t table) add(k *key) {
	h := k.hash()
	e, free := t.find(h, k)
	if e == nil && k.shorten(t.room()) {
		add64(&t.Shortened, 1)
		h = k.hash()
		e, free = t.find(h, k)
	}
	for e == nil && free != nil {
		if cas64(&free.Hash, 0, h) {
			add64(&t.Used, 1)
			free.key = *k
			store32(&free.State, entryReady)
			e = free
		} else {
			e, free = t.find(h, k)
		}
	}
	if e == nil {
		add64(&t.Dropped, 1)
		return
	}
	add64(&e.Count, 1)
}

// room returns how many callers new entries may have: all until half of the
// table is used, then few. The last quarter, where linear probing begins to
// cost, is for keeping paths apart if not their callers. (go/types checking std
// fills half of the table in 4 s of CPU time; it has a third as many stacks if
// only 4 callers count, a tenth without any.)
func (t table) room() uint32 {
	switch used := load64(&t.Used); {
	case used < slots/2:
		return maxCallers
	case used < slots/4*3:
		return 4
	}
	return 0
}

// shorten drops all but the n innermost callers. It reports whether k had more.
func (k *key) shorten(n uint32) bool {
	if k.N <= n && (n > 0 || k.Leaf == 0) {
		return false
	}
	k.N = min(k.N, n)
	if n == 0 {
		k.Leaf = 0
	}
	return true
}

// find returns k's entry, or where it could be put, or neither. An entry that
// another thread is just filling in counts as somebody else's.
func (t table) find(h uint64, k *key) (e, free *entry) {
	const mask = slots - 1
	i := uint32(h) & mask
	for range maxProbes {
		e := t.entry(i)
		switch load64(&e.Hash) {
		case 0:
			return nil, e
		case h:
			if load32(&e.State) == entryReady && e.key.equal(k) {
				return e, nil
			}
		}
		i = (i + 1) & mask
	}
	return nil, nil
}

// equal ignores what lies beyond the callers in use, as hash does.
func (k *key) equal(l *key) bool {
	if k.Path != l.Path || k.PC != l.PC || k.Leaf != l.Leaf || k.N != l.N {
		return false
	}
	for i := range min(k.N, maxCallers) {
		if k.Callers[i] != l.Callers[i] {
			return false
		}
	}
	return true
}

// hash is never 0. It multiplies and folds, 64 bits at a time.
func (k *key) hash() uint64 {
	h := mix(uint64(k.Path)<<32|uint64(k.PC), uint64(k.Leaf)<<32|uint64(k.N))
	for i := range min(k.N, maxCallers) {
		h = mix(h, uint64(k.Callers[i]))
	}
	return h | 1<<63
}

func mix(h, x uint64) uint64 {
	h = (h ^ x) * 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
	return h ^ h>>29
}

// fill writes what is the same in every program. The magic is left for publish.
func (t table) fill(opts options) {
	t.Version = version
	t.Mode = mode
	t.Slots = slotsOf(mode)
	t.Samples, t.Stride, t.Form = opts.samples, opts.stride, opts.form
	t.Tick = opts.tick
}

// publish seals the header when it is complete, and then stores the magic, at once.
func (t table) publish() {
	t.seal()
	var m uint64
	for i := range len(magic) {
		m |= uint64(magic[i]) << (8 * i)
	}
	store64((*uint64)(unsafe.Pointer(&t.Magic)), m)
}

// slotsOf returns how many slots there are with a kind of poll.
func slotsOf(mode uint32) uint32 {
	if mode == modeExact {
		return 0
	}
	return slots
}

// tableSize returns the size of the header and so many slots, in whole pages.
func tableSize(slots uint32) uint64 {
	return pageSize + pages(uint64(slots)*uint64(unsafe.Sizeof(entry{})))
}
