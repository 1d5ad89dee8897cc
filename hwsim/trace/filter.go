package trace

// This file selects parts of traces, and joins traces.

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"

	format "github.com/pepgo/pep/format/trace"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
)

// A Filter says which tuples to keep: those that meet the conditions of all fields.
// Fields that are zero are no condition, so the zero Filter keeps all tuples.
type Filter struct {
	Tags    []tuple.Tag    // the tuple has one of these tags
	Streams []uint32       // the tuple is in one of these streams
	Func    *regexp.Regexp // the tuple's site is in a function whose name matches
	From    uint64         // the tuple's position in the trace, counted from 0, is at least From
	To      uint64         // the tuple's position is below To
	First   uint64         // the tuple is one of the first First that meet all other conditions
}

// keep reports whether the tuple at a position meets all conditions but First.
func (f *Filter) keep(stream uint32, pos uint64, t tuple.Tuple, sites *Sites) bool {
	return pos >= f.From && (f.To == 0 || pos < f.To) &&
		(f.Streams == nil || slices.Contains(f.Streams, stream)) &&
		(f.Tags == nil || slices.Contains(f.Tags, t.Tag())) &&
		(f.Func == nil || f.Func.MatchString(sites.Func(t.Site())))
}

// Each calls do for every block of a trace that has tuples which the filter keeps, with
// only these tuples. At the end of the trace it returns nil. If the filter has conditions
// and keeps none of the trace's tuples, Each returns an error that says so.
func (f *Filter) Each(r *Reader, do func(Block) error) error {
	w := f.walk()
	err := w.each(r, do)
	if err == nil && w.kept == 0 && w.pos > 0 {
		return fmt.Errorf("%s: no tuple meets all conditions", r.label())
	}
	return err
}

// check returns an error if the filter cannot keep any tuple of a trace.
func (f *Filter) check(r *Reader) error {
	if f.To > 0 && f.From >= f.To {
		return fmt.Errorf("-from %d -to %d select nothing: -to must be greater than -from", f.From, f.To)
	}
	if f.Func == nil {
		return nil
	}
	if r.Sites == nil {
		return fmt.Errorf("%s: -func needs the site tables of the traced program, and the trace has none that fit", r.label())
	}
	for _, p := range r.Sites.Packages() {
		for i := range p.Taps {
			if f.Func.MatchString(r.Sites.Func(tuple.SiteBase(p.Path) + uint64(i))) {
				return nil
			}
		}
	}
	return fmt.Errorf("%s: no function with taps matches -func %s", r.label(), f.Func)
}

// A walk is a filter with the position that it has reached.
type walk struct {
	*Filter
	pos  uint64 // of the next tuple
	kept uint64
}

func (f *Filter) walk() *walk { return &walk{Filter: f} }

// over reports whether the filter keeps no further tuple.
func (w *walk) over() bool {
	return w.First > 0 && w.kept >= w.First || w.To > 0 && w.pos >= w.To
}

func (w *walk) each(r *Reader, do func(Block) error) error {
	if err := w.check(r); err != nil {
		return err
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

// Copy writes the tuples that the filter keeps as a trace. If there is an error, the
// tuples before it still make a complete trace.
func (f *Filter) Copy(out io.Writer, r *Reader) error {
	if err := f.check(r); err != nil {
		return err
	}
	w, err := NewWriter(out, &r.Header)
	if err != nil {
		return err
	}
	err = f.Each(r, func(b Block) error { return w.Write(b.Stream, b.Tuples) })
	return errors.Join(err, w.WriteNames(r.Names), w.Close(r.End.Dropped))
}

// EachOf does what Each does for several traces, one after the other. It gives the
// streams new numbers, in the order in which they first occur. Positions count on from
// one trace to the next.
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

// Merge writes several traces as one. It numbers the streams as EachOf does, and does not
// change the sites. Sites of different builds mean different things, so Merge refuses
// traces of different builds unless differ is true.
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
	dropped := uint64(0)
	for _, r := range traces {
		dropped += r.End.Dropped
	}
	return errors.Join(err, w.WriteNames(AllNames(traces)), w.Close(dropped))
}

// AllNames returns the names in traces that have been read to their ends.
func AllNames(traces []*Reader) Names {
	names := Names{}
	for _, r := range traces {
		maps.Copy(names, r.Names)
	}
	return names
}

func (r *Reader) label() string { return cmp.Or(r.name, "a trace") }

// SameBuild returns an error unless all traces have the same build.
func SameBuild(traces []*Reader) error {
	for _, r := range traces {
		if first := traces[0]; r.Header.Build != first.Header.Build {
			return fmt.Errorf("%s is of build %x, %s of build %x: their sites mean different things",
				r.label(), r.Header.Build, first.label(), first.Header.Build)
		}
	}
	return nil
}

// mergeHeaders returns the first header if all traces have the same build. If their builds
// differ and differ is true, it returns a header with the tables of all packages. If
// several traces have a table of the same package, it takes the first.
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
	h.Build = wire.BuildHash(h.Tables)
	return &h, nil
}
