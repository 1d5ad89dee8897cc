package wire_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/internal/mutant"
)

// example is the package of the package comment.
func example() *wire.Package {
	return &wire.Package{
		Path:  "main",
		Files: []string{"main.go"},
		Funcs: []wire.Func{{
			Name: "main.f",
			Line: 3,
			Graph: pdag.Graph{
				Nodes: []pdag.Node{
					{Out: []pdag.Edge{{To: 1, Val: 1}, {To: 2}}},
					{Out: []pdag.Edge{{To: pdag.Exit}}},
					{Out: []pdag.Edge{{To: pdag.Exit}}},
				},
				Starts: []pdag.Start{{Node: 0}},
				N:      2,
			},
			Blocks: []wire.Block{
				{
					Spans:  []wire.Span{{Line: 4, Col: 5, EndLine: 4, EndCol: 10}},
					Branch: wire.Branch{Kind: "if", Line: 4, Col: 5},
					Outs:   []wire.Out{{Outcome: "true", Line: 5, Col: 3}, {Outcome: "false", Line: 7, Col: 2}},
				},
				{
					Spans: []wire.Span{{Line: 5, Col: 3, EndLine: 5, EndCol: 11}},
					Outs:  []wire.Out{{Line: 5, Col: 3}},
				},
				{
					Spans: []wire.Span{{Line: 7, Col: 2, EndLine: 7, EndCol: 10}},
					Outs:  []wire.Out{{Line: 7, Col: 2}},
				},
			},
		}},
		Taps: []wire.Tap{{Tag: 1, Func: "main.f", Line: 3, Col: 8, Expr: "x", Type: "int", Bits: 64, Kind: wire.Signed}},
	}
}

// The bytes in the package comment are those of the example.
func TestDocExample(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	table := wire.AppendPackage(nil, example())
	var documented []byte
	for _, m := range regexp.MustCompile(`(?m)^//\t((?:[0-9a-f]{2} )+) `).FindAllSubmatch(doc, -1) {
		line, err := hex.DecodeString(strings.ReplaceAll(string(m[1]), " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		documented = append(documented, line...)
	}
	if !bytes.Equal(documented, table) {
		t.Errorf("doc.go has\n% x\nwant\n% x", documented, table)
	}
	if !strings.Contains(string(doc), fmt.Sprintf("is %d bytes long", len(table))) {
		t.Errorf("doc.go does not say that the table is %d bytes long", len(table))
	}
}

// equal ignores the difference between nil and empty slices, which the format
// does not keep.
func equal(t *testing.T, got, want *wire.Package) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("package (-want +got):\n%s", diff)
	}
}

func TestPEP05RoundTrip(t *testing.T) {
	var tables []byte
	var want []*wire.Package
	for seed := range uint64(300) {
		p := random(rand.New(rand.NewPCG(seed, 5)))
		want = append(want, p)
		tables = wire.AppendPackage(tables, p)
	}
	for i, rest := 0, tables; len(rest) > 0; i++ {
		p, after, err := wire.ReadPackage(rest)
		if err != nil {
			t.Fatalf("seed %d: %v", i, err)
		}
		equal(t, p, want[i])
		if t.Failed() {
			t.Fatalf("seed %d", i)
		}
		rest = after
	}
}

