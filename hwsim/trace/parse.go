package trace

// This file parses the text form of traces, which doc.go specifies.

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	format "github.com/pepgo/pep/format/trace"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
)

// Parse reads the text form of a trace and writes the trace. Its errors name the line.
func Parse(out io.Writer, in io.Reader) error {
	p := &parser{out: out, names: Names{}}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<24)
	for n := 1; lines.Scan(); n++ {
		if err := p.line(n, lines.Text()); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	if !p.ended {
		return errors.New("the text ends without a line \"end tuples dropped\"")
	}
	return nil
}

type parser struct {
	out      io.Writer
	header   format.Header
	packages []*wire.Package
	names    Names
	w        *Writer // nil before the first tuple
	ended    bool
}

func (p *parser) line(n int, line string) error {
	if n == 1 {
		if line != textMagic {
			return fmt.Errorf("%q: a trace as text begins with %q", line, textMagic)
		}
		return nil
	}
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' {
		return nil
	}
	if p.ended {
		return errors.New("a line after the line \"end\", which must be the last")
	}
	key, rest, _ := strings.Cut(line, " ")
	if key != "" && key[0] >= '0' && key[0] <= '9' {
		return p.tuple(key, rest)
	}
	if key == "end" {
		return p.end(rest)
	}
	if p.w != nil {
		return fmt.Errorf("%q after a tuple: lines of this kind stand before all tuples", key)
	}
	switch key {
	case "build":
		return p.build(rest)
	case "exe":
		p.header.Exe = rest
	case "comment":
		p.header.Comment = rest
	case "package":
		p.packages = append(p.packages, &wire.Package{Path: rest})
	case "file":
		return p.file(rest)
	case "tap":
		return p.tap(rest)
	case "more":
		return p.more(rest)
	case "symbol":
		return p.symbol(rest)
	default:
		return fmt.Errorf("%q: no line of a trace begins with this word", key)
	}
	return nil
}

func (p *parser) build(s string) error {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(p.header.Build) {
		return fmt.Errorf("build %q: want 16 hexadecimal digits", s)
	}
	copy(p.header.Build[:], b)
	return nil
}

func (p *parser) pkg() (*wire.Package, error) {
	if len(p.packages) == 0 {
		return nil, errors.New("want a line \"package\" before this line")
	}
	return p.packages[len(p.packages)-1], nil
}

func (p *parser) file(name string) error {
	pkg, err := p.pkg()
	if err != nil {
		return err
	}
	pkg.Files = append(pkg.Files, name)
	return nil
}

// tap parses "0 load main.f main.go:5:9 signed64 int p.count".
func (p *parser) tap(s string) error {
	pkg, err := p.pkg()
	if err != nil {
		return err
	}
	f := strings.SplitN(s, " ", 7)
	if len(f) < 6 {
		return errors.New("want \"tap number tag function file:line:column bits type expression\"")
	}
	if f[0] != strconv.Itoa(len(pkg.Taps)) {
		return fmt.Errorf("tap %s: want %d, the number of the next tap of %s", f[0], len(pkg.Taps), pkg.Path)
	}
	tag, err := ParseTag(f[1])
	if err != nil {
		return err
	}
	at := strings.Split(f[3], ":")
	if len(at) != 3 {
		return fmt.Errorf("%q: want file:line:column", f[3])
	}
	t := wire.Tap{Tag: uint8(tag), Func: spaces(f[2]), Type: spaces(f[5])}
	t.File = slices.IndexFunc(pkg.Files, func(name string) bool {
		return name == at[0] ||
			strings.HasSuffix(name, "/"+at[0])
	})
	if t.File < 0 {
		return fmt.Errorf("%s has no file %q", pkg.Path, at[0])
	}
	for _, n := range []struct {
		to   *int
		text string
	}{{&t.Line, at[1]}, {&t.Col, at[2]}} {
		if *n.to, err = strconv.Atoi(n.text); err != nil {
			return fmt.Errorf("%q: want file:line:column", f[3])
		}
	}
	if t.Kind, t.Bits, err = parseBits(f[4]); err != nil {
		return err
	}
	if len(f) == 7 {
		t.Expr = f[6]
	}
	pkg.Taps = append(pkg.Taps, t)
	return nil
}

