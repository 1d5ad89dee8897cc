package randprog

// This file compares the paths of a log with those of a profile.

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/schema"
)

// A Comparison is the result of comparing a log with an exact profile.
type Comparison struct {
	Paths   int      // that have equal counts
	Cut     int      // functions whose long paths the profile has cut: only their outcomes are compared
	Differ  []string // what differs
	profile map[Path]int64
	cut     map[int]bool // the functions that Cut counts
}

// Compare compares the counts of all paths of a log with those of an exact profile of
// the plain form. If the profile has cut a path into pieces and a panic has left the
// function on the last piece, all other pieces may have been completed. So an outcome
// may have any count between the one without such paths and the one with them. Functions
// whose first lines are in cutAtLoops have cut paths, too, although no label of prof says so.
func (p *Program) Compare(want *Log, prof []profile.Path, cutAtLoops []int) *Comparison {
	c := &Comparison{}
	got, cut, err := p.profiled(prof)
	for _, line := range cutAtLoops {
		cut[line] = true
	}
	c.profile = got
	if err != nil {
		c.Differ = append(c.Differ, err.Error())
	}
	c.Cut, c.cut = len(cut), cut
	c.between(without(want.Ended, cut), nil, without(got, cut), "path")
	c.between(outcomes(want.Ended, cut), outcomes(want.Left, cut), outcomes(got, cut), "outcome")
	return c
}

// Unended compares the paths of a log that panics have left with those that an exact profile says have not ended.
func (c *Comparison) Unended(p *Program, want *Log, prof []profile.Unended) {
	left, got := map[Path]int64{}, map[Path]int64{}
	for k, n := range want.Left {
		left[Path{Func: k.Func, From: k.From}] += n
	}
	for _, x := range prof {
		if filepath.Base(x.Func.File) != Main {
			continue
		}
		k := Path{Func: int(x.Func.StartLine)}
		if err := p.begin(&k, x.From); err != nil {
			c.Differ = append(c.Differ, err.Error())
		}
		got[k] += x.Count
	}
	c.between(without(left, c.cut), nil, without(got, c.cut), "path that has not ended")
}

// between compares counts with their lower bounds, and with the numbers by which they may
// exceed these bounds.
func (c *Comparison) between(least, more, got map[Path]int64, what string) {
	for _, k := range sorted(least, got) {
		if least[k] <= got[k] && got[k] <= least[k]+more[k] {
			c.Paths++
			continue
		}
		c.Differ = append(c.Differ, fmt.Sprintf(
			"%s of the function at line %d from %s: %s: the profile counts %d, the log %d, and %d that a panic left",
			what, k.Func, k.From, k.Branches, got[k], least[k], more[k]))
	}
}

// Within returns the paths of a sampled profile that the exact one does not
// have.
func (c *Comparison) Within(p *Program, sampled []profile.Path) (strange []string) {
	got, _, err := p.profiled(sampled)
	if err != nil {
		strange = append(strange, err.Error())
	}
	for _, k := range sorted(got) {
		if c.profile[k] == 0 {
			strange = append(strange, fmt.Sprintf(
				"path of the function at line %d from %s: %s: sampled %d times, but never taken", k.Func, k.From, k.Branches,
				got[k]))
		}
	}
	return strange
}

// profiled returns the counts of a profile's paths by their names in this package. It also
// returns the functions in which paths are cut, because otherwise there would be too many
// paths.
func (p *Program) profiled(prof []profile.Path) (counts map[Path]int64, cut map[int]bool, err error) {
	counts, cut = map[Path]int64{}, map[int]bool{}
	for _, x := range profile.SumPaths(prof) {
		if filepath.Base(x.ID.Func.File) != Main {
			continue
		}
		k := Path{Func: int(x.ID.Func.StartLine)}
		if e := p.begin(&k, x.From); e != nil {
			err = e
		}
		if x.From.How == schema.Cut {
			cut[k.Func] = true
		}
		var branches []string
		for _, d := range x.Branches {
			branches = append(branches, Outcome{int(d.Line), int(d.Col), d.Kind, d.Outcome}.String())
		}
		k.Branches = strings.Join(branches, "; ")
		counts[k] += x.Count
	}
	return counts, cut, err
}

// begin writes where k begins as this package does, if that is a loop. The start is that of a profile.
func (p *Program) begin(k *Path, start profile.Start) error {
	k.From = start.In(profile.Func{File: Main})
	if start.How != schema.Loop {
		return nil
	}
	from, known := p.loop(k.Func, int(start.Line))
	if !known {
		return fmt.Errorf("a path of the function at line %d begins at %s: no loop is there", k.Func, k.From)
	}
	k.From = fmt.Sprintf("loop %d", from)
	return nil
}

// without returns the paths of other functions.
func without(paths map[Path]int64, fns map[int]bool) map[Path]int64 {
	rest := maps.Clone(paths)
	maps.DeleteFunc(rest, func(k Path, _ int64) bool { return fns[k.Func] })
	return rest
}

// outcomes returns how often the outcomes of branches on paths of the functions were taken.
func outcomes(paths map[Path]int64, fns map[int]bool) map[Path]int64 {
	counts := map[Path]int64{}
	for k, n := range paths {
		if !fns[k.Func] || k.Branches == "" {
			continue
		}
		for o := range strings.SplitSeq(k.Branches, "; ") {
			counts[Path{Func: k.Func, From: "anywhere", Branches: o}] += n
		}
	}
	return counts
}

// sorted returns the paths of both maps in order.
func sorted(all ...map[Path]int64) []Path {
	keys := map[Path]bool{}
	for _, m := range all {
		for k := range m {
			keys[k] = true
		}
	}
	return slices.SortedFunc(maps.Keys(keys), func(a, b Path) int {
		if a.Func != b.Func {
			return a.Func - b.Func
		}
		if a.From != b.From {
			return strings.Compare(a.From, b.From)
		}
		return strings.Compare(a.Branches, b.Branches)
	})
}
