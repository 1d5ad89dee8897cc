package raphw

// This file holds stage 0, the event buffer.

// timesBits is the number of bits of the count of an entry in the buffer.
const timesBits = 8

// maxTimes is the greatest count of an entry. If the count of an entry is full, the
// next equal event gets an entry of its own.
const maxTimes = 1<<timesBits - 1

// A buffer is a queue of events. Each entry passes through three states:
//
//	waiting   it is between next and tail, and equal events are added to it
//	in flight it is between head and next: stages 1 to 4 have it, so its count is fixed
//	free      stage 4 has retired it
//
// A flush makes the entries that are in flight wait again, except for the first ones,
// which stage 4 has retired.
type buffer struct {
	ring             []waiting
	size             uint64 // entries that may be in use
	head, next, tail uint64 // positions since the start; the index into ring is the position modulo its length
	combine          bool

	// chains are lists of waiting entries, by the hash of event and place. An element
	// is 1 + an index into ring, or 0. The hardware compares with all entries at once.
	chains []uint32
}

// waiting is an entry of the buffer.
type waiting struct {
	pc, x uint64
	times uint64 // number of times that the event was seen
	link  uint32 // next entry of the chain
}

// newBuffer returns an empty buffer. If entries is 0, the buffer has as many entries as
// the pipeline holds, and does not combine equal events.
func newBuffer(entries uint64) buffer {
	b := buffer{size: max(entries, stages), combine: entries > 0}
	if b.combine {
		b.size = entries
	}
	n := 2
	for uint64(n) < b.size {
		n *= 2
	}
	b.ring, b.chains = make([]waiting, n), make([]uint32, 2*n)
	return b
}

func (b *buffer) reset() {
	b.head, b.next, b.tail = 0, 0, 0
	clear(b.chains)
}

func (b *buffer) at(position uint64) *waiting { return &b.ring[position&uint64(len(b.ring)-1)] }

func (b *buffer) chain(pc, x uint64) *uint32 {
	// The odd constants come from the golden ratio and from Stafford's variant 13. With
	// them all bits of both words affect the upper bits of the product.
	h := (x*0x9e3779b97f4a7c15 ^ pc) * 0x94d049bb133111eb
	return &b.chains[h>>32&uint64(len(b.chains)-1)]
}

// accept takes an event. It returns false if there is no space.
func (b *buffer) accept(pc, x uint64) bool {
	chain := b.chain(pc, x)
	if b.combine {
		for i := *chain; i != 0; i = b.ring[i-1].link {
			if w := &b.ring[i-1]; w.x == x && w.pc == pc && w.times < maxTimes {
				w.times++
				return true
			}
		}
	}
	if b.tail-b.head == b.size {
		return false
	}
	w := b.at(b.tail)
	*w = waiting{pc: pc, x: x, times: 1}
	if b.combine {
		w.link = *chain
		*chain = uint32(b.tail&uint64(len(b.ring)-1)) + 1
	}
	b.tail++
	return true
}

// ready reports whether an event should leave the buffer, that is, whether more than
// keep entries wait. Replayed events had more than keep entries behind them, so they
// leave again at once.
func (b *buffer) ready(keep uint64) bool { return b.tail-b.next > keep }

// retire frees the first entry that is in use.
func (b *buffer) retire() { b.head++ }

// issue returns the position of the first waiting entry, and puts this entry in flight.
// There must be a waiting entry.
func (b *buffer) issue() (position uint64) {
	position = b.next
	b.next++
	if !b.combine {
		return position
	}
	w := b.at(position)
	own := uint32(position&uint64(len(b.ring)-1)) + 1
	i := b.chain(w.pc, w.x)
	for *i != 0 && *i != own { // after a flush the entry is in no chain
		i = &b.ring[*i-1].link
	}
	if *i == own {
		*i = w.link
	}
	return position
}

// flush makes the entries from a position on, which stages 1 to 4 have had, wait again.
// These entries are in no chain any more: they leave before new events are combined.
func (b *buffer) flush(position uint64) (replayed uint64) {
	replayed = b.next - position
	b.next = position
	return replayed
}

// events returns how many events are in the buffer.
func (b *buffer) events() (n uint64) {
	for i := b.head; i < b.tail; i++ {
		n += b.at(i).times
	}
	return n
}