// random makes a package with random contents of all kinds, reasonable or not.
func random(r *rand.Rand) *wire.Package {
	words := []string{"", "if", "true", "false", "case 1, 2", "go/types.(*Checker)", "go/types.(*Checker).expr",
		strings.Repeat("x", 300)}
	word := func() string { return words[r.IntN(len(words))] }
	number := func() int {
		if r.IntN(20) == 0 {
			return int(int64(r.Uint64()) >> 3)
		}
		return r.IntN(100)
	}
	p := &wire.Package{Path: word(), Files: []string{word(), "b.go"}}
	for range r.IntN(4) {
		f := wire.Func{Name: word() + word(), File: r.IntN(2), Line: number(), Base: r.Uint64() >> r.IntN(64),
			Elsewhere: r.IntN(3) == 0}
		file := func() int {
			if f.Elsewhere {
				return r.IntN(2)
			}
			return f.File
		}
		n := r.IntN(6)
		for range n {
			var out []pdag.Edge
			block := wire.Block{}
			for range r.IntN(6) {
				out = append(out, pdag.Edge{
					To:   r.IntN(n+1) - 1,
					Val:  r.Uint64() >> (r.IntN(32) * 2),
					Ends: r.IntN(3) == 0,
					Dead: r.IntN(3) == 0,
				})
				block.Outs = append(block.Outs, wire.Out{Outcome: word(), File: file(), Line: number(), Col: number()})
			}
			for range r.IntN(3) {
				span := wire.Span{File: file(), Line: number(), Col: number(), EndCol: number()}
				if span.EndLine = span.Line; r.IntN(2) == 0 {
					span.EndLine = number()
				}
				block.Spans = append(block.Spans, span)
			}
			if r.IntN(2) == 0 {
				block.Branch = wire.Branch{Kind: word(), File: file(), Line: number(), Col: number()}
			}
			if r.IntN(4) == 0 {
				f.Untold = append(f.Untold, len(f.Blocks))
			}
			f.Graph.Nodes = append(f.Graph.Nodes, pdag.Node{Out: out})
			f.Blocks = append(f.Blocks, block)
		}
		for range min(n, r.IntN(3)) {
			f.Graph.Starts = append(f.Graph.Starts, pdag.Start{Node: r.IntN(n), Val: r.Uint64(), Cut: r.IntN(2) == 0})
		}
		f.Graph.N = r.Uint64()
		for node := range n {
			for range r.IntN(3) {
				f.Calls = append(f.Calls, wire.Call{Node: node, Callee: word() + word()})
			}
		}
		if r.IntN(3) == 0 {
			f.Source = &wire.Source{File: r.IntN(2), Line: number()}
			for range n {
				var b wire.Block
				for range r.IntN(3) {
					b.Spans = append(b.Spans, wire.Span{File: f.Source.File, Line: number(), Col: number(), EndLine: number(),
						EndCol: number()})
				}
				if r.IntN(2) == 0 {
					b.Branch = wire.Branch{Kind: word(), File: f.Source.File, Line: number(), Col: number()}
				}
				f.Source.Blocks = append(f.Source.Blocks, b)
			}
		}
		p.Funcs = append(p.Funcs, f)
	}
	for range r.IntN(3) {
		s := wire.Skipped{Name: word(), File: r.IntN(2), Line: number(), Reason: word()}
		if r.IntN(3) == 0 {
			s.Source = &wire.Source{File: r.IntN(2), Line: number()}
		}
		p.Skipped = append(p.Skipped, s)
	}
	for range r.IntN(4) {
		p.Taps = append(p.Taps, wire.Tap{
			Tag: uint8(r.IntN(256)), Func: word(), File: r.IntN(2), Line: number(), Col: number(),
			Expr: word(), Type: word(), Bits: uint8(r.IntN(256)), Kind: wire.Kind(r.IntN(int(wire.Address) + 1)),
		})
		for range r.IntN(3) {
			t := &p.Taps[len(p.Taps)-1]
			t.More = append(t.More, wire.Word{Expr: word(), Type: word(), Bits: uint8(r.IntN(256)),
				Kind: wire.Kind(r.IntN(int(wire.Address) + 1))})
		}
	}
	return p
}

// CallsOf finds the calls of each node.
func TestCallsOf(t *testing.T) {
	f := wire.Func{Calls: []wire.Call{{Node: 1, Callee: "a"}, {Node: 1, Callee: "b"}, {Node: 3, Callee: "c"}}}
	for node, want := range [][2]int{{0, 0}, {0, 2}, {2, 2}, {2, 3}, {3, 3}} {
		if first, end := f.CallsOf(node); [2]int{first, end} != want {
			t.Errorf("node %d: %d to %d, want %d", node, first, end, want)
		}
	}
}

