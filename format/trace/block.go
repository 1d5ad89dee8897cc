package trace

// This file codes blocks of tuples. The format is specified in doc.go.

import (
	"math/bits"

	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/format/tuple"
)

const (
	// MaxBlock is how many tuples a block may have. Each block starts without history, so
	// short blocks make files longer; but if the end of a file is lost, so is a block. For
	// 16M loads of two test programs, typecheck and lua, blocks of a quarter of this size
	// make files 4 % and 11 % longer, and blocks four times as large make them 1 % and 3 %
	// shorter.
	MaxBlock = 4096

	// MaxBlockBytes is how long a block with MaxBlock tuples can get.
	MaxBlockBytes = chunkOverhead + maxUvarint32 + maxUvarint32 + MaxBlock*maxTuple + slack

	maxUvarint32 = 5
	maxTuple     = 1 + 10 + 8 // head, PC, W
	slack        = 8          // W is written as 8 bytes of which some are taken back
)

// The ways in which the head of a tuple names a slot.
const (
	siteNext  = 0 << 4 // the one that followed the last time
	siteSlot  = 1 << 4 // its number follows
	siteFresh = 2 << 4 // a PC follows that is in none
)

// A history is what writer and reader remember of a block so far. For some PCs, one per
// slot, it has their last W and the slot that came next.
type history struct {
	slots [256]slot
	at    *slot  // of the tuple before
	pc    uint64 // that last came as such
}

type slot struct {
	pc, w uint64
	next  uint8
}

// slotOf returns the only slot that pc can be in. Multiplying by 2^64 over the
// golden ratio keeps sites that follow each other apart.
func slotOf(pc uint64) uint8 { return uint8(pc * 0x9e3779b97f4a7c15 >> 56) }

// BlockBytes returns how many bytes a block with n tuples can have.
func BlockBytes(n int) int { return MaxBlockBytes - (MaxBlock-n)*maxTuple }

// AppendBlock appends a block of at most MaxBlock tuples of a stream. It does
// not allocate if dst has space for BlockBytes of them. It needs 6 kB of stack.
func AppendBlock(dst []byte, stream uint32, tuples []tuple.Tuple) []byte {
	if len(tuples) > MaxBlock {
		panic("trace: a block of more than MaxBlock tuples")
	}
	dst = grow(dst, BlockBytes(len(tuples)))
	dst, start := openChunk(dst, KindBlock)
	dst = appendUvarint(dst, uint64(stream))
	dst = appendUvarint(dst, uint64(len(tuples)))
	dst = appendTuples(dst, tuples)
	return closeChunk(dst, start)
}

// appendTuples writes into the space behind dst. The caller makes sure that there is enough.
func appendTuples(dst []byte, tuples []tuple.Tuple) []byte {
	var h history
	h.at = &h.slots[0]
	b, n := dst[:cap(dst)], len(dst)
	for _, t := range tuples {
		head := n
		n++
		site := byte(siteNext)
		s := &h.slots[h.at.next]
		if s.pc != t.PC {
			i := slotOf(t.PC)
			h.at.next = i
			s = &h.slots[i]
			if s.pc == t.PC {
				site = siteSlot
				b[n] = i
				n++
			} else {
				site = siteFresh
				n = putUvarint(b, n, zigzag(t.PC-h.pc))
				h.pc = t.PC
				*s = slot{pc: t.PC, next: s.next}
			}
		}
		d := zigzag(t.W - s.w)
		s.w = t.W
		h.at = s
		size := (bits.Len64(d) + 7) / 8
		b[head] = site | byte(size)
		put64(b[n:], d)
		n += size
	}
	return b[:n]
}

// DecodeBlock appends the tuples of a block's body to dst. If there is an error, it returns
// dst unchanged.
func DecodeBlock(dst []tuple.Tuple, body []byte) (stream uint32, tuples []tuple.Tuple, err error) {
	d := decoder{b: body}
	u := d.uvarint()
	count := d.uvarint()
	if u > 1<<32-1 {
		d.fail("stream " + digits.Uint(u) + ", at most 4294967295")
	}
	if count > MaxBlock {
		d.fail(digits.Uint(count) + " tuples, at most " + digits.Uint(MaxBlock))
	}
	tuples = dst
	var h history
	h.at = &h.slots[0]
	for i := uint64(0); i < count && d.wrong == ""; i++ {
		tuples = append(tuples, d.tuple(&h))
	}
	if err := d.end(); err != nil {
		return 0, dst, err
	}
	return uint32(u), tuples, nil
}

func (d *decoder) tuple(h *history) tuple.Tuple {
	head := d.byte()
	i := h.at.next
	switch head &^ 15 {
	case siteNext:
	case siteSlot:
		i = d.byte()
		h.at.next = i
	case siteFresh:
		h.pc += unzigzag(d.uvarint())
		i = slotOf(h.pc)
		h.at.next = i
		h.slots[i] = slot{pc: h.pc, next: h.slots[i].next}
	default:
		d.fail("head " + digits.Uint(uint64(head)))
	}
	s := &h.slots[i]
	size := int(head & 15)
	if size > 8 {
		d.fail("head " + digits.Uint(uint64(head)))
		size = 0
	}
	s.w += unzigzag(littleEndian(d.take(size)))
	h.at = s
	return tuple.Tuple{PC: s.pc, W: s.w}
}
