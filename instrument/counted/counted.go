// Package counted says in the compiler's words what a profile says of a package: which outcome at which line and column
// happened how often.
//
// Of a profile with
//
//	Branch{Line: 12, Col: 5, Kind: "if", Outcomes: map[string]float64{"true": 3, "false": 997}}
//
// and a file with
//
//	if a > 5 {       // 14:2, and the condition at 14:5
//
// it makes
//
//	14 2 T 3
//	14 2 F 997
//
// The source need not be that of the profile. Branches are those that stand where the profile says, if all branches of
// the function have moved by as many lines; or those of the same kinds in the same order and columns; else the function
// is left out. Wrong counts make programs slower and not wrong, so it may guess.
//
// It reads nothing but syntax, because that takes a hundredth of the time of a compilation.
package counted

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pepgo/pep/instrument/guide"
)

// Text returns the counts of branches in the profiles as text, and how much of the profiles it has found in files. The
// names of the package's functions begin with pkg. The compiler of package gobuild reads the text. It is empty if
// nothing fits.
func Text(pkg string, profiles []*guide.Package, files []string) ([]byte, guide.Match, error) {
	s, err := parse(filesOf(profiles, files))
	if err != nil {
		return nil, guide.Match{}, err
	}
	counts := map[outcome]float64{}
	var m guide.Match
	for _, g := range s.groups(profiles) {
		found := s.find(g)
		if found == nil {
			continue
		}
		m.Funcs += g.funcs
		m.Branches += g.total
		for i, b := range g.branches {
			m.Counts += sum(b)
			for name, list := range found[i].outcomes {
				for _, o := range list {
					counts[o] += b.Outcomes[name]
				}
			}
		}
	}
	return format(pkg, counts), m, nil
}

func sum(b guide.Branch) (sum float64) {
	for _, n := range b.Outcomes {
		sum += n
	}
	return sum
}

// filesOf returns the files that functions of the profile are in. If it names one that is not there, a line directive
// does so in any of the files.
func filesOf(profiles []*guide.Package, files []string) (some []string) {
	named := map[string]bool{}
	for _, p := range profiles {
		for _, f := range p.Funcs {
			named[f.File] = true
		}
	}
	for _, f := range files {
		if base := filepath.Base(f); named[base] {
			some = append(some, f)
			delete(named, base)
		}
	}
	if len(named) > 0 {
		return files
	}
	return some
}

// maxCol is the last column that the compiler knows.
const maxCol = 255

// format writes the counts in order.
func format(pkg string, counts map[outcome]float64) []byte {
	if len(counts) == 0 {
		return nil
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "package %s\n", pkg)
	file := ""
	for _, o := range slices.SortedFunc(maps.Keys(counts), func(a, b outcome) int {
		return cmp.Or(a.compare(b.place), cmp.Compare(a.kind, b.kind))
	}) {
		if strings.Contains(o.file, "\n") {
			continue // a line directive may say that, and the text has no lines for it
		}
		if o.file != file {
			file = o.file
			fmt.Fprintf(&b, "file %s\n", file)
		}
		fmt.Fprintf(&b, "%d %d %c %.0f\n", o.line, min(o.col, maxCol), o.kind, min(math.Ceil(counts[o]), 1<<53))
	}
	return b.Bytes()
}

// A group is what the profile has of a function of the source, with its closures.
type group struct {
	name
	funcs    int
	total    int            // branches of the profile
	branches []guide.Branch // in the order of the text; what several functions have, once
}

// groups returns the functions of profiles that have branches, those of each profile apart.
func (s *source) groups(profiles []*guide.Package) (list []*group) {
	for _, p := range profiles {
		byName := map[name]*group{}
		for _, f := range p.Funcs {
			n := name{f.File, s.around(f.File, f.Name)}
			g := byName[n]
			if g == nil {
				g = &group{name: n}
				byName[n] = g
				list = append(list, g)
			}
			g.funcs++
			for _, b := range f.Branches {
				if known(b.Kind) {
					b.File = cmp.Or(b.File, f.File)
					g.branches = append(g.branches, b)
				}
			}
		}
	}
	for _, g := range list {
		slices.SortStableFunc(g.branches, func(a, b guide.Branch) int {
			return cmp.Or(at(a).compare(at(b)), strings.Compare(a.Kind, b.Kind))
		})
		g.total = len(g.branches)
		g.branches = merged(g.branches)
	}
	return slices.DeleteFunc(list, func(g *group) bool { return len(g.branches) == 0 })
}

// merged adds up neighbours that are the same branch.
func merged(list []guide.Branch) (branches []guide.Branch) {
	for _, b := range list {
		n := len(branches) - 1
		if n < 0 || at(branches[n]) != at(b) || branches[n].Kind != b.Kind {
			b.Outcomes = maps.Clone(b.Outcomes)
			branches = append(branches, b)
			continue
		}
		for name, count := range b.Outcomes {
			branches[n].Outcomes[name] += count
		}
	}
	return branches
}

func at(b guide.Branch) place { return place{b.File, b.Line, b.Col} }

// known reports whether the compiler counts the outcomes of a kind of branch.
func known(kind string) bool {
	kind, _, _ = strings.Cut(kind, "(")
	return slices.Contains([]string{"if", "for", "range", "switch", "type switch", "select", "&&", "||"}, kind)
}

// around returns the name of the function of the source that a function of a profile is, or is a closure of:
// (*T).Read of (*T[...]).Read.func1.2, Sum of Sum-range1.
func (s *source) around(file, fn string) string {
	for {
		before, rest, ok := strings.Cut(fn, "[")
		end := strings.LastIndexByte(rest, ']')
		if !ok || end < 0 {
			break
		}
		fn = before + rest[end+1:]
	}
	fn, _, _ = strings.Cut(fn, "-range")
	words := strings.SplitN(fn, ".", 3)
	if len(words) > 1 {
		two := words[0] + "." + words[1]
		if strings.HasPrefix(fn, "(") || len(s.funcs[name{file, two}]) > 0 {
			return two
		}
	}
	return words[0]
}

// find returns the branches of the source that are those of g, or nil.
func (s *source) find(g *group) []branch {
	list := s.funcs[g.name]
	if len(list) < len(g.branches) {
		return nil
	}
	type key struct {
		place
		kind string
	}
	byPlace := map[key]branch{}
	for _, b := range list {
		byPlace[key{b.place, b.kind}] = b
	}
	first := g.branches[0]
	var shifts []int // lines by which the function may have moved
	for _, b := range list {
		if b.kind == first.Kind && b.col == first.Col {
			shifts = append(shifts, b.line-first.Line)
		}
	}
	slices.SortStableFunc(shifts, func(a, b int) int { return max(a, -a) - max(b, -b) })
	for _, shift := range shifts {
		var found []branch
		for _, b := range g.branches {
			p := at(b)
			p.line += shift
			x, ok := byPlace[key{p, b.Kind}]
			if !ok {
				break
			}
			found = append(found, x)
		}
		if len(found) == len(g.branches) {
			return found
		}
	}
	var found []branch
	for _, b := range list {
		if n := len(found); n < len(g.branches) && b.kind == g.branches[n].Kind && b.file == g.branches[n].File &&
			b.col == g.branches[n].Col {
			found = append(found, b)
		}
	}
	if len(found) < len(g.branches) {
		return nil
	}
	return found
}
