package pprofenc

// This file compresses data. It writes one deflate block with the fixed codes of RFC 1951,
// section 3.2.6, and finds matches by a hash of four bytes. Profiles repeat much (labels,
// callers, file names), so matches give most of the possible gain. A linked package
// cannot import compress/flate.

import "github.com/pepgo/pep/runtime/crc32"

// Gzip returns data as a gzip file.
func Gzip(data []byte) []byte {
	out := make([]byte, 0, 64+len(data)/4)
	w := compressor{bitWriter: bitWriter{out: append(out, 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255)}} // deflate, no name, no time, unknown OS
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

func (w *bitWriter) write(x uint32, n uint) {
	w.acc |= uint64(x) << w.bits
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
	codes [288]code // of literals and lengths
}

// A code is a Huffman code with its first bit lowest.
type code struct {
	bits uint16
	n    uint8
}

func newCode(x uint32, n uint) code {
	c := code{n: uint8(n)}
	for range n {
		c.bits = c.bits<<1 | uint16(x&1)
		x >>= 1
	}
	return c
}

func (w *compressor) makeCodes() {
	for s := range uint32(len(w.codes)) {
		switch {
		case s < 144:
			w.codes[s] = newCode(0x30+s, 8)
		case s < 256:
			w.codes[s] = newCode(0x190+s-144, 9)
		case s < 280:
			w.codes[s] = newCode(s-256, 7)
		default:
			w.codes[s] = newCode(0xc0+s-280, 8)
		}
	}
}

// symbol writes a literal or a length symbol.
func (w *compressor) symbol(s uint32) {
	c := w.codes[s]
	w.write(uint32(c.bits), uint(c.n))
}

const (
	window   = 1 << 15
	minMatch = 4
	maxMatch = 258
	hashBits = 14
)

func (w *compressor) deflate(data []byte) {
	w.makeCodes()
	w.write(1, 1)               // the last block
	w.write(1, 2)               // with fixed codes
	var last [1 << hashBits]int // 1 + where a hash was last seen
	for i := 0; i < len(data); {
		n, dist := 0, 0
		if i+minMatch <= len(data) {
			h := (uint32(data[i]) | uint32(data[i+1])<<8 | uint32(data[i+2])<<16 | uint32(data[i+3])<<24) * 0x9e3779b1 >> (32 - hashBits)
			if j := last[h] - 1; j >= 0 && i-j <= window {
				n, dist = matchLen(data, j, i), i-j
			}
			last[h] = i + 1
		}
		if n < minMatch {
			w.symbol(uint32(data[i]))
			i++
			continue
		}
		w.match(uint32(n), uint32(dist))
		i += n
	}
	w.symbol(256)
	w.end()
}

func matchLen(data []byte, j, i int) (n int) {
	for i+n < len(data) && n < maxMatch && data[j+n] == data[i+n] {
		n++
	}
	return n
}

func (w *compressor) match(n, dist uint32) {
	if n == maxMatch {
		w.symbol(285)
	} else {
		sym, extra, bits := bucket(n-3, 2)
		w.symbol(257 + sym)
		w.write(extra, bits)
	}
	sym, extra, bits := bucket(dist-1, 1)
	c := newCode(sym, 5)
	w.write(uint32(c.bits), uint(c.n))
	w.write(extra, bits)
}

// bucket splits x as deflate splits lengths and distances: its highest bits select a
// symbol, and the rest are extra bits. After the leading 1, the symbol has 2 further bits
// of a length, and 1 of a distance.
func bucket(x uint32, inSymbol uint) (sym, extra uint32, bits uint) {
	for x>>bits >= 2<<inSymbol {
		bits++
	}
	return uint32(bits)<<inSymbol + x>>bits, x & (1<<bits - 1), bits
}
