package report

// This file makes words of the branches in a profile of edges, so that their ranges are ranges of code.
//
// A word has the numbers of the branch's package, of the file in the package, of the function in the file, and
// of the branch in the function, in the order of the source. Each number has as many bits as the greatest one
// needs. So packages, files and functions are aligned ranges, as hot ranges are:
//
//	         package  file  func  branch
//	a.f x.go:5     0     0    00       0      word 0
//	b.g y.go:7     1     0    00       0      word 16
//	b.h z.go:3     1     1    00       0      word 24
//	b.i z.go:9     1     1    10       1      word 29

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/schema"
)

// codeOfBranches is what all words are of that branchWords makes.
var codeOfBranches = profile.Site{Pool: schema.PoolCode, Func: profile.Func{Name: "(all branches)"},
	Kind: schema.Branch}

// deviations are the standard deviations of the counts of words.
type deviations struct {
	words []uint64  // in order
	sums  []float64 // of the deviations of the first words: none, one, two and so on
}

// within returns the sum of the deviations of the words from first to last.
func (d *deviations) within(first, last uint64) float64 {
	from, _ := slices.BinarySearch(d.words, first)
	to, found := slices.BinarySearch(d.words, last)
	if found {
		to++
	}
	return d.sums[to] - d.sums[from]
}

// branchWords returns a word for each branch in a profile of edges, and the standard deviations of their counts.
func branchWords(f *profile.File) (words []profile.Word, d *deviations, err error) {
	edges, err := f.Edges()
	if err != nil {
		return nil, nil, err
	}
	list := profile.SumEdges(edges)
	slices.SortStableFunc(list, func(a, b profile.Branch) int { return compareCode(a.ID, b.ID) })
	d = &deviations{words: positions(list), sums: []float64{0}}
	for i, word := range d.words {
		b := list[i]
		at := fmt.Sprintf("%s:%d", b.ID.Pos.File, b.ID.Pos.Line)
		words = append(words, profile.Word{
			Site: codeOfBranches, Value: fmt.Sprintf("%s %s:%d %s", b.ID.Func.Name, at, b.ID.Pos.Col, b.Kind),
			Target: b.ID.Func, Line: b.ID.Pos.Line, Count: b.Count(), Range: &profile.Range{First: word, Last: word},
			Code: &profile.Code{
				FirstFunc: b.ID.Func.Name, LastFunc: b.ID.Func.Name, FirstFile: b.ID.Pos.File, LastFile: b.ID.Pos.File,
				OneFile: true, Low: b.ID.Pos.Line, High: b.ID.Pos.Line,
			},
		})
		sum := d.sums[i]
		for _, o := range b.Outcomes {
			sum += math.Sqrt(float64(o.Variance))
		}
		d.sums = append(d.sums, sum)
	}
	return words, d, nil
}

// compareCode orders branches by package, file, function and position.
func compareCode(a, b profile.BranchID) int {
	return cmp.Or(cmp.Compare(profile.PackageOf(a.Func.Name), profile.PackageOf(b.Func.Name)),
		cmp.Compare(a.Func.File, b.Func.File), cmp.Compare(a.Func.StartLine, b.Func.StartLine), a.Compare(b))
}

// positions returns the words of branches, which are in the order of the source. If they need more than 64 bits,
// which only files that somebody has made up do, words are the indexes of branches.
func positions(list []profile.Branch) []uint64 {
	numbers := make([][4]uint64, len(list))
	var most [4]uint64
	for i := 1; i < len(list); i++ {
		a, b := list[i-1].ID, list[i].ID
		level := 3
		switch {
		case profile.PackageOf(a.Func.Name) != profile.PackageOf(b.Func.Name):
			level = 0
		case a.Func.File != b.Func.File:
			level = 1
		case a.Func != b.Func:
			level = 2
		}
		copy(numbers[i][:], numbers[i-1][:level])
		numbers[i][level] = numbers[i-1][level] + 1
		for l, n := range numbers[i] {
			most[l] = max(most[l], n)
		}
	}
	width := 0
	for _, n := range most {
		width += bits.Len64(n)
	}
	words := make([]uint64, len(list))
	for i := range words {
		if width > 64 {
			words[i] = uint64(i)
			continue
		}
		for l, n := range numbers[i] {
			words[i] = words[i]<<bits.Len64(most[l]) | n
		}
	}
	return words
}
