//go:build !peplinked

package wire

// This file packs tables. Programs read packed tables, and write none.

import (
	"encoding/binary"

	"github.com/pepgo/pep/format/huffman"
)

// JoinPacked returns the tables of a program as [Join] does, packed: what is in front of the code of functions is text
// that repeats much.
func JoinPacked(tables []byte) ([]byte, error) {
	h, err := headerOf(tables)
	if err != nil {
		return nil, err
	}
	p := packer{tables: tables, last: map[[minMatch]byte]int{}, before: make([]int, len(tables))}
	for begin := 0; begin < len(tables); {
		_, d, rest, err := readHeads(tables[begin:])
		if err != nil {
			return nil, err
		}
		end := len(tables) - len(rest)
		code := end - checksumLen - len(d.s) + d.begin
		p.match(begin, code)
		p.keep(tables[code:end])
		begin = end
	}
	packed := p.bytes()
	if len(packed) >= len(tables) { // as many stored bytes as there are say that they are not packed
		packed = tables
	}
	h.Stored = uint64(len(packed))
	return append(h.append(nil), packed...), nil
}

// A packer makes tokens of tables.
type packer struct {
	tables []byte
	last   map[[minMatch]byte]int // 1 + where the last such bytes are
	before []int                  // likewise, before those at an index
	tokens []token
	keeps  []byte
}

type token struct {
	is   uint32
	more uint32 // of kept bytes how many, of a match the distance less 1
}

func (p *packer) keep(b []byte) {
	p.tokens = append(p.tokens, token{kept, uint32(len(b))})
	p.keeps = append(p.keeps, b...)
}

// match makes tokens of the bytes from begin to end. If the match at the next byte is longer, a byte by itself comes
// before that.
func (p *packer) match(begin, end int) {
	at := begin
	n, back := p.longest(at, end)
	for at < end {
		more, further := p.longest(at+1, end)
		if n == 0 || more > n {
			p.tokens = append(p.tokens, token{is: literal + uint32(p.tables[at])})
			at, n, back = at+1, more, further
			continue
		}
		p.tokens = append(p.tokens, token{uint32(match + n - minMatch), uint32(back - 1)})
		for at += n; n > 2; n-- { // longest has added the first two
			p.add(at-n+2, end)
		}
		n, back = p.longest(at, end)
	}
}

// longest returns the length of the longest match for the bytes at an index, and how far back it is, and adds the index
// to those that matches may begin at.
func (p *packer) longest(at, end int) (n, back int) {
	const tries, near = 256, 1 << 11
	i := p.add(at, end)
	for range tries {
		if i == 0 {
			break
		}
		from, k := i-1, 0
		for k < maxMatch && at+k < end && p.tables[from+k] == p.tables[at+k] {
			k++
		}
		if k > n && (k > minMatch || at-from < near) {
			n, back = k, at-from
		}
		i = p.before[from]
	}
	return n, back
}

// add adds an index to those that matches may begin at, and returns 1 + the last one with the same bytes.
func (p *packer) add(at, end int) (before int) {
	if at+minMatch > end {
		return 0
	}
	key := [minMatch]byte(p.tables[at:])
	before = p.last[key]
	p.before[at], p.last[key] = before, at+1
	return before
}

// bytes writes the tokens.
func (p *packer) bytes() []byte {
	var counts [3]map[huffman.Number]int
	for i := range counts {
		counts[i] = map[huffman.Number]int{}
	}
	for _, t := range p.tokens {
		counts[0][huffman.Number(t.is+1)]++
		if t.is >= match {
			counts[1][huffman.Number(t.more>>8+1)]++
			counts[2][huffman.Number(t.more&0xff+1)]++
		}
	}
	b := binary.AppendUvarint(nil, uint64(len(p.keeps)))
	var codes [3]*huffman.Numbers
	for i, count := range counts {
		codes[i] = huffman.New(count)
		b = codes[i].Append(b, huffman.Number.Symbol)
	}
	var w huffman.Writer
	for _, t := range p.tokens {
		w.Number(codes[0], huffman.Number(t.is+1))
		switch {
		case t.is == kept:
			w.Literal(binary.AppendUvarint(nil, uint64(t.more)))
		case t.is >= match:
			w.Number(codes[1], huffman.Number(t.more>>8+1))
			w.Number(codes[2], huffman.Number(t.more&0xff+1))
		}
	}
	return append(append(b, w.Bytes...), p.keeps...)
}
