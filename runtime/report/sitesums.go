package report

// This file adds up what windows have seen of places in the code: of an instruction that loads from where it did, of a
// call whom it called. What a window has of a place is one cluster of events of a tap: see package weigh.
//
// Let two windows, the first of which stands for three times as much as the second, see 2 and 4 calls of a place. If
// these are all calls, their 6 count as 3/5 · 6 for the first window and 2/5 · 6 for the second one: (3·2 : 1·4).
// Counts are in 1/Unit of what was seen, so that rounding costs nothing.

import (
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/pprofenc"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/runtime/weigh"
)

// A siteSums has the sums of a place over windows.
type siteSums struct {
	all    weigh.Tap
	values []*seen
	here   float64 // of the window that is being added
}

// A seen is a value of a place.
type seen struct {
	weigh.Part
	samples int64 // how often it was seen
	here    float64
}

// see adds what a window has of a value, and reports whether it is the first of the place in the window.
func (x *siteSums) see(v *seen, n uint32) (first bool) {
	first = x.here == 0
	x.here += float64(n)
	v.here += float64(n)
	v.samples += int64(n)
	return first
}

// add ends a window, in which each sample stands for so many.
func (x *siteSums) add(weight float64) {
	n := x.here
	x.here = 0
	x.all.Total.Add(weight * n)
	x.all.Samples += weight * weight * n
	for _, v := range x.values {
		if v.here > 0 {
			v.Part.Add(weight*v.here, weight*n)
			v.here = 0
		}
	}
}

// end ends the last one of so many windows.
func (x *siteSums) end(windows int, alike *weigh.Alike) {
	x.all.Clusters = float64(windows)
	for _, v := range x.values {
		if v.Sum > 0 {
			x.all.AddValue(&v.Part)
		}
	}
	alike.Add(&x.all)
}

// bounds adds the bounds of a value to the labels of a sample: of the error of its count, and how far its share of the
// events of the place may be above and below the estimate, with 95 % confidence.
func (x *siteSums) bounds(o *pprofenc.Profile, to pprofenc.Labels, v *seen) pprofenc.Labels {
	share, b := x.all.Share(&v.Part)
	count, above := weigh.Bound(v.Variance(&x.all.Total), v.Sum, v.Squares), max(b.High-share, 0)
	if count > 0 || above > 0 {
		to = o.Number(to, schema.CountError, int64(min(count+.5, 1<<62)), schema.Unit)
		to = o.Number(to, schema.ShareError, int64(above*1e6+.5), schema.PartsPerMillion)
		to = o.Number(to, schema.ShareBelow, int64(max(share-b.Low, 0)*1e6+.5), schema.PartsPerMillion)
	}
	return to
}

// A scale says for how many samples one sample of a window stands: for more than one if the weight of the window is
// above the mean.
type scale struct{ samples, weighed float64 }

// add adds a window of a weight that has so many samples.
func (s *scale) add(weight, samples float64) {
	s.samples += samples
	s.weighed += weight * samples
}

// of returns for how many samples one sample of a window with a weight stands, in 1/Unit.
func (s *scale) of(weight float64) float64 {
	return weight * s.samples / max(s.weighed, 1e-300) * Unit
}

// ofWindows returns a profile without samples of what windows have seen.
func (p *Profile) ofWindows(kind schema.Kind) *pprofenc.Profile {
	o := newProfile(kind.Types())
	o.Mapping = p.Mapping
	o.PeriodType, o.Period = p.PeriodType, p.Period
	o.Time, o.Duration = p.Start, p.Duration
	return o
}

// factsOf returns the facts of a profile with so many samples.
func (p *Profile) factsOf(samples int64) (about facts.List) {
	for _, f := range p.Facts {
		if f.Key != facts.Samples {
			about = append(about, f)
		}
	}
	about.Set(facts.Samples, uint64(samples))
	return about
}
