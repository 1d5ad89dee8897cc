// Package report makes listings of profiles: the hot paths, the source of functions with
// edge counts beside it, the values that taps reported, the instrumented functions and
// taps of a program, the accuracy of a sampled profile, and every sample.
//
// Each function returns data, a struct that package listing prints as text and as
// JSON. Top, for the profile of package profile's worked example, as text:
//
//	/bin/app: 1 path in 1 function, count 7, flow 7
//
//	#    flow%  count  path
//	1  100.00%      7  main.sign·p0
//	   /src/app/sign.go:10-12  from entry
//	   11:2  if true  if n < 0 {
//
//	Exact: every path was counted.
//
// The texts are for reading and may change. Programs read the JSON form, whose
// fields docs/reference/json.md explains, or the profiles themselves.
package report

import (
	"cmp"
	"strings"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/internal/listing"
)

// A Profile says which profile a listing is of.
type Profile struct {
	File string      `json:"file"` // as it was given; of several the first
	Kind schema.Kind `json:"kind"` // what it counts: `paths`, `edges`, `values`, …
	// how it was made; of a merged one several if settings differ
	Facts      []string `json:"facts"`
	Comments   []string `json:"comments"` // the same for people, and comments of other tools
	Program    string   `json:"program"`
	Build      string   `json:"build"`
	Exact      bool     `json:"exact"` // everything was counted
	Period     int64    `json:"period" unit:"period_unit"`
	PeriodType string   `json:"period_type"`
	PeriodUnit string   `json:"period_unit"`

	facts   []facts.List
	others  []string // comments of other tools
	few     uint64   // ticks, if there are so few that bounds are wide
	windows bool     // counts are of windows
	verbose bool     // print all that the profile says of itself
}

func profileOf(f *profile.File) Profile {
	var list []string
	for _, x := range f.Facts {
		list = append(list, x.Encode())
	}
	x := Profile{File: f.Name, Kind: f.Kind, Facts: list, Program: f.Binary, Build: f.BuildID, Exact: f.Exact(),
		Period: f.Period.Value, PeriodType: f.Period.Type, PeriodUnit: f.Period.Unit, facts: f.Facts, others: f.Comments,
		windows: f.Windows()}
	for _, list := range f.Facts {
		if s := x.made(list, true); s != "" {
			x.Comments = append(x.Comments, s)
		}
	}
	x.Comments = append(x.Comments, f.Comments...)
	if n := f.Fact(facts.Ticks); f.Estimated() && n < fewTicks {
		x.few = n
	}
	return x
}

// name returns the name of the profiled program.
func (x Profile) name() string { return cmp.Or(x.Program, x.File) }

// missingSource returns those of files that src does not have, each once.
func missingSource(src *source.Tree, files []string) (missing []string) {
	seen := map[string]bool{}
	for _, name := range files {
		if !seen[name] && !src.Has(name) {
			missing = append(missing, name)
		}
		seen[name] = true
	}
	return missing
}

func printMissing(p *listing.Page, files []string) {
	if len(files) > 0 {
		p.Line("")
		var short []string
		for _, f := range files {
			short = append(short, p.Short(f))
		}
		p.Say(listing.Plain, "Source not found: %s. -source_path=DIR says where to look.", strings.Join(short, ", "))
	}
}
