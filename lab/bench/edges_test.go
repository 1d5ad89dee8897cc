package bench

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/analyze/accuracy"
	"github.com/pepgo/pep/analyze/pgo"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/instrument/pathnum"
)

// ifs returns a path of a function that decides some branches, each "true" or "false".
func ifs(fn string, number int, count int64, outcomes ...string) profile.Path {
	p := profile.Path{ID: profile.PathID{Func: profile.Func{Name: fn, File: "/src/x.go", StartLine: 1}, Label: fmt.Sprintf("p%d", number)}, Count: count}
	for i, o := range outcomes {
		p.Branches = append(p.Branches, profile.Decision{Line: int64(i + 1), Col: 2, Kind: "if", Outcome: o})
	}
	p.Flow = count * int64(len(outcomes))
	return p
}

func branch(fn string, line int64) profile.BranchID {
	return profile.BranchID{Func: profile.Func{Name: fn, File: "/src/x.go", StartLine: 1}, Pos: profile.Pos{File: "x.go", Line: line, Col: 2}}
}

func TestBiasesAreThoseOfThePaths(t *testing.T) {
	got := biasesOf([]profile.Path{ifs("f", 0, 5, "true", "true"), ifs("f", 1, 3, "true", "false"), ifs("f", 2, 1, "false"), ifs("g", 0, 7, "true")})
	want := biases{
		branch("f", 1): {"true": 8, "false": 1},
		branch("f", 2): {"true": 5, "false": 3},
		branch("g", 1): {"true": 7},
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The paper flips p to 1-p.
func TestPEP33FlippedBiases(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		actual := make(biases)
		sum, total := 0.0, 0.0
		for line := range int64(5) {
			yes, no := rng.Int64N(20), rng.Int64N(20)
			if yes+no == 0 {
				continue
			}
			actual[branch("f", line)] = accuracy.Outcomes{"true": yes, "false": no}
			p := float64(yes) / float64(yes+no)
			sum += float64(yes+no) * (1 - math.Abs(p-(1-p)))
			total += float64(yes + no)
		}
		if got := accuracy.Relative(actual, flipped(actual)); math.Abs(got-sum/total) > 1e-9 && total > 0 {
			t.Fatalf("%v: overlap with the flipped profile %v, want %v", actual, got, sum/total)
		}
	}
	got := flipped(biases{branch("f", 1): {"case 1": 70, "case 2": 20, "no case": 10}, branch("f", 2): {"true": 9}})
	want := biases{branch("f", 1): {"case 1": 10, "case 2": 20, "no case": 70}, branch("f", 2): {"true": 0, unseen: 9}}
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

// randomGraph returns a graph in whose order of nodes edges go forward, but for some that close loops.
func randomGraph(rng *rand.Rand) *pathnum.Graph {
	n := 3 + rng.IntN(6)
	g := &pathnum.Graph{Nodes: make([]pathnum.Node, n)}
	for i := range n {
		out := []int{i + 1}
		for range rng.IntN(3) {
			to := i + 1 + rng.IntN(n-i)
			if rng.IntN(4) == 0 && i > 1 {
				to = 1 + rng.IntN(i)
			}
			out = append(out, to)
		}
		for _, to := range out {
			if to == n {
				to = pdag.Exit
			}
			g.Nodes[i].Out = append(g.Nodes[i].Out, pathnum.Edge{To: to})
		}
	}
	return g
}

// The oracle numbers the paths anew, with the guide's frequencies, and walks along all paths.
func TestPEP30Additions(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	f := ifs("f", 0, 0).ID.Func
	random := func(n uint64) (paths []profile.Path) {
		for p := range n {
			if rng.IntN(3) > 0 {
				paths = append(paths, ifs("f", int(p), rng.Int64N(50)))
			}
		}
		return paths
	}
	differ := 0
	for range 500 {
		in := randomGraph(rng)
		built, err := pathnum.Number(in, pathnum.Options{Order: pathnum.Original})
		if err != nil || built.N > 500 {
			continue
		}
		actual, guide := random(built.N), random(built.N)
		walk := func(paths []profile.Path, do func(s pdag.Step, n int64)) {
			for _, p := range paths {
				var number uint64
				fmt.Sscanf(p.ID.Label, "p%d", &number)
				_, steps, ok := built.Decode(number)
				if !ok {
					t.Fatalf("path %s does not exist", p.ID.Label)
				}
				for _, s := range steps {
					do(s, p.Count)
				}
			}
		}
		walk(guide, func(s pdag.Step, n int64) { in.Nodes[s.Node].Out[s.Out].Freq += float64(n) })
		var results []int64
		for _, o := range []struct {
			free  freedom
			order pathnum.Order
		}{{asBuilt, pathnum.Original}, {hottest, pathnum.Hottest}, {coldest, pathnum.Coldest}} {
			anew, err := pathnum.Number(in, pathnum.Options{Order: o.order})
			if err != nil {
				t.Fatal(err)
			}
			var wantAdds, wantDecided int64
			walk(actual, func(s pdag.Step, n int64) {
				e := anew.Nodes[s.Node].Out[s.Out]
				if len(in.Nodes[s.Node].Out) > 1 {
					wantDecided += n
				}
				if e.Val != 0 && !e.Ends && e.To != pdag.Exit {
					wantAdds += n
				}
			})
			adds, decided, err := graphs{f: built}.additions(actual, guide, o.free)
			if err != nil || adds != wantAdds || decided != wantDecided {
				t.Fatalf("order %v: %d additions of %d decisions, %v, want %d of %d\n%+v", o.order, adds, decided, err, wantAdds, wantDecided, built)
			}
			results = append(results, adds)
		}
		if results[1] < results[2] {
			differ++
		}
	}
	if differ < 50 {
		t.Errorf("the orders differ in %d of 500 graphs, want 50 or more: the test says nothing", differ)
	}
}

func TestPathsMustBeOfTheProgram(t *testing.T) {
	g, err := pathnum.Number(&pathnum.Graph{Nodes: []pathnum.Node{{Out: []pathnum.Edge{{To: pdag.Exit}}}}}, pathnum.Options{})
	if err != nil {
		t.Fatal(err)
	}
	known := graphs{ifs("f", 0, 0).ID.Func: g}
	for _, p := range []profile.Path{ifs("g", 0, 1), ifs("f", 1, 1)} {
		if _, _, err := known.additions([]profile.Path{p}, nil, asBuilt); err == nil {
			t.Errorf("%v: no error", p.ID)
		}
	}
}

func TestFlippedCalls(t *testing.T) {
	var calls []pgo.Call
	for i, w := range []int64{1000, 50, 3, 1} {
		calls = append(calls, pgo.Call{Caller: profile.Frame{Line: int64(i)}, Count: w, Weight: w})
	}
	var got [][2]int64
	for _, c := range flippedCalls(calls) {
		got = append(got, [2]int64{c.Caller.Line, c.Weight})
	}
	if want := [][2]int64{{3, 1000}, {2, 50}, {1, 3}, {0, 1}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v: the last call is the hottest now", got, want)
	}
}

func TestVerdicts(t *testing.T) {
	for _, tt := range []struct {
		xs    []float64
		paper float64
		more  bool
		want  string
	}{
		{[]float64{0.9, 0.99}, 0.97, true, "as the paper"},
		{[]float64{0.9, 0.95}, 0.97, true, "worse"},
		{[]float64{0.98, 0.99}, 0.97, true, "better"},
		{[]float64{1.02, 1.05}, 1.011, false, "worse"},
		{[]float64{0.99, 1.001}, 1.011, false, "better"},
	} {
		if got := compared(tt.xs, tt.paper, tt.more); got != tt.want {
			t.Errorf("%v beside %v: got %q, want %q", tt.xs, tt.paper, got, tt.want)
		}
	}
	for _, tt := range []struct {
		xs    []float64
		limit float64
		want  string
	}{
		{[]float64{1, 1, 1, -1}, 0, "is there"},
		{[]float64{1, 1, -0.1, -0.1}, 0, "absent"}, // half of the programs
		{[]float64{1, 1, 1, -4}, 0, "absent"},      // not in the mean
		{[]float64{0.09, 0.12, 0.12}, 0.1, "absent"},
		{[]float64{0.11, 0.12, 0.12}, 0.1, "is there"},
	} {
		if got := effect(tt.xs, tt.limit); got != tt.want {
			t.Errorf("%v above %v: got %q, want %q", tt.xs, tt.limit, got, tt.want)
		}
	}
}

// A branch is true 9 of 10 times in the first half of the run, and false in the second.
func TestPEP36Predictions(t *testing.T) {
	const parts = 40
	var o observation
	var yes, no int64
	for i := range parts {
		if i < parts/2 {
			yes, no = yes+90, no+10
		} else {
			yes, no = yes+10, no+90
		}
		o.growing = append(o.growing, []profile.Path{ifs("f", 0, yes, "true"), ifs("f", 1, no, "false")})
	}
	first, before, recent := o.predictions()
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
	near("lowest in the first half", lowest(first, 0.1, 0.48), 1)
	near("lowest", lowest([]prediction{{0.05, 0.1}, {0.2, 0.9}, {0.3, 0.5}, {0.4, 0.7}, {0.5, 0.2}}, 0.1, 0.48), 0.5)
	near("mean in the second", meanFrom(first, 0.6), 0.2)
	half, _ := nearest(o.growing, 0.5)
	near("decisions in branches that change", changed(biasesOf(half), biasesOf(since(o.whole(), half))), 1)
	steady := []profile.Path{ifs("f", 0, 3, "true", "true"), ifs("f", 1, 1, "true", "false")}
	turned := []profile.Path{ifs("f", 0, 1, "true", "true"), ifs("f", 1, 3, "true", "false")}
	near("one of two branches changes", changed(biasesOf(steady), biasesOf(turned)), 0.5)
	if v := o.overlaps(); math.Abs(v.oneTime-1) > 1e-9 { // fewer decisions than one-time profiles need
		t.Errorf("one-time profile of a short run: overlap %v, want 1", v.oneTime)
	}
}
