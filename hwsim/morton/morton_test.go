package morton_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/box"
	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/hwsim/enginetest"
	"github.com/pepgo/pep/hwsim/metric"
)

func parse(t testing.TB, text string) hwsim.Engine {
	t.Helper()
	s, err := engines.Parse(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s.New(0)
}

// A point has two numbers.
type point struct{ x, y uint64 }

// pairs returns points as loads with a value and an address.
func pairs(points []point) (list []tuple.Tuple) {
	for _, p := range points {
		list = append(list, tuple.New(tuple.Load, 9, p.x), tuple.New(tuple.More, 9, p.y))
	}
	return list
}

// streams of points with numbers of at most so many bits: edges from few sources to few
// destinations, skewed; uniform points, of which every second one is the same in the second
// half; points along a diagonal.
var streams = map[string]func(r *rand.Rand, xbits, ybits, n int) []point{
	"edges": func(r *rand.Rand, xbits, ybits, n int) (list []point) {
		zipf := rand.NewZipf(r, 1.3, 1, 2000)
		edges := make([]point, 2001)
		for i := range edges {
			edges[i] = point{r.Uint64() >> (64 - xbits), r.Uint64() >> (64 - ybits)}
		}
		for range n {
			list = append(list, edges[zipf.Uint64()])
		}
		return list
	},
	"two phases": func(r *rand.Rand, xbits, ybits, n int) (list []point) {
		for i := range n {
			p := point{r.Uint64() >> (64 - xbits), r.Uint64() >> (64 - ybits)}
			if i > n/2 && i%2 == 0 {
				p = point{1<<xbits - 2, 1 << (ybits - 1)}
			}
			list = append(list, p)
		}
		return list
	},
	"diagonal": func(r *rand.Rand, xbits, ybits, n int) (list []point) {
		bits := min(xbits, ybits)
		for range n {
			x := r.Uint64() >> (64 - bits)
			list = append(list, point{x, x ^ uint64(r.IntN(4))&(1<<bits-1)})
		}
		return list
	},
}

// RAP-28: every estimate is a lower bound, and the error of a box of the tree within the
// bound; no event is lost. Exact counts are the oracle, and the bound is computed here.
func TestRAP28_EstimatesOfBoxes(t *testing.T) {
	for name, stream := range streams {
		for _, bits := range [][2]int{{16, 16}, {32, 32}, {8, 24}, {40, 20}} {
			for seed := range uint64(2) {
				points := stream(rand.New(rand.NewPCG(seed, 28)), bits[0], bits[1], 20_000)
				checkBoxes(t, fmt.Sprintf("%s, %d bits, seed %d", name, bits, seed), points, bits[0], bits[1], 50)
			}
		}
	}
}

// checkBoxes checks the tree of some points, with an eps of 1/inverse.
func checkBoxes(t *testing.T, name string, points []point, xbits, ybits int, inverse uint64) {
	t.Helper()
	shape := box.New(xbits, ybits)
	total := uint64(xbits + ybits)
	e := parse(t, fmt.Sprintf("morton(first=0..%d,second=0..%d):rap(%.7f%%,b=4,over=words,universe=2^%d)", xbits-1,
		ybits-1, 100/float64(inverse), total))
	msgs := append(enginetest.Push(e, pairs(points)), enginetest.Flush(e)...)
	n := uint64(len(points))
	if got := enginetest.Sum(msgs); got != n {
		t.Errorf("%s: %d events in boxes, of %d", name, got, n)
	}
	// 2·log2(R)/eps·… boxes after a merge, and four for each split since: see
	// docs/decisions/0016-rap.md.
	depth := (total + 1) / 2
	if most := 4*depth*inverse + 4*total*inverse; uint64(len(msgs)) > most {
		t.Errorf("%s: %d boxes, want at most %d", name, len(msgs), most)
	}
	bound := depth*n/(inverse*total) + depth*(1024/(inverse*total)+2)
	counts := map[point]uint64{}
	for _, p := range points {
		counts[p]++
	}
	check := func(b []box.Span) {
		truth := uint64(0)
		for p, c := range counts {
			if b[0].Lo <= p.x && p.x <= b[0].Hi && b[1].Lo <= p.y && p.y <= b[1].Hi {
				truth += c
			}
		}
		least, most := shape.Estimate(msgs, b)
		if least > truth || truth > most || truth-least > bound {
			t.Fatalf("%s: %x has %d events, the estimate is %d to %d, the bound of the error %d", name, b, truth, least, most,
				bound)
		}
	}
	tried := 0
	for p := range counts {
		if tried++; tried > 4 {
			break
		}
		for cut := 0; cut <= max(xbits, ybits); cut++ { // boxes that all splits make, from points to everything
			x, y := max(0, xbits-cut), max(0, ybits-cut)
			check([]box.Span{{Lo: p.x >> x << x, Hi: p.x>>x<<x + 1<<x - 1}, {Lo: p.y >> y << y, Hi: p.y>>y<<y + 1<<y - 1}})
		}
	}
	for _, m := range msgs[:min(len(msgs), 100)] {
		check(shape.Box(m.Tuple.W, m.Free))
	}
}

func FuzzRAP28_Boxes(f *testing.F) {
	for seed := range uint64(3) {
		f.Add(seed, uint8(16), uint8(16), uint8(20), []byte("abcdefgh"))
	}
	f.Add(uint64(9), uint8(3), uint8(60), uint8(3), []byte{})
	f.Fuzz(func(t *testing.T, seed uint64, xbits, ybits, inverse uint8, hot []byte) {
		x, y := 1+int(xbits%32), 1+int(ybits%32)
		if inverse < 2 {
			t.Skip("eps must be below 1")
		}
		r := rand.New(rand.NewPCG(seed, 3))
		var points []point
		for range 3000 {
			p := point{r.Uint64() >> (64 - x), r.Uint64() >> (64 - y)}
			if len(hot) > 0 && r.IntN(3) > 0 {
				h := uint64(hot[len(points)*len(hot)/3000]) * 0x9E3779B97F4A7C15
				p = point{h >> (64 - x), h << 7 >> (64 - y)}
			}
			points = append(points, p)
		}
		checkBoxes(t, "fuzz", points, x, y, uint64(inverse))
	})
}

// RAP-29: the boxes of the tree of ranges are those of a native tree of two dimensions, with
// the same counts after any number of events; and so are the hot ones.
func TestRAP29_BoxesAreThoseOfANativeTree(t *testing.T) {
	for name, stream := range streams {
		for _, bits := range []int{8, 20, 32} {
			for _, inverse := range []uint64{10, 100} {
				points := stream(rand.New(rand.NewPCG(uint64(bits), 29)), bits, bits, 12_000)
				name := fmt.Sprintf("%s, %d bits, eps 1/%d", name, bits, inverse)
				tree := newNative(bits, inverse)
				e := parse(t, fmt.Sprintf("morton(first=0..%d,second=0..%d):rap(%g%%,b=4,over=words,universe=2^%d)", bits-1, bits-1,
					100/float64(inverse), 2*bits))
				for i, p := range points {
					// The engine counts a sample when the next begins.
					enginetest.Push(e, pairs([]point{p}))
					if i%4999 == 4998 { // merges are long ago, or not
						checkNative(t, fmt.Sprintf("%s, %d events", name, i), tree, bits, snapshot(e))
					}
					tree.add(p.x, p.y)
				}
				checkNative(t, name, tree, bits, enginetest.Flush(e))
			}
		}
	}
}

func snapshot(e hwsim.Engine) (msgs []hwsim.Message) {
	out := hwsim.NewOut(512, func(m []hwsim.Message) { msgs = append(msgs, m...) })
	engines.Snapshot(e, out)
	out.Drain()
	return msgs
}

// checkNative compares messages about words of two numbers with a native tree.
func checkNative(t *testing.T, name string, tree *native, bits int, msgs []hwsim.Message) {
	t.Helper()
	shape := box.New(bits, bits)
	squareOf := func(m hwsim.Message) square {
		b, k := shape.Box(m.Tuple.W, m.Free), int(m.Free)/2
		return square{k, b[0].Lo >> k, b[1].Lo >> k}
	}
	got, want := map[square]uint64{}, map[square]uint64{}
	for _, m := range msgs {
		got[squareOf(m)] += m.Count
	}
	for s, c := range tree.counts {
		if c > 0 {
			want[s] = c
		}
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(square{})); d != "" {
		t.Fatalf("%s: boxes -native +morton:\n%s", name, d)
	}
	hots := map[square]uint64{}
	for _, r := range metric.Hot(msgs, 0.1) {
		hots[squareOf(r.Message)] = r.Weight
	}
	if d := cmp.Diff(tree.hot(10), hots, cmp.AllowUnexported(square{})); d != "" || len(hots) == 0 {
		t.Fatalf("%s: hot boxes -native +morton:\n%s", name, d)
	}
}

// What does not fit is dropped and counted, and so is what lacks a word.
func TestRAP28_NothingIsTruncatedInSilence(t *testing.T) {
	load := func(site, value, addr uint64) []tuple.Tuple {
		return []tuple.Tuple{tuple.New(tuple.Load, site, value), tuple.New(tuple.More, site, addr)}
	}
	in := slices.Concat(load(3, 0xff, 0xf0), load(3, 0x100, 0xf0), load(3, 0x0f, 0x10f), load(3, 1, 0x1f0),
		[]tuple.Tuple{tuple.New(tuple.Load, 3, 1)}, load(1<<20, 1, 0x0f))
	e := parse(t, "morton(first=0..7,second=4..7)")
	got := append(enginetest.Push(e, in), enginetest.Flush(e)...)
	shape := box.New(8, 4)
	want := []hwsim.Message{{Tuple: tuple.New(tuple.Load, 3, shape.Join([]uint64{0xff, 0xf})), Count: 1},
		{Tuple: tuple.New(tuple.Load, 1<<20, shape.Join([]uint64{1, 0})), Count: 1}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	e = parse(t, "morton(site=0..7,first=0..7,second=0..7)")
	enginetest.Push(e, in)
	if b := e.Balance(); b != (hwsim.Balance{Held: 2, Dropped: 8}) {
		t.Errorf("%+v, want one event sent, for the first sample, and the last sample held", b)
	}
}

func TestErrors(t *testing.T) {
	const bits = "the lowest and the highest bit, such as 0..31, in words up to 63 and in sites up to 55"
	for text, want := range map[string]struct {
		column int
		want   string
	}{
		"morton":              {7, "the bits of two numbers or more, such as site=0..23,first=0..31"},
		"morton()":            {8, "the bits of two numbers or more, such as site=0..23,first=0..31"},
		"morton(first=0..31)": {14, "the bits of a second number beside, such as site=0..31"},
		"morton(site=0..31)":  {13, "the bits of a second number beside, such as first=0..31"},
		"morton(site=0..31,first=0..47)": {25,
			"at most 32 bits, for 64 together; 4..47 takes an address in steps of 16 bytes"},
		"morton(site=0..56,first=0..1)":      {13, bits},
		"morton(first=0..64,second=0..1)":    {14, bits},
		"morton(first=5..4,second=0..1)":     {14, bits},
		"morton(first=8,second=0..1)":        {14, bits},
		"morton(first=0..1,word=0..1)":       {19, "one of site, first, second, third"},
		"morton(site=0..31,first=0..31):rap": {},
	} {
		_, err := engines.Parse(text, nil)
		e, _ := errors.AsType[*hwsim.SyntaxError](err)
		if want.column == 0 && err != nil || want.column > 0 && (e == nil || e.Column != want.column || e.Want != want.want) {
			t.Errorf("%s: %v, want column %d: %s", text, err, want.column, want.want)
		}
	}
}
