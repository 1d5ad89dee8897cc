package cop

// This file has the sample buffer.

// NumClasses is how many classes of events there are. The class of a tuple is its tag.
const NumClasses = 32

// A Sample is a retired instruction that the filters have accepted.
type Sample struct {
	PC     uint64
	Value  uint64 // what it loaded, stored or computed
	Addr   uint64 // the address of memory
	Insn   uint64 // the instruction word
	Target uint64 // where it went
	Class  uint8  // below NumClasses
	Event  uint8  // micro-architectural events: mispredicted, missed
}

// Fields selects what the sample buffer stores of an event. Microcode reads fields that
// are not selected as 0. The class is always there.
type Fields uint8

const (
	SelectPC Fields = 1 << iota
	SelectValue
	SelectAddr
	SelectInsn
	SelectTarget
	SelectEvent
	selectAll = 1<<iota - 1
)

// Bytes returns the size of a sample with these fields in the buffer: 8 bytes each, 4
// for an instruction word, 1 for events, and 1 for the class.
func (f Fields) Bytes() int {
	n := 1
	for i, size := range [...]int{8, 8, 8, 4, 8, 1} {
		n += int(f>>i&1) * size
	}
	return n
}

// cut removes the fields of s that are not selected.
func (f Fields) cut(s *Sample) {
	if f&SelectPC == 0 {
		s.PC = 0
	}
	if f&SelectValue == 0 {
		s.Value = 0
	}
	if f&SelectAddr == 0 {
		s.Addr = 0
	}
	if f&SelectInsn == 0 {
		s.Insn = 0
	}
	if f&SelectTarget == 0 {
		s.Target = 0
	}
	if f&SelectEvent == 0 {
		s.Event = 0
	}
}

// A queue is the sample buffer: a ring. The event whose routine runs is the first, and
// takes room until that is done.
type queue struct {
	ring     []Sample
	capacity int // how many of ring may be used: what fits in the bytes of the buffer
	head, n  int
}

// push reports whether there is room for s.
func (q *queue) push(s Sample) bool {
	if q.n >= q.capacity {
		return false
	}
	i := q.head + q.n
	if i >= len(q.ring) {
		i -= len(q.ring)
	}
	q.ring[i] = s
	q.n++
	return true
}

func (q *queue) pop() {
	q.n--
	if q.head++; q.head == len(q.ring) {
		q.head = 0
	}
}
