package rapfigures

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/figure/figuretest"
)

// said checks which of some verdicts a reason has; want is one of them for each number that is planted.
func said(t *testing.T, name, reason string, verdicts []string, want ...string) {
	t.Helper()
	for _, v := range verdicts {
		has := strings.Contains(reason, v+".") || strings.Contains(reason, v+":")
		if wants := slices.Contains(want, v); has != wants {
			t.Errorf("%s: says %q: %t, want %t, in\n%s", name, v, has, wants, reason)
		}
	}
}

// Programs with more code combine fewer events, and then more, and then the same.
func TestWhyBuffer(t *testing.T) {
	size := []string{"so the size of the executed code is not shown to be why",
		"so the size of the executed code is why: the more there is, the fewer events are combined"}
	for _, c := range []struct {
		name     string
		combined func(i int) float64 // with 1024 entries; n entries combine n/1024 of that
		want     string
	}{
		{"less", func(i int) float64 { return float64(100 - 10*i) }, size[1]},
		{"more", func(i int) float64 { return float64(10 + 10*i) }, size[0]},
		{"hardly less", func(i int) float64 { return float64(30 - i*7%10) }, size[0]},
	} {
		m := &figure.Measured{}
		for i, p := range figure.Programs {
			m.Add(p.Name+"/blocks/pipeline/rules/1%/combined", c.combined(i))
			m.Add(p.Name+"/blocks/busy", float64(1000+i))
			for _, n := range bufferSizes {
				m.Add(fmt.Sprintf("%s/blocks/buffer/%d", p.Name, n), c.combined(i)*float64(n)/1024)
			}
		}
		said(t, c.name, whyBuffer(m), size, c.want)
		for i, p := range figure.Programs {
			if got, want := entriesFor(m, p.Name, 5), 5*1024/c.combined(i); !figuretest.Near(got, want, 1e-4) {
				t.Errorf("%s: %s combines 5 events with %v entries, want %v", c.name, p.Name, got, want)
			}
		}
		if got := entriesFor(m, figure.Programs[0].Name, 1e6); !math.IsNaN(got) {
			t.Errorf("%s: a million events are combined with %v entries", c.name, got)
		}
	}
}

func TestWhyTop(t *testing.T) {
	verdicts := func(change string) []string {
		return []string{"so " + change + " are not why", "so " + change + " are why a single value has less",
			"so " + change + " are why a single value has less in most of the others"}
	}
	narrow, piece := verdicts("addresses"), verdicts("long streams")
	length := []string{"so the length of a stream is not why 50 values have more",
		"so 50 values have less the longer a stream is"}
	mixture := []string{"so it is not why that ours are single programs",
		"so they have as much as in the paper if more code loads them"}
	always, some := figuretest.Always, figuretest.Some
	for _, c := range []struct {
		name                 string
		first, narrow, piece func(i int) []float64
		pieces, fifty, mixed float64
		want                 []string
	}{
		{"all", always(10), always(25), always(10), 80, 60, 41, []string{narrow[1], piece[0], length[1], mixture[1]}},
		{"most", always(10), some(6, 25, 10), always(25), 76, 60, 31, []string{narrow[2], piece[1], length[1], mixture[0]}},
		{"half", always(10), some(5, 25, 10), some(6, 25, 10), 74, 60, 55,
			[]string{narrow[0], piece[2], length[0], mixture[0]}},
		{"none", always(25), always(25), always(25), 60, 60, 60, []string{narrow[0], piece[0], length[0], mixture[0]}},
		{"too much", always(25), always(60), always(60), 50, 60, 70, []string{narrow[0], piece[0], length[0], mixture[0]}},
	} {
		m := &figure.Measured{}
		for i, p := range figure.Programs {
			m.Add(p.Name+"/loads/first", c.first(i)...)
			m.Add(p.Name+"/loads/narrow-first", c.narrow(i)...)
			m.Add(p.Name+"/loads/piece-first", c.piece(i)...)
			m.Add(p.Name+"/loads/fifty", c.fifty)
			m.Add(p.Name+"/loads/piece-fifty", c.pieces)
		}
		m.Add("mixed/fifty", c.mixed)
		said(t, c.name, whyTop(m), slices.Concat(narrow, piece, length, mixture), c.want...)
	}
}