// An Out may have another position than the implied one.
func TestPlacesThatAreNotImplied(t *testing.T) {
	p := example()
	f := &p.Funcs[0]
	f.Blocks[0].Outs[0] = wire.Out{Outcome: "true", Line: 6, Col: 1}
	f.Blocks[1].Outs[0].Col++
	f.Blocks[2] = wire.Block{Outs: []wire.Out{{Line: 8, Col: 1}}}
	got, rest, err := wire.ReadPackage(wire.AppendPackage(nil, p))
	if err != nil || len(rest) > 0 {
		t.Fatalf("%v, %d bytes left", err, len(rest))
	}
	equal(t, got, p)
}

func TestReadPackageErrors(t *testing.T) {
	table := wire.AppendPackage(nil, example())
	spoilt := bytes.Clone(table)
	spoilt[10]++
	newer := bytes.Clone(table)
	newer[0] = wire.Version + 1
	tests := []struct {
		name  string
		table []byte
		want  string
	}{
		{"nothing", nil, `truncated: no bytes`},
		{"a table of another version", newer, `version 15, this program reads 14: build the profiled program again`},
		{"a file that is something else", []byte{0, 0}, `version 0, this program reads 14: build the profiled program again`},
		{"a table without its end", table[:20], `truncated: body of \d+ bytes, 18 left`},
		{"a table without its length", table[:1], `truncated: body of 0 bytes, 0 left`},
		{"a changed byte", spoilt, `checksum is \d+, want \d+`},
		{"more than a package", framed("\x01p\x00\x00\x00\x00\x00\x00abc"),
			`3 bytes of bodies, want 0 at byte 8 of package p`},
		{"less than a package", framed("\x01p\x00\x00\x00\x00"), `truncated: no number at byte 6 of package p`},
		{"a string past the end", framed("\x09p"), `truncated: 9 things to come at byte 1 of package `},
		{"files past the end", framed("\x01p\x00\x00\xff\xff\xff\xff\x0f"),
			`truncated: 4294967295 things to come at byte 9 of package p`},
		{"strings past the end", framed("\x01p\x00\x00\x00\x05\x00\x00"),
			`truncated: 5 things to come at byte 6 of package p`},
		{"an endless number", framed("\x01p\x00" + strings.Repeat("\xff", 11)),
			`truncated: no number at byte 3 of package p`},
		{"a function of no file", framed("\x01p\x00\x01\x00\x00" + "\x00\x00\x00\x00\x00\x00\x03" + "\x00\x00" +
			"\x00\x00\x00"), `file 0 of 0 at byte 9 of package p`},
		{"a name like none before", framed("\x01p\x00\x00\x01\x02\x00\x00\x00\x00"),
			`shared byte 2 of 1 at byte 6 of package p`},
		{"a string that is not there", function("nodes", 1, "shape", 5, "branchKind", wire.Texts+2),
			`string 1 of 0 at byte 20 of package p`},
		{"an edge that leads nowhere", function("nodes", 1, "shape", 1, "edgeTo", 4), `node 1 of 1 at byte 18 of package p`},
		{"an edge that leads nowhere, to the next node", function("nodes", 1, "shape", 1, "edgeTo", 1),
			`node 1 of 1 at byte 19 of package p`},
		{"a branch nowhere that is not told", function("nodes", 1, "shape", 0, "starts", 0, "untolds", 1, "untold", 1),
			`node 1 of 1 at byte \d+ of package p`},
		{"a call nowhere", function("nodes", 1, "shape", 0, "starts", 0, "untolds", 0, "calls", 1, "callNode", 1),
			`node 1 of 1 at byte \d+ of package p`},
		{"a call of nothing", function("nodes", 1, "shape", 0, "starts", 0, "untolds", 0, "calls", 1, "callNode", 0, "callee",
			3), `callee 1 of 1 at byte \d+ of package p`},
		{"a call of a string that is not there",
			function("nodes", 1, "shape", 0, "starts", 0, "untolds", 0, "calls", 1, "callNode", 0, "callee", 2*(wire.Texts+1)),
			`string 0 of 0 at byte \d+ of package p`},
		{"a start nowhere", function("nodes", 1, "shape", 0, "starts", 1, "startNode", 2),
			`node 1 of 1 at byte \d+ of package p`},
		{"more nodes than there is space for", function("nodes", 1<<40),
			`truncated: 1099511627776 things to come at byte \d+ of package p`},
		{"a code with too many bytes", function("nodes", 0, "starts", 0, "untolds", 0, "calls", 0, "starts", 0, "starts", 0,
			"starts", 0, "starts", 0, "starts", 0, "starts", 0, "starts", 0, "starts", 0),
			`the body of f ends at byte \d+ of package p`},
		{"codes with too many bytes", framed("\x01p\x00\x01\x01\x00\x01f\x00" + "\x01\x00\x00\x00\x00\x00\x02" + "\x00\x00" +
			"\x00\x00\x00"), `3 bytes of bodies, want 2 at byte 18 of package p`},
		{"a tap of no file", framed("\x01p\x00\x00\x00\x00\x00\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"),
			`file 0 of 0 at byte 11 of package p`},
		{"a tap without its end", framed("\x01p\x00\x00\x01\x00\x00\x00\x00\x01\x01\x00\x00\x80\x00\x80\x00\x00\x80\x00"),
			`truncated: no byte at byte 20 of package p`},
		{"a tap of no kind", framed("\x01p\x00\x00\x01\x00\x00\x00\x00\x01\x01\x00\x00\x00\x00\x00\x00\x00\x08\x00"),
			`kind 8 of 8 at byte 19 of package p`},
		{"a further word of no kind", framed("\x01p\x00\x00\x01\x00\x00\x00\x00\x01\x01\x00\x00\x00\x00\x00\x00\x00\x01\x01\x00\x00\x00\x08"), `kind 8 of 8 at byte 24 of package p`},
		{"further words past the end", framed(
			"\x01p\x00\x00\x01\x00\x00\x00\x00\x01\x01\x00\x00\x00\x00\x00\x00\x00\x01\x02\x00\x00\x00\x01"),
			`truncated: 2 things to come at byte 20 of package p`},
		{"another number of paths than that of the functions", framed("\x01p\x07\x00\x00\x00\x00\x00"),
			`functions with 0 paths, want 7 at byte 6 of package p`},
	}
	for _, test := range tests {
		p, rest, err := wire.ReadPackage(test.table)
		var werr wire.Error
		if p != nil || rest != nil || !errors.As(err, &werr) {
			t.Errorf("%s: got %v, %d bytes, error %v, want a wire.Error only", test.name, p, len(rest), err)
			continue
		}
		if ok, _ := regexp.MatchString("^site table: "+test.want+"$", err.Error()); !ok {
			t.Errorf("%s: got error %q, want %q", test.name, err, test.want)
		}
	}
}

