package trace

// This file takes parts of traces and joins them.

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"

	format "github.com/pepgo/pep/runtime/trace"
	"github.com/pepgo/pep/runtime/tuple"
	"github.com/pepgo/pep/runtime/wire"
)

// A Filter says which tuples are kept. The zero Filter keeps all.
type Filter struct {
	Tags    []tuple.Tag    // of these kinds
	Streams []uint32       // of these streams
	Func    *regexp.Regexp // at sites in functions whose names match
	From    uint64         // whose position in the trace, from 0, is at least From
	To      uint64         // and below To; 0 is no bound
	First   uint64         // the first so many of those that all else keeps; 0 is all
}

// keep reports whether all but First lets the tuple at a position pass.
func (f *Filter) keep(stream uint32, pos uint64, t tuple.Tuple, sites *Sites) bool {
	return pos >= f.From && (f.To == 0 || pos < f.To) &&
		(f.Streams == nil || slices.Contains(f.Streams, stream)) &&
		(f.Tags == nil || slices.Contains(f.Tags, t.Tag())) &&
		(f.Func == nil || f.Func.MatchString(sites.Func(t.Site())))
}

// Each calls do for every block of a trace, with the tuples that the filter
// keeps, if any. Its error is nil at the end of the trace.
func (f *Filter) Each(r *Reader, do func(Block) error) error { return f.walk().each(r, do) }

// A walk is how far a filter has come.
type walk struct {
	*Filter
	pos  uint64 // of the next tuple
	kept uint64
}

func (f *Filter) walk() *walk { return &walk{Filter: f} }

// over reports whether nothing more is kept.
func (w *walk) over() bool {
	return w.First > 0 && w.kept >= w.First || w.To > 0 && w.pos >= w.To
}

func (w *walk) each(r *Reader, do func(Block) error) error {
	if w.Func != nil && r.Sites == nil {
		return fmt.Errorf("%s: functions are not known without site tables that go with the trace", r.label())
	}
	for !w.over() {
		b, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		n := 0
		for _, t := range b.Tuples {
			if w.keep(b.Stream, w.pos, t, r.Sites) && (w.First == 0 || w.kept < w.First) {
				b.Tuples[n] = t
				n++
				w.kept++
			}
			w.pos++
		}
		if n == 0 {
			continue
		}
		b.Tuples = b.Tuples[:n]
		if err := do(b); err != nil {
			return err
		}
	}
	return nil
}

// Copy writes the tuples of a trace that the filter keeps as a trace. What was
// kept before an error is a complete trace, too.
func (f *Filter) Copy(out io.Writer, r *Reader) error {
	w, err := NewWriter(out, &r.Header)
	if err != nil {
		return err
	}
	err = f.Each(r, func(b Block) error { return w.Write(b.Stream, b.Tuples) })
	return errors.Join(err, w.WriteNames(r.Names), w.Close(r.End.Dropped))
}

// EachOf is Each for several traces, one after the other. Streams get new
// numbers, in the order in which they come; positions go on.
func (f *Filter) EachOf(traces []*Reader, do func(Block) error) error {
	w, streams := f.walk(), uint32(0)
	for _, r := range traces {
		number := map[uint32]uint32{}
		err := w.each(r, func(b Block) error {
			n, ok := number[b.Stream]
			if !ok {
				n = streams
				number[b.Stream] = n
				streams++
			}
			return do(Block{n, b.Tuples})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Merge writes traces as one. Streams get new numbers as with EachOf; sites stay
// as they are. It refuses traces of different builds, whose sites mean different
// things, unless told that they need not agree.
func Merge(out io.Writer, traces []*Reader, differ bool) error {
	h, err := mergeHeaders(traces, differ)
	if err != nil {
		return err
	}
	w, err := NewWriter(out, h)
	if err != nil {
		return err
	}
	err = (&Filter{}).EachOf(traces, func(b Block) error { return w.Write(b.Stream, b.Tuples) })
	names, dropped := Names{}, uint64(0)
	for _, r := range traces {
		maps.Copy(names, r.Names)
		dropped += r.End.Dropped
	}
	return errors.Join(err, w.WriteNames(names), w.Close(dropped))
}

func (r *Reader) label() string { return cmp.Or(r.name, "a trace") }

// SameBuild returns an error unless traces are of one build.
func SameBuild(traces []*Reader) error {
	for _, r := range traces {
		if first := traces[0]; r.Header.Build != first.Header.Build {
			return fmt.Errorf("%s is of build %x, %s of build %x: their sites mean different things",
				r.label(), r.Header.Build, first.label(), first.Header.Build)
		}
	}
	return nil
}

// mergeHeaders returns the first header, and if builds differ one with the
// tables of all packages, the first trace's if several have one.
func mergeHeaders(traces []*Reader, differ bool) (*format.Header, error) {
	h := traces[0].Header
	err := SameBuild(traces)
	if err == nil {
		return &h, nil
	}
	if !differ {
		return nil, err
	}
	h.Tables, h.Comment = nil, "several builds"
	seen := map[string]bool{}
	for _, r := range traces {
		for _, p := range r.Sites.Packages() {
			if !seen[p.Path] {
				seen[p.Path] = true
				h.Tables = wire.AppendPackage(h.Tables, p)
			}
		}
	}
	h.Build, err = wire.BuildHash(h.Tables)
	return &h, err
}
