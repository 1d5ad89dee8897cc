// Package bitcode reads tables that are linked into programs: a header, and behind it numbers, and values in Huffman
// codes, bit by bit. Package huffman makes the codes and writes them.
//
//	data, ok := bitcode.Table(data, "pep example 1\n")    // a table that begins with the first byte, without what follows
//	r := bitcode.Reader{Bytes: data, At: 8 * bitcode.HeaderSize("pep example 1\n")}
//	var sizes bitcode.Alphabet
//	r.Numbers(&sizes)                                     // a code, which comes before the values
//	n := r.Value(&sizes)                                  // a value
//
// Readers are for signal handlers, too: apart from Alphabet and Numbers nothing allocates, can panic or calls the Go
// runtime. What is damaged makes a reader Bad, and from there on it returns zeros.
//
// # Format
//
// A number is an unsigned varint of at most 32 bits. A signed number is zigzag coded. Bits are read from the lowest of
// each byte on, and numbers among them are of 8 bits each. A value is a symbol of an alphabet: it has a Huffman code, a
// canonical one. Those that are used once follow where they are used, behind the code of the symbol 0.
//
//	table     what it begins with, length of what follows and its CRC-32 (4 bytes each, lowest first), what follows
//	alphabet  longest code in bits, how many codes have 1 bit, 2 bits and so on, symbols, those with short codes first
//	symbol    of an alphabet of numbers: the number + 1
package bitcode

import "github.com/pepgo/pep/format/crc32"

// HeaderSize is that of the header of a table: what it begins with, the length and the checksum.
func HeaderSize(magic string) int { return len(magic) + 8 }

// AppendHeader appends to b what a table with the given rest begins with.
func AppendHeader(b []byte, magic string, rest []byte) []byte {
	b = append(b, magic...)
	for _, x := range [...]uint32{uint32(len(rest)), crc32.Checksum(rest)} {
		b = append(b, byte(x), byte(x>>8), byte(x>>16), byte(x>>24))
	}
	return b
}

// Table returns the table that begins with the first byte of data, without what follows it. It reports false if none
// does, or only a part of one is there.
func Table(data []byte, magic string) (table []byte, ok bool) {
	header := HeaderSize(magic)
	if len(data) < header || string(data[:len(magic)]) != magic {
		return nil, false
	}
	n := int(word(data[len(magic):]))
	if n > len(data)-header {
		return nil, false
	}
	return data[:header+n], true
}

// Intact reports whether the checksum of a table is right.
func Intact(table []byte, magic string) bool {
	return crc32.Checksum(table[HeaderSize(magic):]) == word(table[len(magic)+4:])
}

func word(b []byte) uint32 {
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

// MaxCode is how many bits a code has at most.
const MaxCode = 24

// An Alphabet has the symbols of a code.
type Alphabet struct {
	lengths [MaxCode + 1]uint32 // how many codes have so many bits
	Symbols []uint32
}

// A Reader reads numbers and values. When something is wrong it returns zeros from there on.
type Reader struct {
	Bytes []byte
	At    int // in bits
	Bad   bool
}

// Fail says that something is wrong.
func (r *Reader) Fail() uint32 {
	r.Bad, r.At = true, 8*len(r.Bytes)
	return 0
}

// Number reads a number.
func (r *Reader) Number() uint32 {
	x := uint32(0)
	for shift := uint(0); shift < 32; shift += 7 {
		i, low := r.At>>3, uint(r.At&7)
		if i < 0 || i >= len(r.Bytes) {
			break
		}
		c := uint32(r.Bytes[i])
		if i++; low > 0 && i >= 0 && i < len(r.Bytes) {
			c |= uint32(r.Bytes[i]) << 8
		}
		c = c >> low & 0xff
		r.At += 8
		x |= c & 0x7f << shift
		if c < 0x80 {
			return x
		}
	}
	return r.Fail()
}

// Signed returns the signed number that is coded as x.
func Signed(x uint32) uint32 { return x>>1 ^ -(x & 1) }

// Symbol reads a code. Of canonical codes those of one length follow each other, and shorter ones come first.
func (r *Reader) Symbol(a *Alphabet) uint32 {
	bits := r.peek()
	code, first, index := uint32(0), uint32(0), uint32(0)
	for i, n := range a.lengths[1:] {
		code = code<<1 | uint32(bits)&1
		bits >>= 1
		first <<= 1
		if code-first < n {
			index += code - first
			r.At += i + 1
			if int(index) >= len(a.Symbols) || r.At > 8*len(r.Bytes) {
				break
			}
			return a.Symbols[index]
		}
		index, first = index+n, first+n
	}
	return r.Fail()
}

// peek returns the next bits, 57 at least, of which those behind the end are zeros.
func (r *Reader) peek() (bits uint64) {
	b, i := r.Bytes, r.At>>3
	if i < 0 || i > len(b) {
		return 0
	}
	if b = b[i:]; len(b) >= 8 {
		bits = uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
	} else {
		for i, c := range b {
			bits |= uint64(c) << (8 * i & 63)
		}
	}
	return bits >> (r.At & 7)
}

// Value reads a value of an alphabet of numbers, which may follow its code.
func (r *Reader) Value(a *Alphabet) uint32 {
	if x := r.Symbol(a); x > 0 {
		return x - 1
	}
	return r.Number()
}

// Count reads a number of things, each of which takes a byte at least of what follows.
func (r *Reader) Count() int {
	n := int(r.Number())
	if n > len(r.Bytes)-r.At/8 {
		return int(r.Fail())
	}
	return n
}

// Alphabet reads an alphabet without its symbols, for which it makes space.
func (r *Reader) Alphabet(a *Alphabet) {
	longest, all := r.Count(), 0
	if longest > MaxCode {
		r.Fail()
		return
	}
	for i := range longest {
		n := r.Count()
		a.lengths[i+1] = uint32(n)
		all += n
	}
	if all > len(r.Bytes)-r.At/8 {
		r.Fail()
		return
	}
	a.Symbols = make([]uint32, all)
}

// Numbers reads an alphabet of numbers.
func (r *Reader) Numbers(a *Alphabet) {
	r.Alphabet(a)
	for i := range a.Symbols {
		a.Symbols[i] = r.Number()
	}
}
