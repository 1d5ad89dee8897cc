package trace

// This file takes parts of traces and joins them.

import (
	"errors"
	"fmt"
	"io"
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

// errEnough ends a walk that has all it wants.
var errEnough = errors.New("enough")

// Each calls do for every block of a trace, with the tuples that the filter
// keeps, if any. Its error is nil at the end of the trace.
func (f *Filter) Each(r *Reader, do func(Block) error) error {
	if f.Func != nil && r.Sites == nil {
		return errors.New("functions are not known: the trace has no site tables that go with it")
	}
	pos, kept := uint64(0), uint64(0)
	for {
		b, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		n := 0
		for _, t := range b.Tuples {
			if f.keep(b.Stream, pos, t, r.Sites) && (f.First == 0 || kept < f.First) {
				b.Tuples[n] = t
				n++
				kept++
			}
			pos++
		}
		b.Tuples = b.Tuples[:n]
		if n > 0 {
			if err := do(b); err != nil {
				return err
			}
		}
		if f.First > 0 && kept == f.First || f.To > 0 && pos >= f.To {
			return nil
		}
	}
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

// Merge writes traces as one. Streams get new numbers, in the order in which
// they come; sites stay as they are. It refuses traces of different builds,
// whose sites mean different things, unless told that they need not agree.
func Merge(out io.Writer, traces []*Reader, differ bool) error {
	h, err := mergeHeaders(traces, differ)
	if err != nil {
		return err
	}
	w, err := NewWriter(out, h)
	if err != nil {
		return err
	}
	names, dropped, streams := Names{}, uint64(0), uint32(0)
	for _, r := range traces {
		number := map[uint32]uint32{}
		err = (&Filter{}).Each(r, func(b Block) error {
			n, ok := number[b.Stream]
			if !ok {
				n = streams
				number[b.Stream] = n
				streams++
			}
			return w.Write(n, b.Tuples)
		})
		for word, name := range r.Names {
			names[word] = name
		}
		dropped += r.End.Dropped
		if err != nil {
			break
		}
	}
	return errors.Join(err, w.WriteNames(names), w.Close(dropped))
}

// mergeHeaders returns the first header, and if builds differ one with the
// tables of all packages, the first trace's if several have one.
func mergeHeaders(traces []*Reader, differ bool) (*format.Header, error) {
	h := traces[0].Header
	var packages []*wire.Package
	same := true
	for i, r := range traces {
		if r.Header.Build != h.Build {
			if !differ {
				return nil, fmt.Errorf("trace %d is of build %x, trace 1 of build %x: their sites mean different things", i+1, r.Header.Build, h.Build)
			}
			same = false
		}
		if r.Sites == nil {
			continue
		}
		for _, p := range r.Sites.packages {
			if !slices.ContainsFunc(packages, func(q *wire.Package) bool { return q.Path == p.Path }) {
				packages = append(packages, p)
			}
		}
	}
	if same {
		return &h, nil
	}
	h.Tables, h.Comment = nil, "several builds"
	for _, p := range packages {
		h.Tables = wire.AppendPackage(h.Tables, p)
	}
	h.Build = BuildOf(h.Tables)
	return &h, nil
}
