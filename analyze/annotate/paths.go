package annotate

// This file lists paths, calls and taps.

import (
	"cmp"
	"go/token"
	"math"
	"slices"
	"strings"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/format/tuple"
)

// paths lists the hottest paths, and sums up all.
func (v *view) paths() {
	var flow, all float64
	for i := range v.f.paths {
		flow += v.flow(i)
		all += v.count[i]
		if how, _ := v.from(i); how == schema.Entry {
			v.d.Entries += round(v.count[i])
		}
	}
	v.d.PathsSeen = len(v.f.paths)
	for i, c := range v.count {
		if c > 0 {
			v.d.Entropy -= c / all * math.Log2(c/all)
		}
		if i >= maxPaths {
			v.d.MorePaths++
			v.d.MoreShare += share(v.flow(i), flow)
		}
	}
	for i := range min(len(v.f.paths), maxPaths) {
		v.d.Paths = append(v.d.Paths, v.path(i, flow))
	}
}

// flow is the reconciled flow of a path.
func (v *view) flow(i int) float64 { return v.count[i] * float64(len(v.f.paths[i].Branches)) }

func (v *view) path(i int, flow float64) Path {
	p := &v.f.paths[i]
	how, at := v.from(i)
	x := Path{Name: p.ID.Name(), From: how, Line: at.line, Flow: round(v.flow(i)), Count: round(v.count[i]), Raw: p.Count,
		Samples: p.Samples,
		Lines:   [][2]int64{}, Branches: []Decision{}, Nodes: []int{}}
	x.Share = share(v.flow(i), flow)
	x.Low, x.High = x.Share, x.Share
	if b := v.b.Run.Paths.CountBounds(p.Count, p.Estimate); p.Count > 0 {
		x.Low, x.High = min(x.Share*b.Low/float64(p.Count), 1), min(x.Share*b.High/float64(p.Count), 1)
	}
	for _, s := range p.Spans() {
		if s.File == v.f.id.File {
			x.Lines = append(x.Lines, [2]int64{s.First, s.Last})
		}
	}
	for _, d := range p.Branches {
		at := v.place(d.File, d.Line, d.Col)
		j, ok := slices.BinarySearchFunc(v.list, at, func(b *branch, at placeOf) int { return b.at.compare(at) })
		if !ok {
			continue
		}
		k := slices.IndexFunc(v.list[j].outs, func(o *outcome) bool { return o.name == d.Outcome })
		x.Branches = append(x.Branches, Decision{j, k})
	}
	if v.shape != nil {
		for _, s := range v.steps[i] {
			x.Nodes = append(x.Nodes, s.Node)
		}
		x.Loop = v.start[i] > 0 && v.end(i) == v.start[i]
	}
	return x
}

// calls lists calls, the most frequent first.
func calls(counts map[callSite]int64) []Call {
	list := []Call{}
	var all int64
	for at, n := range counts {
		list = append(list, Call{Name: at.name, Line: at.line, Count: n})
		all += n
	}
	for i := range list {
		list[i].Share = share(float64(list[i].Count), float64(all))
	}
	slices.SortFunc(list, func(x, y Call) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Name, y.Name), cmp.Compare(x.Line, y.Line))
	})
	return list
}

func (v *view) tap(f *profile.File, s profile.Seen) Tap {
	at := v.place(s.Site.Pos.File, s.Site.Pos.Line, s.Site.Pos.Col)
	x := Tap{File: at.file, Line: at.line, Col: at.col, Kind: s.Site.Kind, Expr: s.Site.Expr, Type: s.Site.Type,
		Events: s.Count, Values: []Value{}}
	for i, w := range s.Words {
		if i >= maxValues && !x.IsSite() {
			x.More = len(s.Words) - i
			break
		}
		y := Value{Text: w.Value, Count: w.Count, Share: share(float64(w.Count), float64(s.Count))}
		y.Low, y.High = y.Share, y.Share
		if !f.Exact() {
			bounds := s.ShareBounds(w, f.Period.Value)
			y.Low, y.High = bounds.Low, bounds.High
		}
		x.Values = append(x.Values, y)
	}
	return x
}

// taps lists what taps and windows saw, by position. It leaves out types of what methods were called on: the
// methods say them.
func (v *view) taps() {
	called := make(map[placeOf][]string) // expressions that were called
	for _, t := range v.f.taps {
		x := v.tap(t.file, t.seen)
		v.d.Taps = append(v.d.Taps, x)
		if x.Kind == tuple.Call.String() {
			at := placeOf{x.File, x.Line, x.Col}
			called[at] = append(called[at], x.Expr)
		}
	}
	v.d.Taps = slices.DeleteFunc(v.d.Taps, func(x Tap) bool {
		return x.Kind == tuple.Type.String() &&
			slices.ContainsFunc(called[placeOf{x.File, x.Line, x.Col}], func(call string) bool {
				method, ok := strings.CutPrefix(call, x.Expr+".")
				return ok && token.IsIdentifier(method)
			})
	})
	slices.SortStableFunc(v.d.Taps, func(x, y Tap) int {
		return placeOf{x.File, x.Line, x.Col}.compare(placeOf{y.File, y.Line, y.Col})
	})
}
