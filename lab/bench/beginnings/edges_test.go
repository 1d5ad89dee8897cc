package beginnings

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/analyze/profile"
)

// ifs returns a path of a function that decides some branches, each "true" or "false".
func ifs(fn string, number int, count int64, outcomes ...string) profile.Path {
	p := profile.Path{ID: profile.PathID{Func: profile.Func{Name: fn, File: "/src/x.go", StartLine: 1},
		Number: uint64(number)}, Count: count}
	for i, o := range outcomes {
		p.Branches = append(p.Branches, profile.Decision{Line: int64(i + 1), Col: 2, Kind: "if", Outcome: o})
	}
	p.Flow = count * int64(len(outcomes))
	return p
}

func branch(fn string, line int64) profile.BranchID {
	return profile.BranchID{Func: profile.Func{Name: fn, File: "/src/x.go", StartLine: 1},
		Pos: profile.Pos{File: "x.go", Line: line, Col: 2}}
}

func TestBiasesAreThoseOfThePaths(t *testing.T) {
	got := biasesOf([]profile.Path{ifs("f", 0, 5, "true", "true"), ifs("f", 1, 3, "true", "false"),
		ifs("f", 2, 1, "false"), ifs("g", 0, 7, "true")})
	want := biases{
		branch("f", 1): {"true": 8, "false": 1},
		branch("f", 2): {"true": 5, "false": 3},
		branch("g", 1): {"true": 7},
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// grown returns growing profiles of three functions with four paths each.
func grown(rng *rand.Rand, moments int) (growing [][]profile.Path) {
	counts := map[[2]int]int64{}
	for range moments {
		var paths []profile.Path
		for f := range 3 {
			for n := range 4 {
				if rng.IntN(3) == 0 {
					counts[[2]int{f, n}] += rng.Int64N(10)
				}
				if c := counts[[2]int{f, n}]; c > 0 {
					paths = append(paths, ifs(fmt.Sprint("f", f), n, c, "true", "false"))
				}
			}
		}
		growing = append(growing, paths)
	}
	return growing
}

func byID(paths []profile.Path) []profile.Path {
	return slices.SortedFunc(slices.Values(paths), func(a, b profile.Path) int { return a.ID.Compare(b.ID) })
}

func TestPEP32OneTimeProfiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		growing := grown(rng, 6)
		least := rng.Int64N(60)
		var want []profile.Path
		for f := range 3 {
			for i, paths := range growing {
				var mine []profile.Path
				decided := int64(0)
				for _, p := range paths {
					if p.ID.Func.Name == fmt.Sprint("f", f) {
						mine = append(mine, p)
						decided += 2 * p.Count
					}
				}
				if len(mine) > 0 && decided >= least || i == len(growing)-1 {
					want = append(want, mine...)
					break
				}
			}
		}
		if diff := gocmp.Diff(byID(want), byID(oneTime(growing, least))); diff != "" {
			t.Fatalf("at least %d decisions (-want +got):\n%s", least, diff)
		}
	}
}

func TestPartsOfARunAddUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 100 {
		growing := grown(rng, 5)
		counts := map[profile.PathID]int64{}
		var before []profile.Path
		for i, paths := range growing {
			for _, p := range since(paths, before) {
				counts[p.ID] += p.Count
			}
			before = paths
			want := map[profile.PathID]int64{}
			for _, p := range paths {
				want[p.ID] = p.Count
			}
			if !maps.Equal(counts, want) {
				t.Fatalf("after %d parts: %v, want %v", i+1, counts, want)
			}
		}
	}
	growing := [][]profile.Path{{ifs("f", 0, 5, "true")}, {ifs("f", 0, 48, "true")}, {ifs("f", 0, 100, "true")}}
	if paths, share := nearest(growing, 0.3); share != 0.48 || paths[0].Count != 48 {
		t.Errorf("nearest to 0.3: share %v, want 0.48", share)
	}
}

// A branch is true 9 of 10 times in the first half of the run, and false in the second.
func TestPEP36Predictions(t *testing.T) {
	const parts = 40
	var growing [][]profile.Path
	var yes, no int64
	for i := range parts {
		if i < parts/2 {
			yes, no = yes+90, no+10
		} else {
			yes, no = yes+10, no+90
		}
		growing = append(growing, []profile.Path{ifs("f", 0, yes, "true"), ifs("f", 1, no, "false")})
	}
	first, before, recent := predictions(growing)
	if len(first) != parts-4 || len(before) != len(first) || len(recent) != len(first) {
		t.Fatalf("%d, %d and %d predictions, want %d: from the fourth part on", len(first), len(before), len(recent), parts-4)
	}
	near := func(what string, got, want float64) {
		if !(math.Abs(got-want) <= 1e-9) { // nor NaN
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}
	for k := range first {
		done := 4 + k // parts that are known; the next one is predicted
		near("moment", first[k].at, float64(done)/parts)
		next, last := 0.9, 0.9
		if done >= parts/2 {
			next = 0.1
		}
		if done > parts/2 {
			last = 0.1
		}
		early := min(done, parts/2)
		all := (0.9*float64(early) + 0.1*float64(done-early)) / float64(done)
		near("the first tenth", first[k].overlap, 1-math.Abs(0.9-next))
		near("all so far", before[k].overlap, 1-math.Abs(all-next))
		near("the last part", recent[k].overlap, 1-math.Abs(last-next))
	}
	near("mean in the second", meanFrom(first, 0.6), 0.2)
	half, _ := nearest(growing, 0.5)
	near("decisions in branches that change", changed(biasesOf(half), biasesOf(since(growing[parts-1], half))), 1)
	steady := []profile.Path{ifs("f", 0, 3, "true", "true"), ifs("f", 1, 1, "true", "false")}
	turned := []profile.Path{ifs("f", 0, 1, "true", "true"), ifs("f", 1, 3, "true", "false")}
	near("one of two branches changes", changed(biasesOf(steady), biasesOf(turned)), 0.5)
	values := make(map[string]float64)
	for _, v := range Overlaps(growing) {
		values[v.Unit] = v.Value
	}
	near("one-time profile of a run with fewer decisions than it needs", values["one-time"], 1)
	near("the first half", values["first-50%"], 1-math.Abs(0.9-0.5))
	near("predicted by the first tenth", values["next-by-first"], 0.2)
	near("predicted by the last part", values["next-by-last"], 1)
}
