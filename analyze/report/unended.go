package report

// This file lists the paths of exact profiles that have not ended.

import (
	"cmp"
	"regexp"
	"slices"

	"github.com/pepgo/pep/analyze/profile"
)

// An Unended is paths of a function that began at a place and have not ended.
type Unended struct {
	Func      string `json:"function"`
	File      string `json:"file"`
	StartLine int64  `json:"start_line" unit:"line"`
	From      string `json:"from"`
	Line      int64  `json:"line" unit:"line"` // of that place
	Count     int64  `json:"count" unit:"times"`
}

// unendedOf returns the paths of a file that have not ended, in functions whose names match; nil matches all. It
// orders them by function and line.
func unendedOf(f *profile.File, funcs *regexp.Regexp) (list []Unended, err error) {
	all, err := f.Unended()
	slices.SortStableFunc(all, func(u, v profile.Unended) int {
		return cmp.Or(u.Func.Compare(v.Func), cmp.Compare(u.Line, v.Line), cmp.Compare(u.From.How, v.From.How),
			cmp.Compare(u.Count, v.Count))
	})
	for _, u := range all {
		if funcs == nil || funcs.MatchString(u.Func.Name) {
			list = append(list, Unended{u.Func.Name, u.Func.File, u.Func.StartLine, u.From.In(u.Func), u.Line, u.Count})
		}
	}
	return list, err
}
