package trace

// This file lists the tuples of a trace. As text, the list has the form that doc.go
// specifies.

import (
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/internal/terminal"
)

const textMagic = "pep trace 1"

// A TupleTable lists tuples of a trace. Printing it reads the tuples from the trace, so it
// can be printed only once.
type TupleTable struct {
	Program  string          `json:"program"`
	Build    string          `json:"build"`
	Comment  string          `json:"comment"`
	Packages []TupleTaps     `json:"packages"`           // with taps; none with `-bare`
	Symbols  []TupleSymbol   `json:"symbols"`            // names of types and functions; none with `-bare`
	Tuples   iter.Seq[Tuple] `json:"tuples"`             // in order; they are written while the trace is read
	Kept     uint64          `json:"kept" unit:"tuples"` // that are listed
	Dropped  uint64          `json:"dropped" unit:"tuples"`

	bare bool
	err  error
}

// TupleTaps are the taps of a package.
type TupleTaps struct {
	Package string     `json:"package"`
	Files   []string   `json:"files"`
	Taps    []TupleTap `json:"taps"`
}

// A TupleTap is a tap. Tuples name it by package and index: "main+3".
type TupleTap struct {
	Index int    `json:"index" unit:"number"` // tap 3 of main is the site `main+3`
	Tag   string `json:"tag"`
	Func  string `json:"function"`
	File  string `json:"file"`
	Line  int    `json:"line" unit:"line"`
	Col   int    `json:"column" unit:"column"`
	Kind  string `json:"word_kind"`        // how to read the word: `signed`
	Bits  int    `json:"bits" unit:"bits"` // of the type
	Type  string `json:"type"`
	Expr  string `json:"expression"`

	More []TupleWord `json:"further_words"` // of its samples
}

// A TupleWord is a further word of a tap's samples.
type TupleWord struct {
	Kind string `json:"word_kind"`
	Bits int    `json:"bits" unit:"bits"`
	Type string `json:"type"`
	Expr string `json:"expression"`
}

// A TupleSymbol is the name of a type or function. Tuples have the type or function as
// their word.
type TupleSymbol struct {
	Tag    string `json:"tag"`
	Word   uint64 `json:"word" unit:"word"`
	Text   string `json:"word_text"`
	Symbol string `json:"symbol"`
}

// A Tuple is one event.
type Tuple struct {
	Stream uint32 `json:"stream" unit:"number"`
	Tag    string `json:"tag"`
	Site   string `json:"site"` // `main+3`, or its number
	Word   uint64 `json:"word" unit:"word"`
	Text   string `json:"word_text"`
	Symbol string `json:"symbol"` // name of the type or function that the word is
	Where  string `json:"where"`  // expression, position and function of the site
}

// List lists the tuples of a trace that the filter keeps. A bare list has no taps and no
// symbols, only the tuples.
func (f *Filter) List(r *Reader, bare bool) *TupleTable {
	t := &TupleTable{Program: r.Header.Exe, Build: fmt.Sprintf("%x", r.Header.Build), Comment: r.Header.Comment,
		bare: bare}
	if !bare {
		for _, p := range r.Sites.Packages() {
			if len(p.Taps) > 0 {
				t.Packages = append(t.Packages, tapsOf(p))
			}
		}
		for _, s := range symbols(r.Names) {
			t.Symbols = append(t.Symbols, TupleSymbol{TagName(s.Tag), s.W, WordName(s.Tag, s.W), s.Name})
		}
	}
	t.Tuples = func(yield func(Tuple) bool) {
		t.err = f.Each(r, func(b Block) error {
			for _, x := range b.Tuples {
				t.Kept++
				yield(Tuple{b.Stream, TagName(x.Tag()), r.Sites.Name(x.Site()), x.W, WordName(x.Tag(), x.W),
					r.Names[Word{x.Tag(), x.W}], r.Sites.Describe(x)})
			}
			return nil
		})
		t.Dropped = r.End.Dropped
	}
	return t
}

func tapsOf(p *wire.Package) TupleTaps {
	x := TupleTaps{Package: p.Path, Files: p.Files}
	for i, t := range p.Taps {
		var more []TupleWord
		for _, m := range t.More {
			more = append(more, TupleWord{m.Kind.String(), int(m.Bits), m.Type, m.Expr})
		}
		x.Taps = append(x.Taps, TupleTap{i, TagName(tuple.Tag(t.Tag)), t.Func, file(p, &p.Taps[i]), t.Line, t.Col,
			t.Kind.String(), int(t.Bits), t.Type, t.Expr, more})
	}
	return x
}

// Err returns the error that occurred while the table was printed and the trace was read,
// if any. The lines that were printed before the error are right.
func (t *TupleTable) Err() error { return t.err }

// Name implements listing.Listing.
func (t *TupleTable) Name() string { return "trace print" }

// Print implements listing.Listing.
func (t *TupleTable) Print(p *listing.Page) {
	if !t.bare {
		t.printHeader(p)
	}
	for x := range t.Tuples {
		var notes []string
		for _, s := range []string{x.Symbol, x.Where} {
			if s != "" {
				notes = append(notes, s)
			}
		}
		line := fmt.Sprintf("%d %s %s %s", x.Stream, x.Tag, oneLine(x.Site), x.Text)
		if notes != nil {
			line += "  # " + oneLine(strings.Join(notes, "; "))
		}
		p.Whole("%s", line)
	}
	if t.err == nil && !t.bare {
		p.Whole("end %d %d", t.Kept, t.Dropped)
	}
}

func (t *TupleTable) printHeader(p *listing.Page) {
	p.Whole("%s", textMagic)
	p.Whole("build %s", t.Build)
	if t.Program != "" {
		p.Whole("exe %s", oneLine(t.Program))
	}
	if t.Comment != "" {
		p.Whole("comment %s", oneLine(t.Comment))
	}
	for _, pkg := range t.Packages {
		p.Whole("package %s", oneLine(pkg.Package))
		for _, f := range pkg.Files {
			p.Whole("file %s", oneLine(f))
		}
		for _, x := range pkg.Taps {
			p.Whole("tap %d %s %s %s:%d:%d %s%d %s %s", x.Index, x.Tag, noSpace(x.Func), noSpace(x.File), x.Line, x.Col,
				x.Kind, x.Bits, noSpace(x.Type), oneLine(x.Expr))
			for _, m := range x.More {
				p.Whole("more %s%d %s %s", m.Kind, m.Bits, noSpace(m.Type), oneLine(m.Expr))
			}
		}
	}
	for _, s := range t.Symbols {
		p.Whole("symbol %s %s %s", s.Tag, s.Text, oneLine(s.Symbol))
	}
}

// Print writes the tuples of a trace that the filter keeps as text.
func (f *Filter) Print(out io.Writer, r *Reader, bare bool) error {
	t := f.List(r, bare)
	if err := listing.Text(out, t); err != nil {
		return err
	}
	return t.Err()
}

// oneLine returns s on one line, because expressions may have line breaks. It escapes
// characters that a terminal would interpret.
func oneLine(s string) string { return terminal.Escape(strings.Join(strings.Fields(s), " ")) }

// noSpace returns s as one word, because types like "chan int" have spaces. Parse restores
// the spaces.
func noSpace(s string) string {
	if s == "" {
		return "-"
	}
	return strings.ReplaceAll(oneLine(s), " ", "·")
}
