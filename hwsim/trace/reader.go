package trace

// This file reads traces.

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	format "github.com/pepgo/pep/format/trace"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/internal/input"
)

// A Block is a run of tuples of one stream.
type Block struct {
	Stream uint32
	Tuples []tuple.Tuple
}

// A Reader reads a trace block by block.
type Reader struct {
	Header format.Header
	Sites  *Sites     // the taps in the tables of the header; nil if there are none or they are damaged
	Names  Names      // the names of words: all of them if Open could read the file twice, otherwise those read so far
	End    format.End // the end chunk; valid when Next has returned io.EOF
	Total  uint64     // how many tuples the trace has; 0 if Open could not read the file twice

	name   string // of the file, or "" if the reader does not know it
	close  func() error
	in     *bufio.Reader
	chunk  bytes.Buffer
	off    int64         // the offset of the next chunk
	blocks int           // how many blocks have been read
	tuples uint64        // how many tuples these blocks have
	buf    []tuple.Tuple // the tuples of the block that Next returned
	tables error         // what is wrong with the header's tables

	symbols uint64 // how many bytes of names have been read
}

// Open opens a trace, or reads the standard input if the name is "-".
func Open(name string, stdin io.Reader) (*Reader, error) {
	if name == "-" {
		r, err := NewReader(stdin)
		if err != nil {
			return nil, fmt.Errorf("standard input: %w", err)
		}
		r.name = "standard input"
		return r, nil
	}
	f, err := input.Open(name)
	if err != nil {
		return nil, err
	}
	r, err := openFile(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	r.name = name
	return r, nil
}

func openFile(f *input.File) (*Reader, error) {
	if !f.Info.Mode().IsRegular() { // a pipe, which can be read only once
		r, err := NewReader(f)
		if err == nil {
			r.close = f.Close
		}
		return r, err
	}
	first, err := NewReader(f)
	if err != nil {
		return nil, err
	}
	// The names of words may come after the tuples that have these words. So read
	// the names first.
	for {
		if err := first.skim(); err != nil {
			break // io.EOF, or an error that Next will find again
		}
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	r, err := NewReader(f)
	if err != nil {
		return nil, err
	}
	r.Names, r.Total, r.close = first.Names, first.End.Tuples, f.Close
	return r, nil
}

// Bounds of what the reader keeps in memory. A header has the site tables of a program:
// 15 MB for a program of a million lines. The names are those of the types and functions
// in a profile of 131072 words. wire.ReadPackage bounds the memory that decoded tables
// take.
const (
	maxHeader = 32 << 20 // bytes of the chunk
	maxBlock  = 64 << 10 // bytes of the chunk: 4096 tuples of at most 16 bytes
	maxNames  = 16 << 20 // bytes of all chunks with symbols together
)

// fits returns an error if a chunk of the given kind is larger than the bounds allow.
func (r *Reader) fits(kind format.Kind, size uint64) error {
	most := uint64(maxBlock)
	switch kind {
	case format.KindHeader:
		most = maxHeader
	case format.KindSymbols:
		r.symbols += size
		size, most = r.symbols, maxNames
	}
	if size > most {
		return fmt.Errorf("damaged: %d bytes of %s at byte %d, at most %d are read", size, kindNames[kind], r.off, most)
	}
	return nil
}

var kindNames = map[format.Kind]string{format.KindHeader: "a header", format.KindSymbols: "names",
	format.KindBlock: "a block", format.KindEnd: "the end"}

// NewReader reads the header of a trace.
func NewReader(in io.Reader) (*Reader, error) {
	r := &Reader{in: bufio.NewReaderSize(in, 1<<16), Names: Names{}, close: func() error { return nil }}
	preamble, err := r.in.Peek(format.PreambleBytes)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if err := format.CheckPreamble(preamble); err != nil {
		return nil, err
	}
	r.in.Discard(len(preamble))
	r.off = int64(len(preamble))
	kind, body, err := r.next()
	if err == nil && kind != format.KindHeader {
		err = errors.New("not a trace: the first chunk is no header")
	}
	if err != nil {
		return nil, err
	}
	h, err := format.DecodeHeader(bytes.Clone(body))
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	r.Header = *h
	r.Sites, r.tables = NewSites(h)
	return r, nil
}

// Close closes the file that Open opened.
func (r *Reader) Close() error { return r.close() }

// Next returns the next block. The next call of Next overwrites the block's tuples.
//
// At the end of the trace the error is io.EOF. If the site tables of the header are
// damaged, Next returns this error at the end in place of io.EOF, because reading tuples
// does not need the tables. If a trace is cut off or damaged, Next returns all whole
// blocks before it returns the error.
func (r *Reader) Next() (Block, error) {
	b, err := r.block()
	if err != nil && err != io.EOF && r.name != "" {
		err = fmt.Errorf("%s: %w", r.name, err)
	}
	return b, err
}

func (r *Reader) block() (Block, error) {
	for {
		off := r.off
		kind, body, err := r.next()
		if err == io.EOF {
			return Block{}, r.finish()
		}
		if err != nil {
			return Block{}, err
		}
		if kind != format.KindBlock {
			if err := r.other(kind, body); err != nil {
				return Block{}, fmt.Errorf("at byte %d: %w", off, err)
			}
			continue
		}
		b := Block{}
		b.Stream, b.Tuples, err = format.DecodeBlock(r.buf[:0], body)
		if err != nil {
			return Block{}, fmt.Errorf("block %d at byte %d: %w", r.blocks, off, err)
		}
		r.buf = b.Tuples
		r.blocks++
		r.tuples += uint64(len(b.Tuples))
		return b, nil
	}
}

// finish returns the error of Next at the end of the trace.
func (r *Reader) finish() error {
	if r.tuples != r.End.Tuples {
		return fmt.Errorf("the end chunk says %d tuples, but the blocks have %d", r.End.Tuples, r.tuples)
	}
	if r.tables != nil {
		return r.tables
	}
	return io.EOF
}

// skim reads the next chunk. It does not decode blocks.
func (r *Reader) skim() error {
	kind, body, err := r.next()
	if err == nil && kind != format.KindBlock {
		err = r.other(kind, body)
	}
	return err
}

// other decodes a chunk that is not a block.
func (r *Reader) other(kind format.Kind, body []byte) (err error) {
	switch kind {
	case format.KindSymbols:
		syms, err := format.DecodeSymbols(body)
		if err != nil {
			return fmt.Errorf("symbols: %w", err)
		}
		for _, s := range syms {
			r.Names[Word{s.Tag, s.W}] = s.Name
		}
		return nil
	case format.KindEnd:
		if r.End, err = format.DecodeEnd(body); err != nil {
			return fmt.Errorf("end: %w", err)
		}
		if _, err := r.in.Peek(1); err != io.EOF {
			return errors.New("something follows the end of the trace: join traces with pepsim merge")
		}
		r.in = nil
		return nil
	case format.KindHeader:
		return errors.New("a second header")
	}
	return fmt.Errorf("a chunk of unknown kind %q", byte(kind))
}

// next returns the next chunk. After the end chunk it returns io.EOF.
func (r *Reader) next() (format.Kind, []byte, error) {
	if r.in == nil {
		return 0, nil, io.EOF
	}
	r.chunk.Reset()
	if _, err := io.CopyN(&r.chunk, r.in, format.SizeBytes); err != nil {
		return 0, nil, r.cut(err)
	}
	size, err := format.Size(r.chunk.Bytes())
	if err != nil {
		return 0, nil, err
	}
	if err := r.fits(format.Kind(r.chunk.Bytes()[0]), size); err != nil {
		return 0, nil, err
	}
	// The buffer grows only as the input supplies bytes, even if size is larger.
	if _, err := io.CopyN(&r.chunk, r.in, int64(size)-format.SizeBytes); err != nil {
		return 0, nil, r.cut(err)
	}
	kind, body, _, err := format.Next(r.chunk.Bytes())
	if err != nil {
		what := "chunk"
		if kind == format.KindBlock {
			what = fmt.Sprint("block ", r.blocks)
		}
		return 0, nil, fmt.Errorf("%s at byte %d: %w", what, r.off, err)
	}
	r.off += int64(size)
	return kind, body, nil
}

// cut returns the error for a chunk that could not be read. If the input has ended, the
// trace is cut off.
func (r *Reader) cut(err error) error {
	if err != io.EOF {
		return err
	}
	return fmt.Errorf("%w: it ends after %d whole blocks, %d tuples", format.ErrTruncated, r.blocks, r.tuples)
}

// Total returns how many tuples traces have together, but no more than limit if limit is
// not 0. It returns 0 if that is not known.
func Total(traces []*Reader, limit uint64) (n uint64) {
	for _, r := range traces {
		if r.Total == 0 {
			return limit
		}
		n += r.Total
	}
	if limit > 0 {
		n = min(n, limit)
	}
	return n
}
