package machine

// This file holds the sample buffer.

// NumClasses is the number of classes of events. The class of a tuple is its tag.
const NumClasses = 32

// A Sample is a retired instruction that the filters have accepted.
type Sample struct {
	PC     uint64
	Value  uint64 // the value that the instruction loaded, stored or computed
	Addr   uint64 // the address in memory
	Insn   uint64 // the instruction word
	Target uint64 // the target of a branch or call
	Class  uint8  // below NumClasses
	Event  uint8  // micro-architectural events: mispredicted, missed
	Words  uint8  // how many tuples of the stream the sample is made of; microcode cannot read it
}

// Fields selects the fields of an event that the sample buffer stores. Microcode reads
// a field that is not selected as 0. The class is always stored.
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

// Bytes returns the size of a sample with these fields in the buffer: 8 bytes for each
// field, except 4 for an instruction word and 1 for events; and 1 byte for the class.
func (f Fields) Bytes() int {
	n := 1
	for i, size := range [...]int{8, 8, 8, 4, 8, 1} {
		n += int(f>>i&1) * size
	}
	return n
}

// cut clears the fields of s that are not selected.
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

// A queue is the sample buffer, a ring. Its first event is the one whose routine runs.
// This event takes up space until its routine is done.
type queue struct {
	ring     []Sample
	capacity int // the number of elements of ring in use at most: as many as fit in the bytes of the buffer
	head, n  int
}

// push adds s if there is space for it, and reports whether there was.
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
