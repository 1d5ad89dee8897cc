package pprofenc_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/pepgo/pep/runtime/pprofenc"
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
		"1: 0x0 M=1 m.(*T).f·p12 /x.go:9:0 s=3(m.(*T).f)",
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

func TestGzipIsUndoneByGunzip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	inputs := [][]byte{nil, {7}, []byte("abcabcabcabcabc"), bytes.Repeat([]byte{0}, 100_000), bytes.Repeat([]byte("go/types.(*Checker).expr\x00\xff"), 3000)}
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
		t.Logf("input %d: %d bytes -> %d", i, len(in), len(z))
	}
}
