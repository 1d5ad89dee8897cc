package weigh_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pepgo/pep/runtime/weigh"
)

// This file has the weights once more, as the package comment has them: slow, in maps, path by path.

// lasts returns the gaps before ends of a path, all of them and those where it returns.
func lasts(bursts []weigh.Burst, path int32) (all, back []float64) {
	for _, b := range bursts {
		for i, p := range b.Polls {
			if p.Path != path || p.Gap == 0 {
				continue
			}
			all = append(all, float64(p.Gap))
			var before []int32 // paths of the thread, the last one first
			for _, q := range slices.Backward(b.Polls[:i]) {
				if q.Thread == p.Thread {
					before = append(before, q.Path)
				}
			}
			if slices.Contains(before[:min(3, len(before))], path) {
				back = append(back, float64(p.Gap))
			}
		}
	}
	slices.Sort(all)
	slices.Sort(back)
	return all, back
}

// slowWeights returns the weights of fewer than 4096 polls.
func slowWeights(bursts []weigh.Burst, paths int) []float64 {
	var gaps []float64
	ticks := map[int]float64{}
	for _, b := range bursts {
		for i, p := range b.Polls {
			if i == 0 {
				ticks[int(p.Path)] += b.Ticks
			}
			if p.Gap > 0 {
				gaps = append(gaps, float64(p.Gap))
			}
		}
	}
	slices.Sort(gaps)
	cost := 600.
	if len(gaps) > 0 {
		cost = max(cost, gaps[len(gaps)/50])
	}
	cut := func(list []float64) (sum float64) { // in costs
		for _, g := range list {
			sum += min(g/cost, 4)
		}
		return sum
	}
	mean := cut(gaps) / max(float64(len(gaps)), 1)
	least := math.Inf(1)
	for k := range paths {
		if _, back := lasts(bursts, int32(k)); len(back) >= 3 {
			least = min(least, back[len(back)/2]/cost)
		}
	}
	feature := make([][3]float64, paths)
	for k := range feature {
		all, back := lasts(bursts, int32(k))
		known := 0.
		if len(back) >= 3 {
			x := back[len(back)/2]/cost - least
			known = (x + math.Sqrt(x*x+.01*.01)) / 2
		} else if len(all) >= 3 {
			known = max(all[len(all)/2]/cost-4, 0)
		}
		feature[k] = [3]float64{8 / cost, known, max((cut(all)+2*mean)/float64(len(all)+2)-1.4, 0)}
	}
	factor := [3]float64{1. / 3, 1. / 3, 1. / 3}
	expected := func(k int) float64 {
		f := feature[k]
		return 1e-4 + factor[0]*f[0] + factor[1]*f[1] + factor[2]*f[2]
	}
	gap := make([]float64, paths)
	weight := func(b weigh.Burst) float64 {
		var first []float64
		sum := 0.
		for _, p := range b.Polls[:min(4, len(b.Polls))] {
			first = append(first, gap[p.Path])
			sum += gap[p.Path]
		}
		if first == nil {
			return 0
		}
		return b.Ticks / (sum / float64(len(first)))
	}
	count := func() []float64 {
		ends := make([]float64, paths)
		for _, b := range bursts {
			for _, p := range b.Polls {
				ends[p.Path] += weight(b) / float64(len(b.Polls))
			}
		}
		have, want := 0., 0.
		for k, x := range ends {
			have += x * expected(k)
			want += ticks[k]
		}
		for k := range ends {
			ends[k] *= want / have
		}
		return ends
	}
	for k := range gap {
		gap[k] = expected(k)
	}
	ends := count()
	for range 10 { // Lucy
		var old [3]float64
		before := make([]float64, paths)
		for k := range before {
			before[k] = expected(k)
		}
		for j := range factor {
			above, below := 1e-9, 1e-9
			for k := range paths {
				above += ticks[k] * feature[k][j] / before[k]
				below += ends[k] * feature[k][j]
			}
			old[j] = factor[j] * above / below
		}
		factor = old
	}
	for range 6 {
		for k := range gap {
			x := expected(k)
			most := 1 + 15/(1+5*feature[k][1])
			gap[k] = max(min((1+ticks[k])/(1/x+ends[k]), x*most), x/most)
		}
		ends = count()
	}
	var list []float64
	for _, b := range bursts {
		list = append(list, weight(b))
	}
	return list
}

func TestWeightsAreThoseOfTheComment(t *testing.T) {
	const paths = 9 // two of which never end
	long := program{{[]int{0, 1}, []float64{5, 20}, 40}, {[]int{2}, []float64{30_000}, 5}, {[]int{3, 4, 5, 6}, []float64{100, 400, 3_000, 5_000}, 8}}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 9))
		var bursts []weigh.Burst
		if seed%2 == 0 {
			bursts, _ = long.run(r, 1+r.IntN(60), paths, []float64{100, 1230}[seed/2%2], 300)
		} else {
			for range 1 + r.IntN(60) {
				var b weigh.Burst
				for range r.IntN(30) {
					b.Polls = append(b.Polls, weigh.Poll{Path: int32(r.IntN(7) * r.IntN(7) / 6), Thread: uint32(r.IntN(2)), Gap: uint32(math.Exp(12 * r.Float64()))})
				}
				bursts = append(bursts, b)
			}
		}
		for i := range bursts {
			b := &bursts[i]
			b.Ticks = .5 + 3*r.Float64()
			b.Polls = b.Polls[:min(len(b.Polls), r.IntN(65))]
			if len(b.Polls) > 0 {
				b.Polls[0].Gap = 0
			}
		}
		got, want := weigh.Weights(bursts, paths), slowWeights(bursts, paths)
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-9*want[i] {
				t.Fatalf("seed %d: burst %d of %d has the weight %g, want %g", seed, i, len(bursts), got[i], want[i])
			}
		}
	}
}
