package report

// This file writes samples of the events that engines derive from those of taps, such as
// the programs of the co-processor. In the profile deps the leaf is a load, or a branch,
// and its caller is the store that it depends on, or the branch before it:
//
//	m.f       x.go:12            m.f       x.go:30
//	m.g       x.go:5             m.f       x.go:28
//	site   x.go:12:5             site   x.go:30:2
//	kind   dep                   kind   follow
//	value  p.n=x.go:5:2 q.n      value  if=true after x.go:28:3 if false
//
// In the profile contexts the callers are the functions of the calling context. The value
// has them, too, the innermost first. A conflict in a cache is in the profile of values;
// its value is the set.

import (
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/format/pprofenc"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/format/tuple"
)

// maxCallers bounds the callers in a sample.
const maxCallers = 64

// derived adds the sample of a derived event. It reports false if the site tables do not
// have a tap that x is about.
func (w *tapWriter) derived(x *Word, kind schema.Kind) (ok bool) {
	t := x.Tuple
	s := w.sites[t.Site()]
	if s == nil {
		return false
	}
	p := w.profile(kind)
	stack := []uint64{w.location(p, s)}
	value := ""
	switch {
	case x.Other:
		value = schema.Other
	case x.Free > 0:
		value = hexRange(x)
	case t.Tag() == tuple.Dep:
		store := w.sites[tuple.Tuple{PC: t.W}.Site()]
		if store == nil {
			return false
		}
		stack = append(stack, w.location(p, store))
		value = store.place()
	case t.Tag() == tuple.Follow:
		site, outcomeBefore, now := tuple.Followed(t.W)
		before := w.sites[site]
		if before == nil {
			return false
		}
		stack = append(stack, w.location(p, before))
		value = outcome(s.Type, now) + " after " + before.place() + " " + outcome(before.Type, outcomeBefore)
	case t.Tag() == tuple.Conflict:
		value = "set " + digits.Uint(t.W)
	default:
		value = schema.NoCaller
		for i, caller := range w.context(t.W) {
			if i > 0 {
				value += " < " + caller.Func
			} else {
				value = caller.Func
			}
			if i == 0 && t.Tag() == tuple.Within && caller.Func == s.Func {
				continue // the leaf is in this function
			}
			stack = append(stack, w.location(p, caller))
		}
	}
	labels := append(s.labels(t.Tag().String()),
		pprofenc.Label{Key: schema.Value, Value: schema.ValueText(s.Expr, value)},
		pprofenc.Label{Key: schema.Type, Value: s.Type})
	labels = w.withEnds(labels, s, x)
	p.Sample(stack, []int64{x.Count, x.Messages}, p.Labels(labels...))
	return true
}

// place returns the position and the expression of a tap.
func (s *site) place() string { return base(s.file) + ":" + position(s.Line, s.Col) + " " + s.Expr }

// context returns the functions of a calling context, the innermost first: each as the tap
// of its entries.
func (w *tapWriter) context(number uint64) (list []*site) {
	if w.contexts == nil {
		w.contexts = map[uint64]tuple.Tuple{}
		for i := range w.Words {
			if x := &w.Words[i]; x.Tuple.Tag() == tuple.Context && !x.Other && x.Free == 0 {
				w.contexts[tuple.InContext(x.Tuple.W, x.Tuple.Site())] = x.Tuple
			}
		}
	}
	for len(list) < maxCallers {
		t, ok := w.contexts[number]
		s := w.sites[t.Site()]
		if !ok || s == nil {
			break
		}
		list = append(list, s)
		number = t.W
	}
	return list
}

// outcomeSample adds the outcome of a branch to the profile of edges. The leaf is the
// function, at the line of the branch: the site table of a tap does not say where an
// outcome leads to.
func (w *tapWriter) outcomeSample(s *site, x *Word) {
	p := w.profile(schema.Edges)
	labels := []pprofenc.Label{
		{Key: schema.Branch, Value: base(s.file) + ":" + position(s.Line, s.Col)},
		{Key: schema.BranchKind, Value: s.Expr},
		{Key: schema.Outcome, Value: w.value(s, x)},
	}
	if s.home != "" && s.home != s.file {
		labels[0].Value = beside(s.home, s.file) + ":" + position(s.Line, s.Col)
		labels = append(labels, pprofenc.Label{Key: schema.FuncFile, Value: s.home})
	}
	p.Sample([]uint64{w.location(p, s)}, []int64{x.Count}, p.Labels(w.with(labels, x)...))
}
