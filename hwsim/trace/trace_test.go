package trace_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	format "github.com/pepgo/pep/format/trace"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/hwsim/trace"
	"github.com/pepgo/pep/hwsim/tracetest"
	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/internal/mutant"
)

// docText is the example of the package comment.
func docText(t *testing.T) string {
	t.Helper()
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?s)//\tpep trace 1\n.*?//\tend[^\n]*\n`).Find(doc)
	return strings.ReplaceAll(string(m), "//\t", "")
}

func parse(t *testing.T, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := trace.Parse(&out, strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// open opens a trace as a file.
func open(t *testing.T, file []byte) (*trace.Reader, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "x.trace")
	if err := os.WriteFile(name, file, 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := trace.Open(name, nil)
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), name+": "))
	}
	t.Cleanup(func() { r.Close() })
	return r, nil
}

func mustOpen(t *testing.T, file []byte) *trace.Reader {
	t.Helper()
	r, err := open(t, file)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func text(t *testing.T, f trace.Filter, file []byte) (string, error) {
	t.Helper()
	r, err := open(t, file)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	err = f.Print(&out, r, false)
	if err != nil {
		_, what, _ := strings.Cut(err.Error(), "x.trace: ")
		err = errors.New(what)
	}
	return out.String(), err
}

// A trace that Parse makes of the example prints as the example, with build and comments.
func TestTextOfDocComesBack(t *testing.T) {
	want := docText(t)
	got, err := text(t, trace.Filter{}, parse(t, want))
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("%v\n(-want +got):\n%s", err, d)
	}
}

func TestTextWithEverything(t *testing.T) {
	const want = `pep trace 1
build 0000000000000000
symbol call 0x401000 main.f
symbol tag77 12 x y
0 load 0x1234 18
0 call main+0 0x401000  # main.f
4000000000 tag77 0xffffffffffffff 0xffffffffffffffff
0 edge 0x0 1
0 goroutine 0x0 18
0 load 0x1235 7
0 more 0x1235 0xc000012340
0 direct 0x1236 0x401000
0 return 0x1237 0
end 9 17
`
	// The trace has no table of main, so its site is printed as a number.
	known := strings.Replace(want, "main+0", (*trace.Sites)(nil).Name(tuple.SiteBase("main")), 1)
	got, err := text(t, trace.Filter{}, parse(t, want))
	if d := cmp.Diff(known, got); err != nil || d != "" {
		t.Errorf("%v\n(-want +got):\n%s", err, d)
	}
}

