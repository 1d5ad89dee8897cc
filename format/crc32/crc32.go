// Package crc32 is the checksum of gzip files and of traces: CRC-32 with the
// IEEE polynomial.
//
//	crc32.Checksum([]byte("123456789")) // 0xcbf43926
//
// It does what hash/crc32 does, but imports nothing, because it is linked into
// instrumented programs.
//
// Source: RFC 1952, section 8; Kounavis and Berry, "A Systematic Approach to
// Building High Performance Software-Based CRC Generators", ISCC 2005.
package crc32

const polynomial = 0xedb88320 // lowest bit first

// tables[k][b] is what byte b does to the checksum k bytes further on.
var tables = func() (t [8][256]uint32) {
	for b := range t[0] {
		c := uint32(b)
		for range 8 {
			c = c>>1 ^ polynomial&-(c&1)
		}
		t[0][b] = c
	}
	for k := 1; k < len(t); k++ {
		for b, c := range t[k-1] {
			t[k][b] = c>>8 ^ t[0][byte(c)]
		}
	}
	return t
}()

// Checksum returns the checksum of data.
//
// Eight bytes are taken at a time: their effects do not wait for each other,
// which is four times as fast as a byte after the other.
func Checksum(data []byte) uint32 {
	c, t := ^uint32(0), &tables
	for ; len(data) >= 8; data = data[8:] {
		c ^= uint32(data[0]) | uint32(data[1])<<8 | uint32(data[2])<<16 | uint32(data[3])<<24
		c = t[7][byte(c)] ^ t[6][byte(c>>8)] ^ t[5][byte(c>>16)] ^ t[4][c>>24] ^
			t[3][data[4]] ^ t[2][data[5]] ^ t[1][data[6]] ^ t[0][data[7]]
	}
	for _, b := range data {
		c = t[0][byte(c)^b] ^ c>>8
	}
	return ^c
}
