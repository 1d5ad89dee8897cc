package trace

// This file writes traces.

import (
	"cmp"
	"io"
	"slices"

	format "github.com/pepgo/pep/format/trace"
	"github.com/pepgo/pep/format/tuple"
)

// A Writer writes a trace.
type Writer struct {
	out    io.Writer
	buf    []byte
	stream uint32
	block  []tuple.Tuple // tuples of stream that are not written yet
	tuples uint64        // in all blocks together
}

// NewWriter writes the header of a trace.
func NewWriter(out io.Writer, h *format.Header) (*Writer, error) {
	w := &Writer{
		out:   out,
		buf:   make([]byte, 0, format.MaxBlockBytes),
		block: make([]tuple.Tuple, 0, format.MaxBlock),
	}
	_, err := out.Write(format.AppendHeader(nil, h))
	return w, err
}

// Write adds tuples to a stream.
func (w *Writer) Write(stream uint32, tuples []tuple.Tuple) error {
	w.tuples += uint64(len(tuples))
	if stream != w.stream {
		if err := w.flush(); err != nil {
			return err
		}
		w.stream = stream
	}
	for len(tuples) > 0 {
		n := min(len(tuples), format.MaxBlock-len(w.block))
		w.block = append(w.block, tuples[:n]...)
		tuples = tuples[n:]
		if len(w.block) == format.MaxBlock {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *Writer) flush() error {
	if len(w.block) == 0 {
		return nil
	}
	w.buf = format.AppendBlock(w.buf[:0], w.stream, w.block)
	w.block = w.block[:0]
	_, err := w.out.Write(w.buf)
	return err
}

// WriteNames adds names of words.
func (w *Writer) WriteNames(names Names) error {
	if len(names) == 0 {
		return nil
	}
	_, err := w.out.Write(format.AppendSymbols(nil, symbols(names)))
	return err
}

// symbols returns names as a list, in order of their words.
func symbols(names Names) (syms []format.Symbol) {
	for w, name := range names {
		syms = append(syms, format.Symbol{Tag: w.Tag, W: w.W, Name: name})
	}
	slices.SortFunc(syms, func(a, b format.Symbol) int {
		return cmp.Or(cmp.Compare(a.Tag, b.Tag), cmp.Compare(a.W, b.W))
	})
	return syms
}

// Close writes the end of the trace, which has the number of dropped events. It does not
// close the underlying io.Writer.
func (w *Writer) Close(dropped uint64) error {
	if err := w.flush(); err != nil {
		return err
	}
	_, err := w.out.Write(format.AppendEnd(nil, format.End{Tuples: w.tuples, Dropped: dropped}))
	return err
}
