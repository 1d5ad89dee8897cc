package wire

// This file reads packed tables.

import "github.com/pepgo/pep/format/bitcode"

// A match has so many bytes.
const (
	minMatch = 3
	maxMatch = 255
)

// Tokens of packed tables.
const (
	kept    = 0   // bytes that are kept as they are
	literal = 1   // + a byte
	match   = 257 // + how many bytes more than minMatch
)

// unpack returns the tables that b has packed, which have a length. It reports false if b is damaged.
func unpack(b []byte, size uint64) (tables []byte, ok bool) {
	r := bitcode.Reader{Bytes: b}
	n := r.Count()
	keeps := b[len(b)-n:]
	r.Bytes = b[:len(b)-n]
	var tokens, far, near bitcode.Alphabet
	for _, a := range [...]*bitcode.Alphabet{&tokens, &far, &near} {
		r.Numbers(a)
	}
	// The length may be wrong: no more memory is taken than for a match at each byte.
	tables = make([]byte, 0, min(size, maxMatch*uint64(len(b))))
	for !r.Bad && uint64(len(tables)) < size {
		switch t := r.Value(&tokens); {
		case t == kept:
			n := int(r.Number())
			if n > len(keeps) {
				return nil, false
			}
			tables, keeps = append(tables, keeps[:n]...), keeps[n:]
		case t < match:
			tables = append(tables, byte(t-literal))
		default:
			back := int(r.Value(&far))<<8 + int(r.Value(&near)) + 1
			if t > match+maxMatch-minMatch || back > len(tables) {
				return nil, false
			}
			for range t - match + minMatch {
				tables = append(tables, tables[len(tables)-back])
			}
		}
	}
	return tables, !r.Bad && uint64(len(tables)) == size && len(keeps) == 0
}
