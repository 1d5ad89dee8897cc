package ranges_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/ranges"
	"github.com/pepgo/pep/hwsim/rap"
)

// seen returns the samples that a profile has of a tree: ranges with events, in any order.
func seen(t *rap.Tree, r *rand.Rand) (s profile.Seen) {
	for _, x := range t.Ranges(1) {
		if x.Count > 0 {
			s.Words = append(s.Words, profile.Word{Range: &profile.Range{First: x.Lo, Last: x.Hi}, Count: int64(x.Count)})
		}
	}
	s.Count = int64(t.Events())
	r.Shuffle(len(s.Words), func(i, j int) { s.Words[i], s.Words[j] = s.Words[j], s.Words[i] })
	return s
}

// What is computed from samples is what package rap computes from its tree, for all
// ranges that have events of their own: others are in no profile.
func TestTreesAreThoseOfTheEngine(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(r, 1.2, 1, 1<<40)
	for _, universe := range []uint64{1 << 16, 1 << 41, 0} {
		tree, err := rap.New(rap.Options{Eps: .05, Universe: universe})
		if err != nil {
			t.Fatal(err)
		}
		for range 50_000 {
			x := zipf.Uint64() * 0x9e3779b9
			if universe > 0 {
				x %= universe
			}
			if err := tree.Add([]uint64{x}); err != nil {
				t.Fatal(err)
			}
		}
		got := ranges.Of(seen(tree, r))
		if got.Worst != int64(tree.WorstError()) {
			t.Errorf("worst error %d, want %d", got.Worst, tree.WorstError())
		}
		got.Mark(.02 * float64(tree.Events()))
		type numbers struct {
			Count, Least, Most, Weight uint64
			Hot                        bool
		}
		have, want := map[profile.Range]numbers{}, map[profile.Range]numbers{}
		got.Walk(func(n *ranges.Node, _ int) bool {
			have[n.Range] = numbers{uint64(n.Own), uint64(n.Least), uint64(n.Most), uint64(n.Weight), n.Hot}
			return true
		})
		empty, hot := 0, 0
		for _, x := range tree.Ranges(.02) {
			if x.Count == 0 {
				empty++
				continue
			}
			least, most := tree.Estimate(x.Lo, x.Hi)
			want[profile.Range{First: x.Lo, Last: x.Hi}] = numbers{x.Count, least, most, x.Weight, x.Hot}
			if x.Hot {
				hot++
			}
		}
		if d := cmp.Diff(want, have); d != "" {
			t.Fatalf("universe %d (-rap +ranges):\n%s", universe, d)
		}
		if hot < 3 || got.Nodes != len(want) {
			t.Fatalf("%d hot ranges, %d nodes, want %d", hot, got.Nodes, len(want))
		}
		for _, share := range []float64{.1, .5, .8, .95, 1} {
			list, events := got.Cover(share)
			wantList, wantEvents := tree.Cover(share)
			var a, b []profile.Range
			for _, n := range list {
				a = append(a, n.Range)
			}
			for _, x := range wantList {
				b = append(b, profile.Range{First: x.Lo, Last: x.Hi})
			}
			if d := cmp.Diff(b, a); d != "" || events != int64(wantEvents) {
				t.Errorf("cover %g: %d events, want %d (-rap +ranges)\n%s", share, events, wantEvents, d)
			}
		}
	}
}

// Words without room are in no range, and may have been in any.
func TestOtherWords(t *testing.T) {
	word := func(first, last uint64, count int64) profile.Word {
		return profile.Word{Range: &profile.Range{First: first, Last: last}, Count: count}
	}
	tree := ranges.Of(profile.Seen{Count: 115, Words: []profile.Word{word(0x40, 0x7f, 30), {Value: "(other)", Count: 5}, word(0x42, 0x42, 70), word(0xff, 0xff, 10)}})
	if r := tree.Root; r.Range != (profile.Range{Last: 1<<64 - 1}) || r.Word != nil || r.Least != 110 || r.Most != 115 || len(r.Kids) != 2 {
		t.Fatalf("root %+v", r)
	}
	k := tree.Root.Kids[0]
	if k.Least != 100 || k.Most != 105 || k.Kids[0].Least != 70 || k.Kids[0].Most != 105 || tree.Worst != 35 || tree.Other != 5 {
		t.Errorf("%+v, %+v, worst %d", k, k.Kids[0], tree.Worst)
	}
	if ranges.Of(profile.Seen{Count: 5, Words: []profile.Word{{Value: "7", Count: 5}}}) != nil {
		t.Error("a tree without ranges")
	}
}
