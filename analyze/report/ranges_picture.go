package report

// This file shows the tree of ranges as a picture, and as stacks for flame graphs.

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/pepgo/pep/analyze/icicle"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/ranges"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/internal/listing"
)

// The picture shows hot ranges. It also shows a range that has at least the fraction drawn
// of what makes a range hot, and that forks: no range next in it has more than the fraction
// most of its events. It leaves out other ranges, because a hot word is nested in dozens of
// ranges that have next to nothing but this word.
const (
	drawn = 0.1
	most  = 0.9
)

// WriteSVG draws the tree: the sources with hot ranges, and in each source the ranges
// in the order of their words.
func (t *RangeTable) WriteSVG(w io.Writer) error {
	all := fmt.Sprintf("%d %s", t.Events, t.events())
	root := &icicle.Box{Label: "all " + t.events(), Detail: []string{all}, Value: float64(t.Events)}
	for i, tree := range t.trees {
		s := t.Sources[i]
		box := &icicle.Box{
			Label: fmt.Sprintf("%.1f%%  %s", 100*s.Share, shortNames(sourceName(tree.Site))),
			Detail: []string{sourceName(tree.Site),
				fmt.Sprintf("%d %s, %s of all", s.Events, t.events(), listing.Percent(s.Share))},
			Value: float64(s.Events),
		}
		if t.deviations == nil && !t.estimated {
			box.Detail = append(box.Detail, fmt.Sprintf("counts of ranges are at most %d too low", s.Error))
		}
		box.Kids = t.boxes(tree, tree.Root)
		root.Kids = append(root.Kids, box)
	}
	if t.Rest > 0 {
		text := fmt.Sprintf("%s without a hot range", listing.Count(t.Rest, "tap"))
		root.Kids = append(root.Kids, &icicle.Box{Label: text, Detail: []string{text, fmt.Sprintf("%d events", t.RestSum)},
			Value: float64(t.RestSum)})
	}
	return icicle.Write(w, icicle.Picture{
		Title: "Ranges of " + filepath.Base(t.Profile.name()),
		Lines: append([]string{fmt.Sprintf("%s; framed: ranges with at least %s of them, without framed ranges inside; left to right: order of the words; width: %s", all, listing.Percent(t.Hot), t.events())}, t.Profile.Comments...),
		Root:  root,
	})
}

// boxes returns the box of a range, which contains the boxes of the ranges in it. If
// the range is not drawn itself, boxes returns only the boxes of the ranges in it.
func (t *RangeTable) boxes(tree *ranges.Tree, n *ranges.Node) (list []*icicle.Box) {
	for _, k := range n.Kids {
		list = append(list, t.boxes(tree, k)...)
	}
	if !n.Hot && (float64(n.Least) < drawn*t.Hot*float64(t.Events) ||
		slices.ContainsFunc(n.Kids, func(k *ranges.Node) bool { return float64(k.Least) >= most*float64(n.Least) })) {
		return list
	}
	share := func(events int64) string {
		return fmt.Sprintf("%d %s, %s", events, t.events(), listing.Percent(listing.Ratio(events, t.Events)))
	}
	text, where := t.view.text(tree.Site, n), t.view.where(tree.Site, n)
	least, most := t.bounds(n)
	if where != "" {
		text += "  " + where
	}
	detail := []string{text, fmt.Sprintf("words %#x to %#x", n.First, n.Last)}
	if !t.estimated {
		detail = append(detail, "at least "+share(least), "at most "+share(most))
	}
	return []*icicle.Box{{
		Label:  fmt.Sprintf("%.1f%%  %s", 100*listing.Ratio(n.Least, t.Events), shortNames(text)),
		Detail: append(detail, "without hot ranges inside "+share(n.Weight), "in no narrower range "+share(n.Own)),
		Value:  float64(n.Least), Strong: n.Hot, Kids: list,
	}}
}

// Stacks returns a stack for each range of the selected sources that has events of its
// own. The frames are the source, the ranges around the range, and the range. So the
// flame graph is the tree, and the counts add up to the events of the sources.
func (t *RangeTable) Stacks() (list []profile.Stack) {
	for _, x := range t.all {
		source := profile.Frame{Func: x.Site.Func}
		source.Func.Name = sourceName(x.Site)
		if x.Site.Pool == "" {
			source.Line = x.Site.Pos.Line
		}
		in := []profile.Frame{source}
		tree := ranges.Of(x)
		if tree == nil {
			list = append(list, profile.Stack{Frames: in, Counts: []int64{x.Count}})
			continue
		}
		if tree.Other > 0 {
			list = append(list, profile.Stack{Frames: append(in[:1:1], profile.Frame{Func: profile.Func{Name: schema.Other}}),
				Counts: []int64{tree.Other}})
		}
		list = append(list, t.stacks(tree.Site, tree.Root, t.view.texts(tree), in)...)
	}
	return list
}

// stacks returns the stacks of n and of the ranges in it. Each stack begins with the
// frames around.
func (t *RangeTable) stacks(s profile.Site, n *ranges.Node, texts map[*ranges.Node]string,
	around []profile.Frame) (list []profile.Stack) {
	frame := profile.Frame{Func: profile.Func{Name: texts[n]}}
	switch {
	case n.Word != nil && n.Word.Target.File != "": // a range of code
		frame.Func.File, frame.Func.StartLine, frame.Line = n.Word.Target.File, n.Word.Target.StartLine, n.Word.Line
	case s.Pool == "": // pprof adds up frames with the same name, so the name says which tap it is
		frame.Func.Name = s.Pos.String() + " " + texts[n]
	}
	frames := append(around[:len(around):len(around)], frame)
	if n.Own > 0 {
		list = append(list, profile.Stack{Frames: frames, Counts: []int64{n.Own}})
	}
	for _, k := range n.Kids {
		list = append(list, t.stacks(s, k, texts, frames)...)
	}
	return list
}