func TestParseErrors(t *testing.T) {
	const head = "pep trace 1\npackage main\nfile main.go\n"
	tests := []struct{ text, want string }{
		{"", `the text ends without a line "end tuples dropped"`},
		{"pep trace 2\n", `line 1: "pep trace 2": a trace as text begins with "pep trace 1"`},
		{"pep trace 1\nbuild 12\n", `line 2: build "12": want 16 hexadecimal digits`},
		{"pep trace 1\n0 load main+0\n", `line 2: want "stream tag site word"`},
		{"pep trace 1\n0 lod main+0 1\n", `line 2: tag "lod": want one of arg, result, load, store, call, type, edge, addr, const, more, goroutine, direct, return, third, op, enter, dep, follow, conflict, context, within`},
		{"pep trace 1\n0 load main+16777216 1\n",
			`line 2: site "main+16777216": want package+number with a number below 16777216`},
		{"pep trace 1\n0 load main 1\n", `line 2: site "main": want package+number, or a number below 1<<56`},
		{"pep trace 1\n0 load main+0 x\n", `line 2: word "x": want a number of 64 bits`},
		{"pep trace 1\n4294967296 load main+0 1\n", `line 2: stream "4294967296": want a number below 1<<32`},
		{"pep trace 1\nnext\n", `line 2: "next": no line of a trace begins with this word`},
		{"pep trace 1\nfile x.go\n", `line 2: want a line "package" before this line`},
		{"pep trace 1\nsymbol type 1\n", `line 2: want "symbol tag word name"`},
		{head + "tap 1 load f main.go:1:2 64 int x\n", "line 4: tap 1: want 0, the number of the next tap of main"},
		{head + "tap 0 load f main.go:1 64 int x\n", `line 4: "main.go:1": want file:line:column`},
		{head + "tap 0 load f x.go:1:2 64 int x\n", `line 4: main has no file "x.go"`},
		{head + "tap 0 load f\n", `line 4: want "tap number tag function file:line:column bits type expression"`},
		{"pep trace 1\n0 load main+0 1\nexe x\n", `line 3: "exe" after a tuple: lines of this kind stand before all tuples`},
		{"pep trace 1\n0 load main+0 1\nend 2 0\n", `line 3: the line "end" says 2 tuples, but there are 1`},
		{"pep trace 1\nend 0 0\n0 load main+0 1\n", `line 3: a line after the line "end", which must be the last`},
		{"pep trace 1\n0 load main+0 1\n", `the text ends without a line "end tuples dropped"`},
	}
	tests = append(tests, []struct{ text, want string }{
		{"pep trace 1\npackage p\nmore 0 - x\nend 0 0\n", `line 3: want "more bits type expression", after a line "tap"`},
		{"pep trace 1\npackage p\nfile x.go\ntap 0 op f x.go:1:2 signed64 int x+y\nmore other64 int x\nend 0 0\n",
			`line 5: "other64": want the kind of the word and its bits, such as signed64`},
		{"pep trace 1\npackage p\nfile x.go\ntap 0 op f x.go:1:2 signed64 int x+y\nmore 0 - a\nmore 0 - b\nmore 0 - c\nend 0 0\n", "line 7: a sample has at most 3 words"},
	}...)
	for _, test := range tests {
		err := trace.Parse(io.Discard, strings.NewReader(test.text))
		if err == nil || err.Error() != test.want {
			t.Errorf("%q: got %v, want %s", test.text, err, test.want)
		}
	}
}

// sample is a trace of two streams with names for some of its sites.
const sample = `pep trace 1
package main
file main.go
tap 0 load main.f main.go:5:9 64 int a
tap 1 type main.g main.go:6:12 0 any b
3 load main+0 0
3 load main+0 1
5 type main+1 2
5 load main+0 3
3 type main+1 4
3 load main+0 5
end 6 1
`