func TestWhyMisses(t *testing.T) {
	cache := []string{"so the cache is not why"}
	share := []string{"so the share is that of programs whose misses load so many small numbers",
		"so small numbers are not shown to be why the share differs"}
	local := []string{"so misses have more locality in programs in which more of them load small numbers",
		"so small numbers are not shown to be why locality differs"}
	up := func(i int) float64 { return float64(20 + 5*i) }
	down := func(i int) float64 { return float64(70 - 5*i) }
	none := func(i int) float64 { return float64(50 + i*7%10) }
	for _, c := range []struct {
		name   string
		misses func(i int) float64 // covered; small numbers are up
		other  []float64           // covered of misses of other caches
		want   []string
		text   string
	}{
		{"small numbers", up, []float64{80, 90, 30}, []string{cache[0], share[0], local[0]}, ""},
		{"the reverse", down, []float64{80, 56, 30}, []string{share[1], local[1]},
			"so the share agrees with " + otherCaches[1] + ", and misses have more locality with none"},
		{"no order", none, []float64{30, 30, 40.5}, []string{share[1], local[1]},
			"so the share agrees with none, and misses have more locality with " + otherCaches[2]},
	} {
		m := &figure.Measured{}
		for i, p := range figure.Programs {
			name, loads := p.Name+"/pairs/rules", 100.0
			if c.name == "no order" {
				loads = 40
			}
			m.Add(name+"/loads", loads)
			m.Add(name+"/dl1", c.misses(i))
			m.Add(name+"/dl2", 50)
			m.Add(name+"/small/loads", 50)
			m.Add(name+"/small/dl1", up(i))
			for k, x := range c.other {
				m.Add(name+"/"+otherCaches[k], x)
			}
		}
		m.Set(figure.Programs[9].Name+"/pairs/rules/dl1", math.NaN()) // too few misses: small numbers of it count for nothing
		m.Set(figure.Programs[9].Name+"/pairs/rules/small/dl1", 1000)
		reason := whyMisses(m)
		said(t, c.name, reason, slices.Concat(cache, share, local), c.want...)
		if !strings.Contains(reason, c.text) {
			t.Errorf("%s: does not say %q:\n%s", c.name, c.text, reason)
		}
	}
}

// Of 100 loads 40 are of the value 5, and each of the others is of an address of its own.
func TestMeasureFrequent(t *testing.T) {
	var points []uint64
	for i := range uint64(60) {
		points = append(points, 1<<40+i)
	}
	points = append(points, slices.Repeat([]uint64{5}, 40)...)
	m := &figure.Measured{}
	measureFrequent(m, "x", points)
	for name, want := range map[string]float64{"first": 40, "fifty": 40 + 49, "narrow-first": 100,
		"piece-first": 40, "piece-fifty": 89} {
		if got := m.First("x", name); !figuretest.Near(got, want, 1e-6) {
			t.Errorf("%s: %v %%, want %v", name, got, want)
		}
	}
	measureFrequent(m, "y", slices.Repeat(points, pieceOfLoads/len(points)*2)) // the second piece is like the first
	if whole, piece := m.First("y/fifty"), m.First("y/piece-fifty"); !figuretest.Near(piece, whole, 0.01) {
		t.Errorf("fifty values: %v %% of all, %v %% of pieces", whole, piece)
	}
}

// A loop of 100 blocks, 50 times: none comes again while one of at most 64 entries waits, and in 1024 entries all
// rounds are combined.
func TestMeasureBuffers(t *testing.T) {
	var points []uint64
	for i := range uint64(5000) {
		points = append(points, 0x400000+i%100*16)
	}
	m := &figure.Measured{}
	if err := measureBuffers(m, "x", points); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{"buffer/16": 1, "buffer/64": 1, "buffer/1024": 50, "buffer/4096": 50,
		"busy": 99} {
		if got := m.First("x", name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
