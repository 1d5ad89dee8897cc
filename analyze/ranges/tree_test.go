package ranges_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/ranges"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/hwsim/enginetest"
)

// The bounds of every range that the engine sends are what its messages say, one by one, and the
// true number is within them.
func TestBoundsOfTheEngine(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(r, 1.2, 1, 1<<40)
	for _, text := range []string{"rap(5%,universe=2^16)", "rap(5%,universe=2^41)", "rap(5%)"} {
		spec, err := engines.Parse(text, nil)
		if err != nil {
			t.Fatal(err)
		}
		var in []tuple.Tuple
		for range 20_000 {
			in = append(in, tuple.New(tuple.Load, 7, zipf.Uint64()*0x9e3779b9%(1<<16)))
		}
		e := spec.New(0)
		msgs := append(enginetest.Push(e, in), enginetest.Flush(e)...)
		var s profile.Seen
		for _, m := range msgs {
			mask := uint64(1)<<m.Free - 1
			s.Words = append(s.Words, profile.Word{Range: &profile.Range{First: m.Tuple.W, Last: m.Tuple.W | mask},
				Count: int64(m.Count)})
			s.Count += int64(m.Count)
		}
		r.Shuffle(len(s.Words), func(i, j int) { s.Words[i], s.Words[j] = s.Words[j], s.Words[i] })
		tree := ranges.Of(s)
		nodes, worst := 0, int64(0)
		tree.Walk(func(n *ranges.Node, _ int) bool {
			if n.Word != nil {
				nodes++
			}
			var least, most, exact int64
			for _, w := range s.Words {
				inside := n.First <= w.Range.First && w.Range.Last <= n.Last
				if inside {
					least += w.Count
				}
				if inside || w.Range.First <= n.First && n.Last <= w.Range.Last {
					most += w.Count
				}
			}
			for _, x := range in {
				if n.First <= x.W && x.W <= n.Last {
					exact++
				}
			}
			if n.Least != least || n.Most != most || exact < least || exact > most {
				t.Fatalf("%s: %+v: least %d, most %d, in fact %d", text, n, least, most, exact)
			}
			worst = max(worst, exact-least)
			return true
		})
		if nodes != len(msgs) || tree.Nodes != nodes || worst > tree.Worst || worst == 0 {
			t.Errorf("%s: %d nodes of %d messages, an error of %d, %d at most", text, nodes, len(msgs), worst, tree.Worst)
		}
	}
}

// All aligned ranges of a small universe, one by one: which are hot, and which cover a share, is
// what the definitions say, although the tree has few of the ranges.
func TestHotRangesOfAllThatThereAre(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const bits = 8
	for range 300 {
		own := map[profile.Range]int64{{Last: 1<<bits - 1}: 1 + r.Int64N(5)}
		for range 1 + r.IntN(30) {
			n := r.IntN(bits)
			first := r.Uint64N(1<<bits) >> n << n
			own[profile.Range{First: first, Last: first + 1<<n - 1}] += 1 + r.Int64N(50)
		}
		var s profile.Seen
		for x, n := range own {
			s.Words = append(s.Words, profile.Word{Range: &x, Count: n})
			s.Count += n
		}
		hot := float64(s.Count) * (.05 + .3*r.Float64())
		want := map[profile.Range]int64{}
		var weigh func(x profile.Range) int64
		weigh = func(x profile.Range) int64 {
			n := own[x]
			if !x.Single() {
				mid := x.First + (x.Last-x.First)/2
				n += weigh(profile.Range{First: x.First, Last: mid}) + weigh(profile.Range{First: mid + 1, Last: x.Last})
			}
			if float64(n) >= hot {
				want[x] = n
				return 0
			}
			return n
		}
		weigh(profile.Range{Last: 1<<bits - 1})
		tree, got := ranges.Of(s), map[profile.Range]int64{}
		tree.Mark(hot)
		tree.Walk(func(n *ranges.Node, _ int) bool {
			if n.Hot {
				got[n.Range] = n.Weight
			}
			return n.Hot
		})
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("%v, hot are %.1f events (-want +got)\n%s", own, hot, d)
		}

		share := r.Float64()
		width, events := 0, []int64(nil)
		for ; ; width++ { // the events in each range of a width, and in narrower ones in it
			events = nil
			sum := int64(0)
			for first := uint64(0); first < 1<<bits; first += 1 << width {
				n := int64(0)
				for x, k := range own {
					if first <= x.First && x.Last < first+1<<width {
						n += k
					}
				}
				events = append(events, n)
				sum += n
			}
			if float64(sum) >= share*float64(s.Count) || width == bits {
				break
			}
		}
		slices.SortFunc(events, func(a, b int64) int { return int(b - a) })
		list, sum := tree.Cover(share)
		var have int64
		for i, n := range list {
			have += n.Least
			if n.Width() > width || i > 0 && n.First <= list[i-1].Last {
				t.Fatalf("%v, %.3f: %v is wider than 2^%d words, or no range of its own", own, share, n.Range, width)
			}
		}
		wantSum, k := int64(0), 0
		for ; k < len(events) && (float64(wantSum) < share*float64(s.Count) || k == 0); k++ {
			wantSum += events[k]
		}
		if sum != have || sum != wantSum || len(list) != k {
			t.Fatalf("%v, %.3f: %d ranges with %d events, want %d with %d", own, share, len(list), sum, k, wantSum)
		}
	}
}

// Words without space are in no range, and may have been in any.
func TestOtherWords(t *testing.T) {
	word := func(first, last uint64, count int64) profile.Word {
		return profile.Word{Range: &profile.Range{First: first, Last: last}, Count: count}
	}
	tree := ranges.Of(profile.Seen{Count: 115,
		Words: []profile.Word{word(0x40, 0x7f, 30), {Value: "(other)", Count: 5}, word(0x42, 0x42, 70),
			word(0xff, 0xff, 10)}})
	if r := tree.Root; r.Range != (profile.Range{Last: 1<<64 - 1}) || r.Word != nil || r.Least != 110 || r.Most != 115 ||
		len(r.Kids) != 1 {
		t.Fatalf("root %+v", r)
	}
	both := tree.Root.Kids[0]
	if both.Range != (profile.Range{Last: 255}) || both.Word != nil || both.Least != 110 || len(both.Kids) != 2 ||
		tree.Nodes != 3 {
		t.Fatalf("the range around both %+v", both)
	}
	k := both.Kids[0]
	if k.Least != 100 || k.Most != 105 || k.Kids[0].Least != 70 || k.Kids[0].Most != 105 || tree.Worst != 35 ||
		tree.Other != 5 {
		t.Errorf("%+v, %+v, worst %d", k, k.Kids[0], tree.Worst)
	}
	if ranges.Of(profile.Seen{Count: 5, Words: []profile.Word{{Value: "7", Count: 5}}}) != nil {
		t.Error("a tree without ranges")
	}
}
