package taps

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	labels "runtime/pprof"
	"slices"
	"strings"
	"testing"
	"unsafe"

	pprofile "github.com/google/pprof/profile"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/internal/mutant"
	"github.com/pepgo/pep/runtime/convert"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/pepfile/pepfiletest"
	"github.com/pepgo/pep/runtime/report"
	"github.com/pepgo/pep/runtime/sampler"
)

// Whatever one number of a .pep file is, its reader returns, with an error or with profiles in which no
// number is negative and no share is more than all. The test corrects the checksum of the header.
func TestDamagedFilesAreRead(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about 10 s")
	}
	t.Run("paths", func(t *testing.T) {
		here := golink.CodeOf(TestDamagedFilesAreRead)
		f := pepfiletest.Recorded(golink.TextStart(), here)
		for i := range uint64(40) { // in the log of bursts
			f.BeginBurst()
			for !f.Idle() {
				if take, _ := f.Poll(); take {
					f.LogSample(f.Add(&pepfile.Key{Path: uint32(i % 5), PC: uint32(here-golink.TextStart()) + uint32(i%5)}))
				}
			}
		}
		tryMutants(t, f, func(c convert.Counts) { plausible(t, c.Profile(nil, c.Build).Write()) })
	})
	t.Run("taps", func(t *testing.T) {
		f, table := tappedFile(t)
		n := 0
		tryMutants(t, f, func(c convert.Counts) {
			read := c.Taps()
			for _, w := range read.Words {
				if w.Count < 0 || w.Messages < 0 {
					t.Errorf("counts %+v", w)
				}
			}
			if n++; n%4 != 0 { // TapFiles reads all words once more
				return
			}
			lazy, _, err := wire.ReadLazy(table)
			if err != nil {
				t.Fatal(err)
			}
			plausible(t, c.TapFiles(&report.Profile{Packages: []*wire.Lazy{lazy}}))
		})
	})
}

// tryMutants calls read with mutants of a file that are not refused. Where the key of an entry or of a
// word has changed, it calls read once more, with the right hash.
func tryMutants(t *testing.T, f pepfile.Table, read func(c convert.Counts)) {
	f.Publish()
	file := pepfiletest.Bytes(f)
	c := countsOf(pepfile.File{Table: f, Size: uint64(len(file))})
	if problem := c.Check(); problem != "" {
		t.Fatal(problem)
	}
	var offsets []int
	for i := 0; i < len(file); i += 8 {
		if i < int(unsafe.Sizeof(pepfile.Header{})) || binary.LittleEndian.Uint64(file[i:]) != 0 {
			offsets = append(offsets, i)
		}
	}
	refused := 0
	try := func() {
		f.Publish()
		if c.Check() != "" {
			refused++
			return
		}
		read(c)
	}
	words := f.Words()
	mutant.Each(t, file, offsets, func(at int) {
		try()
		if i := (at - pepfile.PageSize) / int(unsafe.Sizeof(pepfile.Entry{})); at >= pepfile.PageSize && i < pepfile.Slots {
			e := f.Entry(uint32(i))
			was := e.Hash
			e.Hash = e.Key.Hash()
			try()
			e.Hash = was
		}
		if words.WordsHeader == nil {
			return
		}
		if i := (at - int(uintptr(unsafe.Pointer(words.Word(0)))-uintptr(unsafe.Pointer(f.Header)))) / int(
			unsafe.Sizeof(pepfile.Word{})); i >= 0 && i < pepfile.WordSlots {
			w := words.Word(uint64(i))
			k, was := w.Key(), w.Hash
			w.Hash = k.Hash()
			try()
			w.Hash = was
		}
	})
	if refused == 0 || refused > mutant.Number {
		t.Errorf("%d of %d mutants are refused", refused, mutant.Number)
	}
}

// plausible checks that pprof takes the files, and that no number in them is negative.
func plausible(t *testing.T, files []report.File) {
	for _, f := range files {
		p, err := pprofile.Parse(bytes.NewReader(f.Data))
		if err != nil {
			t.Errorf("%s: %v", f.Kind, err)
			continue
		}
		for _, s := range p.Sample {
			if slices.Min(s.Value) < 0 {
				t.Errorf("%s: values %d of %v", f.Kind, s.Value, s.Label)
			}
			for key, list := range s.NumLabel {
				if slices.Min(list) < 0 || s.NumUnit[key][0] == "ppm" && slices.Max(list) > 1e6 {
					t.Errorf("%s: %s is %d of %v", f.Kind, key, list, s.Label)
				}
			}
		}
		if p.Period < 0 {
			t.Errorf("%s: period %d", f.Kind, p.Period)
		}
	}
}

// tappedFile returns the table of a .pep file with words of goroutines with labels and without, and the site table of
// its taps.
func tappedFile(t *testing.T) (f pepfile.Table, table []byte) {
	opts, problem := options.Parse("", ParseEngine)
	if problem != "" {
		t.Fatal(problem)
	}
	f = pepfiletest.Tapped(1)
	f.Fill(opts)
	f.Text, f.Start = uint64(golink.TextStart()), 1e18
	words := f.Words()
	words.Exact = 1
	base := tuple.SiteBase("p")
	pkg := &wire.Package{Path: "p", Files: []string{"p.go"}, Taps: []wire.Tap{
		{Tag: uint8(tuple.Load), Func: "p.F", Line: 1, Expr: "x", Type: "float64", Bits: 64, Kind: wire.Float},
		{Tag: uint8(tuple.Arg), Func: "p.F", Line: 2, Expr: "y", Type: "int", Bits: 64, Kind: wire.Signed},
	}}
	for _, set := range []string{"", "1", "2", "3"} {
		number := uint16(0)
		if set != "" {
			labels.Do(context.Background(), labels.Labels("n", set), func(context.Context) {
				number = f.WordLabels((*golink.Labels)(golink.ProfLabels()))
			})
		}
		for j := range uint64(20) {
			for _, x := range []tuple.Tuple{
				tuple.New(tuple.Load, base, math.Float64bits(float64(j%5))), tuple.New(tuple.Arg, base+1, j%3),
			} {
				words.Add(pepfile.WordKey{PC: x.PC, W: x.W, Labels: number}, 1000+j, 0)
			}
		}
	}
	s := f.Stream(0)
	s.Fed, s.Dropped = 1000, 7
	s.Cache[3] = pepfile.Cached{PC: tuple.New(tuple.Arg, base+1, 0).PC, W: 9, Count: 5}
	return f, wire.AppendPackage(nil, pkg)
}

// FuzzOptions: the program understands the settings, or prints one line that says what is
// wrong.
func FuzzOptions(f *testing.F) {
	for _, s := range []string{
		"", "samples=64,stride=17,tick=10ms,ag=simplified", "ag=jikes,tick=2s",
		"engine=H[P256]2048+A16@seed=3,deliver=service",
		"taps=off,full=drop", "trace=a.trace", "deliver=ring", "samples=0", "engine=H[P256", "tick=99999999999999999ms",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		o, problem := options.Parse(s, ParseEngine)
		if problem != "" {
			if strings.Contains(problem, "\n") && !strings.Contains(s, "\n") {
				t.Errorf("%q: %q", s, problem)
			}
			return
		}
		if o.Samples == 0 || o.Stride == 0 || o.Stride > sampler.MaxStride || o.Tick < 100_000 || o.Form > sampler.AgJikes {
			t.Errorf("%q: %+v", s, o)
		}
	})
}
