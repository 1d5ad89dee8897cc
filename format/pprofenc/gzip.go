package pprofenc

// This file compresses data. It writes one deflate block with the fixed codes of RFC 1951,
// section 3.2.6, and finds matches by a hash of four bytes. Profiles repeat much (labels,
// callers, file names), so matches give most of the possible gain. A linked package
// cannot import compress/flate.

import (
	"math/bits"

	"github.com/pepgo/pep/format/crc32"
)

// Gzip returns data as a gzip file.
func Gzip(data []byte) []byte {
	// More than most need: pages that are not written cost nothing.
	out := make([]byte, 0, 64+len(data)/2)
	// deflate, no name, no time, unknown OS
	w := compressor{bitWriter: bitWriter{out: append(out, 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255)}}
	w.deflate(data)
	out = w.out
	out = le32(out, crc32.Checksum(data))
	return le32(out, uint32(len(data)))
}

func le32(b []byte, x uint32) []byte {
	return append(b, byte(x), byte(x>>8), byte(x>>16), byte(x>>24))
}

// A bitWriter writes the lowest bit first.
type bitWriter struct {
	out  []byte
	acc  uint64
	bits uint
}

// write writes the lowest n bits of x, which has no others. There may be 32 at most.
func (w *bitWriter) write(x uint64, n uint) {
	w.acc |= x << (w.bits & 63)
	w.bits += n
	if w.bits >= 32 {
		w.out = le32(w.out, uint32(w.acc))
		w.acc >>= 32
		w.bits -= 32
	}
}

// end writes the last bits, and zeros behind them to the end of a byte.
func (w *bitWriter) end() {
	for n := int(w.bits); n > 0; n -= 8 {
		w.out = append(w.out, byte(w.acc))
		w.acc >>= 8
	}
}

// A compressor writes symbols with the fixed codes.
type compressor struct {
	bitWriter
	literals  [256]code
	end256    code               // of the end of the block
	lengths   [maxMatch + 1]code // of lengths of matches, with their extra bits
	distances [30]code           // without extra bits
}

// A code is a Huffman code with its first bit lowest, and perhaps extra bits behind it.
type code struct {
	bits uint32
	n    uint8
}

func newCode(x uint32, n uint) code {
	return code{bits.Reverse32(x) >> (32 - n), uint8(n)}
}

// symbol returns the fixed code of a literal or length.
func symbol(s uint32) code {
	switch {
	case s < 144:
		return newCode(0x30+s, 8)
	case s < 256:
		return newCode(0x190+s-144, 9)
	case s < 280:
		return newCode(s-256, 7)
	}
	return newCode(0xc0+s-280, 8)
}

func (w *compressor) makeCodes() {
	for s := range w.literals {
		w.literals[s] = symbol(uint32(s))
	}
	w.end256 = symbol(256)
	for n := uint32(minMatch); n < maxMatch; n++ {
		sym, extra, bits := bucket(n-3, 2)
		c := symbol(257 + sym)
		w.lengths[n] = code{c.bits | extra<<c.n, c.n + uint8(bits)}
	}
	w.lengths[maxMatch] = symbol(285)
	for s := range w.distances {
		w.distances[s] = newCode(uint32(s), 5)
	}
}

func (w *compressor) code(c code) { w.write(uint64(c.bits), uint(c.n)) }

const (
	window   = 1 << 15
	minMatch = 4
	maxMatch = 258
	hashBits = 14
)

func (w *compressor) deflate(data []byte) {
	w.makeCodes()
	w.write(1, 1)                 // the last block
	w.write(1, 2)                 // with fixed codes
	var last [1 << hashBits]int32 // 1 + where a hash was last seen
	i := 0
	for i+8 <= len(data) {
		x := load64(data, i)
		h := uint32(x) * 0x9e3779b1 >> (32 - hashBits)
		j := int(last[h]) - 1
		last[h] = int32(i) + 1
		if j < 0 || i-j > window || uint32(load64(data, j)) != uint32(x) {
			w.code(w.literals[byte(x)])
			i++
			continue
		}
		n := matchLen(data, j, i)
		sym, extra, bits := bucket(uint32(i-j)-1, 1)
		length, c := w.lengths[n], w.distances[sym]
		// 12 and 18 bits at most.
		w.write(uint64(length.bits)|uint64(c.bits|extra<<c.n)<<length.n, uint(length.n)+uint(c.n)+bits)
		i += n
	}
	for ; i < len(data); i++ {
		w.code(w.literals[data[i]])
	}
	w.code(w.end256)
	w.end()
}

// load64 returns the 8 bytes at data[i:].
func load64(data []byte, i int) uint64 {
	b := data[i : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 | uint64(b[4])<<32 | uint64(
		b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// matchLen returns how many bytes at data[j:] and data[i:] are the same, for j < i.
func matchLen(data []byte, j, i int) (n int) {
	for i+n+8 <= len(data) && n+8 <= maxMatch {
		if x := load64(data, j+n) ^ load64(data, i+n); x != 0 {
			return n + bits.TrailingZeros64(x)/8
		}
		n += 8
	}
	for i+n < len(data) && n < maxMatch && data[j+n] == data[i+n] {
		n++
	}
	return n
}

// bucket splits x as deflate splits lengths and distances: its highest bits select a
// symbol, and the rest are extra bits. After the leading 1, the symbol has 2 further bits
// of a length, and 1 of a distance.
func bucket(x uint32, inSymbol uint) (sym, extra uint32, n uint) {
	if l := uint(bits.Len32(x)); l > inSymbol+1 {
		n = l - inSymbol - 1
	}
	return uint32(n)<<inSymbol + x>>n, x & (1<<n - 1), n
}
