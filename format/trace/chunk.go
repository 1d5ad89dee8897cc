package trace

// This file frames chunks, and codes numbers and strings.

import (
	"github.com/pepgo/pep/format/crc32"
	"github.com/pepgo/pep/format/digits"
)

// A Kind is what the body of a chunk holds.
type Kind byte

const (
	KindHeader  Kind = 'H'
	KindBlock   Kind = 'B'
	KindSymbols Kind = 'S'
	KindEnd     Kind = 'E'
)

const (
	chunkHead     = 1 + 4 // kind, size of the body
	checksumLen   = 4
	chunkOverhead = chunkHead + checksumLen
)

// An Error says what is wrong with a trace.
type Error string

func (e Error) Error() string { return string(e) }

// ErrTruncated is the error for bytes that end before a chunk does.
const ErrTruncated = Error("truncated trace")

// Next returns the kind and the body of the chunk at the beginning of b, and the bytes
// after it. Its error is [ErrTruncated] if b is too short, and another [Error] if the
// checksum is wrong. With a wrong checksum, kind and rest are still valid.
func Next(b []byte) (kind Kind, body, rest []byte, err error) {
	size, err := Size(b)
	if err != nil {
		return 0, nil, nil, err
	}
	if uint64(len(b)) < size {
		return Kind(b[0]), nil, nil, ErrTruncated
	}
	chunk, rest := b[:size-checksumLen], b[size:]
	got, want := crc32.Checksum(chunk), uint32(littleEndian(b[len(chunk):size]))
	if got != want {
		return Kind(b[0]), nil, rest, Error("checksum is " + digits.Uint(uint64(got)) + ", want " + digits.Uint(uint64(want)))
	}
	return Kind(b[0]), chunk[chunkHead:], rest, nil
}

// SizeBytes is how many bytes of a chunk [Size] needs.
const SizeBytes = chunkHead

// Size returns how many bytes the chunk at the beginning of b has, with its kind, size and
// checksum. Next needs as many bytes. The error of Size is [ErrTruncated] if b has fewer
// than SizeBytes.
func Size(b []byte) (uint64, error) {
	if len(b) < chunkHead {
		return 0, ErrTruncated
	}
	return chunkOverhead + littleEndian(b[1:chunkHead]), nil
}

// openChunk begins a chunk, and returns the position at which closeChunk ends it.
func openChunk(dst []byte, kind Kind) (b []byte, start int) {
	return append(dst, byte(kind), 0, 0, 0, 0), len(dst)
}

func closeChunk(dst []byte, start int) []byte {
	size := len(dst) - start - chunkHead
	for i := range 4 {
		dst[start+1+i] = byte(size >> (8 * i))
	}
	c := crc32.Checksum(dst[start:])
	return append(dst, byte(c), byte(c>>8), byte(c>>16), byte(c>>24))
}

// grow returns b with space for n more bytes.
func grow(b []byte, n int) []byte {
	if cap(b)-len(b) >= n {
		return b
	}
	return append(make([]byte, 0, len(b)+n), b...)
}

// A decoder reads the body of a chunk. After an error it reads zeros.
type decoder struct {
	b     []byte
	off   int
	wrong string // the first thing that was wrong
}

// fail notes what is wrong. After it the decoder reads zeros.
func (d *decoder) fail(what string) {
	if d.wrong == "" {
		d.wrong = what
		d.b = d.b[:d.off]
	}
}

// end returns the first error of the decoder. Bytes that are left over are an error, too.
func (d *decoder) end() error {
	if d.wrong == "" && d.off < len(d.b) {
		d.fail(digits.Uint(uint64(len(d.b)-d.off)) + " bytes left over")
	}
	if d.wrong == "" {
		return nil
	}
	return Error(d.wrong + " at byte " + digits.Uint(uint64(d.off)) + " of the body")
}

// take returns the next n bytes.
func (d *decoder) take(n int) []byte {
	if n > len(d.b)-d.off {
		d.fail(digits.Uint(uint64(n)) + " bytes wanted")
		return nil
	}
	b := d.b[d.off : d.off+n]
	d.off += n
	return b
}

func (d *decoder) byte() byte {
	if b := d.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (d *decoder) uvarint() (u uint64) {
	for i := range 10 {
		c := d.byte()
		u |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			return u
		}
	}
	d.fail("a number of more than ten bytes")
	return 0
}

// count reads the number of things that take at least size bytes each.
func (d *decoder) count(size int) int {
	n := d.uvarint()
	if n > uint64((len(d.b)-d.off)/size) {
		d.fail(digits.Uint(n) + " things to come")
		return 0
	}
	return int(n)
}

func (d *decoder) bytes() []byte { return d.take(d.count(1)) }

func appendUvarint(b []byte, u uint64) []byte {
	for u >= 0x80 {
		b = append(b, byte(u)|0x80)
		u >>= 7
	}
	return append(b, byte(u))
}

func appendString(b []byte, s string) []byte {
	return append(appendUvarint(b, uint64(len(s))), s...)
}

// putUvarint writes u at b[n:] and returns where it ends.
func putUvarint(b []byte, n int, u uint64) int {
	for u >= 0x80 {
		b[n] = byte(u) | 0x80
		u >>= 7
		n++
	}
	b[n] = byte(u)
	return n + 1
}

// put64 writes u, little-endian.
func put64(b []byte, u uint64) {
	_ = b[7]
	b[0], b[1], b[2], b[3] = byte(u), byte(u>>8), byte(u>>16), byte(u>>24)
	b[4], b[5], b[6], b[7] = byte(u>>32), byte(u>>40), byte(u>>48), byte(u>>56)
}

// littleEndian returns the number in b, of 8 bytes at most.
func littleEndian(b []byte) (u uint64) {
	for i, c := range b {
		u |= uint64(c) << (8 * i)
	}
	return u
}

// zigzag maps 0, -1, 1, -2 … to 0, 1, 2, 3 …
func zigzag(u uint64) uint64 { return u<<1 ^ uint64(int64(u)>>63) }

func unzigzag(u uint64) uint64 { return u>>1 ^ -(u & 1) }
