package trace

// This file reads traces.

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/pepgo/pep/internal/input"
	format "github.com/pepgo/pep/runtime/trace"
	"github.com/pepgo/pep/runtime/tuple"
)

// A Block is a run of tuples of one stream.
type Block struct {
	Stream uint32
	Tuples []tuple.Tuple
}

// A Reader reads a trace block by block.
type Reader struct {
	Header format.Header
	Sites  *Sites     // what the header's tables say of sites
	Names  Names      // of words; those of symbols that have been read, or all if Open could read twice
	End    format.End // known when Next has returned io.EOF

	name   string // of the file, "" if it is not known
	close  func() error
	in     *bufio.Reader
	chunk  bytes.Buffer
	off    int64         // of the next chunk
	blocks int           // that have been read
	tuples uint64        // in these
	buf    []tuple.Tuple // of the block that Next returned
	tables error         // what is wrong with the header's tables

	symbols uint64 // bytes of names that have been read
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
	if !f.Info.Mode().IsRegular() { // a pipe, which is read once
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
	// Symbols may stand behind the tuples that they are for.
	for {
		if err := first.skim(); err != nil {
			break // io.EOF, or what Next will find
		}
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	r, err := NewReader(f)
	if err != nil {
		return nil, err
	}
	r.Names, r.close = first.Names, f.Close
	return r, nil
}

// Bounds of what is kept in memory. A header has the site tables of a program,
// 15 MB for one of a million lines; names are those of the types and functions in
// a profile of 131072 words. wire.ReadPackage bounds what is made of tables.
const (
	maxHeader = 32 << 20 // bytes of the chunk
	maxBlock  = 64 << 10 // of the chunk: 4096 tuples of at most 16 bytes
	maxNames  = 16 << 20 // of the chunks with symbols, all together
)

// fits says what is wrong if a chunk of a kind is larger than there is any need
// for.
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

var kindNames = map[format.Kind]string{format.KindHeader: "a header", format.KindSymbols: "names", format.KindBlock: "a block", format.KindEnd: "the end"}

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

// Close closes the file that Open has opened.
func (r *Reader) Close() error { return r.close() }

// Next returns the next block; its tuples are overwritten by the one after it.
//
// At the end of the trace the error is io.EOF, or says what is wrong with the
// site tables of the header: tuples can be read without. A trace that is cut
// off or damaged is read as far as it is whole.
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

// finish returns what there is to say at the end.
func (r *Reader) finish() error {
	if r.tuples != r.End.Tuples {
		return fmt.Errorf("the end tells of %d tuples, the blocks have %d", r.End.Tuples, r.tuples)
	}
	if r.tables != nil {
		return r.tables
	}
	return io.EOF
}

// skim reads the next chunk, but no tuples.
func (r *Reader) skim() error {
	kind, body, err := r.next()
	if err == nil && kind != format.KindBlock {
		err = r.other(kind, body)
	}
	return err
}

// other reads a chunk that is no block.
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
			return errors.New("something follows the end; traces are joined by merge")
		}
		r.in = nil
		return nil
	case format.KindHeader:
		return errors.New("a second header")
	}
	return fmt.Errorf("a chunk of unknown kind %q", byte(kind))
}

// next returns the next chunk, io.EOF behind the end.
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
	// The buffer grows with what there is, whatever size says.
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

// cut says what it means that nothing more could be read.
func (r *Reader) cut(err error) error {
	if err != io.EOF {
		return err
	}
	return fmt.Errorf("%w: it ends after %d whole blocks, %d tuples", format.ErrTruncated, r.blocks, r.tuples)
}
