//go:build linux && amd64

package site

import (
	"maps"
	"slices"
	"testing"
)

// The branch that a fused probe stands at is in no loop that the instruction is not in: it
// would be executed in each round, and the instruction once behind the loop.
func TestFusedSitesAreInNoOtherLoop(t *testing.T) {
	im, tables := gofmt(t)
	branches, behind := 0, 0
	for fn := range im.Functions() {
		c, err := Read(im, fn)
		if err != nil {
			continue
		}
		probes := append(c.Returns(), c.Calls()...)
		g := graph(t, im, fn, tables)
		if g == nil {
			continue
		}
		loops := g.loops()
		for _, p := range probes {
			if p.Class == Refused {
				continue // it has no slow probe, so any fused one is better
			}
			for _, l := range loops {
				if at := g.index[p.PC]; at > 0 && l[at-1] && !l[at] {
					behind++
				}
			}
			for _, a := range p.Via {
				if !a.Conditional {
					continue
				}
				branches++
				for _, l := range loops {
					if l[g.index[a.Site.PC]] && !l[g.index[p.PC]] {
						t.Errorf("%s: the probe at %#x is fused with the branch at %#x of a loop", fn.Name, p.PC, a.Site.PC)
					}
				}
			}
		}
	}
	t.Logf("%d branches of fused probes, %d instructions right behind loops", branches, behind)
	if branches < 2000 || behind < 20 {
		t.Errorf("%d branches of fused probes, %d instructions right behind loops, want 2000 and 20", branches, behind)
	}
}

// loops returns the natural loops of a function: for an instruction that leads back to
// one through which all ways to it go, the instructions from which it is reached without
// passing that one. Those of one instruction are one loop: a continue makes none of its
// own. The call that grows the stack is no part of any.
func (g *flowGraph) loops() [][]bool {
	loops := map[int][]bool{}
	back := &flowGraph{insts: g.insts, next: make([][]int, len(g.insts))} // the edges turned around
	for i, next := range g.next {
		for _, n := range next {
			back.next[n] = append(back.next[n], i)
		}
	}
	grows := func(i int) bool { return g.grow[i] }
	reached := g.reach([]int{0}, grows)
	for i, next := range g.next {
		for _, head := range slices.Compact(slices.Sorted(slices.Values(next))) {
			if !reached[i] || len(back.next[head]) < 2 && head != 0 {
				continue
			}
			if g.reach([]int{0}, func(j int) bool { return j == head || g.grow[j] })[i] && i != head {
				continue // a way to i goes past head
			}
			body := back.reach([]int{i}, func(j int) bool { return j == head || g.grow[j] || !reached[j] })
			body[head] = true
			if loops[head] == nil {
				loops[head] = make([]bool, len(g.insts))
			}
			for j, in := range body {
				loops[head][j] = loops[head][j] || in
			}
		}
	}
	return slices.Collect(maps.Values(loops))
}
