package pprofenc_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/pepgo/pep/format/pprofenc"
)

func TestProfileReadsBackByPprof(t *testing.T) {
	p := pprofenc.New(pprofenc.ValueType{"paths", "count"}, pprofenc.ValueType{"branch_flow", "count"})
	p.Mapping = pprofenc.Mapping{File: "/bin/x", BuildID: "0123abcd"}
	p.PeriodType, p.Period = pprofenc.ValueType{"cpu", "nanoseconds"}, 1e7
	p.Comments = []string{"first", "second"}
	p.Time, p.Duration = 17, 18
	p.DefaultType = "paths"
	path := p.Function(pprofenc.Function{Name: "m.(*T).f·p12", SystemName: "m.(*T).f", Filename: "/x.go", StartLine: 3})
	fn := p.Function(pprofenc.Function{Name: "m.(*T).f", Filename: "/x.go", StartLine: 3})
	if again := p.Function(pprofenc.Function{Name: "m.(*T).f", Filename: "/x.go", StartLine: 3}); again != fn {
		t.Errorf("the same function has ids %d and %d", fn, again)
	}
	locs := []uint64{p.Location(path, 9), p.Location(fn, 9), p.Location(fn, 9)}
	p.Sample(locs, []int64{5, 0}, p.Labels(pprofenc.Label{"path", "p12"}, pprofenc.Label{"from", "entry"}))
	p.Sample(locs[:1], []int64{-1, 1 << 40}, nil)
	p.Sample(locs[:1], []int64{1, 1}, p.Number(p.Number(p.Labels(pprofenc.Label{"path", "p13"}), "error", -7, "count"),
		"size", 42, "bytes"))

	got, err := profile.ParseData(pprofenc.Gzip(p.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	if err := got.CheckValid(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"paths/count[dflt] branch_flow/count",
		"PeriodType: cpu nanoseconds\nPeriod: 10000000\n",
		"          5          0: 1 2 2 \n                from:[entry] path:[p12]\n",
		"         -1 1099511627776: 1 \n",
		"          1          1: 1 \n                path:[p13]\n                error:[-7 count] size:[42 bytes]\n",
		"1: 0x0 M=2 m.(*T).f·p12 /x.go:9:0 s=3(m.(*T).f)",
		"1: 0x0/0x0/0x0 /bin/x 0123abcd [FN][FL][LN][IN]",
		"Comment: first\nComment: second\n",
	} {
		if !strings.Contains(got.String(), want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if got.TimeNanos != 17 || got.DurationNanos != 18 {
		t.Errorf("time %d, duration %d", got.TimeNanos, got.DurationNanos)
	}
}

// Samples of some hundred KB, and one whose label is longer than what is kept together, come back in order.
func TestManySamplesReadBackByPprof(t *testing.T) {
	p := pprofenc.New(pprofenc.ValueType{"paths", "count"})
	at := p.Location(p.Function(pprofenc.Function{Name: "m.f", Filename: "/x.go"}), 9)
	const n, long = 10_000, 5_001
	for i := range int64(n) {
		value := strings.Repeat("x", int(i%50))
		labels := []pprofenc.Label{{"path", value}}
		if i == long {
			labels = slices.Repeat(labels, 50_000)
		}
		p.Sample([]uint64{at, at}, []int64{i << 20}, p.Labels(labels...))
	}
	got, err := profile.ParseUncompressed(p.Encode())
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Sample) != n {
		t.Fatalf("got %d samples, want %d", len(got.Sample), n)
	}
	for i, s := range got.Sample {
		if s.Value[0] != int64(i)<<20 || len(s.Location) != 2 || i == long && len(s.Label["path"]) != 50_000 {
			t.Fatalf("sample %d has value %d, %d locations and %d paths", i, s.Value[0], len(s.Location), len(s.Label["path"]))
		}
	}
}

func TestGzipIsUndoneByGunzip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	inputs := [][]byte{nil, {7}, []byte("abcabcabcabcabc"), bytes.Repeat([]byte{0}, 100_000),
		bytes.Repeat([]byte("go/types.(*Checker).expr\x00\xff"), 3000)}
	for _, alphabet := range []int{2, 17, 256} {
		b := make([]byte, 200_000)
		for i := range b {
			b[i] = byte(rng.IntN(alphabet))
		}
		for n := 0; n < len(b); n += 1 + rng.IntN(5000) { // copies of all lengths, from all distances
			copy(b[n:min(len(b), n+rng.IntN(600))], b[rng.IntN(n+1):])
		}
		inputs = append(inputs, b)
	}
	for i, in := range inputs {
		z := pprofenc.Gzip(in)
		r, err := gzip.NewReader(bytes.NewReader(z))
		if err != nil {
			t.Fatal(err)
		}
		out, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(in, out) {
			t.Errorf("input %d: %d bytes come back as %d, %v", i, len(in), len(out), err)
		}
		if repeats := i == 3 || i == 4; repeats && len(z) > len(in)/50 { // a match of 258 bytes takes 3
			t.Errorf("input %d, which repeats itself: %d bytes are compressed to %d", i, len(in), len(z))
		}
	}
}

// FuzzEncode: for all names and numbers, pprof reads from a profile what was put into it,
// and decompression gives the data that was compressed.
func FuzzEncode(f *testing.F) {
	f.Add("m.f·p12", "/x.go", "12:5 if true", int64(7), int64(-1), uint8(3))
	f.Add("", "\x00\xff", "\n", int64(0), int64(-1<<63), uint8(200))
	f.Fuzz(func(t *testing.T, name, file, value string, count, line int64, n uint8) {
		p := pprofenc.New(pprofenc.ValueType{"paths", "count"}, pprofenc.ValueType{name, value})
		p.Comments = []string{value, name}
		p.Mapping = pprofenc.Mapping{File: file, BuildID: value}
		p.Period, p.PeriodType = count, pprofenc.ValueType{name, file}
		for i := range int64(n%8) + 1 {
			fn := p.Function(pprofenc.Function{Name: name, SystemName: value, Filename: file, StartLine: line ^ i})
			p.Sample([]uint64{p.Location(fn, line), p.Location(fn, i)}, []int64{count, i},
				p.Labels(pprofenc.Label{"path", value}))
		}
		raw := p.Encode()
		z, err := gzip.NewReader(bytes.NewReader(pprofenc.Gzip(raw)))
		if err != nil {
			t.Fatal(err)
		}
		if out, err := io.ReadAll(z); err != nil || !bytes.Equal(out, raw) {
			t.Fatalf("%d bytes come back as %d, %v", len(raw), len(out), err)
		}
		got, err := profile.ParseUncompressed(raw)
		if err == nil {
			err = got.CheckValid()
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Sample) != int(n%8)+1 || got.SampleType[1].Type != name || got.SampleType[1].Unit != value ||
			got.Mapping[0].File != file || got.Mapping[0].BuildID != value || got.Period != count ||
			got.PeriodType.Type != name {
			t.Fatalf("got %v", got)
		}
		for i, s := range got.Sample {
			at := s.Location[0].Line[0]
			if s.Value[0] != count || s.Value[1] != int64(i) || at.Line != line || at.Function.Name != name ||
				at.Function.SystemName != cmp.Or(value, name) ||
				at.Function.Filename != file || at.Function.StartLine != line^int64(i) || s.Location[1].Line[0].Line != int64(i) {
				t.Errorf("sample %d is %v", i, s)
			}
			if l := s.Label["path"]; value != "" && (len(l) != 1 || l[0] != value) {
				t.Errorf("sample %d: label %q, want %q", i, l, value)
			}
		}
	})
}