// words returns the words of a trace, which tell the tuples of sample apart.
func words(t *testing.T, file []byte) (words []uint64, streams []uint32) {
	t.Helper()
	err := (&trace.Filter{}).Each(mustOpen(t, file), func(b trace.Block) error {
		for _, t := range b.Tuples {
			words = append(words, t.W)
			streams = append(streams, b.Stream)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return words, streams
}

func TestFilter(t *testing.T) {
	tests := []struct {
		name   string
		filter trace.Filter
		want   []uint64
	}{
		{"nothing asked", trace.Filter{}, []uint64{0, 1, 2, 3, 4, 5}},
		{"a tag", trace.Filter{Tags: []tuple.Tag{tuple.Type}}, []uint64{2, 4}},
		{"two tags", trace.Filter{Tags: []tuple.Tag{tuple.Type, tuple.Load}}, []uint64{0, 1, 2, 3, 4, 5}},
		{"a stream", trace.Filter{Streams: []uint32{5}}, []uint64{2, 3}},
		{"a function", trace.Filter{Func: regexp.MustCompile("g$")}, []uint64{2, 4}},
		{"positions", trace.Filter{From: 1, To: 3}, []uint64{1, 2}},
		{"from a position on", trace.Filter{From: 4}, []uint64{4, 5}},
		{"the first", trace.Filter{First: 3}, []uint64{0, 1, 2}},
		{"the first of a tag", trace.Filter{First: 1, Tags: []tuple.Tag{tuple.Type}}, []uint64{2}},
	}
	file := parse(t, sample)
	for _, test := range tests {
		var out bytes.Buffer
		if err := test.filter.Copy(&out, mustOpen(t, file)); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if got, _ := words(t, out.Bytes()); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %d, want %d", test.name, got, test.want)
		}
	}
}

// A filter that wants no further tuple does not read on, so what is damaged behind does not matter.
func TestFilterThatHasEnough(t *testing.T) {
	file := parse(t, sample)
	for name, f := range map[string]trace.Filter{"the first": {First: 1}, "positions": {To: 1}} {
		var out bytes.Buffer
		if err := f.Copy(&out, mustOpen(t, file[:len(file)-4])); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got, _ := words(t, out.Bytes()); !slices.Equal(got, []uint64{0}) {
			t.Errorf("%s: got %d, want 0", name, got)
		}
	}
	if err := (&trace.Filter{}).Copy(io.Discard, mustOpen(t, file[:len(file)-4])); err == nil {
		t.Error("the damage is not noticed")
	}
}

func TestFilterThatKeepsNothing(t *testing.T) {
	tables := parse(t, sample)
	for _, test := range []struct {
		file   []byte
		filter trace.Filter
		want   string
	}{
		{tables, trace.Filter{Streams: []uint32{9}}, ": no tuple meets all conditions"},
		{tables, trace.Filter{From: 6}, ": no tuple meets all conditions"},
		{tables, trace.Filter{From: 3, To: 3}, "-from 3 -to 3 select nothing: -to must be greater than -from"},
		{tables, trace.Filter{Func: regexp.MustCompile("nosuch")}, ": no function with taps matches -func nosuch"},
		{parse(t, "pep trace 1\n0 load main+0 1\nend 1 0\n"), trace.Filter{Func: regexp.MustCompile("f")},
			": -func needs the site tables of the traced program, and the trace has none that fit"},
	} {
		err := test.filter.Copy(io.Discard, mustOpen(t, test.file))
		if err == nil || !strings.HasSuffix(err.Error(), test.want) {
			t.Errorf("%+v: got %v, want %s", test.filter, err, test.want)
		}
	}
	if err := (&trace.Filter{}).Copy(io.Discard, mustOpen(t, parse(t, "pep trace 1\nend 0 0\n"))); err != nil {
		t.Errorf("an empty trace: %v", err)
	}
}

func TestMerge(t *testing.T) {
	a := parse(t, sample)
	other := parse(t, strings.NewReplacer("main", "lib", " 0\nend 6 1", " 0\nend 6 0").Replace(sample))
	merge := func(differ bool, files ...[]byte) ([]byte, error) {
		var out bytes.Buffer
		var readers []*trace.Reader
		for _, f := range files {
			readers = append(readers, mustOpen(t, f))
		}
		err := trace.Merge(&out, readers, differ)
		return out.Bytes(), err
	}
	both, err := merge(false, a, a)
	if err != nil {
		t.Fatal(err)
	}
	gotWords, gotStreams := words(t, both)
	if want := []uint64{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5}; !slices.Equal(gotWords, want) {
		t.Errorf("words %d, want %d", gotWords, want)
	}
	if want := []uint32{0, 0, 1, 1, 0, 0, 2, 2, 3, 3, 2, 2}; !slices.Equal(gotStreams, want) {
		t.Errorf("streams %d, want %d", gotStreams, want)
	}
	_, err = merge(false, a, other)
	if err == nil || !regexp.MustCompile(`^.*x.trace is of build \w{16}, .*x.trace of build \w{16}: their sites mean different things$`).MatchString(err.Error()) {
		t.Errorf("other build: got %v", err)
	}
	joined, err := merge(true, a, other)
	if err != nil {
		t.Fatal(err)
	}
	if r := mustOpen(t, joined); r.Header.Comment != "several builds" || len(r.Sites.Packages()) != 2 {
		t.Errorf("the comment of both is %q, and there are %d packages, want 2", r.Header.Comment, len(r.Sites.Packages()))
	}
	got, err := text(t, trace.Filter{Tags: []tuple.Tag{tuple.Type}, First: 3}, joined)
	for _, want := range []string{"main+1 0x2  # b main.go:6:12 main.g\n", "lib+1 0x2  # b lib.go:6:12 lib.g\n"} {
		if err != nil || !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s(%v)", want, got, err)
		}
	}
}

// Wherever a file ends, the reader reads all whole blocks, and the error tells how many.
func TestTruncated(t *testing.T) {
	tuples := tracetest.New(1, 5).Events(make([]tuple.Tuple, 3*format.MaxBlock))
	var out bytes.Buffer
	w, err := trace.NewWriter(&out, &format.Header{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(0, tuples), w.Close(0)); err != nil {
		t.Fatal(err)
	}
	file := out.Bytes()
	for cut := 1; cut < len(file); cut += 97 {
		n := 0
		r, err := open(t, file[:len(file)-cut])
		if err == nil {
			err = (&trace.Filter{}).Each(r, func(b trace.Block) error {
				if !slices.Equal(b.Tuples, tuples[n:n+len(b.Tuples)]) {
					t.Errorf("%d bytes cut: other tuples", cut)
				}
				n += len(b.Tuples)
				return nil
			})
		}
		if n%format.MaxBlock != 0 || err == nil || !errors.Is(err, format.ErrTruncated) &&
			!strings.Contains(err.Error(), "truncated trace") {
			t.Fatalf("%d bytes cut: %d tuples, %v", cut, n, err)
		}
	}
}

func TestReaderErrors(t *testing.T) {
	good := parse(t, sample)
	change := func(i int, to byte) []byte {
		b := bytes.Clone(good)
		b[i] = to
		return b
	}
	block := bytes.LastIndexByte(good[:len(good)-12], 'B')
	header := func(h *format.Header, chunks ...[]byte) []byte {
		return append(format.AppendHeader(nil, h), bytes.Join(chunks, nil)...)
	}
	end := format.AppendEnd(nil, format.End{})
	table := wire.AppendPackage(nil, &wire.Package{Path: "main"})
	newer := slices.Concat([]byte{99}, table[1:])
	tests := []struct {
		name string
		file []byte
		want string
	}{
		{"empty", nil, "not a trace: the file is empty"},
		{"garbage", []byte("garbage, and quite some of it"), "not a trace: it does not begin with pepTRACE"},
		{"newer", change(8, 7), "trace of version 7, this program reads 1: record it again"},
		{"a changed byte of the last block", change(block+7, good[block+7]+1),
			`block 2 at byte \d+: checksum is \d+, want \d+`},
		{"a kind of a later version", change(block, 'Z'), `chunk at byte \d+: checksum is \d+, want \d+`},
		{"two traces", append(bytes.Clone(good), good...),
			"at byte \\d+: something follows the end of the trace: join traces with pepsim merge"},
		{"a wrong count", header(&format.Header{}, format.AppendEnd(nil, format.End{Tuples: 5})),
			"the end chunk says 5 tuples, but the blocks have 0"},
		{"two headers", header(&format.Header{}, format.AppendHeader(nil, &format.Header{})[format.PreambleBytes:]),
			"at byte 29: a second header"},
		{"no header", slices.Concat(good[:format.PreambleBytes], end), "not a trace: the first chunk is no header"},
		{"tables of another build", header(&format.Header{Tables: table}, end),
			`the site tables are of build \w{16}, the trace is of build 0{16}: words and sites were read without names`},
		{"newer tables", header(&format.Header{Tables: newer}, end),
			`site table: version 99, this program reads \d+: build the profiled program again: words and sites were read without names`},
	}
	for _, test := range tests {
		_, err := text(t, trace.Filter{}, test.file)
		if err == nil || !regexp.MustCompile("^"+test.want+"$").MatchString(err.Error()) {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
	}
}

// A length of 4 GB in front of nothing takes no memory.
func TestGarbageTakesNoMemory(t *testing.T) {
	file := append([]byte("pepTRACE\x01H\xff\xff\xff\xff"), make([]byte, 1000)...)
	if n := testing.AllocsPerRun(1, func() { open(t, file) }); n > 200 {
		t.Errorf("%v allocations", n)
	}
	if _, err := trace.NewReader(bytes.NewReader(file)); err == nil ||
		!strings.Contains(err.Error(), "4294967304 bytes of a header at byte 9, at most 33554432") {
		t.Errorf("got %v", err)
	}
	file = append([]byte("pepTRACE\x01H\xff\xff\xff\x00"), make([]byte, 1000)...)
	if _, err := trace.NewReader(bytes.NewReader(file)); err == nil || !errors.Is(err, format.ErrTruncated) {
		t.Errorf("got %v", err)
	}
}

// Names take a bounded part of the memory, however many chunks they are in.
func TestNamesAreBounded(t *testing.T) {
	file := format.AppendHeader(nil, &format.Header{})
	for range 40 {
		file = format.AppendSymbols(file, []format.Symbol{{Tag: tuple.Type, W: 1, Name: strings.Repeat("x", 1<<19)}})
	}
	file = format.AppendEnd(file, format.End{})
	if _, err := text(t, trace.Filter{}, file); err == nil ||
		!regexp.MustCompile(`damaged: 1\d{7} bytes of names at byte \d+, at most 16777216 are read$`).MatchString(
			err.Error()) {
		t.Errorf("got %v", err)
	}
}

// Control characters in the names of a trace do not reach a terminal.
func TestNamesAreFitForTerminals(t *testing.T) {
	file := parse(t, strings.NewReplacer("main.f", "main.\x1bf", "p.count", "p\u202e.count", "main.go",
		"ma\x07in.go").Replace(sample))
	printed, err := text(t, trace.Filter{}, file)
	if err != nil {
		t.Fatal(err)
	}
	var info bytes.Buffer
	table, err := trace.Info(mustOpen(t, file))
	if err := errors.Join(err, listing.Text(&info, table)); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{printed, info.String()} {
		if i := strings.IndexFunc(s, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 {
			t.Errorf("%q is printed", s[i:min(len(s), i+20)])
		}
	}
	if !strings.Contains(printed, `main.\x1bf`) {
		t.Errorf("no escaped name in\n%s", printed)
	}
}

func TestInfo(t *testing.T) {
	var out bytes.Buffer
	table, err := trace.Info(mustOpen(t, parse(t, sample)))
	if err := errors.Join(err, listing.Text(&out, table)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"6, 1 dropped, at 2 sites\n", "2 taps in 1 packages\n", "tag load", "stream 5"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func FuzzReader(f *testing.F) {
	var out bytes.Buffer
	if err := trace.Parse(&out, strings.NewReader(sample)); err != nil {
		f.Fatal(err)
	}
	f.Add(out.Bytes())
	f.Fuzz(func(t *testing.T, file []byte) {
		r, err := trace.NewReader(bytes.NewReader(file))
		if err != nil {
			return
		}
		(&trace.Filter{}).Print(io.Discard, r, false)
	})
}

// The mutants of a trace, in which all checksums are right, are read, or there is an error.
func TestDamagedTracesAreRead(t *testing.T) {
	mutant.Chunks(t, parse(t, sample), func(data []byte) bool {
		r, err := trace.NewReader(bytes.NewReader(data))
		if err == nil {
			err = (&trace.Filter{}).Print(io.Discard, r, false)
		}
		return err == nil
	})
}

// FuzzText: text that can be parsed is printed, and the printed text is parsed and printed
// again, as the same text except for the build. (The first round need not give the same
// text, because it does not keep spaces in expressions.)
func FuzzText(f *testing.F) {
	f.Add(sample)
	f.Fuzz(func(t *testing.T, in string) {
		var file bytes.Buffer
		if trace.Parse(&file, strings.NewReader(in)) != nil {
			return
		}
		once, err := text(t, trace.Filter{}, file.Bytes())
		if err != nil {
			t.Skip(err) // tables that are not consistent
		}
		twice, err := text(t, trace.Filter{}, parse(t, once))
		build := regexp.MustCompile("(?m)^build .*$")
		if d := cmp.Diff(build.ReplaceAllString(once, ""), build.ReplaceAllString(twice, "")); err != nil || d != "" {
			t.Errorf("%v\n%s", err, d)
		}
	})
}
