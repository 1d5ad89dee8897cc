package annotate

// This file lists the branches of a function with their outcomes.

import (
	"slices"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/format/wire"
)

// A branch is a Branch while it is computed.
type branch struct {
	at    placeOf
	kind  string
	raw   profile.Branch // without outcomes if no sample shows any
	nodes []int          // of the graph
	outs  []*outcome
}

// An outcome is an Outcome while it is computed.
type outcome struct {
	name  string
	line  int64
	raw   int64
	count float64
	arcs  []pdag.Step // of the graph

	estimate profile.Estimate // of raw
}

// place returns a position with the whole name of its file, "" if that is the function's.
func (v *view) place(file string, line, col int64) placeOf {
	if file != "" {
		file = v.f.id.Of(file)
	}
	if file == v.f.id.File {
		file = ""
	}
	return placeOf{file, line, col}
}

// branch returns the branch at a position. A function has few branches with the same: copies of a
// statement, which are one branch.
func (v *view) branch(at placeOf, kind string) *branch {
	i, ok := slices.BinarySearchFunc(v.list, at, func(b *branch, at placeOf) int { return b.at.compare(at) })
	if !ok {
		v.list = slices.Insert(v.list, i, &branch{at: at, kind: kind})
	}
	return v.list[i]
}

func (b *branch) out(name string, line int64) *outcome {
	for _, o := range b.outs {
		if o.name == name {
			return o
		}
	}
	o := &outcome{name: name, line: line}
	b.outs = append(b.outs, o)
	return o
}

// branches lists the branches that the program's file has, and those that samples show.
func (v *view) branches() {
	if v.shape != nil {
		v.graphBranches()
	}
	for _, raw := range v.f.branches {
		b := v.branch(v.place(raw.ID.Pos.File, raw.ID.Pos.Line, raw.ID.Pos.Col), raw.Kind)
		b.raw = raw
		for _, o := range raw.Outcomes {
			x := b.out(o.Name, o.Line)
			x.raw, x.estimate = o.Count, o.Estimate
		}
		if v.shape == nil {
			b.complement()
		}
	}
	if len(v.f.paths) == 0 { // the file of paths is not of the same run
		for _, b := range v.list {
			for _, o := range b.outs {
				o.count = float64(o.raw)
			}
		}
	}
	for i, p := range v.f.paths {
		for _, d := range p.Branches {
			v.branch(v.place(d.File, d.Line, d.Col), d.Kind).out(d.Outcome, 0).count += v.count[i]
		}
	}
	for _, b := range v.list {
		if b.untell() {
			v.untold = append(v.untold, b.nodes...)
		}
		v.d.Branches = append(v.d.Branches, v.finish(b))
	}
}

// untell reports whether some executions of the branch have the outcome untold. If so, untell removes the outcomes
// without a sample, because untold executions may have had them. Sums of paths have the outcome untold if one of their
// executions has; edges say how many of each there were.
func (b *branch) untell() bool {
	if !slices.ContainsFunc(b.outs, func(o *outcome) bool {
		return o.name == wire.OutUntold &&
			(o.raw > 0 || o.count > 0)
	}) {
		return false
	}
	b.outs = slices.DeleteFunc(b.outs, func(o *outcome) bool { return o.raw == 0 && o.count == 0 })
	var raw, all float64
	for _, o := range b.outs {
		raw, all = raw+float64(o.raw), all+o.count
	}
	for _, o := range b.outs {
		if raw > 0 {
			o.count = all * float64(o.raw) / raw
		}
	}
	return true
}

// graphBranches adds the branches of the graph that a path can take in more than one way.
func (v *view) graphBranches() {
	site, pkg := v.f.site, v.f.pkg
	for n := range site.Blocks {
		live := 0
		for _, e := range site.Graph.Nodes[n].Out {
			if !e.Dead {
				live++
			}
		}
		if live < 2 {
			continue
		}
		x := site.Blocks[n].Branch
		b := v.branch(v.place(pkg.Files[x.File], int64(x.Line), int64(x.Col)), x.Kind)
		b.nodes = append(b.nodes, n)
		for j, o := range site.Blocks[n].Outs {
			if !site.Graph.Nodes[n].Out[j].Dead {
				y := b.out(o.Outcome, int64(o.Line))
				y.arcs = append(y.arcs, pdag.Step{Node: n, Out: j})
			}
		}
	}
}

// complement adds the outcome of a two-way branch that no sample shows, because profiles have only
// outcomes that happened.
func (b *branch) complement() {
	if len(b.outs) != 1 || b.kind == wire.RangeFunc { // which may have several others
		return
	}
	switch b.outs[0].name {
	case wire.OutTrue:
		b.out(wire.OutFalse, 0)
	case wire.OutFalse:
		b.out(wire.OutTrue, 0)
		slices.Reverse(b.outs)
	case wire.OutBody:
		b.out(wire.OutDone, 0)
	case wire.OutDone:
		b.out(wire.OutBody, 0)
		slices.Reverse(b.outs)
	}
}

func (v *view) finish(b *branch) Branch {
	x := Branch{File: b.at.file, Line: b.at.line, Col: b.at.col, Kind: b.kind, State: v.unseen(1), Outcomes: []Outcome{}}
	var all float64
	for _, o := range b.outs {
		all += o.count
	}
	x.Count = round(all)
	if b.raw.Count() > 0 || all > 0 {
		x.State = Seen
	} else if slices.ContainsFunc(b.nodes, func(n int) bool { return v.ran[n] }) {
		x.State = Ran
	}
	for _, o := range b.outs {
		y := Outcome{Name: o.name, Line: o.line, Count: round(o.count), Share: share(o.count, all), Raw: o.raw, State: Seen}
		if b.raw.Count() > 0 {
			y.Low, y.High = v.bounds(b.raw, o.name)
			y.RawBounds = v.b.Run.Edges.CountBounds(o.raw, o.estimate)
			if o.raw == 0 && !v.b.p.Exact {
				y.RawBounds.High = y.High * float64(b.raw.Count())
			}
		} else if !v.b.p.Exact {
			y.High = 1
		}
		if o.name == wire.OutUntold {
			y.Low, y.High = y.Share, y.Share
		}
		if o.raw == 0 && o.count == 0 {
			y.State = v.unseen(y.High)
			v.d.Unseen++
			if slices.ContainsFunc(o.arcs, v.taken) {
				y.State = Ran
				v.d.Unseen--
			}
		}
		v.d.Outcomes++
		x.Outcomes = append(x.Outcomes, y)
	}
	return x
}

// bounds returns those of the share that an outcome has of all that were sampled of its branch.
func (v *view) bounds(b profile.Branch, name string) (low, high float64) {
	i := slices.IndexFunc(b.Outcomes, func(o profile.Outcome) bool { return o.Name == name })
	o := profile.Outcome{Name: name}
	if i >= 0 {
		o = b.Outcomes[i]
	}
	if v.b.p.Exact {
		s := share(float64(o.Count), float64(b.Count()))
		return s, s
	}
	x := b.ShareBounds(o)
	return x.Low, x.High
}

// unseen returns the state of what no sample shows, if its share is at most high.
func (v *view) unseen(high float64) State {
	if v.f.untold != "" {
		return Untold
	}
	if v.b.p.Exact || high <= few {
		return Never
	}
	return Few
}

// taken reports whether control must have taken an edge.
func (v *view) taken(s pdag.Step) bool {
	to := v.f.site.Graph.Nodes[s.Node].Out[s.Out].To
	return to != pdag.Exit && v.ran[to] && v.shape.only(s.Node, to)
}