// parseBits parses the kind and the width of a word: "signed64".
func parseBits(s string) (kind wire.Kind, bits uint8, err error) {
	name := strings.TrimRight(s, "0123456789")
	n, err := strconv.ParseUint(s[len(name):], 10, 8)
	kind, ok := wire.ParseKind(name)
	if err != nil || !ok {
		return 0, 0, fmt.Errorf("%q: want the kind of the word and its bits, such as signed64", s)
	}
	return kind, uint8(n), nil
}

// more parses "address64 *int &p.count". The line describes a further word of the samples
// of the tap before it.
func (p *parser) more(s string) error {
	pkg, err := p.pkg()
	if err != nil {
		return err
	}
	f := strings.SplitN(s, " ", 3)
	if len(f) < 2 || len(pkg.Taps) == 0 {
		return errors.New("want \"more bits type expression\", after a line \"tap\"")
	}
	t := &pkg.Taps[len(pkg.Taps)-1]
	if len(t.More) == tuple.MaxWords-1 {
		return fmt.Errorf("a sample has at most %d words", tuple.MaxWords)
	}
	w := wire.Word{Type: spaces(f[1])}
	if w.Kind, w.Bits, err = parseBits(f[0]); err != nil {
		return err
	}
	if len(f) == 3 {
		w.Expr = f[2]
	}
	t.More = append(t.More, w)
	return nil
}

// spaces is the inverse of noSpace.
func spaces(s string) string {
	if s == "-" {
		return ""
	}
	return strings.ReplaceAll(s, "·", " ")
}

// symbol parses "type 0x4a0 *go/types.Named".
func (p *parser) symbol(s string) error {
	f := strings.SplitN(s, " ", 3)
	if len(f) < 3 {
		return errors.New("want \"symbol tag word name\"")
	}
	tag, err := ParseTag(f[0])
	if err != nil {
		return err
	}
	w, err := parseWord(f[1])
	if err != nil {
		return err
	}
	p.names[Word{tag, w}] = f[2]
	return nil
}

// tuple parses "7 load main+0 300  # p.count main.go:5:9 main.f".
func (p *parser) tuple(stream, rest string) error {
	rest, _, _ = strings.Cut(rest, " #")
	f := strings.Fields(rest)
	if len(f) != 3 {
		return errors.New("want \"stream tag site word\"")
	}
	n, err := strconv.ParseUint(stream, 10, 32)
	if err != nil {
		return fmt.Errorf("stream %q: want a number below 1<<32", stream)
	}
	tag, err := ParseTag(f[0])
	if err != nil {
		return err
	}
	site, err := parseSite(f[1])
	if err != nil {
		return err
	}
	w, err := parseWord(f[2])
	if err != nil {
		return err
	}
	if err := p.begin(); err != nil {
		return err
	}
	return p.w.Write(uint32(n), []tuple.Tuple{tuple.New(tag, site, w)})
}

func parseWord(s string) (uint64, error) {
	w, err := strconv.ParseUint(s, 0, 64)
	if err != nil {
		return 0, fmt.Errorf("word %q: want a number of 64 bits", s)
	}
	return w, nil
}

// begin writes the header, unless begin has already done so.
func (p *parser) begin() (err error) {
	if p.w != nil {
		return nil
	}
	for _, pkg := range p.packages {
		p.header.Tables = wire.AppendPackage(p.header.Tables, pkg)
	}
	if p.packages != nil {
		p.header.Build = wire.BuildHash(p.header.Tables)
	}
	if p.w, err = NewWriter(p.out, &p.header); err != nil {
		return err
	}
	return p.w.WriteNames(p.names)
}

func (p *parser) end(s string) error {
	if err := p.begin(); err != nil {
		return err
	}
	var e format.End
	if n, err := fmt.Sscanf(s, "%d %d", &e.Tuples, &e.Dropped); n != 2 || err != nil {
		return errors.New("want \"end tuples dropped\"")
	}
	if e.Tuples != p.w.tuples {
		return fmt.Errorf("the line \"end\" says %d tuples, but there are %d", e.Tuples, p.w.tuples)
	}
	p.ended = true
	return p.w.Close(e.Dropped)
}
