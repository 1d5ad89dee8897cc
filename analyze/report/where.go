package report

// This file prints where the time of a profile of all packages was.

import (
	"fmt"
	"strings"

	"github.com/pepgo/pep/analyze/spent"
	"github.com/pepgo/pep/internal/listing"
)

// How many names a place has in a listing, and which share of the place those have at least.
const (
	mostNames  = 2
	leastShare = .1
)

// timeNote explains the columns with times.
const timeNote = "own and cum: the share of the CPU time in the code itself, and with what it called. Who called C code is not known. -v says how the profile was taken."

// percent is a share of the time, of which there are some hundred ticks: one decimal says enough.
func percent(share float64) string { return fmt.Sprintf("%.1f%%", 100*share) }

// printWhere prints a line for each place that has time, if the profile tells places apart.
func (t *TopTable) printWhere(p *listing.Page) {
	if t.Where == nil {
		return
	}
	table := &listing.Table{Numbers: 2}
	table.Heading("own", "cum", "where", "most of it")
	for _, x := range t.Where {
		if x.Share < .0005 && x.Cum < .0005 {
			continue // 0.0%
		}
		cum := ""
		if x.Cum > 0 {
			cum = percent(x.Cum)
		}
		table.Row(percent(x.Share), cum, x.Name, mostOf(x))
		if x.Share >= hot {
			table.Style(0, listing.Hot)
		}
	}
	p.Table("", table)
	p.Line("")
}

// mostOf says what most of the time of a place is, and for whom.
func mostOf(x spent.Place) string {
	names := func(list []spent.Share) string {
		var names []string
		for _, s := range list[:min(mostNames, len(list))] {
			if s.Share >= leastShare*x.Share {
				names = append(names, s.Name+" "+percent(s.Share))
			}
		}
		return strings.Join(names, ", ")
	}
	in, whom := names(x.In), shortNames(names(x.For))
	switch {
	case x.Name == spent.InMainModule:
		return shortNames(in)
	case whom == "":
		return in
	case in == "":
		return "for " + whom
	}
	return in + "; for " + whom
}
