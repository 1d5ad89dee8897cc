package trace

// This file prints the text form. It is specified in doc.go.

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/pepgo/pep/internal/terminal"
	"github.com/pepgo/pep/runtime/tuple"
	"github.com/pepgo/pep/runtime/wire"
)

const textMagic = "pep trace 1"

// Print writes the tuples of a trace that the filter keeps as text, or, if it is
// to be bare, just their lines. What was printed before an error stands for
// itself.
func (f *Filter) Print(out io.Writer, r *Reader, bare bool) error {
	w := bufio.NewWriter(out)
	if !bare {
		printHeader(w, r)
	}
	n := uint64(0)
	err := f.Each(r, func(b Block) error {
		n += uint64(len(b.Tuples))
		for _, t := range b.Tuples {
			printTuple(w, r, b.Stream, t)
		}
		return nil
	})
	if err == nil && !bare {
		fmt.Fprintf(w, "end %d %d\n", n, r.End.Dropped)
	}
	if ferr := w.Flush(); ferr != nil {
		return ferr
	}
	return err
}

func printHeader(w io.Writer, r *Reader) {
	fmt.Fprintf(w, "%s\nbuild %x\n", textMagic, r.Header.Build)
	printString(w, "exe", r.Header.Exe)
	printString(w, "comment", r.Header.Comment)
	for _, p := range r.Sites.Packages() {
		printPackage(w, p)
	}
	for _, s := range symbols(r.Names) {
		fmt.Fprintf(w, "symbol %s %s %s\n", TagName(s.Tag), WordName(s.Tag, s.W), oneLine(s.Name))
	}
}

func printPackage(w io.Writer, p *wire.Package) {
	if len(p.Taps) == 0 {
		return
	}
	fmt.Fprintf(w, "package %s\n", oneLine(p.Path))
	for _, f := range p.Files {
		fmt.Fprintf(w, "file %s\n", oneLine(f))
	}
	for i, t := range p.Taps {
		fmt.Fprintf(w, "tap %d %s %s %s:%d:%d %s%d %s %s\n", i, TagName(tuple.Tag(t.Tag)), noSpace(t.Func),
			noSpace(file(p, &p.Taps[i])), t.Line, t.Col, t.Kind, t.Bits, noSpace(t.Type), oneLine(t.Expr))
		for _, m := range t.More {
			fmt.Fprintf(w, "more %s%d %s %s\n", m.Kind, m.Bits, noSpace(m.Type), oneLine(m.Expr))
		}
	}
}

func printTuple(w io.Writer, r *Reader, stream uint32, t tuple.Tuple) {
	fmt.Fprintf(w, "%d %s %s %s", stream, TagName(t.Tag()), oneLine(r.Sites.Name(t.Site())), WordName(t.Tag(), t.W))
	var notes []string
	if name, ok := r.Names[Word{t.Tag(), t.W}]; ok {
		notes = append(notes, name)
	}
	if where := r.Sites.Describe(t); where != "" {
		notes = append(notes, where)
	}
	if notes != nil {
		fmt.Fprint(w, "  # ", oneLine(strings.Join(notes, "; ")))
	}
	fmt.Fprintln(w)
}

func printString(w io.Writer, key, s string) {
	if s != "" {
		fmt.Fprintf(w, "%s %s\n", key, oneLine(s))
	}
}

// oneLine returns s without line breaks, of which expressions may have some, and
// fit for a terminal.
func oneLine(s string) string { return terminal.Escape(strings.Join(strings.Fields(s), " ")) }

// noSpace returns s as one word: types like "chan int" have several. Parse puts
// the spaces back.
func noSpace(s string) string {
	if s == "" {
		return "-"
	}
	return strings.ReplaceAll(oneLine(s), " ", "·")
}