// function makes a table of a package p with one function f, which has a code of some numbers, each behind its kind.
func function(numbers ...any) []byte {
	code := ""
	for ; len(numbers) > 0; numbers = numbers[2:] {
		n, ok := numbers[1].(uint64)
		if !ok {
			n = uint64(numbers[1].(int))
		}
		code += word(numbers[0].(string), n)
	}
	return functionOf(bytesOf(code))
}

// functionOf makes a table of a package p with one function f of some code.
func functionOf(code string) []byte {
	return framed("\x01p\x00\x01\x01\x00\x01f\x00" + "\x01\x00\x00\x00\x00\x00" +
		string(binary.AppendUvarint(nil, uint64(len(code)))) + "\x00\x00" + code)
}

// word returns the bits of a number of a kind: the word of a canonical Huffman code, and the rest of the number.
func word(kind string, n uint64) string {
	symbol, rest := n, ""
	if b := fmt.Sprintf("%b", n); n >= 1<<16 {
		symbol, rest = 40, fmt.Sprintf("%064b", n)
	} else if n >= 16 {
		symbol, rest = 16+2*uint64(len(b)-5)+uint64(b[1]-'0'), b[2:]
	}
	lengths, symbols := wire.Code(kind)
	for length, first := 1, 0; ; length++ {
		first *= 2
		if i := strings.IndexByte(symbols[:lengths[length-1]-'0'], byte('0'+symbol)); i >= 0 {
			word := fmt.Sprintf("%0*b", length, first+i)
			for i := range rest {
				word += rest[len(rest)-1-i:][:1]
			}
			return word
		}
		first, symbols = first+int(lengths[length-1]-'0'), symbols[lengths[length-1]-'0':]
	}
}

