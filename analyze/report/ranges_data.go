package report

// This file makes words of the addresses in a profile of values without an engine: of those that windows have noted, or
// taps have counted. Each is a range of its own, and all together are one source. So the ranges are those of memory,
// whichever loads led there, and the tree has all of them: there is no engine that had to choose.

import (
	"strconv"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/format/tuple"
)

// addressesOfData is what all words are of that pooled makes.
var addressesOfData = profile.Site{Pool: schema.PoolWords, Func: profile.Func{Name: "(all addresses)"},
	Kind: tuple.Addr.String()}

// addresses returns the words that are addresses of data, with ranges.
func addresses(words []profile.Word) (list []profile.Word) {
	for _, w := range words {
		if w.Site.Kind != tuple.Addr.String() {
			continue
		}
		if a, err := strconv.ParseUint(w.Value, 0, 64); err == nil { // else it is those that were not told apart
			w.Range, w.Low, w.High = &profile.Range{First: a, Last: a}, w.Value, w.Value
		}
		list = append(list, w)
	}
	return list
}

// pooled returns the words of the sites that are selected, as those of one source.
func pooled(words []profile.Word, o RangesOptions) (list []profile.Word) {
	for _, w := range words {
		if o.selects(profile.Seen{Site: w.Site}) {
			w.Site = addressesOfData
			list = append(list, w)
		}
	}
	return list
}
