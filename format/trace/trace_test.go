package trace_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/format/trace"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim/tracetest"
)

// content is everything that a file can hold.
type content struct {
	Header trace.Header
	Blocks []block
	Syms   []trace.Symbol
	End    trace.End
}

type block struct {
	Stream uint32
	Tuples []tuple.Tuple
}

// example is the file of the package comment.
func example() content {
	a, b := tuple.SiteBase("main"), tuple.SiteBase("main")+1
	return content{
		Header: trace.Header{Build: [8]byte{1, 2, 3, 4, 5, 6, 7, 8}, Exe: "./app"},
		Syms:   []trace.Symbol{{Tag: tuple.Type, W: 0x4a0, Name: "int"}},
		Blocks: []block{{7, []tuple.Tuple{
			tuple.New(tuple.Load, a, 300),
			tuple.New(tuple.Type, b, 0x4a0),
			tuple.New(tuple.Load, a, 299),
			tuple.New(tuple.Type, b, 0x4a0),
			tuple.New(tuple.Load, a, 299),
		}}},
		End: trace.End{Tuples: 5},
	}
}

func (c *content) encode() []byte {
	out := trace.AppendHeader(nil, &c.Header)
	if c.Syms != nil {
		out = trace.AppendSymbols(out, c.Syms)
	}
	for _, b := range c.Blocks {
		out = trace.AppendBlock(out, b.Stream, b.Tuples)
	}
	return trace.AppendEnd(out, c.End)
}

// decode returns everything that it can read, and the error that stopped it.
func decode(b []byte) (c content, err error) {
	h, b, err := trace.ReadHeader(b)
	if err != nil {
		return c, err
	}
	c.Header = *h
	for {
		kind, body, rest, err := trace.Next(b)
		if err != nil {
			return c, err
		}
		b = rest
		switch kind {
		case trace.KindBlock:
			stream, tuples, err := trace.DecodeBlock(nil, body)
			if err != nil {
				return c, err
			}
			c.Blocks = append(c.Blocks, block{stream, tuples})
		case trace.KindSymbols:
			if c.Syms, err = trace.DecodeSymbols(body); err != nil {
				return c, err
			}
		case trace.KindEnd:
			c.End, err = trace.DecodeEnd(body)
			return c, err
		default:
			return c, fmt.Errorf("kind %q", kind)
		}
	}
}