// bytesOf returns bits as bytes, the first one lowest.
func bytesOf(bits string) string {
	b := make([]byte, (len(bits)+7)/8)
	for i, c := range bits {
		b[i/8] |= byte(c-'0') << (i % 8)
	}
	return string(b)
}

// Each code has a word for each symbol, and no word begins another one.
func TestCodesAreComplete(t *testing.T) {
	for kind, c := range wire.AllCodes() {
		lengths, symbols := c[0], c[1]
		left := 1 // words that the next longer ones may begin with
		for i := range lengths {
			left = 2*left - int(lengths[i]-'0')
		}
		if left != 0 || len(lengths) > 15 {
			t.Errorf("code %d: %d words too few, %d bits", kind, left, len(lengths))
		}
		for n := range 41 {
			if strings.Count(symbols, string(rune('0'+n))) != 1 || len(symbols) != 41 {
				t.Errorf("code %d: symbol %d of %q", kind, n, symbols)
			}
		}
	}
}

// framed makes a table of a body.
func framed(body string) []byte {
	b := []byte{wire.Version}
	n := len(body)
	for ; n >= 0x80; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	b = append(b, byte(n))
	b = append(b, body...)
	return binary.LittleEndian.AppendUint32(b, checksum([]byte(body)))
}

// checksum is that of the package comment.
func checksum(b []byte) uint32 {
	h := uint64(0xcbf29ce484222325) ^ uint64(len(b))
	for i := 0; i <= len(b)/8; i++ {
		var word [8]byte
		copy(word[:], b[8*i:])
		h ^= binary.LittleEndian.Uint64(word[:])
		h *= 0x100000001b3
	}
	return uint32(h) ^ uint32(h>>32)
}

func TestEveryTruncationIsAnError(t *testing.T) {
	p := random(rand.New(rand.NewPCG(3, 5)))
	table := wire.AppendPackage(nil, p)
	for n := range table {
		if _, _, err := wire.ReadPackage(table[:n]); err == nil {
			t.Errorf("%d of %d bytes are a table", n, len(table))
		}
	}
	_, size := body(table)
	for n := range size {
		b, _ := body(table)
		if _, _, err := wire.ReadPackage(framed(string(b[:n]))); err == nil {
			t.Errorf("%d of %d bytes are a body", n, size)
		}
	}
}

// body returns the body of a table.
func body(table []byte) (b []byte, size int) {
	i := 1
	for shift := 0; ; shift += 7 {
		size |= int(table[i]&0x7f) << shift
		if i++; table[i-1] < 0x80 {
			break
		}
	}
	return table[i : i+size], size
}

func FuzzReadPackage(f *testing.F) {
	for seed := range uint64(20) {
		b, _ := body(wire.AppendPackage(nil, random(rand.New(rand.NewPCG(seed, 5)))))
		f.Add(string(b))
	}
	f.Fuzz(func(t *testing.T, body string) { readBody(t, body) })
}

// The mutants of a table, whose checksum is right.
func TestDamagedTablesAreRead(t *testing.T) {
	b, _ := body(wire.AppendPackage(nil, random(rand.New(rand.NewPCG(3, 5)))))
	read := 0
	mutant.Each(t, b, nil, func(int) {
		if readBody(t, string(b)) {
			read++
		}
	})
	if read == 0 || read == mutant.Number {
		t.Errorf("%d of %d are read", read, mutant.Number)
	}
}

