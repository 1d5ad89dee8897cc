package trace

// This file codes the chunks of a trace that are not blocks of tuples.

import (
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/format/tuple"
)

// A Header says where a trace comes from.
type Header struct {
	Build   [8]byte // hash of the program's site tables, as in its profiles
	Exe     string  // the program's file
	Tables  []byte  // site tables, one after the other as package wire writes them; may be empty
	Comment string  // how the trace was made
}

// A Symbol is the name of a word: of a type, for tuples with the tag Type, or
// of a function, for Call.
type Symbol struct {
	Tag  tuple.Tag
	W    uint64
	Name string
}

// An End has the numbers that are known when a trace is complete.
type End struct {
	Tuples  uint64 // events in the blocks
	Dropped uint64 // events that could not be written
}

// AppendHeader appends the beginning of a file.
func AppendHeader(dst []byte, h *Header) []byte {
	dst = append(dst, magic...)
	dst = append(dst, Version)
	dst, start := openChunk(dst, KindHeader)
	dst = append(dst, h.Build[:]...)
	dst = appendString(dst, h.Exe)
	dst = appendString(dst, h.Comment)
	dst = appendUvarint(dst, uint64(len(h.Tables)))
	dst = append(dst, h.Tables...)
	return closeChunk(dst, start)
}

// PreambleBytes is how many bytes stand before the first chunk, which is the header.
const PreambleBytes = len(magic) + 1

// CheckPreamble returns an error unless b begins like a trace of the version that this
// package reads.
func CheckPreamble(b []byte) error {
	switch {
	case len(b) == 0:
		return Error("not a trace: the file is empty")
	case len(b) < PreambleBytes && string(b) == magic[:min(len(b), len(magic))]:
		return ErrTruncated
	case len(b) < PreambleBytes || string(b[:len(magic)]) != magic:
		return Error("not a trace: it does not begin with " + magic)
	case b[len(magic)] != Version:
		return Error("trace of version " + digits.Uint(uint64(b[len(magic)])) + ", this program reads " +
			digits.Uint(Version) + ": record it again")
	}
	return nil
}

// ReadHeader reads the beginning of a file and returns the bytes after it.
func ReadHeader(b []byte) (h *Header, rest []byte, err error) {
	if err := CheckPreamble(b); err != nil {
		return nil, nil, err
	}
	kind, body, rest, err := Next(b[PreambleBytes:])
	if err != nil {
		return nil, nil, err
	}
	if kind != KindHeader {
		return nil, nil, Error("the first chunk is no header")
	}
	if h, err = DecodeHeader(body); err != nil {
		return nil, nil, err
	}
	return h, rest, nil
}

// DecodeHeader returns the header with the given body. Its Tables share memory with body.
func DecodeHeader(body []byte) (*Header, error) {
	d, h := decoder{b: body}, &Header{}
	copy(h.Build[:], d.take(len(h.Build)))
	h.Exe = string(d.bytes())
	h.Comment = string(d.bytes())
	h.Tables = d.bytes()
	if err := d.end(); err != nil {
		return nil, err
	}
	return h, nil
}

// AppendSymbols appends names of words. The names are valid in the whole file.
func AppendSymbols(dst []byte, syms []Symbol) []byte {
	dst, start := openChunk(dst, KindSymbols)
	dst = appendUvarint(dst, uint64(len(syms)))
	for _, s := range syms {
		dst = append(dst, byte(s.Tag))
		dst = appendUvarint(dst, s.W)
		dst = appendString(dst, s.Name)
	}
	return closeChunk(dst, start)
}

// DecodeSymbols returns the symbols in the given body.
func DecodeSymbols(body []byte) ([]Symbol, error) {
	const minSymbol = 3 // tag, W, length
	d := decoder{b: body}
	syms := make([]Symbol, d.count(minSymbol))
	for i := range syms {
		syms[i] = Symbol{tuple.Tag(d.byte()), d.uvarint(), string(d.bytes())}
	}
	if err := d.end(); err != nil {
		return nil, err
	}
	return syms, nil
}

// AppendEnd appends the end of a file.
func AppendEnd(dst []byte, e End) []byte {
	dst, start := openChunk(dst, KindEnd)
	dst = appendUvarint(dst, e.Tuples)
	dst = appendUvarint(dst, e.Dropped)
	return closeChunk(dst, start)
}

// DecodeEnd returns the end with the given body.
func DecodeEnd(body []byte) (End, error) {
	d := decoder{b: body}
	e := End{Tuples: d.uvarint(), Dropped: d.uvarint()}
	return e, d.end()
}