// The bytes in the package comment are those of the example.
func TestDocExample(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	c := example()
	want := c.encode()
	var documented []byte
	for _, m := range regexp.MustCompile(`(?m)^//\t((?:[0-9a-f]{2} )+) `).FindAllSubmatch(doc, -1) {
		line, err := hex.DecodeString(strings.ReplaceAll(string(m[1]), " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		documented = append(documented, line...)
	}
	if !bytes.Equal(documented, want) {
		t.Errorf("doc.go has\n% x\nwant\n% x", documented, want)
	}
	if !strings.Contains(string(doc), fmt.Sprintf("is %d bytes long", len(want))) {
		t.Errorf("doc.go does not say that the file is %d bytes long", len(want))
	}
}

func TestRoundTrip(t *testing.T) {
	for seed := range uint64(200) {
		want := random(rand.New(rand.NewPCG(seed, 1)))
		got, err := decode(want.encode())
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Fatalf("seed %d: %v\n(-want +got):\n%s", seed, err, d)
		}
	}
}

// random makes a file with random contents of all kinds, reasonable or not.
func random(r *rand.Rand) content {
	c := content{Header: trace.Header{Exe: strings.Repeat("x", r.IntN(200)), Comment: "c", Tables: []byte("tables")}}
	word := func() uint64 { return r.Uint64() >> r.IntN(64) }
	for range r.IntN(5) {
		b := block{Stream: r.Uint32() >> r.IntN(32)}
		for range r.IntN(1000) {
			t := tuple.Tuple{PC: word(), W: word()}
			if len(b.Tuples) > 0 && r.IntN(2) == 0 {
				t.PC = b.Tuples[r.IntN(len(b.Tuples))].PC
			}
			b.Tuples = append(b.Tuples, t)
		}
		c.Blocks = append(c.Blocks, b)
	}
	for range r.IntN(5) {
		c.Syms = append(c.Syms, trace.Symbol{Tag: tuple.Tag(r.IntN(256)), W: word(), Name: "*go/types.Named"})
	}
	c.End = trace.End{Tuples: word(), Dropped: word()}
	return c
}

// The longest possible block has BlockBytes bytes, and AppendBlock does not allocate if
// there is space for them.
func TestMaxBlockBytes(t *testing.T) {
	tuples := make([]tuple.Tuple, trace.MaxBlock)
	for i := range tuples { // PCs and words as far apart as can be
		tuples[i] = tuple.Tuple{PC: uint64(i%2)<<63 + uint64(i)<<40, W: 1 << 63}
	}
	dst := make([]byte, 0, trace.MaxBlockBytes)
	if n := testing.AllocsPerRun(10, func() { trace.AppendBlock(dst, math.MaxUint32, tuples) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	b := trace.AppendBlock(dst, math.MaxUint32, tuples)
	if len(b) > trace.MaxBlockBytes-8 || len(b) < trace.MaxBlock*18 {
		t.Errorf("a block of %d bytes, at most %d", len(b), trace.MaxBlockBytes)
	}
	_, body, _, err := trace.Next(b)
	if err != nil {
		t.Fatal(err)
	}
	if _, got, err := trace.DecodeBlock(nil, body); err != nil || !slices.Equal(got, tuples) {
		t.Errorf("%d tuples, %v", len(got), err)
	}
	short := make([]byte, 0, trace.MaxBlockBytes-(trace.MaxBlock-10)*19)
	if n := testing.AllocsPerRun(10, func() { trace.AppendBlock(short, 0, tuples[:10]) }); n != 0 {
		t.Errorf("%v allocations for ten tuples", n)
	}
}

func TestAppendBlockPanicsOnTooMany(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	trace.AppendBlock(nil, 0, make([]tuple.Tuple, trace.MaxBlock+1))
}

// Wherever a file ends, the blocks that are complete can be read, and the error says that
// the file is truncated.
func TestEveryTruncation(t *testing.T) {
	c := example()
	c.Blocks = append(c.Blocks, block{8, tracetest.New(1, 3).Events(make([]tuple.Tuple, 40))}, block{7, nil})
	file := c.encode()
	var ends []int // of blocks
	for i := range c.Blocks {
		d := c
		d.Blocks, d.End = c.Blocks[:i+1], trace.End{}
		ends = append(ends, len(d.encode())-len(trace.AppendEnd(nil, d.End)))
	}
	for n := range len(file) {
		got, err := decode(file[:n])
		want := error(trace.ErrTruncated)
		if n == 0 {
			want = trace.Error("not a trace: the file is empty")
		}
		if err != want {
			t.Errorf("%d of %d bytes: got %v, want %v", n, len(file), err, want)
		}
		complete := 0
		for complete < len(ends) && ends[complete] <= n {
			complete++
		}
		if d := cmp.Diff(c.Blocks[:complete], got.Blocks); complete != len(got.Blocks) || complete > 0 && d != "" {
			t.Errorf("%d of %d bytes: %d blocks, want %d\n%s", n, len(file), len(got.Blocks), complete, d)
		}
	}
}

func TestErrors(t *testing.T) {
	c := example()
	file := c.encode()
	change := func(i int, to byte) []byte {
		b := bytes.Clone(file)
		b[i] = to
		return b
	}
	tests := []struct {
		name string
		file []byte
		want string
	}{
		{"another file", []byte("\x7fELF and so on"), "not a trace: it does not begin with pepTRACE"},
		{"a short other file", []byte("pepper"), "not a trace: it does not begin with pepTRACE"},
		{"another version", change(8, 9), "trace of version 9, this program reads 1: record it again"},
		{"a changed bit in the header", change(20, 0xff), "checksum is "},
		{"a changed bit in the end", change(len(file)-1, 0xee), "checksum is "},
		{"a length that cannot be", change(12, 0xff), "truncated trace"},
	}
	for _, test := range tests {
		if _, err := decode(test.file); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
	}
}

// Bodies that no writer writes; the checksums are right.
func TestBodyErrors(t *testing.T) {
	blocks := []struct {
		name, body, want string
	}{
		{"nothing", "", "1 bytes wanted at byte 0 of the body"},
		{"tuples that are not there", "\x00\x02\x00", "1 bytes wanted at byte 3 of the body"},
		{"more tuples than a block has", "\x00\x81\x20", "4097 tuples, at most 4096 at byte 3 of the body"},
		{"a stream of more than 32 bits", "\x80\x80\x80\x80\x10\x00",
			"stream 4294967296, at most 4294967295 at byte 6 of the body"},
		{"a number without end", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
			"a number of more than ten bytes at byte 10 of the body"},
		{"site 3", "\x00\x01\x30", "head 48 at byte 3 of the body"},
		{"size 9", "\x00\x01\x09", "head 9 at byte 3 of the body"},
		{"a word too short", "\x00\x01\x08\x01", "8 bytes wanted at byte 3 of the body"},
		{"more bytes than tuples", "\x00\x01\x00\x00\x00", "2 bytes left over at byte 3 of the body"},
	}
	for _, test := range blocks {
		dst := make([]tuple.Tuple, 3)
		_, got, err := trace.DecodeBlock(dst, []byte(test.body))
		if err == nil || err.Error() != test.want || len(got) != len(dst) {
			t.Errorf("%s: got %d tuples, %v, want %s", test.name, len(got), err, test.want)
		}
	}
	if _, err := trace.DecodeSymbols([]byte("\xff\xff\xff\xff\x0f")); err == nil {
		t.Error("4 G symbols in no bytes: no error")
	}
	if _, err := trace.DecodeHeader([]byte("short")); err == nil {
		t.Error("a header of five bytes: no error")
	}
}

// FuzzDecode: for any bytes, decoding does not panic and gives no more tuples than bytes.
func FuzzDecode(f *testing.F) {
	c := example()
	f.Add(c.encode())
	for seed := range uint64(5) {
		c := random(rand.New(rand.NewPCG(seed, 2)))
		f.Add(c.encode())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		decode(b)
		for _, body := range [][]byte{b, b[min(len(b), 14):]} { // as if the checksum were right
			if _, tuples, err := trace.DecodeBlock(nil, body); err == nil && len(tuples) > len(body) {
				t.Errorf("%d tuples of %d bytes", len(tuples), len(body))
			}
			if syms, err := trace.DecodeSymbols(body); err == nil && len(syms) > len(body) {
				t.Errorf("%d symbols of %d bytes", len(syms), len(body))
			}
			trace.DecodeHeader(body)
			trace.DecodeEnd(body)
		}
	})
}

// FuzzBlock: a block that was written is read as the same tuples.
func FuzzBlock(f *testing.F) {
	f.Add(uint64(1), 100, uint8(3))
	f.Fuzz(func(t *testing.T, seed uint64, n int, bits uint8) {
		r := rand.New(rand.NewPCG(seed, 3))
		tuples := make([]tuple.Tuple, uint(n)%(trace.MaxBlock+1))
		for i := range tuples {
			tuples[i] = tuple.Tuple{PC: r.Uint64() >> (bits % 64), W: r.Uint64() >> r.IntN(64)}
		}
		_, body, rest, err := trace.Next(trace.AppendBlock(nil, 9, tuples))
		if err != nil || len(rest) != 0 {
			t.Fatal(err, len(rest))
		}
		if stream, got, err := trace.DecodeBlock(nil, body); err != nil || stream != 9 || !slices.Equal(got, tuples) {
			t.Errorf("stream %d, %d tuples, %v", stream, len(got), err)
		}
	})
}