// readBody reads the table that has a body, in all ways, and reports whether it is one.
func readBody(t *testing.T, body string) (ok bool) {
	wire.ReadPackage([]byte(body))
	p, _, err := wire.ReadPackage(framed(body))
	if err != nil {
		if p != nil {
			t.Error("a package beside an error")
		}
		return false
	}
	for i := range p.Funcs {
		p.Funcs[i].Graph.Check()
	}
	again, _, err := wire.ReadPackage(wire.AppendPackage(nil, p))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(again, p) { // much faster than equal
		equal(t, again, p)
	}
	l, _, err := wire.ReadLazy(framed(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.Funcs { // the last one first
		l.Body(len(p.Funcs) - 1 - i)
	}
	if !reflect.DeepEqual(l.Package(), p) {
		t.Errorf("got %+v, want %+v", l.Package(), p)
	}
	return true
}

// Reading a small table must not take a lot of memory, whatever the table holds.
func TestMemoryIsInProportion(t *testing.T) {
	zeros := func(bits string) string { // a function whose code begins with bits
		code, _ := body(functionOf(bytesOf(bits) + strings.Repeat("\x00", 200000)))
		return string(code)
	}
	bodies := map[string]string{
		"names that share all they may": "\x01p\x00\xd0\x86\x03\x01" + "\x00\x7f" + strings.Repeat("n",
			127) + "\x00" + strings.Repeat("\x7f\x00\x00\x00\x00\x00\x06", 50000) + "\x00\x00" + strings.Repeat("\x00\x00\x00",
			50000),
		"strings without bytes": "\x01p\x00\x00\x00\xc0\x9a\x0c" + strings.Repeat("\x00", 200002),
		"nodes of zeros":        zeros(word("nodes", 200000)),
		"a node for each bit":   zeros(word("nodes", 1600000)),
		"an edge for each bit":  zeros(word("nodes", 1) + word("shape", 3) + word("moreOuts", 1600000)),
		"a span for each bit":   zeros(word("nodes", 1) + word("shape", 1600000<<3)),
		"edges past the end":    zeros(word("nodes", 1) + word("shape", 3) + word("moreOuts", 1<<40)),
		"taps of nothing":       "\x01p\x00\x00\x01\x00\x00\x00\x00\xa0\x8d\x06" + strings.Repeat("\x00", 1000000),
		"spans past the end":    zeros(word("nodes", 1) + word("shape", 1<<40)),
	}
	for name, body := range bodies {
		table := framed(body)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := wire.ReadPackage(table)
		t.Log(name, err)
		runtime.ReadMemStats(&after)
		got := (after.TotalAlloc - before.TotalAlloc) / uint64(len(table))
		if got > 400 { // maxRatio, the body as a string, the positions to come of a function, and rounding
			t.Errorf("%s: %d bytes of memory per byte of the table", name, got)
		}
	}
}

// A name that is the same as the one before it takes two bytes, and however many of these there are, they are read.
func TestNamesInTwoBytes(t *testing.T) {
	p := &wire.Package{Path: "p"}
	for range 200 {
		p.Files = append(p.Files, "x.go")
	}
	got, rest, err := wire.ReadPackage(wire.AppendPackage(nil, p))
	if err != nil || len(rest) != 0 {
		t.Fatalf("%d bytes are left: %v", len(rest), err)
	}
	equal(t, got, p)
}

// The tables of a program are a header and the tables of its packages.
func TestJoin(t *testing.T) {
	pkg := random(rand.New(rand.NewPCG(1, 5)))
	tables := wire.AppendPackage(wire.AppendPackage(nil, example()), pkg)
	data, err := wire.Join(tables)
	if err != nil {
		t.Fatal(err)
	}
	header, got, err := wire.ReadProgram(append(data, "what follows in memory"...))
	if err != nil || !bytes.Equal(got, tables) {
		t.Fatalf("got %d bytes, error %v, want the %d bytes", len(got), err, len(tables))
	}
	h := fnv.New64a()
	h.Write(tables)
	want := wire.Header{Packages: 2, Size: uint64(len(tables)), Stored: uint64(len(tables)), Paths: 2 + pkg.Paths()}
	copy(want.Build[:], h.Sum(nil))
	if header != want {
		t.Errorf("got %+v, want %+v", header, want)
	}
	if err := header.Check(got); err != nil {
		t.Error(err)
	}
	if err := header.Check(tables[:len(wire.AppendPackage(nil,
		example()))]); err != wire.Error("hash differs from the header's") {
		t.Errorf("tables of a package less: got error %v", err)
	}
	got[len(got)-1]++
	for name, tables := range map[string][]byte{"changed": got, "cut off": tables[1:]} {
		if err := header.Check(tables); err == nil {
			t.Errorf("%s tables: no error", name)
		}
	}
}

func TestReadCounters(t *testing.T) {
	one, other := example(), random(rand.New(rand.NewPCG(1, 5)))
	tables := wire.AppendPackage(wire.AppendPackage(nil, one), other)
	type pkg struct {
		path     string
		counters uint64
	}
	var got []pkg
	err := wire.ReadCounters(tables, func(path string, counters uint64) { got = append(got, pkg{path, counters}) })
	want := []pkg{{one.Path, 2 + 1}, {other.Path, other.Paths() + uint64(len(other.Funcs))}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, error %v, want %v", got, err, want)
	}
	for _, wrong := range [][]byte{tables[:len(tables)-1], framed("\x05p"), framed("\x01p"), {9}} {
		if err := wire.ReadCounters(wrong, func(string, uint64) {}); err == nil {
			t.Errorf("%q: no error", wrong)
		}
	}
}

func TestJoinErrors(t *testing.T) {
	table := wire.AppendPackage(nil, example())
	for name, join := range map[string]func([]byte) ([]byte, error){"Join": wire.Join, "JoinPacked": wire.JoinPacked} {
		if data, err := join(table[:len(table)-1]); data != nil || err == nil {
			t.Errorf("%s: a table without its end: got %d bytes, error %v", name, len(data), err)
		}
	}
}

func TestReadProgramErrors(t *testing.T) {
	data, err := wire.Join(wire.AppendPackage(nil, example()))
	if err != nil {
		t.Fatal(err)
	}
	// change sets a byte of the header, and its checksum if valid is true.
	change := func(i int, to byte, valid bool) []byte {
		b := bytes.Clone(data)
		b[i] = to
		if valid {
			binary.LittleEndian.PutUint32(b[wire.HeaderSize-4:], checksum(b[:wire.HeaderSize-4]))
		}
		return b
	}
	tests := []struct {
		name string
		data []byte
		want error
	}{
		{"nothing", nil, wire.ErrNoTables},
		{"something else", []byte(strings.Repeat("something else", 10)), wire.ErrNoTables},
		{"the magic alone", []byte(wire.Magic + strings.Repeat("and so on", 10)), wire.ErrNoTables},
		{"a header that is cut off", data[:wire.HeaderSize-1], wire.ErrNoTables},
		{"a changed header", change(30, 7, false), wire.ErrNoTables},
		{"another version", change(16, 99, true),
			wire.Error(fmt.Sprintf("version 99, this program reads %d: build the profiled program again", wire.Version))},
		{"tables that are cut off", data[:len(data)-1], wire.Error("truncated: 65 bytes, 64 left")},
		{"a length that cannot be", change(39, 0xff, true), wire.Error("truncated: 18374686479671623745 bytes, 65 left")},
	}
	for _, test := range tests {
		h, tables, err := wire.ReadProgram(test.data)
		if tables != nil || h != (wire.Header{}) || err != test.want {
			t.Errorf("%s: got %+v, %d bytes, error %v, want %v", test.name, h, len(tables), err, test.want)
		}
	}
}

func BenchmarkReadPackage(b *testing.B) {
	p := example()
	for i := range 1000 {
		f := p.Funcs[0]
		f.Name = fmt.Sprintf("main.f%d", i)
		p.Funcs = append(p.Funcs, f)
	}
	table := wire.AppendPackage(nil, p)
	b.SetBytes(int64(len(table)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := wire.ReadPackage(table); err != nil {
			b.Fatal(err)
		}
	}
}

// A Lazy has what the package has that it is read from.
func TestLazyPackagesAreThoseOfTheTable(t *testing.T) {
	one, two := example(), &wire.Package{Path: "empty"}
	b := wire.AppendPackage(wire.AppendPackage(nil, one), two)
	var list []*wire.Lazy
	for rest := b; len(rest) > 0; {
		var l *wire.Lazy
		var err error
		if l, rest, err = wire.ReadLazy(rest); err != nil {
			t.Fatal(err)
		}
		list = append(list, l)
	}
	if len(list) != 2 || list[0].Path != one.Path || !slices.Equal(list[0].Files, one.Files) ||
		list[0].Paths != one.Paths() || list[0].Funcs != len(one.Funcs) || list[1].Path != "empty" || list[1].Paths != 0 {
		t.Errorf("beginnings are %+v", list)
	}
	for i := range one.Funcs {
		list[0].Body(i)
	}
	if got := wire.Packages(list); !cmp.Equal(got, []*wire.Package{one, two}) || wire.Wrong(list) != nil {
		t.Errorf("got %+v, %v", got, wire.Wrong(list))
	}
}

// Bodies are read in any order, some of them twice, and those that nobody asks for are not there.
func TestBodiesOfLazyPackages(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 5))
	for range 100 {
		want := random(r)
		l, _, err := wire.ReadLazy(wire.AppendPackage(nil, want))
		if err != nil {
			t.Fatal(err)
		}
		got := l.Package()
		if len(got.Funcs) != len(want.Funcs) {
			t.Fatalf("%d functions, want %d", len(got.Funcs), len(want.Funcs))
		}
		for i := range got.Funcs {
			f, g := &got.Funcs[i], &want.Funcs[i]
			if f.Blocks != nil || f.Graph.Nodes != nil || f.Graph.Starts != nil {
				t.Errorf("%s has a body that nobody has asked for", f.Name)
			}
			if f.Name != g.Name || f.Base != g.Base || f.Graph.N != g.Graph.N {
				t.Errorf("got %+v, want %+v", f, g)
			}
		}
		for _, i := range append(r.Perm(len(got.Funcs)), r.Perm(len(got.Funcs))...) {
			l.Body(i)
			if f := got.Funcs[i]; !cmp.Equal(f, want.Funcs[i], cmpopts.EquateEmpty()) {
				t.Errorf("got %+v, want %+v", f, want.Funcs[i])
			}
		}
		equal(t, got, want)
	}
}

// A table that takes more than half of the memory that it may has space for its bodies, too.
func TestBodiesOfADenseTable(t *testing.T) {
	f := wire.Func{Name: "f", Graph: pdag.Graph{N: 1, Starts: []pdag.Start{{}}}}
	const nodes = 5000
	for i := range nodes {
		f.Blocks = append(f.Blocks, wire.Block{Spans: []wire.Span{{}}, Outs: []wire.Out{{}}})
		to := i + 1
		if to == nodes {
			to = pdag.Exit
		}
		f.Graph.Nodes = append(f.Graph.Nodes, pdag.Node{Out: []pdag.Edge{{To: to}}})
	}
	want := &wire.Package{Path: "p", Files: []string{"f.go"}, Funcs: []wire.Func{f}}
	l, _, err := wire.ReadLazy(wire.AppendPackage(nil, want))
	if err != nil {
		t.Fatal(err)
	}
	l.Body(0)
	equal(t, l.Package(), want)
	if err := wire.Wrong([]*wire.Lazy{l}); err != nil {
		t.Error(err)
	}
}

// Damage behind the files is found when the package is needed, and not before.
func TestLazyPackagesReportDamage(t *testing.T) {
	b := wire.AppendPackage(nil, example())
	b[len(b)-1] ^= 1
	l, _, err := wire.ReadLazy(b)
	if err != nil {
		t.Fatal(err)
	}
	list := []*wire.Lazy{l}
	if err := wire.Wrong(list); err != nil {
		t.Errorf("not read, and wrong: %v", err)
	}
	if p := l.Package(); p.Path != l.Path || len(p.Funcs) != 0 {
		t.Errorf("got %+v", p)
	}
	if err := wire.Wrong(list); err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("got the error %v", err)
	}
}

// A function may have many starts and nearly nothing behind them: all lengths that a reader thinks too small are
// smaller.
func TestManyStarts(t *testing.T) {
	p := example()
	f := &p.Funcs[0]
	for i := range uint64(1000) {
		f.Graph.Starts = append(f.Graph.Starts, pdag.Start{Node: 1, Val: i % 100})
	}
	p.Taps = nil
	got, _, err := wire.ReadPackage(wire.AppendPackage(nil, p))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Funcs[0].Graph.Starts, f.Graph.Starts) {
		t.Errorf("%d starts are read, want %d", len(got.Funcs[0].Graph.Starts), len(f.Graph.Starts))
	}
}
