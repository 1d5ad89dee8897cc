package taps

import (
	"bytes"
	"encoding/binary"
	"math"
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
				for _, b := range []*report.Bounds{&w.Bounds, w.Whole} {
					if b != nil && !(b.CountError >= 0 && b.CountError <= math.MaxFloat64 && b.ShareError >= 0 && b.ShareError <= 1 && b.ShareBelow >= 0 && b.ShareBelow <= 1) {
						t.Errorf("bounds %+v of %+v", b, w)
					}
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
		if i := (at - int(uintptr(unsafe.Pointer(words.Word(0)))-uintptr(unsafe.Pointer(f.Header)))) / int(unsafe.Sizeof(pepfile.Word{})); i >= 0 && i < pepfile.WordSlots {
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

// tappedFile returns the table of a .pep file with words from bursts, and the site table of its taps.
func tappedFile(t *testing.T) (f pepfile.Table, table []byte) {
	opts, problem := options.Parse("taps=burst", ParseEngine)
	if problem != "" {
		t.Fatal(problem)
	}
	f = pepfiletest.Tapped(1)
	f.Fill(opts)
	f.Text, f.Start = uint64(golink.TextStart()), 1e18
	numbers := [...]uint16{numberOfSet(f, 1), numberOfSet(f, 2), numberOfSet(f, 3)}
	wordTable = f.Words()
	defer func() { wordTable = pepfile.Words{} }()
	wordTable.Exact, wordTable.Taps = 1, options.TapsBurst
	base := tuple.SiteBase("p")
	pkg := &wire.Package{Path: "p", Files: []string{"p.go"}, Taps: []wire.Tap{
		{Tag: uint8(tuple.Load), Func: "p.F", Line: 1, Expr: "x", Type: "float64", Bits: 64, Kind: wire.Float},
		{Tag: uint8(tuple.Arg), Func: "p.F", Line: 2, Expr: "y", Type: "int", Bits: 64, Kind: wire.Signed},
	}}
	foldWindows(64, 40, func(i int) (lists map[uint16][]tuple.Tuple, ns uint64) {
		lists = map[uint16][]tuple.Tuple{}
		for j := range uint64(200) {
			n := numbers[j%uint64(1+i%3)]
			lists[n] = append(lists[n], tuple.New(tuple.Load, base, math.Float64bits(float64(j%5))), tuple.New(tuple.Arg, base+1, j%3))
		}
		return lists, 100_000
	})
	s := f.Stream(0)
	s.Fed, s.Dropped = 1000, 7
	s.Cache[3] = pepfile.Cached{PC: tuple.New(tuple.Arg, base+1, 0).PC, W: 9, Count: 5}
	return f, wire.AppendPackage(nil, pkg)
}

// Words whose bounds cannot be right are left out, and the comment says so; the others keep their bounds.
func TestDamagedBoundsAreSaid(t *testing.T) {
	f, _ := tappedFile(t)
	c, a := countsOf(pepfile.File{Table: f}), f.Words()
	before := c.Taps()
	if strings.Contains(before.Facts().Sentences()[0], "damaged") {
		t.Fatal(before.Facts().Sentences()[0])
	}
	for i := range uint64(pepfile.WordSlots) {
		w := a.Word(i)
		if w.Hash == 0 || w.PC&pepfile.SiteBit != 0 || w.Key().Labels == pepfile.AllLabels {
			continue
		}
		m := a.Moments(w)
		for _, x := range []*float64{&m.Squares, &m.Cross, &m.Slack} {
			was := *x
			for _, *x = range []float64{math.Inf(1), math.Inf(-1), math.NaN(), -1, 1e200} {
				after := c.Taps()
				if len(after.Words) != len(before.Words)-1 || !strings.Contains(after.Facts().Sentences()[0], ", damaged: 1 entries") {
					t.Errorf("%g: %d of %d words, %s", *x, len(after.Words), len(before.Words), after.Facts().Sentences()[0])
				}
			}
			*x = was
		}
		break
	}
	for _, a.Burst.Heaviest = range []float64{math.Inf(1), math.NaN(), -1, 1e200} {
		if s := c.Taps().Facts().Sentences()[0]; !strings.Contains(s, ", damaged: 1 counters") || strings.Contains(s, "what is not listed") {
			t.Errorf("%g: %s", a.Burst.Heaviest, s)
		}
	}
}

// FuzzOptions: the program understands the settings, or prints one line that says what is
// wrong.
func FuzzOptions(f *testing.F) {
	for _, s := range []string{
		"", "samples=64,stride=17,tick=10ms,ag=simplified", "ag=jikes,tick=2s", "engine=H[P256]2048+A16@seed=3,deliver=service",
		"taps=burst,full=drop", "trace=a.trace", "deliver=ring", "samples=0", "engine=H[P256", "tick=99999999999999999ms",
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
