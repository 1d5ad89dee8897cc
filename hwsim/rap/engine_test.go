package rap_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/hwsim/enginetest"
	"github.com/pepgo/pep/hwsim/tracetest"
)

func parse(t testing.TB, text string) *engines.Spec {
	t.Helper()
	s, err := engines.Parse(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// inside adds up the counts of the messages about ranges inside a range of a place: the
// estimate that software makes.
func inside(msgs []hwsim.Message, pc, lo, hi uint64) (n uint64) {
	for _, m := range msgs {
		if m.Tuple.PC == pc && lo <= m.Tuple.W && m.Tuple.W+(1<<m.Free-1) <= hi && m.Tuple.W+(1<<m.Free-1) >= m.Tuple.W {
			n += m.Count
		}
	}
	return n
}

// For every description, the messages are about ranges of the right words. Software
// that adds up their counts has an error of at most eps of all events.
func TestMessages(t *testing.T) {
	in := tracetest.New(3, 20).Events(make([]tuple.Tuple, 300_000))
	for i := range in {
		if i%3 == 0 {
			in[i] = tuple.New(tuple.Store, in[i].Site(), in[i].W)
		}
	}
	for _, text := range []string{
		"rap(5%)", "rap(5%,over=words)", "rap(5%,over=sites)", "rap(5%,over=words,buffer=256)",
		"rap(5%,over=values,buffer=16)", "rap(5%,over=sites,universe=2^60)",
	} {
		s := parse(t, text)
		e := s.New(0)
		msgs := append(enginetest.Push(e, in), enginetest.Flush(e)...)
		exact := map[tuple.Tuple]uint64{}
		for _, x := range in {
			v := s.View(x)
			exact[v]++
			if text == "rap(5%,over=words)" && v != tuple.New(x.Tag(), 0, x.W) || text == "rap(5%,over=sites)" &&
				v != tuple.New(x.Tag(), tuple.PoolSites, x.Site()) {
				t.Fatalf("%s: %v is seen as %v", text, x, v)
			}
		}
		if n := enginetest.Sum(msgs); n != uint64(len(in)) {
			t.Errorf("%s: %d events in messages, of %d", text, n, len(in))
		}
		worst := int64(0)
		for x, n := range exact {
			off := int64(n) - int64(inside(msgs, x.PC, x.W, x.W))
			if off < 0 {
				t.Fatalf("%s: %v has %d events, messages say %d more", text, x, n, -off)
			}
			worst = max(worst, off)
		}
		if share := float64(worst) / float64(len(in)); share > 0.05 {
			t.Errorf("%s: %.2f %% off", text, 100*share)
		}
	}
}

// Behind a sampler, the samples are weighted points. The tree's error for a range is
// then at most the error of the samples plus the bound of the tree. The test prints the
// worst error of each of the two, and of both together.
func TestRAP30_ErrorsOfSamplerAndTreeAddUp(t *testing.T) {
	in := tracetest.New(4, 20).Events(make([]tuple.Tuple, 400_000))
	for _, sampler := range []string{"H[P16]256", "H[P64]256", "P64", "R64", "CR16"} {
		front, chain, tree := parse(t, sampler).New(0), parse(t, "strat("+sampler+"):rap(2%,over=words)").New(0),
			parse(t, "rap(2%,over=words)").New(0)
		samples := append(enginetest.Push(front, in), enginetest.Flush(front)...)
		msgs := append(enginetest.Push(chain, in), enginetest.Flush(chain)...)
		alone := append(enginetest.Push(tree, in), enginetest.Flush(tree)...)
		n := enginetest.Sum(samples)
		if sum := enginetest.Sum(msgs); sum != n {
			t.Errorf("%s: the samples stand for %d events, the ranges for %d", sampler, n, sum)
		}
		pc := tuple.New(tuple.Load, 0, 0).PC
		truths, sampledOf := map[uint64]int64{}, map[uint64]int64{}
		for _, x := range in {
			truths[x.W]++
		}
		for _, m := range samples {
			sampledOf[m.Tuple.W] += int64(m.Count)
		}
		ranges := map[[2]uint64]bool{}
		for i, w := range slices.Sorted(maps.Keys(truths)) {
			for shift := 0; shift <= 40 && i%(1+len(truths)/100) == 0; shift += 8 {
				ranges[[2]uint64{w >> shift << shift, w>>shift<<shift + 1<<shift - 1}] = true
			}
		}
		var ofSampler, ofTree, ofBoth float64
		bound := int64(0.02*float64(n)) + 32*2
		for r := range ranges {
			var truth, sampled int64
			for w, n := range truths {
				if r[0] <= w && w <= r[1] {
					truth += n
					sampled += sampledOf[w]
				}
			}
			both, one := int64(inside(msgs, pc, r[0], r[1])), int64(inside(alone, pc, r[0], r[1]))
			if both > sampled || sampled-both > bound {
				t.Fatalf("%s: samples say that %#x has %d events, ranges %d: bound %d", sampler, r, sampled, both, bound)
			}
			ofSampler = max(ofSampler, math.Abs(float64(truth-sampled)))
			ofTree = max(ofTree, float64(truth-one))
			ofBoth = max(ofBoth, math.Abs(float64(truth-both)))
		}
		if ofBoth > ofSampler+float64(bound) {
			t.Errorf("%s: %v events off, the samples alone %v, the bound of the tree is %d", sampler, ofBoth, ofSampler, bound)
		}
		share := 100 / float64(len(in))
		t.Logf("%-12s messages 1 of %.0f; worst error of a range, %% of the stream: sampler %.2f, tree %.2f, both %.2f",
			sampler, float64(len(in))/float64(len(samples)), share*ofSampler, share*ofTree, share*ofBoth)
	}
}

func TestPlacesWithoutSpace(t *testing.T) {
	e := parse(t, "rap(10%,places=3)").New(0)
	var in []tuple.Tuple
	for i := range uint64(10_000) {
		in = append(in, tuple.New(tuple.Load, 1+i%5, i))
	}
	enginetest.Push(e, in)
	if b := e.Balance(); b.Held != 6000 || b.Dropped != 4000 {
		t.Errorf("%+v, want 6000 events of 3 places held", b)
	}
	other := parse(t, "rap(10%,places=3)").New(1)
	enginetest.Push(other, []tuple.Tuple{tuple.New(tuple.Load, 1, 7), tuple.New(tuple.Load, 77, 7),
		tuple.New(tuple.Load, 78, 7)})
	if e.(hwsim.Merger).Merge(other) {
		t.Error("the merge says that it is exact")
	}
	if b := e.Balance(); b.Held != 6001 || b.Dropped != 4002 {
		t.Errorf("%+v after a merge, want 6001 held and 4002 dropped", b)
	}
	e = parse(t, "rap(universe=16)").New(0)
	enginetest.Push(e, []tuple.Tuple{tuple.New(tuple.Load, 1, 15), tuple.New(tuple.Load, 1, 16)})
	if b := e.Balance(); b.Held != 1 || b.Dropped != 1 {
		t.Errorf("%+v, want 1 point outside of the universe dropped", b)
	}
}

func TestDescriptions(t *testing.T) {
	for text, want := range map[string]string{
		"rap":                     "rap",
		"rap()":                   "rap",
		"rap(1%,4,values)":        "rap",
		"rap(0.01)":               "rap",
		"rap(eps=0.125)":          "rap(eps=12.5%)",
		"rap(eps=0.000000001)":    "rap(eps=0.0000001%)",
		"rap(eps=99.9999999%)":    "rap(eps=99.9999999%)",
		"rap(universe=1024)":      "rap(universe=2^10)",
		"rap(universe=2^64)":      "rap",
		"rap(merge=growing,q=2)":  "rap",
		"rap(buffer=1024,b=2)":    "rap(b=2,buffer=1024)",
		"rap(over=sites,nodes=9)": "rap(over=sites,nodes=9)",
	} {
		if got := parse(t, text).String(); got != want {
			t.Errorf("%s is written %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"rap(eps=0)":                       "column 9: want an error above 0 and below 1, such as 1% or 0.01, with at most 9 digits after the point",
		"rap(100%)":                        "column 5: want an error above 0 and below 1",
		"rap(1)":                           "column 5: want an error above 0",
		"rap(b=2,eps=-1%)":                 "column 13: want an error above 0",
		"rap(eps=1e-3)":                    "column 9: want an error above 0",
		"rap(eps=%)":                       "column 9: want an error above 0",
		"rap(eps=0.0000000001)":            "column 9: want an error above 0",
		"rap(eps=1.1.1)":                   "column 9: want an error above 0",
		"rap(eps=99999999999999999999999)": "column 9: want an error above 0",
		"rap(universe=1000)":               "column 14: want a power of two from 2 to 2^64, such as 2^40 or 256",
		"rap(universe=2^65)":               "column 14: want a power of two from 2 to 2^64",
		"rap(universe=2^0)":                "column 14: want a power of two from 2 to 2^64",
		"rap(universe=1)":                  "column 14: want a power of two from 2 to 2^64",
		"rap(b=3)":                         "column 7: want a power of two from 2 to 256",
		"rap(b=1)":                         "column 7: want a number from 2 to 256",
		"rap(b=512)":                       "column 7: want a number from 2 to 256",
		"rap(over=tags)":                   "column 10: want one of values, words, sites",
		"rap(policy=none)":                 "column 12: want one of internal, leaf, subtree",
		"rap(merge=never)":                 "column 11: want one of growing, periodic, continuous",
		"rap(height=3)":                    "column 12: want one of log2, logb",
		"rap(b=8,nodes=8)":                 "column 15: want a number from 9 to 33554432",
		"rap(buffer=1)":                    "column 12: want a power of two from 2 to 1048576",
		"rap(buffer=100)":                  "column 12: want a power of two from 2 to 1048576",
		"rap(q=1)":                         "column 7: want a number from 2 to 1048576",
		"rap:A4":                           "column 4: want the end: rap sends ranges, which no other engine takes",
	} {
		_, err := engines.Parse(text, nil)
		if full := fmt.Sprintf("engine %s, %s", text, want); err == nil ||
			err.Error()[:min(len(full), len(err.Error()))] != full {
			t.Errorf("%s:\ngot  %v\nwant %s", text, err, full)
		}
	}
}

// Descriptions state the right sizes.
func TestSizes(t *testing.T) {
	got := parse(t, "rap(over=words,nodes=4096,buffer=1024)").Size(36)
	want := []hwsim.Part{{Name: "rap buffer", Entries: 1024, Bits: 44}, {Name: "rap TCAM", Entries: 4096, Bits: 36},
		{Name: "rap counters", Entries: 4096, Bits: 32}}
	if len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A tree allocates all its memory before the first event. So a program that makes a
// tree for each P needs no more memory later.
func TestMemoryDoesNotGrow(t *testing.T) {
	for _, text := range []string{"rap", "rap(10%,over=words)", "rap(over=sites,buffer=64)", "rap(1%,nodes=100)"} {
		e := parse(t, text).New(0)
		in := make([]tuple.Tuple, 1000)
		x := uint64(1)
		out := hwsim.NewOut(1, func([]hwsim.Message) {})
		if n := testing.AllocsPerRun(100, func() {
			for i := range in {
				x = x*6364136223846793005 + 1442695040888963407
				in[i] = tuple.New(tuple.Load, 100+x>>60, x>>(x>>58&31))
			}
			e.Push(in, out)
		}); n != 0 {
			t.Errorf("%s: %.1f allocations for 1000 events", text, n)
		}
		if b := e.Balance(); b.Held != 101_000 {
			t.Errorf("%s: %+v after 101,000 events", text, b)
		}
	}
}
